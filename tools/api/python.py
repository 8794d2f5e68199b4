"""Writes the Python package's side of the interface: constants, and structs, callbacks and functions for ctypes.

How C's types are seen from Python:

    a handle                    c_void_p             an integer to Python
    const char *, const void *  c_char_p             bytes
    char *, void *              c_void_p             a buffer, or memory whose owner knows what it is
    const void *, handed over   c_void_p             bytes that the library shows to a callback, which may hold NUL
    any T **                    POINTER(c_void_p)    where a handle or memory is stored
    const char *const *         POINTER(c_char_p)    a list of texts
    a number, a struct          its own              by value, or behind a POINTER
"""
from __future__ import annotations

import re
from typing import Dict, List

from .model import Interface, Type

WIDTH = 120
MADE = "Made by tools/api from include/livery: change the headers, then run `python3 tools/api python`."


def files(interface: Interface) -> Dict[str, str]:
  """The files, under their names in the package."""
  return {"_constants.py": constants(interface), "_native/interface.py": native(interface)}


def constants(interface: Interface) -> str:
  lines = [f'"""The constants of the C interface.\n\n{MADE}\n"""']
  for header in interface.headers:
    numbers = [(each.name, each.value) for each in header.macros if each.value is not None]
    numbers += [(each.name, each.value) for enum in header.enums for each in enum.constants]
    if numbers:
      lines += ["", f"# {header.file}", *(f"{name.removeprefix('LIVERY_')} = {value}" for name, value in numbers)]
  return "\n".join(lines) + "\n"


def native(interface: Interface) -> str:
  types = Types(interface)
  lines: List[str] = []
  # What a struct holds comes before it.
  names = {each.name for each in interface.structs}
  functions = {each.name for each in interface.callbacks}

  def declare(calling: bool) -> None:
    wanted = [one for one in interface.structs if any(each.type.base in functions for each in one.members) == calling]
    for struct in sorted(wanted, key=lambda one: any(each.type.base in names for each in one.members)):
      members = [f'("{each.name}", {types.shown(each.type)})' for each in struct.members]
      lines.extend(["", "", f"class {types.structs[struct.name]}(Structure):", *wrapped("  _fields_ = [", members, "]")])

  declare(calling=False)
  lines += ["", ""]
  for callback in interface.callbacks:
    parameters = [types.shown(kind) for kind in (callback.result, *(each.type for each in callback.parameters))]
    lines += wrapped(f"{types.callbacks[callback.name]} = CFUNCTYPE(", parameters, ")")
  # Functions take structs by their address; a struct of functions comes behind these.
  declare(calling=True)
  lines += ["", "", "#: The result and the parameters of each function, under its name without the prefix.",
            "FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {"]
  for header in interface.headers:
    lines += [f"  # {header.file}"] if header.functions else []
    for function in header.functions:
      name, result = function.name.removeprefix("livery_"), types.spelled(function.result)
      parameters = [types.spelled(each.type) for each in function.parameters]
      if len(parameters) == 1:
        parameters[0] += ","
      lines += wrapped(f'  "{name}": ({result}, (', parameters, ")),")
  lines.append("}")
  used = sorted(set(re.findall(r"\b(?:CFUNCTYPE|POINTER|Structure|c_\w+)\b", "\n".join(lines))))
  head = [f'"""The structs, callbacks and functions of the C interface.\n\n{MADE}\n"""', "",
          "from __future__ import annotations", "", *wrapped("from ctypes import (", used, ")"),
          "from typing import Any, Dict, Tuple"]
  return "\n".join(head + lines) + "\n"


def wrapped(begin: str, items: List[str], end: str) -> List[str]:
  """In one line if it fits, else in as few as do."""
  whole = begin + ", ".join(items) + end
  if len(whole) <= WIDTH:
    return [whole]
  indent = " " * (len(begin) - len(begin.lstrip()) + 2)
  lines, line = [begin], ""
  for item in items:
    if line and len(indent + line + item) + 2 > WIDTH:
      lines.append(indent + line.rstrip())
      line = ""
    line += item + ", "
  return lines + [indent + line.rstrip(", "), indent[2:] + end]


class Types:
  """What C's types are called in Python."""

  def __init__(self, interface: Interface) -> None:
    self.numbers = {each.name: str(each.type) for each in interface.numbers}
    self.handles = {each.name for each in interface.handles}
    self.structs = {each.name: camel(each.name) for each in interface.structs}
    self.callbacks = {each.name: camel(re.sub("_fn$", "_function", each.name)) for each in interface.callbacks}

  def shown(self, kind: Type) -> str:
    """The type of what is read in Python: of bytes ctypes would make a text that ends at the first NUL."""
    return "c_void_p" if kind.depth == 1 and kind.base == "void" else self.spelled(kind)

  def spelled(self, kind: Type) -> str:
    if kind.depth == 2 and kind.gives:
      return "POINTER(c_void_p)"
    if kind.depth == 2:
      return f"POINTER({self.spelled(Type(kind.base, kind.is_const, (False,)))})"
    if kind.depth == 1 and kind.base in ("char", "void"):
      return "c_char_p" if kind.is_const else "c_void_p"
    if kind.depth == 1 and kind.base in self.handles:
      return "c_void_p"
    if kind.depth == 1:
      return f"POINTER({self.spelled(Type(kind.base))})"
    if kind.depth:
      raise ValueError(f"{kind} has no type in Python")
    if kind.base == "void":
      return "None"
    if kind.base in self.structs:
      return self.structs[kind.base]
    if kind.base in self.callbacks:
      return self.callbacks[kind.base]
    return "c_" + re.sub(r"(int\d+)_t", r"\1", self.numbers.get(kind.base, kind.base))


def camel(name: str) -> str:
  return "".join(word.capitalize() for word in name.removeprefix("livery_").split("_"))
