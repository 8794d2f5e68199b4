"""Regular expressions of ECMA-262 as POSIX extended ones, where those say the same."""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

_OUTSIDE = {"d": "[0-9]", "D": "[^0-9]", "t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "/": "/", "-": "-"}
_SAME = "wWsSbB"
_INSIDE = {"d": "0-9", "w": "A-Za-z0-9_", "s": "[:space:]", "t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_HEX = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_INTERVAL = re.compile(r"\{\d+(?:,\d*)?\}")
_CLASSES = {"[:space:]": r"\s", "[:digit:]": "0-9", "[:alpha:]": "A-Za-z", "[:alnum:]": "A-Za-z0-9", "[:upper:]": "A-Z", "[:lower:]": "a-z",
            "[:xdigit:]": "0-9A-Fa-f"}


def to_posix(pattern: str) -> Optional[str]:
  """The same expression in POSIX; None where there is none."""
  made: List[str] = []
  at = 0
  while at < len(pattern):
    one = pattern[at]
    if one == "\\":
      text, at = _escape(pattern, at + 1)
      if text is None:
        return None
      made.append(text)
    elif one == "[":
      bracket, at = _bracket(pattern, at + 1)
      if bracket is None:
        return None
      made.append(bracket)
    elif pattern.startswith("(?", at):
      if not pattern.startswith("(?:", at):
        return None
      made.append("(")
      at += 3
    elif one in "*+?" or one == "{" and _INTERVAL.match(pattern, at):
      end = _INTERVAL.match(pattern, at).end() if one == "{" else at + 1  # type: ignore[union-attr]
      # Behind a quantifier `?` makes it lazy, which POSIX lacks.
      if pattern[end:end + 1] in ("?", "+"):
        return None
      made.append(pattern[at:end])
      at = end
    elif one in "{}":
      made.append("\\" + one)
      at += 1
    else:
      made.append(one)
      at += 1
  return "".join(made)


def _escape(pattern: str, at: int) -> Tuple[Optional[str], int]:
  one = pattern[at:at + 1]
  code = _HEX.match(pattern, at)
  if code:
    found = _character(code)
    return (None if found is None else "\\" + found if found in ".[]()*+?{}|^$\\" else found), code.end()
  if one in _OUTSIDE and one:
    return _OUTSIDE[one], at + 1
  if one and (one in _SAME or one in ".[]()*+?{}|^$\\"):
    return "\\" + one, at + 1
  return None if not one or one.isalnum() else one, at + 1


def _character(code: "re.Match[str]") -> Optional[str]:
  value = int(next(one for one in code.groups() if one), 16)
  return chr(value) if 0 < value < 0x110000 and not 0xD800 <= value < 0xE000 else None


def _bracket(pattern: str, at: int) -> Tuple[Optional[str], int]:
  """A bracket expression from behind its `[`. What it holds is put in the order that POSIX needs."""
  negated = pattern[at:at + 1] == "^"
  at += negated
  items: List[str] = []
  while at < len(pattern) and pattern[at] != "]":
    low, at = _member(pattern, at)
    if low is None:
      return None, at
    if len(low) == 1 and pattern[at:at + 1] == "-" and pattern[at + 1:at + 2] not in ("]", ""):
      high, at = _member(pattern, at + 1)
      if high is None or len(high) != 1 or low in "]-^\\" or high in "]-^\\":
        return None, at
      items.append(f"{low}-{high}")
    else:
      items.append(low)
  if at >= len(pattern) or not items:
    return None, at
  first = "]" if "]" in items else ""
  last = ("^" if "^" in items else "") + ("-" if "-" in items else "")
  middle = "".join("\\\\" if one == "\\" else one for one in items if one not in ("]", "^", "-"))
  if not negated and not first and not middle and last[:1] == "^":
    return ("\\^" if last == "^" else "[-^]"), at + 1
  return f"[{'^' if negated else ''}{first}{middle}{last}]", at + 1


def _member(pattern: str, at: int) -> Tuple[Optional[str], int]:
  one = pattern[at]
  if one != "\\":
    # `[:`, `[.` and `[=` begin something else in POSIX.
    return (None if one == "[" and pattern[at + 1:at + 2] in (":", ".", "=") else one), at + 1
  one = pattern[at + 1:at + 2]
  code = _HEX.match(pattern, at + 1)
  if code:
    return _character(code), code.end()
  if one in _INSIDE and one:
    return _INSIDE[one], at + 2
  return None if not one or one.isalnum() else one, at + 2


def to_ecma(pattern: str) -> Optional[str]:
  """An expression of POSIX in ECMA-262; None where there is none."""
  made: List[str] = []
  at = 0
  while at < len(pattern):
    if pattern[at] == "[":
      end = at + 1 + (pattern[at + 1:at + 2] == "^")
      head, inside = pattern[at:end], ""
      if pattern[end:end + 1] == "]":
        inside, end = "\\]", end + 1
      while end < len(pattern) and pattern[end] != "]":
        known = next((name for name in _CLASSES if pattern.startswith(name, end)), None)
        if known:
          inside, end = inside + _CLASSES[known], end + len(known)
        elif pattern[end:end + 2] in ("[:", "[.", "[="):
          return None
        elif pattern[end:end + 2] == "\\\\":
          inside, end = inside + "\\\\", end + 2
        else:
          inside, end = inside + ("\\[" if pattern[end] == "[" else pattern[end]), end + 1
      made.append(head + inside + "]")
      at = end + 1
    elif pattern[at] == "\\":
      made.append(pattern[at:at + 2])
      at += 2
    else:
      made.append(pattern[at])
      at += 1
  return "".join(made)
