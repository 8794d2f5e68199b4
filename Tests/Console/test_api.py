"""What programs may do by the console's API, and what they are told if they may not."""

import contextlib
import http.client
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from api import DESCRIPTION, PASSWORD, ROOT, SCHEMA, Serving

METHODS = {"get": "GET, HEAD", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE"}


@pytest.fixture
def console(tmp_path):
  serving = Serving(tmp_path)
  yield serving
  serving.close()


def problem(answer, status, pointer=None):
  """It is a problem as RFC 9457 has it, and names the place."""
  assert answer.status == status, answer.content
  assert answer.getheader("Content-Type") == "application/problem+json"
  assert answer.json["status"] == status and answer.json["type"] == "about:blank"
  assert answer.json["title"] and answer.json["detail"]
  assert answer.json.get("pointer") == pointer
  return answer.json["detail"]


def test_a_setting_comes_from_a_draft_to_a_publication(console):
  tag, draft = console.draft()
  assert draft == {"revision": 0, "settings": []}
  answer = console.change([{"name": "volume", "verb": "enforce", "value": 40}, {"name": "theme", "verb": "recommend", "value": "dark"}])
  assert answer.status == 200 and answer.getheader("ETag") != tag
  assert answer.json["settings"] == [{"name": "theme", "verb": "recommend", "value": "dark"},
                                     {"name": "volume", "verb": "enforce", "value": 40}]
  difference = console.get("/channels/fleet/difference")
  assert [setting["name"] for setting in difference["settings"]] == ["theme", "volume"] and difference["devices"] == 3
  made = console.ask("POST", "/channels/fleet/publications",
                     {"revision": difference["revision"], "comment": "quiet", "steps": [100, 10000], "pause": 60, "bound": 500})
  assert made.status == 201 and made.json["state"] == "rolling" and made.json["share"] == 100
  assert made.json["author"] == "alice" and made.json["comment"] == "quiet" and made.json["bound"] == 500
  place = made.getheader("Location").removeprefix("/api/v1")
  assert console.get(place)["number"] == made.json["number"]
  assert console.ask("POST", place + "/stop").json["state"] == "stopped"
  problem(console.ask("POST", place + "/raise"), 409)
  assert console.ask("POST", place + "/resume").json["state"] == "rolling"
  problem(console.ask("POST", place + "/raise", {"share": 10000}), 409)
  problem(console.ask("POST", place + "/raise", {"share": "all"}), 422, "/share")
  problem(console.ask("POST", place + "/stop", {"share": 100}), 422, "/share")
  assert console.ask("POST", place + "/raise", {"share": 100}).json["state"] == "complete"
  undone = console.ask("POST", place + "/undo")
  assert undone.status == 200 and undone.json["number"] > made.json["number"]
  assert console.get(place)["state"] == "undone"
  listed = console.get("/publications?channel=fleet&limit=1")["items"]
  assert [one["number"] for one in listed] == [undone.json["number"]]
  assert [one["number"] for one in console.get(f"/publications?before={listed[0]['number']}")["items"]] == [made.json["number"]]
  assert [line["author"] for line in console.get("/history?limit=3")["items"]] == ["alice"] * 3


def test_who_has_not_seen_the_latest_draft_changes_nothing(console):
  tag, _ = console.draft()
  volume = [{"name": "volume", "verb": "enforce", "value": 40}]
  assert console.change(volume, tag=tag).status == 200
  problem(console.change([{"name": "volume", "verb": "enforce", "value": 41}], tag=tag), 412)
  problem(console.change([], tag=f"W/{console.draft()[0]}"), 412)
  problem(console.ask("PATCH", "/channels/fleet/draft", {"settings": []}), 428)
  assert console.draft()[1]["settings"] == volume
  problem(console.ask("POST", "/channels/fleet/publications", {"revision": 0}), 409)
  problem(console.ask("PATCH", "/channels/fleet/draft", {"revision": 0, "settings": volume}), 409)
  assert console.ask("PATCH", "/channels/fleet/draft", {"revision": 1, "settings": volume}).status == 200
  assert console.change([], method="PUT", tag='"other", ' + console.draft()[0]).json["settings"] == []
  assert console.change(volume, tag="*").status == 200


def test_a_draft_that_is_replaced_says_nothing_else(console):
  console.change([{"name": "volume", "verb": "enforce", "value": 40}, {"name": "theme", "verb": "recommend", "value": "dark"}])
  answer = console.change([{"name": "theme", "verb": "release"}], method="PUT")
  assert answer.json["settings"] == [{"name": "theme", "verb": "release"}]
  assert console.change([{"name": "theme"}]).json["settings"] == []
  console.change([{"name": "volume", "verb": "enforce", "value": 1}])
  assert console.ask("DELETE", "/channels/fleet/draft").status == 204
  assert console.draft()[1]["settings"] == []


def test_what_changes_nothing_is_no_change(console):
  volume = {"name": "volume", "verb": "enforce", "value": 40}
  assert console.change([volume]).status == 200
  place = f"/devices/{console.devices[0]}"
  known = {"name": "Entrance", "groups": ["lobby", "north"]}
  assert console.ask("PATCH", place, known).status == 200
  (tag, draft), device, history = console.draft(), console.get(place), console.get("/history")
  for method, settings in (("PATCH", []), ("PATCH", [{"name": "theme"}]), ("PATCH", [volume, {"name": "theme"}]), ("PUT", [volume])):
    answer = console.change(settings, method=method)
    assert answer.status == 200 and answer.getheader("ETag") == tag and answer.json == draft, (method, settings)
  problem(console.change([], tag='"other"'), 412)
  problem(console.ask("PATCH", "/channels/fleet/draft", {"revision": 0, "settings": []}), 409)
  console.command("draft", "unset", "fleet", "theme")
  console.command("draft", "set", "fleet", "enforce", "volume", "40")
  assert console.ask("PUT", "/admins/vera", {"role": "viewer"}).status == 200
  assert console.draft() == (tag, draft)
  for body in (known, {"name": "Entrance"}, {"groups": ["north", "lobby"]}, {}):
    answer = console.ask("PATCH", place, body)
    assert answer.status == 200 and answer.json == device, body
  assert console.get("/history") == history
  # What does is noted once, and nothing else with it.
  assert console.ask("PATCH", place, {**known, "name": "Exit"}).json["name"] == "Exit"
  now = console.get("/history")
  assert now["total"] == history["total"] + 1 and now["items"][0]["detail"] == "Entrance → Exit"


def test_a_draft_that_is_what_is_published_is_not_discarded_again(console):
  console.change([{"name": "volume", "verb": "enforce", "value": 40}])
  assert console.ask("DELETE", "/channels/fleet/draft").status == 204
  (tag, draft), history = console.draft(), console.get("/history")
  assert draft["settings"] == [] and history["items"][0]["what"] == "discarded the draft of fleet"
  assert console.ask("DELETE", "/channels/fleet/draft").status == 204
  assert console.ask("DELETE", "/channels/fleet/draft", If_Match=tag).status == 204
  problem(console.ask("DELETE", "/channels/fleet/draft", If_Match='"other"'), 412)
  console.command("draft", "discard", "fleet")
  assert console.draft() == (tag, draft) and console.get("/history") == history


def test_a_role_that_somebody_has_is_no_change(console):
  history = console.get("/history")
  for name, role in (("alice", "editor"), ("vera", "viewer")):
    assert console.ask("PUT", f"/admins/{name}", {"role": role}).json["role"] == role
  assert console.get("/history") == history
  # A password is one, and another role.
  assert console.ask("PUT", "/admins/vera", {"role": "viewer", "password": PASSWORD}).status == 200
  assert console.ask("PUT", "/admins/vera", {"role": "editor"}).status == 200
  assert [one["what"] for one in console.get("/history?limit=2")["items"]] == ["changed editor vera", "changed viewer vera"]


def test_who_discards_a_draft_may_name_what_was_seen(console):
  tag, _ = console.draft()
  volume = [{"name": "volume", "verb": "enforce", "value": 40}]
  console.change(volume)
  problem(console.ask("DELETE", "/channels/fleet/draft", If_Match=tag), 412)
  assert console.draft()[1]["settings"] == volume
  assert console.ask("DELETE", "/channels/fleet/draft", If_Match=console.draft()[0]).status == 204
  assert console.draft()[1]["settings"] == []


def test_a_group_that_is_removed_and_made_again_takes_no_draft_that_was_seen_before(console):
  channel, volume = "group.lobby", [{"name": "volume", "verb": "enforce", "value": 40}]
  assert console.change(volume, channel).status == 200
  tag, seen = console.draft(channel)
  assert console.ask("DELETE", "/groups/lobby").status == 204
  assert console.ask("POST", "/groups", {"name": "lobby"}).status == 201
  assert console.draft(channel)[1]["settings"] == []
  while console.draft(channel)[1]["revision"] < seen["revision"]:
    assert console.change(volume, channel).status == 200
  place = f"/channels/{channel}/draft"
  assert console.ask("GET", place, If_None_Match=tag).status == 200
  problem(console.ask("PATCH", place, {"settings": []}, If_Match=tag), 412)
  problem(console.ask("PATCH", place, {"revision": seen["revision"], "settings": []}), 409)


def test_nor_one_that_was_never_saved(console):
  assert console.ask("POST", "/groups", {"name": "untouched"}).status == 201
  tag, _ = console.draft("group.untouched")
  assert console.ask("DELETE", "/groups/untouched").status == 204
  assert console.ask("POST", "/groups", {"name": "untouched"}).status == 201
  assert console.draft("group.untouched")[0] != tag


def test_what_is_known_is_not_sent_again(console):
  tag, _ = console.draft()
  answer = console.ask("GET", "/channels/fleet/draft", If_None_Match=tag)
  assert answer.status == 304 and not answer.content
  console.change([{"name": "volume", "verb": "enforce", "value": 40}])
  assert console.ask("GET", "/channels/fleet/draft", If_None_Match=tag).status == 200


@pytest.mark.parametrize("settings, pointer", [
    ([{"name": "volume", "verb": "enforce", "value": 400}], "/settings/0/value"),
    ([{"name": "theme", "verb": "enforce", "value": "dark"}, {"name": "nothing", "verb": "enforce", "value": 1}], "/settings/1/name"),
    ([{"name": "nothing", "verb": "recommend", "value": [1]}], "/settings/0/name"),
    ([{"name": "volume", "verb": "recommend", "value": "loud"}], "/settings/0/value"),
    ([{"name": "volume", "verb": "force", "value": 4}], "/settings/0/verb"),
    ([{"name": "volume", "verb": "enforce"}], "/settings/0/value"),
    ([{"name": "volume", "verb": "release", "value": 4}], "/settings/0/value"),
    ([{"name": "volume", "verb": "enforce", "value": 4, "a/b~c": 1}], "/settings/0/a~1b~0c"),
    ([{"verb": "release"}], "/settings/0/name"),
    ([{"name": "", "verb": "release"}], "/settings/0/name"),
    ([7], "/settings/0"),
    ("volume", "/settings"),
    ([{"name": "volume", "verb": "release"}] * 2, "/settings"),
])
def test_what_is_wrong_in_a_draft_is_named(console, settings, pointer):
  problem(console.change(settings), 422, pointer)
  assert console.draft()[1] == {"revision": 0, "settings": []}


def test_values_may_be_nested_as_deep_as_a_request_may_be(tmp_path):
  # Without a schema everything may be set.
  console = Serving(tmp_path, schema=None)
  try:
    value = 1
    for _ in range(29):
      value = [value]
    assert console.change([{"name": "anything", "verb": "enforce", "value": value}]).status == 200
    # The answer is deeper than what was sent.
    assert console.get("/channels/fleet/difference")["settings"][0]["after"]["value"] == value
    problem(console.change([{"name": "anything", "verb": "enforce", "value": [[[[value]]]]}]), 400)
  finally:
    console.close()


def test_bodies_that_are_no_objects_of_json(console):
  problem(console.ask("POST", "/groups", b"{"), 400)
  problem(console.ask("POST", "/groups", b"\xff"), 400)
  problem(console.ask("POST", "/groups", b"[]"), 422, "")
  problem(console.ask("POST", "/groups", b'{"name": null}'), 400)
  problem(console.ask("POST", "/groups", b'{"name": "a", "name": "b"}'), 400)
  problem(console.ask("POST", "/groups", {"name": "a\0"}), 422, "/name")
  problem(console.ask("POST", "/groups", {"name": "west", "title": "West"}), 422, "/title")
  problem(console.ask("POST", "/groups", {}), 422, "/name")
  problem(console.ask("POST", "/groups", {"name": "west"}, type="text/plain"), 415)
  problem(console.ask("POST", "/groups"), 415)
  # It is told before it is sent.
  problem(console.ask("POST", "/groups", b"", Content_Length=str(5 << 20)), 413)
  assert console.ask("POST", "/groups/lobby/weaker", {}).status == 200
  problem(console.ask("POST", "/groups/lobby/weaker", {"by": 2}), 422, "/by")
  problem(console.ask("DELETE", "/groups/lobby", {}), 400)
  assert [group["name"] for group in console.get("/groups")["items"]] == ["lobby", "north"]


def test_parameters_that_there_are_not(console):
  for query in ["color=red", "limit=0", "limit=1001", "limit=ten", "limit=1&limit=2", "state=fine", "offset=-1", "limit=",
                "schema=99999999999999999999"]:
    problem(console.ask("GET", "/devices?" + query), 400)
  told = problem(console.ask("GET", "/devices?state=fine"), 400)
  assert all(state in told for state in ("right", "behind", "trial", "failing", "silent"))
  for query in ("offset=-1", "limit=0", "limit=1001", "state=open"):
    problem(console.ask("GET", "/enrollments?" + query), 400)
  problem(console.ask("POST", "/enrollments?limit=1", {}), 400)
  problem(console.ask("POST", "/groups?name=west", {"name": "west"}), 400)


def test_numbers_go_as_far_as_they_are_documented(console):
  largest = (1 << 53) - 1
  assert console.get(f"/devices?schema={largest}")["total"] == 0
  assert console.get(f"/history?before={largest}&limit=1")["items"] and console.get(f"/publications?before={largest}")["items"] == []
  for query in (f"/devices?schema={largest + 1}", f"/history?before={largest + 1}", "/history?before=99999999999999999"):
    problem(console.ask("GET", query), 400)
  problem(console.ask("GET", f"/publications/{largest}"), 404)
  problem(console.ask("DELETE", f"/tokens/{largest}"), 404)


def raw(console, head):
  """The answer to a request that no library would send."""
  host, port = console.host.split(":")
  with socket.create_connection((host, int(port)), timeout=30) as connection:
    connection.sendall(head.replace("HOST", console.host).encode())
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    answer.content = answer.read()
    answer.json = json.loads(answer.content) if "json" in answer.getheader("Content-Type", "") and answer.content else None
    return answer


def test_of_a_brand_the_value_is_wrong_and_not_the_name(console):
  answer = console.change([{"name": "branding.color.Toolbar", "verb": "enforce", "value": 1}])
  problem(answer, 422, "/settings/0/value")


def test_a_request_without_a_length_has_no_body(console):
  token = f"Authorization: Bearer {console.editor}"
  problem(raw(console, f"POST /api/v1/groups HTTP/1.1\r\nHost: HOST\r\n{token}\r\n\r\n"), 415)
  console.change([{"name": "volume", "verb": "enforce", "value": 90}])
  revision = console.get("/channels/fleet/difference")["revision"]
  number = console.ask("POST", "/channels/fleet/publications", {"revision": revision, "steps": [9999, 10000], "pause": 3600}).json["number"]
  for what, state in (("stop", "stopped"), ("resume", "rolling"), ("raise", "complete")):
    answer = raw(console, f"POST /api/v1/publications/{number}/{what} HTTP/1.1\r\nHost: HOST\r\n{token}\r\n\r\n")
    assert (answer.status, answer.json["state"]) == (200, state), answer.content


def test_what_the_server_refuses_is_a_problem_too(console):
  description = json.loads(DESCRIPTION.read_text())
  token = f"Authorization: Bearer {console.editor}"
  browser = "Sec-Fetch-Site: same-origin\r\nX-Livery-Script: 1\r\nContent-Type: application/json"
  requests = [(414, f"GET /api/v1/devices?query={'x' * 5000} HTTP/1.1\r\nHost: HOST\r\n{token}\r\n\r\n"),
              (421, f"GET /api/v1/devices HTTP/1.1\r\nHost: elsewhere.example\r\n{token}\r\n\r\n"),
              (411, f"POST /api/v1/groups HTTP/1.1\r\nHost: HOST\r\n{token}\r\nTransfer-Encoding: chunked\r\n\r\n"),
              (413, f"POST /api/v1/groups HTTP/1.1\r\nHost: HOST\r\n{browser}\r\nContent-Length: 9000000\r\n\r\n")]
  for status, head in requests:
    problem(raw(console, head), status)
    assert all(str(status) in operation["responses"] for path in ("/devices", "/groups") for name, operation in
               description["paths"][path].items() if name == head.split()[0].lower()), status
  # Too much at once: the server says once when to come again.
  held = []
  try:
    image = f"POST /api/v1/assets HTTP/1.1\r\nHost: HOST\r\n{token}\r\nContent-Type: image/png\r\nContent-Length: LENGTH\r\n\r\n"
    for length, sent in ((64 << 20, 62 << 20), (64 << 20, 62 << 20), (8 << 20, 8 << 20)):
      held.append(socket.create_connection(tuple(console.host.split(":")), timeout=30))
      held[-1].sendall(image.replace("HOST", console.host).replace("LENGTH", str(length)).encode() + b"x" * sent)
    answer = http.client.HTTPResponse(held[-1])
    answer.begin()
    assert answer.status == 503 and len(answer.msg.get_all("Retry-After")) == 1 and json.loads(answer.read())["status"] == 503
  finally:
    for connection in held:
      connection.close()


def test_devices_are_found_and_named_and_put_into_groups(console):
  device = console.devices[1]
  found = console.get("/devices")
  assert found["total"] == 3 and [one["name"] for one in found["items"]] == ["Screen 0", "Screen 1", "Screen 2"]
  assert console.get("/devices?limit=1&offset=1") == {"items": [found["items"][1]], "total": 3}
  assert console.get("/devices?query=EEN%202")["items"] == [found["items"][2]]
  assert console.get("/devices?query=%25")["total"] == 0
  assert console.ask("PATCH", f"/devices/{device}", {"name": "Entrance"}).json["name"] == "Entrance"
  answer = console.ask("PATCH", f"/devices/{device}", {"groups": ["north", "lobby"]})
  assert answer.status == 200 and answer.json["groups"] == ["lobby", "north"]
  assert console.get("/devices?group=north")["items"][0]["id"] == device
  problem(console.ask("PATCH", f"/devices/{device}", {"name": "Exit", "groups": ["south"]}), 422, "/groups")
  problem(console.ask("PATCH", f"/devices/{device}", {"groups": ["north", 7]}), 422, "/groups/1")
  device_now = console.get(f"/devices/{device}")
  assert device_now["groups"] == ["lobby", "north"] and device_now["name"] == "Entrance"
  assert console.get("/channels/group.north") == {"name": "group.north", "changes": 0, "settings": 0, "rolling": False}
  assert console.ask("DELETE", f"/devices/{device}").status == 204
  problem(console.ask("GET", f"/devices/{device}"), 404)
  assert console.get("/status")["devices"] == 2


def test_what_decides_a_setting_of_a_device(console):
  console.change([{"name": "volume", "verb": "enforce", "value": 40}])
  console.ask("POST", "/channels/fleet/publications", {"revision": console.draft()[1]["revision"]})
  setting = console.get(f"/devices/{console.devices[0]}/settings/volume")
  assert setting["name"] == "volume" and setting["author"] == "alice" and setting["publication"] == 1
  problem(console.ask("GET", f"/devices/{console.devices[0]}/settings/theme"), 404)


def test_groups_have_an_order(console):
  made = console.ask("POST", "/groups", {"name": "west"})
  assert made.status == 201 and made.getheader("Location") == "/api/v1/groups/west"
  problem(console.ask("POST", "/groups", {"name": "west"}), 409)
  problem(console.ask("POST", "/groups", {"name": "West"}), 422, "/name")
  assert [one["name"] for one in console.ask("POST", "/groups/west/weaker").json["items"]] == ["lobby", "west", "north"]
  assert [one["name"] for one in console.ask("POST", "/groups/lobby/stronger").json["items"]] == ["west", "lobby", "north"]
  assert console.ask("DELETE", "/groups/lobby").status == 204
  problem(console.ask("GET", "/groups/lobby"), 404)


def test_codes_are_told_once(console):
  made = console.ask("POST", "/enrollments", {"label": "Entrance", "groups": ["lobby"], "hours": 2})
  assert made.status == 201 and made.json["code"]
  place = made.getheader("Location").removeprefix("/api/v1")
  assert console.get(place) == {name: value for name, value in made.json.items() if name != "code"}
  assert made.json["code"] not in console.ask("GET", "/enrollments").content.decode()
  problem(console.ask("POST", "/enrollments", {"groups": ["south"]}), 422, "/groups")
  problem(console.ask("POST", "/enrollments", {"hours": 0}), 422, "/hours")
  problem(console.ask("POST", "/enrollments", {"label": "x" * 65}), 422, "/label")
  assert console.ask("DELETE", place).status == 204
  problem(console.ask("DELETE", place), 404)


def fill(console, statement, rows):
  """Has rows be in the database that the console does not write by itself."""
  with contextlib.closing(sqlite3.connect(console.folder / "console" / "console.db", timeout=60)) as database, database:
    database.executemany(statement, rows)


def test_codes_come_by_pages(console):
  """The open ones first, and then the latest."""
  used = [number for number in range(1203) if number % 3]
  opened = [number for number in range(1203) if not number % 3]
  fill(console, "INSERT INTO enrollments (id, hash, label, in_groups, expires, device, created) VALUES (?, ?, ?, '', ?, ?, ?)",
       [(f"{number:016x}", number.to_bytes(32, "big"), f"code {number}", 1 << 33, console.devices[0] if number % 3 else None, number)
        for number in range(1203)])
  wanted = [f"{number:016x}" for number in opened[::-1] + used[::-1]]
  pages = [console.get(f"/enrollments?limit=1000&offset={offset}") for offset in (0, 1000, 2000)]
  assert [one["id"] for page in pages for one in page["items"]] == wanted and all(page["total"] == 1203 for page in pages)
  assert [one["id"] for one in console.get("/enrollments")["items"]] == wanted[:100]
  assert [one["id"] for one in console.get("/enrollments?offset=400&limit=2")["items"]] == wanted[400:402]
  assert [one["id"] for one in json.loads(console.command("enroll", "list", "--json"))] == wanted
  lines = console.command("enroll", "list").splitlines()
  assert [line.split("\t")[0] for line in lines] == wanted and lines[0].endswith("\topen")


def test_the_command_lists_all_devices(console):
  fill(console, "INSERT INTO devices (id, public_key, name, enrolled) VALUES (?, ?, ?, 1)",
       [(f"{number:032x}", number.to_bytes(32, "little"), f"Till {number:04}") for number in range(1000, 2202)])
  found = console.get("/devices?limit=1000")
  wanted = [one["id"] for one in found["items"] + console.get("/devices?limit=1000&offset=1000")["items"]]
  assert len(wanted) == found["total"] == 1205

  def listed(*words):
    return [line.split("\t")[0] for line in console.command("device", "list", *words).splitlines()]

  assert listed() == wanted and listed("--limit", "1100") == wanted[:1100]
  assert listed("--offset", "2", "--limit", "3") == wanted[2:5] and listed("--offset", "1203") == wanted[1203:]
  assert listed("--offset", "1205") == [] and listed("--query", "till 1", "--offset", "999") == wanted[1002:1003]
  assert [one["id"] for one in json.loads(console.command("device", "--json"))] == wanted


LINES = ["a\nb", "a\tb", "\x1b[2J", "a\x7f", "a\u0085b", "a\u2028b", "a\u202eb", "a\u2066b"]


def test_names_labels_and_comments_are_one_line(console):
  before = console.get("/history")
  place = f"/devices/{console.devices[0]}"
  for text in LINES:
    problem(console.ask("PATCH", place, {"name": text}), 422, "/name")
    problem(console.ask("PATCH", place, {"name": text, "groups": ["north"]}), 422, "/name")
    problem(console.ask("POST", "/enrollments", {"label": text}), 422, "/label")
    problem(console.ask("POST", "/enrollments", {"label": text, "groups": ["north"]}), 422, "/label")
    problem(console.ask("POST", "/tokens", {"label": text}), 422, "/label")
    problem(console.ask("POST", "/channels/fleet/publications", {"revision": 0, "comment": text}), 422, "/comment")
  assert console.get("/history") == before and console.get(place)["groups"] == []
  assert console.ask("PATCH", place, {"name": "Eingang für alle, 入口"}).json["name"] == "Eingang für alle, 入口"


def test_no_administrator_looks_like_another(console):
  for name in ("alice ", " alice", "al\u202eice", "a\u0085", "a\u2028b", "x" * 65):
    problem(console.ask("PUT", "/admins/" + urllib.parse.quote(name), {"role": "editor", "password": PASSWORD}), 422)
  assert [one["name"] for one in console.get("/admins")["items"]] == ["alice", "vera"]
  assert console.ask("PUT", "/admins/alice%20b", {"role": "viewer", "password": PASSWORD}).json["name"] == "alice b"


def test_schemas_and_images(console):
  schema = json.loads(SCHEMA.read_text())
  assert console.get("/schemas/current") == schema
  problem(console.ask("POST", "/schemas", schema), 409)
  problem(console.ask("POST", "/schemas", {"Version": "one"}), 422)
  schema["Version"] = 2
  made = console.ask("POST", "/schemas", schema)
  assert made.status == 201 and [one["version"] for one in made.json["items"] if one["known"]] == [2, 1]
  image = (ROOT / "Tests" / "Fixtures" / "images" / "rgba.png").read_bytes()
  made = console.ask("POST", "/assets", image, type="image/png")
  assert made.status == 201 and made.json["size"] == len(image)
  assert console.ask("GET", made.getheader("Location").removeprefix("/api/v1")).content == image
  problem(console.ask("POST", "/assets", image, type="text/html"), 415)
  # What devices would refuse.
  for none in (bytes(range(256)), b"<html>", image[:20]):
    problem(console.ask("POST", "/assets", none, type="image/png"), 422)
  problem(console.ask("GET", "/assets/" + "0" * 64), 404)


def test_a_viewer_sees_everything_and_changes_nothing(console):
  description = json.loads(DESCRIPTION.read_text())
  values = {"device": console.devices[0], "group": "lobby", "channel": "fleet", "publication": "1", "setting": "volume",
            "enrollment": "0", "asset": "0", "admin": "vera", "token": "1"}
  before = console.get("/status")["generation"]
  for path, methods in description["paths"].items():
    path = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path)
    for method in methods:
      answer = console.ask(method.upper(), path, token=console.viewer)
      if path in ("/session", "/password"):
        continue
      if method == "get":
        assert answer.status in (200, 404), path
      else:
        problem(answer, 403)
  assert console.get("/status")["generation"] == before


