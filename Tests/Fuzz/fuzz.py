#!/usr/bin/env python3
"""Runs libFuzzer on the parsers of Targets.swift, under AddressSanitizer.

    fuzz.py --build [TARGET…]                    builds a fuzzer for each parser, into build/torture/fuzz
    fuzz.py [--seconds N] [--seed S] [TARGET…]   fuzzes, from the corpus kept here and the one that grows beside the build
    fuzz.py --corpus [TARGET]                    runs the kept corpora only, and tells what each covers
    fuzz.py --keep TARGET                        keeps the fewest inputs that reach what kept and grown ones do together
    fuzz.py --broken                             must find what is broken on purpose
    fuzz.py --in-c …                             any of these with the parsers in C alone, which are built in seconds

Ends with a line of figures. An input that crashes is put into build/torture/fuzz/crashes. It belongs into a test of its own:
--keep drops what reaches nothing new. The corpora are kept in the form that pack.py makes.
"""
import argparse
import concurrent.futures
import datetime
import os
import pathlib
import platform
import plistlib
import re
import shutil
import subprocess
import sys
import tempfile

import pack

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests" / "Fuzz"
BUILT = ROOT / "build" / "torture" / "fuzz"
TARGETS = ["json", "value", "schema", "plist-xml", "plist-binary", "cbor", "squeezed", "record", "color", "date", "pattern", "text",
           "png", "jpeg", "gif", "webp", "svg", "file", "images-png", "images-jpeg", "images-webp", "images-drawn", "images-kept",
           "page-target", "page-form", "page-multipart", "page-headers", "page-prompt",
           "fetch-date", "fetch-control", "fetch-tag", "fetch-range", "fetch-address", "secrets-keys", "prompt-message",
           "camera-frame", "picker-mounts", "picker-head", "fleet-cbor", "fleet-signed", "fleet-keys", "fleet-manifest",
           "fleet-document", "fleet-report", "fleet-code", "fleet-kept"]
IN_C = [target for target in TARGETS if target.startswith(("images-", "camera-"))]
# Those that call the public functions of the library.
CALLING = {"page-prompt"}
# The longest inputs, in bytes. The first of two numbers holds for nine tenths of the time, as short inputs are tried faster
# and reach nearly all code, the second for the rest.
LENGTHS = {"json": (96, 2048), "value": (96, 1024), "schema": (128, 4096), "plist-xml": (256, 2048), "plist-binary": (96, 1024),
           "cbor": (64, 512), "squeezed": (64, 512), "record": (96, 512), "color": (16, 32), "date": (48, 64), "pattern": (48, 256), "text": (64, 256),
           "png": (64, 256), "jpeg": (128, 512), "gif": (16, 64), "webp": (48, 128), "svg": (128, 512), "file": (32, 128),
           "images-png": (256, 2048), "images-jpeg": (512, 2048), "images-webp": (256, 2048), "images-drawn": (192, 1024),
           "images-kept": (4096, 4096),
           "page-target": (48, 256), "page-form": (64, 512), "page-multipart": (160, 1024), "page-headers": (48, 256),
           "page-prompt": (96, 512),
           "fetch-date": (40, 48), "fetch-control": (64, 256), "fetch-tag": (16, 640), "fetch-range": (48, 128),
           "fetch-address": (48, 256), "secrets-keys": (128, 512), "prompt-message": (64, 512),
           "camera-frame": (768, 2048), "picker-mounts": (128, 512), "picker-head": (96, 1024),
           "fleet-cbor": (64, 512), "fleet-signed": (256, 1024), "fleet-keys": (320, 1024), "fleet-manifest": (256, 1024),
           "fleet-document": (192, 1024), "fleet-report": (320, 1024), "fleet-code": (200, 250), "fleet-kept": (256, 1024)}
# The longest input that is kept, in bytes: a whole schema of the fixtures fits.
KEPT_LENGTH = 8192


