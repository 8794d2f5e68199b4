"""What a constant comes to."""
from __future__ import annotations

import operator
from typing import List, Mapping, Optional

from .tokens import Token

OPERATORS = {"|": operator.or_, "&": operator.and_, "<<": operator.lshift, ">>": operator.rshift, "+": operator.add,
             "-": operator.sub, "*": operator.mul}
#: What binds least comes first.
LEVELS = (("|",), ("&",), ("<<", ">>"), ("+", "-"), ("*",))


def evaluate(tokens: List[Token], names: Mapping[str, int]) -> Optional[int]:
  """The whole number that the tokens spell; None if they spell none."""
  rest = list(tokens)
  try:
    value = operation(rest, 0, names)
  except (IndexError, KeyError, OverflowError, ValueError):
    return None
  return None if rest else value


def operation(rest: List[Token], level: int, names: Mapping[str, int]) -> int:
  if level == len(LEVELS):
    return operand(rest, names)
  value = operation(rest, level + 1, names)
  while rest and rest[0].text in LEVELS[level]:
    apply = OPERATORS[rest.pop(0).text]
    value = apply(value, operation(rest, level + 1, names))
  return value


def operand(rest: List[Token], names: Mapping[str, int]) -> int:
  token = rest.pop(0)
  if token.kind == "number":
    return int(token.text.rstrip("uUlL"), 0)
  if token.kind == "word":
    return names[token.text]
  if token.text in ("-", "~"):
    value = operand(rest, names)
    return -value if token.text == "-" else ~value
  if token.text != "(":
    raise ValueError(token.text)
  value = operation(rest, 0, names)
  if rest.pop(0).text != ")":
    raise ValueError("no parenthesis closes it")
  return value
