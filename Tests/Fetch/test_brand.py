"""The images of a brand by URL: all of them at once, or as they were."""

import threading
import time

import livery
import livery.fetch
import pytest
from conftest import IMAGES, PNG
from livery.testing import Answer, ScriptedTransport

GIF = (IMAGES / "still.gif").read_bytes()
WEBP = (IMAGES / "alpha.webp").read_bytes()
LOGO, BACKGROUND = "https://example.com/logo", "https://example.com/background"
FRESH = {"ETag": '"1"', "Cache-Control": "max-age=600"}


@pytest.fixture
def transport(store):
  made = ScriptedTransport({LOGO: Answer(body=PNG, headers=FRESH), BACKGROUND: Answer(body=GIF)})
  livery.fetch.set_transport(store, made)
  return made


def apply(store):
  store.branding.apply_console({"images": {"logo": LOGO, "background": BACKGROUND}})


def test_all_images_come_with_one_commit_that_watches_hear_once(store, transport):
  apply(store)
  assert store.branding.image("logo")["state"] == "loading"
  with store.watch("branding.**") as events:
    before = store.revision
    report = livery.fetch.brand(store).result(30)
    store.set("branding.color.Toolbar", livery.Color(1, 0, 0))
    heard = [next(events) for _ in range(3)]
  assert [(event.name, event.revision - before) for event in heard] == [
    ("branding.image.background", 1), ("branding.image.logo", 1), ("branding.color.Toolbar", 2)]
  assert report["committed"] and report["revision"] == before + 1
  assert (report["ready"], report["stale"], report["failed"]) == (2, 0, 0)
  logo = store.branding.image("logo")
  assert (logo["state"], logo["source"], logo["etag"]) == ("ready", LOGO, '"1"')
  assert store.assets.get(logo["image"]) == PNG and logo["fetched"]
  assert store.assets.get(store.branding.image("background")["image"]) == GIF


def test_a_document_that_is_called_an_image_gets_into_no_brand(store, transport):
  transport.set(LOGO, Answer(body=b"<html>no image</html>", headers={"Content-Type": "image/png", **FRESH}))
  livery.fetch.get(store, LOGO, kind="document")
  apply(store)
  report = livery.fetch.brand(store).result(30)
  assert (report["ready"], report["stale"], report["failed"]) == (1, 0, 1)
  assert [image["status"] for image in report["images"] if image["url"] == LOGO] == [livery.ParseError.status]
  assert store.branding.image("logo")["state"] == "failed"


def test_what_has_not_changed_makes_no_commit(store, transport):
  apply(store)
  livery.fetch.brand(store).result(30)
  transport.set(BACKGROUND, Answer(304))
  before = store.revision
  report = livery.fetch.brand(store, revalidate=True).result(30)
  assert not report["committed"] and store.revision == before
  assert transport.requests.count(LOGO) == 2


def test_the_same_url_with_another_image_is_swapped(store, transport):
  apply(store)
  livery.fetch.brand(store).result(30)
  transport.set(LOGO, Answer(body=WEBP))
  report = livery.fetch.brand(store, revalidate=True).result(30)
  assert report["committed"]
  assert store.assets.get(store.branding.image("logo")["image"]) == WEBP


@pytest.mark.parametrize("fault", [livery.NetworkError("no route"), Answer(404), Answer(body=b"no image"), Answer(503)])
def test_what_cannot_be_had_stays_as_it_was(store, transport, fault):
  apply(store)
  livery.fetch.brand(store).result(30)
  transport.set(LOGO, fault)
  report = livery.fetch.brand(store, revalidate=True, attempts=1).result(30)
  assert not report["committed"]
  assert store.branding.image("logo")["state"] == "ready"
  assert store.assets.get(store.branding.image("logo")["image"]) == PNG


def test_what_never_came_is_failed_or_a_placeholder_and_comes_later(store, transport):
  apply(store)
  transport.offline = True
  report = livery.fetch.brand(store, attempts=1).result(30)
  assert report["failed"] == 2 and all(image["status"] == -23 for image in report["images"])
  assert store.branding.image("logo")["state"] == "failed"
  placeholder = store.assets.put(WEBP)
  livery.fetch.brand(store, attempts=1, placeholder=placeholder).result(30)
  logo = store.branding.image("logo")
  assert (logo["state"], logo["image"]) == ("placeholder", livery.Image(placeholder))
  transport.offline = False
  livery.fetch.brand(store).result(30)
  assert store.branding.image("logo")["state"] == "ready"


def test_a_device_fetches_what_it_shows_alone(store, transport):
  variants = [{"image": LOGO, "idiom": "phone"}, {"image": BACKGROUND, "idiom": "tablet"}]
  store.branding.set_image("logo", variants, layer="bundle")
  livery.fetch.brand(store, traits=livery.Traits(idiom="tablet")).result(30)
  assert transport.requests == [BACKGROUND]
  assert store.branding.image("logo", livery.Traits(idiom="tablet"))["state"] == "ready"
  assert store.branding.image("logo", livery.Traits(idiom="phone"))["state"] == "loading"


def test_a_brand_without_urls_has_nothing_to_fetch(store, transport):
  report = livery.fetch.brand(store).result(30)
  assert report == {"revision": 0, "committed": False, "ready": 0, "stale": 0, "failed": 0, "images": []}


