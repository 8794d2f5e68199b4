"""The program that draws SVG, and what ends it: nothing is kept of an image for what may be otherwise another time."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LIVERY_LIBRARY", ROOT / "build" / "liblivery.so")).resolve().parent
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><rect width="4" height="4" fill="#fff"/></svg>'
UNAVAILABLE = -1101
#: What the program does in place of drawing, what is said then, and whether that may be otherwise another time.
HEAD = "printf 'SVIL'; head -c 124 /dev/zero"
STUBS = {
  "lacks a library": ("exit 127", "failed, or was ended", True),
  "cannot be run": ("exit 126", "failed, or was ended", True),
  "fails": ("exit 1", "failed, or was ended", True),
  "killed by the kernel": ("kill -KILL $$", "failed, or was ended", True),
  "ended by somebody": ("kill -TERM $$", "failed, or was ended", True),
  "draws nothing": ("exit 0", "drew nothing", True),
  "crashes before it begins": ("ulimit -c 0; kill -SEGV $$", "drew nothing", True),
  "is killed while it draws": (f"{HEAD}; kill -KILL $$", "failed, or was ended", True),
  "crashes of the document": (f"{HEAD}; ulimit -c 0; kill -SEGV $$", "within the limits", False),
  "takes all its time": (f"{HEAD}; kill -XCPU $$", "too long", False),
  "refuses": ("printf 'SVIL'; head -c 8 /dev/zero; printf 'no document'; head -c 105 /dev/zero", "no document", False),
}
WORK = """
import json, sys, livery
from livery import images
svg, first = sys.argv[2].encode(), sys.argv[3:]
with livery.open(sys.argv[1], create=True) as store:
  try:
    images.put(store, svg)
    code = 0
  except livery.LiveryError as error:
    code, reason = error.status, str(error)
  image = store.assets.put(svg)
  print(json.dumps([code, reason if code else "", images.judge(store), images.judge(store)]))
"""


@pytest.fixture
def folder(tmp_path):
  """The libraries, without the program."""
  for name in ("liblivery.so", "liblivery-images.so"):
    shutil.copy(BUILD / name, tmp_path / name)
    os.symlink(name, tmp_path / f"{name}.0")
  return tmp_path


def stub(folder, text):
  program = folder / "livery-images"
  program.write_text(f"#!/bin/sh\n{text}\n")
  program.chmod(0o755)


def work(folder, code=WORK, **environment):
  result = subprocess.run(
    [sys.executable, "-c", code, str(folder / "store"), SVG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120,
    env={**os.environ, "LIVERY_LIBRARY": str(folder / "liblivery.so"), "PYTHONPATH": str(ROOT / "bindings" / "python"), **environment},
  )
  assert result.returncode == 0, result.stderr
  return json.loads(result.stdout)


@pytest.mark.parametrize("name", STUBS)
def test_only_what_the_document_does_is_kept(folder, name):
  text, message, is_transient = STUBS[name]
  stub(folder, text)
  code, reason, judged, again = work(folder)
  assert message in reason
  assert code == (UNAVAILABLE if is_transient else -11)
  assert [(refusal["final"], message in refusal["reason"]) for refusal in judged["refused"]] == [(not is_transient, True)]
  # Where nothing is kept it is tried again; with the real program it is judged then.
  assert again["known"] == (0 if is_transient else 1)
  shutil.copy(BUILD / "livery-images", folder / "livery-images")
  assert work(folder)[0] == 0


def test_without_the_program_nothing_is_kept(folder):
  code, reason, judged, again = work(folder, PATH="relative:/nowhere")
  assert code == UNAVAILABLE and "is not beside the library" in reason
  assert judged["refused"][0]["final"] is False and again["known"] == 0


def test_the_program_is_found_where_programs_are(folder):
  (folder / "bin").mkdir()
  shutil.copy(BUILD / "livery-images", folder / "bin" / "livery-images")
  libraries = f"{BUILD}:{os.environ.get('LD_LIBRARY_PATH', '')}"
  assert work(folder, PATH=f"/nowhere:{folder / 'bin'}", LD_LIBRARY_PATH=libraries)[0] == 0


def test_a_program_that_cannot_be_started_says_why(folder):
  (folder / "livery-images").write_bytes(b"\x7fELF no program")
  (folder / "livery-images").chmod(0o755)
  code, reason, _, _ = work(folder)
  assert code == UNAVAILABLE and "cannot be started: Exec format error" in reason


def test_what_libraries_print_is_not_among_the_pixels(folder):
  shutil.copy(BUILD / "livery-images", folder / "livery-images")
  shown = SVG.replace("</svg>", '<text x="1" y="2" font-size="1">Text</text></svg>')
  code = WORK.replace("sys.argv[2].encode()", repr(shown.encode()))
  assert work(folder, code, FC_DEBUG="1", G_MESSAGES_DEBUG="all")[0] == 0


def test_the_limit_of_open_files_is_no_lack_of_memory(folder):
  shutil.copy(BUILD / "livery-images", folder / "livery-images")
  code = """
import json, os, resource, sys, livery
from livery import images
with livery.open(sys.argv[1], create=True) as store:
  store.set("warm", 1)
  image = store.assets.put(sys.argv[2].encode())
  images.judge(store, image)
  # As few files as are open, so that the store works and nothing can be added.
  highest = max(int(name) for name in os.listdir("/proc/self/fd"))
  held = []
  resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, highest + 1))
  while True:
    try: held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError: break
  try:
    images.put(store, sys.argv[2].encode())
    print(json.dumps([0, ""]))
  except livery.LiveryError as error:
    print(json.dumps([error.status, str(error)]))
"""
  found, reason = work(folder, code)
  assert found == UNAVAILABLE and "Too many open files" in reason