def test_nobody_is_told_anything(console):
  for token in [False, "x" * 43, console.editor[:-1]]:
    answer = console.ask("GET", "/devices", token=token)
    problem(answer, 401)
    assert answer.getheader("WWW-Authenticate").startswith("Bearer")
  problem(console.ask("GET", "/nothing", token=False), 401)
  assert all(console.ask("GET", path, token=False).status == 200 for path in ("/openapi.json", "/health"))
  made = console.ask("POST", "/tokens", {"label": "backup", "days": 1}).json
  assert console.get("/session", token=made["token"]) == {"name": "alice", "role": "editor"}
  assert console.ask("DELETE", f"/tokens/{made['number']}").status == 204
  problem(console.ask("GET", "/session", token=made["token"]), 401)


def test_admins_come_and_go(console):
  assert console.ask("PUT", "/admins/bob", {"role": "viewer", "password": PASSWORD}).json["role"] == "viewer"
  problem(console.ask("PUT", "/admins/bob", {"role": "king"}), 422, "/role")
  problem(console.ask("PUT", "/admins/carl", {"role": "viewer"}), 422, "/password")
  problem(console.ask("PUT", "/admins/carl", {"role": "viewer", "password": "short"}), 422, "/password")
  token = console.ask("POST", "/tokens", {"admin": "bob"}).json["token"]
  assert console.get("/session", token=token)["name"] == "bob"
  problem(console.ask("POST", "/tokens", {"admin": "carl"}), 422, "/admin")
  assert console.ask("PUT", "/admins/bob", {"role": "editor"}).status == 200
  assert console.get("/session", token=token)["role"] == "editor"
  assert console.ask("DELETE", "/admins/bob").status == 204
  problem(console.ask("GET", "/session", token=token), 401)
  assert PASSWORD not in console.ask("GET", "/admins").content.decode()


