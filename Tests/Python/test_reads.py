"""A store reads like a mapping of native values."""

from collections.abc import Mapping
from datetime import datetime, timezone

import livery
import pytest


def test_a_store_is_a_mapping_in_the_order_of_names(store):
  with store.change() as change:
    for name, value in [("b", 2), ("a.z", "x"), ("a", True), ("B", 1.5)]:
      change[name] = value
  assert isinstance(store, Mapping)
  assert list(store) == list(store.keys()) == ["B", "a", "a.z", "b"]
  assert list(store.items()) == [("B", 1.5), ("a", True), ("a.z", "x"), ("b", 2)]
  assert list(store.values()) == [1.5, True, "x", 2]
  assert len(store) == len(store.items()) == 4
  assert ("b", 2) in store.items() and 2 in store.values() and "b" in store.keys()
  assert dict(store) == {"B": 1.5, "a": True, "a.z": "x", "b": 2}


def test_membership_is_having_a_value(declared):
  assert "volume" in declared
  assert "serial" not in declared
  assert "nothing" not in declared
  for odd in ("", "a\0b", "\ud800", "n" * 256, 1, None, b"volume"):
    assert odd not in declared


def test_get_gives_the_default_for_no_value_and_no_setting(declared):
  assert declared.get("volume") == 50
  assert declared.get("serial", "none") == "none"
  assert declared.get("nothing") is None


def test_a_missing_setting_is_a_key_error_that_reads_well(declared):
  with pytest.raises(KeyError) as caught:
    declared["volum"]
  assert isinstance(caught.value, livery.NotFoundError)
  assert "volume" in str(caught.value) and not str(caught.value).startswith("'")
  assert caught.value.setting == "volum"
  with pytest.raises(livery.NoValueError):
    declared["serial"]


def test_stores_are_compared_by_identity(store, path):
  with livery.open(path) as other:
    assert store == store and store != other and len({store, other}) == 2


def test_reads_follow_writes_of_another_handle(store, path):
  key = store.key("name")
  with livery.open(path) as other:
    for count in range(5):
      other.set("name", count)
      assert store["name"] == key.get_int() == count


def test_a_key_may_come_before_its_setting(store):
  key = store.key("later")
  with pytest.raises(livery.NotFoundError):
    key.get_int()
  store.set("later", "12")
  assert (key.name, key.get_int(), key.get_double(), key.get_string(), key.get_value()) == ("later", 12, 12, "12", "12")
  key.close()
  key.close()
  for read in (key.get_int, key.get_string, key.get_value, key.get_list):
    with pytest.raises(livery.ClosedError):
      read()


def test_long_text_and_data_come_back_whole(store):
  for size in (0, 255, 256, 257, 100_000):
    store.set("text", "ä" * size)
    store.set("data", b"\0\xff" * size)
    assert store.get_string("text") == store["text"] == "ä" * size
    assert store.get_data("data") == store["data"] == b"\0\xff" * size
    assert store.key("text").get_string() == "ä" * size


def test_a_snapshot_stays_as_it_was(store):
  store.set("a", 1)
  store.set("media.x", 1)
  with store.snapshot() as snapshot:
    revision = snapshot.revision
    store.set("a", 2)
    store.set("b", 1)
    assert snapshot["a"] == 1 and store["a"] == 2
    assert "b" not in snapshot and snapshot.get("b", 7) == 7 and "a" in snapshot
    assert snapshot.revision == revision == store.revision - 2
    assert list(snapshot) == ["a", "media.x"]
    assert list(snapshot.items("media.*")) == [("media.x", 1)]
    assert dict(snapshot.items()) == {"a": 1, "media.x": 1}
  for read in (lambda: snapshot["a"], lambda: snapshot.revision, lambda: list(snapshot)):
    with pytest.raises(livery.ClosedError):
      read()


def test_a_snapshot_gives_the_default_for_no_value(declared):
  with declared.snapshot() as snapshot:
    assert snapshot.get("serial", 5) == snapshot.get("nothing", 5) == 5
    assert "serial" not in snapshot and "" not in snapshot and 1 not in snapshot
    with pytest.raises(livery.NoValueError):
      snapshot["serial"]


def test_listing_pages_through_everything(store):
  names = [f"n{index:03}" for index in range(25)]
  with store.change() as change:
    for name in reversed(names):
      change[name] = name
  seen, after = [], None
  while True:
    page = store.list("n*", after=after, limit=10)
    if not page:
      break
    seen += [item["name"] for item in page]
    after = seen[-1]
    assert len(page) <= 10
  assert seen == names
  assert store.list(limit=0) == []
  item = store.list("n007")[0]
  assert item["value"] == "n007" and item["layer"] == "user" and item["type"] == "string" and item["locked"] is False
  with pytest.raises(livery.InvalidArgumentError):
    store.list(limit=-1)


def test_listing_tells_what_has_no_value(declared):
  items = {item["name"]: item for item in declared.list()}
  assert "value" not in items["serial"] and items["serial"]["type"] == "string"
  assert items["secret"]["secret"] is True and items["mode"]["type"] == "choice"
  assert declared.inspect("secret")["secret"] is True


