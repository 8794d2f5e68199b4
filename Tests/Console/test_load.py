"""Many at once, and those who do too much: reports in one commit, and who is told to come later."""

import json
import re
import threading
from pathlib import Path

from conftest import Console, Device, join, wait


def at_once(functions):
  threads = [threading.Thread(target=function) for function in functions]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()


def test_reports_that_come_at_once_are_all_kept(console):
  devices = join(console, 12)
  console.set("fleet", ("volume", "enforce", 20))
  answers = []

  def report(device):
    for number in range(4):
      answers.append(device.report(health=f"tired {number}"))
    answers.append(device.report())

  for device in devices:
    device.report()
  at_once([lambda device=device: report(device) for device in devices])
  assert [answer.status for answer in answers] == [204] * 60, [answer.body for answer in answers]
  found = console.api("GET", "devices")
  assert found["total"] == 12 and {one["state"] for one in found["items"]} == {"right"}
  # What was answered is there after a kill.
  console.kill()
  console.serve()
  for device in devices:
    assert console.ask("POST", "/v1/reports", device.last, token=False).status == 409
    detail = console.api("GET", "devices/" + device.id)
    assert [one["value"] for one in detail["settings"] if one["name"] == "volume"] == [20]


def test_one_that_is_refused_takes_no_others_with_it(console):
  devices = join(console, 6)
  console.api("DELETE", "devices/" + devices[0].id, expected=204)
  removed, good, again = devices[0], devices[1:5], devices[5]
  again.report()
  answers = {}

  def send(name, body):
    answers[name] = console.ask("POST", "/v1/reports", body, token=False).status

  good[0].report()
  bodies = {"again": again.last, "cut": good[0].last[:-3], "nothing": b""}
  at_once([lambda name=name, body=body: send(name, body) for name, body in bodies.items()]
          + [lambda device=device: answers.setdefault(device.id, device.report().status) for device in good[1:]])
  assert answers.pop("again") == 409 and answers.pop("cut") in (400, 403) and answers.pop("nothing") == 400
  assert set(answers.values()) == {204}, answers
  assert removed.manifest("fleet") is not None


def test_a_device_that_reports_without_end_is_told_to_wait_and_others_are_not(console):
  broken, good = join(console, 2)
  answers = [broken.report() for _ in range(80)]
  refused = [answer for answer in answers if answer.status == 429]
  assert refused and answers[0].status == 204 and answers[50].status == 204
  assert all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
  assert good.report().status == 204
  # It is let in again as time goes by, with what it has then.
  assert wait(lambda: broken.report().status in (200, 204))


def test_a_report_that_is_sent_again_uses_up_nothing_of_its_device(console):
  device, = join(console)
  assert device.report().status == 204
  captured = device.last
  statuses = {console.ask("POST", "/v1/reports", captured, token=False).status for _ in range(80)}
  assert statuses == {409}
  # What is refused is no change: nobody looks at anything anew.
  stranger = Device(console, console.code())
  stranger.wanted = lambda: []
  stranger.pull, stranger.channels = dict, {"fleet": 1}
  before = console.api("GET", "status")["generation"]
  assert {stranger.report().status for _ in range(5)} == {403}
  assert console.ask("POST", "/v1/reports", captured, token=False).status == 409
  assert console.api("GET", "status")["generation"] == before
  assert device.report().status == 204
  assert console.api("GET", "status")["generation"] == before + 1


def behind(console, address):
  return {"X-Forwarded-For": f"10.9.9.9, {address}"}


