#!/usr/bin/env python3
"""Measures `livery generate`: the time for 1,000 settings, and what a generated read costs beside one by a bound key.

    benchmarks/generate.py [ROUNDS]        needs build/liblivery.so and a C compiler

Medians of interleaved rounds.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = [
  {"Type": "Number", "Format": "integer", "Value": 5, "Minimum": 1, "Unit": "s"}, {"Type": "ToggleSwitch", "Value": True},
  {"Type": "TextField", "Value": "text", "MaxLength": 80}, {"Type": "Number", "Value": 0.5}, {"Type": "Color", "Value": "#336699"},
  {"Type": "ComboBox", "Value": "a", "Options": [{"Title": "A", "Value": "a"}, {"Title": "B", "Value": "b"}]},
  {"Type": "List", "ItemTemplate": [{"Type": "URL", "Title": "Content", "Key": "content"}]}]
PROGRAM = r"""
#include "speed.h"
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(int count, char **arguments) {
  static char text[1 << 22];
  livery_store *store; livery_key *key; speed_settings settings;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  int64_t value = 0, sum = 0;
  FILE *file = count == 2 ? fopen(arguments[1], "r") : NULL;
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  options.flags = LIVERY_OPEN_MEMORY;
  if (!size || livery_open("", &options, &store) || livery_schema_apply(store, text, size, NULL, NULL)) return 1;
  if (livery_key_open(store, "setting0", &key) || speed_open(store, 0, &settings)) return 2;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int index = 0; index < 1000000; index++) { livery_key_get_int(key, &value); sum += value; }
    double middle = now();
    for (int index = 0; index < 1000000; index++) { speed_get_setting0(&settings, &value); sum += value; }
    printf("%g %g\n", middle - start, now() - middle);
  }
  return sum == 0;
}
"""


def main() -> int:
  rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
  settings = [{**KINDS[number % len(KINDS)], "Title": f"Setting {number}", "Key": f"setting{number}"} for number in range(1000)]
  with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    schema = folder / "schema.json"
    schema.write_text(json.dumps({"Version": 1, "Groups": [{"Title": "All", "Settings": settings}]}))
    output = {language: folder / f"speed.{ending}" for language, ending in
              (("c", "h"), ("swift", "swift"), ("python", "py"), ("markdown", "md"), ("html", "html"))}
    times = {language: [] for language in output}
    for _ in range(rounds):
      for language, path in output.items():
        path.unlink(missing_ok=True)
        start = time.perf_counter()
        subprocess.run([ROOT / "build" / "livery-generate", language, schema, "-n", "speed", "-o", path], check=True)
        times[language].append(time.perf_counter() - start)
    for language, found in times.items():
      print(f"1,000 settings, {language}: {statistics.median(found) * 1e3:.0f} ms")
    (folder / "program.c").write_text(PROGRAM.replace("speed_get_setting0", "speed_get_setting_0"))
    subprocess.run(["cc", "-O2", f"-DROUNDS={2 * rounds}", f"-I{ROOT / 'include'}", folder / "program.c", ROOT / "build" / "liblivery.so",
                    f"-Wl,-rpath,{ROOT / 'build'}", "-o", folder / "program"], check=True)
    shown = subprocess.run([folder / "program", schema], check=True, capture_output=True, text=True).stdout
    pairs = [tuple(map(float, line.split())) for line in shown.splitlines()]
    print(f"a generated read, × a bound key: {statistics.median(made / bound for bound, made in pairs):.3f}")
  return 0


if __name__ == "__main__":
  sys.exit(main())
