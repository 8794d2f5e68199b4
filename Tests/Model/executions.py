"""Which executions C11 allows of a small program of threads, by enumeration.

The axioms are those of RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential Consistency in C/C++11, PLDI 2017) but for
two: a read may see a write that depends on it ("thin air"), and a release sequence ends with a write of its own thread, as since
C++20. Both allow more, and with it all that ARM's processors do with the code that compilers make of C11.

A thread is a generator: it yields what it does, and is sent what it reads.

    def reader():
      value = yield load("flag", "acquire")
      yield fence("acquire")
      return {"value": value}
"""
import collections
import itertools

Event = collections.namedtuple("Event", "kind location order read written")

ACQUIRES = {"acquire", "acq_rel", "seq_cst"}
RELEASES = {"release", "acq_rel", "seq_cst"}


def load(location, order):
  return ("load", location, order)


def store(location, value, order):
  return ("store", location, order, value)


def update(location, order, change):
  """Reads, and in the same moment writes what `change` makes of it; nothing if that is None."""
  return ("update", location, order, change)


def fence(order):
  return ("fence", None, order)


def compare_exchange(location, expected, desired, order):
  return update(location, order, lambda found: desired if found == expected else None)


def traces(thread, domain):
  """All ways through a thread, when reads find any value of the domain: lists of events, and what the thread returns."""
  found, open_choices = [], [[]]
  while open_choices:
    choices = open_choices.pop()
    events, taken, running, answer = [], 0, thread(), None
    while True:
      try:
        step = running.send(answer)
      except StopIteration as end:
        found.append((events, end.value or {}))
        break
      kind, location, order, answer = step[0], step[1], step[2], None
      if kind == "fence":
        if order != "none":
          events.append(Event("fence", None, order, None, None))
        continue
      if kind == "store":
        events.append(Event("write", location, order, None, step[3]))
        continue
      if taken == len(choices):
        open_choices += [choices + [value] for value in sorted(domain[location])]
        break
      answer = choices[taken]
      taken += 1
      written = step[3](answer) if kind == "update" else None
      if written is not None:
        events.append(Event("update", location, order, answer, written))
      else:
        # A failed exchange is a read.
        events.append(Event("read", location, {"acq_rel": "acquire", "release": "relaxed"}.get(order, order), answer, None))
  return found


def values(threads, start):
  """Of each location, what can be in it."""
  domain = {location: {value} for location, value in start.items()}
  while True:
    before = sum(map(len, domain.values()))
    for thread in threads:
      for events, _ in traces(thread, domain):
        for event in events:
          if event.written is not None:
            domain[event.location].add(event.written)
    if sum(map(len, domain.values())) == before:
      return domain


def bits(mask):
  while mask:
    low = mask & -mask
    yield low.bit_length() - 1
    mask ^= low


def closed(relation):
  """The transitive closure; each row is the set of those that come after."""
  rows = list(relation)
  for middle in range(len(rows)):
    bit, after = 1 << middle, rows[middle]
    if not after:
      continue
    for index, row in enumerate(rows):
      if row & bit:
        rows[index] = row | after
  return rows


def is_acyclic(relation):
  return not any(row >> index & 1 for index, row in enumerate(closed(relation)))


def composed(left, right):
  rows = []
  for row in left:
    union = 0
    for index in bits(row):
      union |= right[index]
    rows.append(union)
  return rows


def joined(*relations):
  rows = []
  for parts in zip(*relations):
    union = 0
    for part in parts:
      union |= part
    rows.append(union)
  return rows


