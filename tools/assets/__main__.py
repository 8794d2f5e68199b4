"""Compresses what the page sends to browsers, which its library embeds: Sources/CPage/NAME.z of each Sources/CPage/NAME.

    python3 tools/assets            writes them
    python3 tools/assets --check    fails if one is not what it is made of
"""
import pathlib
import sys
import zlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "CPage"
NAMES = ["style.css", "script.js", "worker.js"]


def main():
  old = []
  for name in NAMES:
    plain, made = (FOLDER / name).read_bytes(), FOLDER / f"{name}.z"
    # Other versions of zlib may make other bytes of the same.
    if made.exists() and zlib.decompress(made.read_bytes()) == plain:
      continue
    old.append(f"{name}.z")
    if "--check" not in sys.argv:
      made.write_bytes(zlib.compress(plain, 9))
  if old and "--check" in sys.argv:
    sys.exit(f"{', '.join(old)} in {FOLDER.name}: run `python3 tools/assets`")


if __name__ == "__main__":
  main()
