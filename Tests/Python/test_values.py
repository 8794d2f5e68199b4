"""What is set comes back the same, of the same type; what cannot be set is refused by name."""

import math
import random
from datetime import date, datetime, timedelta, timezone
from types import MappingProxyType

import livery
import pytest
from test_typed_reads import comparable

EVERY_TYPE = [
  True,
  False,
  0,
  -1,
  2**63 - 1,
  -(2**63),
  0.0,
  0.1,
  -1e300,
  5e-324,
  "",
  "Grüße 👋",
  "a\0b",
  b"",
  bytes(range(256)),
  livery.URL(""),
  livery.URL("https://media.example/a?b#c"),
  livery.Image("logo"),
  livery.Color(1.0, 0.5, 0.25, 0.0),
  datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=timezone.utc),
  datetime.min.replace(tzinfo=timezone.utc),
  datetime.max.replace(tzinfo=timezone.utc),
  [],
  {},
  [1, 1.0, True, "x", b"y", livery.URL("a:b"), [], {"k": [0]}],
  {"": 0, "a.b": {"ä": [livery.Image("i")]}},
]


@pytest.mark.parametrize("value", EVERY_TYPE, ids=repr)
def test_values_come_back_the_same(store, value):
  store.set("setting", value)
  assert comparable(store["setting"]) == comparable(value)
  assert comparable(store.key("setting").get_value()) == comparable(value)
  store.set("inside", [value, {"member": value}])
  assert comparable(store["inside"]) == comparable([value, {"member": value}])


def random_value(rng, depth=0):
  kind = rng.randrange(11 if depth < 4 else 8)
  if kind == 0:
    return rng.random() < 0.5
  if kind == 1:
    return rng.randint(-(2**63), 2**63 - 1)
  if kind == 2:
    return rng.uniform(-1, 1) * 10 ** rng.randint(-300, 300)
  if kind == 3:
    return "".join(
      chr(rng.choice([rng.randrange(1, 0x7F), rng.randrange(0xA0, 0xD7FF)])) for _ in range(rng.randrange(9))
    )
  if kind == 4:
    return rng.randbytes(rng.randrange(20)) if hasattr(rng, "randbytes") else bytes(rng.randrange(20))
  if kind == 5:
    return livery.URL(f"https://h{rng.randrange(99)}.example/")
  if kind == 6:
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=rng.randint(-(10**16), 10**17))
  if kind == 7:
    return livery.Color(*(rng.randrange(256) / 255 for _ in range(4)))
  if kind in (8, 9):
    return [random_value(rng, depth + 1) for _ in range(rng.randrange(5))]
  return {f"k{index}": random_value(rng, depth + 1) for index in range(rng.randrange(5))}


def test_random_values_come_back_the_same(store):
  rng = random.Random(7)
  values = {f"random.{index}": random_value(rng) for index in range(200)}
  with store.change() as change:
    for name, value in values.items():
      change[name] = value
  for name, value in store.items():
    assert comparable(value) == comparable(values[name])


def test_what_python_has_more_of_converts(store):
  with store.change() as change:
    change["tuple"] = (1, (2,))
    change["bytearray"] = bytearray(b"x")
    change["memoryview"] = memoryview(b"abcd")[::2]
    change["mapping"] = MappingProxyType({"a": 1})
    change["layer"] = livery.Layer.USER
    change["zone"] = datetime(2026, 3, 1, 13, tzinfo=timezone(timedelta(hours=1)))
  assert store["tuple"] == [1, [2]] and store["bytearray"] == b"x" and store["memoryview"] == b"ac"
  assert store["mapping"] == {"a": 1} and store["layer"] == 3
  assert store["zone"] == datetime(2026, 3, 1, 12, tzinfo=timezone.utc) and store["zone"].tzinfo is timezone.utc


def nested(depth):
  value = 1
  for _ in range(depth):
    value = [value]
  return value


