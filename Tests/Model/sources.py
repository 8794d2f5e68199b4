"""The orderings of atomic accesses and fences, as the sources have them: by file, function and what stands before the ordering."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SWIFT = {"relaxed": "relaxed", "acquiring": "acquire", "releasing": "release", "acquiringAndReleasing": "acq_rel",
         "sequentiallyConsistent": "seq_cst"}
C = {"RELAXED": "relaxed", "ACQUIRE": "acquire", "RELEASE": "release", "ACQ_REL": "acq_rel", "SEQ_CST": "seq_cst"}


class NotFound(LookupError):
  """The sources have changed: the model and docs/internals/memory-model.md have to be looked at."""


def body(path, function):
  """The text of a function or property: from the line that begins it to the one that ends it."""
  lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
  name = re.escape(function)
  opens = re.compile(rf"\b(func|var) {name}\b" if path.endswith(".swift") else rf"^\w[^;=]*\b{name}\([^;]*(\}})?$|^\w.*\b{name}\(.*\}}$")
  for start, line in enumerate(lines):
    if not opens.search(line):
      continue
    if line.rstrip().endswith("}"):
      return line
    indent = line[:len(line) - len(line.lstrip())]
    for end in range(start + 1, len(lines)):
      if lines[end].startswith(indent + "}"):
        return "\n".join(lines[start:end + 1])
  raise NotFound(f"{path} has no {function}")


def helpers(path="Sources/CReadCache/layout.h"):
  """The functions of layout.h by which the cache reads and writes words."""
  return {name: ordering(path, name, r"__ATOMIC_(\w+)") for name in ("get", "get_first", "set", "set_last")}


def ordering(path, function, pattern):
  """The ordering that the pattern's group finds in a function: the name of one, or a function of layout.h."""
  found = re.search(pattern, body(path, function), re.S)
  if not found:
    raise NotFound(f"{path}, {function}: no {pattern}")
  word = found.group(1)
  if word in C:
    return C[word]
  if word in SWIFT:
    return SWIFT[word]
  return helpers()[word]


FENCE = r"__atomic_thread_fence\(__ATOMIC_(\w+)\)"
HELPER = r"\b(get_first|get|set_last|set)\("
CACHE, WAKE = "Sources/CReadCache/", "Sources/CWake/wake.c"
PINS, HANDLES = CACHE + "include/pins.h", CACHE + "handles.c"
GATE = "Sources/LMDB/MapGate.swift"

