"""What keeps a console from its work, or would hurt devices, is told: before it is published, and by whoever is asked."""

import json
import os
import pwd
import shutil
import stat
import subprocess
import time

import publisher
import pytest
import read_sync
from conftest import PROGRAM, ROOT, SCHEMA, Console, free_port, join, wait


def troubles(console):
  return {one["part"]: one["message"] for one in console.api("GET", "status").get("problems", [])}


def test_a_broker_that_is_not_reached_is_told_until_it_is(tmp_path):
  console = Console(tmp_path).make("--broker", f"mqtt://127.0.0.1:{free_port()}").serve()
  try:
    message = wait(lambda: troubles(console).get("broker"), 30)
    assert "not connected" in message and "refused" in message.lower()
    assert message in console.run("status")
    assert b"not connected" in console.ask("GET", "/api/v1/status").body
  finally:
    console.stop()
  # Whoever has ended says nothing any more.
  assert "broker:" not in console.run("status")
  # A command says so, too, and has done what it was asked for.
  console.run("draft", "set", "fleet", "enforce", "volume", "4")
  done = subprocess.run([PROGRAM, "publish", "--state", console.state], capture_output=True, text=True, timeout=60)
  assert done.returncode == 0 and "not told at once" in done.stderr
  console.run("config", "unset", "broker")
  assert "broker:" not in console.run("status")


def test_what_another_version_of_the_schema_refuses_is_told_before_it_is_published(console):
  one, two = join(console, 2)
  console.run("draft", "set", "fleet", "recommend", "volume", "30")
  console.run("publish")
  for device in (one, two):
    assert device.report().status == 204
  newer = json.loads(json.dumps(SCHEMA).replace('"volume"', '"audio.volume"'))
  newer["Version"] = 2
  newer["Groups"][0]["Settings"][0]["Aliases"] = ["volume"]
  newer["Migrations"] = [{"From": 1, "To": 2, "Steps": [{"Op": "rename", "From": "volume", "Into": "audio.volume"}]}]
  path = console.folder / "newer.json"
  path.write_text(json.dumps(newer))
  console.run("schema", "add", path)
  assert two.report(schema=2).status == 204
  # By the former name both know it.
  console.run("draft", "set", "fleet", "recommend", "volume", "31")
  difference = console.json("diff", "fleet")
  assert "elsewhere" not in difference and difference["settings"][0]["after"]["written"] == "volume"
  for value, versions in ((41, "1"), (42, "1..2"), (43, "2")):
    console.run("draft", "set", "fleet", "recommend", "volume", str(value))
    console.run("publish", "--schema", versions, "--until", "2030-01-01T00:00", "--name", f"for-{versions.replace('..', '-')}")
  console.run("draft", "set", "fleet", "recommend", "audio.volume", "32")
  difference = console.json("diff", "fleet")
  assert [(one["schema"], one["devices"], [bad["name"] for bad in one["unfit"]]) for one in difference["elsewhere"]] == [
      (1, 1, ["audio.volume"])]
  assert "1 device has version 1 of the schema, and would refuse all of it: audio.volume" in console.run("diff", "fleet")
  # For devices with other versions nothing is refused: they pass it over.
  assert "elsewhere" not in console.json("diff", "fleet", "--schema", "2")
  assert len(console.json("diff", "fleet", "--schema", "1..2")["elsewhere"]) == 1
  done = subprocess.run([PROGRAM, "publish", "--state", console.state] + (["--database", console.database] if console.database else []),
                        capture_output=True, text=True, timeout=60)
  assert done.returncode == 0 and "version 1 of the schema" in done.stderr


@pytest.mark.parametrize("ahead", [3, 50_000])
def test_a_database_that_was_put_back_is_told_of(console, ahead):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 1))
  device.report()
  assert "backup" not in troubles(console)
  device.wanted()
  device.channels["fleet"] += ahead
  assert device.console.ask("POST", "/v1/reports", later(device, channels=device.channels), token=False).status in (200, 204)
  assert "1 device knows" in troubles(console)["backup"] and "keys revoke" in console.run("status")


def later(device, **more):
  device.sequence += 1
  content = {"fleet": "kiosks", "device": device.key.public, "sequence": device.sequence, "time": int(time.time()), "schema": 1,
             "keys": 1, "channels": device.channels, "digest": bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")}
  content.update(more)
  return publisher.signed("report", content, device.key)


def test_a_report_is_as_the_protocol_says(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 1))
  device.wanted()
  verdict = {"hash": b"h" * 32, "verdict": "applied"}
  for more in ({"documents": [verdict, verdict]}, {"problem": "xxx"}, {"problem": "\x1b[2J"},
               {"documents": [{"hash": index.to_bytes(32, "big"), "verdict": "applied"} for index in range(193)]}):
    assert console.ask("POST", "/v1/reports", later(device, **more), token=False).status in (400, 403, 422), more
  assert device.report().status in (200, 204)