# What short schemas consist of: a setting of each type, and a step of each kind.
SETTINGS = ['"Type":"TextField","Value":"b","MinLength":1,"Pattern":"[a-z]*"', '"Type":"TextField","Class":["Password"]',
            '"Type":"ToggleSwitch","Value":true,"EnabledBy":{"Key":"a","Equals":true}',
            '"Type":"ToggleSwitch","Volatile":true,"Survives":["logout"]',
            '"Type":"ComboBox","Value":"1","Options":[{"Title":"b","Value":"1"}]',
            '"Type":"ComboBox","Class":["Multiple"],"Value":[1],"MaxItems":2,"Options":[{"Title":"b","Value":1}]',
            '"Type":"Number","Format":"integer","Value":2,"Minimum":1,"Maximum":9,"Step":1',
            '"Type":"Number","Value":0.5,"Maximum":1e3', '"Type":"URL","Value":"https://a.example/"',
            '"Type":"Color","Value":"#336699"', '"Type":"Date","Value":"2026-01-02T03:04:05Z"', '"Type":"Data","Value":"AQID"',
            '"Type":"Image"', '"Type":"Pane","Settings":[{"Type":"Header","Title":"c"}]', '"Type":"Number","Aliases":["b"]',
            '"Type":"List","UniqueBy":"b","ItemTemplate":[{"Type":"TextField","Key":"b"}],"Value":[{"b":"c"}]']
STEPS = ['"rename","From":"a","Into":"b"', '"copy","From":"a[].b","Into":"a[].c"', '"remove","Key":"a"',
         '"convert","Key":"a","Type":"Number","Scale":60,"Invalid":"default"', '"convert","Key":"a","Map":{"b":1}',
         '"set","Key":"a","Value":1,"When":"absent"', '"split","Key":"a","By":",","Into":["b","c"]',
         '"join","Keys":["a","b"],"By":",","Into":"c"', '"gather","Keys":["a","b"],"Into":"c"',
         '"spread","Key":"a","Into":{"b":"c"}', '"call","Name":"b"']

# A form of two parts behind its first boundary.
FORM = ("\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x\r\nContent-Disposition: form-data; name=\"c\"; "
        "filename=\"%22d.png\"\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n--x--\r\n")


# A JPEG without tables, up to the end of its scan.
JPEG = ("\xff\xd8\xff\xe0\0\x10AVI1\0\0\0\0\0\0\0\0\0\0\xff\xc0\0\x0b\x08\0\x08\0\x08\x01\x01\x11\0"
        "\xff\xda\0\x08\x01\x01\0\0\x3f\0ab\xff\0\xff\xd0c")


# What libFuzzer ends with when a signal tells it to.
INTERRUPTED = 72


def build(targets):
  """A program for each parser, of the code that devices run."""
  BUILT.mkdir(parents=True, exist_ok=True)
  clang = str(pathlib.Path(shutil.which("swift")).resolve().parent / "clang")
  build_images(clang, [target for target in targets if target.startswith("images-")])
  if "camera-frame" in targets:
    build_camera(clang)
  in_swift = [target for target in targets if target not in IN_C]
  if in_swift:
    build_swift(clang, in_swift)


def build_swift(clang, targets):
  """The linker leaves out what the parser does not reach, and with it the counters of coverage that libFuzzer looks through
  after every input."""
  environment = {**os.environ, "LIVERY_FUZZ": "1", "LIVERY_EMBEDDED": "1", "LIVERY_EXTENSIONS": "page,fetch,secrets,workflow,sync"}
  scratch = ROOT / ".build-fuzz"
  flags = ["-c", "release", "--disable-build-manifest-caching", "--scratch-path", str(scratch), "--sanitize=address",
           "-Xswiftc", "-enable-testing", "-Xswiftc", "-sanitize-coverage=edge,inline-8bit-counters,pc-table"]
  subprocess.run(["swift", "build", *flags, "--product", "livery-fuzz"], cwd=ROOT, env=environment, check=True)
  built = subprocess.run(["swift", "build", *flags, "--show-bin-path"], cwd=ROOT, env=environment, check=True,
                         capture_output=True, text=True).stdout.strip()
  embedded = pathlib.Path(clang).parents[1] / "lib" / "swift" / "embedded" / f"{platform.machine()}-unknown-linux-gnu"
  libraries = subprocess.run(["pkg-config", "--libs", "lmdb", "libsodium"], check=True, capture_output=True, text=True)
  # Values that go to C and back are those of the library.
  store = [f"-L{ROOT / 'build'}", "-llivery", f"-Wl,-rpath,{ROOT / 'build'}"]
  for target in targets:
    subprocess.run([clang, "-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address", "-fuse-ld=lld",
                    f"-DPARSER=fuzz_{target.replace('-', '_')}", str(HERE / "fuzz.c"), "-o", str(program(target)),
                    "-Wl,--gc-sections", f"{built}/liblivery-fuzz.a", f"-L{embedded}", "-lswiftUnicodeDataTables",
                    *(store if target in CALLING else []), *libraries.stdout.split(), "-lm"], check=True)