def test_the_last_editor_stays_one(console):
  before = console.get("/history")
  problem(console.ask("PUT", "/admins/alice", {"role": "viewer"}), 409)
  problem(console.ask("DELETE", "/admins/alice"), 409)
  assert console.get("/session") == {"name": "alice", "role": "editor"} and console.get("/history") == before
  # Others come and go, and another password is another matter.
  assert console.ask("PUT", "/admins/alice", {"role": "editor", "password": PASSWORD}).status == 200
  assert console.ask("PUT", "/admins/vera", {"role": "editor"}).status == 200
  assert console.ask("PUT", "/admins/alice", {"role": "viewer"}).json["role"] == "viewer"
  problem(console.ask("DELETE", "/admins/vera", token=console.viewer), 409)
  assert console.ask("DELETE", "/admins/alice", token=console.viewer).status == 204
  assert [(one["name"], one["role"]) for one in console.get("/admins", token=console.viewer)["items"]] == [("vera", "editor")]


def test_a_session_needs_its_token_to_change_something(console):
  signed = console.ask("POST", "/session", {"name": "alice", "password": PASSWORD}, token=False)
  assert signed.status == 201
  cookie = signed.getheader("Set-Cookie").split(";")[0]
  assert "HttpOnly" in signed.getheader("Set-Cookie") and "SameSite=Strict" in signed.getheader("Set-Cookie")
  assert console.get("/session", token=False, Cookie=cookie) == signed.json
  problem(console.ask("POST", "/groups", {"name": "west"}, token=False, Cookie=cookie), 403)
  problem(console.ask("POST", "/groups", {"name": "west"}, token=False, Cookie=cookie, X_Livery_CSRF=signed.json["csrf"],
                      Origin="http://elsewhere.example"), 403)
  assert console.ask("POST", "/groups", {"name": "west"}, token=False, Cookie=cookie,
                     X_Livery_CSRF=signed.json["csrf"]).status == 201
  assert console.ask("DELETE", "/session", token=False, Cookie=cookie, X_Livery_CSRF=signed.json["csrf"]).status == 204
  problem(console.ask("GET", "/session", token=False, Cookie=cookie), 401)


