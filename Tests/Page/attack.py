#!/usr/bin/env python3
"""Attacks a page that is served, byte by byte, and ends with "N passed, N failed".

    attack.py PROGRAM [PART OF A PROMISE]

PROGRAM is serve.c, linked with liblivery-page.so.
"""
import sys
import time
import traceback

import attack_requests  # noqa: F401
import attack_connections  # noqa: F401
from promises import TESTS


def main():
  wanted = sys.argv[2] if len(sys.argv) > 2 else ""
  failed = passed = 0
  for text, function in TESTS:
    if wanted not in text:
      continue
    started = time.monotonic()
    try:
      function()
      passed += 1
      print(f"ok   {text} ({time.monotonic() - started:.1f} s)", flush=True)
    except Exception:
      failed += 1
      print(f"FAIL {text}\n{traceback.format_exc()}", flush=True)
  print(f"{passed} passed, {failed} failed")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
