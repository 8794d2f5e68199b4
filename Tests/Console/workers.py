"""Those who are at work while things are killed, in threads: each notes what it was answered."""

import random
import subprocess
import threading
import time
import traceback

import conftest
import read_sync
from conftest import Device



class Worker(threading.Thread):
  def __init__(self, scene, number):
    super().__init__(daemon=True)
    self.scene, self.number, self.count, self.failure = scene, number, 0, None
    self.chance = random.Random(f"{scene.seed} {type(self).__name__} {number}")
    self.attempts = []

  def run(self):
    try:
      while not self.scene.is_over:
        self.work()
        time.sleep(self.chance.random() * 0.05)
    except Exception:
      self.failure = traceback.format_exc()

  def ask(self, method, path, body=None):
    """Status and content; status 0 if nobody knows whether it was done."""
    try:
      answer = self.scene.console.ask(method, "/api/v1/" + path, body)
      return (0, None) if answer.status == 503 else (answer.status, answer.json if answer.body else None)
    except (OSError, ValueError, conftest.http.client.HTTPException):
      return 0, None

  def name(self):
    self.count += 1
    return f"{type(self).__name__[0].lower()}{self.number}-{self.count}"

  def channel(self):
    ids = list(self.scene.devices.ids.values())
    return self.chance.choice(("fleet", "fleet", "group.north", "group.south", "device." + self.chance.choice(ids)))


class Administrator(Worker):
  """Changes a draft and publishes it, by the API; some of it step by step."""

  def work(self):
    channel, name = self.channel(), self.name()
    status, draft = self.ask("GET", f"channels/{channel}/draft")
    if status != 200:
      return
    settings = [{"name": "welcomeText", "verb": self.chance.choice(("recommend", "enforce", "replace")), "value": name}]
    # What a device's own channel says would hide what is looked for in the end.
    if self.chance.random() < 0.5 and not channel.startswith("device."):
      settings.append({"name": "volume", "verb": "enforce", "value": self.chance.randrange(100)})
    status, draft = self.ask("PATCH", f"channels/{channel}/draft", {"revision": draft["revision"], "settings": settings})
    if status != 200:
      return
    said = {one["name"]: (one["verb"], one.get("value")) for one in draft["settings"]}
    plan = {"steps": [5000, 10000], "pause": 0} if self.chance.random() < 0.15 else {}
    status, made = self.ask("POST", f"channels/{channel}/publications", {"revision": draft["revision"], "comment": name, **plan})
    outcome = {201: "done", 0: "unknown"}.get(status, "refused")
    self.attempts.append({"comment": name, "channel": channel, "settings": said, "outcome": outcome,
                          "number": made["number"] if status == 201 else None})
    if status == 409:
      self.end_rollout(channel)

  def end_rollout(self, channel):
    status, listed = self.ask("GET", f"publications?channel={channel}&limit=10")
    for line in listed["items"] if status == 200 else []:
      if line["state"] == "rolling":
        self.ask("POST", f"publications/{line['number']}/{self.chance.choice(('raise', 'stop'))}")


class Commander(Worker):
  """The same by commands, which work on the database beside the console, and are killed as well."""

  process = None

  def command(self, *words):
    console = self.scene.console
    words = [conftest.PROGRAM, *words, "--state", console.state] + (["--database", console.database] if console.database else [])
    self.process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, said = self.process.communicate()
    status, self.process = self.process.returncode, None
    # 4: somebody else has published the same meanwhile.
    if status not in (0, 4, 5, 6, -9):
      self.scene.fail(f"{words[1:3]}: {status} {said}")
    return status

  def kill(self):
    process = self.process
    if process is None:
      return False
    process.kill()
    return True

  def work(self):
    channel, name = self.channel(), self.name()
    if self.command("draft", "set", channel, "enforce", "welcomeText", name) != 0:
      return
    status = self.command("publish", channel, "--comment", name)
    self.attempts.append({"comment": name, "channel": channel, "settings": None, "number": None,
                          "outcome": {0: "done", 4: "refused", 5: "refused"}.get(status, "unknown")})


