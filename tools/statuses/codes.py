"""Which codes of the system and of LMDB can be behind an error that is made of a code."""
from __future__ import annotations

import re
from collections import defaultdict
from typing import Dict, List, Optional, Set, Tuple

from .functions import Function, Use
from .known import Known
from .source import Source

C_FUNCTION = "c:@F@"
#: A part of the sources, as numbers of tokens.
Range = Tuple[int, int]


class Codes:
  def __init__(self, functions: Dict[str, Function], uses: List[Use], known: Known) -> None:
    self.functions, self.known = functions, known
    #: What is used at each place of a file, and the functions of C that are called there, in order.
    self.used: Dict[Source, Dict[int, Set[str]]] = defaultdict(lambda: defaultdict(set))
    self.system: Dict[Source, List[Tuple[int, str]]] = defaultdict(list)
    for use in uses:
      self.used[use.source][use.offset].add(use.symbol)
      if use.symbol.startswith(C_FUNCTION):
        self.system[use.source].append((use.offset, use.symbol[len(C_FUNCTION):]))
    for calls in self.system.values():
      calls.sort()
    #: Functions that make an error of a code, and which of their arguments that is.
    self.makers = {symbol: 0 for symbol, function in functions.items() if function.title in known.makers}
    self.complaints: Set[str] = set()
    self.find_makers(uses)

  def is_in_thread(self, use: Use) -> bool:
    """Whether something stands in what a thread of its own does."""
    return any(name in self.known.threads and offset < use.offset < use.source.handed(offset)[1]
               for offset, name in self.system[use.source])

  def find_makers(self, uses: List[Use]) -> None:
    """Functions that hand a parameter to one that makes an error of it are such functions, too."""
    before = -1
    while before != len(self.makers):
      before = len(self.makers)
      for use in uses:
        if use.symbol in self.makers and use.caller and use.caller.symbol not in self.makers:
          code = use.source.spelled(self.argument(use))
          if code in use.caller.parameters:
            self.makers[use.caller.symbol] = use.caller.parameters.index(code)

  def argument(self, use: Use) -> Range:
    """What a maker is handed as the code."""
    arguments = use.source.arguments(use.source.at(use.offset))
    place = self.makers[use.symbol]
    return use.source.unlabelled(arguments[place]) if place < len(arguments) else (0, 0)

  def made(self, use: Use) -> Set[str]:
    """The codes of the error that is made where a maker is called."""
    caller = use.caller
    if use.symbol not in self.makers or caller.title in self.known.converters:
      return set()
    code = self.argument(use)
    name = use.source.spelled(code)
    if caller.symbol in self.makers and name in caller.parameters:
      return set()
    found = self.known.codes.get(caller.title)
    if found is None:
      found = self.subject(caller, code, use.offset)
    if found is None:
      self.complaints.add(f"{use.where}: which codes `{name}` can be is not known: tell it in known.py")
    return found or set()

  def subject(self, caller: Function, code: Range, offset: int) -> Optional[Set[str]]:
    """The codes that an expression can be at a place, as far as the conditions around it allow them."""
    source, found = caller.source, self.codes(caller, code)
    if found is None:
      return None
    name = source.spelled(code)
    given = [source.starts[first] for first, _ in self.assignments(caller, name, offset)]
    for is_one, names in source.claims(offset, name, max(given, default=caller.offset)):
      found = {each for each in found if (each in names) == is_one}
    return found

  def codes(self, caller: Function, part: Range, seen: Tuple[str, ...] = ()) -> Optional[Set[str]]:
    """The codes that an expression can be; None if nothing tells."""
    source, found, depth = caller.source, [], 0
    for number in range(*part):
      token, offset = source.tokens[number], source.starts[number]
      depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
      used = self.used[source].get(offset, set())
      if token == "lvs_errno":
        found.append(self.errno(caller, offset))
      elif token in self.known.all_codes:
        found += [] if source.is_compared(offset) else [{token}]
      elif any(symbol.startswith(C_FUNCTION) for symbol in used):
        found.append(self.known.fails.get(token))
      elif any(symbol in self.functions for symbol in used):
        found += [self.returned(symbol, seen) for symbol in used]
      elif depth == 0 and token not in seen and re.match("[a-z]", token) and source.tokens[number - 1] != ".":
        for given in self.assignments(caller, token, offset):
          is_errno = source.spelled(given) == "lvs_errno()"
          found.append(self.subject(caller, given, source.starts[given[0]]) if is_errno
                       else self.codes(caller, given, seen + (token,)))
    known = [each for each in found if each is not None]
    return set().union(*known) if known else None

  def returned(self, symbol: str, seen: Tuple[str, ...]) -> Optional[Set[str]]:
    """The codes that a function returns, if it returns one."""
    function = self.functions.get(symbol)
    if function is None or symbol in seen:
      return None
    if function.title in self.known.codes:
      return self.known.codes[function.title]
    return self.codes(function, function.body, seen + (symbol,)) if function.result == "Int32" else None

  def assignments(self, caller: Function, name: str, before: int) -> List[Range]:
    """What a name is given in a function, up to a place."""
    source, found = caller.source, []
    for number in range(source.at(caller.offset), source.at(before)):
      if source.tokens[number] == name and source.tokens[number - 1] != ".":
        value = number + 3 if source.tokens[number + 1] == ":" else number + 1
        if source.tokens[value] == "=":
          found.append((value + 1, source.end_of_expression(value + 1)))
    return found

  def errno(self, caller: Function, offset: int) -> Optional[Set[str]]:
    """What can be in errno at a place: of the call of the system that comes last before it."""
    source = caller.source
    calls = [each for each in self.system[source]
             if caller.offset < each[0] < caller.end and each[1] not in self.known.harmless]
    for block in source.around(offset):
      here = [each for each in calls if each[0] < offset and source.around(each[0])[0] is block]
      if here:
        last = here[-1][0]
        return self.failures(source, [each for each in here if source.is_beside(each[0], last, block)])
      here = [each for each in calls if block.condition[0] <= each[0] < block.condition[1]]
      if here:
        return self.failures(source, here)
    return self.failures(source, [each for each in calls if each[0] < offset][-1:])

  def failures(self, source: Source, calls: List[Tuple[int, str]]) -> Optional[Set[str]]:
    found = None
    for offset, name in calls:
      if name not in self.known.fails:
        self.complaints.add(f"{source.where(offset)}: what {name} fails with is not known: tell it in known.py")
      found = (found or set()) | self.known.fails.get(name, set())
    return found
