"""The Python module of the extension."""

import ctypes
import gc
import threading
import urllib.error
import urllib.request

import livery
import livery.page
import pytest


def opener():
  return urllib.request.build_opener(urllib.request.HTTPCookieProcessor())


def test_a_session_from_python(tmp_path):
  ends, told = [], threading.Event()

  def finished(end):
    ends.append(end)
    told.set()

  with livery.open(tmp_path / "store", create=True) as store:
    store.apply_schema({"Version": 1, "Title": "Kiosk", "Groups": [{"Title": "One", "Settings": [
      {"Type": "ToggleSwitch", "Title": "Sound", "Key": "sound", "Value": True}]}]})
    with livery.page.start(store, finished=finished, title="Lobby") as page:
      address = page.address()
      assert address != page.address()
      text = opener().open(address).read().decode()
      assert "Sound" in text and "Lobby" in text
      with pytest.raises(urllib.error.HTTPError):
        opener().open(address)
    assert told.wait(10)
  assert ends == [livery.page.Finished(livery.page.Reason.STOPPED, 0, 0, [])]
  page.stop()


def test_the_ends_of_sessions_are_told_also_when_the_page_is_dropped(tmp_path):
  ends, told, goes_on = [], threading.Event(), threading.Event()

  def finished(end):
    ends.append(end.reason)
    told.set()
    goes_on.wait(10)

  with livery.open(tmp_path / "store", create=True) as store:
    page = livery.page.start(store, finished=finished)
    for _ in range(3):
      opener().open(page.address()).read()
    page.stop()
    assert told.wait(10)
    thread = page._dispatcher._thread
    del page
    gc.collect()
    # Where the function was, there is something else.
    others = [ctypes.CFUNCTYPE(None)(lambda: None) for _ in range(1000)]
    goes_on.set()
    thread.join(10)
  assert ends == 3 * [livery.page.Reason.STOPPED] and others


def test_what_is_refused(tmp_path):
  with livery.open(tmp_path / "store", create=True) as store:
    for options in ({"listen": "0.0.0.0:0"}, {"idle": 9}, {"layer": "defaults"}, {"listen": "nonsense"}, {"title": "a\0b"}):
      with pytest.raises(livery.InvalidArgumentError):
        livery.page.start(store, **options)
    with pytest.raises(livery.InvalidArgumentError):
      livery.page.hash_pin("12")
    assert livery.page.hash_pin("1234").startswith("$argon2id$")
