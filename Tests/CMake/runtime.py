#!/usr/bin/env python3
"""Checks what the library brings in place of the toolchain's own, in the shared and in the static library.

    runtime.py SWIFT_BUILD_FOLDER/{release,debug} STATIC_LIBRARY CC [OPTION...]

swift_bridgeObjectRetain has to return what it is given, tag bits and all, and to count what is counted; Swift 6.3's weak one
does not (swiftlang/swift#91151). Everything that allocates has to be the library's own, so that the end of memory is a
status. And the shared library stays in memory when a program closes it.
"""
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

WRAPPED = ["malloc", "calloc", "realloc", "posix_memalign", "free"]
TAGS = [0, 1 << 60, 3 << 60, 1 << 63, 0xe << 60, 1, 5]


def output(*command):
  return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True, text=True).stdout


def symbols(file):
  """Places and kinds of the defined symbols."""
  return {name: (int(place, 16), kind) for place, kind, name in
          re.findall(r"^([0-9a-f]+) (\w) (\S+)$", output("nm", "--defined-only", file), re.M)}


class Loaded:
  """A library whose local functions can be called."""

  def __init__(self, file):
    self.symbols = symbols(file)
    self.library = ctypes.CDLL(str(file))
    known = ctypes.cast(self.library.livery_version, ctypes.c_void_p).value
    self.base = known - self.symbols["livery_version"][0]

  def function(self, name, *arguments):
    place, kind = self.symbols[name]
    assert kind == "t", f"{name} is {kind}: neither local nor strong"
    return ctypes.CFUNCTYPE(ctypes.c_uint64, *arguments)(self.base + place)


def check(file):
  loaded = Loaded(file)
  retain = loaded.function("swift_bridgeObjectRetain", ctypes.c_uint64)
  retain_n = loaded.function("swift_bridgeObjectRetain_n", ctypes.c_uint64, ctypes.c_uint32)
  # An object as the runtime knows it: what it is, and how often it is held.
  memory = (ctypes.c_uint64 * 8)()
  place = ctypes.addressof(memory) + 15 & ~15
  count = ctypes.c_uint64.from_address(place + 8)
  for tag in TAGS:
    count.value = 1
    given = tag | place
    assert retain(given) == given, f"retained {given:#x}: {retain(given):#x}"
    assert retain_n(given, 3) == given, f"retained {given:#x} three times: {retain_n(given, 3):#x}"
    expected = 1 if tag >> 63 else 5
    assert count.value == expected, f"{given:#x} is held {count.value} times, expected {expected}"
  assert retain(0) == 0
  for name in WRAPPED:
    assert loaded.symbols[f"__wrap_{name}"][1] == "t", f"{name} is not the library's own"


def main():
  folder, archive, compiler = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
  shared = folder / "liblivery.so"
  check(shared)
  assert re.search(r"\(FLAGS_1\).*NODELETE", output("readelf", "-d", shared)), "the library can be unloaded"
  with tempfile.TemporaryDirectory() as work:
    whole = pathlib.Path(work, "libwhole.so")
    subprocess.run([*compiler, "-shared", "-o", str(whole), "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive",
                    "-llmdb", "-lm"], check=True)
    check(whole)
    exported = {name for name, (_, kind) in symbols(archive).items() if kind.isupper() and kind not in "VW"}
    assert all(name.startswith("livery_") for name in exported), exported
  print("1 passed, 0 failed")


if __name__ == "__main__":
  main()
