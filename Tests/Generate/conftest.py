"""What the tests of generated accessors share: where things are, and schemas of every kind."""

from __future__ import annotations

import json
import os
import pathlib
import random
import subprocess
import sys
from typing import Any, Dict, List

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))
LIBRARY = pathlib.Path(os.environ.get("LIVERY_LIBRARY", ROOT / "build" / "liblivery.so")).resolve()
os.environ["LIVERY_LIBRARY"] = str(LIBRARY)


def run(*command: Any, **options: Any) -> "subprocess.CompletedProcess[str]":
  return subprocess.run([str(one) for one in command], capture_output=True, text=True, timeout=300, check=False, **options)


def compile_c(source: pathlib.Path, *flags: str) -> "subprocess.CompletedProcess[str]":
  return run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, f"-I{ROOT / 'include'}", source, LIBRARY,
             f"-Wl,-rpath,{LIBRARY.parent}", "-o", source.with_suffix(""))


def schema_of(*settings: Dict[str, Any], version: int = 1) -> str:
  return json.dumps({"Version": version, "Title": "Test", "Groups": [{"Title": "All", "Settings": list(settings)}]})


class Schemas:
  """Schemas at random: every type, names of every form, lists in lists."""

  TITLES = ["Plain", "*/ and /*", 'quoted "title"', "back\\slash", "Größe ☃", "<b>&amp;</b> `code` |", "??/ trigraph", "\\u{41} \\(x)"]

  def __init__(self, seed: int) -> None:
    self.random = random.Random(seed)

  def schema(self, count: int) -> str:
    names = set()
    while len(names) < count:
      names.add(self.name())
    return schema_of(*(self.setting(name, 0) for name in sorted(names)), version=self.random.randint(1, 9))

  def name(self) -> str:
    part = lambda: self.random.choice(["idle", "Time", "URL", "2nd", "größe", "a b", "class", "int", "self", "x-y", "get", "items", "has"])
    return self.random.choice([".", "", "_", "-"]).join(part() for _ in range(self.random.randint(1, 3)))

  def setting(self, name: str, depth: int) -> Dict[str, Any]:
    kinds = [self.text, self.flag, self.integer, self.number, self.color, self.date, self.url, self.data, self.choice, self.choices, self.image]
    made = self.random.choice(kinds + [self.list] * 3 if depth < 2 else kinds)(depth)
    made.update({"Title": self.random.choice(self.TITLES), "Description": self.random.choice(self.TITLES)})
    if name:
      made["Key"] = name
    if self.random.random() < 0.1 and name:
      made["Deprecated"] = self.random.choice(self.TITLES)
    return made

  def text(self, _: int) -> Dict[str, Any]:
    return {"Type": "TextField", "Value": self.random.choice(["", "text", 'a "b" \\ \n', "☃", "x" * 3000])}

  def flag(self, _: int) -> Dict[str, Any]:
    return {"Type": "ToggleSwitch", "Value": self.random.random() < 0.5}

  def integer(self, _: int) -> Dict[str, Any]:
    return {"Type": "Number", "Format": "integer", "Value": self.random.choice([0, -1, 2**63 - 1, -(2**63), self.random.randint(-999, 999)])}

  def number(self, _: int) -> Dict[str, Any]:
    return {"Type": "Number", "Value": self.random.choice([0.1, -2.5e-300, 1e300, 3])}

  def color(self, _: int) -> Dict[str, Any]:
    return {"Type": "Color", "Value": self.random.choice(["#336699", "#01020304"])}

  def date(self, _: int) -> Dict[str, Any]:
    return {"Type": "Date", "Value": self.random.choice(["2026-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])}

  def url(self, _: int) -> Dict[str, Any]:
    return {"Type": "URL", "Value": self.random.choice(["", "https://a.example/x?y"])}

  def image(self, _: int) -> Dict[str, Any]:
    return {"Type": "Image", "Value": "ab" * 32}

  def data(self, _: int) -> Dict[str, Any]:
    return {"Type": "Data", "Value": self.random.choice(["", "AQIDBA=="])}

  def options(self) -> List[Dict[str, Any]]:
    pools: List[List[Any]] = [["one", "two", "class", "", "a b", "a-b"], [1, 2, -3], [0.5, -0.5], ["x", 1, True, 2.5]]
    pool = self.random.choice(pools)
    return [{"Title": self.random.choice(self.TITLES), "Value": one} for one in pool]

  def choice(self, _: int) -> Dict[str, Any]:
    options = self.options()
    return {"Type": "ComboBox", "Options": options, "Value": self.random.choice(options)["Value"]}

  def choices(self, _: int) -> Dict[str, Any]:
    options = self.options()
    return {"Type": "ComboBox", "Class": ["Multiple"], "Options": options,
            "Value": [one["Value"] for one in options if self.random.random() < 0.5]}

  def list(self, depth: int) -> Dict[str, Any]:
    if self.random.random() < 0.4:
      item = self.setting("", depth + 1)
      return {"Type": "List", "ItemTemplate": [item], "Value": [item["Value"]] * self.random.randint(0, 3)}
    names = sorted({self.name() for _ in range(self.random.randint(1, 4))})
    members = [self.setting(name, depth + 1) for name in names]
    items = [{one["Key"]: one["Value"] for one in members if self.random.random() < 0.7} for _ in range(self.random.randint(0, 3))]
    return {"Type": "List", "ItemTemplate": members, "Value": items}


@pytest.fixture
def generate(tmp_path: pathlib.Path) -> Any:
  """Writes a schema, makes accessors of it, and returns their path."""

  def made(language: str, schema: str, name: str = "kiosk") -> pathlib.Path:
    from livery.generate import main

    source = tmp_path / f"{name}.json"
    source.write_text(schema, encoding="utf-8")
    ending = {"c": "h", "python": "py", "markdown": "md"}.get(language, language)
    output = tmp_path / f"{name}.{ending}"
    assert main([language, str(source), "-o", str(output), "-n", name]) == 0
    return output

  return made