def test_who_guesses_codes_and_tokens_is_told_to_wait(tmp_path, place):
  console = Console(tmp_path, place).make()
  console.serve("--behind-proxy")
  try:
    device = Device(console, console.code())

    def guess(address):
      return console.ask("POST", "/v1/enroll", b"guess", behind(console, address), token=False)

    answers = [guess("192.0.2.7") for _ in range(40)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and answers[0].status == 400 and int(refused[0].headers["Retry-After"]) >= 1
    # Others are not meant; and an invented address before the last one helps nobody.
    assert guess("192.0.2.8").status == 400
    assert device.enroll().status == 204

    def ask(address, token):
      return console.ask("GET", "/api/v1/status", None, {**behind(console, address), "Authorization": "Bearer " + token})

    answers = [ask("2001:db8::1", f"guess {number}") for number in range(30)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and answers[0].status == 401 and int(refused[0].headers["Retry-After"]) >= 1
    assert refused[0].headers["Content-Type"] == "application/problem+json"
    # Reports that are refused are counted as well, and by nothing but the address.
    def report(address, data):
      return console.ask("POST", "/v1/reports", data, behind(console, address), token=False)

    answers = [report("192.0.2.9", b"guess") for _ in range(140)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and answers[0].status == 400 and int(refused[0].headers["Retry-After"]) >= 1
    assert report("192.0.2.10", b"guess").status == 400
    # And passwords, whatever names are made up; a right one uses up nothing.
    def sign_in(address, name, password="wrong"):
      data = json.dumps({"name": name, "password": password}).encode()
      return console.ask("POST", "/api/v1/session", data, {**behind(console, address), "Content-Type": "application/json"}, token=False)

    for _ in range(3):
      assert sign_in("192.0.2.11", "eva", "correct horse").status == 201
    answers = [sign_in("192.0.2.11", f"nobody {number}") for number in range(30)]
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and all(answer.status == 403 for answer in answers[:20]) and int(refused[0].headers["Retry-After"]) >= 1
    page = console.ask("POST", "/sign-in", b"name=nobody&password=wrong",
                       {**behind(console, "192.0.2.11"), "Content-Type": "application/x-www-form-urlencoded"}, token=False)
    assert page.status == 429 and int(page.headers["Retry-After"]) >= 1 and b"too many attempts" in page.body
    assert sign_in("192.0.2.12", "eva", "correct horse").status == 201
    # A right token counts whatever others of the same address have tried.
    assert ask("2001:db8::1", console.token).status == 200
    assert ask("2001:db8:0:1::1", "guess").status == 401
    # Whatever is made up of its network, and however it is written, is the same.
    for address in ("2001:db8::2", "2001:db8:0:0:5::9", "2001:0DB8:0000:0000:ffff::", "[2001:db8::7]", "2001:db8::1:2:3:4"):
      assert ask(address, "guess").status == 429, address
    assert ask("2001:db8:1::2", "guess").status == 401
    for _ in range(30):
      ask("::ffff:198.51.100.1", "guess")
    assert ask("198.51.100.1", "guess").status == 429 and ask("198.51.100.2", "guess").status == 401
  finally:
    console.stop()


def test_a_device_is_named_and_put_into_groups_as_one_change(console):
  device, = join(console)
  console.api("POST", "groups", {"name": "lobby"}, 201)
  before = console.api("GET", "status")["generation"]
  assert console.ask("PATCH", "/api/v1/devices/" + device.id, {"name": "new", "groups": ["lobby", "none"]}).status == 422
  # Nothing of it is kept.
  line = console.api("GET", "devices/" + device.id)
  assert line["name"] != "new" and line["groups"] == []
  console.api("PATCH", "devices/" + device.id, {"name": "new", "groups": ["lobby"]})
  line = console.api("GET", "devices/" + device.id)
  assert line["name"] == "new" and line["groups"] == ["lobby"]
  assert console.api("GET", "status")["generation"] == before + 1


def test_the_difference_takes_no_memory_for_each_device_and_setting(tmp_path):
  console = Console(tmp_path).make_bare()
  count, names = 20_000, [f"a{number:03}" for number in range(200)]
  console.sql(f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) INSERT INTO devices "
              "(id, public_key, name, enrolled) SELECT lower(hex(randomblob(16))), x'00', 'till ' || i, 1 FROM n")
  console.sql("INSERT INTO device_values (device, name, layer, content, digest) SELECT id, 'a000', 'enforced', x'01', x'00' FROM devices "
              "ORDER BY id LIMIT 5000")
  console.serve()

  def changes(names):
    settings = [{"name": name, "verb": "enforce", "value": 1} for name in names]
    revision = console.api("GET", "channels/fleet/draft")["revision"]
    console.api("PUT", "channels/fleet/draft", {"revision": revision, "settings": settings})
    return console.api("GET", "channels/fleet/difference")

  def peak():
    status = Path(f"/proc/{console.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])

  try:
    one = changes(names[:1])
    assert one["devices"] == count and one["settings"][0]["devices"] == one["changed"] == count - 5000
    before = peak()
    all_of_them = changes(names)
    assert [setting["devices"] for setting in all_of_them["settings"]] == [count - 5000] + [count] * 199
    assert all_of_them["changed"] == count
    # For each pair of them even a number would take more.
    assert peak() - before < 16 << 10
  finally:
    console.stop()
