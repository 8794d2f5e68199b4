#!/usr/bin/env python3
"""Checks what the linker made of an extension.

    library.py NOUN BUILD_FOLDER HEADER[,HEADER…] [LIBRARY…]

It exports what its headers declare and nothing else, needs liblivery.so, libc and the libraries named alone, without a Swift runtime, stays in
memory, and brings what liblivery.so has too: corrections of the runtime, and an allocator.
"""
import pathlib
import re
import subprocess
import sys


def output(*command):
  return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=True, text=True).stdout


def main():
  noun, folder = sys.argv[1], pathlib.Path(sys.argv[2])
  others = "".join(f"|{name}" for name in sys.argv[4:])
  library = folder / f"liblivery-{noun}.so"
  declared = set()
  for header in map(pathlib.Path, sys.argv[3].split(",")):
    declared.update(re.findall(rf"\b(livery_{header.stem}_\w+)\(", re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)))
  dynamic = output("readelf", "-d", library)
  exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines() if " d " not in line}
  assert exported == declared, f"exported: {sorted(exported)}, declared: {sorted(declared)}"
  for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
    assert re.match(rf"(liblivery\.so\.0$|libc|libm|ld-linux.*{others})[.-]?", name), f"{library} needs {name}"
  assert re.search(rf"\(SONAME\).*\[liblivery-{noun}\.so\.0\]", dynamic), "the soname has no version"
  assert (folder / f"liblivery-{noun}.so.0").exists(), "programs do not find it"
  assert re.search(r"\(FLAGS_1\).*NODELETE", dynamic), "the library can be unloaded"
  linked = output("env", f"LD_LIBRARY_PATH={folder}", "ldd", "-r", library)
  assert "not found" not in linked and "undefined" not in linked, linked
  assert "cannot print value" not in output("strings", "-a", library), "something has no description in Embedded Swift"
  unstripped = next(folder.glob(f"swift/*/livery-{noun}.product/library.so"))
  symbols = output("nm", "--defined-only", unstripped)
  kinds = {name: kind for kind, name in re.findall(r"^[0-9a-f]+ (\w) (\S+)$", symbols, re.M)}
  assert kinds.get("swift_bridgeObjectRetain") == "t", "the runtime's own retain is weak, and wrong"
  wanted = set(re.findall(r" U (\w+)", output("nm", "-D", "--undefined-only", library)))
  for name in wanted & {"malloc", "calloc", "realloc", "posix_memalign", "free"}:
    assert kinds.get(f"__wrap_{name}") == "t", f"{name} is not the library's own"
  assert "__wrap_posix_memalign" in kinds and "__wrap_free" in kinds
  seen = {name for name, kind in kinds.items() if kind in "TWVBD"}
  assert seen == declared, f"seen by others: {sorted(seen - declared)}"
  print("1 passed, 0 failed")


if __name__ == "__main__":
  main()
