"""Picking from Python, and the program `livery picker` beside it."""

import asyncio
import json
import shutil
import signal
import subprocess
import threading
import time
from datetime import timedelta

import livery
import livery.picker
import livery.prompt
import pytest
from conftest import BUILD, ROOT
from livery.picker import Decision, Permission, Source

IMAGES = ROOT / "Tests" / "Fixtures" / "images"
LOGO = "branding.image.logo"


@pytest.fixture
def folder(tmp_path):
  place = tmp_path / "stick"
  place.mkdir()
  for name in ("rgb.png", "baseline.jpg"):
    shutil.copy(IMAGES / name, place)
  (place / "notes.txt").write_text("no image")
  (place / "broken.png").write_bytes((IMAGES / "rgb.png").read_bytes()[:20])
  return place


@pytest.fixture
def ready(store):
  store.set("usage.camera", "Your picture is your badge")
  return store


class Booth(livery.picker.Camera):
  """Hands over a picture at once, fails, or waits."""

  def __init__(self, error=None, waits=False):
    self.error, self.waits = error, waits
    self.sizes, self.shots, self.cancelled = [], [], []

  def take(self, shot, width, height):
    self.sizes.append((width, height))
    self.shots.append(shot)
    if self.error is not None:
      raise self.error
    if not self.waits:
      shot.taken((IMAGES / "rgb.png").read_bytes())

  def cancel(self, shot):
    self.cancelled.append(shot)


def pick(store, folder, name="rgb.png", **options):
  return livery.picker.pick(store, "folder", folder=folder, file=name, **options)


def test_an_image_of_a_folder_is_stored_with_the_setting_that_shows_it(store, folder):
  (first, second) = [image for image in livery.picker.list(folder) if image["name"] in ("rgb.png", "baseline.jpg")]
  assert first["type"] == "image/jpeg" and second["type"] == "image/png" and second["bytes"] == (IMAGES / "rgb.png").stat().st_size
  picked = pick(store, folder, setting=LOGO).result(10)
  assert store[LOGO] == picked.asset and store.assets.get(picked.asset) == (IMAGES / "rgb.png").read_bytes()
  assert picked.info == store.assets.info(picked.asset)
  assert picked.source is Source.FOLDER and picked.permission is Permission.NOT_ASKED and picked.revision > 0


def test_without_a_setting_the_asset_alone_is_stored(store, folder):
  assert pick(store, folder).result(10).asset in store.assets
  assert LOGO not in store


def test_a_person_is_asked_once_and_what_was_said_is_kept(store, folder):
  asked = []

  def permission(source, known):
    asked.append((source, known))
    return True

  assert livery.picker.known_permission(store, "folder") is Permission.NOT_ASKED
  for _ in range(2):
    assert pick(store, folder, permission=permission).result(10).permission is Permission.GRANTED
  assert asked == [(Source.FOLDER, Permission.NOT_ASKED)]
  assert livery.picker.known_permission(store, Source.FOLDER) is Permission.GRANTED and store["picker.folder"] == "granted"


def test_where_a_source_may_not_be_used_the_program_decides(ready, folder):
  livery.picker.set_camera(ready, Booth())
  told = []

  def denied(source, permission, message):
    told.append((source, permission, bool(message)))
    return Source.FOLDER

  picked = livery.picker.pick(ready, "camera", folder=folder, file="rgb.png", permission=lambda *_: _[0] is Source.FOLDER,
                              denied=denied).result(10)
  assert picked.source is Source.FOLDER and told == [(Source.CAMERA, Permission.DENIED, True)]
  with pytest.raises(livery.RefusedError):
    livery.picker.pick(ready, "camera", denied=lambda *_: Decision.STOP).result(10)
  ready.set("picker.camera", "restricted", layer="enforced")
  with pytest.raises(livery.RefusedError, match="picker.camera"):
    livery.picker.pick(ready, "camera", permission=lambda *_: True).result(10)


def test_functions_may_be_coroutine_functions(store, folder):
  async def permission(source, known):
    await asyncio.sleep(0)
    return Permission.DENIED if known is Permission.NOT_ASKED else Permission.GRANTED

  async def denied(source, known, message):
    await asyncio.sleep(0)
    return Decision.AGAIN

  async def work():
    return await pick(store, folder, permission=permission, denied=denied)

  assert asyncio.run(work()).permission is Permission.GRANTED
  assert store["picker.folder"] == "granted"


def test_what_a_function_raises_is_the_end(store, folder, monkeypatch):
  raised = []
  monkeypatch.setattr("sys.unraisablehook", lambda what: raised.append(what.exc_value))

  def fails(*_):
    raise ValueError("tea")

  with pytest.raises(livery.RefusedError):
    pick(store, folder, permission=fails).result(10)
  assert livery.picker.known_permission(store, "folder") is Permission.NOT_ASKED
  with pytest.raises(livery.RefusedError):
    pick(store, folder, permission=lambda *_: False, denied=fails).result(10)
  assert [str(error) for error in raised] == ["tea", "tea"]


