"""The library that has the core alone: it reads, writes and watches what a whole one has prepared, and says what it has not."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ROOT / "build" / "livery"
LIBRARY = Path(os.environ["LIVERY_LIBRARY"])
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(ROOT / "tools")]

import api  # noqa: E402
import livery  # noqa: E402

SCHEMA = """{"Version": 3, "Groups": [{"Title": "All", "Settings": [
  {"Type": "TextField", "Title": "Name", "Key": "name", "Value": "Lobby", "MaxLength": 20},
  {"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "integer", "Minimum": 0, "Maximum": 10, "Value": 5}]}]}"""
INTERFACE = api.read_or_exit(ROOT / "include" / "livery")
#: What a core has not, by headers, with the functions in them that it has; and further functions.
PARTS = {"asset.h": [], "branding.h": [], "exchange.h": [], "form.h": [], "maintenance.h": [], "migration.h": [],
         "schema.h": ["livery_schema_version", "livery_schema_copy_json",
                      "livery_schema_copy_digest", "livery_settings"]}
FURTHER = ["livery_claim", "livery_claim_secret", "livery_reseal"]


def missing():
  for function in INTERFACE.functions:
    header = Path(function.file).name
    if function.name in FURTHER or header in PARTS and function.name not in PARTS[header]:
      if function.result.base == "livery_status":
        yield function


def whole(path, *arguments):
  return subprocess.run([WHOLE, *arguments, "--store", path], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def path(tmp_path):
  schema = tmp_path / "schema.json"
  schema.write_text(SCHEMA)
  path = tmp_path / "store"
  whole(path, "init", str(schema))
  whole(path, "set", "--layer", "recommended", "name", "Reception")
  return path


def test_it_says_what_it_is():
  library = ctypes.CDLL(LIBRARY)
  library.livery_features.restype = ctypes.c_uint64
  assert library.livery_features() & INTERFACE.constants["LIVERY_FEATURE_CORE_ONLY"]


def test_it_reads_what_a_schema_declares(path):
  with livery.open(path) as store:
    assert (store["name"], store["volume"]) == ("Reception", 5)
    assert store.inspect("name")["effective"]["layer"] == "recommended"
    assert [change["name"] for change in store.history()[0]["changes"]] == ["name"]


def test_it_writes_as_the_schema_allows(path):
  with livery.open(path) as store:
    with pytest.raises(livery.InvalidValueError):
      store.set("volume", 11)
    with pytest.raises(livery.TypeMismatchError):
      store.set("volume", "loud")
    store.set("volume", 7)
    assert store["volume"] == 7
  assert whole(path, "get", "volume").strip() == "7"


def test_it_makes_stores_and_needs_no_schema(tmp_path):
  with livery.open(tmp_path / "new", create=True) as store:
    store.set("any", "thing")
    assert store["any"] == "thing"
    store.reset("any")
    assert "any" not in store


def test_it_hears_what_others_write(path):
  heard = []
  with livery.open(path) as store:
    with store.watch("volume", heard.append):
      whole(path, "set", "volume", "9")
      deadline = time.monotonic() + 10
      while not heard and time.monotonic() < deadline:
        time.sleep(0.01)
    assert heard and store["volume"] == 9


@pytest.mark.parametrize("function", list(missing()), ids=lambda function: function.name)
def test_the_rest_is_unavailable(function):
  call = getattr(ctypes.CDLL(LIBRARY), function.name)
  call.restype = ctypes.c_int32
  passed = [ctypes.c_double(0) if not kind.pointers and kind.base in ("double", "float") else None if kind.pointers else 0
            for kind in (parameter.type for parameter in function.parameters)]
  assert call(*passed) == INTERFACE.constants["LIVERY_ERROR_UNAVAILABLE"]


def test_errors_name_what_is_missing(path):
  with livery.open(path) as store:
    with pytest.raises(livery.UnavailableError, match="core alone, without schemas and migrations"):
      store.apply_schema(SCHEMA)
    with pytest.raises(livery.UnavailableError, match="without branding"):
      store.branding.use("acme")