class Candidate:
  """The events of one way through each thread, behind the writes that the memory begins with."""

  def __init__(self, start, threads):
    self.events = [Event("write", location, "start", None, value) for location, value in sorted(start.items())]
    self.thread = [-1] * len(self.events)
    self.sequenced = [0] * len(self.events)
    for number, events in enumerate(threads):
      first = len(self.events)
      for event in events:
        self.events.append(event)
        self.thread.append(number)
      last = len(self.events)
      for index in range(first, last):
        self.sequenced.append(((1 << last) - 1) & ~((1 << index + 1) - 1))
    everything = (1 << len(self.events)) - 1
    for index in range(len(start)):
      self.sequenced[index] = everything & ~((1 << len(start)) - 1)
    self.writes = collections.defaultdict(list)
    for index, event in enumerate(self.events):
      if event.kind in ("write", "update"):
        self.writes[event.location].append(index)
    self.reads = [index for index, event in enumerate(self.events) if event.kind in ("read", "update")]

  def sources(self, read):
    event = self.events[read]
    return [index for index in self.writes[event.location] if self.events[index].written == event.read and index != read]

  def synchronized(self, read_from):
    """What synchronizes with what, given from which write each read reads."""
    relation = [0] * len(self.events)
    for read, source in read_from.items():
      ends = [read] if self.events[read].order in ACQUIRES else []
      if self.events[read].order != "plain":
        ends += [index for index in bits(self.sequenced[read])
                 if self.events[index].kind == "fence" and self.events[index].order in ACQUIRES]
      if not ends:
        continue
      # Back through updates, each of which goes on with the release sequence that it reads from.
      while True:
        head = self.events[source]
        if head.order not in ("plain", "start"):
          begins = [source] if head.order in RELEASES else []
          begins += [index for index in range(len(self.events)) if self.events[index].kind == "fence"
                     and self.events[index].order in RELEASES and self.sequenced[index] >> source & 1]
          for begin in begins:
            for end in ends:
              relation[begin] |= 1 << end
        if head.kind != "update":
          break
        source = read_from[source]
    return relation

  def orders(self, happens_before, read_from):
    """All orders of the writes to each location that happens-before and updates allow, as relations."""
    each = []
    for location, writes in self.writes.items():
      fits = []
      for order in itertools.permutations(writes[1:]):
        order = (writes[0],) + order
        if any(happens_before[order[j]] >> order[i] & 1 for i in range(len(order)) for j in range(i + 1, len(order))):
          continue
        if any(self.events[write].kind == "update" and order[place - 1] != read_from[write]
               for place, write in enumerate(order)):
          continue
        fits.append(order)
      each.append(fits)
    for chosen in itertools.product(*each):
      relation = [0] * len(self.events)
      for order in chosen:
        for place, write in enumerate(order):
          for later in order[place + 1:]:
            relation[write] |= 1 << later
      yield relation

  def is_coherent(self, happens_before, read_from, modified):
    read_by = [0] * len(self.events)
    for read, source in read_from.items():
      read_by[source] |= 1 << read
    # A read comes before the writes behind the one that it reads from.
    before = [0] * len(self.events)
    for read, source in read_from.items():
      before[read] = modified[source] & ~(1 << read)
    extended = closed(joined(read_by, modified, before))
    for index, row in enumerate(happens_before):
      for later in bits(row):
        if extended[later] >> index & 1:
          return False
    if any(row >> index & 1 for index, row in enumerate(extended)):
      return False
    return self.is_sequential(happens_before, extended, modified, before)

  def is_sequential(self, happens_before, extended, modified, before):
    """The axiom of what is sequentially consistent."""
    total = [index for index, event in enumerate(self.events) if event.order == "seq_cst"]
    if len(total) < 2:
      return True
    count = range(len(self.events))
    place = [event.location for event in self.events]
    same = [sum(1 << j for j in count if place[i] is not None and place[i] == place[j]) for i in count]
    elsewhere = [self.sequenced[i] & ~same[i] if self.thread[i] >= 0 else 0 for i in count]
    local = [happens_before[i] & same[i] for i in count]
    through = composed(composed(elsewhere, happens_before), elsewhere)
    steps = joined(self.sequenced, through, local, modified, before)
    identity = [1 << i for i in count]
    is_total = [event.order == "seq_cst" for event in self.events]
    is_fence = [is_total[i] and self.events[i].kind == "fence" for i in count]
    fences = sum(1 << i for i in count if is_fence[i])
    reflexive = joined(identity, happens_before)
    # From an access, or from a fence by way of what happens after it; and the other way at the end.
    begin = [(1 << i if is_total[i] else 0) | (reflexive[i] if is_fence[i] else 0) for i in count]
    end = [(1 << i if is_total[i] else 0) | (reflexive[i] & fences) for i in count]
    base = composed(composed(begin, steps), end)
    between = joined(happens_before, composed(composed(happens_before, extended), happens_before))
    fenced = [between[i] & fences if is_fence[i] else 0 for i in count]
    return is_acyclic(joined(base, fenced))

  def races(self, happens_before):
    """Whether plain accesses of two threads meet, one of which writes."""
    for first, second in itertools.combinations(range(len(self.events)), 2):
      left, right = self.events[first], self.events[second]
      if left.location is None or left.location != right.location or "plain" not in (left.order, right.order):
        continue
      if "start" in (left.order, right.order) or self.thread[first] == self.thread[second]:
        continue
      if left.written is None and right.written is None:
        continue
      if not (happens_before[first] >> second & 1 or happens_before[second] >> first & 1):
        return True
    return False

  def consistent(self):
    """Happens-before of each execution that the axioms allow."""
    choices = [self.sources(read) for read in self.reads]
    for sources in itertools.product(*choices):
      read_from = dict(zip(self.reads, sources))
      updated = [source for read, source in read_from.items() if self.events[read].kind == "update"]
      if len(set(updated)) < len(updated) or not self.ends(read_from):
        continue
      happens_before = closed(joined(self.sequenced, self.synchronized(read_from)))
      if any(row >> index & 1 for index, row in enumerate(happens_before)):
        continue
      # Nothing is read that is overwritten before, nor that comes after.
      if any(happens_before[read] >> source & 1 for read, source in read_from.items()):
        continue
      for modified in self.orders(happens_before, read_from):
        if self.is_coherent(happens_before, read_from, modified):
          yield happens_before
          break

  def ends(self, read_from):
    """Whether no chain of updates reads from itself."""
    for read in read_from:
      seen, at = set(), read
      while self.events[at].kind == "update":
        if at in seen:
          return False
        seen.add(at)
        at = read_from[at]
    return True


def allows(start, threads, is_bad=None):
  """Whether an execution is allowed whose threads return what is bad, or whose plain accesses race.

  Without `is_bad`, races alone are bad.
  """
  domain = values(threads, start)
  ways = [traces(thread, domain) for thread in threads]
  has_plain = any(event.order == "plain" for way in ways for events, _ in way for event in events)
  for chosen in itertools.product(*ways):
    results = {}
    for _, result in chosen:
      results.update(result)
    is_wanted = is_bad is not None and is_bad(results)
    if not is_wanted and not has_plain:
      continue
    candidate = Candidate(start, [events for events, _ in chosen])
    for happens_before in candidate.consistent():
      if is_wanted or candidate.races(happens_before):
        return True
  return False