def test_each_failure_is_an_exception_of_its_own(ready, folder):
  for name, error in (("none.png", livery.NotFoundError), ("notes.txt", livery.ParseError), ("broken.png", livery.ParseError)):
    with pytest.raises(error):
      pick(ready, folder, name).result(10)
  with pytest.raises(livery.UnavailableError):
    pick(ready, folder / "none").result(10)
  with pytest.raises(livery.UnavailableError):
    livery.picker.list(folder / "none")
  with pytest.raises(livery.InvalidValueError):
    pick(ready, folder, max_size=10).result(10)
  for error in (livery.BusyError, livery.PermissionDeniedError, livery.UnavailableError, livery.InputOutputError):
    livery.picker.set_camera(ready, Booth(error("so it is")))
    with pytest.raises(error, match="so it is"):
      livery.picker.pick(ready, "camera").result(10)
  livery.picker.set_camera(ready, Booth(waits=True))
  with pytest.raises(livery.TimedOutError):
    livery.picker.pick(ready, "camera", timeout=timedelta(milliseconds=50)).result(timedelta(seconds=10))
  with pytest.raises(livery.UnavailableError, match="photo-upload"):
    livery.picker.pick(ready, "upload").result(10)
  for wrong in ({"timeout": 0}, {"layer": "defaults"}, {"layer": "tea"}, {"size": (-1, 1)}, {"size": (20_000, 1)}, {"max_size": 1 << 33}):
    with pytest.raises(livery.InvalidArgumentError):
      livery.picker.pick(ready, "camera", **wrong).result(10)
  for wrong in ("tea", "FOLDER", 9):
    with pytest.raises(livery.InvalidArgumentError):
      livery.picker.pick(ready, wrong)
  with pytest.raises(livery.InvalidArgumentError):
    livery.picker.pick(ready, "folder").result(10)


def test_a_camera_of_the_programs_takes_the_picture(ready):
  booth = Booth()
  livery.picker.set_camera(ready, booth)
  assert livery.picker.camera_available(ready)
  picked = livery.picker.pick(ready, "camera", size=(640, 480), setting=LOGO).result(10)
  assert booth.sizes == [(640, 480)] and ready[LOGO] == picked.asset
  with pytest.raises(livery.ClosedError):
    booth.shots[0].taken(b"again")
  booth.available = lambda: False
  assert not livery.picker.camera_available(ready)
  booth.available = lambda: True
  ready.reset("usage.camera")
  assert not livery.picker.camera_available(ready)
  with pytest.raises(livery.UnavailableError, match="usage.camera"):
    livery.picker.pick(ready, "camera").result(10)


@pytest.mark.parametrize("raised", [ValueError("\udcff"), SystemExit(0), asyncio.CancelledError()], ids=repr)
def test_a_camera_may_raise_anything(ready, monkeypatch, raised):
  hooked = []
  monkeypatch.setattr("sys.unraisablehook", lambda what: hooked.append(what.exc_value))
  booth = Booth(raised)
  livery.picker.set_camera(ready, booth)
  with pytest.raises(livery.UnavailableError, match="the camera has failed"):
    livery.picker.pick(ready, "camera").result(10)
  booth.error = livery.BusyError("it is \udcff")
  with pytest.raises(livery.BusyError, match="it is "):
    livery.picker.pick(ready, "camera").result(10)

  def available():
    raise raised

  booth.available = available
  assert not livery.picker.camera_available(ready)
  assert hooked == [raised, raised]


def test_a_picture_may_come_later_or_not_at_all(ready):
  booth = Booth(waits=True)
  livery.picker.set_camera(ready, booth)
  for finish in (lambda shot: shot.taken((IMAGES / "baseline.jpg").read_bytes()), lambda shot: shot.failed(livery.BusyError("it is used"))):
    picking = livery.picker.pick(ready, "camera")
    until = time.monotonic() + 10
    while not booth.shots and time.monotonic() < until:
      time.sleep(0.005)
    threading.Thread(target=finish, args=(booth.shots.pop(),)).start()
    try:
      assert picking.result(10).info["type"] == "image/jpeg"
    except livery.BusyError as error:
      assert str(error) == "it is used"


def test_picking_is_cancelled_with_its_task(ready):
  booth = Booth(waits=True)
  livery.picker.set_camera(ready, booth)

  async def work():
    with pytest.raises(asyncio.TimeoutError):
      await asyncio.wait_for(livery.picker.pick(ready, "camera"), 0.1)

  asyncio.run(work())
  picking = livery.picker.pick(ready, "camera")
  picking.cancel()
  with pytest.raises(livery.CancelledError):
    picking.result(10)
  assert booth.cancelled[:1] == booth.shots[:1]


