"""Libcurl is loaded by the first request, and only by that; where there is none, that is said."""

import os
import subprocess
import sys

import pytest
from conftest import IMAGES, ROOT

PROGRAM = """
import sys
sys.path[:0] = {paths!r}
import livery, livery.fetch
from livery.testing import Answer, ScriptedTransport

def is_loaded():
  return any("libcurl" in line for line in open("/proc/self/maps"))

with livery.open({store!r}, create=True) as store:
  png = open({png!r}, "rb").read()
"""


def run(tmp_path, program, libraries=None):
  whole = PROGRAM.format(paths=[str(ROOT / "bindings" / "python")], store=str(tmp_path / "store"), png=str(IMAGES / "rgba.png"))
  whole += "".join(f"  {line}\n" for line in program.strip().splitlines())
  environment = dict(os.environ, **({"LD_LIBRARY_PATH": str(libraries)} if libraries else {}))
  done = subprocess.run([sys.executable, "-c", whole], env=environment, capture_output=True, text=True, timeout=60)
  assert done.returncode == 0, done.stderr
  return done.stdout


@pytest.fixture(params=["none", "too old", "no library"])
def without(request, tmp_path):
  """A folder that is searched before the system's."""
  folder = tmp_path / "libraries"
  folder.mkdir()
  library, source = folder / "libcurl.so.4", folder / "old.c"
  if request.param == "too old":
    source.write_text("int curl_global_init(long flags) { return (int)flags; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
  else:
    library.write_bytes(b"" if request.param == "none" else b"no library" * 100)
  return folder


def test_reading_what_is_stored_and_a_transport_of_ones_own_load_nothing(tmp_path):
  assert run(tmp_path, """
livery.fetch.set_transport(store, ScriptedTransport({"http://h/a": Answer(body=png)}))
assert livery.fetch.get(store, "http://h/a").data == png
livery.fetch.set_transport(store, None)
assert livery.fetch.get(store, "http://h/a", offline=True).data == png
try:
  livery.fetch.get(store, "http://h/b", offline=True)
except livery.UnavailableError:
  print(is_loaded())
""") == "False\n"


def test_the_first_request_loads_it(tmp_path, server):
  url = server.serve("/a", (200, (IMAGES / "rgba.png").read_bytes()))
  assert run(tmp_path, f"""
before = is_loaded()
assert livery.fetch.get(store, {url!r}).data == png
print(before, is_loaded())
""") == "False True\n"


def test_many_threads_that_come_first_load_it_once(tmp_path, server):
  urls = [server.serve(f"/{number}", (200, (IMAGES / "rgba.png").read_bytes())) for number in range(8)]
  assert run(tmp_path, f"""
import threading
stores = [livery.open("", memory=True) for _ in range(8)]
got, start = [], threading.Barrier(8)
def fetch(store, url):
  start.wait()
  got.append(livery.fetch.get(store, url).data == png)
threads = [threading.Thread(target=fetch, args=pair) for pair in zip(stores, {urls!r})]
for thread in threads: thread.start()
for thread in threads: thread.join()
for other in stores: other.close()
print(got.count(True))
""") == "8\n"


def test_without_it_that_is_said_and_all_else_works(tmp_path, without):
  told = run(tmp_path, """
for attempt in range(2):
  try:
    livery.fetch.get(store, "http://127.0.0.1:1/a")
  except livery.UnavailableError as error:
    print(error)
livery.fetch.set_transport(store, ScriptedTransport({"http://h/a": Answer(body=png)}))
print(livery.fetch.get(store, "http://h/a").data == png)
livery.fetch.set_transport(store, None)
print(livery.fetch.get(store, "http://h/a", revalidate=True).state)
""", without)
  lines = told.splitlines()
  assert len(lines) == 4
  for line in lines[:2]:
    assert "install libcurl4" in line and "http://127.0.0.1:1/a" in line
    assert ("older" if (without / "old.c").exists() else "not installed") in line
  assert lines[2:] == ["True", "State.STALE"]
