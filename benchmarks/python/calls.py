#!/usr/bin/env python3
"""What the Python package adds to a call: reads by name beside bare calls by way of ctypes with the same arguments.

    LIVERY_LIBRARY=build/liblivery.so PYTHONPATH=bindings/python benchmarks/python/calls.py [--seconds N]

They take turns. Bare calls have declared functions, names encoded and places for results made before, and do not look at the result: no
program that reads pays less. `get_…` are compared with the call that reads as the type, `store[name]` with the one that
reads a value of any type.
"""
import argparse
import ctypes
import statistics
import sys
import tempfile
import time
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_void_p
from typing import Callable, Dict, List, NamedTuple

import driver
import livery

#: Types of values that are read, with what ctypes has for them.
KINDS = {driver.BOOL: "bool", driver.INT: "int", driver.DOUBLE: "double", driver.STRING: "string"}
RESULTS = {"bool": c_bool, "int": c_int64, "double": c_double, "string": c_char_p}
CAPACITY = 256


class Reading(ctypes.Structure):
  _fields_ = [("type", c_int32), ("as_bool", c_bool), ("as_int", c_int64), ("as_double", c_double),
              ("as_color", c_float * 4), ("length", c_size_t)]


class Bare:
  """A store as a program has it that loads the library itself."""

  def __init__(self, path: str) -> None:
    self._library = ctypes.CDLL(livery.library_path)
    store = c_void_p()
    if self._declared("open", c_char_p, c_void_p, POINTER(c_void_p))(path.encode(), None, byref(store)):
      raise OSError(f"{path} cannot be opened")
    self._store = store.value

  def _declared(self, name: str, *parameters):
    function = self._library["livery_" + name]
    function.restype, function.argtypes = c_int32, parameters
    return function

  def close(self) -> None:
    self._declared("close", c_void_p)(self._store)

  def one_call(self, kind: str) -> Callable[[List[bytes]], None]:
    """A call for each name, which reads as that type."""
    store, result, length = self._store, RESULTS[kind](), c_size_t()
    if kind == "string":
      read = self._declared("get_string", c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_size_t))
      buffer, length_out = ctypes.create_string_buffer(CAPACITY), byref(length)

      def strings(names: List[bytes]) -> None:
        for name in names:
          read(store, name, buffer, CAPACITY, length_out)

      return strings
    read, result_out = self._declared("get_" + kind, c_void_p, c_char_p, POINTER(RESULTS[kind])), byref(result)

    def numbers(names: List[bytes]) -> None:
      for name in names:
        read(store, name, result_out)

    return numbers

  def any_call(self) -> Callable[[List[bytes]], None]:
    """A call for each name, which reads a value of any type."""
    store, reading, buffer = self._store, Reading(), ctypes.create_string_buffer(CAPACITY)
    read = self._declared("read", c_void_p, c_char_p, c_void_p, c_size_t, POINTER(Reading))
    reading_out = byref(reading)

    def run(names: List[bytes]) -> None:
      for name in names:
        read(store, name, buffer, CAPACITY, reading_out)

    return run


class Ratio(NamedTuple):
  """Nanoseconds of a read and of what it is compared with, and how many times that it takes."""

  read: float
  bare: float
  times: float


def compared(package: Callable[[List[str]], None], names: List[str], bare: Callable[[List[bytes]], None],
             least: int) -> Ratio:
  """Medians of rounds that take turns for so many nanoseconds."""
  raw = [name.encode() for name in names]
  reads: List[float] = []
  bares: List[float] = []
  package(names)
  bare(raw)
  end = time.perf_counter_ns() + least
  while not reads or time.perf_counter_ns() < end:
    for times, run, given in ((reads, package, names), (bares, bare, raw)):
      begin = time.perf_counter_ns()
      run(given)
      times.append((time.perf_counter_ns() - begin) / len(names))
  return Ratio(statistics.median(reads), statistics.median(bares),
               statistics.median(one / other for one, other in zip(reads, bares)))


def typed(read: Callable[[str], object]) -> Callable[[List[str]], None]:
  def run(names: List[str]) -> None:
    for name in names:
      read(name)

  return run


def of_any_type(store: livery.Store) -> Callable[[List[str]], None]:
  def run(names: List[str]) -> None:
    for name in names:
      store[name]

  return run


def ratios(store: livery.Store, path: str, count: int, least: int, *, is_typed: bool) -> Dict[str, Ratio]:
  """Of reads as a type or of store[name], beside their calls, by the type of the value."""
  bare, found = Bare(path), {}
  try:
    for offset, kind in KINDS.items():
      names = [driver.setting_name(index) for index in range(offset, min(count, 1000), driver.TYPES)]
      if is_typed:
        found[kind] = compared(typed(getattr(store, "get_" + kind)), names, bare.one_call(kind), least)
      else:
        found[kind] = compared(of_any_type(store), names, bare.any_call(), least)
  finally:
    bare.close()
  return found


def worst(store: livery.Store, path: str, count: int, least: int, *, is_typed: bool) -> float:
  """How many times what it is compared with a read takes, of the type with which it takes most."""
  return max(one.times for one in ratios(store, path, count, least, is_typed=is_typed).values())


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--seconds", type=float, default=1, help="for each type and kind of read")
  least, count = int(parser.parse_args().seconds * 1e9), 6000
  with tempfile.TemporaryDirectory() as folder:
    path = folder + "/store"
    with livery.open(path, create=True) as store, store.change() as change:
      for index in range(count):
        if index % driver.TYPES in KINDS:
          change[driver.setting_name(index)] = driver.value_of(index)
    print(f"Python {sys.version.split()[0]}: ns of a read, of what it is compared with, and how many times that")
    # Of the first names that are read as a type the store keeps keys.
    late = range(1000, count)
    for title, before, is_typed in (("get_…", range(0), True), ("the same past 2,048 names", late, True),
                                    ("store[name]", range(0), False)):
      with livery.open(path) as store:
        for index in before:
          if index % driver.TYPES in KINDS:
            getattr(store, "get_" + KINDS[index % driver.TYPES])(driver.setting_name(index))
        for kind, ratio in ratios(store, path, count, least, is_typed=is_typed).items():
          print(f"  {title:28} {kind:8} {ratio.read:6.0f} {ratio.bare:6.0f} {ratio.times:6.2f}")


if __name__ == "__main__":
  main()
