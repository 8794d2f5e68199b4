"""Runs the harness with few settings and checks the JSON that it writes. Says nothing about speed.

    smoke.py --programs DIRECTORY --library FILE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEYS = ["subject", "measure", "n", "unit", "median", "min", "max", "ratio_to_raw_lmdb"]
MEASURES = {"read_name", "read_key", "read_name_2threads", "read_cold", "first_read", "peak_rss", "closure", "commit_1",
            "commit_100", "notify_p50", "notify_p99", "disk", "upgrade", "upgrade_steps", "upgrade_over_anew",
            "search", "search_first", "form"}


def main() -> None:
  with tempfile.TemporaryDirectory() as directory:
    file = pathlib.Path(directory) / "results.json"
    command = [sys.executable, HERE / "bench.py", *sys.argv[1:], "--smoke", "--json", file, "--charts", directory,
               "--only", "raw-lmdb,livery-c,livery-python,empty-loop"]
    subprocess.run(command, check=True)
    result = json.loads(file.read_text(encoding="utf-8"))
  assert list(result) == ["machine", "results"] and result["machine"], "the outline"
  for row in result["results"]:
    assert list(row) == KEYS, row
    assert row["min"] <= row["median"] <= row["max"] and row["n"] > 0 and row["unit"], row
  missing = MEASURES - {row["measure"] for row in result["results"] if row["subject"] == "livery-c"}
  assert not missing, f"not measured: {missing}"
  mixed()


def mixed() -> None:
  with tempfile.TemporaryDirectory() as directory:
    file = pathlib.Path(directory) / "mixed.json"
    subprocess.run([sys.executable, HERE / "mixed.py", *sys.argv[1:], "--smoke", "--json", file], check=True)
    rows = json.loads(file.read_text(encoding="utf-8"))["results"]
  assert len(rows) == 16 and {row["schema"] for row in rows} == {True, False}, rows
  assert all(row["raw_lmdb"] > 0 and row["livery"] > 0 for row in rows), rows


main()
