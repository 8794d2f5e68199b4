"""A console of its own that serves, and programs that ask its API."""

import hashlib
import http.client
import json
import os
import sqlite3
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("LIVERY_BUILD", ROOT / "build")) / "livery-console"
SCHEMA = ROOT / "Tests" / "ConsolePages" / "fixtures" / "signage.json"
DESCRIPTION = ROOT / "docs" / "console-api.openapi.json"
PASSWORD = "correct horse"


class Serving:
  """A fleet with an editor and a viewer, a schema, two groups, and devices that nothing was heard of."""

  def __init__(self, folder, devices=3, schema=SCHEMA):
    self.folder = folder
    self.environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", "LIVERY_CONSOLE": str(folder / "console")}
    self.command("init", "fleet1", "--url", "http://fleet.example", "--root-key", str(folder / "root.key"))
    self.command("admin", "add", "alice", input=PASSWORD + "\n")
    self.command("admin", "add", "vera", "--role", "viewer", input=PASSWORD + "\n")
    if schema:
      self.command("schema", "add", str(schema))
    self.command("group", "add", "lobby")
    self.command("group", "add", "north")
    self.editor = self.token("alice")
    self.viewer = self.token("vera")
    self.devices = [hashlib.sha256(bytes([number])).hexdigest()[:32] for number in range(devices)]
    with sqlite3.connect(folder / "console" / "console.db") as database:
      for number, device in enumerate(self.devices):
        database.execute("INSERT INTO devices (id, public_key, name, enrolled) VALUES (?, ?, ?, ?)",
                         (device, bytes([number]) * 32, f"Screen {number}", int(time.time())))
    database.close()
    self.program = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True,
                                    env=self.environment)
    self.base = self.program.stdout.readline().strip()
    self.host = self.base.removeprefix("http://")

  def command(self, *words, input=""):
    done = subprocess.run([PROGRAM, *words], input=input, capture_output=True, text=True, env=self.environment, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout

  def token(self, name):
    return self.command("token", "make", name).strip()

  def close(self):
    """Ends it as an administrator does; it has to have lived until then."""
    assert self.program.poll() is None, "the console has ended by itself"
    self.program.terminate()
    try:
      assert self.program.wait(20) == 0
    finally:
      self.program.stdout.close()

  def ask(self, method, path, body=None, token=None, type="application/json", **headers):
    """Asks, by default as the editor; `token=False` as nobody. A body that is no bytes goes as JSON."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not False:
      sent["Authorization"] = "Bearer " + (token or self.editor)
    if body is not None:
      sent["Content-Type"] = type
      if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    elif method in ("POST", "PUT", "PATCH"):
      body = b""
    connection = http.client.HTTPConnection(self.host, timeout=30)
    try:
      connection.request(method, "/api/v1" + path, body, sent)
      answer = connection.getresponse()
      answer.content = answer.read()
      answer.json = json.loads(answer.content) if "json" in answer.getheader("Content-Type", "") and answer.content else None
      return answer
    finally:
      connection.close()

  def get(self, path, **options):
    answer = self.ask("GET", path, **options)
    assert answer.status == 200, answer.content
    return answer.json

  def draft(self, channel="fleet"):
    """The entity tag of a draft, and what it says."""
    answer = self.ask("GET", f"/channels/{channel}/draft")
    assert answer.status == 200
    return answer.getheader("ETag"), answer.json

  def change(self, settings, channel="fleet", method="PATCH", tag=None):
    return self.ask(method, f"/channels/{channel}/draft", {"settings": settings}, If_Match=tag or self.draft(channel)[0])
