"""Who signs: keys that are exchanged while consoles run, other root keys, and signatures that are made elsewhere."""

import json
import subprocess

import publisher
import read_sync
from conftest import PROGRAM, Console, join, wait


def roots(console, *names):
  """Files of root keys, and their public halves."""
  paths = [console.folder / f"{name}.key" for name in names]
  return [(path, console.run("keys", "make", path).strip()) for path in paths]


def keys(console, version="latest"):
  answer = console.ask("GET", f"/v1/keys/{version}", token=False)
  assert answer.status == 200
  _, payload, signatures = read_sync.cbor(answer.body)
  return read_sync.cbor(payload), [key.hex() for key, _ in signatures]


def signers(console, channel="fleet"):
  answer = console.ask("GET", f"/v1/channels/{channel}/manifest", token=False)
  return [key.hex() for key, _ in read_sync.cbor(answer.body)[2]]


def test_another_key_signs_in_consoles_that_run(console):
  device, = join(console)
  before = signers(console)
  for value, word in enumerate(("rotate", "revoke")):
    console.run("keys", word, "--root-key", console.state / "root.key")
    present = signers(console)
    assert present != before and present[0] in [one["key"].hex() for one in keys(console)[0]["signers"]]
    # The console that runs has not been started again.
    console.set("fleet", ("volume", "enforce", value))
    assert signers(console) == present and device.pull()["volume"] == ("enforce", value)
    before = present
  assert [one["key"].hex() for one in keys(console)[0]["signers"]] == before


def test_other_roots_are_signed_by_the_former_and_the_new_ones(console):
  made = roots(console, "one", "two", "three")
  root = console.state / "root.key"
  former = keys(console)[0]["roots"]["keys"][0].hex()
  words = [word for path, _ in made for word in ("--root", path)]
  console.run("keys", "roots", *words, "--threshold", "2", "--root-key", root)
  document, signed = keys(console)
  assert document["version"] == 2 and document["roots"]["threshold"] == 2
  assert [key.hex() for key in document["roots"]["keys"]] == sorted(public for _, public in made)
  assert document["former"]["keys"][0].hex() == former and former in signed and len(signed) == 4
  listed = console.json("keys")
  assert listed["threshold"] == 2 and listed["roots"] == sorted(public for _, public in made)
  # The former one says nothing any more, and one of the new ones is not enough.
  assert "not a root key" in console.run("keys", "rotate", "--root-key", root, "--root-key", made[0][0], expected=4)
  assert "too few" in console.run("keys", "rotate", "--root-key", made[0][0], expected=4)
  console.run("keys", "rotate", "--root-key", made[0][0], "--root-key", made[2][0])
  assert keys(console)[0]["version"] == 3 and "former" not in keys(console)[0]
  console.set("fleet", ("volume", "enforce", 5))
  # Codes name the roots that hold.
  device, = join(console)
  assert device.pull()["volume"] == ("enforce", 5)
  whats = [one["what"] for one in console.api("GET", "history")["items"]]
  assert "changed the root keys" in whats and "changed who signs" in whats


def test_signatures_are_made_where_the_keys_are(console, tmp_path):
  made = roots(console, "one", "two")
  request = tmp_path / "request"
  words = [word for _, public in made for word in ("--root", public)]
  told = console.run("keys", "roots", *words, "--threshold", "2", "--request", request)
  assert "3 signatures are missing" in told and keys(console)[0]["version"] == 1
  assert "missing" in console.run("keys", "import", request, expected=4)
  # Each on a machine of its own, which has no console.
  alone = Console(tmp_path, state="nowhere")
  for path in (made[0][0], console.state / "root.key", made[1][0]):
    alone.run("keys", "sign", request, "--root-key", path)
  assert "not a root key" in alone.run("keys", "sign", request, "--root-key", roots(alone, "foreign")[0][0], expected=4)
  # One signature of another's, and one that is no signature.
  bad = json.loads(request.read_text())
  bad["signatures"][0]["signature"] = "00" * 64
  (tmp_path / "bad").write_text(json.dumps(bad))
  assert "wrong" in console.run("keys", "import", tmp_path / "bad", expected=4)
  (tmp_path / "bad").write_text("{")
  assert "no request" in console.run("keys", "import", tmp_path / "bad", expected=4)
  assert keys(console)[0]["version"] == 1
  console.run("keys", "import", request)
  assert keys(console)[0]["version"] == 2
  assert "have changed since" in console.run("keys", "import", request, expected=5)
  # The same for a key that signs: it counts once the request is taken, and not before.
  before = signers(console)
  console.run("keys", "rotate", "--request", request)
  console.set("fleet", ("volume", "enforce", 3))
  assert signers(console) == before
  for path, _ in made:
    alone.run("keys", "sign", request, "--root-key", path)
  console.run("keys", "import", request)
  assert signers(console) != before and keys(console)[0]["version"] == 3
  console.set("fleet", ("volume", "enforce", 4))
  assert wait(lambda: signers(console) != before)


