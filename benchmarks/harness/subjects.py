"""What is measured: how each subject is run, which store it reads, and what it can do."""
import os
import pathlib
import shutil
import signal
import subprocess
from typing import Dict, FrozenSet, List, NamedTuple, Optional

HERE = pathlib.Path(__file__).resolve().parent.parent
BASE = "raw-lmdb"
SYSTEM_PYTHON = "/usr/bin/python3"


class Subject(NamedTuple):
  name: str
  label: str
  #: What it can do: key, string, threads, cold, commit, rate, first (a process that opens and reads), store.
  can: FrozenSet[str]
  #: The subject whose store it reads; itself unless told.
  store: str = ""
  #: For Python: the script, and the module that it needs.
  script: str = ""
  module: str = ""
  #: The most settings it is asked to hold.
  most: int = 100_000
  #: The Debian package that is missing if it is.
  package: str = ""


def _subject(name: str, label: str, can: str, **more) -> Subject:
  return Subject(name, label, frozenset(can.split()), **more)


SUBJECTS = [
  _subject(BASE, "raw LMDB", "string threads cold commit rate first store", most=1_000_000),
  _subject("livery-c", "Livery, C", "key string threads cold commit rate first store", most=1_000_000),
  _subject("livery-swift", "Livery, Swift", "key string commit first", store="livery-c"),
  _subject("livery-python", "Livery, Python", "key string commit first call", store="livery-c",
           script="livery_python.py"),
  _subject("sqlite", "SQLite (WAL, FULL)", "string threads cold commit first store", package="libsqlite3-dev"),
  _subject("gdbm", "gdbm", "string threads commit first store", package="libgdbm-dev"),
  _subject("gsettings-dconf", "GSettings, dconf", "string threads cold commit first store",
           package="libglib2.0-dev dconf-service dconf-gsettings-backend dconf-cli dbus-daemon"),
  _subject("qsettings", "QSettings (INI)", "string threads commit first store", package="qt6-base-dev"),
  _subject("userdefaults", "UserDefaults", "string commit first store", most=1_000),
  _subject("py-lmdb", "py-lmdb", "string commit first", store=BASE, script="py_lmdb.py", module="lmdb",
           package="python3-lmdb"),
  _subject("python-sqlite3", "Python sqlite3", "string commit", store="sqlite", script="python_sqlite3.py",
           module="sqlite3"),
  _subject("python-dbm", "Python dbm.gnu", "string", store="gdbm", script="python_dbm.py", module="dbm.gnu",
           package="python3-gdbm"),
  _subject("python-dict", "Python dict", "string", store=BASE, script="python_dict.py"),
  _subject("empty-loop", "no store", "key threads first", store=BASE),
]


