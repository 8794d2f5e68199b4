#!/usr/bin/env python3
"""Kills processes that take part in a fleet at random moments, while things are published and operators choose, and looks whether all
is right: kill.py [--kills COUNT] [--seed SEED]. `scripts/torture` runs it as `sync_kill`.

Some publications are on trial: they stay once the server was reached after them, and go back otherwise. After each kill what the store
holds is looked at: the values are those of one publication, whole; and never of one before what it held already for good. In the end the last
one holds, and no number of a report was used twice.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
MEMBER = Path(__file__).with_name("member.py")


def publish(console, number, **members):
  """Everything of a publication has its number."""
  publisher = console.publisher
  asset = publisher.asset(b"asset %d" % number)
  return publisher.settings(
    "fleet", f"n{number}", ("a.one", "recommend", number), ("a.two", "enforce", number), ("a.three", "replace", number, number),
    assets=[asset], **members)


def kill_devices(store, console, path, kills, chance, is_broken=False):
  import livery.sync
  told = {"kills": 0, "wrong": [], "publications": 0, "trials": 0}
  number = held = 0
  while told["kills"] < kills:
    number += 1
    if chance.random() < 0.3:
      publish(console, number, trial={"seconds": chance.choice([1, 3])})
      told["trials"] += 1
    else:
      publish(console, number)
    told["publications"] += 1
    process = subprocess.Popen([sys.executable, str(MEMBER), str(path)], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(chance.random() ** 2 * 2.5)
    if chance.random() < 0.3:
      store.set("own", number)
    process.send_signal(signal.SIGKILL)
    process.wait()
    told["kills"] += 1
    if is_broken and told["kills"] == kills // 2:
      store.set("a.two", -1, layer="enforced")
    is_for_good = store.trial()["state"] != "pending"
    with store.snapshot() as snapshot:
      values = [snapshot.get(name) for name in ("a.one", "a.two", "a.three")]
    if len(set(values)) != 1:
      told["wrong"].append(f"half: {values} after {number}")
    elif (values[0] or 0) < held:
      told["wrong"].append(f"older: {values[0]} after {held}")
    if is_for_good:
      held = values[0] or 0
    if held > number:
      told["wrong"].append(f"{held} was never published")
  number += 1
  publish(console, number)
  livery.sync.pull(store).result(60)
  if [store.get(name) for name in ("a.one", "a.two", "a.three")] != [number] * 3:
    told["wrong"].append("the last one does not hold")
  livery.sync.push(store).result(60)
  numbers = [report["sequence"] for report in console.reports()]
  if numbers != sorted(set(numbers)) or [path for path, status, _ in console.requests if status == 409]:
    told["wrong"].append("a report was sent twice")
  report = console.reports()[-1]
  if [document["verdict"] for document in report["documents"]] != ["applied"]:
    told["wrong"].append("the report does not say that it is applied")
  return told


def main():
  import livery
  import livery.sync
  from conftest import Console
  parser = argparse.ArgumentParser()
  parser.add_argument("--kills", type=int, default=500)
  parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
  parser.add_argument("--broken", action="store_true", help="has one value changed alone, which is to be found")
  arguments = parser.parse_args()
  began = time.monotonic()
  with tempfile.TemporaryDirectory() as folder:
    console = Console(Path(folder) / "console")
    with livery.open(Path(folder) / "store", create=True) as store:
      livery.sync.enroll(store, console.code()).result(20)
      told = kill_devices(store, console, Path(folder) / "store", arguments.kills, random.Random(arguments.seed),
                          arguments.broken)
  for wrong in told["wrong"]:
    print(wrong)
  print(f"sync_kill: kills={told['kills']} publications={told['publications']} trials={told['trials']} errors={len(told['wrong'])} "
        f"seconds={time.monotonic() - began:.1f} seed={arguments.seed}")
  return 1 if told["wrong"] else 0


if __name__ == "__main__":
  import conftest  # noqa: F401
  sys.exit(main())
