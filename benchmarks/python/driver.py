"""The measures of c/driver.h for subjects in Python: `python3 SUBJECT.py first|maps|serve PATH COUNT`.

A subject opens what a C subject has made, and hands over functions: read_bool(name), read_int, read_double,
read_string, commit([(name, value)]), and by_key(name, type), which returns a function without arguments, if it has keys.
"""
import random
import statistics
import sys
import time
from typing import Callable, List, NamedTuple, Optional, Tuple

STRING, BOOL, INT, DOUBLE = range(4)
TYPES, STRING_LENGTH = 6, 16


class Subject(NamedTuple):
  read_bool: Callable
  read_int: Callable
  read_double: Callable
  read_string: Callable
  commit: Optional[Callable[[List[Tuple[object, int]]], None]] = None
  by_key: Optional[Callable] = None
  #: What a name is to the subject.
  encoded: Callable = str
  #: Measures of its own: name to function of the count of repetitions, which returns seconds.
  extra: dict = {}


def setting_name(index: int) -> str:
  return f"group{index // 100}.setting{index}"


def value_of(index: int):
  return {STRING: f"text {index:011d}", BOOL: index % 4 == 1, INT: index * 7, DOUBLE: index + 0.25}[index % TYPES]


class Reads:
  def __init__(self, subject: Subject, count: int) -> None:
    self.subject = subject
    generator = random.Random(1)
    amount = count // TYPES
    rounds = -(-1024 // amount) if amount < 1024 else 1
    columns, self.sum = [], 0
    for kind in (BOOL, INT, DOUBLE):
      names = [subject.encoded(setting_name(index * TYPES + kind)) for index in range(amount)]
      column = []
      for _ in range(rounds):
        generator.shuffle(names)
        column += names
      columns.append(column)
      self.sum += rounds * sum(int(value_of(index * TYPES + kind)) for index in range(amount))
    self.triples = list(zip(*columns))
    self.texts = [subject.encoded(setting_name(index * TYPES + STRING)) for index in range(amount)]
    generator.shuffle(self.texts)
    self.integers = [index * TYPES + INT for index in range(amount)]
    generator.shuffle(self.integers)
    self.keys = None
    self.next = 0

  def by_name(self) -> Tuple[int, int]:
    read_bool, read_int, read_double = self.subject.read_bool, self.subject.read_int, self.subject.read_double
    total = 0
    for a, b, c in self.triples:
      total += read_bool(a)
      total += read_int(b) & 0xFFFFFFFF
      total += int(read_double(c))
    return len(self.triples) * 3, total - self.sum

  def by_key(self) -> Tuple[int, int]:
    if self.keys is None:
      made = {}

      def key(name, kind):
        if name not in made:
          made[name] = self.subject.by_key(name, kind)
        return made[name]

      self.keys = [(key(a, BOOL), key(b, INT), key(c, DOUBLE)) for a, b, c in self.triples]
    total = 0
    for a, b, c in self.keys:
      total += a()
      total += b() & 0xFFFFFFFF
      total += int(c())
    return len(self.keys) * 3, total - self.sum

  def strings(self) -> Tuple[int, int]:
    read_string, total = self.subject.read_string, 0
    for name in self.texts:
      total += len(read_string(name))
    return len(self.texts), total - len(self.texts) * STRING_LENGTH

  def measure(self, what: str, least: int) -> float:
    run = {"name": self.by_name, "key": self.by_key, "string": self.strings}[what]
    run()
    begin = time.perf_counter_ns()
    times: List[float] = []
    while not times or time.perf_counter_ns() - begin < least:
      start = time.perf_counter_ns()
      count, difference = run()
      times.append((time.perf_counter_ns() - start) / count)
      if difference != 0:
        raise ValueError("read a wrong value")
    return statistics.median(times)

  def commits(self, batch: int, budget: int, most: int) -> List[int]:
    times: List[int] = []
    end = time.perf_counter_ns() + budget
    while len(times) < most and (not times or time.perf_counter_ns() < end):
      edits = []
      for _ in range(batch):
        index = self.integers[self.next % len(self.integers)]
        self.next += 1
        high = ((time.perf_counter_ns() >> 12) + self.next) & 0x3FFFFFFF
        edits.append((self.subject.encoded(setting_name(index)), index * 7 + (high << 32)))
      begin = time.perf_counter_ns()
      self.subject.commit(edits)
      times.append(time.perf_counter_ns() - begin)
    return times


def repeated(function: Callable[[], object]) -> Callable[[int], float]:
  """Nanoseconds for each call, in a loop."""

  def run(least: int) -> float:
    begin = time.perf_counter_ns()
    times: List[float] = []
    while not times or time.perf_counter_ns() - begin < least:
      start = time.perf_counter_ns()
      for _ in range(1000):
        function()
      times.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(times)

  return run


def answer(subject: Subject, reads: Reads, command: str, arguments: List[str]) -> str:
  if command == "read":
    return f"{reads.measure(arguments[0], int(arguments[1])):.3f}"
  if command == "commit":
    return " ".join(map(str, reads.commits(*map(int, arguments))))
  if command == "rss":
    with open("/proc/self/status", encoding="ascii") as file:
      return next(line.split()[1] for line in file if line.startswith("VmRSS"))
  return f"{subject.extra[command](int(arguments[0])):.3f}"


def main(open_subject: Callable[[str, int], Subject]) -> None:
  mode, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
  subject = open_subject(path, count)
  index = count // 2 // TYPES * TYPES + INT
  if subject.read_int(subject.encoded(setting_name(index))) & 0xFFFFFFFF != index * 7:
    raise ValueError("read a wrong value")
  if mode == "maps":
    with open("/proc/self/maps", encoding="ascii") as file:
      sys.stdout.writelines(line[line.index("/"):] for line in file if "/" in line)
  if mode == "serve":
    reads = Reads(subject, count)
    print("ready", flush=True)
    for line in sys.stdin:
      command, *arguments = line.split()
      print(answer(subject, reads, command, arguments), flush=True)
