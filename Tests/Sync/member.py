"""A process that takes part in a fleet until it is killed: member.py STORE [BROKER]."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))

import livery  # noqa: E402
import livery.sync  # noqa: E402

with livery.open(sys.argv[1]) as store, livery.sync.start(store, broker=sys.argv[2] if len(sys.argv) > 2 else None):
  print("ready", flush=True)
  time.sleep(3600)
