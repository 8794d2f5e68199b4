"""A store whose schema declares secrets, and a key."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))
os.environ.setdefault("LIVERY_LIBRARY", str(BUILD / "liblivery.so"))
sys.path[:0] = [str(ROOT / "bindings" / "python")]

import livery  # noqa: E402
import livery.secrets  # noqa: E402

SCHEMA = """{"Version": 1, "Groups": [{"Title": "All", "Settings": [
  {"Type": "TextField", "Title": "Password", "Key": "password", "Class": ["Password"]},
  {"Type": "List", "Title": "Networks", "Key": "networks", "ItemTemplate": [
    {"Type": "TextField", "Title": "Name", "Key": "name"},
    {"Type": "TextField", "Title": "Key", "Key": "key", "Class": ["Password"]}]},
  {"Type": "TextField", "Title": "Note", "Key": "note"}]}]}"""


def contains(folder, text):
  """Which files under a folder hold a text."""
  return [path for path in Path(folder).rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def started(code, *arguments, **options):
  """Another process that is under way."""
  head = f"import sys; sys.path.insert(0, {str(ROOT / 'bindings' / 'python')!r}); import livery, livery.secrets\n"
  return subprocess.Popen(
    [sys.executable, "-c", head + code, *map(str, arguments)], stdout=subprocess.PIPE, text=True, **options)


def run(code, *arguments):
  """What another process tells."""
  process = started(code, *arguments)
  told = process.communicate()[0]
  assert process.returncode == 0
  return told.strip()


@pytest.fixture
def path(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    opened.apply_schema(SCHEMA)
  return tmp_path / "store"


@pytest.fixture
def store(path):
  with livery.open(path) as opened:
    yield opened


@pytest.fixture
def key(tmp_path):
  file = tmp_path / "settings.key"
  livery.secrets.make_key(file=file)
  return file