def test_inspection_tells_every_layer(declared):
  before = datetime.now(timezone.utc)
  with declared.change("bundle", origin="skin") as change:
    change["title"] = "Bundled"
  with declared.change("user", origin="settings-view") as change:
    change["title"] = "Operator's"
  facts = declared.inspect("title")
  assert facts["effective"]["value"] == "Operator's" and facts["effective"]["layer"] == "user"
  assert [layer["layer"] for layer in facts["layers"]] == ["user", "bundle", "defaults"]
  assert [layer["state"] for layer in facts["layers"]] == ["wins", "shadowed", "shadowed"]
  assert facts["layers"][0]["origin"] == "settings-view"
  assert abs((facts["layers"][0]["time"] - before).total_seconds()) < 60
  assert "user" in facts["reason"]
  with pytest.raises(livery.NotFoundError):
    declared.inspect("nothing")


def test_settings_are_what_clients_of_the_original_see(kiosk):
  import json

  from conftest import FIXTURES

  assert kiosk.settings() == json.loads((FIXTURES / "asm" / "values.v1.json").read_text())


def test_reads_of_more_names_than_are_kept_are_the_same(path):
  texts = {f"text.{index}": "é" * (index % 300) for index in range(400)}
  with livery.open(path, create=True) as store:
    with store.change() as change:
      for index in range(2500):
        change[f"number.{index}"] = index - 1000
      for name, text in texts.items():
        change[name] = text
      change["on"], change["half"], change["nul"] = True, 0.5, "a\0b"
    for _ in range(2):
      assert [store.get_int(f"number.{index}") for index in range(2500)] == list(range(-1000, 1500))
    assert {name: store.get_string(name) for name in texts} == texts
    assert store.get_bool("on") is True and store.get_double("half") == 0.5 and store.get_string("nul") == "a\0b"
    assert store.get_double("number.2400") == 1400.0
    store.set("number.2400", 7)
    assert store.get_int("number.2400") == 7
    with pytest.raises(livery.NotFoundError):
      store.get_int("number.2501")
    with pytest.raises(livery.TypeMismatchError):
      store.get_bool("half")
    for odd in ("a\0b", "\ud800"):
      with pytest.raises(livery.InvalidArgumentError):
        store.get_int(odd)
    with pytest.raises(TypeError):
      store.get_int(b"on")
  with pytest.raises(livery.ClosedError):
    store.get_string("text.1")


def test_names_that_are_no_settings_do_not_pile_up(store, monkeypatch):
  from livery._native import reader

  monkeypatch.setattr(reader, "_MOST_NAMES", len(reader._names) + 3)
  for number in range(10):
    assert store.get(f"none.{number}") is None and f"none.{number}" not in store
  assert len(reader._names) == reader._MOST_NAMES
  store.set("late", 5)
  store._names.keys.forget()
  for _ in range(2):
    assert store["late"] == store.get_int("late") == 5


def test_durations_are_seconds_or_a_timedelta(path):
  from datetime import timedelta

  with livery.open(path, create=True, busy_timeout=timedelta(milliseconds=50), log_age=timedelta(days=1)) as store:
    image = store.assets.put(b"x", any=True)
    assert store.assets.collect(min_age=timedelta(minutes=1), ignore_log=True)["removed"] == []
    with store.watch("a", min_interval=timedelta(milliseconds=1)) as events:
      assert list(events.events(timeout=timedelta(milliseconds=1))) == []
    assert store.assets.collect(min_age=timedelta(0), ignore_log=True)["removed"] == [image]
    store.change("session").expires(0.5)
    with store.change(trial=600) as change:
      change["a"] = 1
    assert abs(store.trial()["remaining"] / 1e6 - 600) < 60
    for negative in (-1, timedelta(seconds=-1), float("nan")):
      for attempt in (
        lambda: livery.open(path, busy_timeout=negative),
        lambda: livery.open(path, log_age=negative),
        lambda: store.assets.collect(min_age=negative),
        lambda: store.watch("a", min_interval=negative),
      ):
        with pytest.raises(livery.InvalidArgumentError, match="negative or NaN"):
          attempt()


def test_values_of_any_type_come_as_they_are_small_and_large(store):
  # What fits in the buffer of one call, what just does not, and what no buffer takes.
  values = {
    "flag": True, "number": -5, "most": (1 << 63) - 1, "real": 2.5, "empty": "", "nul": "a\0b", "only": "\0",
    "text": "t" * 255, "longer": "t" * 256, "long": "ä" * 5000, "none": b"", "bytes": b"\0\1" * 128, "more": bytes(257),
    "url": livery.URL("https://example.com/"), "image": livery.Image("logo"), "color": livery.Color(0.5, 0.25, 1.0, 0.0),
    "date": datetime(2026, 1, 2, 3, 4, 5, 6, timezone.utc), "list": [1, "x", [True]], "object": {"a": {"b": 1.5}},
  }
  with store.change() as change:
    for name, value in values.items():
      change[name] = value
  # Twice: the second comes out of the cache.
  for _ in range(2):
    for name, value in values.items():
      for found in (store[name], store.get(name), store.get_value(name), store.key(name).get_value()):
        assert found == value and type(found) is type(value), name
      assert name in store
  store.set("flag", "now text")
  assert store["flag"] == "now text"
  store.reset("flag")
  assert "flag" not in store and store.get("flag", 7) == 7


def test_texts_of_names_without_a_key_come_as_they_are(store, monkeypatch):
  monkeypatch.setattr(livery._native.reader.Keys, "MOST", 1)
  texts = {"key": "k", "short": "s", "nul": "a\0b", "text": "t" * 255, "longer": "t" * 256}
  with store.change() as change:
    for name, text in texts.items():
      change[name] = text
  for _ in range(2):
    assert {name: store.get_string(name) for name in texts} == texts
  with pytest.raises(livery.NotFoundError):
    store.get_string("nothing")
  with pytest.raises(TypeError):
    store.get_string(7)
