"""The settings as a page in HTML, which fetches nothing."""

from __future__ import annotations

from html import escape
from typing import List

from . import reference
from .model import Model, Setting

STYLE = """body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:auto;padding:1rem;color:#1b1b1f;background:#fff}
code{background:#eef;padding:0 .2em;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
dd{margin:0;overflow-wrap:anywhere}dt{color:#555}section{margin:2rem 0}article{border-top:1px solid #ccc}
@media(prefers-color-scheme:dark){body{color:#eee;background:#16161a}code{background:#334}dt{color:#bbb}}"""


def write(model: Model, name: str) -> str:
  title = escape(model.title or name)
  parts = ["<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
           '<meta name="viewport" content="width=device-width, initial-scale=1">', f"<title>{title}</title>",
           f"<style>{STYLE}</style>", "</head>", "<body>", "<main>", f"<h1>{title}</h1>",
           f"<p>Version {model.version}; {len(model.settings)} settings.</p>", "<nav aria-label=\"Groups\"><ul>"]
  headings = [escape(" › ".join((*group.path, group.title))) for group in model.groups]
  parts += [f'<li><a href="#g{number}">{heading}</a></li>' for number, heading in enumerate(headings)] + ["</ul></nav>"]
  for number, (group, heading) in enumerate(zip(model.groups, headings)):
    parts.append(f'<section><h2 id="g{number}">{heading}</h2>')
    if group.description:
      parts.append(f"<p>{escape(group.description)}</p>")
    for setting in group.settings:
      parts += [f"<article><h3>{escape(setting.title)}</h3><p><code>{escape(setting.name)}</code></p>", *_told(setting), "</article>"]
    parts.append("</section>")
  return "\n".join([*parts, "</main>", "</body>", "</html>", ""])


def _told(setting: Setting) -> List[str]:
  parts: List[str] = []
  if setting.raw.get("Description"):
    parts.append(f"<p>{escape(str(setting.raw['Description']))}</p>")
  parts.append("<dl>")
  parts += [f"<dt>{heading}</dt><dd>{_coded(told)}</dd>" for heading, told in reference.facts(setting)]
  for member in reference.members(setting):
    name = f"<code>{escape(member.name)}</code>" if member.name else "Item"
    facts = "; ".join(f"{heading.lower()}: {_coded(told)}" for heading, told in reference.facts(member))
    parts.append(f"<dt>{name}</dt><dd>{escape(member.title)}; {facts}</dd>")
  return [*parts, "</dl>"]


def _coded(parts: List[str]) -> str:
  return "".join(f"<code>{escape(part)}</code>" if isinstance(part, reference.Code) else escape(part) for part in parts)
