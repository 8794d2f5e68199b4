"""livery_set_sealer through the package's ctypes declarations: a cipher in Python that is made for the tests."""

import ctypes
import hashlib
import hmac
import itertools

import pytest

import livery
from conftest import contains
from livery._native import interface
from livery._native.calls import lib

OK, UNAVAILABLE, CORRUPT = 0, livery.UnavailableError.status, livery.CorruptError.status


class Toy:
  """Key, number, sum and the bytes under a stream of hashes: it hides nothing from who knows how."""

  def __init__(self, key):
    self.key = key
    self.numbers = itertools.count()
    self.calls, self.raises, self.destroyed = [], None, 0
    self.seal_function = interface.SealFunction(self.called(self.seal))
    self.open_function = interface.SealFunction(self.called(self.open))
    self.destroy_function = interface.DestroyFunction(self.destroy)

  def destroy(self, _):
    self.destroyed += 1

  def called(self, work):
    def call(place, given, length, buffer, capacity, written, user_data):
      try:
        if self.raises:
          raise self.raises
        place = place.contents
        context = ctypes.string_at(place.context, place.context_length)
        self.calls.append((work.__name__, place.name, place.layer, context, length, capacity, user_data))
        made = work(ctypes.string_at(given, length), context)
        if len(made) > capacity:
          return livery.InvalidArgumentError.status
        ctypes.memmove(buffer, made, len(made))
        written[0] = len(made)
        return OK
      except livery.LiveryError as error:
        return error.status
      except Exception:
        return UNAVAILABLE
    return call

  def stream(self, number, given):
    return bytes(one ^ hashlib.sha256(self.key + number + bytes([place % 256])).digest()[0] for place, one in enumerate(given))

  def seal(self, given, context):
    number = next(self.numbers).to_bytes(8, "little")
    body = number + self.stream(number, given)
    return hmac.digest(self.key, body + context, "sha256")[:16] + body

  def open(self, given, context):
    if len(given) < 24 or not hmac.compare_digest(hmac.digest(self.key, given[16:] + context, "sha256")[:16], given[:16]):
      raise livery.CorruptError("another place, or damaged")
    return self.stream(given[16:24], given[24:])

  def set(self, store, user_data=77):
    functions = interface.Sealer(ctypes.sizeof(interface.Sealer), self.seal_function, self.open_function)
    return lib.set_sealer(store._handle.number, ctypes.byref(functions), user_data, self.destroy_function)


@pytest.fixture
def toy():
  return Toy(b"key")


def test_it_is_called_with_the_place_and_what_it_makes_is_stored(path, store, toy):
  store.set("password", "swordfish\0and-more")
  assert toy.set(store) == OK
  assert store["password"] == "swordfish\0and-more"
  store.set("password", "hunter22\0and-more")
  assert store["password"] == "hunter22\0and-more"
  assert contains(path, "swordfish") == [] and contains(path, "hunter22") == []
  assert {each[0] for each in toy.calls} == {"seal", "open"}
  of_password = [each for each in toy.calls if each[1] == b"password"]
  for work, _, layer, context, length, capacity, user_data in of_password:
    assert (layer, user_data) == (livery.Layer.USER, 77)
    assert context.startswith(b"livery sealed") and context.endswith(b"password")
    assert capacity == (length + 128 if work == "seal" else length)
  assert len({each[3] for each in of_password}) == 1
  assert store.sealing() == {"active": True, "sealer": True, "sealed": 1, "plain": 0, "unavailable": []}
  assert store.reseal()["sealed"] == 1
  assert store["password"] == "hunter22\0and-more"
  store.close()
  assert toy.destroyed == 1


@pytest.mark.parametrize("raised", [ValueError("a fault"), KeyError("key"), livery.UnavailableError("no key"), MemoryError()])
def test_an_exception_is_a_status_and_nothing_changes(store, toy, raised):
  assert toy.set(store) == OK
  store.set("password", "one")
  revision = store.revision
  toy.raises = raised
  with pytest.raises(livery.UnavailableError):
    store["password"]
  with pytest.raises(livery.UnavailableError):
    store.set("password", "two")
  store.set("note", "all else goes on")
  toy.raises = None
  assert store["password"] == "one" and store.revision == revision + 1


def test_what_was_sealed_with_another_key_or_was_damaged_is_corrupt(path, store, toy):
  assert toy.set(store) == OK
  store.set("password", "one")
  other = Toy(b"another")
  assert other.set(store) == OK
  assert toy.destroyed == 1
  with pytest.raises(livery.CorruptError):
    store["password"]
  assert Toy(b"key").set(store) == OK
  assert store["password"] == "one"


def test_a_sealer_that_raises_from_the_start_is_refused(store, toy):
  store.set("password", "one")
  toy.raises = ValueError("a fault")
  assert toy.set(store) == UNAVAILABLE
  assert toy.destroyed == 1
  assert store["password"] == "one"