def test_an_image_that_may_not_be_kept_is_not_shown(store, transport):
  transport.set(LOGO, Answer(body=PNG, headers={"Cache-Control": "no-store"}))
  apply(store)
  report = livery.fetch.brand(store).result(30)
  assert (report["ready"], report["failed"]) == (1, 1)
  assert store.branding.image("logo")["state"] == "failed"


def test_a_thousand_images_are_swapped_at_once(store, transport):
  count = 1000
  for number in range(count):
    transport.set(f"https://example.com/{number}", Answer(body=PNG + b"%d" % number))
  with store.change("bundle") as change:
    for number in range(count):
      change.set(f"branding.image.i{number}", [{"image": f"https://example.com/{number}"}])
  mixtures, over = [], threading.Event()

  def look():
    while not over.is_set():
      with store.snapshot() as snapshot:
        remote = sum(snapshot.get(f"branding.image.i{number}")[0]["image"].startswith("http") for number in range(0, count, 50))
        mixtures.append(remote)

  looking = threading.Thread(target=look)
  looking.start()
  before = store.revision
  report = livery.fetch.brand(store).result(60)
  over.set()
  looking.join()
  assert report["ready"] == count and store.revision == before + 1
  assert set(mixtures) <= {0, count // 50}


def test_one_url_is_fetched_once_whatever_its_fragment(store, transport):
  store.branding.set_image("logo", [{"image": LOGO + "#a", "idiom": "phone"}, {"image": LOGO + "#b"}], layer="bundle")
  report = livery.fetch.brand(store, timeout=20).result(30)
  assert report["ready"] == 2 and transport.requests == [LOGO]


def test_two_that_fetch_the_brand_at_once_do_not_wait_for_each_other(tmp_path, server):
  def slow(handler):
    time.sleep(0.2)
    handler.give(200, PNG, {"Cache-Control": "max-age=60"})

  with livery.open(tmp_path / "store", create=True) as one, livery.open(tmp_path / "store") as other:
    with one.change("bundle") as change:
      for number in range(40):
        change.set(f"branding.image.i{number}", [{"image": server.serve(f"/{number}", slow)}])
    running = [livery.fetch.brand(store, timeout=30) for store in (one, other, one)]
    reports = [fetch.result(40) for fetch in running]
  assert [report["ready"] for report in reports] == [40, 40, 40]
  assert [report["committed"] for report in reports].count(True) == 1
  assert len(server.requests) == 40


def test_former_images_go_when_nothing_shows_them(store, transport):
  apply(store)
  livery.fetch.brand(store).result(30)
  former = store.branding.image("logo")["image"]
  transport.set(LOGO, Answer(body=WEBP))
  livery.fetch.brand(store, revalidate=True).result(30)
  assert store.assets.get(former) == PNG
  for _ in range(100):
    if former not in [asset["id"] for asset in store.assets.list()]:
      break
    time.sleep(0.1)
  assert former not in [asset["id"] for asset in store.assets.list()]


def test_former_images_of_a_process_that_has_ended_go_with_the_next(tmp_path):
  path = tmp_path / "store"
  transport = ScriptedTransport({LOGO: [Answer(body=PNG), Answer(body=GIF), Answer(body=WEBP)]})
  ids = []
  for _ in range(3):
    with livery.open(path, create=True) as store:
      livery.fetch.set_transport(store, transport)
      ids.append(livery.fetch.get(store, LOGO).id)
      held = [asset["id"] for asset in store.assets.list()]
      time.sleep(5.2)
  assert ids[0] not in held and ids[2] in held


def test_former_images_of_a_process_that_has_just_ended_go_with_the_next_that_stores_something(tmp_path):
  path, other = tmp_path / "store", LOGO + "?other"
  transport = ScriptedTransport({LOGO: [Answer(body=PNG), Answer(body=GIF)], other: [Answer(body=WEBP)]})
  with livery.open(path, create=True) as store:
    livery.fetch.set_transport(store, transport)
    former = livery.fetch.get(store, LOGO).id
    livery.fetch.get(store, LOGO)
  with livery.open(path) as store:
    livery.fetch.set_transport(store, transport)
    livery.fetch.get(store, other)
    assert former in [asset["id"] for asset in store.assets.list()]
    end = time.monotonic() + 20
    while former in [asset["id"] for asset in store.assets.list()] and time.monotonic() < end:
      time.sleep(0.1)
    assert former not in [asset["id"] for asset in store.assets.list()]


def test_cancelling_leaves_the_brand_as_it_is(store, transport):
  class Never(livery.fetch.Transport):
    def __init__(self):
      self.held, self.begun = [], threading.Event()

    def begin(self, url, headers, exchange):
      self.held.append(exchange)
      self.begun.set()

    def cancel(self, exchange):
      exchange.finish(livery.CancelledError("cancelled"))

  never = Never()
  livery.fetch.set_transport(store, never)
  apply(store)
  before = store.revision
  running = livery.fetch.brand(store)
  assert never.begun.wait(10)
  running.cancel()
  with pytest.raises(livery.CancelledError):
    running.result(10)
  assert store.revision == before