def build_images(clang, targets):
  """The decoders of the extension `images`, which are C. The libraries that they call are the system's own."""
  sources = [source for part in ("CImages", "CLegibility") for source in sorted((ROOT / "Sources" / part).glob("*.c"))]
  include = [f"-I{ROOT / 'Sources' / part / 'include'}" for part in ("CImages", "CLegibility")]
  base = [clang, "-std=gnu11", "-g", "-DLIVERY_FUZZ", *include]
  flags = ["-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined"]
  # What follows from pixels has targets of its own: under those of the decoders it only takes time.
  plain = BUILT / "plain"
  plain.mkdir(exist_ok=True)
  behind = {source: plain / f"{source.stem}.o" for source in sources if source.stem in ("tally", "legibility")}
  for source, compiled in behind.items():
    subprocess.run([*base, "-O2", "-c", str(source), "-o", str(compiled)], check=True)
  for target in targets:
    is_decoder = target in ("images-png", "images-jpeg", "images-webp")
    # Tallies of counts are gone through to the end; to trace each comparison of that takes nearly all of the time.
    quick = ["-O2", "-fno-sanitize-coverage=trace-cmp"] if target == "images-drawn" else []
    subprocess.run([*base, *flags, *quick, "-fuse-ld=lld", f"-DPARSER=fuzz_{target.replace('-', '_')}", str(HERE / "fuzz.c"),
                    str(HERE / "images.c"), *(str(behind.get(source, source) if is_decoder else source) for source in sources),
                    "-o", str(program(target)), "-lpng", "-ljpeg", "-lwebp", "-lwebpdemux", "-lm"], check=True)


def build_camera(clang):
  """What the extension `workflow` makes of a camera's frames, which is C."""
  part = ROOT / "Sources" / "CWorkflow"
  subprocess.run([clang, "-std=gnu11", "-g", f"-I{part / 'include'}", "-O1", "-fsanitize=fuzzer,address,undefined",
                  "-fno-sanitize-recover=undefined", "-fuse-ld=lld", "-DPARSER=fuzz_camera_frame", str(HERE / "fuzz.c"),
                  str(HERE / "camera.c"), str(part / "camera_frame.c"), "-o", str(program("camera-frame"))], check=True)


def program(target):
  return BUILT / f"fuzz-{target}"


def run(target, arguments, length=None, **more):
  environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no",
                 # Where memory came from is not noted: that takes a third of the time, and an input that crashes crashes
                 # again. Freed memory is kept from use for a megabyte, longer than any input lives.
                 "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0:malloc_context_size=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64",
                 **more}
  crashes = BUILT / "crashes"
  crashes.mkdir(parents=True, exist_ok=True)
  done = subprocess.run([str(program(target)), f"-artifact_prefix={crashes}/{target}-", "-timeout=10", "-rss_limit_mb=1024",
                         f"-max_len={length or LENGTHS[target][1]}", *arguments], env=environment, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, errors="replace")
  runs = re.findall(r"Done (\d+) runs", done.stdout) or re.findall(r"^#(\d+)", done.stdout, re.M)
  coverage = re.findall(r"cov: (\d+)", done.stdout)
  return done.returncode, done.stdout, int(runs[-1]) if runs else 0, int(coverage[-1]) if coverage else 0


