"""The measures. Each takes the figures of a round from every subject, raw LMDB just before each of the others.

A new measure is a function here and a line in MEASURES; one that a peer does itself is also a command of its driver.
"""
import os
import pathlib
import statistics
import subprocess
from typing import Callable, Dict, List, NamedTuple

from .samples import KB, MS, NS, PER_SECOND, TIMES, US, Samples
from .subjects import BASE, Bench, Server, Spinner, Subject


class Plan(NamedTuple):
  sizes: List[int]
  growth: List[int]
  rounds: int
  #: How long a loop of reads goes on, in nanoseconds.
  loop: int
  #: How many times a process is started.
  starts: int
  #: How many commits are waited for by a watch, and how often.
  notes: int
  note_rounds: int


def say(text: str) -> None:
  print(text, flush=True)


class Round:
  """The servers for one size, and how one of them is asked beside raw LMDB."""

  def __init__(self, bench: Bench, samples: Samples, count: int, names: List[str]) -> None:
    self.bench, self.samples, self.count = bench, samples, count
    self.servers: Dict[str, Server] = {}
    for subject in bench.subjects:
      if subject.most >= count and (subject.name in names or not names):
        self.servers[subject.name] = Server(bench, subject, count)
    self.writers: Dict[str, Server] = {}

  def who(self, ability: str = "") -> List[Subject]:
    """Raw LMDB first."""
    return [server.subject for server in self.servers.values() if not ability or ability in server.subject.can]

  def beside_base(self, measure: str, unit, ask: Callable[[str], float], who: List[Subject],
                  ask_base: Callable[[], float]) -> None:
    """One figure for each subject, and raw LMDB's own just before it."""
    for subject in who:
      if subject.name == BASE:
        continue
      base = ask_base()
      self.samples.add(BASE, measure if measure != "read_key" else "read_name", self.count, unit, base, base)
      self.samples.add(subject.name, measure, self.count, unit, ask(subject.name), base)

  def asked(self, measure: str, unit, command: str, who: List[Subject], base_command: str = "") -> None:
    def ask(name: str, text: str = command) -> float:
      return statistics.median(self.servers[name].ask(text))

    self.beside_base(measure, unit, ask, who, lambda: ask(BASE, base_command or command))

  def writer(self, name: str) -> Server:
    """Another process that changes the same store."""
    if name not in self.writers:
      self.writers[name] = Server(self.bench, self.bench.by_name[name], self.count)
    return self.writers[name]

  def close(self) -> None:
    for server in [*self.servers.values(), *self.writers.values()]:
      server.close()


# -- In running processes


def reads(now: Round, plan: Plan) -> None:
  now.asked("read_name", NS, f"read name {plan.loop}", now.who())
  now.asked("read_key", NS, f"read key {plan.loop}", now.who("key"), f"read name {plan.loop}")
  now.asked("read_string", NS, f"read string {plan.loop}", now.who("string"))
  for subject in now.who("call"):
    server = now.servers[subject.name]
    now.samples.add("empty-call", "python", now.count, NS, server.ask(f"empty_call {plan.loop}")[0])
    for measure in ("name_over_call", "value_over_call"):
      now.samples.add(subject.name, measure, now.count, TIMES, server.ask(f"{measure} {plan.loop}")[0])


def two_threads(now: Round, plan: Plan) -> None:
  now.asked("read_name_1thread", NS, f"threads name 1 {plan.loop}", now.who("threads"))
  now.asked("read_name_2threads", NS, f"threads name 2 {plan.loop}", now.who("threads"))


def cold_reads(now: Round, plan: Plan) -> None:
  """The first read of each setting after another process has committed one of them."""
  def ask(name: str) -> float:
    figures = []
    for _ in range(20):
      now.writer(name).ask("commit 1 1 1")
      figures += now.servers[name].ask("cold 6")
    return statistics.median(figures)

  now.beside_base("read_cold", NS, ask, now.who("cold"), lambda: ask(BASE))


