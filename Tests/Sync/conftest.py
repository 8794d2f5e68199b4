"""A store, and a console of the tests' own: a folder that a web server delivers, with ends for reports and enrollment."""

import hashlib
import os
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))
os.environ.setdefault("LIVERY_LIBRARY", str(BUILD / "liblivery.so"))
# Loopback is reached without a proxy, whatever the environment says.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(Path(__file__).parent)]

import livery  # noqa: E402
import livery.sync  # noqa: E402
from publisher import Publisher  # noqa: E402


class Console:
  """Delivers a folder, and takes reports. `requests` has the paths asked for with the status of the answer; `answers` has functions
  that are asked before the folder, by path."""

  def __init__(self, folder, context=None):
    console = self
    self.publisher = Publisher(folder)
    self.requests, self.answers, self.is_down = [], {}, False
    self.lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"

      def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

      def log_message(self, *_):
        pass

      def give(self, status, body=b"", headers=None, length=None):
        with console.lock:
          console.requests.append((self.path, status, dict(self.headers)))
        self.send_response_only(status)
        for name, value in (headers or {}).items():
          self.send_header(name, value)
        if status not in (204, 304):
          self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        if length is not None and length != len(body):
          self.close_connection = True

      def do_GET(self):
        if console.is_down:
          self.close_connection = True
          return
        if self.path in console.answers:
          console.answers[self.path](self)
          return
        place = console.publisher.folder / self.path.lstrip("/")
        if not place.is_file():
          self.give(404)
          return
        data = place.read_bytes()
        tag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        if self.headers.get("If-None-Match") == tag:
          self.give(304, headers={"ETag": tag})
        else:
          self.give(200, data, {"ETag": tag})

      def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if console.is_down:
          self.close_connection = True
          return
        if self.path in console.answers:
          console.answers[self.path](self)
          return
        with console.lock:
          status, body = console.publisher.enroll(data) if self.path == "/v1/enroll" else console.publisher.report(data)
        self.give(status, body)

    class Quiet(ThreadingHTTPServer):
      def handle_error(self, *_):
        """Devices that are killed leave connections behind."""

    self._server = Quiet(("127.0.0.1", 0), Handler)
    self._server.daemon_threads = True
    if context is not None:
      self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
    self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{self._server.server_port}"
    threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

  def code(self, **options):
    return self.publisher.code(self.url, **options)

  def asked(self, part="", status=None):
    with self.lock:
      return [path for path, given, _ in self.requests if part in path and status in (None, given)]

  def reports(self):
    """Those of the one device."""
    with self.lock:
      return next(iter(self.publisher.reports.values()), [])

  def close(self):
    self._server.shutdown()
    self._server.server_close()


SCHEMA = """{"Version": 1, "Groups": [{"Title": "All", "Settings": [
  {"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "integer", "Value": 20, "Minimum": 0, "Maximum": 100},
  {"Type": "TextField", "Title": "Title", "Key": "title", "Value": "none"},
  {"Type": "TextField", "Title": "Token", "Key": "token", "Value": "", "Class": ["Password"]},
  {"Type": "Image", "Title": "Logo", "Key": "logo"}
]}]}"""


def wait(holds, what="what is waited for", seconds=15):
  """Until something holds."""
  end = time.monotonic() + seconds
  while not holds():
    assert time.monotonic() < end, f"{what} does not come"
    time.sleep(0.02)


@pytest.fixture
def console(tmp_path):
  made = Console(tmp_path / "console")
  yield made
  made.close()


@pytest.fixture
def store(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    opened.apply_schema(SCHEMA)
    yield opened


@pytest.fixture
def device(store, console):
  """A store that has joined the fleet."""
  livery.sync.enroll(store, console.code(), name="till 4").result(20)
  return store
