#!/usr/bin/env python3
"""Compares layouts of the data file: the settings of the mixed workload, declared and with a default and a value in the layer `user`
each, are written with LMDB alone, and what each commit writes is counted. docs/internals/layout.md has what came of it.

    layout.py [--sizes 1000,100000]

Checksums are zeros, and nothing is synced: neither changes what is written. Needs the Python module lmdb.
"""
import argparse
import pathlib
import random
import statistics
import struct
import tempfile
from typing import Callable, Dict, List

import lmdb

PAGE, LOG_ENTRIES, ORIGIN, CHECKSUM, TIME = 4096, 10_000, b"demo", bytes(8), 1_772_357_400_000_000
DEFAULTS, USER = 0, 3


def head(major: int, number: int) -> bytes:
  for code, size, form in ((24, 1, ">B"), (25, 2, ">H"), (26, 4, ">I"), (27, 8, ">Q")):
    if number < 24:
      return bytes([major << 5 | number])
    if number < 1 << 8 * size:
      return bytes([major << 5 | code]) + struct.pack(form, number)
  raise ValueError(number)


def cbor(value) -> bytes:
  if isinstance(value, bool):
    return b"\xf5" if value else b"\xf4"
  if isinstance(value, int):
    return head(0, value) if value >= 0 else head(1, -1 - value)
  if isinstance(value, float):
    return b"\xfb" + struct.pack(">d", value)
  if isinstance(value, str):
    return head(3, len(value.encode())) + value.encode()
  if isinstance(value, list):
    return head(4, len(value)) + b"".join(map(cbor, value))
  return head(5, len(value)) + b"".join(cbor(name) + cbor(item) for name, item in value.items())


def varint(number: int) -> bytes:
  parts = b""
  while number >= 128:
    parts, number = parts + bytes([number & 127 | 128]), number >> 7
  return parts + bytes([number])