def seeds(target):
  """Where fuzzing begins: the fixtures of the kind."""
  fixtures = ROOT / "Tests" / "Fixtures"
  patterns = {"picker-head": "images/*", "images-png": "images/*.png", "images-jpeg": "images/*.jpg", "images-webp": "images/*.webp", "json": "**/*.json", "value": "**/*.json", "schema": "**/*Schema*.json", "plist-xml": "**/*.plist",
              "plist-binary": "**/*.plist"}
  found = []
  for path in sorted(fixtures.glob(patterns[target])) if target in patterns else []:
    content = path.read_bytes()
    is_binary = content.startswith(b"bplist00")
    if target.startswith("plist") and is_binary != (target == "plist-binary"):
      continue
    # The target puts the first bytes of the form in front itself.
    found.append(content[8:] if is_binary else content)
  if target == "plist-binary":
    found += [plistlib.dumps(value, fmt=plistlib.FMT_BINARY)[8:]
              for value in ({}, {"a": 1.5}, {"a": [True, b"1"]}, {"a": datetime.datetime(2026, 1, 2)}, {"\u20ac": "a"})]
  if target.startswith("fleet-"):
    found += fleet_seeds(target)
  if target == "schema":
    found += ['{"Version":2,"Groups":[{"Settings":[{"Key":"a",%s}]}]}' % members for members in SETTINGS]
    found += ['{"Version":2,"Groups":[],"Migrations":[{"To":2,"Steps":[{"Op":%s}]}]}' % members for members in STEPS]
    found.append('{"Version":1,"Groups":[{"Title":"a","Settings":[]}],"Texts":{"de":{"a":"b"},"de-AT":{}}}')
    found = [content.encode() if isinstance(content, str) else content for content in found]
  texts = {"color": ["#336699", "#369", "#33669980"], "date": ["2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05+01:00"],
           "pattern": ["media*", "branding.**", "a?c\0abc"], "text": ["2", "true", "1.5e3", "AQID", "https://example.com/", "#336699"],
           "cbor": ["\xa1aa\x01", "\x83\x01\xf9>\x00\xc0t2026-01-02T03:04:05Z", "\xd9LC\x84\xf9<\x00\xf9<\x00\xf9<\x00\xf9<\x00"],
           # A page's header, a pointer, a root page's number, a record.
          "file": ["\x02\x0c\x00\x01\x20\x00", "\x03\x10\x00\x01\x00\x0f", "\x01\x80\x00\x00\x05", "\x04\x00\x0f\x00A"],
          "page-target": ["/at/0.1?saved=3&name=a%20b", "/%E2%82%AC", "/a/../b", "/%2e%2e/%2f"],
          "page-form": ["csrf=abc&name=a+b&value=%E2%82%AC%0D%0A", "a&b=&=c&%zz"],
          "page-multipart": [FORM, FORM.replace("--x--", "--x\r\nContent-Disposition: form-data; name=b\r\n\r\n--x--")],
          "page-headers": ["kiosk.local:8080", "[::1]:80", "https://a.example/b", "multipart/form-data; boundary=\"x\"",
                           "a=b; livery=c", "br, gzip;q=0.5", "W/\"a\", \"a-z\"", "$argon2id$v=19$m=8192,t=3,p=1$c2FsdA$aGFzaA"],
          "page-prompt": ["n:=1&m:0.0=a&m:0.1=b&m:0.2=1&m:0.3=x&m:0.4=7&n:0.5=1&m:0.5.0.0=a&m:0.5.0.1=b&m:0.6=2026-01-02T03:04",
                          "n:=1&n:0.5=2&op=up:0.5.1", "n:=1&n:0.5=0&op=add:0.5"],
          "fetch-date": ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120"],
          "fetch-control": ["max-age=60, no-cache=\"a, b\"\nmust-revalidate,stale-while-revalidate=\"30\"", "no-store;x, stale-if-error = 5"],
          "fetch-tag": ["W/\"a\"", "\"a\""], "fetch-range": ["bytes 5-9/10", "bytes */10", "text/html; charset=utf-8", "Accept, *"],
          "secrets-keys": ["# a\r\n\nlivery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"],
          "fetch-address": ["../g/./h?y#s", "//g/..", "https://x/y", "?y", "a b"],
          "picker-mounts": ["36 35 8:17 / /media/a\\040b ro,noatime shared:1 master:2 - vfat /dev/sdb1 rw,errors=remount-ro\n",
                            "1 0 0:21 / / rw - tmpfs none rw\n2 1 8:1 /x /y rw - ext4 /dev/sda1 rw\n"],
          "picker-head": ["\xef\xbb\xbf \n<?xml version='1.0'?><svg/>", "GIF89a", "RIFF1234WEBPVP8 "],
          # Two bytes, then values: an object of a text and a list; an error; an answer.
          "prompt-message": ["\x01\x01\x0b\x02\0\0\0\x04\0\0\0kind\x04\x05\0\0\0login\x01\0\0\0a\x0a\x01\0\0\0\x01",
                             "\x01\x04\x02\xe6\xff\xff\xff\xff\xff\xff\xff\x04\x02\0\0\0no", "\x01\x0a\x09\0\0\0\0\0\0\x80?\0\0\0?\0\0\0\0"],
          "record": ["\x01\x02\0\x03\x03\0\0\0" + "\x01" + "\0" * 23 + "\x05\0\0\0\0\0\0\0cli"]}
  return found + [text.encode("latin-1") for text in texts.get(target, [])]


