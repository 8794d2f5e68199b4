#!/usr/bin/env python3
"""Kills processes that take part in a fleet at random moments, while things are published and operators choose, and looks whether all
is right: kill.py [KILLS [SEED]].

After each kill what the store holds is looked at: the values are those of one publication, whole, that the device has taken; and never of one
before what it held already. In the end the last one holds, and no number of a report was used twice.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
MEMBER = Path(__file__).with_name("member.py")


def publish(console, number):
  """Everything of a publication has its number."""
  publisher = console.publisher
  asset = publisher.asset(b"asset %d" % number)
  return publisher.settings(
    "fleet", f"n{number}", ("a.one", "recommend", number), ("a.two", "enforce", number), ("a.three", "replace", number, number),
    assets=[asset])


def kill_devices(store, console, path, kills, chance):
  import livery.sync
  told = {"kills": 0, "wrong": [], "publications": 0, "opened": 0}
  number = held = 0
  while told["kills"] < kills:
    number += 1
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
    with store.snapshot() as snapshot:
      values = [snapshot.get(name) for name in ("a.one", "a.two", "a.three")]
    if len(set(values)) != 1:
      told["wrong"].append(f"half: {values} after {number}")
    elif (values[0] or 0) < held:
      told["wrong"].append(f"older: {values[0]} after {held}")
    held = values[0] or 0
    if held > number:
      told["wrong"].append(f"{held} was never published")
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
  kills = int(sys.argv[1]) if len(sys.argv) > 1 else 500
  seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
  with tempfile.TemporaryDirectory() as folder:
    console = Console(Path(folder) / "console")
    with livery.open(Path(folder) / "store", create=True) as store:
      livery.sync.enroll(store, console.code()).result(20)
      told = kill_devices(store, console, Path(folder) / "store", kills, random.Random(seed))
  print(f"seed {seed}: {told['kills']} kills, {told['publications']} publications, {len(told['wrong'])} wrong")
  for wrong in told["wrong"]:
    print(wrong)
  return 1 if told["wrong"] else 0


if __name__ == "__main__":
  import conftest  # noqa: F401
  sys.exit(main())
