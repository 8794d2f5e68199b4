"""What nobody means well with: the console answers, and goes on."""

import http.client
import json
import os
import random
import time

import publisher
from conftest import join

SEED = int(os.environ.get("LIVERY_SEED", random.randrange(1 << 30)))
MANGLED = int(os.environ.get("LIVERY_MANGLED", 80))
HOSTILE = ["", "\0", "a" * 300, "../..", "%00", "fleet", "group.", "device." + "0" * 32, "ü", "'; DROP TABLE devices; --", "\ud83d\ude00",
           -1, 0, 1 << 53, 1 << 63, 1 << 70, 1.5, True, [], {}, [[]], {"a": {}}, "null", "1e999"]
PATHS = [("POST", "groups"), ("POST", "enrollments"), ("POST", "schemas"), ("POST", "tokens"), ("POST", "session"),
         ("PATCH", "channels/fleet/draft"), ("POST", "channels/fleet/publications"), ("PUT", "admins/x"),
         ("PATCH", "devices/" + "0" * 32), ("POST", "publications/1/undo")]
MEMBERS = ["name", "label", "groups", "hours", "days", "revision", "settings", "steps", "pause", "bound", "comment", "role",
           "password", "Version", "Groups"]


def mangled(chance, data):
  data = bytearray(data)
  for _ in range(chance.randint(1, 4)):
    place = chance.randrange(len(data)) if data else 0
    what = chance.randrange(4)
    if what == 0 and data:
      data[place] ^= 1 << chance.randrange(8)
    elif what == 1:
      del data[place:place + chance.randint(1, 9)]
    elif what == 2:
      data[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 9)))
    else:
      data = data[:place]
  return bytes(data)


def announced(console, path, count):
  """The answer to a request that says how long its body is, and has sent none of it."""
  connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=60)
  connection.putrequest("POST", path)
  connection.putheader("Content-Length", str(count))
  connection.endheaders()
  status = connection.getresponse().status
  connection.close()
  return status


def test_what_devices_send_mangled(console):
  print(f"LIVERY_SEED={SEED}")
  chance = random.Random(SEED)
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 3))
  device.report()
  content = {"fleet": "kiosks", "token": bytes(16), "device": device.key.public, "name": "x"}
  enroll = publisher.signed("enrollment", content, device.key)
  for _ in range(MANGLED):
    for path, good in (("/v1/reports", device.last), ("/v1/enroll", enroll)):
      assert console.ask("POST", path, mangled(chance, good), token=False).status in (400, 403, 409)
  # What is too large is refused unread.
  assert announced(console, "/v1/reports", (1 << 20) + 1) == announced(console, "/v1/enroll", (1 << 10) + 1) == 413
  assert device.report().status == 204
  assert console.api("GET", "devices")["total"] == 1


def test_signed_reports_with_content_that_cannot_be(console):
  device, = join(console)
  good = {"fleet": "kiosks", "device": device.key.public, "sequence": 1, "time": int(time.time()), "keys": 1,
          "digest": bytes(32)}
  for change in ({"sequence": 0}, {"sequence": 1 << 60}, {"time": -1}, {"keys": -1}, {"fleet": "other"}, {"digest": b""},
                 {"since": 1}, {"health": "x" * 2000}, {"values": [{"name": "b"}, {"name": "a"}]}, {"new": 1},
                 {"channels": {"nothing": 1}}, {"documents": [{"hash": b"", "verdict": "applied"}]}, {"values": []},
                 {"violations": [{"name": "a"}]}, {"device": publisher.Key().public}):
    answer = console.ask("POST", "/v1/reports", publisher.signed("report", {**good, **change}, device.key), token=False)
    assert answer.status in (400, 403), (change, answer.status)
  answer = console.ask("POST", "/v1/reports", publisher.signed("report", {
    **good, "health": "a\0b", "values": [{"name": "a\0", "layer": "user", "value": 1}]}, device.key), token=False)
  assert answer.status in (200, 400)
  assert console.ask("POST", "/v1/reports", publisher.signed("report", {**good, "sequence": 2}, device.key), token=False).status == 200


def test_what_programs_send(console):
  print(f"LIVERY_SEED={SEED}")
  chance = random.Random(SEED)
  for _ in range(MANGLED):
    method, path = chance.choice(PATHS)
    body = {chance.choice(MEMBERS): chance.choice(HOSTILE) for _ in range(chance.randint(0, 4))}
    if chance.random() < 0.4:
      body = {"revision": 0, "settings": [{"name": chance.choice(HOSTILE), "verb": chance.choice(HOSTILE + ["enforce"]),
                                           "value": chance.choice(HOSTILE)}]}
    data = json.dumps(body).encode()
    if chance.random() < 0.3:
      data = mangled(chance, data)
    answer = console.ask(method, "/api/v1/" + path, data, {"Content-Type": "application/json"})
    assert answer.status < 500, (method, path, data, answer.status, answer.body)
    if answer.status >= 400:
      assert answer.headers["Content-Type"] == "application/problem+json" and answer.json["status"] == answer.status
  for path in ("devices?limit=0", "devices?limit=x", "devices?offset=-1", "devices?state=odd", "history?before=x",
               "devices/..%2f", "nothing", "", "channels/fleet/draft/more", "publications/999999999999999999999"):
    assert 400 <= console.ask("GET", "/api/v1/" + path).status < 500, path
  assert console.ask("GET", "/api/v1/devices?query=%25_%5C%27").json["total"] == 0
  assert console.api("GET", "status")["fleet"] == "kiosks"
