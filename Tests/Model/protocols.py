"""The protocols of memory that threads and processes share, each as a small program with the orderings of the sources.

A protocol has the words as they are at first, its threads, what must not come of them (beside races of plain accesses), and what
is weakened in the variants that are to be found broken. docs/internals/memory-model.md tells of each by its name.
"""
import collections

from executions import compare_exchange, fence, load, store, update

Protocol = collections.namedtuple("Protocol", "name start threads is_bad weaker")
PROTOCOLS = []


def protocol(start, weaker, is_bad=None):
  """`weaker`: what each variant has in place of the sources' orderings."""
  def add(make):
    PROTOCOLS.append(Protocol(make.__name__, start, make, is_bad, weaker))
    return make
  return add


# An entry: w0 is 2 while the old value is in it, 3 while it is written, 4 when the new one is.
@protocol({"w0": 2, "w1": 0, "w3": 0},
          [{"open_slot.fence": "none"}, {"close_slot": "relaxed"}, {"key.head": "relaxed"}, {"is_whole.fence": "none"}],
          lambda r: r.get("head") == r.get("again") and (r["one"], r["two"]) != {2: (0, 0), 4: (1, 1)}[r["head"]])
def entry(o):
  def writer():
    yield store("w0", 3, o["open_slot.word"])
    yield fence(o["open_slot.fence"])
    yield store("w1", 1, o["write_slot.words"])
    yield store("w3", 1, o["write_slot.words"])
    yield store("w0", 4, o["close_slot"])

  def reader():
    head = yield load("w0", o["key.head"])
    if head & 1:
      return {"head": head, "again": None}
    one = yield load("w1", o["current.stamp"])
    two = yield load("w3", o["scalar.value"])
    yield fence(o["is_whole.fence"])
    again = yield load("w0", o["is_whole.word"])
    return {"head": head, "again": again, "one": one, "two": two}
  return [writer, reader]


# The ring: what was at a position is overwritten only once its end says so.
@protocol({"end": 0, "ring": 0}, [{"take_ring.fence": "none"}, {"in_ring.fence": "none"}],
          lambda r: r["word"] == 1 and r["end"] == 0)
def ring(o):
  def writer():
    yield store("end", 1, o["take_ring.end"])
    yield fence(o["take_ring.fence"])
    yield store("ring", 1, o["write_slot.words"])

  def reader():
    word = yield load("ring", o["scalar.value"])
    yield fence(o["in_ring.fence"])
    end = yield load("end", o["in_ring.end"])
    return {"word": word, "end": end}
  return [writer, reader]


# The index: whoever finds a slot by it finds what the slot was given before, be it in an index that has grown.
@protocol({"bits": 9, "old": 0, "new": 0, "w0": 0},
          [{"add.place": "relaxed"}, {"find.place": "relaxed"}, {"find.bits": "relaxed"}, {"grow.bits": "relaxed"}],
          lambda r: r["found"] == 1 and r["head"] == 0 or r["bits"] == 10 and r["old"] == 1 and r["found"] == 0)
def index(o):
  def writer():
    yield store("w0", 2, o["close_slot"] if o["add.place"] == "release" else "relaxed")
    yield store("old", 1, o["add.place"])
    yield store("new", 1, o["grow.place"])
    yield store("bits", 10, o["grow.bits"])

  def reader():
    bits = yield load("bits", o["find.bits"])
    found = yield load("new" if bits == 10 else "old", o["find.place"])
    head = yield load("w0", o["find.head"])
    old = yield load("old", "relaxed")
    return {"bits": bits, "found": found, "head": head, "old": old}
  return [writer, reader]


# Commit 2 has changed the entry, which was looked up at commit 1. One thread goes through the commits, another reads.
@protocol({"last": 1, "told": 0, "hash": 0, "w0": 2, "stamp": 1, "to": 1, "from": 1},
          [{"catch_up.synced_to": "relaxed", "open_slot.fence": "none"}, {"tell.end": "relaxed"}, {"changes.commit": "relaxed", "changes.fence": "none"},
           {"is_whole.fence": "none", "current.synced_to": "relaxed"}],
          lambda r: r.get("counts") or r.get("missed"))
