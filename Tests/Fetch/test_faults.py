"""A server that does everything wrong: each case has its own error, and leaves nothing behind."""

import gzip
import os
import socket
import ssl
import subprocess
import threading
import time

import livery
import livery.fetch
import pytest
from conftest import PNG, Server


def fetch(store, url, **options):
  options.setdefault("attempts", 1)
  return livery.fetch.get(store, url, **options)


def is_clean(store):
  return store.assets.list() == [] and not [name for name in store if name.startswith("fetch.")]


def drip(handler):
  handler.send_response_only(200)
  handler.send_header("Content-Length", "1000")
  handler.end_headers()
  for _ in range(100):
    handler.wfile.write(b"x")
    time.sleep(0.05)


def cut(handler):
  handler.connection.shutdown(socket.SHUT_RDWR)
  handler.close_connection = True


def many_headers(handler):
  handler.give(200, PNG, {f"X-{number}": "y" * 900 for number in range(400)})


def long_header(handler):
  handler.give(200, PNG, {"X": "y" * 400_000})


def not_http(handler):
  handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
  handler.close_connection = True


@pytest.mark.parametrize(
  "answer, error, part",
  [
    ((200, b"x" * 10, {}, 1000), livery.NetworkError, ""),
    ((200, PNG, {}, len(PNG) + 1), livery.NetworkError, ""),
    (drip, livery.TimedOutError, "took longer than 700 ms"),
    (cut, livery.NetworkError, ""),
    (not_http, livery.NetworkError, ""),
    (many_headers, livery.NetworkError, "the head of the answer is too large"),
    (long_header, livery.NetworkError, "the head of the answer is too large"),
    ((302, b"", {"Location": "/it"}), livery.RefusedError, "more than 5"),
    ((302, b"", {"Location": "file:///etc/passwd"}), livery.RefusedError, "http"),
    ((302, b"", {"Location": "ftp://127.0.0.1/x"}), livery.RefusedError, "http"),
    ((200, b"<html>", {"Content-Type": "image/png"}), livery.ParseError, ""),
    ((200, b""), livery.InvalidValueError, "empty"),
    ((204,), livery.InvalidValueError, "empty"),
    ((200, b"x" * 3000), livery.InvalidValueError, "larger than 2000"),
    ((200, gzip.compress(b"x" * 20_000_000), {"Content-Encoding": "gzip"}), livery.InvalidValueError, "larger than 2000"),
    ((200, b"no gzip", {"Content-Encoding": "gzip"}), livery.NetworkError, ""),
    ((206, PNG[:10], {"Content-Range": f"bytes 0-9/{len(PNG)}"}), livery.NetworkError, "another part"),
    ((304,), livery.NetworkError, "nothing"),
    ((400,), livery.RefusedError, "400"),
    ((401,), livery.RefusedError, "401"),
    ((403,), livery.RefusedError, "403"),
    ((404,), livery.NotFoundError, "404"),
    ((410,), livery.NotFoundError, "410"),
    ((416,), livery.RefusedError, "416"),
    ((429,), livery.UnavailableError, "429"),
    ((500,), livery.UnavailableError, "500"),
    ((503, b"", {"Retry-After": "100"}), livery.UnavailableError, "503"),
  ],
)
def test_each_fault_has_its_error_and_leaves_nothing(store, server, answer, error, part):
  url = server.serve("/it", answer)
  with pytest.raises(error) as caught:
    fetch(store, url, max_size=2000, timeout=0.7 if answer is drip else 20)
  assert part in str(caught.value)
  assert is_clean(store)


