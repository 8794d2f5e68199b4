"""A store, and a server on loopback that does everything that servers do wrong."""

import gzip
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))
IMAGES = ROOT / "Tests" / "Fixtures" / "images"
os.environ.setdefault("LIVERY_LIBRARY", str(BUILD / "liblivery.so"))
# Loopback is reached without a proxy, whatever the environment says.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"
sys.path[:0] = [str(ROOT / "bindings" / "python")]

import livery  # noqa: E402
import livery.fetch  # noqa: E402

PNG = (IMAGES / "rgba.png").read_bytes()


class Server:
  """Answers each path by the function that was set for it; `requests` has what it was asked, path and headers."""

  def __init__(self, context=None):
    server = self
    self.answers = {}
    self.requests = []
    self._lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"

      def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

      def log_message(self, *_):
        pass

      def do_GET(self):
        with server._lock:
          server.requests.append((self.path, dict(self.headers)))
        answer = server.answers.get(self.path, lambda handler: handler.give(404))
        try:
          answer(self)
        except (BrokenPipeError, ConnectionResetError):
          self.close_connection = True

      def give(self, status, body=b"", headers=None, length=None):
        """An answer; `length` is what the head says of the body."""
        self.send_response_only(status)
        for name, value in (headers or {}).items():
          self.send_header(name, value)
        if status not in (204, 304):
          self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        if length is not None and length != len(body):
          self.close_connection = True

    self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    self._server.daemon_threads = True
    if context is not None:
      self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
    self.scheme = "http" if context is None else "https"
    threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

  @property
  def port(self):
    return self._server.server_port

  def url(self, path, host="127.0.0.1"):
    return f"{self.scheme}://{host}:{self.port}{path}"

  def serve(self, path, *answers):
    """What a path is answered with: arguments of give() or functions, one for each request, the last for all after it."""
    left = list(answers)

    def answer(handler):
      with self._lock:
        next_answer = left.pop(0) if len(left) > 1 else left[0]
      if callable(next_answer):
        next_answer(handler)
      else:
        handler.give(*next_answer)

    self.answers[path] = answer
    return self.url(path)

  def count(self, path):
    return sum(asked == path for asked, _ in self.requests)

  def close(self):
    self._server.shutdown()
    self._server.server_close()


@pytest.fixture
def server():
  made = Server()
  yield made
  made.close()


@pytest.fixture
def store(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    yield opened


@pytest.fixture
def png():
  return PNG


def packed(body):
  return gzip.compress(body)
