"""What attacks a page: the program that serves one, and requests made byte by byte."""
import os
import pathlib
import queue
import re
import socket
import subprocess
import tempfile
import threading


class Program:
  """A page that is served by serve.c, at `port` or a socket."""

  def __init__(self, program, *options, store=None):
    self.folder = tempfile.TemporaryDirectory(prefix="livery-page-")
    store = store or os.path.join(self.folder.name, "store")
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    self.process = subprocess.Popen([program, store, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                    env=environment, bufsize=1)
    self.lines = queue.Queue()
    self.ends = []
    self.reader = threading.Thread(target=self.read, daemon=True)
    self.reader.start()
    self.greeting = self.lines.get(timeout=20)
    found = re.match(r"ok https?://(\[[^\]]*\]|[^:/]+)(?::(\d+))?/open/(\S+)$", self.greeting)
    self.host, self.port, self.token = (found[1], int(found[2] or 0), found[3]) if found else (None, None, None)

  def read(self):
    for line in self.process.stdout:
      if line.startswith(("finished", "destroyed")):
        self.ends.append(line.strip())
      else:
        self.lines.put(line.strip())

  def __enter__(self):
    return self

  def __exit__(self, *_):
    if self.process.poll() is None:
      self.process.stdin.close()
      try:
        self.process.wait(20)
      except subprocess.TimeoutExpired:
        self.process.kill()
        raise AssertionError("the program does not end") from None
    self.reader.join(5)
    self.process.stdout.close()
    self.folder.cleanup()
    assert self.process.returncode in (0, 1), f"the program ended with {self.process.returncode}"

  def tell(self, line):
    self.process.stdin.write(line + "\n")
    return self.lines.get(timeout=20)

  def link(self):
    return self.tell("address").rsplit("/", 1)[1]

  def open(self, token=None):
    """A browser with a session."""
    browser = Browser(self)
    answer = browser.get(f"/open/{token or self.link()}")
    assert answer.status == 303, answer
    browser.csrf = re.search(rb'name="csrf" value="([^"]+)"', browser.get("/").body)[1].decode()
    return browser

  @property
  def authority(self):
    return f"{self.host}:{self.port}"

  def switches(self, is_watching=False):
    """How often its threads have run. While somebody listens, without the store's own, which looks once a second."""
    def began(thread):
      return int((thread / "stat").read_text().rpartition(")")[2].split()[19])

    threads = sorted(pathlib.Path(f"/proc/{self.process.pid}/task").iterdir(), key=began)
    # A thread has the name of the one that started it until it takes another; those that serve were there first.
    serving = [thread for thread in threads if (thread / "comm").read_text().strip() in ("MHD-single", "livery-http")][:2]
    assert len(serving) == 2, serving
    counts = [re.findall(r"ctxt_switches:\s*(\d+)", (thread / "status").read_text())
              for thread in (serving if is_watching else threads)]
    return sum(int(number) for count in counts for number in count)

  def memory(self):
    """In KiB, what is its own."""
    rollup = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
    return sum(int(number) for number in re.findall(r"Private_\w+:\s*(\d+)", rollup))


class Answer:
  def __init__(self, raw):
    self.raw = raw
    head, _, self.body = raw.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    found = re.match(rb"HTTP/1\.[01] (\d{3}) ", raw)
    self.status = int(found[1]) if found else None
    self.headers = {}
    for line in lines[1:]:
      name, _, value = line.partition(b":")
      self.headers.setdefault(name.decode("latin-1").lower(), value.strip().decode("latin-1"))

  def __repr__(self):
    return f"<{self.status} {self.raw[:300]!r}>"


def connect(program, source=None, timeout=10):
  if program.port == 0:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(timeout)
    connection.connect(program.socket_path)
    return connection
  host = program.host.strip("[]")
  return socket.create_connection((host, program.port), timeout, source_address=(source, 0) if source else None)


def receive(connection, is_head=False):
  """One answer, or what came of it."""
  raw = b""
  try:
    while True:
      head, separator, body = raw.partition(b"\r\n\r\n")
      if separator:
        length = re.search(rb"(?i)\ncontent-length: *(\d+)", head)
        if is_head or re.match(rb"HTTP/1.1 (304|204|1\d\d)", raw) or (length and len(body) >= int(length[1])):
          break
      part = connection.recv(65536)
      if not part:
        break
      raw += part
  except (ConnectionError, TimeoutError):
    pass
  return Answer(raw)


def exchange(program, raw, source=None, timeout=10):
  """Sends bytes on a connection of its own."""
  with connect(program, source, timeout) as connection:
    try:
      connection.sendall(raw)
    except (ConnectionError, TimeoutError):
      pass
    return receive(connection, raw.startswith(b"HEAD"))


class Browser:
  """Keeps a cookie, and says what a browser says."""

  def __init__(self, program, source=None):
    self.program, self.source = program, source
    self.cookie = self.csrf = None

  def head(self, method, path, headers=(), host=None):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or self.program.authority}"]
    if self.cookie:
      lines.append(f"Cookie: theme=dark; {self.cookie}")
    return ("\r\n".join([*lines, *headers]) + "\r\n\r\n").encode("latin-1")

  def send(self, raw, timeout=10):
    answer = exchange(self.program, raw, self.source, timeout)
    cookie = answer.headers.get("set-cookie")
    if cookie:
      self.cookie = cookie.split(";")[0]
    return answer

  def get(self, path, *headers, host=None):
    return self.send(self.head("GET", path, headers, host))

  def post(self, path, body, *headers, kind="application/x-www-form-urlencoded", timeout=10):
    body = body.encode() if isinstance(body, str) else body
    headers = [*headers, f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
    return self.send(self.head("POST", path, headers) + body, timeout)

  def upload(self, path, body, *headers, boundary="xx", timeout=30):
    return self.post(path, body, f"X-Livery-CSRF: {self.csrf}", *headers, kind=f"multipart/form-data; boundary={boundary}",
                     timeout=timeout)

  def stream(self):
    """A connection on which events come."""
    connection = connect(self.program, self.source)
    connection.sendall(self.head("GET", "/events", ["Accept: text/event-stream"]))
    return connection


def wait_for(connection, wanted, timeout=10):
  """Reads until the bytes have come; what was read."""
  connection.settimeout(timeout)
  raw = b""
  while wanted not in raw:
    part = connection.recv(65536)
    if not part:
      raise AssertionError(f"it ended before {wanted!r}: {raw[-300:]!r}")
    raw += part
  return raw