def test_what_a_device_says_turns_nothing_on_a_terminal(console):
  device = join(console)[0]
  console.run("device", "name", device.id, "till")
  console.set("fleet", ("welcomeText", "recommend", "a\u202egnp"))
  device.report(health="tab\there \u2066x", problem="rollback")
  told = console.run("explain", device.id) + console.run("device", "list") + console.run("history")
  assert not any(one in told for one in "\u202e\u2066")
  assert "it says: tab" in told and "it cannot take what is published: " in told


def test_a_clock_that_was_ahead_leaves_nobody_behind(tmp_path):
  faketime = shutil.which("faketime")
  if faketime is None:
    pytest.skip("faketime is not installed")
  console = Console(tmp_path).make()
  subprocess.run([faketime, "-f", "+20d", PROGRAM, "draft", "set", "fleet", "enforce", "volume", "1", "--state", console.state], check=True)
  subprocess.run([faketime, "-f", "+20d", PROGRAM, "publish", "--state", console.state], check=True)
  manifest = console.published / "v1/channels/fleet/manifest"

  def times():
    content = read_sync.cbor(read_sync.cbor(manifest.read_bytes())[1])
    return content["issued"], content["expires"]

  ahead = times()
  assert ahead[0] > time.time() + 19 * 86400
  console.run("draft", "set", "fleet", "enforce", "volume", "2")
  console.run("publish")
  assert times()[0] >= ahead[0] and times()[1] >= ahead[1]


def test_keys_are_changed_also_after_a_clock_that_was_years_ahead(tmp_path):
  faketime = shutil.which("faketime")
  if faketime is None:
    pytest.skip("faketime is not installed")
  console = Console(tmp_path).make()

  def ahead(*words):
    subprocess.run([faketime, "-f", "+500d", PROGRAM, *words, "--state", console.state], check=True)

  ahead("keys", "rotate", "--root-key", console.state / "root.key")
  ahead("draft", "set", "fleet", "enforce", "volume", "1")
  ahead("publish")
  console.run("draft", "set", "fleet", "enforce", "volume", "2")
  console.run("publish")
  manifest = console.published / "v1/channels/fleet/manifest"
  content = read_sync.cbor(read_sync.cbor(manifest.read_bytes())[1])
  assert content["issued"] > time.time() + 400 * 86400
  # Another key signs from there on; and one that devices are to forget the former for, from now on.
  console.run("keys", "rotate", "--root-key", console.state / "root.key")
  console.run("keys", "revoke", "--root-key", console.state / "root.key")
  content = read_sync.cbor(read_sync.cbor(manifest.read_bytes())[1])
  assert abs(content["issued"] - time.time()) < 3600 and content["expires"] < time.time() + 8 * 86400


def test_the_end_of_the_key_document_is_told_before_and_after(tmp_path):
  faketime = shutil.which("faketime")
  if faketime is None:
    pytest.skip("faketime is not installed")
  console = Console(tmp_path).make()

  def told(days, *words):
    done = subprocess.run([faketime, "-f", f"+{days}d", PROGRAM, *words, "--state", console.state], capture_output=True, text=True)
    return done.stdout + done.stderr

  assert "keys:" in told(0, "status") and "keys rotate" not in told(0, "status")
  assert "over at" in told(340, "status") and "keys rotate --root-key" in told(340, "status")
  assert "is over: livery console keys rotate" in told(370, "status")
  told(370, "draft", "set", "fleet", "enforce", "volume", "1")
  assert "is over: livery console keys rotate" in told(370, "publish")


def test_a_key_of_another_fleet_or_one_that_cannot_be_read_is_told(tmp_path):
  console = Console(tmp_path).make()
  signing = console.state / "signing.key"
  own = signing.read_bytes()
  signing.unlink()
  console.run("keys", "make", signing)
  console.serve()
  try:
    assert "do not sign for this fleet" in troubles(console)["keys"]
    signing.unlink()
    signing.write_bytes(b"none\n")
    signing.chmod(0o400)
    assert "signing.key" in troubles(console)["keys"] and "no key" in troubles(console)["keys"]
    signing.unlink()
    signing.write_bytes(own)
    signing.chmod(0o400)
    assert "keys" not in troubles(console)
  finally:
    console.stop()


def test_the_log_of_a_console_that_serves_says_what_is_wrong_once(tmp_path):
  console = Console(tmp_path).make()
  signing = console.state / "signing.key"
  signing.unlink()
  console.run("keys", "make", signing)
  log = tmp_path / "log"
  with open(log, "w") as file:
    process = subprocess.Popen([PROGRAM, "serve", "--state", console.state, "--listen", f"127.0.0.1:{console.port}", "--broker",
                                f"mqtt://127.0.0.1:{free_port()}"], stdout=subprocess.DEVNULL, stderr=file)
  try:
    wait(lambda: "do not sign for this fleet" in log.read_text() and "the broker is not connected" in log.read_text(), 30)
    time.sleep(1)
    assert log.read_text().count("do not sign") == 1
  finally:
    process.terminate()
    assert process.wait(20) == 0


def test_a_group_that_is_none_is_told(console):
  assert console.run("device", "list", "--group", "nope", expected=3)
  console.run("group", "add", "lobby")
  assert console.run("device", "list", "--group", "lobby") == ""