class Bench:
  """The programs, a folder to work in, and what has been started."""

  def __init__(self, programs: pathlib.Path, swift_programs: Optional[pathlib.Path], library: pathlib.Path,
               work: pathlib.Path, only: Optional[List[str]] = None) -> None:
    self.programs, self.swift_programs, self.library, self.work = programs, swift_programs, library, work
    self.python = SYSTEM_PYTHON if os.path.exists(SYSTEM_PYTHON) else "python3"
    self.environments: Dict[int, Dict[str, str]] = {}
    self.buses: List[subprocess.Popen] = []
    self.subjects = [item for item in SUBJECTS if (not only or item.name in only) and self._is_there(item)]
    self.by_name = {item.name: item for item in self.subjects}
    self.subjects = [item for item in self.subjects if (item.store or item.name) in self.by_name]
    self.by_name = {item.name: item for item in self.subjects}

  def _is_there(self, subject: Subject) -> bool:
    reason = ""
    if subject.script:
      if subject.module and subprocess.run([self.python, "-c", f"import {subject.module}"],
                                           stderr=subprocess.DEVNULL, check=False).returncode != 0:
        reason = f"no Python module {subject.module}"
    elif not os.path.exists(self.command(subject)[0]):
      reason = "not built"
    elif subject.name == "gsettings-dconf":
      for tool in ("dconf", "dbus-daemon", "glib-compile-schemas"):
        if not shutil.which(tool):
          reason = f"no {tool}"
    if reason:
      hint = f"; it needs {subject.package} (scripts/deps --bench)" if subject.package else ""
      print(f"skipped {subject.name}: {reason}{hint}", flush=True)
    return not reason

  def command(self, subject: Subject) -> List[str]:
    if subject.script:
      return [self.python, str(HERE / "python" / subject.script)]
    if subject.name in ("livery-swift", "userdefaults"):
      return [str((self.swift_programs or pathlib.Path("missing")) / f"bench-{subject.name}")]
    return [str(self.programs / f"bench-{subject.name}")]

  def store(self, subject: Subject, count: int) -> pathlib.Path:
    return self.work / str(count) / (subject.store or subject.name)

  def environment(self, count: int) -> Dict[str, str]:
    """The same for all subjects with stores of that size."""
    if count not in self.environments:
      self.environments[count] = self._made_environment(self.work / str(count) / "gsettings-dconf", {})
    return self.environments[count]

  def gsettings_notify(self, notes: int) -> str:
    """On a bus of its own, whose service tells when it has committed."""
    subject, home = self.by_name["gsettings-dconf"], self.work / "gsettings-notify"
    home.mkdir(exist_ok=True)
    stamps = {"LD_PRELOAD": str(self.programs / "libbench-dconf-stamp.so"), "BENCH_BOARD": str(home / "board")}
    environment = self._made_environment(home, stamps)
    if not (home / "schemas").exists():
      subprocess.run([*self.command(subject), "make", str(home), "100"], env=environment, check=True)
    return subprocess.run([self.programs / "bench-gsettings-notify", str(home / "board"), str(notes)], env=environment,
                          check=True, stdout=subprocess.PIPE, text=True).stdout

  def _made_environment(self, home: pathlib.Path, for_services: Dict[str, str]) -> Dict[str, str]:
    for part in ("config", "run", "cache"):
      (home / part).mkdir(parents=True, exist_ok=True)
    (home / "run").chmod(0o700)
    made = dict(os.environ, HOME=str(home), XDG_CONFIG_HOME=str(home / "config"), XDG_RUNTIME_DIR=str(home / "run"),
                XDG_CACHE_HOME=str(home / "cache"), GSETTINGS_SCHEMA_DIR=str(home / "schemas"),
                GSETTINGS_BACKEND="dconf", LIVERY_LIBRARY=str(self.library), SWIFT_BACKTRACE="enable=no",
                PYTHONPATH=str(HERE.parent / "bindings" / "python"), PYTHONPYCACHEPREFIX=str(self.work / "pycache"))
    made.pop("PYTHONDONTWRITEBYTECODE", None)
    if "gsettings-dconf" in self.by_name:
      bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address"],
                             env={**made, **for_services}, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, start_new_session=True)
      made["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
      self.buses.append(bus)
    return made

  def run(self, subject: Subject, mode: str, count: int) -> str:
    command = [*self.command(subject), mode, str(self.store(subject, count)), str(count)]
    return subprocess.run(command, env=self.environment(count), check=True, stdout=subprocess.PIPE, text=True).stdout

  def make(self, subject: Subject, count: int) -> None:
    path = self.store(subject, count)
    if "store" not in subject.can:
      return
    path.mkdir(parents=True, exist_ok=True)
    self.run(subject, "make", count)

  def files(self, subject: Subject, count: int) -> pathlib.Path:
    """Where the subject's settings lie."""
    config = self.work / str(count) / "gsettings-dconf" / "config"
    return {"gsettings-dconf": config / "dconf", "userdefaults": config / "bench.plist"}.get(
      subject.name, self.store(subject, count))

  def close(self) -> None:
    for bus in self.buses:
      # The session's services are in its group.
      os.killpg(bus.pid, signal.SIGTERM)
      bus.wait()
      bus.stdout.close()


class Server:
  """A subject's process that measures what it is asked."""

  def __init__(self, bench: Bench, subject: Subject, count: int) -> None:
    self.subject, self.count = subject, count
    self.process = subprocess.Popen([*bench.command(subject), "serve", str(bench.store(subject, count)), str(count)],
                                    env=bench.environment(count), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True)
    self._answer()

  def _answer(self) -> str:
    line = self.process.stdout.readline()
    if not line:
      raise RuntimeError(f"{self.subject.name} with {self.count} settings ended")
    return line

  def tell(self, command: str) -> None:
    self.process.stdin.write(command + "\n")
    self.process.stdin.flush()

  def hear(self) -> List[float]:
    return [float(word) for word in self._answer().split()]

  def ask(self, command: str) -> List[float]:
    self.tell(command)
    return self.hear()

  def close(self) -> None:
    self.process.stdin.close()
    self.process.wait()
    self.process.stdout.close()


class Spinner:
  """Keeps a core awake, at the lowest priority: on an idle machine an interrupt may wait for a timer tick."""

  def __enter__(self) -> "Spinner":
    self.child = os.fork()
    if self.child == 0:
      os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
      parent = os.getppid()
      while os.getppid() == parent:
        for _ in range(1_000_000):
          pass
      os._exit(0)
    return self

  def __exit__(self, *_: object) -> None:
    os.kill(self.child, signal.SIGKILL)
    os.waitpid(self.child, 0)