def busy_reads(now: Round, plan: Plan) -> None:
  """Reads while another process commits 100 times a second."""
  duration = max(plan.loop * 5, 200_000_000)

  def ask(name: str) -> float:
    now.writer(name).tell(f"pace 100 {duration + 50_000_000}")
    figure = now.servers[name].ask(f"read name {duration}")[0]
    now.writer(name).hear()
    return figure

  def quiet(name: str) -> float:
    return now.servers[name].ask(f"read name {duration}")[0]

  for subject in now.who("rate"):
    now.samples.add(subject.name, "read_name_quiet", now.count, NS, quiet(subject.name))
    now.samples.add(subject.name, "read_name_busy", now.count, NS, ask(subject.name))


def commits(now: Round, plan: Plan) -> None:
  with Spinner():
    now.asked("commit_1", US, f"commit 1 {plan.loop * 6} 25", now.who("commit"))
    if now.count >= 600:
      now.asked("commit_100", US, f"commit 100 {plan.loop * 6} 25", now.who("commit"))


def commit_rates(now: Round, plan: Plan) -> None:
  with Spinner():
    for subject in now.who("rate"):
      for threads in (1, 4):
        now.samples.add(subject.name, f"commit_rate_{threads}", now.count, PER_SECOND,
                        now.servers[subject.name].ask(f"rate {threads} {plan.loop * 4}")[0])


MEASURES = [reads, two_threads, cold_reads, busy_reads, commits, commit_rates]
GROWTH_MEASURES = [reads, cold_reads, commits]


def in_processes(bench: Bench, samples: Samples, plan: Plan, count: int, names: List[str],
                 measures: List[Callable[[Round, Plan], None]]) -> None:
  now = Round(bench, samples, count, names)
  for number in range(plan.rounds):
    say(f"{count} settings, round {number + 1} of {plan.rounds}")
    for measure in measures:
      measure(now, plan)
  for name, server in now.servers.items():
    samples.add(name, "rss_warm", count, KB, server.ask("rss")[0])
  now.close()


# -- Of processes