def test_an_own_password_is_changed_by_who_knows_it(console):
  def change(present, new, **headers):
    return console.ask("PUT", "/password", {"password": present, "new": new}, **headers)

  signed = [console.ask("POST", "/session", {"name": "vera", "password": PASSWORD}, token=False) for _ in range(2)]
  first, second = ({"token": False, "Cookie": one.getheader("Set-Cookie").split(";")[0], "X_Livery_CSRF": one.json["csrf"]} for one in signed)
  problem(change(PASSWORD, "another horse", token=False), 401)
  problem(change(PASSWORD, "short", **first), 422, "/new")
  problem(change("wrong horse", "another horse", **first), 403)
  problem(console.ask("PUT", "/password", {"new": "another horse"}, **first), 422, "/password")
  assert change(PASSWORD, "another horse", **first).status == 204
  assert console.get("/session", **first)["name"] == "vera"
  problem(console.ask("GET", "/session", **second), 401)
  # A token stays, and its owner says the password with it.
  assert change("another horse", PASSWORD, token=console.viewer).status == 204
  problem(console.ask("GET", "/session", **first), 401)
  assert console.ask("POST", "/session", {"name": "vera", "password": PASSWORD}, token=False).status == 201


def test_whoever_watches_over_it_asks_whether_it_is_ready(console):
  answer = console.ask("GET", "/health", token=False)
  assert answer.status == 200 and answer.json == {"state": "ready"}
  problem(console.ask("POST", "/health", {}, token=False), 405)


