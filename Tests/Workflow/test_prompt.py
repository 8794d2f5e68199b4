"""Prompts from Python, and the program `livery prompt` beside it."""

import asyncio
import json
import os
import signal
import subprocess
import threading
import time
from datetime import timedelta

import livery
import livery.prompt
import pytest
from conftest import BUILD


class Shower(livery.prompt.Provider):
  """Answers at once, one answer after the other; None stands for the person who closes it."""

  def __init__(self, *answers):
    self.answers = list(answers)
    self.requests, self.errors, self.ends = [], [], []

  def present(self, prompt, request):
    self.requests.append(request)
    self.give(prompt)

  def give(self, prompt):
    answer = self.answers.pop(0) if self.answers else None
    if answer is None:
      return prompt.dismiss()

    def verdict(error, retry):
      if error is not None:
        self.errors.append(str(error))
      if retry:
        self.give(prompt)

    prompt.answer(answer, verdict)

  def dismiss(self, prompt, error):
    self.ends.append(error)


class Unwilling(livery.prompt.Provider):
  def present(self, prompt, request):
    raise livery.UnavailableError("not now")


def test_a_prompt_is_shown_and_answered(store):
  shower = Shower({"user": "ada", "password": "x"})
  with livery.prompt.provide(store, "login", shower):
    answer = livery.prompt.request(store, "login", {"server": "a"}).result(10)
  assert answer["user"] == "ada" and not answer.is_default
  (request,) = shower.requests
  assert request["kind"] == "login" and request["subject"] == {"server": "a"} and request["attempt"] == 1
  assert [element["name"] for element in request["form"]["groups"][0]["elements"]] == ["user", "password"]


def test_an_answer_that_is_rejected_is_given_again(store):
  shower = Shower({"user": "ada", "password": "wrong"}, {"user": "ada", "password": "right"})

  def answered(request, answer):
    if answer["password"] == "right":
      request.accept()
    else:
      request.reject("The password is wrong")

  livery.prompt.provide(store, "login", shower)
  assert livery.prompt.request(store, "login", answered=answered).result(10)["password"] == "right"
  assert shower.errors == ["The password is wrong"]


def test_what_is_dismissed_late_or_shown_by_nobody_is_an_exception(store):
  with pytest.raises(livery.UnavailableError, match="livery_prompt_provide"):
    livery.prompt.request(store, "login").result(10)
  livery.prompt.provide(store, "login", Shower())
  with pytest.raises(livery.CancelledError):
    livery.prompt.request(store, "login").result(10)
  livery.prompt.provide(store, "login", Unwilling())
  with pytest.raises(livery.CancelledError):
    livery.prompt.request(store, "login").result(10)
  livery.prompt.provide(store, "passcode", type("Waits", (livery.prompt.Provider,), {"present": lambda *_: None})())
  with pytest.raises(livery.TimedOutError):
    livery.prompt.request(store, "passcode", timeout=timedelta(milliseconds=50)).result(timedelta(seconds=10))
  request = livery.prompt.request(store, "passcode")
  request.cancel()
  with pytest.raises(livery.CancelledError):
    request.result(10)


def test_what_nobody_shows_is_told_with_what_is_answered_in_its_place(store):
  assert livery.prompt.missing(store) == livery.prompt.kinds()
  with livery.prompt.provide(store, "login", Shower()):
    assert [kind["kind"] for kind in livery.prompt.missing(store)] == [kind["kind"] for kind in livery.prompt.kinds()][1:]
  answer = livery.prompt.request(store, "sso-confirmation").result(10)
  assert answer.is_default and answer.content == {"confirmed": True}


def test_a_request_is_awaited_and_cancelled_with_its_task(store):
  async def ask():
    livery.prompt.provide(store, "revoked", Shower({"acknowledged": True}))
    assert (await livery.prompt.request(store, "revoked"))["acknowledged"]
    livery.prompt.provide(store, "passcode", type("Waits", (livery.prompt.Provider,), {"present": lambda *_: None})())
    with pytest.raises(asyncio.TimeoutError):
      await asyncio.wait_for(livery.prompt.request(store, "passcode"), 0.05)

  asyncio.run(ask())


@pytest.mark.parametrize("is_killed", [False, True])
def test_who_shows_prompts_later_is_asked_when_the_first_one_ends(store, is_killed):
  present = threading.Event()
  waits = type("Waits", (livery.prompt.Provider,), {"present": lambda *_: present.set()})()
  if is_killed:
    process = shown(store, "login")
    request = livery.prompt.request(store, "login")
    # It has written what it asks for.
    assert process.stderr.read(1)
  else:
    first = livery.prompt.provide(store, "login", waits)
    request = livery.prompt.request(store, "login")
    assert present.wait(10)
  livery.prompt.provide(store, "login", Unwilling())
  livery.prompt.provide(store, "*", Shower({"user": "ada", "password": "x"}))
  if is_killed:
    process.kill()
    process.wait()
  else:
    first.withdraw()
  assert request.result(10)["user"] == "ada"


