"""Compresses what is embedded into programs and libraries: the files for browsers, and the description of the console's API.

    python3 tools/assets            writes them
    python3 tools/assets --check    fails if one is not what it is made of
"""
import pathlib
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What is made of what.
MADE = {f"Sources/CPage/{name}.z": f"Sources/CPage/{name}" for name in ["style.css", "script.js", "worker.js"]}
MADE["Sources/CConsole/openapi.json.z"] = "docs/console-api.openapi.json"


def main():
  old = []
  for name, source in MADE.items():
    plain, made = (ROOT / source).read_bytes(), ROOT / name
    # Other versions of zlib may make other bytes of the same.
    if made.exists() and zlib.decompress(made.read_bytes()) == plain:
      continue
    old.append(name)
    if "--check" not in sys.argv:
      made.write_bytes(zlib.compress(plain, 9))
  if old and "--check" in sys.argv:
    sys.exit(f"{', '.join(old)}: run `python3 tools/assets`")


if __name__ == "__main__":
  main()
