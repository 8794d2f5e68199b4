"""Functions that the library calls for what is under way.

As with watches: it knows them by a number, and what it calls lives as long as the process. They are kept until it has let go of
the number, whatever becomes meanwhile of the store, and of whoever has begun it.
"""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, Optional, Tuple

from .calls import pointer, unraisable
from .interface import DestroyFunction

_called: Dict[int, Tuple[Callable[..., Any], ...]] = {}
_numbers = itertools.count(1)


def keep(*functions: Callable[..., Any]) -> Any:
  """Keep what may be called, until `forgotten` is called with the number: the user data for the library, to be handed on with that."""
  number = next(_numbers)
  _called[number] = functions
  return pointer(number)


def _forget(number: Optional[int]) -> None:
  _called.pop(number or 0, None)


#: For the library to call when it needs them no more.
forgotten = DestroyFunction(_forget)


def entry(kind: Any, place: int = 0, otherwise: Any = None) -> Any:
  """A function for the library that calls the one kept at that place; it has the user data as its last parameter.

  What raises goes to sys.unraisablehook, and the result is then another one.
  """
  called = _called

  def call(*arguments: Any) -> Any:
    try:
      functions = called.get(arguments[-1] or 0)
      return otherwise if functions is None else functions[place](*arguments[:-1])
    except BaseException as error:
      unraisable(error)
      return otherwise

  return kind(call)
