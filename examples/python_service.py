#!/usr/bin/env python3
"""A screensaver service for a kiosk: plays what the store says, and tells the store what it does.

It reads its settings typed, every few seconds, and keeps a status in the `session` layer, where it expires by itself
if the service dies. `--once` does one round and leaves.

    python_service.py /var/lib/kiosk/settings --schema SettingsSchema.json
"""

import argparse
import logging
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import List, NamedTuple

import livery

IDLE, MEDIA, PLAYLIST, STATUS = "duration", "mediaUrl", "mmasm_playlist_screensaver", "service.status"
ROUND = timedelta(seconds=5)
UNUSABLE = (livery.NotFoundError, livery.NoValueError, livery.TypeMismatchError)
log = logging.getLogger("screensaver")


class Program(NamedTuple):
  """What to play, and when."""

  idle_minutes: int
  items: List[str]


def read_program(store: livery.Store) -> Program:
  """The settings as the service needs them; one that is missing or unusable gets the service's own default."""
  try:
    idle = store.get_int(IDLE)
  except UNUSABLE as error:
    log.warning("%s; resetting after 2 minutes", error)
    idle = 2
  try:
    playlist = store.get_list(PLAYLIST)
  except UNUSABLE:
    playlist = []
  items = [item["content"] for item in playlist if isinstance(item, dict) and item.get("content")]
  try:
    media = store.get_url(MEDIA)
  except UNUSABLE as error:
    log.warning("%s; playing the playlist alone", error)
    media = livery.URL("")
  return Program(idle, items or ([media] if media else []))


def tell(store: livery.Store, status: str) -> None:
  """Keep the status; it goes by itself when three rounds were missed."""
  try:
    with store.change("session", origin="screensaver") as change:
      change.expires(3 * ROUND)
      change[STATUS] = status
  except livery.NotFoundError as error:
    log.warning("no status is kept: %s", error)
  except livery.BusyError as error:
    log.warning("no status this time: %s", error)


def serve(store: livery.Store, stop: threading.Event, once: bool) -> None:
  playing = None
  while not stop.is_set():
    # Reads are cheap: looking every round costs less than finding out whether to look.
    program = read_program(store)
    if program != playing:
      print(f"after {program.idle_minutes} min: {', '.join(program.items) or 'nothing to play'}", flush=True)
      playing = program
    tell(store, "playing" if program.items else "idle")
    if once:
      return
    stop.wait(ROUND.total_seconds())


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("store", help="the store's directory")
  parser.add_argument("--schema", type=Path, help="a schema to apply first")
  parser.add_argument("--once", action="store_true", help="do one round and leave")
  options = parser.parse_args()
  logging.basicConfig(format="%(name)s: %(message)s")
  livery.set_log_handler(lambda level, message: log.warning("livery: %s", message))

  stop = threading.Event()
  for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: stop.set())
  try:
    with livery.open(options.store, create=options.schema is not None) as store:
      if options.schema:
        store.apply_schema(options.schema.read_bytes())
      serve(store, stop, options.once)
  except livery.SchemaInvalidError as error:
    for found in (error.report or {}).get("diagnostics", []):
      print(f"{options.schema}:{found.get('line')}:{found.get('column')}: {found['message']}", file=sys.stderr)
    return 2
  except (livery.LiveryError, OSError) as error:
    print(f"{parser.prog}: {error}", file=sys.stderr)
    if isinstance(error, livery.LiveryError):
      print(error.hint, file=sys.stderr)
    return 1
  return 0


if __name__ == "__main__":
  sys.exit(main())
