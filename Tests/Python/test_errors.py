"""One exception class per status, each also the builtin that fits."""

import copy
import inspect
import pickle
import re

import api
import livery
import pytest
from conftest import ROOT
from livery import errors

INTERFACE = api.read(ROOT / "include" / "livery")
DECLARED = INTERFACE.constants
STATUSES = {name: number for name, number in DECLARED.items() if name.startswith("LIVERY_ERROR_")}


def test_every_status_has_its_class():
  classes = [kind for kind in vars(livery).values() if isinstance(kind, type) and issubclass(kind, livery.LiveryError)]
  classes.remove(livery.LiveryError)
  assert {kind.status_name: kind.status for kind in classes} == STATUSES and len(classes) == len(STATUSES)
  for name, status in STATUSES.items():
    kind = errors.error_class(status)
    assert (kind.status, kind.status_name) == (status, name)
    assert getattr(livery, kind.__name__) is kind and kind.__name__ in livery.__all__
    assert kind.hint.endswith(".") and kind.__doc__
  assert errors.error_class(-999) is livery.LiveryError


@pytest.mark.parametrize(
  ("kind", "builtin"),
  [
    ("NotFoundError", KeyError),
    ("NoValueError", KeyError),
    ("TypeMismatchError", TypeError),
    ("InvalidValueError", ValueError),
    ("InvalidArgumentError", ValueError),
    ("ParseError", ValueError),
    ("SchemaInvalidError", ValueError),
    ("PermissionDeniedError", PermissionError),
    ("NoSpaceError", OSError),
    ("InputOutputError", OSError),
    ("BusyError", TimeoutError),
    ("ForkedError", RuntimeError),
  ],
)
def test_natural_builtins(kind, builtin):
  assert issubclass(getattr(livery, kind), builtin)


@pytest.mark.parametrize("kind", [errors.error_class(status) for status in STATUSES.values()] + [livery.LiveryError])
def test_errors_read_well_and_travel_between_processes(kind):
  error = kind("a: it broke", setting="a", line=3, column=4, errno=28)
  error.violations = [{"name": "a"}]
  assert str(error) == error.message == "a: it broke"
  for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
    assert type(other) is kind and str(other) == "a: it broke"
    assert (other.setting, other.line, other.column, other.errno) == ("a", 3, 4, 28)
    assert other.violations == [{"name": "a"}] and other.status == kind.status
  assert str(kind()) == kind.status_name


def test_opening_what_is_no_store(tmp_path):
  with pytest.raises(livery.NotFoundError) as caught:
    livery.open(tmp_path / "missing")
  assert "missing" in str(caught.value)
  (tmp_path / "file").write_text("x")
  for path in ("file", "."):
    with pytest.raises(livery.NotAStoreError):
      livery.open(tmp_path / path, create=True)
  with pytest.raises(livery.LiveryError):
    livery.open("/proc/nothing/here", create=True)


@pytest.mark.parametrize(
  "options",
  [
    {"busy_timeout": -1},
    {"busy_timeout": float("nan")},
    {"map_size": 0},
    {"map_size": -1},
    {"map_size": 1 << 64},
    {"map_size": 4096},
    {"max_readers": 1 << 32},
    {"max_readers": 1},
    {"backup_commits": 0},
    {"backup_commits": 1 << 32},
    {"backup_commits": 1.5},
    {"backups": livery.NEVER},
    {"backup_age": 0},
    {"backup_age": float("nan")},
  ],
  ids=str,
)
def test_options_out_of_range(path, options):
  with pytest.raises(livery.InvalidArgumentError):
    livery.open(path, create=True, **options)


def test_every_option_of_the_header_is_an_argument():
  flags = [name[len("LIVERY_OPEN_") :].lower() for name in DECLARED if name.startswith("LIVERY_OPEN_")]
  (options,) = (kind for kind in INTERFACE.structs if kind.name == "livery_open_options")
  members = [re.sub("_m?s$", "", member.name) for member in options.members if member.name not in ("struct_size", "flags")]
  assert sorted(inspect.signature(livery.open).parameters) == sorted(["path", *flags, *members])


