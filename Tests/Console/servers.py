"""What stands around a console: a broker, a web server, a database server; each can be killed and started again."""

import os
import queue
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from conftest import let_go


def program(name):
  """The path of a program of the system; nothing if it is not installed."""
  return shutil.which(name) or next(
    iter([*map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), *map(str, Path("/usr/sbin").glob(name))]), None)


def free_port():
  with socket.socket() as found:
    found.bind(("127.0.0.1", 0))
    return found.getsockname()[1]


def reached(port, process=None):
  while True:
    with socket.socket() as probe:
      if probe.connect_ex(("127.0.0.1", port)) == 0:
        return
    assert process is None or process.poll() is None, "it has ended before it was reached"
    time.sleep(0.01)


class Broker:
  """mosquitto; `connected` has the moment at which each client was last let in, `channels` which device it is, `moments` all of them."""

  def __init__(self, folder):
    self.port = free_port()
    self.url = f"mqtt://127.0.0.1:{self.port}"
    self.connected, self.channels, self.moments = {}, {}, []
    self.configuration = folder / "mosquitto.conf"
    # Nothing of it outlives a kill: whatever hints were kept is lost then.
    self.configuration.write_text(
      f"listener {self.port} 127.0.0.1\nallow_anonymous true\n{'user root' if os.getuid() == 0 else ''}\n"
      "log_dest stderr\nlog_type all\nmax_connections -1\n")
    self.start()

  def start(self):
    self.process = subprocess.Popen(
      [program("mosquitto"), "-c", self.configuration], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    threading.Thread(target=self.read, args=(self.process.stderr,), daemon=True).start()
    reached(self.port, self.process)

  def read(self, lines):
    client = None
    for line in lines:
      moment = time.monotonic()
      if found := re.search(r"New client connected from \S+ as (\S+)", line):
        self.connected[found[1]] = moment
        self.moments.append(moment)
        client = found[1]
      elif found := re.search(r"Received SUBSCRIBE from (\S+)", line):
        client = found[1]
      elif (found := re.search(r"/device\.([0-9a-f]{32})", line)) and client:
        self.channels.setdefault(client, found[1])

  def kill(self):
    self.process.kill()
    self.process.wait()


class Nginx:
  """As docs/console.md has it: what is published it delivers by itself, the rest goes to the console."""

  def __init__(self, folder, published, console):
    self.port = free_port()
    self.url = f"http://127.0.0.1:{self.port}"
    self.log = folder / "access.log"
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; {user}
worker_rlimit_nofile 20000;
events {{ worker_connections 8000; }}
http {{
  log_format short '$status $request_method $uri $upstream_status';
  access_log {self.log} short buffer=64k flush=1s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s; client_max_body_size 64m; keepalive_timeout 10s;
  server {{
    listen 127.0.0.1:{self.port} backlog=4096;
    location /v1/ {{
      root {published};
      default_type application/octet-stream;
      add_header Cache-Control no-cache;
      location /v1/blobs/ {{ root {published}; add_header Cache-Control "public, max-age=31536000, immutable"; }}
    }}
    location = /v1/reports {{ proxy_pass {console}; proxy_set_header Host $http_host; }}
    location = /v1/enroll  {{ proxy_pass {console}; proxy_set_header Host $http_host; }}
    location / {{ proxy_pass {console}; proxy_set_header Host $http_host; proxy_buffering off; }}
  }}
}}
""")
    self.process = subprocess.Popen([program("nginx"), "-c", folder / "nginx.conf", "-p", folder])
    reached(self.port, self.process)

  def answers(self):
    """How often it has answered what, and how many of these the console was asked for: by status, method and kind."""
    time.sleep(1.5)
    counts = {}
    for line in self.log.read_text().splitlines():
      status, method, path, *upstream = line.split()
      kind = path.split("/")[2] if path.startswith("/v1/") else "other"
      key = f"{status} {method} {kind}" + (" by the console" if upstream and upstream[0] != "-" else "")
      counts[key] = counts.get(key, 0) + 1
    return counts

  def stop(self):
    self.process.terminate()
    self.process.wait()


class Postgres:
  """PostgreSQL in a folder of its own, with a database `fleet`."""

  def __init__(self, folder):
    self.folder, self.port = folder / "postgres", free_port()
    self.folder.mkdir()
    self.url = f"postgresql://postgres@127.0.0.1:{self.port}/fleet"
    self.as_user = []
    if os.getuid() == 0:
      shutil.chown(self.folder, "postgres")
      self.as_user = ["runuser", "-u", "postgres", "--"]
    self.run(program("initdb"), "-D", self.folder / "data", "-A", "trust", "-U", "postgres")
    self.start()
    self.ask("CREATE DATABASE fleet", "postgres")

  def run(self, *words):
    with tempfile.TemporaryFile() as said:
      status = subprocess.run([*self.as_user, *map(str, words)], stdout=said, stderr=said, cwd="/").returncode
      said.seek(0)
      if status != 0:
        raise RuntimeError(f"{words[0]}: {status} {said.read()[-2000:]}")

  def start(self):
    """Those whom a killed one has left end first: it is tried until then."""
    for _ in range(600):
      let_go(self.folder / "data")
      try:
        return self.run(program("pg_ctl"), "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o",
                        f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''", "start")
      except RuntimeError:
        time.sleep(0.1)
    raise AssertionError((self.folder / "log").read_text()[-2000:])

  def ask(self, sql, database="fleet"):
    """Rows of texts."""
    done = subprocess.run(["psql", "-qAt", "-F", "\x1f", "-R", "\x1e", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres",
                           "-d", database, "-c", sql], check=True, capture_output=True, text=True, cwd="/")
    return [line.split("\x1f") for line in done.stdout.rstrip("\n\x1e").split("\x1e") if line]

  def kill(self):
    os.kill(int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0]), 9)

  def stop(self):
    self.run(program("pg_ctl"), "-D", self.folder / "data", "-m", "immediate", "stop")


class Devices:
  """Processes of bench-fleet; `ids` are the devices' by their numbers."""

  def __init__(self, program, folder, codes, a_process, broker):
    self.ids, self.values, self.processes = {}, queue.Queue(), []
    for first in range(0, len(codes), a_process):
      process = subprocess.Popen(
        [program, "devices", folder, str(first), broker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
      self.processes.append(process)
      threading.Thread(target=self.read, args=(process,), daemon=True).start()
      process.stdin.write("".join(code + "\n" for code in codes[first : first + a_process]) + "\n")
      process.stdin.flush()

  def read(self, process):
    for line in process.stdout:
      word, number, *rest = line.split()
      if word == "ready":
        self.ids[int(number)] = rest[0]
      else:
        self.values.put((int(number), int(rest[0]), int(rest[1]) / 1e9))

  def wait(self, value, count, seconds=120):
    """The moments at which the devices had a value."""
    found, end = {}, time.monotonic() + seconds
    while len(found) < count and time.monotonic() < end:
      try:
        number, seen, moment = self.values.get(timeout=0.2)
      except queue.Empty:
        continue
      if seen == value:
        found.setdefault(number, moment)
    return found

  def memory(self):
    total = 0
    for process in self.processes:
      with open(f"/proc/{process.pid}/smaps_rollup") as file:
        total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024

  def stop(self):
    for process in self.processes:
      process.stdin.close()
    for process in self.processes:
      process.wait()