class Settings:
  """As benchmarks/c/mixed.h has them."""

  def __init__(self, count: int) -> None:
    self.count = count
    each = (count + 99) // 100
    self.names = [f"group{index // each:02}.setting{index % each:04}" for index in range(count)]

  def value(self, index: int, generation: int):
    """Of the generation −1 is the default."""
    text = f"{(index * 40503 + generation + 1) & 0xFFFFFFFF:08x}"
    return [(index // 5 + generation) % 2 == 1, index * 1000 + generation, index + generation / 4 + 0.125, text * 2, text * 25][index % 5]

  def payload(self, index: int, generation: int) -> bytes:
    value = self.value(index, generation)
    if isinstance(value, bool):
      return bytes([value])
    return value.encode() if isinstance(value, str) else struct.pack("<q" if isinstance(value, int) else "<d", value)

  def declaration(self, index: int) -> bytes:
    return cbor({"key": self.names[index], "kind": index % 5 + 1, "group": f"Group {index * 100 // self.count}",
                 "title": f"Setting {index}"})

  def text(self) -> bytes:
    types = ['"ToggleSwitch"', '"Number", "Format": "integer"', '"Number", "Format": "number"', '"TextField"', '"TextField"']
    return b", ".join(f'{{"Type": {types[index % 5]}, "Title": "Setting {index}", "Key": "{self.names[index]}", "Value": {value}}}'.encode()
                      for index in range(self.count) for value in [self.value(index, -1)])


class Layout:
  """The base of all but raw LMDB: a log that is trimmed, and rows of meta that each commit writes."""
  DATABASES: List[str] = ["meta", "schema", "settings", "log"]
  #: The one whose pages reads touch.
  READ = "settings"
  title = ""

  def __init__(self, folder: pathlib.Path, settings: Settings, trimmed_at_once: int = 1) -> None:
    self.settings, self.trimmed_at_once = settings, trimmed_at_once
    self.file = folder / "data.mdb"
    self.environment = lmdb.open(str(folder), map_size=1 << 32, max_dbs=16, sync=False, metasync=False)
    self.databases = {name: self.environment.open_db(name.encode()) for name in self.DATABASES}
    self.generations = [-1] * settings.count
    self.revision, self.logged = 0, []

  # What a layout has of its own

  def declare(self, transaction, index: int) -> None:
    transaction.put(b"%s" % self.settings.names[index].encode(), CHECKSUM + b"\0" + self.settings.declaration(index),
                    db=self.databases["schema"])

  def write(self, transaction, index: int) -> None:
    raise NotImplementedError

  def changes(self, indexes: List[int]) -> dict:
    """A change with the edit that made it: the old value and the new one, each once."""
    settings, generations = self.settings, self.generations
    return {"c": [[settings.names[index], USER, 2839, *(settings.value(index, generations[index] + step) for step in (0, 1))]
                  for index in indexes], "e": []}

  def meta(self, transaction, key: bytes, content: bytes) -> None:
    transaction.put(key, CHECKSUM + content, db=self.databases["meta"])

  # What all do

  def load(self, users_first: bool = False, order: Callable[[List[int]], List[int]] = list) -> None:
    """Declarations and defaults by one commit, and by another the values."""
    every = list(range(self.settings.count))
    with self.environment.begin(write=True) as transaction:
      for key, size in ((b"format", 8), (b"id", 16), (b"schema", 25)):
        self.meta(transaction, key, bytes(size))
      for index in every:
        self.declare(transaction, index)
        if users_first:
          self.generations[index] = 0
        self.write(transaction, index)
      self.end(transaction, {"c": []})
    if not users_first:
      with self.environment.begin(write=True) as transaction:
        for index in order(every):
          self.generations[index] = 0
          self.write(transaction, index)
        # Of so many changes the log has none.
        self.end(transaction, {"c": []})

  def end(self, transaction, changed: dict) -> None:
    self.revision += 1
    entry = {"t": TIME + self.revision, "l": USER, "o": ORIGIN.decode(), "k": 0, **changed}
    self.log(transaction, struct.pack(">Q", self.revision), CHECKSUM + cbor(entry))
    self.logged.append(self.revision)
    if len(self.logged) >= LOG_ENTRIES + self.trimmed_at_once:
      for revision in self.logged[:self.trimmed_at_once]:
        transaction.delete(struct.pack(">Q", revision), db=self.databases["log"])
      self.meta(transaction, b"log-trimmed", struct.pack("<Q", self.logged[self.trimmed_at_once - 1]))
      del self.logged[:self.trimmed_at_once]
    self.meta(transaction, b"revision", struct.pack("<Q", self.revision))

  def log(self, transaction, key: bytes, entry: bytes) -> None:
    transaction.put(key, entry, db=self.databases["log"])

  def commit(self, indexes: List[int]) -> int:
    """Bytes written."""
    before = written()
    with self.environment.begin(write=True) as transaction:
      changed = self.changes(indexes)
      for index in indexes:
        self.generations[index] += 1
        self.write(transaction, index)
      self.end(transaction, changed)
    return written() - before

  def pages(self) -> Dict[str, int]:
    with self.environment.begin() as transaction:
      found = {name: transaction.stat(handle) for name, handle in self.databases.items()}
    return {name: each["branch_pages"] + each["leaf_pages"] + each["overflow_pages"] for name, each in found.items()}


class Raw(Layout):
  title = "R  raw LMDB: name, payload"
  DATABASES = ["settings"]

  def declare(self, transaction, index: int) -> None:
    pass

  def meta(self, transaction, key: bytes, content: bytes) -> None:
    pass

  def write(self, transaction, index: int) -> None:
    if self.generations[index] >= 0:
      transaction.put(self.settings.names[index].encode(), self.settings.payload(index, self.generations[index]),
                      db=self.databases["settings"])

  def end(self, transaction, changed: dict) -> None:
    self.revision += 1


class Copies(Layout):
  title = "A  a record in each layer, a copy of the winner"
  DATABASES = ["meta", "schema", "layers", "effective", "log"]
  READ = "effective"

  def record(self, index: int, generation: int) -> bytes:
    return CHECKSUM + bytes(8) + struct.pack("<QQQ", self.revision, TIME, 0) + self.settings.payload(index, generation) + ORIGIN

  def write(self, transaction, index: int) -> None:
    generation, name = self.generations[index], self.settings.names[index].encode()
    record = self.record(index, generation)
    transaction.put(bytes([DEFAULTS if generation < 0 else USER]) + name, record, db=self.databases["layers"])
    transaction.put(name, record, db=self.databases["effective"])

  def changes(self, indexes: List[int]) -> dict:
    settings, rows = self.settings, []
    for index in indexes:
      old, new = (settings.value(index, self.generations[index] + step) for step in (0, 1))
      rows.append((settings.names[index], old, new))
    return {"c": [[name, USER, 19, old, new] for name, old, new in rows], "e": [[name, USER, -(1 << 62), 0, old] for name, old, _ in rows]}


class OneRecord(Layout):
  title = "B  one record a setting"

  def entry(self, layer: int, revision: int, payload: bytes, is_last: bool) -> bytes:
    size = b"" if is_last else varint(len(payload))
    return bytes([layer << 4]) + varint(revision) + struct.pack("<Q", TIME) + bytes([len(ORIGIN)]) + ORIGIN + size + payload

  def record(self, index: int) -> bytes:
    generation, settings = self.generations[index], self.settings
    entries = self.entry(DEFAULTS, 1, settings.payload(index, -1), True)
    if generation >= 0:
      entries = self.entry(USER, self.revision, settings.payload(index, generation), False) + entries
    return CHECKSUM + b"\0" + varint(self.revision) + entries

  def write(self, transaction, index: int) -> None:
    transaction.put(self.settings.names[index].encode(), self.record(index), db=self.databases["settings"])


class MetaInMain(OneRecord):
  title = "C  as B, meta in the unnamed database"
  DATABASES = ["schema", "settings", "log"]

  def meta(self, transaction, key: bytes, content: bytes) -> None:
    transaction.put(b"." + key, CHECKSUM + content)


class LatestInMain(MetaInMain):
  title = "E  as C, the latest entries of the log in the unnamed database"
  MOST = 1280

  def log(self, transaction, key: bytes, entry: bytes) -> None:
    latest = getattr(self, "latest", [])
    if sum(len(each) + 24 for _, each in latest) + len(entry) + 24 > self.MOST:
      for moved, each in latest:
        transaction.delete(b".log:" + moved)
        super().log(transaction, moved, each)
      latest = []
    if len(entry) + 24 > self.MOST:
      super().log(transaction, key, entry)
    else:
      transaction.put(b".log:" + key, entry)
      latest.append((key, entry))
    self.latest = latest


class WithDeclaration(MetaInMain):
  title = "D  as C, declaration in the record"
  DATABASES = ["settings", "log"]

  def declare(self, transaction, index: int) -> None:
    pass

  def record(self, index: int) -> bytes:
    whole, declaration = super().record(index), self.settings.declaration(index)
    return whole[:8] + varint(len(whole)) + whole[8:] + declaration


def written() -> int:
  for line in open("/proc/self/io", encoding="ascii"):
    if line.startswith("wchar:"):
      return int(line.split()[1])
  raise OSError("/proc/self/io has no wchar")


def made(kind, folder: pathlib.Path, settings: Settings, *more) -> Layout:
  folder.mkdir()
  return kind(folder, settings, *more)


def steady(layout: Layout, chance: random.Random) -> None:
  """Until the log is full."""
  for _ in range(LOG_ENTRIES + 2 * layout.trimmed_at_once + 100):
    layout.commit([chance.randrange(layout.settings.count)])


def shuffled(every: List[int]) -> List[int]:
  return random.Random(2).sample(every, len(every))


def compare(work: pathlib.Path, count: int) -> None:
  settings, raw_size, raw_read = Settings(count), 0, 0
  print(f"\n{count:,} settings{'':24} {'file':>11} {'x raw':>6} {'read':>6} {'x raw':>6} {'pages written by a commit of':>34} {'file':>11}")
  print(f"{'':42} {'loaded':>5} {'':6} {'pages':>6} {'':6} {'1':>10} {'100':>11} {f'{min(count, 10_000):,}':>11} {'at the end':>11}")
  for kind in (Raw, Copies, OneRecord, MetaInMain, WithDeclaration):
    chance = random.Random(1)
    layout = made(kind, work / f"{kind.__name__}-{count}", settings)
    layout.load(order=shuffled)
    size, read = layout.file.stat().st_size, layout.pages()[kind.READ]
    raw_size, raw_read = raw_size or size, raw_read or read
    steady(layout, chance)
    means = []
    for batch, rounds in ((1, 300), (100, 30), (10_000, 5)):
      commits = [layout.commit(chance.sample(range(count), min(batch, count))) for _ in range(rounds)]
      means.append(statistics.mean(-(-each // PAGE) for each in commits))
    print(f"{layout.title:36} {size:>11,} {size / raw_size:>6.2f} {read:>6,} {read / raw_read:>6.2f} {means[0]:>10.1f} {means[1]:>11.1f} "
          f"{means[2]:>11,.0f} {layout.file.stat().st_size:>11,}", flush=True)
  print(f"the schema's text, in none of them: {len(settings.text()):,} bytes")


def trimming(work: pathlib.Path, count: int) -> None:
  print(f"\n{count:,} settings: pages written by a commit of one, by how many entries of the log go at once")
  for kind, at_once in ((MetaInMain, 1), (MetaInMain, 16), (MetaInMain, 64), (LatestInMain, 64)):
    chance = random.Random(1)
    layout = made(kind, work / f"trim-{kind.__name__}-{at_once}-{count}", Settings(count), at_once)
    layout.load(order=shuffled)
    steady(layout, chance)
    figures = [-(-layout.commit([chance.randrange(count)]) // PAGE) for _ in range(640)]
    print(f"  {kind.title[0]} {at_once:>3}: mean {statistics.mean(figures):.2f}, median {statistics.median(figures):.0f}, most {max(figures)}")


def loading(work: pathlib.Path, count: int) -> None:
  print(f"\nC, {count:,} settings: the file, by how it was loaded")
  settings, raw = Settings(count), {}
  for name, order in (("in order of names", list), ("shuffled", shuffled)):
    layout = made(Raw, work / f"raw-{name}-{count}", settings)
    layout.load(order=order)
    raw[name] = layout.file.stat().st_size
    print(f"  raw LMDB, {name}: {raw[name]:,}")
  for title, kind in (("C", MetaInMain),):
    for name, more in (("defaults, then values in order of names", {"order": list}), ("defaults, then values shuffled", {"order": shuffled}),
                       ("defaults and values by one commit", {"users_first": True})):
      layout = made(kind, work / f"{title}-{name}-{count}", settings)
      layout.load(**more)
      size, pages = layout.file.stat().st_size, layout.pages()
      print(f"  {title}, {name}: {size:,}, x raw {size / raw['in order of names']:.2f} in order, {size / raw['shuffled']:.2f} shuffled; "
            f"pages in use {sum(pages.values()):,} ({', '.join(f'{key} {each:,}' for key, each in pages.items())})")


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--sizes", default="1000,100000")
  sizes = [int(word) for word in parser.parse_args().sizes.split(",")]
  with tempfile.TemporaryDirectory(prefix="livery-layout-") as folder:
    work = pathlib.Path(folder)
    for count in sizes:
      compare(work, count)
    for count in sizes:
      trimming(work, count)
    loading(work, max(sizes))


if __name__ == "__main__":
  main()