def test_options_are_taken(path):
  with livery.open(
    path, create=True, deferred=True, busy_timeout=float("inf"), map_size=1 << 24, max_readers=16
  ) as store:
    store.set("a", 1)
  with livery.open(bytes(path), read_only=True, busy_timeout=0) as store:
    assert store["a"] == 1
    with pytest.raises(livery.ReadOnlyError):
      store.set("a", 2)
  with livery.open(str(path)) as store:
    assert store["a"] == 1
  for wrong in ("a\0b", b"a\0b", b"\xff"):
    with pytest.raises(livery.InvalidArgumentError):
      livery.open(wrong, create=True)
  with pytest.raises(TypeError):
    livery.open(None)


@pytest.mark.parametrize("name", ["", "a\nb", "a\0b", "\x7f", "\ud800", "n" * 256, "ä" * 128])
def test_malformed_names(store, name):
  attempts = [
    lambda: store[name],
    lambda: store.get(name, 1),
    lambda: store.get_int(name),
    lambda: store.get_string(name),
    lambda: store.set(name, 1),
    lambda: store.reset(name),
    lambda: store.inspect(name),
    lambda: store.key(name),
    lambda: store.change().set(name, 1),
    lambda: store.change().reset(name),
    lambda: store.change().expect(name, 0),
  ]
  for attempt in attempts:
    with pytest.raises(livery.InvalidArgumentError):
      attempt()
  with store.snapshot() as snapshot, pytest.raises(livery.InvalidArgumentError):
    snapshot[name]


@pytest.mark.parametrize("name", [None, 1, b"name", ["name"]])
def test_names_are_text(store, name):
  for attempt in (
    lambda: store[name],
    lambda: store.set(name, 1),
    lambda: store.key(name),
    lambda: store.get_url(name),
  ):
    with pytest.raises(TypeError, match="name"):
      attempt()


def test_malformed_patterns(store):
  for pattern in ("\ud800", "a\0b", "x" * 100_000):
    with pytest.raises(livery.InvalidArgumentError):
      store.list(pattern)
  with store.snapshot() as snapshot, pytest.raises(livery.InvalidArgumentError):
    list(snapshot.items("\ud800"))
  with pytest.raises(TypeError):
    store.list(1)


@pytest.mark.skipif(not hasattr(Exception, "add_note"), reason="since Python 3.11")
def test_notes_stay_with_what_is_copied_and_pickled():
  error = livery.NotFoundError("nothing", setting="a")
  error.add_note("look there")
  for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
    assert again.__notes__ == ["look there"] and again.setting == "a"


def test_names_are_called_what_they_are(store):
  for call, what in ((lambda: store.branding.color("a\0b"), "a color's name"), (lambda: store.branding.image("a\0b"), "an image's name"),
                     (lambda: store.claim("a\0", print), "a prefix"), (lambda: store.register_migration("a\0", print), "a migration's name"),
                     (lambda: store.set("a\0", 1), "a setting's name")):
    with pytest.raises(livery.InvalidArgumentError, match=what):
      call()


def test_what_is_of_the_wrong_type_is_told(store):
  for call, message in (
      (lambda: store.history(since=5), "a datetime is wanted, not int"), (lambda: store.undo("3"), "revision is a number, not str"),
      (lambda: livery.open(memory=True, busy_timeout="5"), "busy_timeout is seconds or a timedelta, not str"),
      (lambda: store.branding.image("logo", {}), "Traits are wanted, not dict"),
      (lambda: store.import_plist({"a": 1}), "a property list is text or bytes, not dict"),
      (lambda: store.branding.apply_plist({"a": 1}), "a property list is text or bytes, not dict")):
    with pytest.raises(TypeError, match=message):
      call()
  with pytest.raises(livery.InvalidArgumentError, match="in memory that is to be read-only"):
    livery.open(memory=True, read_only=True)
  with pytest.raises(livery.InvalidValueError, match="9223372036854775808 does not fit"):
    store.import_json({"a": 1 << 63})
  for prefix, message in ((".", "a namespace is a name and a dot"), ("", "a namespace is a name and a dot"), ("branding.", "is claimed already")):
    with pytest.raises(livery.LiveryError, match=message):
      store.claim(prefix, lambda name, value: value)
  with pytest.raises(livery.InvalidArgumentError, match="the name of a function of migrations is empty"):
    store.register_migration("", lambda call: None)


def test_items_are_asked_like_those_of_a_dict(store):
  store.set("a", 1)
  for item in (("", 1), (1, 1), ("b", 1), ("a", 2), "a", ("a", 1, 1), None):
    assert item not in store.items()
  assert ("a", 1) in store.items()