# Each by the name that docs/internals/memory-model.md and the protocols have for it.
PLACES = {
  "open_slot.word": (CACHE + "commits.c", "lvs_open_slot", HELPER + r"slot->w, "),
  "open_slot.fence": (CACHE + "commits.c", "lvs_open_slot", FENCE),
  "close_slot": (CACHE + "commits.c", "lvs_close_slot", HELPER + r"slot->w, "),
  "find.head": (CACHE + "reading.h", "find", HELPER + r"slot->w\)"),
  "find.place": (CACHE + "reading.h", "find", HELPER + r"index \+ place\)"),
  "find.bits": (CACHE + "reading.h", "find", HELPER + r"&cache->bits\)"),
  "add.place": (CACHE + "entries.c", "add", HELPER + r"place_of\("),
  "grow.bits": (CACHE + "entries.c", "grow_index", HELPER + r"&cache->bits, bits \+ 1"),
  "grow.place": (CACHE + "entries.c", "grow_index", HELPER + r"new \+ place, entry"),
  "key.head": (HANDLES, "lvs_read_key_scalar", HELPER + r"slot->w\)"),
  "scalar.value": (CACHE + "reading.h", "read_scalar", HELPER + r"slot->w \+ 3\)"),
  "is_whole.fence": (CACHE + "reading.h", "is_whole", FENCE),
  "is_whole.word": (CACHE + "reading.h", "is_whole", HELPER + r"slot->w\)"),
  "write_slot.words": (CACHE + "entries.c", "write_slot", HELPER + r"slot->w \+ 3, entry"),
  "take_ring.end": (CACHE + "entries.c", "take_ring", HELPER + r"&cache->ring_end, "),
  "take_ring.fence": (CACHE + "entries.c", "take_ring", FENCE),
  "in_ring.fence": (CACHE + "layout.h", "is_in_ring", FENCE),
  "in_ring.end": (CACHE + "layout.h", "is_in_ring", HELPER + r"&cache->ring_end\)"),
  "current.commit": (CACHE + "reading.h", "is_current", HELPER + r"cache->last_commit\)"),
  "current.stamp": (CACHE + "reading.h", "is_current", HELPER + r"slot->w \+ 1\)"),
  "current.synced_to": (CACHE + "reading.h", "is_current", HELPER + r"&cache->synced_to\)"),
  "current.synced_from": (CACHE + "reading.h", "is_current", HELPER + r"&cache->synced_from\)"),
  "forget.stamp": (CACHE + "commits.c", "forget", HELPER + r"slot->w \+ 1, 0\)"),
  "catch_up.commit": (CACHE + "commits.c", "lvs_catch_up", r"last = (\w+)\("),
  "catch_up.synced_to": (CACHE + "commits.c", "lvs_catch_up", HELPER + r"&cache->synced_to, last"),
  "end_sync.synced_from": (CACHE + "commits.c", "lvs_cache_end_sync", HELPER + r"&cache->synced_from, "),
  "end_sync.synced_to": (CACHE + "commits.c", "lvs_cache_end_sync", HELPER + r"&cache->synced_to, "),
  "changes.commit": (CACHE + "commits.c", "forget_changes", HELPER + r"&told->commit\)"),
  "changes.hash": (CACHE + "commits.c", "forget_changes", r"told->hashes \+ i, __ATOMIC_(\w+)"),
  "changes.fence": (CACHE + "commits.c", "forget_changes", FENCE),
  "changes.again": (CACHE + "commits.c", "forget_changes", r"ACQUIRE\);\s*if \((\w+)\(&told->commit"),
  "tell.begin": (WAKE, "lvs_wake_tell", r"commit, 0, __ATOMIC_(\w+)"),
  "tell.fence": (WAKE, "lvs_wake_tell", FENCE),
  "tell.hash": (WAKE, "lvs_wake_tell", r"hashes\[i\], __ATOMIC_(\w+)"),
  "tell.end": (WAKE, "lvs_wake_tell", r"recent->commit, __ATOMIC_(\w+)"),
  "lock": (CACHE + "layout.h", "try_lock", r"busy, 1, __ATOMIC_(\w+)"),
  "unlock": (CACHE + "layout.h", "unlock", HELPER + r"&cache->busy, 0"),
  "make.fence": (HANDLES, "lvs_handle_make", FENCE),
  "make.slot": (HANDLES, "lvs_handle_make", r"made->slot, slot, __ATOMIC_(\w+)"),
  "make.state": (HANDLES, "lvs_handle_make", HELPER + r"&made->state, tag"),
  "unpin.state": (HANDLES, "lvs_handle_unpin", HELPER + r"&left->state, "),
  "open_place.state": (HANDLES, "open_place", HELPER + r"&found->state\)"),
  "open_place.page": (HANDLES, "open_place", r"lvs_process_token_page, __ATOMIC_(\w+)"),
  "read.slot": (HANDLES, "lvs_read_key_scalar", r"found->slot, __ATOMIC_(\w+)"),
  "was_held.fence": (HANDLES, "was_held", FENCE),
  "was_held.state": (HANDLES, "was_held", HELPER + r"&found->state\)"),
  "chunk.load": (HANDLES, "distant_place", r"chunks \+ chunk, __ATOMIC_(\w+)"),
  "chunk.store": (HANDLES, "take_place", r"chunks \+ chunk, base, __ATOMIC_(\w+)"),
  "pin.load": (PINS, "lvs_pin", r"load_n\(word, __ATOMIC_(\w+)"),
  "pin.exchange": (PINS, "lvs_pin", r"true, __ATOMIC_(\w+)"),
  "unpin": (PINS, "lvs_unpin", r"word, 1, __ATOMIC_(\w+)"),
  "signal.count": (WAKE, "lvs_wake_signal", r"count, 1, __ATOMIC_(\w+)"),
  "signal.sleepers": (WAKE, "lvs_wake_signal", r"sleepers, __ATOMIC_(\w+)"),
  "join": (WAKE, "lvs_wake_join", r"sleepers, 1, __ATOMIC_(\w+)"),
  "count": (WAKE, "lvs_wake_count", r"count, __ATOMIC_(\w+)"),
  "generation.load": (WAKE, "lvs_wake_generation", r"generation, __ATOMIC_(\w+)"),
  "generation.add": (WAKE, "lvs_wake_end_replacing", r"generation, 1, __ATOMIC_(\w+)"),
  "replacing.end": (WAKE, "lvs_wake_end_replacing", r"replacing, 0, __ATOMIC_(\w+)"),
  "replacing.load": (WAKE, "lvs_wake_is_replacing", r"replacing, __ATOMIC_(\w+)"),
  "token.store": ("Sources/CSystem/threads.c", "make_token_page", r"token_page, page, __ATOMIC_(\w+)"),
  "token.load": ("Sources/CSystem/include/csystem.h", "lvs_process_token", r"token_page, __ATOMIC_(\w+)"),
  "library.exchange": ("Sources/CSystem/library.c", "lvs_library_load", r"functions, false, __ATOMIC_(\w+)"),
  "library.load": ("Sources/CSystem/include/csystem.h", "lvs_library_functions", r"functions, __ATOMIC_(\w+)"),
  "locale.exchange": ("Sources/CSystem/system.c", "locale_named", r"fresh, false, __ATOMIC_(\w+)"),
  "locale.load": ("Sources/CSystem/system.c", "locale_named", r"load_n\(made, __ATOMIC_(\w+)"),
  "gate.enter": (GATE, "enter", r"active\.add\(1, ordering: \.(\w+)"),
  "gate.look": (GATE, "enter", r"!moving\.load\(ordering: \.(\w+)"),
  "gate.leave": (GATE, "leave", r"active\.subtract\(1, ordering: \.(\w+)"),
  "gate.begin": (GATE, "close", r"desired: true, ordering: \.(\w+)"),
  "gate.count": (GATE, "close", r"active\.load\(ordering: \.(\w+)"),
  "gate.end": (GATE, "close", r"moving\.store\(false, ordering: \.(\w+)"),
  "settling.fence": ("Sources/LMDB/Settling.swift", "isSettled", r"atomicMemoryFence\(ordering: \.(\w+)"),
  "copy.load": ("Sources/LiveryABI/Value.swift", "kept", r"load\(ordering: \.(\w+)"),
  "copy.exchange": ("Sources/LiveryABI/Value.swift", "kept", r"desired: made, ordering: \.(\w+)"),
}


def orderings():
  return {name: ordering(*place) for name, place in PLACES.items()}