def commits(o):
  def committer():
    # LMDB's own access is a plain one, of a volatile word.
    yield store("last", 2, "relaxed")
    yield store("told", 0, o["tell.begin"])
    yield fence(o["tell.fence"])
    yield store("hash", 7, o["tell.hash"])
    yield store("told", 2, o["tell.end"])

  def follower():
    last = yield load("last", o["catch_up.commit"])
    if last != 2 or (yield load("told", o["changes.commit"])) != 2:
      return {}
    name = yield load("hash", o["changes.hash"])
    yield fence(o["changes.fence"])
    if (yield load("told", o["changes.again"])) != 2:
      return {}
    if name != 7:
      return {"missed": True}
    yield store("w0", 3, o["open_slot.word"])
    yield fence(o["open_slot.fence"])
    yield store("stamp", 0, o["forget.stamp"])
    yield store("w0", 4, o["close_slot"])
    yield store("to", 2, o["catch_up.synced_to"])
    return {}

  def reader():
    if (yield load("w0", o["key.head"])) != 2:
      return {}
    commit = yield load("last", o["current.commit"])
    stamp = yield load("stamp", o["current.stamp"])
    if commit != 2 or stamp != 1 or (yield load("to", o["current.synced_to"])) != commit:
      return {}
    yield fence(o["is_whole.fence"])
    return {"counts": (yield load("w0", o["is_whole.word"])) == 2}
  return [committer, follower, reader]


# Commits 2 to 4 were not told: what was looked up before 4 does not count when the cache has gone on to 5.
@protocol({"to": 1, "from": 1}, [{"end_sync.synced_to": "relaxed"}, {"current.synced_to": "relaxed"}],
          lambda r: r.get("counts"))
def incomplete(o):
  def follower():
    yield store("from", 4, o["end_sync.synced_from"])
    yield store("to", 5, o["end_sync.synced_to"])

  def reader():
    if (yield load("to", o["current.synced_to"])) != 5:
      return {}
    return {"counts": (yield load("from", o["current.synced_from"])) <= 1}
  return [follower, reader]


# A place of `recent`: what was told of commit 2 makes room for 34.
@protocol({"told": 2, "hash": 7}, [{"tell.fence": "none"}, {"changes.fence": "none"}],
          lambda r: r["first"] == 2 and r["again"] == 2 and r["hash"] != 7)
def told(o):
  def committer():
    yield store("told", 0, o["tell.begin"])
    yield fence(o["tell.fence"])
    yield store("hash", 8, o["tell.hash"])
    yield store("told", 34, o["tell.end"])

  def follower():
    first = yield load("told", o["changes.commit"])
    name = yield load("hash", o["changes.hash"])
    yield fence(o["changes.fence"])
    again = yield load("told", o["changes.again"])
    return {"first": first, "hash": name, "again": again}
  return [committer, follower]


# `busy`: one thread at a time.
@protocol({"busy": 0, "used": 0}, [{"unlock": "relaxed"}, {"lock": "relaxed"}])
def busy(o):
  def writer():
    if (yield update("busy", o["lock"], lambda found: 1)) != 0:
      return {}
    used = yield load("used", "plain")
    yield store("used", used + 1 if used < 2 else 2, "plain")
    yield store("busy", 0, o["unlock"])
    return {}
  return [writer, writer]


# A handle is made, and used by a thread that knows its number by whatever way.
@protocol({"state": 0, "slot": 0, "object": 0, "page": 0},
          [{"make.state": "relaxed"}, {"open_place.state": "relaxed", "pin.load": "relaxed", "pin.exchange": "relaxed"}],
          lambda r: r.get("slot") == 0 or r.get("page") == 0)
def handle(o):
  def maker():
    yield store("page", 1, o["token.store"])
    yield fence(o["make.fence"])
    yield store("object", 1, "plain")
    yield store("slot", 1, o["make.slot"])
    yield store("state", 16, o["make.state"])

  def reader():
    if (yield load("state", o["open_place.state"])) != 16:
      return {}
    page = yield load("page", o["open_place.page"])
    slot = yield load("slot", o["read.slot"])
    return {"page": page, "slot": slot}

  def caller():
    found = yield load("state", o["pin.load"])
    if found == 16 and (yield compare_exchange("state", 16, 17, o["pin.exchange"])) == 16:
      yield load("object", "plain")
    return {}
  return [maker, reader, caller]


