"""Compares what functions can come to with what their comments in the headers say."""
from __future__ import annotations

import re
from typing import Dict, Iterable, Iterator

from api import Interface
from api.model import Function as Declared

from . import known
from .flow import Flow
from .functions import Function, Outcome

EXPORTED = re.compile(r'@_cdecl\("(\w+)"\)')


def exported(functions: Iterable[Function]) -> Dict[str, Function]:
  """The functions that C sees, by their names there."""
  names = {name for source in {each.source for each in functions} for name in EXPORTED.findall(source.original)}
  found = {each.title.split(".")[-1].split("(")[0]: each for each in functions}
  return {name: found[name] for name in names if name in found}


def findings(interface: Interface, flow: Flow, essay: str) -> Iterator[str]:
  """All that is not as the headers say; `essay` is the text that is said once for all functions."""
  yield from sorted(flow.complaints)
  implemented = exported(flow.functions.values())
  for declared in interface.functions:
    if declared.name not in implemented:
      yield f"{declared.name} is implemented nowhere"
    else:
      yield from differences(declared, implemented[declared.name], flow)
  text = " ".join(essay.replace("\n *", " ").split())
  for words in {words for _, words in known.TOLD.values()}:
    if words not in text:
      yield f"livery.h does not tell for all functions, as known.py has it: {words}"
  for title in flow.known.named - {each.title for each in flow.functions.values()}:
    yield f"there is no {title}, which known.py tells of"
  for title, name in {**flow.known.told, **flow.known.never}.keys() - flow.needed:
    yield f"{title} does not come to {name}: take the exception out of known.py"


def differences(declared: Declared, function: Function, flow: Flow) -> Iterator[str]:
  """What one function's comment lacks, and what it says too much."""
  can = by_label(function, flow, is_wait=False)
  own = {name for name, outcome in can.items() if not outcome.is_told}
  if declared.statuses:
    listed = {name.removeprefix("LIVERY_ERROR_") for name in declared.statuses} - {"LIVERY_OK"}
    for name in sorted(own - listed - flow.known.common):
      yield f"{declared.name} lacks {name}: {flow.why(function, can[name])}"
    for name in sorted({each.removeprefix("LIVERY_ERROR_") for each in declared.listed} & flow.known.not_listed):
      yield f"{declared.name} lists {name}, which livery.h tells of for all functions"
    for name in sorted(listed - can.keys() - flow.known.common):
      yield f"{declared.name} lists {name}, which it never returns"
  waits = by_label(function, flow, is_wait=True)
  for name, pattern in known.SAID.items():
    is_said = re.search(pattern, declared.threads, re.IGNORECASE) is not None
    if not is_said and name in waits and not waits[name].is_told:
      yield f"{declared.name} does not say that it waits for {name}: {flow.why(function, waits[name])}"
    elif is_said and name not in waits:
      yield f"{declared.name} says that it waits for {name}, and does not"


def by_label(function: Function, flow: Flow, is_wait: bool) -> Dict[str, Outcome]:
  """What a function comes to, for each status or wait; what livery.h does not tell of comes before what it does."""
  found: Dict[str, Outcome] = {}
  for outcome in function.outcomes:
    if outcome.is_wait == is_wait and (flow.label(outcome) not in found or not outcome.is_told):
      found[flow.label(outcome)] = outcome
  return found
