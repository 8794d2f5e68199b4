"""Where the C library is looked for."""

from __future__ import annotations

import os
from typing import List, NamedTuple


class Candidate(NamedTuple):
  """One place: for people, and for the loader. An empty path is a place that has nothing to load."""

  where: str
  path: str


def candidates() -> List[Candidate]:
  """The places in the order in which they are tried. When $LIVERY_LIBRARY is set, nothing else will do."""
  wanted = os.environ.get("LIVERY_LIBRARY", "")
  inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "liblivery.so")
  places = [
    Candidate("$LIVERY_LIBRARY" if wanted else "$LIVERY_LIBRARY (not set)", _absolute(wanted)),
    Candidate("the copy inside the package", inside),
    Candidate("the system's loader", "liblivery.so.0"),
  ]
  return places[:1] if wanted else places


def _absolute(path: str) -> str:
  """What lies beside it is looked for later, wherever the process is then; a name alone is the loader's to find."""
  return os.path.abspath(path) if os.sep in path else path


def not_found(failures: List[str]) -> str:
  """The text of the ImportError."""
  if os.environ.get("LIVERY_LIBRARY"):
    lines = ["the Livery library cannot be loaded. It is looked for in $LIVERY_LIBRARY alone, since that is set:"]
  else:
    lines = ["the Livery library cannot be loaded. It is looked for in $LIVERY_LIBRARY, then inside the package, then"]
    lines.append("by the system's loader as liblivery.so.0. What was tried:")
  return "\n".join(lines + [f"  {failure}" for failure in failures])