def test_a_request_is_looked_at_before_it_is_signed_and_taken_only_as_it_was_asked_for(console, tmp_path):
  request, root = tmp_path / "request", console.state / "root.key"
  told = console.run("keys", "rotate", "--request", request)
  assert told == console.run("keys", "show", request)
  asked = json.loads(request.read_text())
  document = read_sync.cbor(bytes.fromhex(asked["request"]))
  genuine = console.json("keys", "show", request)
  assert genuine["expires"] == document["expires"] and genuine["issued"] == document["issued"] and genuine["missing"] == 1
  assert [one["key"] for one in genuine["signers"]] == [one["key"].hex() for one in document["signers"]]
  foreign = publisher.Key().public
  changes = {
    "another signer": lambda made: made["signers"].append({"key": foreign, "from": 0, "until": 253402300799}),
    "for ever": lambda made: made.update(expires=253402300799),
    "over": lambda made: made.update(expires=made["issued"] + 1),
    "from the future": lambda made: made.update(issued=made["issued"] + 100 * 86400),
    "a signer for ever": lambda made: made["signers"][0].update(until=253402300799),
  }
  for name, change in changes.items():
    made = read_sync.cbor(bytes.fromhex(asked["request"]))
    change(made)
    made["signers"].sort(key=lambda one: one["key"])
    tampered = tmp_path / name
    tampered.write_text(json.dumps({"request": publisher.cbor(made).hex(), "signatures": []}))
    # Whoever looks sees it.
    assert console.run("keys", "show", tampered) != told, name
    console.run("keys", "sign", tampered, "--root-key", root)
    assert "not what this fleet's console asked for" in console.run("keys", "import", tampered, expected=4), name
  assert keys(console)[0]["version"] == 1
  console.run("keys", "sign", request, "--root-key", root)
  console.run("keys", "import", request)
  assert keys(console)[0]["version"] == 2


def test_what_was_asked_for_and_never_taken_is_forgotten(tmp_path):
  console = Console(tmp_path).make_bare()
  signing, request = console.state / "signing.key", tmp_path / "request"
  present = console.run("keys", "public", signing).strip()
  for _ in range(12):
    console.run("keys", "rotate", "--request", request)
  held = console.run("keys", "public", signing).split()
  assert len(held) == 10 and present in held
  console.run("keys", "sign", request, "--root-key", console.state / "root.key")
  console.run("keys", "import", request)
  assert console.run("keys", "public", signing).split() == held[:1]


def test_a_key_that_was_forgotten_does_not_come_to_sign(tmp_path):
  console = Console(tmp_path).make_bare()
  signing, first, latest = console.state / "signing.key", tmp_path / "first", tmp_path / "latest"
  console.run("keys", "rotate", "--request", first)
  for _ in range(10):
    console.run("keys", "rotate", "--request", latest)
  held = console.run("keys", "public", signing)
  for request in (first, latest):
    console.run("keys", "sign", request, "--root-key", console.state / "root.key")
  assert "ask again" in console.run("keys", "import", first, expected=4)
  assert console.run("keys", "public", signing) == held
  console.run("keys", "import", latest)
  assert console.run("keys", "public", signing).split() == held.split()[:1]


def test_a_key_that_is_lost_is_told_of_with_the_way_out(tmp_path):
  console = Console(tmp_path).make_bare()
  signing = console.state / "signing.key"
  signing.unlink()
  for words in (("status",), ("config",), ("draft", "set", "fleet", "enforce", "volume", 3)):
    refused = console.run(*words, expected=3)
    assert str(signing) in refused and "keys make" in refused and "keys rotate" in refused, refused
  console.run("keys", "make", signing)
  console.run("keys", "rotate", "--root-key", console.state / "root.key")
  console.run("draft", "set", "fleet", "enforce", "volume", 3)
  console.run("publish")


def test_several_who_exchange_the_key_at_once_lose_none(console):
  """Each is done or is told that another one was faster; the last key that was made is in the file, and signs."""
  words = [str(word) for word in (PROGRAM, "keys", "rotate", "--root-key", console.state / "root.key", "--state", console.state)]
  words += ["--database", console.database] if console.database else []
  for _ in range(3):
    running = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(4)]
    ends = [process.wait(60) for process in running]
    assert 0 in ends and set(ends) <= {0, 5}, ends
    held = console.run("keys", "public", console.state / "signing.key").split()
    assert keys(console)[0]["signers"] and signers(console)[0] in held
    # The one that was added last has the longest time.
    latest = max(keys(console)[0]["signers"], key=lambda one: one["until"])
    assert latest["key"].hex() in held
    console.set("fleet", ("volume", "enforce", len(held)), ("welcomeText", "enforce", held[0][:12]))