def test_a_store_that_is_closed_ends_picking(ready):
  livery.picker.set_camera(ready, Booth(waits=True))
  picking = livery.picker.pick(ready, "camera")
  time.sleep(0.05)
  ready.close()
  with pytest.raises(livery.ClosedError):
    picking.result(10)


def test_an_upload_is_what_a_person_answers(store):
  asset = store.assets.put((IMAGES / "rgb.png").read_bytes())

  class Person(livery.prompt.Provider):
    def present(self, prompt, request):
      prompt.answer({"photo": str(asset)})

  with livery.prompt.provide(store, "photo-upload", Person()):
    picked = livery.picker.pick(store, "upload", setting=LOGO).result(10)
  assert picked.asset == asset == store[LOGO] and picked.source is Source.UPLOAD


def test_media_are_told(store):
  assert all(set(medium) == {"path", "device", "fileSystem", "readOnly"} for medium in livery.picker.media())


# -- The program


def place(store):
  return str(store.stats()["path"])


def run(*words, store=None):
  command = [str(BUILD / "livery"), "picker", *map(str, words), *(["--store", place(store)] if store is not None else [])]
  return subprocess.run(command, capture_output=True, text=True, timeout=30)


def test_the_program_lists_media_and_images(folder):
  assert run("media").returncode == 0 and json.loads(run("media", "--json").stdout) == livery.picker.media()
  lines = [line.split() for line in run("list", folder).stdout.splitlines()]
  assert ["image/png", str((IMAGES / "rgb.png").stat().st_size), "rgb.png"] in lines
  assert [image["name"] for image in json.loads(run("list", folder, "--json").stdout)] == [
    image["name"] for image in livery.picker.list(folder)]
  assert run("list", folder / "none").returncode == 8


def test_the_name_of_a_file_steers_no_terminal(folder):
  (folder / "a\x1b[2J\u009b1m\u00a0.png").write_bytes((IMAGES / "rgb.png").read_bytes())
  line = next(line for line in run("list", folder).stdout.splitlines() if "a?" in line)
  assert line.endswith("a?[2J?1m\u00a0.png")


def test_the_program_stores_an_image_with_its_setting(store, folder):
  done = run("folder", folder, "rgb.png", "--set", LOGO, store=store)
  asset = str(store[LOGO])
  info = store.assets.info(asset)
  assert done.returncode == 0
  assert done.stdout == f"{asset}  image/png, {info['width']} × {info['height']}, {info['bytes']} bytes\n"
  told = json.loads(run("folder", folder, "baseline.jpg", "--set", LOGO, "--layer", "enforced", "--json", store=store).stdout)
  assert told["asset"] == str(store[LOGO]) != asset and told["source"] == "folder" and told["info"]["type"] == "image/jpeg"
  assert run("folder", folder, "rgb.png", "--set", LOGO, store=store).returncode == 5


def test_the_program_tells_permissions(store):
  store.set("picker.camera", "restricted")
  assert run("permission", store=store).stdout.split("\n") == [
    "folder   not asked", "camera   restricted", "upload   not asked", ""]
  assert run("permission", "camera", store=store).stdout == "restricted\n"
  assert json.loads(run("permission", "--json", store=store).stdout) == {"folder": "", "camera": "restricted", "upload": ""}
  assert run("camera", store=store).returncode == 8


def test_the_program_is_stopped_by_a_signal(store):
  class Waits(livery.prompt.Provider):
    def present(self, prompt, request):
      pass

  with livery.prompt.provide(store, "photo-upload", Waits()):
    asked = subprocess.Popen([BUILD / "livery", "picker", "upload", "--store", place(store)], stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    asked.send_signal(signal.SIGINT)
    assert "cancelled" in asked.communicate(timeout=20)[1] and asked.returncode == 1


def test_the_program_says_what_is_wrong(store, folder):
  for words in ((), ("tea",), ("list",), ("folder", folder), ("folder", folder, "a", "b"), ("media", "x"), ("permission", "tea"),
                ("camera", "--size", "640"), ("camera", "--size", "0x1"), ("upload", "--device", "/dev/video0"),
                ("media", "--set", "x"), ("upload", "--layer", "user"), ("upload", "--set", "x", "--layer", "defaults"),
                ("upload", "--wait", "0"), ("upload", "--max-size", "x")):
    assert run(*words, store=store).returncode == 2, words
  assert run("folder", folder, "none.png", store=store).returncode == 3
  assert run("folder", folder, "notes.txt", store=store).returncode == 4
  assert run("upload", store=store).returncode == 8
  assert run("folder", folder, "../rgb.png", store=store).returncode == 2
  failed = run("folder", folder, "none.png", "--json", store=store)
  assert json.loads(failed.stdout)["error"]["status"] == "LIVERY_ERROR_NOT_FOUND"
