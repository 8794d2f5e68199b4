"""Publishing into a bucket of an S3-like store, which may fail, be slow, and have another clock."""

import hashlib
import subprocess
import threading
import time

import pytest
import read_sync
from bucket import KEY, SECRET, Bucket
from conftest import ROOT, Console, Device, free_port, join, wait

PREFIX = "fleets/ki osk+1"

MOTO = ROOT / "build" / "venv" / "bin" / "moto_server"


@pytest.fixture
def bucket():
  bucket = Bucket()
  yield bucket
  bucket.close()


def credentials(folder, secret=SECRET, mode=0o400, more=""):
  path = folder / "credentials"
  path.unlink(missing_ok=True)
  path.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {secret}\n{more}")
  path.chmod(mode)
  return path


def options(folder, bucket):
  return ["--endpoint", bucket.endpoint, "--region", bucket.region, "--credentials", folder / "credentials"]


def made(folder, bucket, place=None):
  credentials(folder)
  console = Console(folder, place)
  console.published = f"s3://{bucket.name}/{PREFIX}"
  return console.make(*options(folder, bucket))


@pytest.fixture
def console(tmp_path, place, bucket):
  console = made(tmp_path, bucket, place).serve()
  yield console
  console.stop()


def held(bucket, path):
  found = bucket.objects.get(f"{PREFIX}{path}")
  return found and found[0]


def is_current(console, bucket):
  """Whether the bucket has all that the console would answer."""
  publishing = console.api("GET", "status")["publishing"]
  return publishing["waiting"] == 0 and "problem" not in publishing


def version(bucket, channel="fleet"):
  data = held(bucket, f"/v1/channels/{channel}/manifest")
  return data and read_sync.cbor(read_sync.cbor(data)[1])["version"]


def test_a_bucket_has_what_a_folder_would_have(console, bucket):
  devices = join(console, 2)
  console.set("fleet", ("volume", "enforce", 7))
  wait(lambda: is_current(console, bucket))
  for path in ["/v1/keys/1", "/v1/keys/latest", "/v1/channels/fleet/manifest"] + [
      f"/v1/channels/device.{device.id}/manifest" for device in devices]:
    assert held(bucket, path) == console.ask("GET", path, token=False).body, path
  manifest = devices[0].manifest("fleet")
  blob = held(bucket, "/v1/blobs/" + manifest["documents"][-1]["hash"].hex())
  assert hashlib.sha256(blob).digest() == manifest["documents"][-1]["hash"]
  for path, (_, head) in bucket.objects.items():
    assert head["Content-Type"] == "application/octet-stream"
    mutable = path.endswith("/manifest") or path.endswith("/latest")
    assert head["Cache-Control"] == ("no-cache" if mutable else "public, max-age=31536000, immutable"), path
  assert not bucket.problems


def test_what_refers_to_others_comes_after_them(console, bucket):
  console.api("POST", "groups", {"name": "lobby"}, 201)
  join(console, 1, groups=["lobby"])
  wait(lambda: is_current(console, bucket))
  wrong = []

  def answer(key):
    path = key.removeprefix(PREFIX)
    if path.endswith("/fleet/manifest") and bucket.order[-1] != f"{PREFIX}/v1/channels/group.lobby/manifest":
      wrong.append((path, bucket.order[-1]))
    # Each is slow, so that whatever is not waited for would be too early.
    time.sleep(0.1 if "blobs" in path else 0)

  bucket.answer = answer
  console.set("group.lobby", ("volume", "enforce", 8))
  wait(lambda: is_current(console, bucket))
  order = [key.removeprefix(PREFIX) for key in bucket.order[-4:]]
  blobs = [index for index, path in enumerate(order) if "blobs" in path]
  assert order[-1] == "/v1/channels/fleet/manifest" and order[-2] == "/v1/channels/group.lobby/manifest", order
  assert blobs and max(blobs) < len(order) - 2 and not wrong


