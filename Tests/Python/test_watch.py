"""Every change arrives, in order, in every way to watch; and what is stopped, closed or abandoned stays quiet."""

import asyncio
import gc
import os
import queue
import resource
import select
import signal
import shutil
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from datetime import timedelta

import livery
import pytest
from livery import EventKind, Layer

WAIT = 10


def names(events):
  return [event.name for event in events]


def change_elsewhere(path, code):
  program = f"import livery\nwith livery.open({str(path)!r}) as store:\n  {code}"
  subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


# -- Iterators


def test_an_iterator_yields_each_change(path, store):
  store.set("media", 1)
  with store.watch("media*") as events:
    store.set("other", 1)
    with store.change("user", origin="test") as change:
      change["media"] = 2
      change["mediaA"] = "a"
    store.reset("media")
    first, second, third = [next(events) for _ in range(3)]
  assert (first.name, first.old, first.new, first.layer, first.origin) == ("media", 1, 2, Layer.USER, "test")
  assert (second.name, second.old, second.new, second.kind) == ("mediaA", None, "a", EventKind.CHANGED)
  assert (third.old, third.new, third.revision) == (2, None, store.revision)
  assert first.revision == second.revision < third.revision and first.writable
  assert first.time.tzinfo is not None
  assert list(events) == [] and events.stopped


def test_events_say_whether_the_setting_is_secret(store):
  pin = {"Type": "TextField", "Title": "PIN", "Key": "pin", "Value": "1234", "Class": ["Password"]}
  name = {"Type": "TextField", "Title": "Name", "Key": "name", "Value": ""}
  store.apply_schema({"Version": 1, "Groups": [{"Title": "All", "Settings": [pin, name]}]})
  with store.watch(initial=True) as events:
    store.set("pin", "4321")
    assert [(event.name, event.secret) for event in (next(events) for _ in range(3))] == [
      ("name", False),
      ("pin", True),
      ("pin", True),
    ]


def test_an_iterator_tells_what_another_process_does(path, store):
  with store.watch() as events:
    change_elsewhere(path, "store.set('greeting', 'hello')")
    event = next(events)
  assert (event.name, event.new) == ("greeting", "hello")


def test_initial_values_come_first_and_time_runs_out(store):
  store.set("b", 2)
  store.set("a", 1)
  with store.watch(initial=True) as events:
    assert [(e.kind, e.name, e.new) for e in events.events(timeout=0)] == [
      (EventKind.INITIAL, "a", 1), (EventKind.INITIAL, "b", 2),
    ]  # fmt: skip
    start = time.monotonic()
    assert list(events.events(timeout=0.1)) == []
    assert 0.09 <= time.monotonic() - start < 5


def test_changes_that_fall_together_are_told_as_one(store):
  store.set("a", 0)
  with store.watch("a", min_interval=0.3) as events:
    for number in range(1, 20):
      store.set("a", number)
    told = list(events.events(timeout=1))
  assert len(told) < 19 and told[0].old == 0 and told[-1].new == 19


def test_expiry_is_told(path):
  with livery.open(path, create=True, allow_override=True) as store, store.watch() as events:
    with store.change("session") as change:
      change.expires(timedelta(seconds=0.3))
      change["a"] = 1
    told = [(event.kind, event.new) for event in (next(events), next(events))]
  assert told == [(EventKind.CHANGED, 1), (EventKind.EXPIRED, None)]


def test_a_reader_is_told_of_expiry_and_commits_nothing(path):
  with livery.open(path, create=True) as store:
    with store.change("session") as change:
      change.expires(timedelta(seconds=0.5))
      change["a"] = 1
  with livery.open(path, read_only=True) as reader, reader.watch() as events:
    event = next(events)
    assert (event.kind, event.name, event.old, event.new) == (EventKind.EXPIRED, "a", 1, None)
    assert list(events.events(timeout=1.2)) == []
    assert reader.revision == 1 and len(reader.history()) == 1


