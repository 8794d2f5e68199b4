"""What the project asks of itself, and whether a run met it."""
from typing import Dict, List, NamedTuple, Optional, Tuple

from .samples import Samples


class Bar(NamedTuple):
  text: str
  subject: str
  measure: str
  n: int
  limit: float
  #: Of which column of the row.
  column: str = "ratio_to_raw_lmdb"
  at_least: bool = False


def _both(text: str, measure: str, small: float, large: float, column: str = "ratio_to_raw_lmdb",
          at_least: bool = False) -> List[Bar]:
  return [Bar(text, "livery-c", measure, 1_000, small, column, at_least),
          Bar(text, "livery-c", measure, 100_000, large, column, at_least)]


BARS = [
  *_both("warm scalar read by name, × raw LMDB", "read_name", 0.5, 0.2),
  *_both("warm scalar read by key, × raw LMDB", "read_key", 0.12, 0.04),
  *_both("warm 16-byte string by name, × raw LMDB", "read_string", 0.6, 0.25),
  *_both("cold read after another process's commit, × raw LMDB", "read_cold", 2, 1.5),
  *_both("first read, from process start, × raw LMDB", "first_read", 1.5, 1.5),
  *_both("peak memory of that process above raw LMDB, KB", "peak_rss_above_raw_lmdb", 1024, 1024, "median"),
  *_both("durable commit of one setting, × raw LMDB", "commit_1", 1.25, 1.25),
  *_both("durable commit of 100 settings, × raw LMDB", "commit_100", 2.5, 2.5),
  *_both("gain of a second thread, × that of an empty loop", "gain_2threads_of_empty_loop", 0.9, 0.9, "median", True),
  *_both("read under 100 commits a second, × quiet", "busy_over_quiet", 1.5, 1.5, "median"),
  *_both("commits of 4 threads, × those of one", "commit_gain_4threads", 2.5, 2.5, "median", True),
  Bar("Swift by key, × C by key", "livery-swift", "key_over_c", 1_000, 1.3, "median"),
  Bar("Swift by key, × C by key", "livery-swift", "key_over_c", 100_000, 1.3, "median"),
  *(Bar("Swift by name, × C by name", "livery-swift", "name_over_c", n, 1.5, "median") for n in (1_000, 100_000)),
  *(Bar("Swift 16-byte string, × C", "livery-swift", "string_over_c", n, 2, "median") for n in (1_000, 100_000)),
  Bar("Python by key, × (1.2 × empty call + 150 ns)", "livery-python", "key_over_limit", 1_000, 1, "median"),
  *(Bar("Python by name, × a call by way of ctypes", "livery-python", "name_over_call", n, 1.25, "median")
    for n in (1_000, 100_000)),
  *(Bar("Python store[name], × a call by way of ctypes", "livery-python", "value_over_call", n, 1.25, "median")
    for n in (1_000, 100_000)),
  Bar("Python by name, ns", "livery-python", "read_name", 1_000, 600, "median"),
  Bar("Python by name, × py-lmdb", "livery-python", "name_over_py_lmdb", 1_000, 1, "median"),
  Bar("first read at 1,000,000 settings, × at 1,000", "livery-c", "first_read_over_1000", 1_000_000, 1.5, "median"),
  Bar("commit to callback in another process, p50, us", "livery-c", "notify_p50", 1, 25, "median"),
  Bar("commit to callback in another process, p99, us", "livery-c", "notify_p99", 1, 200, "median"),
  Bar("the same, × a bare futex", "livery-c", "notify_over_futex", 1, 4, "median"),
  Bar("by descriptor and dispatch, p50, us", "livery-c", "notify_fd_p50", 1, 60, "median"),
  Bar("commit with 8 watching processes, × without", "livery-c", "commit_watched_over_alone", 1, 1.3, "median"),
  Bar("10 steps on 100 settings × 6 layers, no backup, ms", "livery-c", "upgrade_steps", 100, 5, "median"),
  Bar("10 steps on 100,000 settings, with backup, ms", "livery-c", "upgrade", 100_000, 2000, "median"),
  Bar("search by words, of 1,000 settings, ms", "livery-c", "search", 1_000, 5, "median"),
  Bar("search by words, of 100,000 settings, ms", "livery-c", "search", 100_000, 50, "median"),
]


def derive(samples: Samples, sizes: List[int]) -> None:
  """The measures that are made of others."""
  of = samples.of
  for n in sizes:
    gains = {}
    for subject in ("livery-c", "empty-loop", "raw-lmdb"):
      gains[subject] = [one / two for one, two in
                        zip(of(subject, "read_name_1thread", n), of(subject, "read_name_2threads", n))]
      samples.add_ratio(subject, "gain_2threads", n, of(subject, "read_name_1thread", n),
                        of(subject, "read_name_2threads", n))
    samples.add_ratio("livery-c", "gain_2threads_of_empty_loop", n, gains["livery-c"], gains["empty-loop"])
    for subject in ("livery-c", "raw-lmdb"):
      samples.add_ratio(subject, "busy_over_quiet", n, of(subject, "read_name_busy", n),
                        of(subject, "read_name_quiet", n))
      samples.add_ratio(subject, "commit_gain_4threads", n, of(subject, "commit_rate_4", n),
                        of(subject, "commit_rate_1", n))
    for what in ("key", "name", "string"):
      samples.add_ratio("livery-swift", f"{what}_over_c", n, of("livery-swift", f"read_{what}", n),
                        of("livery-c", f"read_{what}", n))
    limits = [1.2 * empty + 150 for empty in of("empty-call", "python", n)]
    samples.add_ratio("livery-python", "key_over_limit", n, of("livery-python", "read_key", n), limits)
    samples.add_ratio("livery-python", "name_over_py_lmdb", n, of("livery-python", "read_name", n),
                      of("py-lmdb", "read_name", n))


def judge(rows: List[dict]) -> List[Tuple[Bar, Optional[float], str]]:
  """Each bar with what was measured, and `ok`, `NOT MET` or `not measured`."""
  found: Dict[tuple, dict] = {(row["subject"], row["measure"], row["n"]): row for row in rows}
  verdicts = []
  for bar in BARS:
    row = found.get((bar.subject, bar.measure, bar.n))
    figure = row and row[bar.column]
    if figure is None:
      verdicts.append((bar, None, "not measured"))
    else:
      met = figure >= bar.limit if bar.at_least else figure <= bar.limit
      verdicts.append((bar, figure, "ok" if met else "NOT MET"))
  return verdicts
