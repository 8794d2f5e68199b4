"""A console of its own for each test, on a file and on PostgreSQL, and devices by docs/sync-protocol.md alone."""

import contextlib
import hashlib
import http.client
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))
PROGRAM = BUILD / "livery-console"
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"
sys.path[:0] = [str(ROOT / "Tests" / "Sync")]

import publisher  # noqa: E402
import read_sync  # noqa: E402

SCHEMA = {"Version": 1, "Groups": [{"Title": "Kiosk", "Settings": [
  {"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "integer", "Minimum": 0, "Maximum": 100, "Value": 50},
  {"Type": "TextField", "Title": "Welcome text", "Key": "welcomeText", "Value": "Welcome", "MaxLength": 40},
  {"Type": "TextField", "Title": "Service PIN", "Key": "servicePin", "Class": ["Password"]},
]}]}


def free_port():
  with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    return one.getsockname()[1]


def wait(condition, seconds=20):
  """Until something holds. A machine that is busy may take long: no test asks how long."""
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    found = condition()
    if found:
      return found
    time.sleep(0.05)
  raise AssertionError("it did not come to that")


class Answer:
  def __init__(self, status, headers, body):
    self.status, self.headers, self.body = status, headers, body

  @property
  def json(self):
    return json.loads(self.body)


class Console:
  """The program with a folder; `serve` starts it."""

  def __init__(self, folder, database=None, port=None, state="state", url=None):
    self.folder, self.port = folder, port or free_port()
    # Where devices find it: by itself, or through a web server in front of it.
    self.url = url or f"http://127.0.0.1:{self.port}"
    self.state, self.published = folder / state, folder / "published"
    self.database = database
    self.process = None

  def run(self, *words, expected=0, text=None):
    words = [PROGRAM, *words, "--state", self.state] + (["--database", self.database] if self.database else [])
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, input=text, timeout=120)
    assert done.returncode == expected, (words, done.returncode, done.stderr, done.stdout)
    return done.stdout if expected == 0 or "--json" in words else done.stderr

  def json(self, *words):
    return json.loads(self.run(*words, "--json"))

  def make(self, *more):
    self.run("init", "kiosks", "--publish", self.published, "--url", self.url, *more)
    schema = self.folder / "schema.json"
    schema.write_text(json.dumps(SCHEMA))
    self.run("schema", "add", schema)
    return self.with_eva()

  def make_bare(self):
    """Without a schema, and without a folder that a web server delivers."""
    self.run("init", "kiosks", "--url", self.url)
    return self.with_eva()

  def with_eva(self):
    self.run("admin", "add", "eva", text="correct horse\n")
    self.token = self.run("token", "make", "eva").strip()
    return self

  def serve(self, *more):
    words = [PROGRAM, "serve", "--state", self.state, "--listen", f"127.0.0.1:{self.port}", *more]
    words += ["--database", self.database] if self.database else []
    self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True)
    assert self.process.stdout.readline().startswith("http://"), self.process.poll()
    return self

  def kill(self):
    self.process.kill()
    self.process.wait()

  def sql(self, statement):
    """Has something be in the database that the console does not write by itself; gives the rows of a question."""
    if self.database:
      done = subprocess.run(["psql", "-X", "-q", "-t", "-A", self.database, "-c", statement], check=True, cwd="/",
                            capture_output=True, text=True)
      return [line.split("|") for line in done.stdout.splitlines()]
    with contextlib.closing(sqlite3.connect(self.state / "console.db", timeout=60)) as database, database:
      return [[str(one) for one in row] for row in database.execute(statement).fetchall()]

  def stop(self):
    if self.process and self.process.poll() is None:
      self.process.terminate()
      assert self.process.wait(20) == 0

  def ask(self, method, path, body=None, headers=None, token=True):
    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
    headers = dict(headers or {})
    if token:
      headers.setdefault("Authorization", "Bearer " + self.token)
    if body is not None and not isinstance(body, bytes):
      body = json.dumps(body).encode()
      headers.setdefault("Content-Type", "application/json")
    try:
      connection.request(method, path, body, headers)
      response = connection.getresponse()
      return Answer(response.status, dict(response.getheaders()), response.read())
    finally:
      connection.close()

  def api(self, method, path, body=None, expected=200):
    answer = self.ask(method, "/api/v1/" + path, body)
    assert answer.status == expected, (method, path, answer.status, answer.body)
    return answer.json if answer.body else None

  def set(self, channel, *settings, **plan):
    """Puts settings into a draft, and publishes it."""
    revision = self.api("GET", f"channels/{channel}/draft")["revision"]
    listed = [{"name": name, "verb": verb, "value": value} for name, verb, value in settings]
    draft = self.api("PATCH", f"channels/{channel}/draft", {"revision": revision, "settings": listed})
    return self.api("POST", f"channels/{channel}/publications", {"revision": draft["revision"], **plan}, 201)

  def code(self, **more):
    return self.api("POST", "enrollments", more, 201)["code"]