def test_a_trimmed_log_is_told_as_resync(path):
  with livery.open(path, create=True, log_entries=5) as store, store.watch() as events:
    for number in range(50):
      store.set("a", number)
    told = list(events.events(timeout=0))
  assert told[0].kind == EventKind.RESYNC and told[0].name is None
  assert told[-1].new == 49


def test_stop_and_close_end_an_iterator_that_waits(store):
  for end in ("stop", "close"):
    events = store.watch()
    seen = queue.Queue()
    thread = threading.Thread(target=lambda: seen.put(list(events)))
    thread.start()
    time.sleep(0.1)
    events.stop() if end == "stop" else store.close()
    assert seen.get(timeout=WAIT) == []
    thread.join(WAIT)


def test_an_iterator_can_be_interrupted(store):
  events = store.watch()
  # What runs in the background of a shell was told to ignore it.
  before = signal.signal(signal.SIGINT, signal.default_int_handler)
  try:
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
      next(events)
  finally:
    signal.signal(signal.SIGINT, before)
  events.stop()


def test_watches_leave_no_descriptors_behind(store):
  def open_descriptors():
    gc.collect()
    return len(os.listdir("/proc/self/fd"))

  def use():
    for _ in range(20):
      with store.watch(initial=True) as events:
        list(events.events(timeout=0))
      store.watch()
      store.watch_async().stop()
      store.watch("a", print).stop()

  use()
  before = open_descriptors()
  use()
  assert open_descriptors() <= before


# -- Callbacks


def test_a_watch_that_is_paused_is_told_later_what_it_missed(store):
  seen = queue.Queue()
  watch = store.watch("a", seen.put)
  watch.pause()
  store.set("a", 1)
  store.set("a", 2)
  with pytest.raises(queue.Empty):
    seen.get(timeout=0.1)
  watch.pause(False)
  assert [seen.get(timeout=WAIT).new, seen.get(timeout=WAIT).new] == [1, 2]
  watch.stop()
  with pytest.raises(livery.ClosedError):
    watch.pause()


def test_a_callback_is_called_until_it_is_stopped(path, store):
  seen = queue.Queue()
  watch = store.watch("a", seen.put)
  store.set("a", 1)
  assert seen.get(timeout=WAIT).new == 1
  change_elsewhere(path, "store.set('a', 2)")
  assert seen.get(timeout=WAIT).new == 2
  watch.stop()
  watch.stop()
  assert watch.stopped
  store.set("a", 3)
  time.sleep(0.1)
  assert seen.empty()


def test_a_callback_stays_when_its_watch_is_forgotten_and_goes_with_the_store(store):
  class Callback:
    def __init__(self):
      self.seen = queue.Queue()

    def __call__(self, event):
      self.seen.put(event.new)

  callback = Callback()
  seen, gone = callback.seen, weakref.ref(callback)
  store.watch("a", callback)
  del callback
  gc.collect()
  store.set("a", 1)
  assert seen.get(timeout=WAIT) == 1 and gone() is not None
  store.close()
  gc.collect()
  assert gone() is None


def test_an_exception_goes_to_the_unraisable_hook_and_the_next_call_comes(store, monkeypatch):
  caught, seen = queue.Queue(), queue.Queue()
  monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: caught.put(unraisable.exc_type))

  def broken(event):
    seen.put(event.new)
    raise ZeroDivisionError

  store.watch("*", broken)
  with store.change() as change:
    change["a"], change["b"] = 1, 2
  store.set("a", 3)
  assert [seen.get(timeout=WAIT) for _ in range(3)] == [1, 2, 3]
  assert {caught.get(timeout=WAIT) for _ in range(3)} == {ZeroDivisionError}