# A call is inside while another thread closes: the last one out lets go. 16: open; below: calls inside.
@protocol({"state": 16, "object": 1}, [{"unpin": "relaxed"}, {"unpin": "release"}, {"unpin": "acquire"}])
def pins(o):
  def leave():
    found = yield update("state", o["unpin"], lambda value: value - 1 if value & 15 else None)
    if found == 1:
      yield store("object", 0, "plain")

  def caller():
    # Who finds it closed, or another in the way, is as good as not there.
    if (yield load("state", o["pin.load"])) != 16:
      return {}
    if (yield compare_exchange("state", 16, 17, o["pin.exchange"])) != 16:
      return {}
    yield load("object", "plain")
    yield from leave()
    return {}

  def closer():
    found = yield load("state", o["pin.load"])
    if found not in (16, 17) or (yield compare_exchange("state", found, found - 15, o["pin.exchange"])) != found:
      return {}
    yield from leave()
    return {}
  return [caller, closer]


# A place is used again (generation 2) while a reader has the former handle (1).
@protocol({"state": 1, "lock": 0, "slot": 1}, [{"make.fence": "none"}, {"was_held.fence": "none"}],
          lambda r: r.get("slot") == 2 and r.get("held"))
def reuse(o):
  def closer():
    yield store("state", 2, o["unpin.state"])
    yield store("lock", 1, "release")

  def maker():
    if (yield load("lock", "acquire")) != 1:
      return {}
    yield fence(o["make.fence"])
    yield store("slot", 2, o["make.slot"])
    yield store("state", 18, o["make.state"])
    return {}

  def reader():
    if (yield load("state", o["open_place.state"])) != 1:
      return {}
    slot = yield load("slot", o["read.slot"])
    yield fence(o["was_held.fence"])
    return {"slot": slot, "held": (yield load("state", o["was_held.state"])) == 1}
  return [closer, maker, reader]


# A bound key is let go of, and its slot goes to another name, or its store's cache to another store: under the same number in
# w0, as the worst case. A reader of the former key must not take the other's value (2) for its own (1).
@protocol({"state": 1, "busy": 1, "keys": 1, "w0": 2, "w3": 1},
          [{"unlock": "relaxed"}, {"lock": "relaxed"}, {"open_slot.fence": "none", "close_slot": "relaxed"},
           {"was_held.fence": "none", "is_whole.fence": "none", "key.head": "relaxed"}],
          lambda r: r.get("value") == 2 and r.get("held"))
def key(o):
  def closer():
    yield store("state", 2, o["unpin.state"])
    yield store("keys", 0, "plain")
    yield store("busy", 0, o["unlock"])

  def other():
    if (yield update("busy", o["lock"], lambda found: 1)) != 0:
      return {}
    yield load("keys", "plain")
    yield store("w0", 3, o["open_slot.word"])
    yield fence(o["open_slot.fence"])
    yield store("w3", 2, o["write_slot.words"])
    yield store("w0", 2, o["close_slot"])
    return {}

  def reader():
    if (yield load("state", o["open_place.state"])) != 1:
      return {}
    head = yield load("w0", o["key.head"])
    if head & 1:
      return {}
    value = yield load("w3", o["scalar.value"])
    yield fence(o["is_whole.fence"])
    again = yield load("w0", o["is_whole.word"])
    yield fence(o["was_held.fence"])
    held = yield load("state", o["was_held.state"])
    return {"value": value, "held": again == head and held == 1}
  return [closer, other, reader]


# A commit while a watcher goes to sleep: it is woken, or does not sleep, or has seen the commit. The kernel compares the count
# once more before it lets anybody sleep.
@protocol({"last": 1, "count": 0, "sleepers": 0},
          [{"signal.sleepers": "relaxed"}, {"signal.count": "acq_rel"}, {"join": "relaxed"}, {"count": "relaxed"}],
          lambda r: r["seen"] == 1 and r["sleeps"] and not r["wakes"])