def test_what_is_released_is_no_secret(console):
  console.run("draft", "set", "group.lobby", "release", "servicePin", expected=3)
  console.run("group", "add", "lobby")
  console.run("draft", "set", "group.lobby", "release", "servicePin")
  assert console.api("GET", "channels/group.lobby/draft")["settings"] == [{"name": "servicePin", "verb": "release"}]


def test_what_is_noted_and_cannot_be_read_is_not_passed_over(tmp_path):
  console = Console(tmp_path).make()
  noted = console.state / "console.json"
  noted.unlink()
  noted.mkdir()
  assert "console.json" in console.run("status", expected=4)


def test_the_password_of_a_database_is_not_shown(tmp_path):
  console = Console(tmp_path).make()
  noted = json.loads((console.state / "console.json").read_text())
  for address, shown in {
      "postgresql://liv:pw77@127.0.0.1:5432/fleet?sslmode=require": "postgresql://liv:…@127.0.0.1:5432/fleet?sslmode=require",
      "postgres://liv:p:w@host/x@y:z": "postgres://liv:…@host/x@y:z", "postgresql://host:5432/fleet": "postgresql://host:5432/fleet",
      "postgresql://u:p?w@host/db": "postgresql://u:…@host/db",
      "postgresql://host/db?user=u&password=secret&sslpassword=too": "postgresql://host/db?user=u&password=…&sslpassword=…",
  }.items():
    (console.state / "console.json").write_text(json.dumps({**noted, "database": address}))
    assert console.json("config")["database"] == shown


def test_another_password_ends_the_wait_of_a_name(console):
  for _ in range(8):
    console.ask("POST", "/api/v1/session", {"name": "eva", "password": "wrong"}, token=False)
  assert console.ask("POST", "/api/v1/session", {"name": "eva", "password": "correct horse"}, token=False).status == 429
  console.run("admin", "set", "eva", text="another horse\n")
  assert console.ask("POST", "/api/v1/session", {"name": "eva", "password": "another horse"}, token=False).status in (200, 201)


def test_images_are_given_by_command(console, tmp_path):
  image = ROOT / "Tests" / "Fixtures" / "images" / "rgba.png"
  name = console.run("asset", "add", image).strip()
  assert console.ask("GET", f"/api/v1/assets/{name}").body == image.read_bytes()
  assert console.json("asset", "add", image) == {"id": name}
  console.run("asset", "add", tmp_path / "nowhere", expected=3)
  (tmp_path / "none.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 64)
  assert "PNG image is damaged" in console.run("asset", "add", tmp_path / "none.png", expected=4)


def test_nothing_that_says_nothing_is_published(tmp_path):
  console = Console(tmp_path).make()
  assert "Nothing would become different" in console.run("publish", expected=4)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_belongs_to_whoever_has_the_folder(tmp_path):
  nobody = pwd.getpwnam("nobody")
  console = Console(tmp_path).make()
  for folder in (console.state, console.published):
    for place, _, files in os.walk(folder):
      for one in [place] + [os.path.join(place, file) for file in files]:
        os.chown(one, nobody.pw_uid, nobody.pw_gid)
  # What leads elsewhere is not followed.
  victim = tmp_path / "victim"
  victim.write_text("of root")
  for number in range(os.getpid(), os.getpid() + 400):
    os.symlink(victim, console.state / f"console.json.{number}.new")
  before = os.umask(0o077)
  try:
    console.run("group", "add", "lobby")
    console.run("draft", "set", "group.lobby", "enforce", "volume", "4")
    console.run("publish", "group.lobby")
    console.run("config", "set", "url", "http://127.0.0.1:1")
    console.run("keys", "rotate", "--root-key", console.state / "root.key")
  finally:
    os.umask(before)
  assert victim.read_text() == "of root" and victim.stat().st_uid == 0
  for path in console.state.glob("console.json.*.new"):
    path.unlink()
  for folder in (console.state, console.published):
    for place, _, files in os.walk(folder):
      for one in [place] + [os.path.join(place, file) for file in files]:
        facts = os.stat(one)
        if "console.db" not in one:
          assert facts.st_uid == nobody.pw_uid, one
        if one.startswith(str(console.published / "v1")):
          # A web server reads it, whatever the umask was.
          assert facts.st_mode & stat.S_IROTH and (not stat.S_ISDIR(facts.st_mode) or facts.st_mode & stat.S_IXOTH), one


@pytest.mark.skipif(os.geteuid() != 0, reason="a small disk takes root")
def test_a_disk_that_is_nearly_full_is_told_of_before_it_is(tmp_path):
  small = tmp_path / "small"
  small.mkdir()
  if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "none", small], capture_output=True).returncode != 0:
    pytest.skip("nothing can be mounted here")
  try:
    console = Console(tmp_path)
    console.state = small / "state"
    console.make()
    console.serve()
    assert "room" not in troubles(console)
    (small / "filling").write_bytes(bytes(9 << 20))
    assert "the database has room for" in troubles(console)["room"] and "KiB more in" in console.run("status")
    (small / "filling").unlink()
    assert "room" not in troubles(console)
  finally:
    console.stop()
    subprocess.run(["umount", "-l", small], check=True)