def test_a_damaged_store_is_asked_again_also_by_a_process_with_many_descriptors(store, monkeypatch):
  limits = resource.getrlimit(resource.RLIMIT_NOFILE)
  resource.setrlimit(resource.RLIMIT_NOFILE, (max(limits[0], min(2048, limits[1])), limits[1]))
  many = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
  caught, seen, dispatch = queue.Queue(), queue.Queue(), livery._native.dispatch

  def damaged_once(handle):
    monkeypatch.setattr(livery._native, "dispatch", dispatch)
    raise livery.CorruptError("damaged")

  try:
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: caught.put(unraisable.exc_type))
    monkeypatch.setattr(livery._native, "dispatch", damaged_once)
    store.watch("volume", lambda event: seen.put(event.new))
    store.set("volume", 1)
    assert caught.get(timeout=WAIT) is livery.CorruptError and seen.get(timeout=WAIT) == 1
    assert caught.empty()
  finally:
    for descriptor in many:
      os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_callback_may_do_anything(store):
  done = queue.Queue()

  def callback(event):
    if event.new < 5:
      store.set("a", event.new + 1)
      return
    watch.stop()
    store.watch("b", lambda event: (store.close(), done.put(event.new)))
    store.set("b", "end")

  watch = store.watch("a", callback)
  store.set("a", 1)
  assert done.get(timeout=WAIT) == "end"
  assert store.closed


def test_a_program_dispatches_by_itself(store):
  seen = []
  watch = store.watch("a", lambda event: seen.append((event.new, threading.current_thread())), dispatch=True)
  assert store.dispatch() == 0
  store.set("a", 1)
  assert select.select([store.event_fd], [], [], WAIT)[0]
  assert store.dispatch() == 1
  assert seen == [(1, threading.main_thread())]
  watch.stop()


def test_a_function_is_posted_to_the_thread_of_callbacks(store):
  seen = queue.Queue()
  for number in range(3):
    store.post(lambda number=number: seen.put((number, threading.current_thread())))
  found = [seen.get(timeout=10) for _ in range(3)]
  assert [number for number, _ in found] == [0, 1, 2]
  assert found[0][1] is not threading.current_thread()
  with pytest.raises(TypeError):
    store.post(None)


def test_a_function_is_posted_to_who_dispatches(store):
  seen = []
  store.post(lambda: seen.append(threading.current_thread()), dispatch=True)
  assert not seen and store.dispatch() == 1 and store.dispatch() == 0
  assert seen == [threading.current_thread()]
  store.post(lambda: seen.append(None), dispatch=True)
  store.close()
  assert len(seen) == 1


def test_dispatch_passes_on_what_ends_the_program(store):
  def callback(event):
    raise KeyboardInterrupt

  store.watch("a", callback, dispatch=True)
  store.set("a", 1)
  with pytest.raises(KeyboardInterrupt):
    store.dispatch()
  assert store.dispatch() == 0
  store.post(lambda: callback(None), dispatch=True)
  with pytest.raises(KeyboardInterrupt):
    store.dispatch()
  assert store.dispatch() == 0


@pytest.mark.parametrize("dispatch", [True, False], ids=["by the program", "by the package"])
def test_what_ends_the_program_takes_no_event_from_others(store, monkeypatch, dispatch):
  hooked, seen = [], []
  monkeypatch.setattr("sys.unraisablehook", lambda what: hooked.append(what.exc_value))

  def callback(event):
    seen.append(event.name)
    if event.name != "c":
      raise SystemExit(event.name)

  store.watch("*", callback, dispatch=dispatch)
  with store.change() as change:
    change["a"] = change["b"] = change["c"] = 1
  if dispatch:
    with pytest.raises(SystemExit, match="b"):
      store.dispatch()
  else:
    until = time.monotonic() + WAIT
    while len(hooked) < 2 and time.monotonic() < until:
      time.sleep(0.005)
  assert seen == ["a", "b", "c"] and [str(error) for error in hooked] == (["a"] if dispatch else ["a", "b"])


