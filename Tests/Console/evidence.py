"""What is left after kills, read without the console: whether all that was answered is there, once, and agrees."""

import sqlite3

import read_sync
from workers import Administrator, Commander, Joiner, Reporter, Watcher


class Tables:
  """The database, by SQLite's library or PostgreSQL's psql; blobs as hexadecimal digits."""

  def __init__(self, scene):
    self.postgres = scene.postgres
    if not self.postgres:
      self.connection = sqlite3.connect(scene.console.state / "console.db")

  def rows(self, columns, table, more=""):
    """Rows of texts and numbers; a column whose name ends with `*` has bytes."""
    hexadecimal = "encode({}, 'hex')" if self.postgres else "lower(hex({}))"
    named = ", ".join(hexadecimal.format(one[:-1]) if one.endswith("*") else one for one in columns.split())
    sql = f"SELECT {named} FROM {table} {more}"
    if self.postgres:
      return [[int(cell) if cell.isdigit() and len(cell) < 16 else cell for cell in row] for row in self.postgres.ask(sql)]
    return [list(row) for row in self.connection.execute(sql)]

  def problems(self):
    """What the database's own check says."""
    if self.postgres:
      # Every row of every table is read; and unique is what has to be.
      names = [row[0] for row in self.postgres.ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
      for name in names:
        self.postgres.ask(f"SELECT count(*) FROM (SELECT * FROM {name}) AS every")
      return []
    found = [row[0] for row in self.connection.execute("PRAGMA integrity_check")]
    return [one for one in found if one != "ok"] + [str(row) for row in self.connection.execute("PRAGMA foreign_key_check")]


def is_contiguous(numbers):
  return sorted(numbers) == list(range(1, len(numbers) + 1))


def examine(scene):
  tables = Tables(scene)
  for problem in tables.problems():
    scene.fail(f"the database: {problem}")
  figures = {}
  publications(scene, tables, figures)
  devices(scene, tables, figures)
  files(scene, tables)
  figures["manifests seen"] = sum(len(worker.seen) for worker in scene.workers if isinstance(worker, Watcher))
  refused = sum(count for key, count in scene.nginx.answers().items() if key.startswith("409 POST reports"))
  if refused:
    scene.fail(f"{refused} reports of real devices had a number that was there before")
  return figures


def publications(scene, tables, figures):
  """Each that was acknowledged is there once, with what was in the draft; those that were refused are not."""
  attempts = [one for worker in scene.workers if isinstance(worker, (Administrator, Commander)) for one in worker.attempts]
  listed = tables.rows("number channel comment hash*", "publications")
  contents = {row[0]: bytes.fromhex(row[1]) for row in tables.rows("hash* content*", "documents")}
  by_comment = {}
  for row in listed:
    by_comment.setdefault(row[2], []).append(row)
  if not is_contiguous([row[0] for row in listed]):
    scene.fail("the numbers of publications are not one after another")
  for one in attempts:
    found = by_comment.get(one["comment"], [])
    most = 0 if one["outcome"] == "refused" else 1
    if len(found) > most or (one["outcome"] == "done" and not found):
      scene.fail(f"{one['comment']} was {one['outcome']}, and is there {len(found)} times")
      continue
    if not found:
      continue
    number, channel, _, hashed = found[0]
    if channel != one["channel"] or one["number"] not in (None, number):
      scene.fail(f"{one['comment']} is publication {number} of {channel}")
    if one["settings"] is not None:
      said = {item["name"]: (item["verb"], item.get("value")) for item in read_sync.cbor(contents[hashed]).get("settings", [])}
      if said != one["settings"]:
        scene.fail(f"{one['comment']} says {said}, where the draft said {one['settings']}")
  history = tables.rows("number what detail", "history")
  if not is_contiguous([row[0] for row in history]):
    scene.fail("the numbers of the history are not one after another")
  told = [row[2].split(":")[0] for row in history if str(row[1]).startswith("published ")]
  if sorted(told) != sorted(f"publication {row[0]}" for row in listed):
    scene.fail("the history tells of other publications than there are")
  for outcome in ("done", "refused", "unknown"):
    figures[f"publications {outcome}"] = sum(one["outcome"] == outcome for one in attempts)
  figures["unknown but there"] = sum(one["outcome"] == "unknown" and one["comment"] in by_comment for one in attempts)
  figures["history"] = len(history)


def devices(scene, tables, figures):
  """Who was let in is there, once; each code has let in one; no report that was acknowledged is missing."""
  kept = {row[0]: row[1] for row in tables.rows("id sequence", "devices")}
  joined = [device for worker in scene.workers if isinstance(worker, Joiner) for device in worker.joined]
  codes = [one for worker in scene.workers if isinstance(worker, Joiner) for one in worker.attempts]
  if set(kept) != {device.id for device in joined} | set(scene.devices.ids.values()):
    scene.fail("there are other devices than those that were let in")
  used = {row[0]: row[1] for row in tables.rows("id device", "enrollments")}
  for code in codes:
    if used.get(code["id"]) != code["device"]:
      scene.fail(f"the code {code['id']} let in {used.get(code['id'])} and not {code['device']}")
  for device in joined:
    if not device.acknowledged <= kept.get(device.id, -1) <= device.sequence:
      scene.fail(f"the last report of {device.id} is {kept.get(device.id)}; {device.acknowledged} was acknowledged")
  told = sorted(str(row[0]).split()[1] for row in tables.rows("what", "history") if str(row[0]).endswith(" joined"))
  if told != sorted(kept):
    scene.fail("the history tells of other devices than there are")
  figures["devices"] = len(kept)
  figures["reports"] = sum(len(worker.attempts) for worker in scene.workers if isinstance(worker, Reporter))


def files(scene, tables):
  """What is delivered is what the database has, and no version was ever something else."""
  published = scene.console.published / "v1"
  seen = next(worker.seen for worker in scene.workers if isinstance(worker, Watcher))
  channels = tables.rows("name version manifest*", "channels")
  for name, version, content in channels:
    data = bytes.fromhex(content)
    file = published / "channels" / name / "manifest"
    if not file.exists() or file.read_bytes() != data:
      scene.fail(f"the file of {name} is not what the database has")
    if seen.get((name, version), data) != data:
      scene.fail(f"version {version} of {name} was something else before")
    higher = [one for channel, one in seen if channel == name and one > version]
    if higher:
      scene.fail(f"version {max(higher)} of {name} was delivered, and the database has {version}")
  for hashed, content in tables.rows("hash* content*", "documents"):
    file = published / "blobs" / hashed
    if not file.exists() or file.read_bytes() != bytes.fromhex(content):
      scene.fail(f"the document {hashed} is not there as it is in the database")
