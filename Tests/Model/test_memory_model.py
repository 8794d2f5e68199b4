"""The protocols of shared memory hold in every execution that C11 allows, and each does not once an ordering is taken from it."""
import re

import pytest
from executions import allows, compare_exchange, fence, load, store, update, values
from protocols import PROTOCOLS
from sources import PLACES, ROOT, ordering, orderings

PAGE = ROOT / "docs" / "internals" / "memory-model.md"
ORDERINGS = orderings()
VARIANTS = [(each, weaker) for each in PROTOCOLS for weaker in each.weaker]


@pytest.mark.parametrize("each", PROTOCOLS, ids=lambda each: each.name)
def test_holds_with_the_orderings_of_the_sources(each):
  assert not allows(each.start, each.threads(ORDERINGS), each.is_bad)


@pytest.mark.parametrize("each, weaker", VARIANTS, ids=[
  each.name + " " + ",".join(f"{place}={order}" for place, order in weaker.items()) for each, weaker in VARIANTS])
def test_is_found_broken_with_weaker_ones(each, weaker):
  assert allows(each.start, each.threads({**ORDERINGS, **weaker}), each.is_bad)


# What the enumeration itself has to know: programs of the literature.

def message(stored, loaded):
  def writer():
    yield store("data", 1, "relaxed")
    yield store("flag", 1, stored)

  def reader():
    flag = yield load("flag", loaded)
    data = yield load("data", "relaxed")
    return {"flag": flag, "data": data}
  return allows({"data": 0, "flag": 0}, [writer, reader], lambda r: (r["flag"], r["data"]) == (1, 0))


def crossed(order, between="none"):
  def side(mine, other):
    def thread():
      yield store(mine, 1, order)
      yield fence(between)
      return {mine: (yield load(other, order))}
    return thread
  return allows({"x": 0, "y": 0}, [side("x", "y"), side("y", "x")], lambda r: r == {"x": 0, "y": 0})


def test_messages():
  assert not message("release", "acquire")
  assert message("relaxed", "acquire") and message("release", "relaxed")


def test_crossed_stores():
  assert not crossed("seq_cst") and not crossed("relaxed", "seq_cst")
  assert crossed("acq_rel") and crossed("relaxed", "acq_rel")


def test_updates_are_not_lost():
  def thread(name):
    def run():
      return {name: (yield update("x", "relaxed", lambda found: found + 1 if found < 2 else None))}
    return run
  assert not allows({"x": 0}, [thread("a"), thread("b")], lambda r: r == {"a": 0, "b": 0})


def test_reads_of_one_word_are_in_order():
  def writer():
    yield store("x", 1, "relaxed")
    yield store("x", 2, "relaxed")

  def reader():
    first = yield load("x", "relaxed")
    return {"read": (first, (yield load("x", "relaxed")))}
  assert not allows({"x": 0}, [writer, reader], lambda r: r["read"] == (2, 1))
  assert allows({"x": 0}, [writer, reader], lambda r: r["read"] == (1, 2))


def test_what_two_threads_see_of_two_writers():
  def test(order):
    def write(place):
      def run():
        yield store(place, 1, order)
      return run

    def read(first, second):
      def run():
        one = yield load(first, order)
        return {first: (one, (yield load(second, order)))}
      return run
    return allows({"x": 0, "y": 0}, [write("x"), write("y"), read("x", "y"), read("y", "x")],
                  lambda r: r == {"x": (1, 0), "y": (1, 0)})
  assert not test("seq_cst")
  assert test("relaxed")


def test_a_release_goes_on_through_an_update():
  def writer():
    yield store("data", 1, "plain")
    yield store("x", 1, "release")

  def middle():
    yield compare_exchange("x", 1, 2, "relaxed")
    return {}

  def reader():
    if (yield load("x", "acquire")) == 2:
      yield load("data", "plain")
    return {}
  assert not allows({"data": 0, "x": 0}, [writer, middle, reader])


# The page

def files():
  for path in sorted((ROOT / "Sources").rglob("*")):
    if path.suffix in (".c", ".h", ".swift"):
      yield path


def names_of_c(text):
  names, function = set(), None
  for line in text.splitlines():
    # What is at the margin and calls or is called is a function; its attributes are not.
    begun = [name for name in re.findall(r"\b(\w+)\(", line) if name not in ("__attribute__", "always_inline", "noinline")]
    if begun and re.match(r"\w", line) and not line.endswith(";"):
      function = begun[0]
    if re.search(r"__atomic_\w+\(", line) and function:
      names.add(function)
    names.update(re.findall(r"\batomic_\w+ (\w+)", line))
    names.update(re.findall(r"\b_Atomic\b[^;=\[]*?(\w+)\s*[;=\[]", line))
  return names


def atomics():
  """Files that have atomic accesses, with what of them the page has to name: functions of C, properties of Swift."""
  for path in files():
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".swift":
      names = set(re.findall(r"(?:let|var) (\w+)(?:: Atomic<| = Atomic[<(])", text))
      if "atomicMemoryFence" in text:
        names.add("atomicMemoryFence")
    else:
      names = names_of_c(text)
    for name in names:
      yield str(path.relative_to(ROOT / "Sources")), name


def test_the_page_names_every_atomic():
  page = PAGE.read_text(encoding="utf-8")
  words = set(re.findall(r"\w+", page))
  missing = [f"{file}: {name}" for file, name in atomics() if name not in words]
  assert not missing, "docs/internals/memory-model.md has to say what ordering these need, and why"


def test_the_page_names_every_protocol():
  page = PAGE.read_text(encoding="utf-8")
  assert [each.name for each in PROTOCOLS if f"`{each.name}`" not in page] == []


def test_places_are_used():
  class Noted(dict):
    def __init__(self, values):
      super().__init__(values)
      self.used = set()

    def __getitem__(self, name):
      self.used.add(name)
      return super().__getitem__(name)
  noted = Noted(ORDERINGS)
  for each in PROTOCOLS:
    values(each.threads(noted), each.start)
  assert sorted(set(PLACES) - noted.used) == []


def test_a_change_of_the_sources_is_noticed():
  with pytest.raises(LookupError):
    ordering("Sources/CWake/wake.c", "lvs_wake_tell", r"__atomic_thread_fence\(__ATOMIC_(SEQ_CST)\)")
  with pytest.raises(LookupError):
    ordering("Sources/CWake/wake.c", "lvs_wake_nothing", r"(\w+)")


def test_each_way_of_writing_an_atomic_is_known():
  for line in ("static _Atomic int planted;", "  _Atomic bool planted = false;", "_Atomic(uint64_t) planted;", "  atomic_int planted;"):
    assert names_of_c(line) == {"planted"}
