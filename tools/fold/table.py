"""What each character folds to, packed into tables of C."""
from __future__ import annotations

import unicodedata
from typing import Dict, List, NamedTuple, Tuple

# The tables are made anew, and Tests/Python/test_search.py with them, when this rises.
VERSION = "14.0.0"

# Hangul syllables are taken apart by a rule.
HANGUL = range(0xAC00, 0xAC00 + 11172)
SURROGATES = range(0xD800, 0xE000)
LONGEST_RUN = 255

HEADER = f"""// What characters fold to, by Unicode {VERSION}. Written by tools/fold.

"""

INTRODUCTION = """// Characters in a row that fold alike: in the order of their numbers, and no two runs meet.
typedef struct {
  // The first, without its plane of Unicode.
  uint16_t first;
  // What the first folds to, without its plane; or where in fold_expansions it is.
  uint16_t target;
  uint8_t count;
  // FOLD_…, and in the upper bits the plane of the target, or how many bytes there are in fold_expansions.
  uint8_t form;
} fold_run;

enum {
  // To neighbors of the target, all to the target itself, every second one to a neighbor.
  FOLD_EACH, FOLD_ALIKE, FOLD_EVERY_SECOND,
  // To nothing; to several characters.
  FOLD_AWAY, FOLD_EXPAND,
  FOLD_FORMS = 7, FOLD_SHIFT = 3
};

"""


class Run(NamedTuple):
  first: int
  target: int
  count: int
  form: int


EACH, ALIKE, EVERY_SECOND, AWAY, EXPAND = range(5)
FORMS, SHIFT = 7, 3
# How far apart those of a run are, and how far what they fold to is.
STEPS = {EACH: (1, 1), ALIKE: (1, 0), EVERY_SECOND: (2, 2)}


def known_version() -> str:
  return unicodedata.unidata_version


def folded(character: str) -> str:
  """What a character folds to."""
  decomposed = unicodedata.normalize("NFD", character.casefold())
  return "".join(each for each in decomposed if unicodedata.category(each) != "Mn")


def mappings() -> Dict[int, str]:
  found: Dict[int, str] = {}
  for number in range(0x110000):
    if number in HANGUL or number in SURROGATES:
      continue
    target = folded(chr(number))
    if target != chr(number):
      found[number] = target
  return found


def length(found: Dict[int, str], first: int, form: int) -> int:
  """How many characters from one on fold in a form."""
  stride, advance = STEPS[form]
  count = 1
  while count < LONGEST_RUN:
    number, wanted = first + count * stride, ord(found[first]) + count * advance
    if number >> 16 != first >> 16 or wanted >> 16 != ord(found[first]) >> 16 or found.get(number) != chr(wanted):
      break
    if stride == 2 and number - 1 in found:
      break
    count += 1
  return count


def away(found: Dict[int, str], first: int) -> int:
  """How many characters from one on fold to nothing."""
  count = 1
  while count < LONGEST_RUN and (first + count) >> 16 == first >> 16 and found.get(first + count) == "":
    count += 1
  return count


def packed() -> Tuple[List[Run], bytes]:
  """All runs, and the bytes of what single characters become."""
  found = mappings()
  runs: List[Run] = []
  expansions = bytearray()
  end = 0
  for number in sorted(found):
    if number < end:
      continue
    target = found[number]
    if len(target) > 1:
      coded = target.encode()
      if coded not in expansions:
        expansions += coded
      runs.append(Run(number, expansions.find(coded), 1, EXPAND | len(coded) << SHIFT))
    elif not target:
      runs.append(Run(number, 0, away(found, number), AWAY))
    else:
      form = max(STEPS, key=lambda form: length(found, number, form))
      runs.append(Run(number, ord(target) & 0xFFFF, length(found, number, form), form | ord(target) >> 16 << SHIFT))
    last = runs[-1]
    end = number + (last.count - 1) * STEPS.get(last.form & FORMS, (1, 0))[0] + 1
  return runs, bytes(expansions)


def rows(items: List[str], width: int = 118) -> str:
  """Items of a table, in lines."""
  lines: List[str] = []
  line = " "
  for item in items:
    if len(line) + len(item) + 2 > width:
      lines.append(line)
      line = " "
    line += f" {item},"
  return "\n".join(lines + [line]) + "\n"


def text() -> str:
  """The tables, as a header of C."""
  runs, expansions = packed()
  planes: List[str] = []
  for plane in range(17):
    start = sum(1 for run in runs if run.first >> 16 < plane)
    planes.append(str(start))
  planes.append(str(len(runs)))
  entries = [f"{{{run.first & 0xFFFF},{run.target},{run.count},{run.form}}}" for run in runs]
  return (HEADER + INTRODUCTION
          + f"static const fold_run fold_runs[{len(runs)}] = {{\n" + rows(entries) + "};\n\n"
          + "// Where the runs of each plane begin.\n"
          + f"static const uint16_t fold_planes[{len(planes)}] = {{\n" + rows(planes) + "};\n\n"
          + "// In UTF-8.\n"
          + f"static const uint8_t fold_expansions[{len(expansions)}] = {{\n"
          + rows([str(byte) for byte in expansions]) + "};\n")
