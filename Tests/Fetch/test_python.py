"""The package's side: awaiting, progress, transports, several processes, and a server that is no test's own."""

import asyncio
import ctypes
import gc
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from email.utils import formatdate

import livery
import livery.fetch
import pytest
from conftest import BUILD, PNG, ROOT
from livery.testing import Answer, ScriptedTransport

URL = "https://example.com/logo.png"
FRESH = {"ETag": '"1"', "Cache-Control": "max-age=600"}


def test_awaiting_and_progress(store, server):
  body = os.urandom(1_000_000)
  url = server.serve("/it", (200, body))
  told = []

  async def run():
    return await asyncio.gather(
      livery.fetch.start(store, url, kind="document", progress=lambda *sizes: told.append(sizes)),
      livery.fetch.start(store, server.serve("/other", (200, PNG, FRESH))))

  document, image = asyncio.run(run())
  assert document.data == body and image.data == PNG
  assert told[-1] == (len(body), len(body))
  assert [received for received, _ in told] == sorted(received for received, _ in told)


def test_a_task_that_is_cancelled_cancels_the_fetch(store, server):
  begun = threading.Event()

  def never(handler):
    begun.set()
    time.sleep(3)

  url = server.serve("/it", never)

  async def run():
    task = asyncio.ensure_future(wait(livery.fetch.start(store, url)))
    await asyncio.get_running_loop().run_in_executor(None, begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
      await task

  async def wait(fetch):
    return await fetch

  asyncio.run(run())


def test_a_script_takes_the_place_of_the_network(store):
  transport = ScriptedTransport({URL: [Answer(503), Answer(body=PNG, headers=FRESH)]})
  livery.fetch.set_transport(store, transport)
  assert livery.fetch.get(store, URL).data == PNG
  assert transport.requests == [URL, URL]
  transport.offline = True
  stale = livery.fetch.get(store, URL, revalidate=True, attempts=1)
  assert (stale.state, stale.data) == (livery.fetch.State.STALE, PNG)
  assert "nobody answers" in stale.message
  with pytest.raises(livery.NetworkError):
    livery.fetch.get(store, URL + "x", attempts=1)
  transport.set(URL, lambda headers: Answer(304) if headers.get("If-None-Match") == '"1"' else Answer(500))
  transport.offline = False
  assert livery.fetch.get(store, URL, revalidate=True).source is livery.fetch.Source.REVALIDATED


LIE = Answer(body=b"<html>no image</html>", headers={"Content-Type": "image/png", **FRESH})


@pytest.mark.parametrize("kind", ["image", "any"])
@pytest.mark.parametrize("offline", [False, True])
def test_a_document_that_is_called_an_image_is_none(store, kind, offline):
  livery.fetch.set_transport(store, ScriptedTransport({URL: LIE}))
  document = livery.fetch.get(store, URL, kind="document")
  assert (document.type, document.data) == ("image/png", LIE.body)
  with pytest.raises(livery.UnavailableError if offline else livery.ParseError):
    livery.fetch.get(store, URL, kind=kind, offline=offline)
  assert livery.fetch.get(store, URL, kind="document", offline=True).data == LIE.body


def test_an_image_is_what_its_bytes_are_also_where_it_was_kept_as_a_document(store):
  transport = ScriptedTransport({URL: Answer(body=PNG, headers={"Content-Type": "image/gif", **FRESH})})
  livery.fetch.set_transport(store, transport)
  assert livery.fetch.get(store, URL, kind="document").type == "image/gif"
  for kind in ("image", "any"):
    image = livery.fetch.get(store, URL, kind=kind)
    assert (image.type, image.data, image.source) == ("image/png", PNG, livery.fetch.Source.STORE)
  assert livery.fetch.get(store, URL, kind="document").type == "image/gif"
  transport.set(URL, Answer(304))
  for source in (livery.fetch.Source.REVALIDATED, livery.fetch.Source.STORE):
    image = livery.fetch.get(store, URL, revalidate=source is livery.fetch.Source.REVALIDATED)
    assert (image.type, image.source) == ("image/png", source)
  assert transport.requests == [URL, URL]


def test_a_transport_that_raises_fails_the_fetch(store):
  class Broken(livery.fetch.Transport):
    def begin(self, url, headers, exchange):
      raise RuntimeError("no radio")

  livery.fetch.set_transport(store, Broken())
  with pytest.raises(livery.NetworkError, match="no radio"):
    livery.fetch.get(store, URL, attempts=1)
  livery.fetch.set_transport(store, None)


class WithStatus(Exception):
  """As those of HTTP libraries."""

  status = 404


@pytest.mark.parametrize(
  "raised", [RuntimeError("no \udcff"), SystemExit(0), asyncio.CancelledError(), WithStatus("no radio"), RuntimeError("ü" * 1000)], ids=type)
def test_a_transport_may_raise_anything_or_end_with_it(store, monkeypatch, raised):
  monkeypatch.setattr("sys.unraisablehook", lambda _: None)

  class Broken(livery.fetch.Transport):
    def begin(self, url, headers, exchange):
      if url.endswith("raised"):
        raise raised
      exchange.finish(raised)

  livery.fetch.set_transport(store, Broken())
  for url in (URL + "?raised", URL):
    with pytest.raises(livery.NetworkError) as caught:
      livery.fetch.start(store, url, attempts=1).result(10)
    assert "\ufffd" not in str(caught.value)


def test_a_fetch_outlives_a_store_that_nobody_holds(tmp_path):
  under_way, goes_on = threading.Event(), threading.Event()

  class Slow(livery.fetch.Transport):
    def begin(self, url, headers, exchange):
      exchange.answer(200, {"Content-Type": "image/png", "Content-Length": str(len(PNG))})
      exchange.receive(PNG[:10])

    def cancel(self, exchange):
      exchange.finish(livery.CancelledError())

  def progress(received, total):
    under_way.set()
    goes_on.wait(10)

  store = livery.open(tmp_path / "store", create=True)
  livery.fetch.set_transport(store, Slow())
  fetch = livery.fetch.start(store, URL, progress=progress)
  assert under_way.wait(10)
  with pytest.warns(ResourceWarning, match="a store was not closed"):
    del store
    gc.collect()
  # Where what is told of the end was, there is something else.
  others = [ctypes.CFUNCTYPE(None)(lambda: None) for _ in range(1000)]
  goes_on.set()
  with pytest.raises(livery.ClosedError):
    fetch.result(10)
  assert others


def test_a_placeholder_comes_with_the_error(store):
  livery.fetch.set_transport(store, ScriptedTransport())
  placeholder = store.assets.put(PNG)
  with pytest.raises(livery.NetworkError) as caught:
    livery.fetch.get(store, URL, attempts=1, placeholder=placeholder)
  assert caught.value.placeholder.id == placeholder and caught.value.placeholder.data == PNG


def test_a_placeholder_has_its_type(store):
  livery.fetch.set_transport(store, ScriptedTransport())
  with pytest.raises(livery.NetworkError) as caught:
    livery.fetch.get(store, URL, attempts=1, placeholder=store.assets.put(PNG))
  assert caught.value.placeholder.type == "image/png"


def test_a_store_that_is_read_only_stays_as_it_is(tmp_path, server):
  livery.open(tmp_path / "store", create=True).close()
  url = server.serve("/it", (200, PNG, FRESH))
  with livery.open(tmp_path / "store", read_only=True) as store:
    for ask in (lambda: livery.fetch.get(store, url), lambda: livery.fetch.brand(store).result(10)):
      with pytest.raises(livery.ReadOnlyError):
        ask()
    assert store.revision == 0 and list(store) == [] and server.requests == []


def test_who_keeps_little_of_the_log_does_so_for_what_is_fetched(tmp_path, server):
  """The handle that it is fetched by has the options of the store's."""
  with livery.open(tmp_path / "store", create=True, log_entries=2) as store:
    for number in range(6):
      livery.fetch.get(store, server.serve(f"/{number}", (200, b"%d" % number)), kind="document")
    assert len(store.history()) <= 2


def test_what_was_not_used_for_longest_goes_also_within_a_second(store, server):
  bodies = {name: name.encode() * 5_000 for name in ("q0", "q1", "q2", "q3")}
  for name in ("q0", "q1", "q2", "q0", "q3"):
    url = server.serve(f"/{name}", (200, bodies[name], FRESH))
    livery.fetch.get(store, url, kind="document", quota=35_000)
  left = [name for name in bodies if not is_missing(store, server.url(f"/{name}"))]
  assert left == ["q0", "q2", "q3"]


def is_missing(store, url):
  try:
    livery.fetch.get(store, url, kind="document", offline=True)
    return False
  except livery.UnavailableError:
    return True


@pytest.mark.parametrize("options", [{"timeout": 0}, {"attempts": 101}, {"max_size": -1}, {"kind": "film"}, {"placeholder": "x"},
                                     {"proxy": "junk://x"}, {"ca_file": "a\0b"}])
def test_wrong_options_are_refused(store, options):
  with pytest.raises(ValueError):
    livery.fetch.start(store, URL, **options)


def test_a_closed_store_ends_what_is_under_way(store, server):
  url = server.serve("/it", lambda handler: time.sleep(2))
  running = livery.fetch.start(store, url)
  while not server.count("/it"):
    time.sleep(0.01)
  store.close()
  with pytest.raises(livery.ClosedError):
    running.result(10)


def test_it_is_there_after_a_restart_without_network(tmp_path, server):
  url = server.serve("/it", (200, PNG))
  with livery.open(tmp_path / "store", create=True) as store:
    livery.fetch.get(store, url)
  server.serve("/it", lambda handler: handler.connection.shutdown(socket.SHUT_RDWR))
  with livery.open(tmp_path / "store") as store:
    assert livery.fetch.get(store, url, attempts=1).data == PNG


PROGRAM = textwrap.dedent("""
  import sys
  sys.path[:0] = [sys.argv[1]]
  import livery, livery.fetch
  with livery.open(sys.argv[2]) as store:
    sys.stdin.readline()
    for url in sys.argv[4:]:
      fetched = livery.fetch.get(store, url, kind=sys.argv[3], revalidate=sys.argv[3] == "document")
      print(fetched.id, flush=True)
""")


def run(path, kind, *urls):
  return subprocess.Popen(
    [sys.executable, "-c", PROGRAM, str(ROOT / "bindings" / "python"), str(path), kind, *urls], stdin=subprocess.PIPE,
    stdout=subprocess.PIPE, text=True)


def test_ten_processes_that_want_the_same_make_one_request(tmp_path, server):
  def answer(handler):
    time.sleep(0.5)
    handler.give(200, PNG, FRESH)

  url = server.serve("/it", answer)
  livery.open(tmp_path / "store", create=True).close()
  programs = [run(tmp_path / "store", "image", url) for _ in range(10)]
  time.sleep(2)
  for program in programs:
    program.stdin.write("\n")
    program.stdin.flush()
  ids = {program.communicate()[0].strip() for program in programs}
  assert len(ids) == 1 and len(ids.pop()) == 64
  assert server.count("/it") == 1


def test_a_killed_process_loses_its_lease_and_leaves_nothing_partial(tmp_path, server):
  """Each body says which it is, so that a mixture would be seen."""
  counter = iter(range(1, 1_000_000))

  def answer(handler):
    body = b"%08d" % next(counter) * 20_000
    handler.give(200, body, {"ETag": f'"{body[:8].decode()}"'})

  urls = [server.serve(f"/{number}", answer) for number in range(5)]
  chance = random.Random(int(os.environ.get("LIVERY_SEED", "1")))
  path = tmp_path / "store"
  with livery.open(path, create=True) as store:
    for _ in range(int(os.environ.get("LIVERY_FETCH_KILLS", "12"))):
      program = run(path, "document", *(urls * 40))
      program.stdin.write("\n")
      program.stdin.flush()
      program.stdout.readline()
      time.sleep(chance.random() * 0.3)
      program.send_signal(signal.SIGKILL)
      program.communicate()
      for url in urls:
        try:
          body = livery.fetch.get(store, url, kind="document", offline=True).data
        except livery.UnavailableError:
          continue
        assert body == body[:8] * 20_000
    began = time.monotonic()
    assert len(livery.fetch.get(store, urls[0], kind="document", revalidate=True).data) == 160_000
    assert time.monotonic() - began < 5


@pytest.mark.skipif(shutil.which("nginx") is None and not os.path.exists("/usr/sbin/nginx"), reason="there is no nginx")
def test_a_real_server(store, tmp_path):
  with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
  root = tmp_path / "root"
  root.mkdir()
  os.chmod(tmp_path, 0o755)
  (root / "logo.png").write_bytes(PNG)
  (root / "data.json").write_text('{"a": 1}' * 1000)
  configuration = tmp_path / "nginx.conf"
  configuration.write_text(f"""
    user root; daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error; worker_processes 1;
    events {{}}
    http {{
      access_log {tmp_path}/access; types {{ image/png png; application/json json; }}
      client_body_temp_path {tmp_path}/a; proxy_temp_path {tmp_path}/b; fastcgi_temp_path {tmp_path}/c;
      uwsgi_temp_path {tmp_path}/d; scgi_temp_path {tmp_path}/e;
      gzip on; gzip_types application/json;
      server {{
        listen 127.0.0.1:{port}; root {root};
        location /old {{ return 301 /logo.png; }}
        location /fresh {{ alias {root}/logo.png; expires 10m; }}
      }}
    }}
  """)
  server = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", str(configuration), "-e", f"{tmp_path}/error"])
  try:
    url = f"http://127.0.0.1:{port}"
    for _ in range(200):
      try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        break
      except OSError:
        time.sleep(0.05)
    first = livery.fetch.get(store, url + "/logo.png")
    assert (first.data, first.type) == (PNG, "image/png") and first.etag
    assert livery.fetch.get(store, url + "/logo.png", revalidate=True).http_status == 304
    (root / "logo.png").write_bytes(PNG + b"new")
    os.utime(root / "logo.png", (1_000_000_000, 1_000_000_000))
    assert livery.fetch.get(store, url + "/logo.png", revalidate=True).data == PNG + b"new"
    assert livery.fetch.get(store, url + "/old", revalidate=True).data == PNG + b"new"
    assert livery.fetch.get(store, url + "/data.json", kind="document").data == b'{"a": 1}' * 1000
    fresh = livery.fetch.get(store, url + "/fresh")
    assert 590 < (fresh.fresh_until - fresh.fetched).total_seconds() <= 600
    with pytest.raises(livery.NotFoundError):
      livery.fetch.get(store, url + "/none")
  finally:
    server.terminate()
    server.wait(10)


def livery_command(*words, **options):
  environment = {**os.environ, "LIVERY_STORE": str(options.pop("path"))}
  return subprocess.run([str(BUILD / "livery"), *words], env=environment, capture_output=True, text=True, timeout=60)


def test_the_command_hands_out_a_placeholder_beside_the_error(tmp_path):
  path, output = tmp_path / "store", tmp_path / "out.png"
  with livery.open(path, create=True) as store:
    placeholder = store.assets.put(PNG)
  words = ("fetch", "http://127.0.0.1:1/x", "--attempts", "1", "--placeholder", placeholder, "--output", str(output))
  told = livery_command(*words, "--json", path=path)
  answer = json.loads(told.stdout)
  assert told.returncode == 8 and answer["state"] == "placeholder" and answer["id"] == placeholder and answer["message"]
  assert output.read_bytes() == PNG
  plain = livery_command(*words, path=path)
  assert plain.returncode == 8 and placeholder in plain.stdout and len(plain.stderr.splitlines()) == 1


def test_the_command_fetches_puts_and_downloads(tmp_path, server):
  path = tmp_path / "store"
  logo = server.serve("/logo", (200, PNG, FRESH))
  with livery.open(path, create=True) as store:
    store.branding.apply_console({"images": {"logo": logo}})
  fetched = livery_command("fetch", logo, path=path)
  assert fetched.returncode == 0 and "image/png" in fetched.stdout and "network" in fetched.stdout
  assert "store" in livery_command("asset", "put", logo, path=path).stdout
  downloaded = livery_command("brand", "download", "--json", path=path)
  assert downloaded.returncode == 0 and '"ready":1' in downloaded.stdout.replace(" ", "")
  assert server.count("/logo") == 1
  output = tmp_path / "out.png"
  assert livery_command("fetch", logo, "--output", str(output), path=path).returncode == 0
  assert output.read_bytes() == PNG
  missing = livery_command("fetch", server.url("/none"), path=path)
  assert missing.returncode == 3 and "404" in missing.stderr
  assert livery_command("fetch", path=path).returncode == 2
  assert livery_command("fetch", "--all", logo, path=path).returncode == 2
  assert livery_command("fetch", server.url("/none"), logo, "--json", path=path).returncode == 3
  assert "livery fetch" in livery_command("help", "fetch", path=path).stdout


def test_a_brand_that_is_watched_is_not_fetched_for_what_it_has_fetched(tmp_path, server):
  path = tmp_path / "store"
  changing = server.serve("/logo", *[(200, PNG + bytes([number])) for number in range(100)])
  with livery.open(path, create=True) as store:
    store.branding.apply_console({"images": {"logo": changing}})
    watching = subprocess.Popen([BUILD / "livery", "brand", "download", "--watch", "--store", path], stdout=subprocess.PIPE, text=True)
    try:
      assert "1 ready" in watching.stdout.readline()
      time.sleep(2)
      assert server.count("/logo") == 1
      store.set("branding.color.Toolbar", livery.Color(1, 0, 0))
      assert "1 ready" in watching.stdout.readline()
      time.sleep(1.5)
      assert server.count("/logo") == 2
    finally:
      watching.terminate()
      assert watching.communicate(timeout=10)[0] == ""


def test_what_is_outdated_is_handed_out_while_the_server_is_asked(store):
  transport = ScriptedTransport({URL: [
    Answer(body=b"one", headers={"Cache-Control": "max-age=0, stale-while-revalidate=60"}),
    Answer(body=b"two", headers={"Cache-Control": "max-age=60"})]})
  livery.fetch.set_transport(store, transport)
  assert livery.fetch.get(store, URL, kind="document").data == b"one"
  outdated = livery.fetch.get(store, URL, kind="document")
  assert (outdated.data, outdated.state) == (b"one", livery.fetch.State.STALE)
  for _ in range(100):
    fetched = livery.fetch.get(store, URL, kind="document", offline=True)
    if fetched.data == b"two":
      break
    time.sleep(0.05)
  assert fetched.data == b"two" and len(transport.requests) == 2


@pytest.mark.parametrize("control", ["no-cache", "max-age=0, must-revalidate"])
def test_what_says_only_when_it_expires_leaves_the_rest_as_it_was_told(store, control):
  now = time.time()
  fresh = {"ETag": '"1"', "Expires": formatdate(now + 86400, usegmt=True), "Date": formatdate(now, usegmt=True)}
  transport = ScriptedTransport({URL: [
    Answer(body=b"one", headers={"ETag": '"1"', "Cache-Control": control}), Answer(status=304, headers=fresh),
    Answer(body=b"two", headers={"ETag": '"2"', "Cache-Control": control})]})
  livery.fetch.set_transport(store, transport)
  assert [livery.fetch.get(store, URL, kind="document").data for _ in range(3)] == [b"one", b"one", b"two"]


def test_the_lease_is_none_of_a_folder_that_is_no_store(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  (tmp_path / "name").mkdir()
  with livery.open("name", memory=True) as store:
    livery.fetch.set_transport(store, ScriptedTransport({URL: Answer(body=PNG)}))
    livery.fetch.get(store, URL)
  assert list((tmp_path / "name").iterdir()) == []


def test_a_store_is_whole_after_it_was_fetched_into(tmp_path):
  path = tmp_path / "store"
  with livery.open(path, create=True) as store:
    livery.fetch.set_transport(store, ScriptedTransport({URL: Answer(body=PNG)}))
    livery.fetch.get(store, URL)
  assert livery.check_store(path)["sound"]


@pytest.mark.parametrize("url", ["http://a.example/\0", "http://a.example/\ud800"])
def test_text_that_cannot_be_is_refused_before_anything_starts(store, url):
  with pytest.raises(livery.InvalidArgumentError):
    livery.fetch.start(store, url)


@pytest.mark.parametrize("kind", ["http", "https", "socks", "socks4", "socks4a", "socks5", "SOCKS5H"])
def test_proxies_of_all_kinds_are_tried(store, kind):
  with pytest.raises(livery.NetworkError):
    livery.fetch.get(store, "http://127.0.0.1:9/it", proxy=f"{kind}://127.0.0.1:1", attempts=1)
