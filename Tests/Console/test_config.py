"""What is noted of options: nothing with which no console could be opened, and whatever is noted can be changed."""

import concurrent.futures
import json
import shutil
import subprocess

import pytest
from conftest import PROGRAM, Console


@pytest.fixture
def console(tmp_path, monkeypatch):
  for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
    monkeypatch.delenv(name, raising=False)
  return Console(tmp_path).make()


def noted(console, **values):
  """Has something be noted that the command does not note."""
  file = console.state / "console.json"
  file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def test_what_would_not_open_is_not_noted(console, tmp_path):
  before = console.json("config")
  for name, value, words in (("publish", "s3://fleet-files/kiosks", "region"), ("publish", "s3://-/", "s3://NAME"),
                             ("publish", tmp_path / "nothing", "nothing"), ("broker", "foo", "mqtt://"), ("database", tmp_path / "nothing.db", "no fleet"),
                             ("url", "fleet.example.com", "no http or https URL"),
                             ("url", "https://fleet.example.com:99999", "99999")):
    assert words in console.run("config", "set", name, value, expected=4), name
    assert console.json("config") == before and "fleet: kiosks" in console.run("status"), name
  assert not (tmp_path / "nothing.db").exists()
  # One after the other they can be.
  credentials = tmp_path / "credentials"
  credentials.write_text("aws_access_key_id = a\naws_secret_access_key = b\n")
  credentials.chmod(0o400)
  for name, value in (("region", "eu-central-1"), ("credentials", credentials), ("publish", "s3://fleet-files/kiosks")):
    console.run("config", "set", name, value)
  assert "region" in console.run("config", "unset", "region", expected=4)
  console.run("config", "set", "publish", console.published)
  console.run("config", "unset", "region")
  assert [line["what"] for line in console.json("history")][:2] == ["unset region", "set publish"]


def test_several_who_note_something_at_once_lose_nothing(console):
  values = {"region": "eu-central-1", "url": "https://fleet.example.org", "broker": "mqtt://127.0.0.1:1"}
  with concurrent.futures.ThreadPoolExecutor() as pool:
    for done in [pool.submit(console.run, "config", "set", name, value) for name, value in values.items()]:
      done.result()
  assert {name: console.json("config")[name] for name in values} == values


def test_what_is_noted_can_always_be_changed(console, tmp_path):
  noted(console, url="fleet.example.com")
  assert "https://HOST" in console.run("serve", "--listen", "127.0.0.1:0", expected=4)
  console.run("config", "set", "url", "https://fleet.example.com")
  noted(console, publish="s3://fleet-files/kiosks", database=str(tmp_path / "gone" / "console.db"))
  for words in (("status",), ("config", "unset", "publish")):
    assert "cannot be opened" in console.run(*words, expected=4)
  assert console.json("config")["publish"] == "s3://fleet-files/kiosks"
  console.run("config", "unset", "database")
  assert "region" in console.run("status", expected=4)
  console.run("config", "unset", "publish")
  assert "fleet: kiosks" in console.run("status")
  console.run("config", "set", "publish", console.published)
  console.run("draft", "set", "fleet", "enforce", "volume", "3")
  console.run("publish")
  assert (console.published / "v1/channels/fleet/manifest").exists()


def test_a_database_of_another_fleet_is_not_noted(console, tmp_path):
  (tmp_path / "other").mkdir()
  other = Console(tmp_path / "other").make()
  refused = console.run("config", "set", "database", other.state / "console.db", expected=4)
  assert "signing.key" in refused and "fleet: kiosks" in console.run("status")
  # That of one's own may lie elsewhere.
  shutil.copy(console.state / "console.db", tmp_path / "moved.db")
  console.run("config", "set", "database", tmp_path / "moved.db")
  console.run("draft", "set", "fleet", "enforce", "volume", "3")
  console.run("publish")


def test_what_is_wrong_with_the_file_is_told(console):
  for text in ("{", "[]", '{"publish" 1}'):
    (console.state / "console.json").write_text(text)
    assert "console.json" in console.run("status", expected=4), text


def test_a_folder_without_a_fleet_has_nothing_noted(tmp_path):
  console = Console(tmp_path)
  console.state.mkdir()
  for words in (("config",), ("config", "set", "region", "eu-central-1")):
    assert "no fleet" in console.run(*words, expected=3)
  assert list(console.state.iterdir()) == []


def test_what_cannot_be_printed_is_a_failure(tmp_path):
  console = Console(tmp_path).make()
  for words in (["--help"], ["status", "--state", console.state]):
    with open("/dev/full", "w") as full:
      done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 8 and "standard output" in done.stderr


def test_a_name_that_no_address_can_have_is_nobodys(tmp_path):
  console = Console(tmp_path).make()
  for name in ("a/b", "a\\b", ".", ".."):
    assert "slashes" in console.run("admin", "add", name, text="correct horse\n", expected=4)


def test_a_code_needs_an_address_and_is_told_how_to_get_one(tmp_path):
  console = Console(tmp_path)
  console.run("init", "kiosks")
  assert "livery console config set url" in console.run("enroll", expected=4)
  console.run("config", "set", "url", "https://fleet.example.com")
  assert console.run("enroll").startswith("livery:")