def test_a_prompt_that_nobody_else_shows_ends_with_who_showed_it(store):
  first = livery.prompt.provide(store, "login", type("Waits", (livery.prompt.Provider,), {"present": lambda *_: None})())
  request = livery.prompt.request(store, "login")
  time.sleep(0.2)
  livery.prompt.provide(store, "login", Unwilling())
  first.withdraw()
  with pytest.raises(livery.UnavailableError, match="withdrawn|has ended"):
    request.result(10)


def test_an_answer_that_does_not_fit_is_an_exception_at_once(store):
  told = []

  class Wrong(livery.prompt.Provider):
    def present(self, prompt, request):
      for content in ({}, {"user": "a", "password": "x", "tea": 1}, []):
        try:
          prompt.answer(content)
        except livery.LiveryError as error:
          told.append(type(error))
      prompt.dismiss()

  livery.prompt.provide(store, "login", Wrong())
  with pytest.raises(livery.CancelledError):
    livery.prompt.request(store, "login").result(10)
  assert told == [livery.InvalidValueError, livery.NotFoundError, livery.TypeMismatchError]


@pytest.mark.parametrize(
  "raised, message",
  [(ValueError("a" + "ü" * 600), "a" + "ü" * 511), (ValueError("\0 \udcff"), "  ?"), (ValueError(), "ValueError"), (SystemExit(2), "2")],
  ids=["long", "no text", "nothing", "no Exception"])
def test_what_looks_at_an_answer_rejects_it_with_whatever_it_raises(store, monkeypatch, raised, message):
  hooked = []
  monkeypatch.setattr("sys.unraisablehook", lambda what: hooked.append(what.exc_value))

  def answered(request, answer):
    raise raised

  livery.prompt.provide(store, "revoked", Shower({"acknowledged": True}))
  with pytest.raises(livery.RefusedError) as caught:
    livery.prompt.request(store, "revoked", answered=answered).result(10)
  assert str(caught.value) == message and hooked == [raised]


class Broken:
  def __str__(self):
    raise KeyboardInterrupt()


@pytest.mark.parametrize(
  "raised, error",
  [(ValueError("\udcff"), livery.UnavailableError), (SystemExit(0), livery.UnavailableError), (ValueError(Broken()), livery.UnavailableError),
   (livery.BusyError("\udcff"), livery.BusyError)],
  ids=["Exception", "no Exception", "no text", "LiveryError"])
def test_a_provider_may_raise_anything(store, monkeypatch, raised, error):
  hooked = []
  monkeypatch.setattr("sys.unraisablehook", lambda what: hooked.append(what.exc_value))

  class Raises(livery.prompt.Provider):
    def present(self, prompt, request):
      raise raised

  livery.prompt.provide(store, "login", Raises())
  with pytest.raises(error):
    livery.prompt.request(store, "login").result(10)
  assert hooked == ([] if isinstance(raised, livery.LiveryError) else [raised])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_asks_also_if_a_thread_was_about_to(store, tmp_path):
  with livery.prompt._Prompting._lock:
    child = os.fork()
    if child == 0:
      # It ends whatever becomes of it.
      signal.alarm(20)
      try:
        with livery.open(tmp_path / "child", create=True) as own:
          os._exit(0 if livery.prompt.missing(own) else 1)
      finally:
        os._exit(2)
  assert os.waitpid(child, 0)[1] == 0


def test_a_kind_of_ones_own_has_the_form_that_it_is_asked_with(store):
  schema = json.dumps({"Version": 1, "Groups": [{"Title": "Tea", "Settings": [
    {"Type": "Number", "Format": "integer", "Title": "Cups", "Key": "cups", "Maximum": 4}]}]})
  livery.prompt.provide(store, "tea", Shower({"cups": "3"}))
  assert livery.prompt.request(store, "tea", schema=schema).result(10).content == {"cups": 3}
  with pytest.raises(livery.InvalidArgumentError):
    livery.prompt.request(store, "login", schema=schema)


def test_consent_is_kept_with_who_gave_it(store):
  livery.prompt.provide(store, "location-consent", Shower({"granted": True}))
  livery.prompt.request(store, "location-consent", {"user": "ada"}).result(10)
  kept = store["prompt.location-consent"]
  assert kept["granted"] and kept["user"] == "ada" and kept["precision"] == "precise" and "time" in kept