class Device:
  """A device: it reads what is published, verifies all of it, and reports."""

  def __init__(self, console, code):
    self.console, self.key = console, publisher.Key()
    read_sync.read_code(code)
    self.token = publisher.base64.urlsafe_b64decode(code.split("&t=")[1].split("&")[0] + "==")
    self.id = hashlib.sha256(self.key.public).digest()[:16].hex()
    self.sequence, self.values = 0, {}

  def enroll(self, name="till"):
    content = {"fleet": "kiosks", "token": self.token, "device": self.key.public, "name": name}
    return self.console.ask("POST", "/v1/enroll", publisher.signed("enrollment", content, self.key), token=False)

  def manifest(self, channel):
    answer = self.console.ask("GET", f"/v1/channels/{channel}/manifest", token=False)
    if answer.status == 404:
      return None
    assert answer.status == 200, (answer.status, answer.body)
    kind, payload, signatures = read_sync.cbor(answer.body)
    message = b"livery-sync-1\0manifest\0" + payload
    assert all(publisher.VERIFY(key, message, signature) for key, signature in signatures)
    return read_sync.cbor(payload)

  def wanted(self):
    """The documents that it takes, the weakest first: hash and settings."""
    own = self.manifest("device." + self.id)
    found = []
    self.channels = {"device." + self.id: own["version"]}
    for channel in ["fleet"] + ["group." + name for name in own.get("groups", [])] + ["device." + self.id]:
      manifest = self.manifest(channel)
      if manifest is None:
        continue
      self.channels[channel] = manifest["version"]
      for entry in manifest.get("documents", []):
        if "share" in entry:
          place = int.from_bytes(hashlib.sha256(entry["salt"] + self.id.encode()).digest(), "big") % 10_000
          if place >= entry["share"]:
            continue
        data = self.console.ask("GET", "/v1/blobs/" + entry["hash"].hex(), token=False).body
        assert hashlib.sha256(data).digest() == entry["hash"] and len(data) == entry["size"]
        found.append((entry["hash"], read_sync.cbor(data)))
    return found

  def pull(self):
    """What it is to have, by name."""
    values = {}
    for _, document in self.wanted():
      for setting in document.get("settings", []):
        values.pop(setting["name"], None)
        if setting["verb"] != "release":
          values[setting["name"]] = (setting["verb"], setting["value"])
    return values

  def report(self, verdict="applied", refuses=None, **more):
    """Tells what it has: all of it. `refuses` says which documents it cannot take."""
    listed, violations = [], []
    for hashed, document in self.wanted():
      bad = refuses and refuses(document)
      # Once, also where several channels say the same.
      if hashed not in [one["hash"] for one in listed]:
        listed.append({"hash": hashed, "verdict": "refused" if bad else verdict})
      if bad:
        violations = [{"name": "volume", "message": "it is too loud"}]
    layers = {"recommend": "recommended", "enforce": "enforced", "replace": "recommended"}
    values = [{"name": name, "layer": layers[verb], "value": value}
              for name, (verb, value) in sorted(self.pull().items(), key=lambda pair: pair[0].encode())]
    digest = hashlib.sha256(b"".join(hashlib.sha256(publisher.cbor(one)).digest()[:8] for one in values)).digest()
    self.sequence += 1
    content = {"fleet": "kiosks", "device": self.key.public, "sequence": self.sequence, "time": int(time.time()),
               "schema": 1, "keys": 1, "channels": self.channels, "digest": digest}
    for name, items in (("documents", listed), ("violations", violations), ("values", values)):
      if items:
        content[name] = items
    content.update(more)
    self.last = publisher.signed("report", content, self.key)
    return self.console.ask("POST", "/v1/reports", self.last, token=False)