def starts(bench: Bench, samples: Samples, plan: Plan, wanted: List[tuple]) -> None:
  """From before the spawn to the end of a process that opens, reads one setting, and closes. `wanted` are pairs of
  subject and count; raw LMDB runs before each of them."""
  commands, keys = [], []
  for subject, count in wanted:
    base = bench.by_name[BASE]
    for item in (base, subject):
      commands.append(" ".join([*bench.command(item), "first", str(bench.store(item, count)), str(count)]))
      keys.append((item.name, count))
  # As on a device, which has read the library from its disk: how a file that was just linked lies in the page cache
  # decides how much of it the system maps around what is used.
  with open(bench.library, "rb") as library:
    os.fsync(library.fileno())
    os.posix_fadvise(library.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
  output = subprocess.run([bench.programs / "bench-spawn", str(plan.starts)], input="\n".join(commands) + "\n",
                          text=True, check=True, stdout=subprocess.PIPE, env=bench.environment(wanted[0][1])).stdout
  base_time = base_memory = 0.0
  for line in output.splitlines():
    index, nanoseconds, kib = (float(word) for word in line.split())
    name, count = keys[int(index)]
    if int(index) % 2 == 0:
      base_time, base_memory = nanoseconds, kib
    samples.add(name, "first_read", count, MS, nanoseconds, base_time)
    samples.add(name, "peak_rss", count, KB, kib, base_memory)
    if int(index) % 2 == 1:
      samples.add(name, "peak_rss_above_raw_lmdb", count, KB, kib - base_memory)


def _files(maps: str) -> Dict[str, int]:
  paths = {os.path.realpath(line.strip()) for line in maps.splitlines()}
  return {path: os.path.getsize(path) for path in paths if os.path.isfile(path)}


def _is_part_of_libc(path: str) -> bool:
  return os.path.basename(path).split(".")[0].split("-")[0] in ("libc", "libm", "libdl", "libpthread", "librt", "ld")


def closures(bench: Bench, samples: Samples, count: int) -> None:
  """The libraries that the process of the first read maps, without libc; for Python without those of the bare
  interpreter, for Swift with the program, in which the package is."""
  bare = subprocess.run([bench.python, "-c", "print(open('/proc/self/maps').read())"], check=True,
                        stdout=subprocess.PIPE, text=True).stdout
  bare_files = _files("\n".join(line[line.index("/"):] for line in bare.splitlines() if "/" in line))
  for subject in bench.subjects:
    if "first" not in subject.can or subject.most < count:
      continue
    files = _files(bench.run(subject, "maps", count))
    own = bench.command(subject)[0] if subject.name == "livery-swift" else ""
    size = sum(size for path, size in files.items()
               if path == own or (".so" in os.path.basename(path) and not _is_part_of_libc(path)
                                  and not (subject.script and path in bare_files)))
    samples.add(subject.name, "closure", count, KB, size / 1024)


def on_disk(bench: Bench, samples: Samples, subject: Subject, count: int) -> None:
  def used(path: pathlib.Path) -> int:
    return sum(used(item) for item in path.iterdir()) if path.is_dir() else path.stat().st_blocks * 512

  samples.add(subject.name, "disk", count, KB, used(bench.files(subject, count)) / 1024)


def upgrades(bench: Bench, samples: Samples, plan: Plan) -> None:
  """Figures are medians of the program's own rounds."""
  say("upgrading schemas")
  output = subprocess.run([bench.programs / "bench-upgrade", str(bench.work / "upgrade"), str(plan.starts)], text=True,
                          check=True, stdout=subprocess.PIPE).stdout
  for line in output.splitlines():
    found = {name: float(figure) for name, figure in (word.split("=") for word in line.split())}
    count = int(found["settings"])
    for name in ("upgrade", "steps", "anew"):
      measure = name if name == "upgrade" else f"upgrade_{name}"
      samples.add("livery-c", measure, count, MS, found[f"{name}_ms"] * MS.scale)
    samples.add_ratio("livery-c", "upgrade_over_anew", count, [found["upgrade_ms"]], [found["anew_ms"]])


def searches(bench: Bench, samples: Samples, plan: Plan) -> None:
  """Figures are medians of the program's own rounds."""
  say("searching")
  output = subprocess.run([bench.programs / "bench-search", str(bench.work / "search"), str(plan.starts)], text=True,
                          check=True, stdout=subprocess.PIPE).stdout
  for line in output.splitlines():
    found = {name: float(figure) for name, figure in (word.split("=") for word in line.split())}
    for name, measure in (("search", "search"), ("first", "search_first"), ("form", "form")):
      samples.add("livery-c", measure, int(found["settings"]), MS, found[f"{name}_ms"] * MS.scale)


def notifications(bench: Bench, samples: Samples, plan: Plan) -> None:
  """Each figure is one of a run: its median and extremes are those of the runs."""
  names = {"callback_p50": "notify_p50", "callback_p99": "notify_p99", "descriptor_p50": "notify_fd_p50",
           "descriptor_p99": "notify_fd_p99"}
  for number in range(plan.note_rounds):
    say(f"notification, round {number + 1} of {plan.note_rounds}")
    output = subprocess.run([bench.programs / "bench-notify", str(bench.work / f"notify-{number}"), str(plan.notes)],
                            text=True, check=True, stdout=subprocess.PIPE).stdout
    figures = {line.split()[0]: int(line.split()[1]) for line in output.splitlines()}
    for name, measure in names.items():
      samples.add("livery-c", measure, 1, US, figures[name])
    samples.add("futex", "notify_p50", 1, US, figures["ping_p50"])
    samples.add("futex", "notify_p99", 1, US, figures["ping_p99"])
    samples.add_ratio("livery-c", "notify_over_futex", 1, [figures["callback_p50"]], [figures["ping_p50"]])
    samples.add_ratio("livery-c", "commit_watched_over_alone", 1, [figures["commit_watched_p50"]],
                      [figures["commit_alone_p50"]])
    if "gsettings-dconf" in bench.by_name:
      with Spinner(), Spinner():
        for line in bench.gsettings_notify(plan.notes).splitlines():
          samples.add("gsettings-dconf", names[line.split()[0]], 1, US, int(line.split()[1]))