def test_who_guesses_passwords_has_to_wait(console):
  statuses = [console.ask("POST", "/session", {"name": "alice", "password": "wrong"}, token=False).status for _ in range(5)]
  assert statuses[0] == 403 and statuses[-1] == 429
  answer = console.ask("POST", "/session", {"name": "alice", "password": PASSWORD}, token=False)
  problem(answer, 429)
  assert int(answer.getheader("Retry-After")) > 0


def test_the_description_is_the_one_that_is_documented(console):
  assert console.ask("GET", "/openapi.json").content == DESCRIPTION.read_bytes()


def test_every_resource_has_the_methods_that_are_documented_and_no_others(console):
  description = json.loads(DESCRIPTION.read_text())
  values = {"device": console.devices[0], "group": "lobby", "channel": "fleet", "publication": "1", "setting": "volume",
            "enrollment": "0", "asset": "0", "admin": "vera", "token": "1"}
  for template, methods in description["paths"].items():
    path = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], template)
    for method in METHODS:
      if method in methods:
        continue
      answer = console.ask(method.upper(), path)
      problem(answer, 405)
      assert answer.getheader("Allow") == ", ".join(METHODS[name] for name in METHODS if name in methods), template
    # So does what nobody knows, with a body or without.
    for method, body in (("OPTIONS", None), ("PROPFIND", {})):
      answer = console.ask(method, path, body)
      problem(answer, 405)
      assert answer.getheader("Allow") == ", ".join(METHODS[name] for name in METHODS if name in methods), (method, template)
    if "get" in methods:
      get, head = console.ask("GET", path), console.ask("HEAD", path)
      assert head.status == get.status and not head.content
  for path in ["", "/", "/nothing", "/devices/", "/groups/lobby/north", "/publications/one", "/channels/fleet/draft/x",
               "/channels/other"]:
    problem(console.ask("GET", path), 404)


