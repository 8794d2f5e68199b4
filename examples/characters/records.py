"""What comes by URL: records and images, from the network or from the store. Outcomes are told on the main loop."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Optional

import livery
import livery.fetch

#: Is told what was fetched, or why there is nothing.
Done = Callable[[Optional[livery.fetch.Fetched], str], object]


class Records:
  """Fetches for a store. What is asked for now does not wait for what is only kept for later."""

  def __init__(self, store: livery.Store) -> None:
    self._store = store
    self._now = ThreadPoolExecutor(4, "fetch now")
    self._later = ThreadPoolExecutor(2, "fetch later")

  def document(self, url: str, done: Done, offline: bool = False) -> None:
    """A document; with ``offline`` only what the store holds, which is there at once."""
    self._now.submit(self._fetch, url, done, kind="document", offline=offline, attempts=2, timeout=15)

  def image(self, url: str, done: Done) -> None:
    self._now.submit(self._fetch, url, done, kind="image", attempts=1, timeout=15)

  def keep(self, url: str) -> None:
    """Have an image in the store for when there is no network."""
    self._later.submit(self._fetch, url, None, kind="image", attempts=1, timeout=15)

  def forget(self) -> None:
    """What was to be kept is not of interest any more: another brand's characters are shown."""
    self._later.shutdown(wait=False, cancel_futures=True)
    self._later = ThreadPoolExecutor(2, "fetch later")

  def close(self) -> None:
    """Before the store is closed, which ends what is under way."""
    for executor in (self._now, self._later):
      executor.shutdown(wait=False, cancel_futures=True)

  def _fetch(self, url: str, done: Optional[Done], **options: object) -> None:
    fetched, message = None, ""
    try:
      fetched = livery.fetch.get(self._store, url, **options)
    except livery.LiveryError as error:
      message = str(error)
    if done is not None:
      try:
        # The main loop calls it, since dispatch() is called there.
        self._store.post(lambda told=done: told(fetched, message), dispatch=True)
      except livery.LiveryError:
        pass  # The store was closed, and nobody waits.
