"""A slice of `kill.py`, which is for hundreds of kills: without those of the broker, after which clients take their time."""

import os
import random

import kill
import pytest
import servers

SEED = int(os.environ.get("LIVERY_SEED", random.randrange(1 << 30)))
KILLS = int(os.environ.get("LIVERY_FLEET_KILLS", 8))


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_kills_lose_nothing_and_double_nothing(tmp_path_factory, database):
  for name in ("mosquitto", "nginx") + (("initdb",) if database == "postgresql" else ()):
    if servers.program(name) is None:
      pytest.skip(f"{name} is not installed")
  print(f"LIVERY_SEED={SEED}")
  folder = tmp_path_factory.mktemp(database)
  for parent in [folder, *list(folder.parents)[:2]]:
    parent.chmod(0o755)
  told, figures, _, wrong = kill.kill(KILLS, SEED, database, 4, folder, ("console", "command", "postgres"), is_patient=False)
  assert not wrong, (told, figures, wrong)
