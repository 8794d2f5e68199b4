#!/usr/bin/env python3
"""Checks what the pages for contributors say of the repository, and ends with "N passed, N failed".

    repository.py

The pages are docs/internals, CONTRIBUTING.md and the READMEs in Sources and Tests. What they name in code spans is there:
files and folders, by their paths or the ends of these; functions, types and members of the sources. Links lead to files
and headings. Every target, room, test folder and script has its place in the pages. All say the same license.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "Sources/README.md", ROOT / "Tests/README.md",
         *sorted((ROOT / "docs/internals").glob("*.md"))]

#: What is in a store's directory, and not in this repository.
STORE = {"data.mdb", "data.mdb.new", "lock.mdb", "livery.lock", "livery.wake", "backups", "damaged", "hidden.mdb",
         "recovering.mdb"}
#: Folders of what is made.
MADE = ("build/", ".build")
SUFFIXES = r"(?:swift|c|h|cpp|py|sh|md|txt|json|hex|ld|map|in|toml|cmake|plist|mdb)"
FILE = re.compile(rf"[\w.*+@-]*[\w*]\.{SUFFIXES}")
FOLDER = re.compile(r"[\w.*+@-]+(?:/[\w.*+@-]+)*/?")
NAME = re.compile(r"[A-Za-z_]\w*")
MEMBER = re.compile(r"((?:[A-Z]\w*\.)+)([a-z]\w*)(?:\([\w:]*\))?")
SOURCES = ("Sources/", "include/", "bindings/", "tools/", "Tests/", "scripts/", "cmake/", "benchmarks/", "examples/",
           "Package.swift", "CMakeLists.txt")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)


def tracked():
  listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()
  return [name for name in listed if (ROOT / name).exists()]


def folders(files):
  return {parent.as_posix() for name in files for parent in pathlib.PurePosixPath(name).parents} - {"."}


class Repository:
  """The files, and what they declare."""

  def __init__(self):
    self.files = tracked()
    self.folders = folders(self.files)
    self.words, self.types = set(), {}
    for name in self.files:
      if not name.startswith(SOURCES) or "/corpus/" in name or name in ("Sources/README.md", "Tests/README.md"):
        continue
      try:
        text = (ROOT / name).read_text(encoding="utf-8")
      except (UnicodeDecodeError, IsADirectoryError):
        continue
      words = set(re.findall(r"\w+", text))
      self.words |= words
      if name.endswith((".swift", ".py")):
        members = set(re.findall(r"\b(?:func|var|let|case|def|class|struct|enum) (\w+)|^\s*self\.(\w+) =", text, re.M))
        members = {member for found in members for member in found}
        members |= {case for cases in re.findall(r"\bcase ([\w, ]+)", text) for case in cases.split(", ")}
        for declared in re.findall(r"\b(?:class|struct|enum|protocol|extension)\s+(?:\w+\.)*([A-Z]\w*)", text):
          self.types.setdefault(declared, set()).update(members)

  def has_path(self, path):
    """Whether a file or folder has this path, or one that ends with it."""
    wanted = path.rstrip("/")
    names = self.folders if path.endswith("/") else self.folders | set(self.files)
    if "*" in wanted:
      return any(fnmatch.fnmatch(name, wanted) or fnmatch.fnmatch(name, "*/" + wanted) for name in names)
    return wanted in names or any(name.endswith("/" + wanted) for name in names)

  def has_member(self, owner, member):
    return owner in self.types and member in self.types[owner]


def problem(span, repository):
  """What is wrong with a code span; nothing if it says nothing of the repository."""
  first = span.split(" ")[0]
  if first != span:
    # A command: what it runs has to be there.
    return problem(first, repository) if "/" in first else None
  if span.startswith(MADE) or span.rstrip("/").split("/")[0] in STORE:
    return None
  if FILE.fullmatch(span.rsplit("/", 1)[-1]) or ("/" in span and FOLDER.fullmatch(span)):
    return None if repository.has_path(span) else f"there is no `{span}`"
  if match := MEMBER.fullmatch(span):
    owners = match[1].rstrip(".").split(".")
    if not repository.has_member(owners[-1], match[2]):
      return f"there is no `{match[2]}` in the sources of `{owners[-1]}`"
    return next((f"there is no `{owner}`" for owner in owners if owner not in repository.words), None)
  if match := re.fullmatch(r"(\w+)(?:\([\w:]*\))?", span):
    name = match[1]
    is_sign = not NAME.fullmatch(name)
    return None if is_sign or name in repository.words else f"there is no `{name}` in the sources"
  return None


def anchors(page):
  text = FENCE.sub("", page.read_text(encoding="utf-8"))
  return {re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)}


def main():
  repository = Repository()
  passed = failed = 0

  def check(is_right, what):
    nonlocal passed, failed
    passed, failed = passed + is_right, failed + (not is_right)
    if not is_right:
      print(f"not ok - {what}")

  for page in PAGES:
    shown = page.relative_to(ROOT)
    whole = page.read_text(encoding="utf-8")
    # Blocks may show what is not there yet; the lines stay, so that places can be told.
    text = FENCE.sub(lambda block: "\n" * block[0].count("\n"), whole)
    for match in re.finditer(r"`([^`\n]+)`", text):
      line = text.count("\n", 0, match.start()) + 1
      wrong = problem(match[1], repository)
      check(wrong is None, f"{shown}:{line}: {wrong}")
    for match in re.finditer(r"\]\(([^)\s]+)\)", text):
      line = text.count("\n", 0, match.start()) + 1
      if re.match(r"\w+:", match[1]):
        continue
      place, _, anchor = match[1].partition("#")
      target = (page.parent / place).resolve() if place else page
      check(target.exists(), f"{shown}:{line}: the link {match[1]} leads nowhere")
      if anchor and target.suffix == ".md" and target.exists():
        check(anchor in anchors(target), f"{shown}:{line}: {place or shown} has no heading #{anchor}")

  def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")

  rooms, tests, contributing = text_of("docs/internals/README.md"), text_of("Tests/README.md"), text_of("CONTRIBUTING.md")
  for name in sorted(repository.folders):
    parts = name.split("/")
    if parts[0] == "Sources" and len(parts) == 2:
      check(f"`{parts[1]}/`" in text_of("Sources/README.md"), f"Sources/README.md does not name {name}")
      check(f"`{parts[1]}`" in rooms, f"docs/internals/README.md does not name {name}")
    if parts[0] == "Sources" and len(parts) == 3 and parts[1].startswith("Livery"):
      check(f"`{parts[2]}/`" in rooms, f"docs/internals/README.md does not name {name}")
    if parts[0] == "Tests" and len(parts) == 2:
      check(f"`{parts[1]}/`" in tests, f"Tests/README.md does not name {name}")
  for name in sorted(file for file in repository.files if re.fullmatch(r"scripts/[\w-]+", file)):
    if name != "scripts/common":
      check(f"`{name}" in contributing, f"CONTRIBUTING.md does not name {name}")
      check(f"`{name}`" in text_of("README.md"), f"README.md does not name {name}")
  for page in sorted((ROOT / "docs/internals").glob("*.md")):
    if page.name != "README.md":
      check(f"({page.name})" in rooms, f"docs/internals/README.md does not lead to {page.name}")

  check(text_of("LICENSE").startswith("MIT License\n"), "LICENSE is not that of MIT")
  for name, said in [("README.md", "[MIT](LICENSE)"), ("cmake/livery.pc.in", "\nLicense: MIT\n"),
                     ("cmake/Install.cmake", "install(FILES LICENSE "),
                     ("bindings/python/pyproject.toml", "License :: OSI Approved :: MIT License")]:
    check(said in text_of(name), f"{name} does not say the license")
  carried = ROOT / "bindings/python/LICENSE"
  check(carried.exists() and carried.read_bytes() == (ROOT / "LICENSE").read_bytes(),
        "bindings/python/LICENSE is another one")

  print(f"{passed} passed, {failed} failed")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
