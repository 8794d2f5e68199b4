"""The log handler gets warnings, may do anything, and never harms the caller."""

import gc
import json
import sys
import weakref

import livery
import pytest
from conftest import OPEN


@pytest.fixture(autouse=True)
def silence():
  yield
  livery.set_log_handler(None)


def drift(store):
  """Something to warn of."""
  store.apply_schema(OPEN)
  store.apply_schema({**OPEN, "Title": "Another"})


def test_warnings_arrive(store):
  seen = []
  livery.set_log_handler(lambda level, message: seen.append((level, message)))
  drift(store)
  assert seen and all(level in list(livery.LogLevel) and message for level, message in seen)
  assert seen[0][0] == livery.LogLevel.WARNING and isinstance(seen[0][0], livery.LogLevel)


def test_silence_is_the_default(store, capfd):
  drift(store)
  captured = capfd.readouterr()
  assert captured.out == captured.err == ""


def test_exceptions_go_to_the_unraisable_hook(store, monkeypatch):
  caught = []
  monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: caught.append(unraisable.exc_type))

  def broken(level, message):
    raise ZeroDivisionError

  livery.set_log_handler(broken)
  drift(store)
  assert caught and set(caught) == {ZeroDivisionError}


def test_a_handler_may_use_the_store_and_replace_itself(store):
  seen = []

  def handler(level, message):
    seen.append(store.settings())
    livery.set_log_handler(None)

  livery.set_log_handler(handler)
  drift(store)
  assert seen == [json.loads(store.export_json())]


def test_a_replaced_handler_is_let_go():
  class Handler:
    def __call__(self, level, message):
      pass

  handler = Handler()
  gone = weakref.ref(handler)
  livery.set_log_handler(handler)
  del handler
  gc.collect()
  assert gone() is not None
  livery.set_log_handler(print)
  gc.collect()
  assert gone() is None


def test_a_handler_is_callable():
  with pytest.raises(TypeError):
    livery.set_log_handler("print")