CYCLE = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
  ("value", "error", "says"),
  [
    (None, livery.TypeMismatchError, "None"),
    (object(), livery.TypeMismatchError, "object"),
    ({1, 2}, livery.TypeMismatchError, "set"),
    (1j, livery.TypeMismatchError, "complex"),
    (date(2026, 3, 1), livery.TypeMismatchError, "date"),
    ({1: 2}, livery.TypeMismatchError, "key"),
    (2**63, livery.InvalidValueError, "64 bits"),
    (-(2**63) - 1, livery.InvalidValueError, "64 bits"),
    (10**5000, livery.InvalidValueError, "64 bits"),
    (math.nan, livery.InvalidValueError, ""),
    (math.inf, livery.InvalidValueError, ""),
    ("\ud800", livery.InvalidValueError, "surrogate"),
    ({"\ud800": 1}, livery.InvalidValueError, "surrogate"),
    ({"a\0b": 1}, livery.InvalidValueError, "NUL"),
    (datetime(2026, 3, 1), livery.InvalidValueError, "time zone"),
    (datetime.min.replace(tzinfo=timezone(timedelta(hours=1))), livery.InvalidValueError, ""),
    (livery.URL("no url"), livery.InvalidValueError, ""),
    (livery.Image(""), livery.InvalidValueError, ""),
    (livery.Color(2, 0, 0), livery.InvalidValueError, ""),
    (livery.Color(math.nan, 0, 0), livery.InvalidValueError, ""),
    (livery.Color("red", 0, 0), livery.InvalidValueError, "numbers"),
    (livery.Color(10**400, 0, 0), livery.InvalidValueError, "numbers"),
    (nested(33), livery.InvalidValueError, "deep"),
    (CYCLE, livery.InvalidValueError, "deep"),
    ("x" * (1 << 21), livery.InvalidValueError, ""),
    (b"x" * (1 << 21), livery.InvalidValueError, ""),
    ([0] * (1 << 21), livery.InvalidValueError, "large"),
  ],
  ids=lambda part: repr(part)[:30] if not isinstance(part, int) else "int",
)
def test_what_cannot_be_set_is_refused_by_name(store, value, error, says):
  for attempt in (lambda: store.set("my.setting", value), lambda: store.change().set("my.setting", value)):
    with pytest.raises(error) as caught:
      attempt()
    assert "my.setting" in str(caught.value) and says in str(caught.value)
    assert caught.value.setting == "my.setting"
    assert len(str(caught.value)) < 400
  assert "my.setting" not in store


def test_an_error_says_where_in_the_value(store):
  with pytest.raises(livery.TypeMismatchError, match=r"playlist\[1\]\.duration: None"):
    store.set("playlist", [{"duration": 1}, {"duration": None}])


def test_the_deepest_value_is_accepted(store):
  store.set("deep", nested(32))
  assert store["deep"] == nested(32)


def test_a_value_that_explodes_is_refused_in_time(store):
  value = "x" * 100
  for _ in range(30):
    value = [value] * 10
  with pytest.raises(livery.InvalidValueError):
    store.set("bomb", value)


def test_colors():
  assert livery.Color.from_hex("#abc").hex == "#AABBCCFF"
  assert livery.Color.from_hex("#33669980") == pytest.approx(livery.Color(0.2, 0.4, 0.6, 128 / 255))
  assert livery.Color(0, 0, 0) == (0, 0, 0, 1)
  assert livery.Color(9, -9, 0.5).hex == "#FF0080FF"
  # As the library rounds, which counts in 32 bits.
  half = livery.Color(0.5 / 255, 0.5 / 255, 0.5 / 255)
  assert half.hex == half.format("hexalpha")
  for bad in ("", "#", "abc", "#abcd", "#ggg", "#abc\n", " #abc", "#１２３"):
    with pytest.raises(livery.InvalidValueError):
      livery.Color.from_hex(bad)


def test_a_color_from_text_equals_the_stored_one(store):
  for text in ("#336699", "#01fefd80", "#abc"):
    store.set("color", livery.Color.from_hex(text))
    assert store["color"] == livery.Color.from_hex(text)
    store.set("text", text)
    assert store.get_color("text") == livery.Color.from_hex(text)


def test_urls_and_images_are_text():
  assert (
    livery.URL("a:b") == "a:b" and repr(livery.URL("a:b")) == "URL('a:b')" and repr(livery.Image("i")) == "Image('i')"
  )