def torn(body):
  """Packed, and broken off halfway without a word of it."""
  def answer(handler):
    handler.send_response_only(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Connection", "close")
    handler.end_headers()
    whole = gzip.compress(body)
    handler.wfile.write(whole[:len(whole) // 2])
    handler.close_connection = True
  return answer


# The page of a network that wants a login, and where that leads to.
LOGIN = (200, b"<html>Welcome</html>", {"Content-Type": "text/html"})


@pytest.mark.parametrize("fault", [
  (200, b"x" * 10, {}, 1000), cut, torn(os.urandom(5000)), (500,), (501,), (429,), (300,), (302,), LOGIN, (200, b""), (204,), (999,),
  (200, b"x" * 3000), (302, b"", {"Location": "/it"}), (302, b"", {"Location": "file:///etc/passwd"}), drip,
])
def test_the_former_image_is_shown_whatever_comes_after_it(store, server, fault):
  url = server.serve("/it", (200, PNG, {"ETag": '"1"'}), fault)
  first = fetch(store, url, max_size=2000)
  second = fetch(store, url, timeout=0.7, max_size=2000)
  assert (second.state, second.data, second.id) == (livery.fetch.State.STALE, PNG, first.id)
  assert second.message
  assert store.assets.get(first.id) == PNG
  assert fetch(store, url, offline=True).data == PNG


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_what_the_server_says_no_to_is_kept_and_not_shown(store, server, status):
  url = server.serve("/it", (200, PNG, {"ETag": '"1"'}), (status,))
  first = fetch(store, url)
  with pytest.raises((livery.RefusedError, livery.NotFoundError)):
    fetch(store, url)
  assert store.assets.get(first.id) == PNG
  assert fetch(store, url, offline=True).data == PNG


@pytest.mark.parametrize("length", [None, "its own"])
@pytest.mark.parametrize("cut_off", [1, 8, 9, 500])
def test_packed_content_that_breaks_off_is_not_taken_for_the_whole(store, server, length, cut_off):
  body = b'{"a": "%s"}' % os.urandom(2000).hex().encode()
  part = gzip.compress(body)[:-cut_off]

  def broken(handler):
    if length:
      return handler.give(200, part, {"Content-Encoding": "gzip"})
    handler.send_response_only(200)
    handler.send_header("Content-Encoding", "gzip")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(part)
    handler.close_connection = True

  url = server.serve("/it", (200, gzip.compress(b"first"), {"Content-Encoding": "gzip"}), broken)
  assert fetch(store, url, kind="document").data == b"first"
  second = fetch(store, url, kind="document")
  assert (second.state, second.data) == (livery.fetch.State.STALE, b"first") and "breaks off" in second.message
  with pytest.raises(livery.NetworkError, match="breaks off"):
    fetch(store, server.serve("/new", broken), kind="document")
  assert not [one for one in store.assets.list() if one["bytes"] > 5]


@pytest.mark.parametrize("packing", ["br", "deflate", "gzip, gzip", "zstd"])
def test_what_is_packed_otherwise_is_not_taken_for_content(store, server, packing):
  with pytest.raises(livery.NetworkError, match="which was not asked for"):
    fetch(store, server.serve("/it", (200, b"x" * 50, {"Content-Encoding": packing})), kind="document")
  assert is_clean(store)


@pytest.mark.parametrize("packing, behind", [("gzip", b"\0" * 20_000), ("gzip", b"filling"), ("gzip, identity", b""), ("GZIP", b""), ("identity, x-gzip", b"")])
def test_packed_content_is_taken_out_however_it_is_said(store, server, packing, behind):
  url = server.serve("/it", (200, gzip.compress(b"content") + behind, {"Content-Encoding": packing}))
  assert fetch(store, url, kind="document").data == b"content"


@pytest.mark.parametrize("packing", ["none", "identity", "None"])
def test_what_is_not_packed_is_taken_as_it_is(store, server, packing):
  assert fetch(store, server.serve("/it", (200, b"content", {"Content-Encoding": packing})), kind="document").data == b"content"


@pytest.mark.parametrize("packing", ["br", "gzip"])
def test_how_pages_of_other_answers_are_packed_is_all_the_same(store, server, packing):
  headers = {"Content-Encoding": packing}
  with pytest.raises(livery.NotFoundError):
    fetch(store, server.serve("/404", (404, b"no page", headers)))
  leads = server.serve("/302", (302, b"no page", {**headers, "Location": "/there"}))
  server.serve("/there", (200, PNG))
  assert fetch(store, leads).data == PNG
  again = server.serve("/304", (200, PNG, {"ETag": '"1"'}), (304, b"", {**headers, "ETag": '"1"'}))
  fetch(store, again)
  assert fetch(store, again).state == livery.fetch.State.READY


def test_content_in_several_packs_is_one(store, server):
  body = gzip.compress(b"one") + gzip.compress(b"") + gzip.compress(b"two" * 50_000)
  fetched = fetch(store, server.serve("/it", (200, body, {"Content-Encoding": "x-gzip"})), kind="document")
  assert fetched.data == b"one" + b"two" * 50_000


def test_that_other_bytes_are_unchanged_confirms_nothing(store, server):
  new = PNG + b"\0"
  url = server.serve("/it", (200, PNG, {"ETag": '"1"'}), (304, b"", {"ETag": '"2"', "Cache-Control": "max-age=100"}),
                     (200, new, {"ETag": '"2"'}))
  fetch(store, url)
  second = fetch(store, url)
  assert (second.state, second.etag, second.data) == (livery.fetch.State.READY, '"2"', new)
  assert "If-None-Match" in server.requests[1][1] and "If-None-Match" not in server.requests[2][1]


@pytest.mark.parametrize("url", ["http://h:99999/", "http://h:0/", "http://h:0x/", "http://[::1/", "http://::1/", "http://h]/", "http:///x"])
def test_a_url_without_a_server_is_refused_at_once(store, url):
  with pytest.raises(livery.InvalidArgumentError, match="names no server"):
    livery.fetch.start(store, url)


def test_servers_have_ports_and_addresses(store):
  for url in ("http://127.0.0.1:9/", "http://[::1]:9/", "http://127.0.0.1:/x", "http://[::1]/"):
    with pytest.raises((livery.NetworkError, livery.TimedOutError, livery.LiveryError)) as caught:
      fetch(store, url, timeout=5)
    assert "names no server" not in str(caught.value)


def test_what_breaks_off_is_resumed(store, server):
  body = os.urandom(300_000)

  def answer(handler):
    asked = handler.headers.get("Range")
    if asked is None:
      return handler.give(200, body[:100_000], {"ETag": '"a"'}, len(body))
    start = int(asked[6:-1])
    assert handler.headers["If-Range"] == '"a"'
    end = start + 100_000
    part = body[start:end]
    span = f"bytes {start}-{len(body) - 1}/{len(body)}"
    handler.give(206, part, {"ETag": '"a"', "Content-Range": span}, len(body) - start)

  url = server.serve("/it", answer)
  fetched = livery.fetch.get(store, url, kind="document")
  assert fetched.data == body
  assert fetched.received == len(body)
  assert server.count("/it") == 3


def test_what_is_resumed_is_no_larger_than_may_be(store, server):
  def answer(handler):
    start = int((handler.headers.get("Range") or "bytes=0-")[6:-1])
    if start == 0:
      return handler.give(200, bytes(100_000), {"ETag": '"a"'}, 150_000)
    span = f"bytes {start}-{start + 149_999}/*"
    handler.give(206, bytes(100_000), {"ETag": '"a"', "Content-Range": span}, 150_000)

  with pytest.raises(livery.InvalidValueError, match="larger than 150000 bytes"):
    livery.fetch.get(store, server.serve("/it", answer), kind="document", max_size=150_000, attempts=9)
  assert server.count("/it") == 2


def test_a_weak_tag_is_not_resumed(store, server):
  url = server.serve("/it", (200, b"x" * 10, {"ETag": 'W/"a"'}, 20), (200, b"y" * 20, {"ETag": 'W/"a"'}))
  assert livery.fetch.get(store, url, kind="document").data == b"y" * 20
  assert "Range" not in server.requests[1][1]


def test_a_rest_that_comes_as_a_packed_whole_is_asked_for_anew(store, server):
  new = b'{"hello": "everybody"}' * 50
  packed = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding", "ETag": '"2"', "Content-Type": "application/json"}
  url = server.serve("/it", (200, b"x" * 10, {"ETag": '"1"'}, 20), (200, gzip.compress(new), packed),
                     (200, gzip.compress(new), packed))
  assert livery.fetch.get(store, url, kind="document").data == new
  asked = [headers["Accept-Encoding"] for _, headers in server.requests]
  assert asked == ["gzip", "identity", "gzip"] and "Range" not in server.requests[2][1]


def test_what_is_answered_is_told_whatever_it_is(store, server):
  for status in (300, 305, 600, 999):
    with pytest.raises(livery.NetworkError, match=f"the server answers {status}"):
      fetch(store, server.serve(f"/{status}", (status,)))


@pytest.mark.parametrize("answer", [(300,), (302,), (206,)])
def test_what_makes_no_sense_is_asked_for_again(store, server, answer):
  url = server.serve("/it", answer, (200, PNG))
  assert livery.fetch.get(store, url, attempts=2).data == PNG


@pytest.mark.parametrize("proxy", ["socks9://eva:secret@127.0.0.1:1", "http://eva:secret@127.0.0.1:port", "http://eva:secret@nowhere.invalid"])
def test_the_password_of_a_proxy_is_in_no_message(store, proxy):
  with pytest.raises(livery.LiveryError) as caught:
    fetch(store, "http://127.0.0.1:9/it", proxy=proxy)
  assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://eva:secret@127.0.0.1/it", "http:eva:secret@127.0.0.1/it", "http://eva:secret@127.0.0.1/it"])
def test_a_password_in_a_url_is_in_no_message(store, url):
  with pytest.raises(livery.LiveryError) as caught:
    fetch(store, url)
  assert "secret" not in str(caught.value)


def test_what_is_stored_is_no_larger_than_what_is_taken(store, server):
  url = server.serve("/it", (200, b"x" * 5000, {"Cache-Control": "max-age=60"}))
  assert len(fetch(store, url, kind="document").data) == 5000
  with pytest.raises(livery.LiveryError, match="larger than 100 bytes"):
    fetch(store, url, kind="document", max_size=100)


def test_packed_content_is_taken_out(store, server):
  url = server.serve("/it", (200, gzip.compress(b"{}" * 1000), {"Content-Encoding": "gzip", "Content-Type": "application/json"}))
  fetched = fetch(store, url, kind="document")
  assert (fetched.data, fetched.type) == (b"{}" * 1000, "application/json")


def test_a_clock_that_goes_wrong_makes_nothing_fresh_for_ever(store, server):
  past, future = "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
  url = server.serve("/past", (200, PNG, {"Date": past, "Cache-Control": "max-age=60"}))
  fetch(store, url)
  fetch(store, url)
  assert server.count("/past") == 2
  url = server.serve("/future", (200, PNG, {"Date": future, "Expires": past}))
  fetch(store, url)
  fetch(store, url)
  assert server.count("/future") == 2


# Certificates of an authority of the test's own.


def run(*words):
  subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
  folder = tmp_path_factory.mktemp("authority")
  run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test CA", "-keyout",
      str(folder / "ca.key"), "-out", str(folder / "ca.pem"))

  def issue(name, *, days=2, host="IP:127.0.0.1"):
    key, request, certificate, extra = (folder / f"{name}.{end}" for end in ("key", "csr", "pem", "ext"))
    run("openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(request))
    extra.write_text(f"subjectAltName={host}\n")
    run("openssl", "x509", "-req", "-in", str(request), "-CA", str(folder / "ca.pem"), "-CAkey", str(folder / "ca.key"),
        "-CAcreateserial", "-days", str(days), "-extfile", str(extra), "-out", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context

  return folder / "ca.pem", issue


@pytest.fixture
def secure(authority):
  made = []

  def serve(name, **details):
    made.append(Server(authority[1](name, **details)))
    return made[-1]

  yield serve
  for server in made:
    server.close()


def test_a_good_certificate_is_taken(store, secure, authority):
  server = secure("good")
  url = server.serve("/it", (200, PNG))
  assert fetch(store, url, ca_file=authority[0]).data == PNG


@pytest.mark.parametrize("name, details", [("unknown", {}), ("expired", {"days": -1}), ("other", {"host": "DNS:example.com"})])
def test_a_bad_certificate_is_refused(store, secure, authority, name, details):
  server = secure(name, **details)
  url = server.serve("/it", (200, PNG))
  with pytest.raises(livery.RefusedError):
    fetch(store, url, ca_file=None if name == "unknown" else authority[0], attempts=3)
  assert server.count("/it") == 0
  assert is_clean(store)


def test_https_never_leads_to_http(store, secure, server, authority):
  plain = server.serve("/it", (200, PNG))
  url = secure("good").serve("/it", (302, b"", {"Location": plain}))
  with pytest.raises(livery.RefusedError, match="https to http"):
    fetch(store, url, ca_file=authority[0])
  assert server.count("/it") == 0


def test_many_at_once(store, server):
  urls = [server.serve(f"/{number}", (200, b"%d" % number, {"Cache-Control": "max-age=60"})) for number in range(200)]
  fetches = [livery.fetch.start(store, url, kind="document") for url in urls]
  assert [fetch.result(60).data for fetch in fetches] == [b"%d" % number for number in range(200)]
  assert len(server.requests) == 200


def test_a_server_that_is_busy_is_tried_again(store, server):
  url = server.serve("/it", (503,), cut, (200, PNG))
  assert livery.fetch.get(store, url).data == PNG
  assert server.count("/it") == 3


def test_cancelling_ends_the_request(store, server):
  begun = threading.Event()

  def wait(handler):
    begun.set()
    drip(handler)

  running = livery.fetch.start(store, server.serve("/it", wait))
  assert begun.wait(10)
  running.cancel()
  with pytest.raises(livery.CancelledError):
    running.result(10)
  assert is_clean(store)


def test_an_error_page_that_never_ends_is_no_more_than_its_status(store, server):
  def endless(handler):
    handler.send_response_only(503)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
      handler.wfile.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")

  url = server.serve("/it", (200, b"{}", {"ETag": '"1"'}), endless)
  assert fetch(store, url, kind="document", max_size=1000).data == b"{}"
  stale = fetch(store, url, kind="document", max_size=1000, timeout=20)
  assert (stale.state, stale.http_status, stale.data) == (livery.fetch.State.STALE, 503, b"{}")
  assert "503" in stale.message
