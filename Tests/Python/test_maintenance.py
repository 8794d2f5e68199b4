"""Backups, checks, compaction and figures."""

import os
import re
import stat
import subprocess
import sys
import time
from datetime import timedelta

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


def reasons(store, count):
  """Why the store's own backups were made; copies are made beside those who commit, and awaited here."""
  end = time.monotonic() + 10
  while len(store.backups()) < count and time.monotonic() < end:
    time.sleep(0.01)
  return [item["reason"] for item in store.backups()]


def test_a_store_copies_itself_after_so_many_commits_or_seconds(tmp_path):
  with livery.open(tmp_path / "many", create=True, backup_commits=2, backup_age=livery.NEVER) as store:
    store.set("volume", 1)
    assert store.backups() == []
    store.set("volume", 2)
    assert reasons(store, 1) == ["automatic"]
  age = timedelta(seconds=1)
  with livery.open(tmp_path / "old", create=True, backup_commits=livery.NEVER, backup_age=age) as store:
    store.set("volume", 1)
    time.sleep(1.1)
    assert store.backups() == []
    store.set("volume", 2)
    assert reasons(store, 1) == ["automatic"]
  for age in (livery.NEVER, float("inf")):
    with livery.open(tmp_path / "never", create=True, backup_commits=livery.NEVER, backup_age=age) as store:
      store.set("volume", time.time())
    with livery.open(tmp_path / "never", backup_age=age) as store:
      assert store.backups() == []


def test_a_damaged_store_is_brought_back_or_refused(tmp_path):
  path = tmp_path / "damaged"
  with livery.open(path, create=True) as store:
    store.set("volume", 5)
  os.truncate(path / "data.mdb", 1000)
  with pytest.raises(livery.CorruptError):
    livery.open(path, no_recovery=True)
  with livery.open(path) as store:
    assert store["volume"] == 5 and "recovery" in store.stats()


def test_a_store_may_be_shared_with_its_group(tmp_path):
  for group, modes in ((False, [0o700, 0o600]), (True, [0o770, 0o660])):
    path = tmp_path / str(group)
    with livery.open(path, create=True, group=group):
      assert [stat.S_IMODE(os.stat(file).st_mode) for file in (path, path / "data.mdb")] == modes


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
  assert after["databases"]["settings"]["entries"] == 2
  assert store["volume"] == 5


def schema(version, key, password, steps=()):
  setting = {"Type": "TextField", "Title": "PIN", "Key": key}
  if password:
    setting["Class"] = ["Password"]
  document = {"Version": version, "Groups": [{"Title": "All", "Settings": [setting]}]}
  if steps:
    document["Migrations"] = [{"To": version, "Steps": list(steps)}]
  return document


def test_a_secret_is_forgotten_in_the_log_and_in_backups(tmp_path):
  with livery.open(tmp_path / "secret", create=True) as store:
    store.apply_schema(schema(1, "pin", True))
    store.set("pin", "first-secret")
    store.backup()
    store.set("pin", "second-secret")
    done = store.forget("pin", backups=True)
    assert done["name"] == "pin" and done["commits"] >= 2
    assert [item["outcome"] for item in done["backups"]] == ["rewritten"] and done["damaged"] == []
    change = store.history(limit=1)[0]["changes"][0]
    assert change["forgotten"] and "old" not in change and "new" not in change
    assert store["pin"] == "second-secret"
    assert "backups" not in store.forget("pin")
  for path in (tmp_path / "secret").rglob("*"):
    assert path.is_dir() or b"first-secret" not in path.read_bytes()


def test_no_upgrade_shows_a_secret_without_consent(tmp_path):
  with livery.open(tmp_path / "secret", create=True) as store:
    store.apply_schema(schema(1, "pin", True))
    store.set("pin", "first-secret")
    plain = schema(2, "code", False, [{"Op": "rename", "From": "pin", "Into": "code"}])
    findings = livery.compare_schemas(schema(1, "pin", True), plain)["findings"]
    assert [item["code"] for item in findings] == ["declassified"]
    for attempt in (store.check_schema, store.apply_schema):
      with pytest.raises(livery.MigrationError) as caught:
        attempt(plain)
      assert caught.value.report["declassified"][0]["name"] == "code"
      assert "first-secret" not in str(caught.value)
    report = store.apply_schema(plain, declassify=["code"])
    assert report["applied"] and report["declassified"][0]["allowed"]
    assert store["code"] == "first-secret"


def numbers(version, *more, read_only=False):
  volume = {"Type": "Number", "Title": "V", "Key": "volume", "Format": "integer", "Value": 1, "ReadOnly": read_only}
  return {"Version": version, "Groups": [{"Title": "G", "Settings": [volume, *more]}]}