def place(store):
  return str(store.stats()["path"])


def run(store, *words, **options):
  return subprocess.run([BUILD / "livery", "prompt", *words, "--store", place(store)], capture_output=True, text=True, timeout=30, **options)


def shown(store, kind, *words):
  """`livery prompt provide`, once all its kinds are known."""
  kinds = {kind, *(word for word in words[:1] if not word.startswith("-"))}
  process = subprocess.Popen([BUILD / "livery", "prompt", "provide", kind, *words, "--store", place(store)],
                             stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
  until = time.monotonic() + 10
  while any(each["kind"] in kinds for each in livery.prompt.missing(store)) and time.monotonic() < until:
    time.sleep(0.01)
  return process


def test_the_program_tells_what_is_missing(store):
  lines = run(store, "missing").stdout.splitlines()
  assert len(lines) == 14 and lines[0].split() == ["login", "required"]
  assert lines[-1].split(None, 1) == ["revoked", 'optional: {"acknowledged":true}']
  assert json.loads(run(store, "missing", "--json").stdout) == livery.prompt.missing(store)


def test_the_program_shows_and_asks(store):
  process = shown(store, "login", "--once")
  asked = subprocess.Popen([BUILD / "livery", "prompt", "request", "login", "--store", place(store)], stdout=subprocess.PIPE, text=True)
  # A name alone is not enough: it asks again.
  process.stdin.write("ada\n\nada\nsecret\n")
  process.stdin.flush()
  assert json.loads(asked.communicate(timeout=20)[0]) == {"user": "ada", "password": "••••••"}
  assert process.wait(20) == 0
  assert not [name for name in os.listdir(place(store)) if name.startswith("prompt")]
  assert "Password is missing" in process.stderr.read()


def test_the_program_answers_by_itself_until_it_is_stopped(store):
  process = shown(store, "passcode", "device-provisioning", "--answer", '{"passcode":"7"}')
  assert len(livery.prompt.missing(store)) == 12
  assert json.loads(run(store, "request", "passcode", "--reveal").stdout) == {"passcode": "7"}
  assert livery.prompt.request(store, "passcode").result(10)["passcode"] == "7"
  process.send_signal(signal.SIGTERM)
  assert process.wait(20) == 0
  assert len(livery.prompt.missing(store)) == 14
  assert not [name for name in os.listdir(place(store)) if name.startswith("prompt")]


def test_the_program_masks_secrets_of_a_kind_of_ones_own(store, tmp_path):
  secret = {"Type": "TextField", "Title": "Secret", "Key": "secret", "Class": ["Password"]}
  schema = tmp_path / "tea.json"
  schema.write_text(json.dumps({"Version": 1, "Groups": [{"Title": "Tea", "Settings": [
    {"Type": "TextField", "Title": "Name", "Key": "name"}, {"Type": "Pane", "Title": "More", "Settings": [secret]},
    {"Type": "List", "Title": "Cups", "Key": "cups", "ItemTemplate": [secret]}]}]}))
  livery.prompt.provide(store, "tea", Shower({"name": "a", "secret": "b", "cups": [{"secret": "c"}]}))
  asked = run(store, "request", "tea", "--schema", schema)
  assert json.loads(asked.stdout) == {"name": "a", "secret": "••••••", "cups": "••••••"}


def test_the_program_says_what_is_wrong(store):
  failed = run(store, "request", "login")
  assert failed.returncode == 8 and "livery prompt provide login" in failed.stderr
  assert run(store, "request").returncode == 2
  assert run(store, "show").returncode == 2
  assert run(store, "request", "No").returncode == 2
  assert run(store, "request", "tea", "{").returncode == 4
  process = shown(store, "login")
  process.stdin.close()
  dismissed = run(store, "request", "login")
  assert dismissed.returncode == 5 and "dismissed" in dismissed.stderr
  process.kill()
  process.wait()
  late = shown(store, "login")
  assert run(store, "request", "login", "--wait", "50").returncode == 8
  late.kill()
  late.wait()


@pytest.mark.parametrize("word", ["--x" + "ß" * 30, "--\x1b[31mred", "--\x9bq"], ids=["cut", "control", "c1"])
def test_mistakes_are_told_in_plain_text(word):
  done = subprocess.run([BUILD / "livery", "prompt", word, "--json"], capture_output=True, timeout=30)
  said = done.stderr.decode()
  assert done.returncode == 2 and "there is no option" in said and len(said.splitlines()) == 1
  assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in said.rstrip("\n"))
  assert "there is no option" in json.loads(done.stdout)["error"]["message"]