def join(console, count=1, **more):
  devices = []
  for index in range(count):
    device = Device(console, console.code(**more))
    assert device.enroll(f"till {index}").status == 204
    devices.append(device)
  return devices


def let_go(data):
  """A PostgreSQL that was killed stands in the way of the next one until somebody has asked how it ended."""
  lock = data / "postmaster.pid"
  try:
    state = Path(f"/proc/{int(lock.read_text().split()[0])}/stat").read_text().rsplit(")", 1)[1].split()[0]
    if state == "Z":
      lock.unlink()
  except (OSError, ValueError, IndexError):
    pass


class Server:
  """PostgreSQL in a folder of its own."""

  def __init__(self, folder, program, as_user):
    self.folder, self.program, self.as_user, self.port, self.number = folder, program, as_user, free_port(), 0

  @classmethod
  def make(cls, folder):
    found = [shutil.which(name) or next(iter(sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")))), None)
             for name in ("initdb", "pg_ctl")]
    if None in found:
      pytest.skip("PostgreSQL is not installed (postgresql): the console is tested on SQLite alone")
    as_user = []
    if os.getuid() == 0:
      shutil.chown(folder, "postgres")
      for parent in list(folder.parents)[:3]:
        if parent != Path("/tmp") and parent != Path("/"):
          parent.chmod(0o755)
      as_user = ["runuser", "-u", "postgres", "--"]
    subprocess.run([*as_user, found[0], "-D", folder / "data", "-A", "trust", "-U", "postgres",
                    "--locale=C.UTF-8"], check=True, stdout=subprocess.DEVNULL, cwd="/")
    server = cls(folder, found[1], as_user)
    server.start()
    return server

  def control(self, *words, check=True):
    return subprocess.run([*self.as_user, self.program, "-D", self.folder / "data", *words], check=check,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/").returncode

  def start(self):
    # What was killed takes a moment to let go of its memory and its port.
    wait(self.begin, 30)

  def begin(self):
    let_go(self.folder / "data")
    return self.control("-w", "-l", self.folder / "log", "-o", f"-p {self.port} -c listen_addresses=127.0.0.1 -c "
                 "unix_socket_directories=''", "start", check=False) == 0

  def stop(self):
    self.control("-m", "immediate", "stop", check=False)

  def restart(self):
    self.control("-w", "-m", "fast", "stop")
    self.start()

  def kill(self):
    """As if its power had gone, all of its processes with it."""
    os.kill(int((self.folder / "data/postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    wait(lambda: self.query("SELECT 1", check=False) != 0)

  def query(self, sql, check=True):
    return subprocess.run(["psql", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-c", sql], check=check,
                          cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

  def database(self):
    self.number += 1
    self.query(f"CREATE DATABASE fleet{self.number}")
    return f"postgresql://postgres@127.0.0.1:{self.port}/fleet{self.number}"


@pytest.fixture(scope="session")
def server(tmp_path_factory):
  """PostgreSQL; gives addresses of new databases."""
  server = Server.make(tmp_path_factory.mktemp("postgres"))
  yield server.database
  server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request):
  return request.getfixturevalue("server")() if request.param == "postgresql" else None


@pytest.fixture
def console(tmp_path, place):
  console = Console(tmp_path, place).make().serve()
  yield console
  console.stop()
