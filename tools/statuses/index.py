"""The index that the compiler wrote beside a debug build: which function calls which, where."""
from __future__ import annotations

import ctypes
import pathlib
import shutil
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Tuple

#: Roles of an occurrence, and of what it is related to, as libIndexStore numbers them.
DEFINITION, REFERENCE = 1 << 1, 1 << 2
OVERRIDES, CALLED_BY, CONTAINED_BY = 1 << 11, 1 << 13, 1 << 16
RECORD = 2


class NoIndex(Exception):
  """There is no index, or it is of other sources."""


@dataclass(frozen=True)
class Occurrence:
  """A name in the sources: where something is declared, or used."""

  file: pathlib.Path
  #: Counted from 1; the column in bytes.
  line: int
  column: int
  #: What tells a symbol from all others.
  symbol: str
  name: str
  is_definition: bool
  #: The function around it, if it is used in one.
  inside: Optional[str]
  #: What it takes the place of in a subclass, or fulfils of a protocol.
  overrides: Tuple[str, ...]


class Text(ctypes.Structure):
  _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]

  def __str__(self) -> str:
    return ctypes.string_at(self.start, self.length).decode() if self.length else ""


EACH_UNIT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, Text)
EACH = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
POINTER, NUMBER, FLAGS = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64
#: What is called of the library: its result, then its parameters.
FUNCTIONS = {
  "store_create": (POINTER, ctypes.c_char_p, POINTER),
  "store_units_apply_f": (ctypes.c_bool, POINTER, ctypes.c_uint, POINTER, EACH_UNIT),
  "store_get_unit_modification_time": (NUMBER, POINTER, ctypes.c_char_p, POINTER, POINTER),
  "unit_reader_create": (POINTER, POINTER, ctypes.c_char_p, POINTER),
  "unit_reader_dispose": (None, POINTER),
  "unit_reader_get_main_file": (Text, POINTER),
  "unit_reader_dependencies_apply_f": (ctypes.c_bool, POINTER, POINTER, EACH),
  "unit_dependency_get_kind": (NUMBER, POINTER),
  "unit_dependency_get_name": (Text, POINTER),
  "unit_dependency_get_filepath": (Text, POINTER),
  "record_reader_create": (POINTER, POINTER, ctypes.c_char_p, POINTER),
  "record_reader_dispose": (None, POINTER),
  "record_reader_occurrences_apply_f": (ctypes.c_bool, POINTER, POINTER, EACH),
  "occurrence_get_symbol": (POINTER, POINTER),
  "occurrence_get_roles": (FLAGS, POINTER),
  "occurrence_get_line_col": (None, POINTER, POINTER, POINTER),
  "occurrence_relations_apply_f": (ctypes.c_bool, POINTER, POINTER, EACH),
  "symbol_relation_get_roles": (FLAGS, POINTER),
  "symbol_relation_get_symbol": (POINTER, POINTER),
  "symbol_get_name": (Text, POINTER),
  "symbol_get_usr": (Text, POINTER),
}


def library() -> pathlib.Path:
  """libIndexStore, which every Swift toolchain has."""
  compiler = shutil.which("swiftc")
  found = pathlib.Path(compiler).resolve().parents[1] / "lib" / "libIndexStore.so" if compiler else None
  if not found or not found.is_file():
    raise NoIndex("there is no swiftc with a libIndexStore.so beside it")
  return found


class Index:
  """An index store, as the compiler fills it with `-index-store-path`."""

  def __init__(self, folder: pathlib.Path) -> None:
    if not folder.is_dir():
      raise NoIndex(f"{folder} is not there: run swift build --disable-build-manifest-caching")
    loaded = ctypes.CDLL(str(library()))
    for name, (result, *parameters) in FUNCTIONS.items():
      function = getattr(loaded, "indexstore_" + name)
      function.restype, function.argtypes = result, parameters
      setattr(self, name, function)
    self.store = self.store_create(str(folder).encode(), None)
    if not self.store:
      raise NoIndex(f"{folder} is no index store")

  def occurrences(self, sources: List[pathlib.Path]) -> Iterator[Occurrence]:
    """What is in some files; those have to be as old as their index."""
    units = self.units()
    for source in sources:
      written, record = units.get(source.resolve(), (0, ""))
      if written < source.stat().st_mtime_ns:
        raise NoIndex(f"{source} is newer than its index: run swift build --disable-build-manifest-caching")
      if record:
        yield from self.record(source, record)

  def units(self) -> Dict[pathlib.Path, Tuple[int, str]]:
    """For each file when its index was written, in nanoseconds, and the record that holds it; the latest."""
    found: Dict[pathlib.Path, Tuple[int, str]] = {}
    for name in self.collect(EACH_UNIT, lambda take: self.store_units_apply_f(self.store, 0, None, take)):
      unit = self.unit_reader_create(self.store, str(name).encode(), None)
      file = pathlib.Path(str(self.unit_reader_get_main_file(unit)))
      seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
      self.store_get_unit_modification_time(self.store, str(name).encode(), ctypes.byref(seconds),
                                            ctypes.byref(nanoseconds))
      written = seconds.value * 10**9 + nanoseconds.value
      for kind, record, path in self.dependencies(unit):
        if kind == RECORD and path == str(file) and written > found.get(file, (0, ""))[0]:
          found[file] = written, record
      self.unit_reader_dispose(unit)
    return found

  def dependencies(self, unit: int) -> List[Tuple[int, str, str]]:
    return self.collect(EACH, lambda take: self.unit_reader_dependencies_apply_f(unit, None, take), lambda each: (
      self.unit_dependency_get_kind(each), str(self.unit_dependency_get_name(each)),
      str(self.unit_dependency_get_filepath(each))))

  def record(self, source: pathlib.Path, name: str) -> List[Occurrence]:
    reader = self.record_reader_create(self.store, name.encode(), None)
    found = self.collect(EACH, lambda take: self.record_reader_occurrences_apply_f(reader, None, take),
                         lambda each: self.occurrence(source, each))
    self.record_reader_dispose(reader)
    return found

  def occurrence(self, source: pathlib.Path, each: int) -> Occurrence:
    line, column = ctypes.c_uint(), ctypes.c_uint()
    self.occurrence_get_line_col(each, ctypes.byref(line), ctypes.byref(column))
    symbol = self.occurrence_get_symbol(each)
    related = self.collect(
      EACH, lambda take: self.occurrence_relations_apply_f(each, None, take),
      lambda relation: (self.symbol_relation_get_roles(relation),
                        str(self.symbol_get_usr(self.symbol_relation_get_symbol(relation)))))
    inside = [other for roles, other in related if roles & (CALLED_BY | CONTAINED_BY)]
    return Occurrence(
      source, line.value, column.value, str(self.symbol_get_usr(symbol)), str(self.symbol_get_name(symbol)),
      bool(self.occurrence_get_roles(each) & DEFINITION), inside[0] if inside else None,
      tuple(other for roles, other in related if roles & OVERRIDES))

  @staticmethod
  def collect(kind, walk, take=str):
    """What a function of the library hands to a callback, one after the other."""
    found: list = []

    def each(_, item):
      found.append(take(item))
      return True
    walk(kind(each))
    return found
