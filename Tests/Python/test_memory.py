"""Stores in memory alone."""

import asyncio
import os

import livery
import pytest


def test_a_name_is_one_store_and_without_one_each_is_another():
  with livery.open("test_memory", memory=True) as store, livery.open("test_memory", memory=True) as again:
    store.set("a", 1)
    assert again["a"] == 1
    with livery.open(memory=True) as other, livery.open(memory=True) as another:
      assert "a" not in other
      other.set("b", 2)
      assert "b" not in another
  with livery.open("test_memory", memory=True) as store:
    assert len(store) == 0


def test_what_needs_a_folder_says_so(tmp_path):
  with livery.open(memory=True) as store:
    store.set("a", 1)
    with pytest.raises(livery.PermissionDeniedError):
      store.backup()
    store.backup(tmp_path / "copy.mdb")
    store.set("a", 2)
    store.restore(tmp_path / "copy.mdb")
    assert store["a"] == 1
    store.compact()
    assert store["a"] == 1 and store.backups() == []


def test_a_path_is_wanted_unless_the_store_is_in_memory():
  with pytest.raises(TypeError):
    livery.open()
  with pytest.raises(livery.NotFoundError):
    livery.open("nobody's", memory=True, read_only=True)


def test_nothing_is_made_in_the_working_directory(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  with livery.open("here", memory=True) as store:
    store.set("a", 1)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", [None, "watched"])
def test_a_loop_hears_of_changes(name):
  async def hear():
    with livery.open(name, memory=True) as store:
      async with store.watch_async("a") as events:
        store.set("a", 1)
        async for event in events:
          return event.new

  assert asyncio.run(asyncio.wait_for(hear(), 20)) == 1


def test_layers_are_told_by_changes_and_snapshots():
  with livery.open(memory=True) as store:
    store.set("a", 1, "bundle")
    store.set("a", 2)
    store.set("b", 3)
    with store.snapshot() as snapshot, store.change() as change:
      assert change.get("a", "bundle") == 1
      change.reset("a")
      assert change.names("user") == ["b"] and change.names("bundle", "x*") == []
      with pytest.raises(livery.NoValueError):
        change.get("a", "user")
      assert snapshot.get("a", layer="user") == 2
      assert snapshot.get("b", "none", layer="bundle") == "none"
      assert snapshot.names("user") == ["a", "b"]


def test_locks_are_ignored_if_asked_for():
  with livery.open(memory=True) as store:
    store.set("a", 1, "enforced")
    with pytest.raises(livery.LockedError):
      store.set("a", 2)
    with store.change() as change:
      change.ignore_locks()
      change.set("a", 2)
    assert store["a"] == 1
    store.reset("a", "enforced")
    assert store["a"] == 2