class Joiner(Worker):
  """Makes codes and has devices join, some of them two with one code at the same moment."""

  def __init__(self, scene, number):
    super().__init__(scene, number)
    self.joined = []

  def enroll(self, device, answers):
    while True:
      try:
        answer = device.enroll(f"till {device.id[:4]}")
        if answer.status not in (204, 403, 503):
          self.scene.fail(f"enrollment was answered {answer.status} {answer.body}")
        if answer.status != 503:
          break
      except (OSError, conftest.http.client.HTTPException):
        pass
      # It was killed: nobody knows. The same may be sent again.
      time.sleep(0.05)
    if answer.status == 204 and not (self.scene.console.published / "v1/channels" / f"device.{device.id}" / "manifest").exists():
      self.scene.fail(f"device {device.id} was let in before what it needs was published")
    answers.append((device, answer.status))

  def work(self):
    status, made = self.ask("POST", "enrollments", {"label": self.name(), "groups": [self.chance.choice(("north", "south"))]})
    if status != 201:
      return
    answers = []
    threads = [threading.Thread(target=self.enroll, args=(Device(self.scene.console, made["code"]), answers))
               for _ in range(self.chance.choice((1, 1, 2)))]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    statuses = sorted(status for _, status in answers)
    if statuses not in ([204], [204, 403]):
      self.scene.fail(f"one code was answered {statuses}")
    device = next((device for device, status in answers if status == 204), None)
    if device:
      device.acknowledged = 0
      self.joined.append(device)
    self.attempts.append({"id": made["id"], "device": device.id if device else None})
    time.sleep(self.chance.random() * 0.3)


class Reporter(Worker):
  """Reports for the devices that have joined, and sends some of it again."""

  def work(self):
    joined = [device for worker in self.scene.workers if isinstance(worker, Joiner) for device in worker.joined]
    if not joined:
      return
    device = self.chance.choice(joined)
    before = device.sequence
    try:
      answer = device.report()
    except (OSError, ValueError, AssertionError, TypeError, conftest.http.client.HTTPException):
      # It was killed while it was asked.
      return
    if answer.status in (200, 204):
      if before + 1 != device.sequence or device.sequence <= device.acknowledged:
        self.scene.fail("the numbers of reports do not rise")
      device.acknowledged = device.sequence
      self.attempts.append(answer.status)
      if self.chance.random() < 0.3:
        try:
          again = self.scene.console.ask("POST", "/v1/reports", device.last, token=False).status
          if again not in (409, 503):
            self.scene.fail(f"a report that was sent again was answered {again}")
        except (OSError, conftest.http.client.HTTPException):
          pass
    elif answer.status != 503:
      self.scene.fail(f"a report was answered {answer.status} {answer.body}")


class Watcher(Worker):
  """Reads what is published, as a web server does."""

  def __init__(self, scene):
    super().__init__(scene, 0)
    self.seen, self.last = {}, {}

  def work(self):
    place = self.scene.console.published / "v1"
    for folder in sorted((place / "channels").iterdir()):
      try:
        data = (folder / "manifest").read_bytes()
      except FileNotFoundError:
        continue
      manifest = read_sync.cbor(read_sync.cbor(data)[1])
      channel, version = folder.name, manifest["version"]
      if self.seen.setdefault((channel, version), data) != data:
        self.scene.fail(f"there are two manifests of version {version} of {channel}")
      if version < self.last.get(channel, 0):
        self.scene.fail(f"version {version} of {channel} came after {self.last[channel]}")
      self.last[channel] = max(version, self.last.get(channel, 0))
      for entry in manifest.get("documents", []):
        if not (place / "blobs" / entry["hash"].hex()).exists():
          self.scene.fail(f"version {version} of {channel} was there before its document")