@pytest.mark.parametrize("status", [503, 500, 403, 301])
def test_a_store_that_fails_loses_nothing_and_blocks_nobody(console, bucket, status):
  device, = join(console)
  wait(lambda: is_current(console, bucket))
  before = version(bucket)
  bucket.answer = lambda key: status if key.endswith("/fleet/manifest") else None
  console.set("fleet", ("volume", "enforce", 9))
  publishing = wait(lambda: (found := console.api("GET", "status")["publishing"]).get("problem") and found)
  assert publishing["waiting"] >= 1 and str(status) in publishing["problem"] and publishing["since"] > 0
  assert "publishing" in console.run("status") and str(status) in console.run("status")
  page = console.ask("GET", "/v1/channels/fleet/manifest", token=False)
  assert page.status == 200 and version(bucket) == before
  # What has been put is not put again with each try.
  count = lambda: sum("blobs" in key for key in bucket.order)
  tries = count()
  time.sleep(1.5)
  assert count() == tries
  bucket.answer = lambda key: None
  wait(lambda: is_current(console, bucket), 60)
  assert held(bucket, "/v1/channels/fleet/manifest") == console.ask("GET", "/v1/channels/fleet/manifest", token=False).body
  assert device.pull()["volume"] == ("enforce", 9)


def test_a_slow_store_blocks_neither_pages_nor_changes(console, bucket):
  wait(lambda: is_current(console, bucket))
  open_again = threading.Event()
  bucket.answer = lambda key: open_again.wait(30) and None
  try:
    for number in range(5):
      console.set("fleet", ("volume", "enforce", number))
    assert console.api("GET", "status")["publishing"]["waiting"] == 1
    assert console.ask("GET", "/sign-in", token=False).status == 200
    # Nor does a device that joins: it is let in once what it needs is there.
    device = Device(console, console.code())
    answers = []
    joining = threading.Thread(target=lambda: answers.append(device.enroll().status))
    joining.start()
    joining.join(1)
    assert not answers and console.ask("GET", "/sign-in", token=False).status == 200
  finally:
    open_again.set()
  joining.join()
  assert answers == [204] and held(bucket, f"/v1/channels/device.{device.id}/manifest")


def test_what_a_console_has_left_out_is_put_there_by_the_next(console, bucket):
  wait(lambda: is_current(console, bucket))
  bucket.answer = lambda key: 503
  console.set("fleet", ("volume", "enforce", 12))
  console.kill()
  bucket.answer = lambda key: None
  console.serve()
  wait(lambda: is_current(console, bucket), 60)
  assert held(bucket, "/v1/channels/fleet/manifest") == console.ask("GET", "/v1/channels/fleet/manifest", token=False).body
  # And what was there before is not put again.
  count = len(bucket.order)
  console.stop()
  console.serve()
  console.set("fleet", ("volume", "enforce", 13))
  wait(lambda: is_current(console, bucket))
  assert len(bucket.order) == count + 2, bucket.order[count:]


def test_another_clock_is_found_out(tmp_path, bucket):
  bucket.ahead = -5 * 3600
  console = made(tmp_path, bucket).serve()
  try:
    wait(lambda: is_current(console, bucket))
    assert bucket.problems and set(bucket.problems) == {"RequestTimeTooSkewed"}
  finally:
    console.stop()


def test_credentials_are_exchanged_without_starting_anything_again(console, bucket, tmp_path):
  wait(lambda: is_current(console, bucket))
  credentials(tmp_path, secret="another")
  console.set("fleet", ("volume", "enforce", 14))
  publishing = wait(lambda: (found := console.api("GET", "status")["publishing"]).get("problem") and found)
  assert "SignatureDoesNotMatch" in publishing["problem"] and SECRET not in str(publishing)
  bucket.session = "for/an+hour=="
  credentials(tmp_path, more="aws_session_token = for/an+hour==\n")
  wait(lambda: is_current(console, bucket), 60)


def test_the_command_puts_what_it_changes(tmp_path, bucket):
  console = made(tmp_path, bucket)
  before = version(bucket)
  console.run("draft", "set", "fleet", "enforce", "volume", "4")
  console.run("publish")
  assert version(bucket) == before + 1 and any("blobs" in key for key in bucket.order)
  bucket.close()
  console.run("draft", "set", "fleet", "enforce", "volume", "5")
  # It is kept all the same.
  console.run("publish")
  assert console.json("status")["publishing"]["waiting"] >= 1


