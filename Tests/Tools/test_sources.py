"""Rules that neither the compiler nor the formatter knows."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPE = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))? |public |package |private |fileprivate |open |final |indirect )*(class|struct|enum|extension|actor|protocol) \w")
INIT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))? |public |package |private |fileprivate |override |required )*init[?!]?[(<]")


def throwing_initialisers(text):
  """The lines of initialisers that a class itself has, do not delegate, and throw."""
  lines = [re.sub(r'"(?:\\.|[^"\\])*"|//.*', "", line) for line in text.splitlines()]
  kinds, depth, found = [], 0, []
  for number, line in enumerate(lines):
    if kinds and kinds[-1] == ("class", depth) and INIT.match(line):
      rest = "\n".join(lines[number:number + 20])
      place, level = rest.index("("), 0
      for place in range(place, len(rest)):
        level += {"(": 1, ")": -1}.get(rest[place], 0)
        if level == 0:
          break
      if re.match(r"\)\s*(?:async\s+)?throws\b", rest[place:]):
        found.append(number + 1)
    declared = TYPE.match(line)
    if declared and "class func" not in line and "class var" not in line:
      kinds.append((declared[1], depth + 1))
    depth += line.count("{") - line.count("}")
    while kinds and kinds[-1][1] > depth and "{" not in line and "}" in line:
      kinds.pop()
  return found


def test_what_is_looked_for_is_found():
  text = "final class A {\n  init(_ a: () throws -> Void) {\n  }\n  init(\n    b: Int\n  ) throws(E) {\n  }\n  convenience init() throws {\n  }\n}\n"
  assert throwing_initialisers(text) == [4]
  assert throwing_initialisers(text.replace("class", "struct")) == []


def test_no_object_is_left_behind_by_an_initialiser_that_throws():
  """In Embedded Swift one that throws leaks its object: what can fail comes before, in one that delegates."""
  found = [f"{path.relative_to(ROOT)}:{line}" for path in sorted((ROOT / "Sources").rglob("*.swift"))
           for line in throwing_initialisers(path.read_text())]
  assert found == []
