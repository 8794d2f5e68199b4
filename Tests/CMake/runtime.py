#!/usr/bin/env python3
"""Checks what the library brings in place of the toolchain's own, in the shared and in the static library.

    runtime.py SWIFT_BUILD_FOLDER/{release,debug} STATIC_LIBRARY CC [OPTION...]

swift_bridgeObjectRetain has to return what it is given, tag bits and all, and to count what is counted; Swift 6.3's weak one
does not (swiftlang/swift#91151). Counting goes without atomic instructions while there is one thread, and by several
threads at once loses nothing; who lets go of an object last destroys it, once. Everything that allocates has to be the library's own, so that the end of memory is a
status. And the shared library stays in memory when a program closes it.
"""
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

WRAPPED = ["malloc", "calloc", "realloc", "posix_memalign", "free"]
TAGS = [0, 1 << 60, 3 << 60, 1 << 63, 0xe << 60, 1, 5]
#: All others of a count's bits: the object is not counted. The highest one: its memory is the stack's.
UNCOUNTED, ON_STACK = (1 << 63) - 1, 1 << 63


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


class Object:
  """An object as the runtime knows it: its class, of which it needs how to destroy it, and how often it is held."""

  def __init__(self):
    self.destroyed = 0
    self.kept = ctypes.CFUNCTYPE(None)(self.destroy)
    self.memory = (ctypes.c_uint64 * 8)()
    self.place = ctypes.addressof(self.memory) + 15 & ~15
    self.type = (ctypes.c_uint64 * 2)(0, ctypes.cast(self.kept, ctypes.c_void_p).value)
    ctypes.c_uint64.from_address(self.place).value = ctypes.addressof(self.type)
    self.count = ctypes.c_uint64.from_address(self.place + 8)

  def destroy(self):
    self.destroyed += 1


def check_counting(loaded):
  retain = loaded.function("swift_retain", ctypes.c_uint64)
  retain_n = loaded.function("swift_retain_n", ctypes.c_uint64, ctypes.c_uint32)
  release = loaded.function("swift_release", ctypes.c_uint64)
  release_n = loaded.function("swift_release_n", ctypes.c_uint64, ctypes.c_uint32)
  bridge_release = loaded.function("swift_bridgeObjectRelease", ctypes.c_uint64)
  bridge_release_n = loaded.function("swift_bridgeObjectRelease_n", ctypes.c_uint64, ctypes.c_uint32)
  for stack in (0, ON_STACK):
    one = Object()
    one.count.value = 1 | stack
    assert retain(one.place) == one.place and retain_n(one.place, 4) == one.place
    assert one.count.value == 6 | stack, f"held {one.count.value:#x}"
    release(one.place)
    release_n(one.place, 2)
    bridge_release(one.place | 1 << 60 | 3)
    bridge_release(one.place | 1 << 63)
    assert (one.count.value, one.destroyed) == (2 | stack, 0), f"held {one.count.value:#x}"
    bridge_release_n(one.place, 2)
    # What destroys it may retain and release it still.
    assert (one.count.value, one.destroyed) == (UNCOUNTED | stack, 1), f"held {one.count.value:#x}"
    retain(one.place)
    release(one.place)
    assert (one.count.value, one.destroyed) == (UNCOUNTED | stack, 1), f"held {one.count.value:#x}"
  for nothing in (0, 1 << 63, -1 & (1 << 64) - 1):
    release(nothing)
    release_n(nothing, 3)
    bridge_release(nothing)


def check_threads(loaded):
  retain = loaded.function("swift_retain", ctypes.c_uint64)
  release = loaded.function("swift_release", ctypes.c_uint64)
  one = Object()
  one.count.value = 1

  def hold():
    for _ in range(20_000):
      retain(one.place)
      release(one.place)

  threads = [threading.Thread(target=hold) for _ in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert (one.count.value, one.destroyed) == (1, 0), f"held {one.count.value} times by several threads"
  release(one.place)
  assert one.destroyed == 1


def check(file):
  loaded = Loaded(file)
  check_counting(loaded)
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
    # From the first thread on all of it is atomic, in each library.
    for library in (shared, whole):
      check_threads(Loaded(library))
      check_counting(Loaded(library))
    exported = {name for name, (_, kind) in symbols(archive).items() if kind.isupper() and kind not in "VW"}
    assert all(name.startswith("livery_") for name in exported), exported
  print("1 passed, 0 failed")


if __name__ == "__main__":
  main()