def wake(o):
  def committer():
    yield store("last", 2, "relaxed")
    yield update("count", o["signal.count"], lambda found: found + 1 if found < 1 else None)
    return {"wakes": (yield load("sleepers", o["signal.sleepers"])) > 0}

  def watcher():
    yield update("sleepers", o["join"], lambda found: found + 1 if found < 1 else None)
    count = yield load("count", o["count"])
    seen = yield load("last", "relaxed")
    now = yield load("count", "seq_cst")
    return {"seen": seen, "sleeps": now == count}
  return [committer, watcher]


# The data file is replaced: whoever sees the new generation finds the new file, and whoever is told that it is not being
# replaced knows the generation.
@protocol({"file": 1, "generation": 1, "replacing": 1},
          [{"generation.add": "relaxed"}, {"generation.load": "relaxed"}, {"replacing.end": "relaxed"}],
          lambda r: r["generation"] == 2 and r["file"] == 1 or r["replacing"] == 0 and r["later"] == 1)
def generation(o):
  def replacer():
    yield store("file", 2, "relaxed")
    yield update("generation", o["generation.add"], lambda found: found + 1 if found < 2 else None)
    yield store("replacing", 0, o["replacing.end"])
    return {}

  def reader():
    found = yield load("generation", o["generation.load"])
    file = yield load("file", "relaxed")
    return {"generation": found, "file": file}

  def writer():
    replacing = yield load("replacing", o["replacing.load"])
    later = yield load("generation", o["generation.load"])
    return {"replacing": replacing, "later": later}
  return [replacer, reader, writer]


# A transaction begins while the map is moved.
@protocol({"active": 0, "moving": 0, "handle": 1},
          [{"gate.enter": "acq_rel"}, {"gate.look": "acquire"}, {"gate.count": "acquire"}, {"gate.begin": "acq_rel"},
           {"gate.end": "relaxed"}, {"gate.leave": "relaxed"}])
def gate(o):
  def transaction():
    yield update("active", o["gate.enter"], lambda found: found + 1 if found < 1 else None)
    if (yield load("moving", o["gate.look"])) == 0:
      yield load("handle", "plain")
    yield update("active", o["gate.leave"], lambda found: found - 1 if found > 0 else None)
    return {}

  def mover():
    if (yield compare_exchange("moving", 0, 1, o["gate.begin"])) != 0:
      return {}
    if (yield load("active", o["gate.count"])) == 0:
      yield store("handle", 2, "plain")
    yield store("moving", 0, o["gate.end"])
    return {}
  return [transaction, mover]


# A read transaction begins at commit 4 while others commit. LMDB notes the reader in its table, then copies the roots, and the
# library looks whether 4 is still the last. Of commit 5 the roots lie elsewhere; those of 6 overwrite the reader's, and before
# that its writer looks through the table for what may be written over. LMDB's accesses are plain; between two commits lie
# its lock and the writes of the kernel, which are full barriers.
@protocol({"reader": 0, "roots": 4, "other": 3}, [{"settling.fence": "acquire"}, {"settling.fence": "none"}],
          lambda r: r["last"] == 3 and (r["roots"] == 6 or r["found"] == 0))
def snapshot(o):
  def reader():
    yield store("reader", 4, "relaxed")
    roots = yield load("roots", "relaxed")
    yield fence(o["settling.fence"])
    last = yield load("other", "relaxed")
    return {"roots": roots, "last": last}

  def writer():
    yield store("other", 5, "relaxed")
    yield fence("seq_cst")
    found = yield load("reader", "relaxed")
    yield store("roots", 6, "relaxed")
    return {"found": found}
  return [reader, writer]


def publication(name, stored, loaded):
  """Something is made once, and its address left where others find it."""
  @protocol({"content": 0, "address": 0}, [{stored: "relaxed"}, {loaded: "relaxed"}])
  def made(o):
    def maker():
      yield store("content", 1, "plain")
      yield compare_exchange("address", 0, 1, o[stored])

    def user():
      if (yield load("address", o[loaded])) == 1:
        yield load("content", "plain")
      return {}
    return [maker, user]
  PROTOCOLS[-1] = PROTOCOLS[-1]._replace(name=name)


publication("chunk", "chunk.store", "chunk.load")
publication("token", "token.store", "token.load")
publication("library", "library.exchange", "library.load")
publication("locale", "locale.exchange", "locale.load")
publication("copy", "copy.exchange", "copy.load")