def test_what_is_wrong_with_the_options_is_told_at_once(tmp_path, bucket):
  console = Console(tmp_path)
  credentials(tmp_path, mode=0o444)
  url = ["--url", "http://127.0.0.1:1"]
  for place, more, text in [
      ("s3://Big_Name", options(tmp_path, bucket), "a bucket is s3://NAME"),
      ("s3://fleet-files/../up", options(tmp_path, bucket), "a bucket is s3://NAME"),
      ("s3://fleet-files", ["--credentials", tmp_path / "credentials"], "which region"),
      ("s3://fleet-files", ["--region", "a b", "--credentials", tmp_path / "credentials"], "which region"),
      ("s3://fleet-files", ["--endpoint", "ftp://there", "--region", "x"], "an endpoint is"),
      ("s3://fleet-files", options(tmp_path, bucket), "chmod 400"),
  ]:
    assert text in console.run("init", "kiosks", "--publish", place, *url, *more, expected=4), place
  assert not (tmp_path / "state" / "signing.key").exists()


@pytest.mark.skipif(not MOTO.exists(), reason="moto is not installed")
def test_another_implementation_takes_it(tmp_path):
  port = free_port()
  server = subprocess.Popen([MOTO, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
  try:
    import urllib.request
    endpoint = f"http://127.0.0.1:{port}"

    def create():
      try:
        return urllib.request.urlopen(urllib.request.Request(f"{endpoint}/fleet-files", method="PUT")).status == 200
      except OSError:
        return False

    wait(create)
    credentials(tmp_path)
    console = Console(tmp_path)
    console.published = "s3://fleet-files"
    console.make("--endpoint", endpoint, "--credentials", tmp_path / "credentials")
    # Whoever reads it only says who it is: moto does not verify that.
    who = f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0"
    asked = urllib.request.Request(f"{endpoint}/fleet-files/v1/channels/fleet/manifest", headers={"Authorization": who})
    with urllib.request.urlopen(asked) as found:
      assert found.headers["Cache-Control"] == "no-cache" and read_sync.cbor(found.read())
  finally:
    server.kill()
    server.wait()


def test_two_consoles_that_publish_to_a_bucket_leave_the_latest_there(console, bucket, tmp_path, place):
  """Nothing that one of them has read before is put there after what the other has put."""
  other = Console(tmp_path, place, state="state")
  other.token = console.token
  other.serve()
  versions, back = {}, []

  def answer(key):
    time.sleep(0.02)

  bucket.answer = answer
  try:
    for number in range(6):
      (console if number % 2 else other).set("fleet", ("volume", "enforce", number))
      if number == 3:
        console.run("draft", "set", "fleet", "enforce", "welcomeText", "by the command")
        console.run("publish")
      data = version(bucket)
      if data is not None:
        if data < versions.get("fleet", 0):
          back.append(data)
        versions["fleet"] = data
    wait(lambda: is_current(console, bucket) and is_current(other, bucket), 60)
    assert not back
    present = console.ask("GET", "/v1/channels/fleet/manifest", token=False).body
    wait(lambda: held(bucket, "/v1/channels/fleet/manifest") == present)
  finally:
    other.stop()


def test_who_has_lost_its_turn_says_nothing_of_how_far_the_place_is(console, bucket):
  wait(lambda: is_current(console, bucket))
  before = console.sql("SELECT written FROM places")

  def steal(key):
    # While the last file is on its way.
    if key.endswith("/fleet/manifest"):
      bucket.answer = lambda key: None
      console.sql("UPDATE places SET holder = 'another', held_until = 9999999999")

  bucket.answer = steal
  console.set("fleet", ("volume", "enforce", 3))
  publishing = wait(lambda: (found := console.api("GET", "status")["publishing"]).get("problem") and found)
  assert "another console publishes" in publishing["problem"] and console.sql("SELECT written FROM places") == before
  console.sql("UPDATE places SET holder = NULL, held_until = NULL")
  wait(lambda: is_current(console, bucket))
  assert held(bucket, "/v1/channels/fleet/manifest") == console.ask("GET", "/v1/channels/fleet/manifest", token=False).body