def test_requests_made_of_the_description(tmp_path):
  """Schemathesis makes requests by the description: no answer is another one than is documented, and the server lives.

  LIVERY_API_EXAMPLES: how many examples of each operation, 5 without it.
  """
  console = Serving(tmp_path)
  try:
    # Whoever asks is not removed by chance.
    for _ in range(40):
      console.editor = console.token("alice")
    console.command("admin", "add", "nobody-else-has-this-name", input=PASSWORD + "\n")
    console.editor = console.token("nobody-else-has-this-name")
    # There is something to be found, and to be stopped.
    console.change([{"name": "volume", "verb": "enforce", "value": 40}])
    console.ask("POST", "/channels/fleet/publications", {"revision": 1, "steps": [100, 10000], "pause": 3600})
    examples = os.environ.get("LIVERY_API_EXAMPLES", "5")
    done = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"), "run", str(DESCRIPTION), "--url", console.base + "/api/v1",
         "--header", "Authorization: Bearer " + console.editor, "--max-examples", examples, "--seed", "1",
         "--phases", "examples,coverage,fuzzing,stateful", "--generation-database", "none", "--no-color", "--request-timeout", "30",
         "--checks", ",".join(["not_a_server_error", "status_code_conformance", "content_type_conformance",
                               "response_headers_conformance", "response_schema_conformance", "negative_data_rejection"])],
        capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    # The token was good to the end, or nothing was tried.
    assert console.get("/session")["name"] == "nobody-else-has-this-name"
  finally:
    console.close()


def test_channels_come_by_pages(console):
  for device in console.devices:
    assert console.change([{"name": "volume", "verb": "enforce", "value": 4}], f"device.{device}").status == 200
  everything = console.get("/channels")
  assert [one["name"] for one in everything["items"]] == ["fleet", "group.lobby", "group.north"] + [f"device.{one}" for one in console.devices]
  assert everything["total"] == 6
  pages = [console.get(f"/channels?limit=2&offset={offset}") for offset in (0, 2, 4, 6)]
  assert [one for page in pages for one in page["items"]] == everything["items"] and all(page["total"] == 6 for page in pages)
  problem(console.ask("GET", "/channels?offset=-1"), 400)
