#!/usr/bin/env python3
"""Runs libFuzzer on the parsers of Targets.swift, under AddressSanitizer.

    fuzz.py --build                              builds the library and the fuzzer, into build/torture/fuzz
    fuzz.py [--seconds N] [--seed S] TARGET      fuzzes, from the corpus kept here and the one that grows beside the build
    fuzz.py --corpus                             runs the kept corpora only
    fuzz.py --keep TARGET                        merges what has grown into the corpus kept here
    fuzz.py --broken                             must find what is broken on purpose

Ends with a line of figures. An input that crashes is kept in build/torture/fuzz/crashes.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests" / "Fuzz"
BUILT = ROOT / "build" / "torture" / "fuzz"
TARGETS = ["json", "value", "schema", "plist-xml", "plist-binary", "cbor", "record", "color", "date", "pattern", "text"]
# The longest inputs: short ones are tried faster, and these parsers do the same over and over again.
LONGEST = {"json": 2048, "value": 1024, "schema": 4096, "plist-xml": 2048, "plist-binary": 1024, "cbor": 512, "record": 512,
           "color": 32, "date": 64, "pattern": 256, "text": 256}


def build():
  BUILT.mkdir(parents=True, exist_ok=True)
  environment = {**os.environ, "LIVERY_FUZZ": "1"}
  scratch = ROOT / ".build-fuzz"
  flags = ["-c", "release", "--disable-build-manifest-caching", "--scratch-path", str(scratch), "--sanitize=address",
           "-Xswiftc", "-enable-testing", "-Xswiftc", "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp",
           "-Xswiftc", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "undefs"]
  subprocess.run(["swift", "build", *flags, "--product", "livery-fuzz"], cwd=ROOT, env=environment, check=True)
  built = subprocess.run(["swift", "build", *flags, "--show-bin-path"], cwd=ROOT, env=environment, check=True,
                         capture_output=True, text=True).stdout.strip()
  swift = pathlib.Path(shutil.which("swift")).resolve().parent
  runtime = swift.parent / "lib" / "swift" / "linux"
  subprocess.run([str(swift / "clang"), "-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address", "-fuse-ld=lld",
                  str(HERE / "fuzz.c"), "-o", str(BUILT / "fuzz"), f"-L{built}", "-llivery-fuzz", f"-L{runtime}",
                  f"-Wl,-rpath,{built}", f"-Wl,-rpath,{runtime}"], check=True)


def run(target, arguments, **more):
  environment = {**os.environ, "FUZZ_TARGET": str(TARGETS.index(target)), "SWIFT_BACKTRACE": "enable=no",
                 # Where memory came from is not noted: that takes a third of the time, and an input that crashes crashes again.
                 "ASAN_OPTIONS": "detect_leaks=0:malloc_context_size=0", **more}
  crashes = BUILT / "crashes"
  crashes.mkdir(parents=True, exist_ok=True)
  done = subprocess.run([str(BUILT / "fuzz"), f"-artifact_prefix={crashes}/{target}-", "-timeout=10", "-rss_limit_mb=1024",
                         f"-max_len={LONGEST[target]}", *arguments], env=environment, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, errors="replace")
  runs = re.findall(r"Done (\d+) runs", done.stdout) or re.findall(r"^#(\d+)", done.stdout, re.M)
  coverage = re.findall(r"cov: (\d+)", done.stdout)
  return done.returncode, done.stdout, int(runs[-1]) if runs else 0, int(coverage[-1]) if coverage else 0


def seeds(target):
  """Where fuzzing begins: the fixtures of the kind."""
  fixtures = ROOT / "Tests" / "Fixtures"
  patterns = {"json": "**/*.json", "value": "**/*.json", "schema": "**/*Schema*.json", "plist-xml": "**/*.plist",
              "plist-binary": "**/*.plist"}
  found = []
  for path in sorted(fixtures.glob(patterns[target])) if target in patterns else []:
    content = path.read_bytes()
    is_binary = content.startswith(b"bplist00")
    if target.startswith("plist") and is_binary != (target == "plist-binary"):
      continue
    # The target puts the first bytes of the form in front itself.
    found.append(content[8:] if is_binary else content)
  texts = {"color": ["#336699", "#369", "#33669980"], "date": ["2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05+01:00"],
           "pattern": ["media*", "branding.**", "a?c\0abc"], "text": ["2", "true", "1.5e3", "AQID", "https://example.com/", "#336699"],
           "cbor": ["\xa1aa\x01", "\x83\x01\xf9>\x00\xc0t2026-01-02T03:04:05Z", "\xd9LC\x84\xf9<\x00\xf9<\x00\xf9<\x00\xf9<\x00"],
           "record": ["\x01\x02\0\x03\x03\0\0\0" + "\x01" + "\0" * 23 + "\x05\0\0\0\0\0\0\0cli"]}
  return found + [text.encode("latin-1") for text in texts.get(target, [])]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--build", action="store_true")
  parser.add_argument("--corpus", action="store_true")
  parser.add_argument("--keep", action="store_true")
  parser.add_argument("--broken", action="store_true")
  parser.add_argument("--seconds", type=int, default=60)
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("targets", nargs="*", metavar="TARGET")
  arguments = parser.parse_args()
  if arguments.build:
    build()
    return 0
  for target in arguments.targets:
    if target not in TARGETS:
      parser.error(f"no target {target}: {', '.join(TARGETS)}")
  targets = arguments.targets or (["color"] if arguments.broken else TARGETS)
  total = crashes = coverage = 0
  for target in targets:
    kept, grown = HERE / "corpus" / target, BUILT / "corpus" / target
    grown.mkdir(parents=True, exist_ok=True)
    if not any(grown.iterdir()):
      for number, content in enumerate(seeds(target)):
        (grown / f"seed{number}").write_bytes(content)
    if arguments.keep:
      kept.mkdir(parents=True, exist_ok=True)
      status, output, runs, covered = run(target, ["-merge=1", str(kept), str(grown)])
    elif arguments.corpus:
      files = sorted(str(path) for path in kept.glob("*")) if kept.is_dir() else []
      status, output, runs, covered = run(target, ["-runs=0", *files]) if files else (0, "", 0, 0)
      runs = len(files)
    elif arguments.broken:
      status, output, runs, covered = run(target, ["-runs=2000000", f"-seed={arguments.seed + 1}"], FUZZ_BROKEN="1")
    else:
      folders = [str(grown)] + ([str(kept)] if kept.is_dir() else [])
      status, output, runs, covered = run(target, [f"-max_total_time={arguments.seconds}", f"-seed={arguments.seed}", *folders])
    total, coverage = total + runs, coverage + covered
    if status != 0:
      crashes += 1
      sys.stderr.write(output[-3000:])
      sys.stderr.write(f"fuzz: {target}: it ended with {status}\n  again: build/torture/fuzz/fuzz FILE, with "
                       f"FUZZ_TARGET={TARGETS.index(target)}\n")
  print(f"fuzz: runs={total} crashes={crashes} coverage_max={coverage} seed={arguments.seed}")
  return 1 if crashes else 0


if __name__ == "__main__":
  sys.exit(main())
