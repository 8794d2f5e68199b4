"""Finds the package and the library in the repository, and makes stores to test on."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures"
PACKAGE = ROOT / "bindings" / "python"

for built in (ROOT / "build" / "liblivery.so", ROOT / ".build-embedded" / "release" / "liblivery.so"):
  if built.is_file():
    os.environ.setdefault("LIVERY_LIBRARY", str(built))
sys.path[:0] = [str(PACKAGE), str(ROOT / "tools")]
# Processes that tests start find the same package.
os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)

import livery  # noqa: E402

OPEN = {"Version": 1, "Open": True, "Groups": []}


@pytest.fixture
def path(tmp_path):
  return tmp_path / "store"


@pytest.fixture
def store(path):
  """A store without a schema: it accepts any setting of any type."""
  with livery.open(path, create=True) as opened:
    yield opened


@pytest.fixture
def kiosk(store):
  """A store with the sample schema and values."""
  store.apply_schema((FIXTURES / "asm" / "SettingsSchema.v1.json").read_bytes())
  store.import_json((FIXTURES / "asm" / "values.v1.json").read_bytes())
  return store


@pytest.fixture
def declared(store):
  """A store with a schema that has every constraint."""
  store.apply_schema(
    {
      "Version": 1,
      "Groups": [
        {
          "Title": "General",
          "Settings": [
            {"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "integer", "Value": 50, "Minimum": 0,
             "Maximum": 100},
            {"Type": "Number", "Title": "Zoom", "Key": "zoom", "Format": "number", "Value": 1.0, "Minimum": 0.5},
            {"Type": "TextField", "Title": "Title", "Key": "title", "Value": "Welcome", "MaxLength": 20},
            {"Type": "TextField", "Title": "Secret", "Key": "secret", "Value": "", "Class": ["Password"],
             "MaxLength": 8},
            {"Type": "TextField", "Title": "Serial", "Key": "serial", "ReadOnly": True},
            {"Type": "TextField", "Title": "Status", "Key": "status", "Value": ""},
            {"Type": "ToggleSwitch", "Title": "Sound", "Key": "sound", "Value": True},
            {"Type": "ComboBox", "Title": "Mode", "Key": "mode", "Class": ["Single"], "Value": "day",
             "Options": [{"Title": "Day", "Value": "day"}, {"Title": "Night", "Value": "night"}]},
          ],
        }
      ],
    }
  )  # fmt: skip
  return store
