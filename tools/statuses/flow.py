"""What every function can come to: what arises in itself, and in all that it calls."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Dict, Iterable, List, Optional, Set, Tuple

from .codes import Codes
from .functions import Function, Outcome, Use
from .known import Known
from .source import Claim, Sieve, Source

#: In the symbols of `StoreError.Code.busy` and the like.
CODE = "10StoreErrorV4CodeV"


@dataclass(eq=False)
class Call:
  use: Use
  #: What is done with the errors that come of it; None if they are dropped.
  sieves: Optional[List[Sieve]]
  #: The lock that is held meanwhile, if one is.
  lock: Optional[str]


class Flow:
  def __init__(self, functions: Dict[str, Function], uses: List[Use], known: Known) -> None:
    self.functions, self.known = functions, known
    self.codes = Codes(functions, uses, known)
    self.calls: Dict[str, List[Call]] = defaultdict(list)
    #: Who takes a lock, and where that is held.
    self.takers: Dict[str, List[Use]] = defaultdict(list)
    #: Exceptions that were of use.
    self.needed: Set[Tuple[str, str]] = set()
    self.complaints = self.codes.complaints
    self.waiting: List[Tuple[str, Outcome]] = []
    uses = [use for use in uses if not self.codes.is_in_thread(use)]
    for use in uses:
      if use.symbol in functions and functions[use.symbol].title == known.lock:
        self.takers[self.lock(use)].append(use)
    self.held = self.find_held(uses)
    for use in uses:
      self.read(use)
    for function in functions.values():
      for symbol in function.overrides:
        if symbol in functions:
          self.calls[function.symbol].append(Call(Use(function.symbol, "", functions[symbol], function.offset), [], None))
    self.spread()

  def read(self, use: Use) -> None:
    """What a name does to the function that it is in."""
    source, called = use.source, self.functions.get(use.symbol)
    if called:
      wait = self.known.waits.get(called.title)
      if wait and not any(source.spelled(each) == "timeout:0" for each in source.arguments(source.at(use.offset))):
        self.add(use.caller, Outcome(wait, is_wait=True), use.where, None)
      is_thrown = called.throws or source.is_thrown(use.offset)
      sieves = source.sieves(use.offset, use.caller.offset) if is_thrown else []
      self.calls[use.symbol].append(Call(use, sieves, self.lock_around(use)))
    else:
      status = use.name if CODE in use.symbol else self.known.short.get(use.name)
      if status in self.known.statuses and not source.is_compared(use.offset):
        self.arise([status], use)
    self.arise(self.codes.made(use), use)

  def lock(self, use: Use) -> str:
    """The name of the lock whose `withLock` is called."""
    return f"{use.source.path.stem}.{use.source.tokens[use.source.at(use.offset) - 2]}"

  def find_held(self, uses: List[Use]) -> Dict[Source, List[Tuple[int, int, str]]]:
    """Where locks are held: in what is handed to `withLock`, and to functions that call it with a lock held."""
    found: Dict[Source, List[Tuple[int, int, str]]] = defaultdict(list)
    holders: Dict[str, str] = {}
    for name, takers in self.takers.items():
      for use in takers:
        found[use.source].append((*use.source.handed(use.offset), name))
        tokens = use.source.between(*use.source.handed(use.offset))
        if any(token in use.caller.parameters and tokens[number + 1] == "(" for number, token in enumerate(tokens[:-1])):
          holders[use.caller.symbol] = name
    for use in uses:
      if use.symbol in holders:
        found[use.source].append((*use.source.handed(use.offset), holders[use.symbol]))
    return found

  def lock_around(self, use: Use) -> Optional[str]:
    return next((name for start, end, name in self.held[use.source] if start < use.offset < end), None)

  def arise(self, names: Iterable[str], use: Use) -> None:
    """An error is made in a function, and thrown or handed on."""
    if use.caller.title in self.known.converters:
      return
    sieves = use.source.sieves(use.offset, use.caller.offset) if use.source.is_thrown(use.offset) else []
    for name in names:
      if sieves is not None and self.passes(name, sieves):
        self.add(use.caller, Outcome(name), use.where, None)

  def add(self, function: Function, outcome: Outcome, where: str, called: Optional[str]) -> None:
    if (function.title, self.label(outcome)) in self.known.never:
      self.needed.add((function.title, self.label(outcome)))
    elif outcome not in function.outcomes:
      function.outcomes[outcome] = where, called
      self.waiting.append((function.symbol, outcome))

  def spread(self) -> None:
    """Hand on what functions come to, until nothing is new."""
    while self.waiting:
      symbol, outcome = self.waiting.pop(0)
      called = self.functions[symbol]
      if (called.title, self.label(outcome)) in self.known.told:
        self.needed.add((called.title, self.label(outcome)))
        outcome = replace(outcome, is_told=True)
      for call in self.calls[symbol]:
        if outcome.is_wait:
          self.add(call.use.caller, outcome, call.use.where, symbol)
          self.keep_waiting(call, outcome, symbol)
        elif call.sieves is not None and self.passes(outcome.name, call.sieves) and self.is_asked(called, call):
          self.add(call.use.caller, outcome, call.use.where, symbol)

  def keep_waiting(self, call: Call, outcome: Outcome, symbol: str) -> None:
    """Who waits with a lock held has all others wait who want it."""
    if not call.lock:
      return
    if not outcome.is_told:
      if call.lock not in self.known.locks:
        self.complaints.add(f"{call.use.where}: {call.lock} is held while {outcome.name} are waited for: tell it in known.py")
        return
      outcome = Outcome(self.known.locks[call.lock], is_wait=True)
    for taker in self.takers[call.lock]:
      self.add(taker.caller, outcome, taker.where, symbol)

  def is_asked(self, called: Function, call: Call) -> bool:
    """Whether the statuses in a function's answer are anything to a caller."""
    return call.use.caller.title in self.known.asked.get(called.title, [call.use.caller.title])

  def passes(self, name: str, sieves: List[Sieve]) -> bool:
    return all(any(all(self.holds(name, claim) for claim in claims) for claims in sieve) for sieve in sieves)

  def holds(self, name: str, claim: Claim) -> bool:
    """Whether something may be what a condition says of it."""
    is_one, names = claim
    if all(each in self.known.statuses for each in names):
      return (self.known.status(name) in names) == is_one
    # Whatever errno an error has that was not made of one.
    return name in self.known.statuses or (name in names) == is_one

  def label(self, outcome: Outcome) -> str:
    """A status without LIVERY_ERROR_, or what is waited for."""
    return outcome.name if outcome.is_wait else self.known.label(outcome.name)

  def why(self, function: Function, outcome: Outcome) -> str:
    """The way from a function to where something arises."""
    steps = []
    while True:
      where, symbol = function.outcomes[outcome]
      steps.append(where)
      if symbol is None:
        return f"{' > '.join(steps)} ({outcome.name})"
      function = self.functions[symbol]
      if outcome not in function.outcomes:
        # It becomes told, or a lock's, on the way.
        outcome = next(each for each in function.outcomes
                       if each.is_wait == outcome.is_wait and (each.is_wait or each.name == outcome.name))