def test_a_dispatch_inside_another_keeps_what_ends_the_program(path, store):
  other = livery.open(path)
  store.watch("a", lambda event: sys.exit(3), dispatch=True)
  store.watch("a", lambda event: other.dispatch(), dispatch=True)
  store.set("a", 1)
  with pytest.raises(SystemExit):
    store.dispatch()
  other.close()


def test_under_collection_nothing_is_lost(store):
  seen = queue.Queue()
  store.watch("a", lambda event: (gc.collect(), seen.put(event.new)))
  threshold = gc.get_threshold()
  gc.set_threshold(1)
  try:
    for number in range(100):
      store.set("a", number)
    assert [seen.get(timeout=WAIT) for _ in range(100)] == list(range(100))
  finally:
    gc.set_threshold(*threshold)


@pytest.mark.parametrize(
  "watch",
  [
    "store.watch('**', print)",
    "store.watch('**', lambda event: time.sleep(0.02))",
    "store.watch('**', lambda event, store=store: store.revision)",
    "events = store.watch()",
    "events = store.watch_async()",
    "store.watch('**', print, dispatch=True)",
    "threading.Thread(target=lambda: list(store.watch()), daemon=True).start()",
  ],
)
@pytest.mark.parametrize("end", ["", "sys.exit(0)", "store.close()", "del store; gc.collect()"])
def test_a_program_ends_well_while_it_watches(path, watch, end):
  code = f"""
import gc, sys, threading, time, livery
store = livery.open({str(path)!r}, create=True)
{watch}
for number in range(20):
  store.set("a", number)
{end}
"""
  result = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
  assert result.returncode == 0, result.stdout
  assert b"Error" not in result.stdout and b"Traceback" not in result.stdout


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("begin", [
  lambda store: next(store.watch("a")), lambda store: store.watch_async("a"), lambda store: store.watch("a", print),
  lambda store: store.post(print)], ids=["watch", "watch_async", "callback", "post"])
def test_a_forked_child_begins_no_watch(store, begin):
  child = os.fork()
  if child == 0:
    try:
      begin(store)
      os._exit(1)
    except livery.ForkedError:
      os._exit(0)
    except BaseException:
      os._exit(2)
  assert os.waitpid(child, 0)[1] == 0


def test_a_forked_child_is_told_and_the_parent_goes_on(store):
  seen = queue.Queue()
  store.watch("a", seen.put)
  events = store.watch("a")
  child = os.fork()
  if child == 0:
    status = 1
    try:
      next(events)
    except livery.ForkedError:
      events.stop()
      status = 0
    finally:
      os._exit(status)
  assert os.waitpid(child, 0)[1] == 0
  store.set("a", 1)
  assert seen.get(timeout=WAIT).new == 1 and next(events).new == 1
  events.stop()


# -- asyncio


def test_asyncio_yields_each_change(path, store):
  async def main():
    seen = []
    async with store.watch_async("a", initial=True) as events:
      store.set("a", 1)
      async for event in events:
        seen.append((event.kind, event.new))
        if event.new == 3:
          break
        await asyncio.sleep(0)
        store.set("a", event.new + 1)
    return seen

  assert asyncio.run(asyncio.wait_for(main(), WAIT)) == [(EventKind.CHANGED, number) for number in (1, 2, 3)]


def test_asyncio_watches_side_by_side_and_survives_cancellation(path, store):
  async def main():
    one, two = store.watch_async("a"), store.watch_async("*")
    with pytest.raises(asyncio.TimeoutError):
      await asyncio.wait_for(one.__anext__(), 0.05)
    tasks = [asyncio.ensure_future(watch.__anext__()) for watch in (one, two)]
    await asyncio.sleep(0.05)
    with pytest.raises(RuntimeError):
      await one.__anext__()
    await asyncio.get_running_loop().run_in_executor(None, change_elsewhere, path, "store.set('a', 'x')")
    told = await asyncio.gather(*tasks)
    one.stop()
    two.stop()
    return [event.new for event in told]

  assert asyncio.run(asyncio.wait_for(main(), WAIT)) == ["x", "x"]


