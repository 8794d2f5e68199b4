"""Python's sqlite3 module on the store that c/sqlite.c made."""
import os
import sqlite3

import driver


def open_subject(path: str, count: int) -> driver.Subject:
  connection = sqlite3.connect(os.path.join(path, "settings.db"), isolation_level=None)
  connection.execute("PRAGMA journal_mode=WAL")
  connection.execute("PRAGMA synchronous=FULL")
  execute = connection.execute

  def get(name):
    return execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()[0]

  def commit(edits):
    execute("BEGIN IMMEDIATE")
    connection.executemany("REPLACE INTO settings VALUES (?, ?)", edits)
    execute("COMMIT")

  return driver.Subject(get, get, get, get, commit)


driver.main(open_subject)
