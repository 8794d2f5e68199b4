"""Backups, checks, compaction and figures."""

import os

import livery
import pytest


@pytest.fixture
def store(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    opened.set("volume", 5)
    yield opened


def test_a_backup_is_restored_as_a_commit(store, tmp_path):
  store.backup(tmp_path / "copy.mdb")
  store.set("volume", 9)
  assert store.restore(tmp_path / "copy.mdb") == 3
  assert store["volume"] == 5
  with pytest.raises(livery.NotFoundError):
    store.restore(tmp_path / "none.mdb")
  with pytest.raises(livery.InvalidArgumentError):
    store.backup("a\0b")


def test_the_store_keeps_backups_of_its_own(store):
  assert store.backups() == []
  store.backup()
  store.set("volume", 9)
  store.restore(origin="console")
  assert store["volume"] == 5
  assert [item["reason"] for item in store.backups()] == ["restore", "manual"]
  assert store.history(limit=1)[0]["origin"] == "console"


def test_a_check_reports_and_a_damaged_backup_is_refused(store, tmp_path):
  report = livery.check_store(tmp_path / "store")
  assert report["sound"] and report["revision"] == 1 and report["damage"] == []
  copy = tmp_path / "copy.mdb"
  store.backup(copy)
  os.truncate(copy, 8192)
  with pytest.raises(livery.CorruptError) as caught:
    livery.check_store(copy)
  assert caught.value.report["damage"]
  with pytest.raises(livery.CorruptError):
    store.restore(copy)
  assert store["volume"] == 5


def test_compaction_and_figures(store):
  store.set("blob", "x" * 500_000)
  store.reset("blob")
  before = store.stats()
  store.compact()
  after = store.stats()
  assert after["fileBytes"] < before["fileBytes"]
  assert after["revision"] == before["revision"] and "recovery" not in after
  assert after["databases"]["layers"]["entries"] == 1
  assert store["volume"] == 5