def test_what_was_allowed_to_change_a_read_only_setting_is_undone(store, tmp_path):
  store.apply_schema(numbers(1, read_only=True))
  store.backup(tmp_path / "copy.mdb")
  with store.change("user") as change:
    change.ignore_locks()
    change.set("volume", 6)
  store.undo(store.revision)
  assert store["volume"] == 5
  with store.change("user") as change:
    change.ignore_locks()
    change.set("volume", 7)
  store.undo(store.restore(tmp_path / "copy.mdb"))
  assert store["volume"] == 7


def test_what_was_orphaned_comes_back_as_that(store, tmp_path):
  old = {"Type": "TextField", "Title": "Old", "Key": "old"}
  store.apply_schema(numbers(1, old))
  store.set("old", "text")
  store.apply_schema(numbers(2))
  store.reset("old")
  store.backup(tmp_path / "copy.mdb")
  store.undo(store.revision)
  with pytest.raises(livery.NotFoundError):
    store["old"]
  assert "text" in store.export_json(layers=True)
  store.set("volume", 8)
  revision = store.restore(tmp_path / "copy.mdb")
  assert "text" not in store.export_json(layers=True)
  store.undo(revision)
  assert store["volume"] == 8 and "text" in store.export_json(layers=True)
  store.apply_schema(numbers(3, old))
  assert store["old"] == "text"


def test_what_has_ended_since_the_backup_does_not_come_back(store, tmp_path):
  with store.change("session") as change:
    change.expires(timedelta(milliseconds=300))
    change.set("shown", "for a moment")
  store.backup(tmp_path / "copy.mdb")
  time.sleep(0.4)
  store.set("volume", 9)
  revision = store.restore(tmp_path / "copy.mdb")
  assert store["volume"] == 5 and "shown" not in store
  assert store.restore(tmp_path / "copy.mdb") == revision
  store.undo(revision)
  assert store["volume"] == 9


def test_what_is_no_file_is_not_replaced_by_a_store(tmp_path):
  (tmp_path / "piped").mkdir()
  os.mkfifo(tmp_path / "piped" / "data.mdb")
  with pytest.raises(livery.NotAStoreError, match="no regular file"):
    livery.open(tmp_path / "piped", create=True)
  assert stat.S_ISFIFO(os.stat(tmp_path / "piped" / "data.mdb").st_mode)


def test_a_backup_is_restored_where_what_is_known_of_former_settings_is_damaged(store, tmp_path):
  schema = '{"Version": %d, "Groups": [{"Title": "G", "Settings": [{"Type": "TextField", "Key": "k", "Title": "k"}%s]}]}'
  store.apply_schema(schema % (1, ', {"Type": "TextField", "Key": "former.one", "Title": "f"}'))
  store.set("former.one", "x")
  store.set("k", "1")
  store.backup()
  store.apply_schema(schema % (2, ""))
  store.set("k", "2")
  with open(tmp_path / "store" / "data.mdb", "r+b") as file:
    content = file.read()
    for found in re.finditer(b"orphans", content):
      place = content.find(b"former.one", found.start(), found.start() + 60)
      if place > 0:
        file.seek(place)
        file.write(bytes([content[place] ^ 1]))
  name = next(one["name"] for one in store.backups() if one["reason"] == "manual")
  store.restore(name)
  assert store["k"] == "1"


OTHER = "import livery, sys; livery.open(sys.argv[1]).set('volume', int(sys.argv[2]))"


def test_those_who_watch_hear_that_a_copy_from_before_has_taken_the_files_place(store, tmp_path):
  store.backup()
  for value in range(6, 12):
    store.set("volume", value)
  last = store.revision
  seen = []
  with store.watch("volume", lambda event: seen.append(event), dispatch=True):
    os.unlink(tmp_path / "store" / "data.mdb")
    # Whoever opens the store next has only the copy.
    subprocess.run([sys.executable, "-c", OTHER, str(tmp_path / "store"), "20"], check=True)
    deadline = time.monotonic() + 20
    while store["volume"] != 20 or not seen or seen[-1].new != 20:
      assert time.monotonic() < deadline
      store.dispatch()
      time.sleep(0.01)
  assert seen[0].kind is livery.EventKind.RESYNC
  assert all(event.revision > last for event in seen)


def test_what_a_restore_removes_is_told_of_the_layer_that_had_it(store):
  store.backup()
  store.set("a", 1, layer="enforced")
  store.set("b", 2, layer="bundle")
  store.set("volume", 7, layer="enforced")
  seen = []
  with store.watch("**", lambda event: seen.append((event.name, event.layer.name.lower())), dispatch=True):
    store.restore()
    store.dispatch()
  assert sorted(seen) == [("a", "enforced"), ("b", "bundle"), ("volume", "enforced")]
