"""Every language reads the same store alike: Tests/Fixtures/typed-reads.json is the table."""

import base64
import json
import struct
from datetime import datetime, timezone

import livery
import pytest
from conftest import FIXTURES

TABLE = json.loads((FIXTURES / "typed-reads.json").read_text(encoding="utf-8"))


def moment(text):
  whole, _, fraction = text.rstrip("Z").partition(".")
  micros = int(fraction.ljust(6, "0")) if fraction else 0
  return datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(microsecond=micros, tzinfo=timezone.utc)


FROM_JSON = {
  "data": base64.b64decode,
  "url": livery.URL,
  "image": livery.Image,
  "date": moment,
  "color": livery.Color.from_hex,
}


def decoded(kind, value):
  return FROM_JSON.get(kind, lambda same: same)(value)


def comparable(value):
  """Equal for values that are the same to the last bit and type, and only then."""
  if isinstance(value, livery.Color):
    return livery.Color, value.hex
  if isinstance(value, list):
    return [comparable(item) for item in value]
  if isinstance(value, dict):
    return {key: comparable(member) for key, member in value.items()}
  return type(value), value


@pytest.fixture(scope="module")
def table_store(tmp_path_factory):
  with livery.open(tmp_path_factory.mktemp("typed") / "store", create=True) as store:
    store.apply_schema(TABLE["schema"])
    with store.change("user") as change:
      for name, entry in TABLE["values"].items():
        change[name] = decoded(entry["type"], entry["value"])
    yield store


def test_the_table_covers_every_read():
  assert len(TABLE["cases"]) >= 120
  assert {case["read"] for case in TABLE["cases"]} == {
    "bool", "int", "float", "double", "string", "data", "url", "date", "color", "list", "object", "value",
  }  # fmt: skip


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: f"{case['name'][:40]!r}-{case['read']}")
def test_typed_read(table_store, case):
  def read():
    return getattr(table_store, "get_" + case["read"])(case["name"])

  if "error" in case:
    with pytest.raises(livery.LiveryError) as caught:
      read()
    assert caught.value.status_name == "LIVERY_ERROR_" + case["error"]
    assert str(caught.value)
    return
  expected = decoded(case.get("type", case["read"]), case["expect"])
  result = read()
  if case["read"] == "float":
    assert struct.pack("<f", result) == struct.pack("<f", expected) and struct.unpack("<f", struct.pack("<f", result))
  assert comparable(result) == comparable(expected)
  if case["read"] != "value":
    with table_store.key(case["name"]) as key:
      assert comparable(getattr(key, "get_" + case["read"])()) == comparable(expected)
