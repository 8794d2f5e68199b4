"""Livery's Python package."""
import ctypes

import driver
import livery


def open_subject(path: str, count: int) -> driver.Subject:
  store = livery.open(path)

  def commit(edits):
    if len(edits) == 1:
      store.set(*edits[0])
      return
    with store.change() as change:
      for name, value in edits:
        change.set(name, value)

  keys = []

  def by_key(name, kind):
    key = store.key(name)
    keys.append(key)
    return {driver.BOOL: key.get_bool, driver.INT: key.get_int, driver.DOUBLE: key.get_double}[kind]

  # The least that a call by way of ctypes costs.
  empty = ctypes.CDLL(None).getpagesize

  def over_calls(is_typed: bool):
    def run(least: int) -> float:
      # A start, which is measured, does without.
      import calls

      return calls.worst(store, path, count, least, is_typed=is_typed)

    return run

  extra = {
    "empty_call": driver.repeated(empty),
    "name_over_call": over_calls(is_typed=True),
    "value_over_call": over_calls(is_typed=False),
  }
  return driver.Subject(store.get_bool, store.get_int, store.get_double, store.get_string, commit, by_key, extra=extra)


driver.main(open_subject)
