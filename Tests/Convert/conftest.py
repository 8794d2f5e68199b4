"""What the tests of conversions share: where things are, and how a file is read from its text."""

from __future__ import annotations

import atexit
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Callable, List

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: A copy of the samples, in which the texts of the bundle lie as Apple has them: Swift's package manager takes such folders for its own.
SAMPLES = pathlib.Path(tempfile.mkdtemp(prefix="livery-samples-"))
atexit.register(shutil.rmtree, SAMPLES, ignore_errors=True)
shutil.copytree(pathlib.Path(__file__).parent / "samples", SAMPLES, dirs_exist_ok=True)
for strings in SAMPLES.glob("*.bundle/*.*.strings"):
  table, language, _ = strings.name.split(".")
  (strings.parent / f"{language}.lproj").mkdir()
  strings.rename(strings.parent / f"{language}.lproj" / f"{table}.strings")
sys.path.insert(0, str(ROOT / "bindings" / "python"))
LIBRARY = pathlib.Path(os.environ.get("LIVERY_LIBRARY", ROOT / "build" / "liblivery.so")).resolve()
os.environ["LIVERY_LIBRARY"] = str(LIBRARY)
os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python")

from livery.convert.document import Document  # noqa: E402
from livery.convert.place import Refused  # noqa: E402
from livery.convert.source import Source  # noqa: E402


def convert(*arguments: Any, folder: pathlib.Path) -> "subprocess.CompletedProcess[str]":
  """The command, run in a folder."""
  return subprocess.run([sys.executable, "-m", "livery.convert", *map(str, arguments)], cwd=folder, capture_output=True, text=True,
                        timeout=60, check=False)


def source(text: str, name: str = "file") -> Source:
  return Source(name, text.encode())


def told(document: Document) -> List[str]:
  """The losses, each as `line setting: message`."""
  return [f"{loss.place.line} {loss.setting}: {loss.message}" for loss in document.losses]


def mangled(data: bytes, seed: int) -> bytes:
  """A file with some of its bytes changed, left out, doubled or cut off."""
  dice, made = random.Random(seed), bytearray(data)
  for _ in range(dice.randint(1, 4)):
    at = dice.randrange(len(made)) if made else 0
    what = dice.randrange(5)
    if what == 0:
      made[at:at + 1] = bytes([dice.randrange(256)])
    elif what == 1:
      del made[at:at + dice.randint(1, 40)]
    elif what == 2:
      made[at:at] = made[at:at + dice.randint(1, 60)]
    elif what == 3:
      made[at:at] = dice.choice([b"<", b"&", b'"', b"{", b"[", b"99999999999999999999", b"null", b"-1", b"\xff", b"true", b"@", b"'"])
    else:
      del made[max(at, 1):]
  return bytes(made)


def never_raises(read: Callable[[Source], Any], data: bytes, name: str, count: int = 1000) -> None:
  """Mangled files are read, or refused with their place."""
  refused = 0
  for seed in range(count):
    try:
      read(Source(name, mangled(data, seed)))
    except Refused as error:
      refused += 1
      assert error.message and "\n" not in error.message
  assert refused, "no file was mangled beyond reading"