def fleet_seeds(target):
  """Of what pins the protocol: whole documents, and what is signed in them."""
  found = []
  for name in ("documents.hex", "refused.hex"):
    for line in (ROOT / "Tests" / "Fixtures" / "sync" / name).read_text().splitlines():
      content = bytes.fromhex(line.split()[2])
      found.append(content)
      # The payload is the second part of a list: bytes behind their length.
      for size, head in ((1, b"\x58"), (2, b"\x59")):
        at = content.find(head, 1, 16)
        if at > 0:
          length = int.from_bytes(content[at + 1:at + 1 + size], "big")
          found.append(content[at + 1 + size:at + 1 + size + length])
  if target == "fleet-code":
    codes = (ROOT / "Tests" / "Fixtures" / "sync" / "codes.txt").read_text().splitlines()
    found = [line.split()[0].rsplit("&c=", 1)[0].encode() for line in codes]
  return found


def grown_corpus(target):
  """The folder of what fuzzing finds beside the build; it begins with the seeds."""
  grown = BUILT / "corpus" / target
  grown.mkdir(parents=True, exist_ok=True)
  if not any(grown.iterdir()):
    for number, content in enumerate(seeds(target)):
      (grown / f"seed{number}").write_bytes(content)
  return str(grown)


def keep(target, kept):
  """libFuzzer looks for the fewest inputs."""
  with tempfile.TemporaryDirectory(prefix="livery-corpus-") as merged:
    done = run(target, ["-set_cover_merge=1", merged, kept, grown_corpus(target)], KEPT_LENGTH)
    if done[0] == 0:
      pack.pack(target, merged)
  return done


def fuzz(target, kept, seconds, seed):
  total = 0
  # None is 0, which would be for ever.
  for length, time in zip(LENGTHS[target], [max(1, seconds * 9 // 10), max(1, -(-seconds // 10))]):
    status, output, runs, covered = run(target, [f"-max_total_time={time}", f"-seed={seed}", grown_corpus(target), kept], length)
    total += runs
    if status != 0:
      break
  return status, output, total, covered


def work(target, arguments, kept):
  """Exit status, output, runs and coverage of what is asked for, with a folder of the kept corpus."""
  if arguments.keep:
    return keep(target, kept)
  if arguments.broken:
    return run(target, ["-runs=40000000", f"-seed={arguments.seed + 1}"], FUZZ_BROKEN="1")
  if not arguments.corpus:
    return fuzz(target, kept, arguments.seconds, arguments.seed)
  status, output, _, covered = run(target, ["-runs=0", kept], KEPT_LENGTH)
  inputs = len(os.listdir(kept))
  print(f"{target}: {inputs} inputs, coverage {covered}")
  return status, output, inputs, covered


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--build", action="store_true")
  parser.add_argument("--corpus", action="store_true")
  parser.add_argument("--keep", action="store_true")
  parser.add_argument("--broken", action="store_true")
  parser.add_argument("--in-c", action="store_true")
  parser.add_argument("--seconds", type=int, default=60)
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("targets", nargs="*", metavar="TARGET")
  arguments = parser.parse_args()
  for target in arguments.targets:
    if target not in TARGETS:
      parser.error(f"no target {target}: {', '.join(TARGETS)}")
  targets = arguments.targets or (IN_C if arguments.in_c else TARGETS)
  if arguments.build:
    build(targets)
    return 0
  if arguments.broken and not arguments.targets:
    targets = ["camera-frame" if arguments.in_c else "color"]
  total = crashes = coverage = 0

  def begin(target):
    with tempfile.TemporaryDirectory(prefix="livery-corpus-") as kept:
      pack.unpack(target, kept)
      return work(target, arguments, kept)

  # One for each processor.
  results = zip(targets, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1).map(begin, targets))
  for target, (status, output, runs, covered) in results:
    total, coverage = total + runs, coverage + covered
    if status not in (0, INTERRUPTED):
      crashes += 1
      sys.stderr.write(output[-3000:])
      sys.stderr.write(f"fuzz: {target}: it ended with {status}\n  again: build/torture/fuzz/fuzz-{target} FILE\n")
  print(f"fuzz: runs={total} crashes={crashes} coverage_max={coverage} seed={arguments.seed}")
  return 1 if crashes else 0


if __name__ == "__main__":
  sys.exit(main())