@pytest.mark.parametrize("end", ["stop", "close", "stop elsewhere"])
def test_asyncio_ends_when_stopped_or_closed(store, end):
  async def main():
    events = store.watch_async()
    loop = asyncio.get_running_loop()
    if end == "stop":
      loop.call_later(0.05, events.stop)
    elif end == "close":
      loop.call_later(0.05, store.close)
    else:
      loop.run_in_executor(None, lambda: (time.sleep(0.05), events.stop()))
    return [event async for event in events]

  assert asyncio.run(asyncio.wait_for(main(), WAIT)) == []


# -- Mistakes


def test_mistakes_are_told(store):
  with pytest.raises(livery.InvalidArgumentError):
    store.watch("")
  with pytest.raises(livery.InvalidArgumentError):
    store.watch("a", min_interval=-1)
  with pytest.raises(TypeError):
    store.watch("a", "callback")
  with pytest.raises(TypeError):
    store.watch("a", dispatch=True)
  store.close()
  with_callback = lambda: store.watch("a", print)
  for begin in (store.watch, store.watch_async, with_callback, lambda: store.event_fd, store.dispatch):
    with pytest.raises(livery.ClosedError):
      begin()


def test_a_store_that_was_moved_is_not_mistaken_for_another(path, store):
  os.rename(path, path.parent / "moved")
  with pytest.raises(livery.GoneError):
    store.watch()
  livery.open(path, create=True).close()
  with pytest.raises(livery.GoneError, match="moved"):
    store.watch()


def test_what_falls_together_comes_in_the_order_of_revisions(store):
  store.set("a", 1)
  events = []
  with store.watch("*", events.append, min_interval=0.3):
    for number in (2, 3):
      with store.change(trial=timedelta(minutes=1)) as change:
        change["a"] = number
      store.confirm_trial(change.revision)
    store.set("b", 1)
    store.set("a", 4)
    end = time.monotonic() + WAIT
    while not any(event.name == "a" and event.new == 4 for event in events) and time.monotonic() < end:
      time.sleep(0.01)
    told = [(event.kind, event.name, event.revision) for event in events]
    assert [revision for _, _, revision in told] == sorted(revision for _, _, revision in told), told
    assert (EventKind.CONFIRMED, None) in [(kind, name) for kind, name, _ in told]


@pytest.mark.parametrize("gone", ["deleted", "renamed", "emptied", "exchanged"])
def test_a_store_that_is_gone_cannot_be_watched(tmp_path, gone):
  path = tmp_path / "store"
  with livery.open(path, create=True) as store:
    store.set("a", 1)
    path.rename(tmp_path / "elsewhere")
    if gone == "deleted":
      shutil.rmtree(tmp_path / "elsewhere")
    elif gone == "emptied":
      path.mkdir()
    elif gone == "exchanged":
      livery.open(path, create=True).close()
    for begin in (lambda: store.watch(), lambda: store.watch(callback=print), lambda: livery.session.state(store)):
      with pytest.raises(livery.GoneError, match="moved, deleted or exchanged"):
        begin()


def test_a_forked_child_does_not_wait_for_a_thread_of_its_parent(tmp_path):
  code = """
    import os, signal, sys, threading, time, livery
    store = livery.open(sys.argv[1], create=True)
    events = store.watch()
    threading.Thread(target=lambda: next(events), daemon=True).start()
    time.sleep(0.3)
    child = os.fork()
    if child == 0:
      signal.alarm(10)
      found = []
      for ask in (lambda: next(events), lambda: next(events.events(timeout=1))):
        try:
          ask()
        except livery.ForkedError:
          found.append("forked")
      print(*found, flush=True)
      os._exit(0)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
  """
  result = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(code), str(tmp_path / "store")],
                          stdout=subprocess.PIPE, text=True, timeout=60)
  assert (result.returncode, result.stdout) == (0, "forked forked\n")
