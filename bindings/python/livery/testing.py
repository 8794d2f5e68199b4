"""For the tests of programs that fetch: a transport that needs no network.

    transport = livery.testing.ScriptedTransport({"https://example.com/logo.png": Answer(body=png)})
    livery.fetch.set_transport(store, transport)
    assert livery.fetch.get(store, "https://example.com/logo.png").data == png
    assert transport.requests == ["https://example.com/logo.png"]
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Union

from .errors import NetworkError
from .fetch import Exchange, Transport


@dataclass(frozen=True)
class Answer:
  """What a server answers; an ``error`` in the place of the end of its body."""

  status: int = 200
  body: bytes = b""
  headers: Mapping[str, str] = field(default_factory=dict)
  error: Optional[BaseException] = None

  def give(self, exchange: Exchange) -> None:
    exchange.answer(self.status, self.headers)
    if self.body:
      exchange.receive(self.body)
    exchange.finish(self.error)


#: An answer, an error in its place, or a function of the request's headers that makes one.
Step = Union[Answer, BaseException, Callable[[Mapping[str, str]], Answer]]


class ScriptedTransport(Transport):
  """Answers each URL by its script: one step, or a list of them, of which the last one stays.

  What has no script is unreachable: NetworkError. ``requests`` has the URLs that were asked for, ``headers`` what was sent with
  them. With ``offline`` set nothing is reachable.
  """

  def __init__(self, script: Optional[Mapping[str, Union[Step, Sequence[Step]]]] = None) -> None:
    self._lock = threading.Lock()
    self._script: Dict[str, List[Step]] = {}
    self.requests: List[str] = []
    self.headers: List[Mapping[str, str]] = []
    self.offline = False
    for url, steps in (script or {}).items():
      self.set(url, *(steps if isinstance(steps, (list, tuple)) else [steps]))

  def set(self, url: str, *steps: Step) -> None:
    """What a URL is answered with from now on."""
    with self._lock:
      self._script[url] = list(steps)

  def begin(self, url: str, headers: Mapping[str, str], exchange: Exchange) -> None:
    with self._lock:
      self.requests.append(url)
      self.headers.append(headers)
      steps = [] if self.offline else self._script.get(url, [])
      step = steps.pop(0) if len(steps) > 1 else steps[0] if steps else NetworkError(f"nobody answers at {url}")
    if isinstance(step, BaseException):
      raise step
    (step if isinstance(step, Answer) else step(headers)).give(exchange)
