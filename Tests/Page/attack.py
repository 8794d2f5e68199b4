#!/usr/bin/env python3
"""Attacks a page that is served, byte by byte, and ends with "N passed, N failed".

    attack.py PROGRAM [PART OF A PROMISE]

PROGRAM is serve.c, linked with liblivery-page.so.
"""
import os
import pathlib
import re
import socket
import stat
import sys
import tempfile
import threading
import time
import traceback

from browser import Answer, Browser, Program, connect, exchange, receive, wait_for

TESTS = []
SERVE = sys.argv[1]
STRICT = {"content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff", "referrer-policy": "same-origin",
          "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "cache-control": "",
          "permissions-policy": "camera=()"}


def promise(text):
  def note(function):
    TESTS.append((text, function))
    return function
  return note


def expect(answer, *statuses):
  assert answer.status in statuses, f"{statuses} expected: {answer}"
  for name, value in STRICT.items():
    assert value in answer.headers.get(name, "missing"), f"{name}: {answer}"
  return answer


@promise("a link opens one session, in one browser")
def links():
  with Program(SERVE) as page:
    nobody = Browser(page)
    expect(nobody.get("/"), 403)
    expect(nobody.get("/events"), 403)
    expect(nobody.get("/nothing"), 403)
    for token in ["", "x", page.token[:-1], page.token + "A", page.token.swapcase(), "A" * 43, "%00", page.token + "/"]:
      assert nobody.get(f"/open/{token}").status in (400, 403), token
    # Who looks ahead does not use it up.
    expect(nobody.send(nobody.head("HEAD", f"/open/{page.token}")), 200)
    expect(nobody.get(f"/open/{page.token}", "Sec-Purpose: prefetch;prerender"), 503)
    expect(nobody.get(f"/open/{page.token}", "Purpose: prefetch"), 503)
    assert nobody.cookie is None
    first = Browser(page)
    answer = expect(first.get(f"/open/{page.token}"), 303)
    assert answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"]), cookie
    assert len(cookie.split(";")[0].split("=")[1]) >= 22
    expect(first.get("/"), 200)
    # Opening it again leads the one who has it to the page, and others nowhere.
    expect(first.get(f"/open/{page.token}"), 303)
    expect(Browser(page).get(f"/open/{page.token}"), 403)
    # A browser that was sent by a foreign page goes on by itself, so that it sends the cookie.
    answer = expect(Browser(page).get(f"/open/{page.link()}", "Sec-Fetch-Site: cross-site"), 200)
    assert answer.headers["refresh"] == "0; url=/" and "set-cookie" in answer.headers
    expect(Browser(page).get(f"/open/{page.link()}", "Sec-Fetch-Site: none"), 303)


@promise("64 links are good at a time, and as many sessions")
def many_links():
  with Program(SERVE) as page:
    tokens = [page.link() for _ in range(64)]
    expect(Browser(page).get(f"/open/{page.token}"), 403)
    for token in tokens:
      expect(Browser(page).get(f"/open/{token}"), 303)
    expect(Browser(page).get(f"/open/{page.link()}"), 503)


@promise("a foreign name that leads here gets nothing")
def rebinding():
  with Program(SERVE, "hosts=kiosk.local settings.example:80 tls.example:443") as page:
    browser = page.open()
    for host in [page.authority, f"localhost:{page.port}", f"LocalHost:{page.port}", f"kiosk.local:{page.port}", "settings.example",
                 "settings.example:80", "tls.example"]:
      expect(browser.get("/", host=host), 200)
    for host in ["evil.example", f"evil.example:{page.port}", "127.0.0.1", "localhost", f"127.0.0.1:{page.port + 1}", "kiosk.local",
                 f"127.0.0.1.evil.example:{page.port}", f"x.kiosk.local:{page.port}", f"[::1]:{page.port}", f"127.1:{page.port}",
                 f"2130706433:{page.port}", f"kiosk.local.:{page.port}", f"settings.example:{page.port}"]:
      expect(browser.get("/", host=host), 421)
      expect(browser.get(f"/open/{page.token}", host=host), 421)
    for host in ["", " ", f"user@127.0.0.1:{page.port}", f"127.0.0.1:{page.port}/", "127.0.0.1:0x50", "127.0.0.1:", "[::1", "a b",
                 f"127.0.0.1:{page.port}, evil.example"]:
      assert browser.get("/", host=host or " ").status in (400, 421), host
    assert exchange(page, b"GET / HTTP/1.1\r\n\r\n").status == 400
    assert exchange(page, b"GET / HTTP/1.0\r\n\r\n").status == 400
    both = browser.head("GET", "/", ["Host: evil.example"])
    assert exchange(page, both).status == 400
    # What a proxy would be asked for.
    assert exchange(page, browser.head("GET", f"http://evil.example:{page.port}/")).status == 400


@promise("a form that no page of the session has sent does nothing")
def forgery():
  with Program(SERVE) as page:
    browser, other = page.open(), page.open()
    good = f"csrf={browser.csrf}"
    own, foreign = f"http://{page.authority}", "http://evil.example"
    for body, headers in [
        ("", []), ("csrf=", []), (f"csrf={other.csrf}", []), (f"csrf={browser.csrf}x", []), (f"csrf={browser.csrf[:-1]}", []),
        (f"csrf={browser.csrf.swapcase()}", []), ("", ["X-Livery-CSRF: x"]), (good, ["X-Livery-CSRF: x"]),
        (good, [f"Origin: {foreign}"]), (good, ["Origin: null"]), (good, ["Origin: "]), (good, [f"Origin: {own}.evil.example"]),
        (good, [f"Origin: https://{page.authority}x"]), (good, [f"Origin: http://localhost:{page.port + 1}"]),
        (good, [f"Referer: {foreign}/?{own}/"]), (good, [f"Referer: http://{page.authority}@evil.example/"]),
        (good, ["Sec-Fetch-Site: cross-site"]), (good, ["Sec-Fetch-Site: same-site", f"Origin: {own}"]),
        (good, [f"Origin: {own}", f"Origin: {foreign}"])]:
      answer = browser.post("/done", body, *headers)
      assert answer.status in ((400,) if "Origin" in str(headers[1:]) and foreign in str(headers[1:]) else (403,)), (body, headers, answer)
    # In the query it is none.
    expect(browser.post(f"/done?csrf={browser.csrf}", ""), 403)
    expect(Browser(page).post("/done", good), 403)
    expect(browser.get("/"), 200)
    assert page.ends == []
    expect(browser.post("/nothing", good, f"Origin: {own}", "Sec-Fetch-Site: same-origin"), 404)
    expect(browser.post("/nothing", good, f"Referer: {own}/at/1"), 404)
    expect(browser.post("/nothing", "", f"X-Livery-CSRF: {browser.csrf}", f"Origin: http://localhost:{page.port}"), 404)
    assert browser.post("/done", good).status in (200, 303)
    expect(browser.get("/"), 403)
    expect(other.get("/"), 200)
    assert wait_until(lambda: page.ends == ["finished 1 0"]), page.ends


@promise("only what is GET, HEAD or POST is done")
def methods():
  with Program(SERVE) as page:
    browser = page.open()
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get", "Post", "FOO"]:
      answer = exchange(page, browser.head(method, "/"))
      assert answer.status == 405 and "GET" in answer.headers["allow"], (method, answer)
    assert exchange(page, browser.head("CONNECT", "evil.example:80")).status in (400, 405)
    answer = exchange(page, browser.head("HEAD", "/"))
    assert answer.status == 200 and answer.body == b""
    answer = exchange(page, browser.head("HEAD", "/events"))
    assert answer.status == 200 and answer.body == b""


@promise("no path leads anywhere but to a page")
def paths():
  with Program(SERVE) as page:
    browser = page.open()
    for path in ["/../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/.%2e/etc/passwd", "/a/../b", "/./",
                 "/..", "/.", "/a/..", "//etc/passwd", "//evil.example/", "/a//b", "/..\\..\\etc\\passwd", "/%5c..%5c", "/%00", "/a%00.css",
                 "/%0d%0aSet-Cookie:%20a=b", "/%0a", "/%7f", "/%", "/%4", "/%zz", "/%u0041", "/%ff", "/%c0%af", "/%c0%ae%c0%ae/",
                 "/%ed%a0%80", "/%f4%90%80%80", "/\xff", "/a%2fb", "etc/passwd", "*", "file:///etc/passwd", "/?q=%ff", "/?%c0%af=1"]:
      answer = exchange(page, browser.head("GET", path))
      assert answer.status == 400, (path, answer)
      assert b"root:" not in answer.body and b"passwd" not in answer.body
    for path in ["/etc/passwd", "/proc/self/environ", "/style.css/", "/%2500", "/...", "/a.b/..c", "/%E2%82%AC", "/nothing?a=%&b=%zz"]:
      expect(exchange(page, browser.head("GET", path)), 404)
    answer = expect(browser.get("/%3Cscript%3Ealert(1)%3C/script%3E"), 404)
    assert b"<script>alert" not in answer.body


@promise("one request is never taken for two")
def smuggling():
  with Program(SERVE) as page:
    browser = page.open()
    second = browser.head("GET", "/style.css")
    good = f"csrf={browser.csrf}".encode()
    for headers in [["Content-Length: 6", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked"],
                    ["Transfer-Encoding: chunked", "Content-Length: 0"], ["Transfer-Encoding: xchunked", "Content-Length: 5"],
                    ["Transfer-Encoding : chunked", "Content-Length: 5"], ["Transfer-Encoding:\tchunked", "Content-Length: 5"],
                    ["Transfer-Encoding: identity", "Content-Length: 5"], ["Content-Length: 5", "Content-Length: 6"],
                    ["Content-Length: 5", "Content-Length: 5"], ["Content-Length: 5, 6"], ["Content-Length: +5"], ["Content-Length: -5"],
                    ["Content-Length: 0x5"], ["Content-Length: 5 5"], ["Content-Length: 99999999999999999999"], ["Content-Length: "],
                    ["Content-Length : 5"], []]:
      raw = browser.head("POST", "/nothing", ["Content-Type: application/x-www-form-urlencoded", *headers]) + b"0\r\n\r\n" + second
      with connect(page) as connection:
        connection.sendall(raw)
        connection.settimeout(3)
        answer = receive(connection)
        # Whatever a second answer is, it is none to what was in the body.
        rest = receive(connection)
      assert answer.status is None or 400 <= answer.status < 500, (headers, answer)
      assert rest.status is None or rest.status >= 400, (headers, rest)
      assert rest.raw == b"" or headers == [], (headers, rest)
    for raw in [browser.head("GET", "/", ["Content-Length: 5"]) + b"hello" + second,
                browser.head("GET", "/", ["Transfer-Encoding: chunked"]) + b"0\r\n\r\n" + second,
                b"GET / HTTP/1.1\r\nHost: " + page.authority.encode() + b"\r\n X-Folded: a\r\n\r\n",
                b"GET / HTTP/1.1\r\n Host: " + page.authority.encode() + b"\r\n\r\n", b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
                b"GET / HTTP/1.2\r\nHost: " + page.authority.encode() + b"\r\n\r\n", b"GET /\r\n\r\n", b"\x16\x03\x01\x02\x00" * 20,
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\rHost: a\r\r", b"\0" * 100, b" / \r\n\r\n", b"GET\t/\tHTTP/1.1\r\n\r\n"]:
      with connect(page) as connection:
        connection.sendall(raw)
        connection.settimeout(3)
        answer = receive(connection)
      assert answer.status is None or answer.status >= 400, (raw, answer)
    # Requests that follow each other are answered in their order.
    with connect(page) as connection:
      connection.sendall(browser.head("POST", "/nothing", [f"Content-Length: {len(good)}",
                                                           "Content-Type: application/x-www-form-urlencoded"]) + good + second)
      raw = wait_for(connection, b'ETag')
    assert raw.startswith(b"HTTP/1.1 404") and b"HTTP/1.1 200" in raw


@promise("nothing that comes in ends a header that goes out")
def injection():
  with Program(SERVE) as page:
    browser = page.open()
    for path in ["/open/x%0d%0aSet-Cookie:%20evil=1", "/?a=%0d%0aSet-Cookie:%20evil=1", "/nothing%E5%98%8A%E5%98%8DSet-Cookie:evil=1"]:
      for sender in [browser, Browser(page)]:
        assert b"evil" not in exchange(page, sender.head("GET", path, ["Accept-Language: a\x7fb"])).raw.split(b"\r\n\r\n")[0]
    cookies = [f"livery-{page.port}=" + "A" * 43, f"livery-{page.port}", "=", ";;;", "a" * 3000, f"livery-{page.port}=;" * 200]
    for cookie in cookies:
      sender = Browser(page)
      sender.cookie = cookie
      assert sender.get("/").status in (403, 413, 431), cookie


@promise("what is too large is refused at once, and the next is served")
def sizes():
  with Program(SERVE) as page:
    browser, nobody = page.open(), Browser(page)
    assert exchange(page, browser.head("GET", "/" + "a" * 5000)).status == 414
    assert exchange(page, browser.head("GET", "/" + "a" * 40000)).status in (414, 431, 413, None)
    assert exchange(page, browser.head("GET", "/", ["X-A: " + "a" * 40000])).status in (431, 413, 400, None)
    assert exchange(page, browser.head("GET", "/", [f"X-{number}: a" for number in range(4000)])).status in (431, 413, 400, None)
    form = "Content-Type: application/x-www-form-urlencoded"
    file = "Content-Type: multipart/form-data; boundary=xx"
    for sender, kind, length in [(browser, form, (1 << 20) + 1), (browser, "Content-Type: text/plain", 1 << 21), (nobody, form, 2000),
                                 (browser, file, (64 << 20) + 1), (nobody, file, 100000), (browser, file, 10 ** 14)]:
      started = time.monotonic()
      expect(exchange(page, sender.head("POST", "/nothing", [kind, f"Content-Length: {length}"])), 413)
      assert time.monotonic() - started < 2
    expect(browser.post("/nothing", b"a=" + b"x" * ((1 << 20) - 60) + f"&csrf={browser.csrf}".encode()), 404)
    fields = f"csrf={browser.csrf}" + "&a=b" * 19999
    expect(browser.post("/nothing", fields), 404)
    expect(browser.post("/nothing", fields + "&a=b"), 400)
    part = b'--xx\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\n\r\n' + os.urandom(16 << 20) + b"\r\n--xx--\r\n"
    expect(browser.upload("/nothing", part), 404)
    expect(browser.get("/"), 200)


@promise("forms with files are taken as browsers send them, and no other way")
def multipart():
  with Program(SERVE) as page:
    browser = page.open()
    disposition = b'Content-Disposition: form-data; name="a"'
    for body, boundary in [
        (b"--xx\r\n" + disposition + b"\r\n\r\nb\r\n--xx--\r\n", "xx"), (b"--xx\r\n" + disposition + b"\r\n\r\n\r\n--xx--", "xx"),
        (b"--xx--\r\n", "xx"), (b"--xx\r\ncontent-disposition:form-data;name=a\r\n\r\nb\r\n--xx--\r\n", '"xx"'),
        (b"--xx\r\n" + disposition + b'; filename="../../%22x.png"\r\nContent-Type: image/png\r\n\r\n\0\r\n--x\r\n\r\n--xx--\r\n', "xx")]:
      expect(browser.upload("/nothing", body, boundary=boundary), 404)
    for body, boundary in [
        (b"", "xx"), (b"--xx", "xx"), (b"--xx\r\n", "xx"), (b"--xx\r\n\r\n\r\n--xx--", "xx"), (b"--xx\r\n" + disposition, "xx"),
        (b"--xx\r\n" + disposition + b"\r\n\r\nb", "xx"), (b"--xx\r\n" + disposition + b"\r\n\r\nb\r\n--xx", "xx"),
        (b"--xx\n" + disposition + b"\n\nb\n--xx--\n", "xx"), (b"--yy\r\n" + disposition + b"\r\n\r\nb\r\n--yy--\r\n", "xx"),
        (b"--xx\r\n" + disposition + b"\r\n\r\n\xff\r\n--xx--\r\n", "xx"), (b"--xx\r\nA: " + b"a" * 5000 + b"\r\n\r\nb\r\n--xx--", "xx"),
        (b'--xx\r\nContent-Disposition: form-data; name="a\r\n\r\nb\r\n--xx--', "xx"), (b"--xx\r\n\r\nb\r\n--xx--", "xx"),
        (b"--xx\r\nContent-Disposition: attachment; name=a\r\n\r\nb\r\n--xx--", "xx"), (b"--\r\n" + disposition + b"\r\n\r\nb\r\n----", '""'),
        (b"--xx\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nb\r\n--xx--", "xx"),
        ((b"--xx\r\n" + disposition + b"\r\n\r\n\r\n") * 20001 + b"--xx--", "xx"), (b"--" + b"x" * 71, "x" * 71)]:
      answer = browser.upload("/nothing", body, boundary=boundary)
      assert answer.status == (404 if body == b"" else 400), (body[:100], boundary, answer)
    expect(browser.post("/nothing", f'{{"csrf":"{browser.csrf}"}}', f"X-Livery-CSRF: {browser.csrf}", kind="application/json"), 400)


@promise("what comes too slowly is cut, while others are served")
def slowness():
  with Program(SERVE) as page:
    browser = page.open()
    started = time.monotonic()
    post = browser.head("POST", "/nothing", ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 500"])
    slow = {name: connect(page) for name in ["silent", "head", "body", "kept", "half"]}
    slow["body"].sendall(post)
    slow["half"].sendall(b"GET / HT")
    slow["kept"].sendall(browser.head("GET", "/style.css"))
    unread = socket.socket()
    unread.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    unread.connect((page.host, page.port))
    unread.sendall(browser.head("GET", "/style.css") * 100)
    ends = {}
    while len(ends) < len(slow) and time.monotonic() - started < 45:
      for name in ["head", "body"]:
        try:
          slow[name].sendall(b"G")
        except ConnectionError:
          pass
      expect(browser.get("/"), 200)
      for name, connection in slow.items():
        connection.setblocking(False)
        try:
          while connection.recv(65536):
            pass
          ends.setdefault(name, time.monotonic() - started)
        except BlockingIOError:
          pass
        except ConnectionError:
          ends.setdefault(name, time.monotonic() - started)
        connection.setblocking(True)
      time.sleep(0.5)
    assert sorted(ends) == sorted(slow), ends
    assert all(28 < end < 34 for end in ends.values()), ends
    # Who takes no answer is cut, too: what is on its way is all that comes.
    time.sleep(max(0, started + 36 - time.monotonic()))
    assert wait_for_end(unread)


@promise("1,000 connections: some are served, the others are refused, and nobody is in the way afterwards")
def crowd():
  with Program(SERVE) as page:
    browser = page.open()
    held = []
    early = connect(page, "127.0.0.200")
    for number in range(1000):
      try:
        held.append(connect(page, f"127.0.1.{number // 64 + 1}", timeout=2))
      except OSError:
        pass
    time.sleep(0.3)
    # Who was there goes on.
    early.sendall(browser.head("GET", "/"))
    assert receive(early).status == 200
    served = refused = 0
    for connection in held:
      try:
        connection.settimeout(2)
        connection.sendall(browser.head("GET", "/style.css", ["Connection: close"]))
        answer = receive(connection)
      except OSError:
        answer = Answer(b"")
      served += answer.status == 200
      refused += answer.status is None
    assert served + refused == len(held) and len(held) > 900, (served, refused, len(held))
    assert 200 <= served <= 256, served
    # From one address there are fewer.
    same = [connect(page, "127.0.0.9") for _ in range(100)]
    time.sleep(0.2)
    open_ones = sum(not is_closed(connection) for connection in same)
    assert open_ones == 64, open_ones
    expect(browser.get("/"), 200)
    for connection in [*held, *same, early]:
      connection.close()
    time.sleep(0.2)
    again = [connect(page, "127.0.0.9") for _ in range(60)]
    for connection in again:
      connection.sendall(browser.head("GET", "/"))
      assert receive(connection).status == 200
      connection.close()


def is_closed(connection):
  connection.setblocking(False)
  try:
    return connection.recv(1) == b""
  except BlockingIOError:
    return False
  except ConnectionError:
    return True


def wait_until(holds, seconds=10):
  end = time.monotonic() + seconds
  while not holds() and time.monotonic() < end:
    time.sleep(0.02)
  return holds()


@promise("who guesses a PIN has to wait, longer each time, also in a new connection and if it is right")
def guessing():
  with Program(SERVE, "pin=2468") as page:
    thief = Browser(page)
    assert thief.get("/").headers["location"] == "/pin"
    # A link does not stand for the PIN.
    assert thief.get(f"/open/{page.token}").headers["location"] == "/pin" and thief.cookie is None
    expect(thief.get("/pin"), 200)
    expect(thief.get("/events", "X-Livery-Script: 1"), 403)
    expect(thief.post("/pin", "pin=2468", "Origin: http://evil.example"), 403)
    expect(thief.post("/done", "pin=2468"), 403)
    for guess in ["pin=1111", "pin=", "nip=2468"]:
      answer = expect(Browser(page).post("/pin", guess), 403)
      assert "set-cookie" not in answer.headers
    answer = expect(Browser(page).post("/pin", "pin=2468"), 429)
    assert 1 <= int(answer.headers["retry-after"]) <= 2 and "set-cookie" not in answer.headers
    wrong = expect(Browser(page).post("/pin", "pin=1111"), 429)
    assert re.sub(rb"\d", b"", wrong.body) == re.sub(rb"\d", b"", answer.body)
    time.sleep(2.1)
    expect(Browser(page).post("/pin", "pin=24680"), 403)
    assert 3 <= int(expect(Browser(page).post("/pin", "pin=2468"), 429).headers["retry-after"]) <= 4
    time.sleep(4.1)
    owner = Browser(page)
    assert expect(owner.post("/pin", "pin=2468"), 303).headers["location"] == "/"
    expect(owner.get("/"), 200)
    # With the right one it begins anew.
    expect(Browser(page).post("/pin", "pin=1111"), 403)
    expect(Browser(page).post("/pin", "pin=2468"), 303)


@promise("a wrong PIN takes as long where none is set, and 4 MiB of PIN are none")
def oracles():
  with Program(SERVE, "pin=2468") as page, Program(SERVE, "pin=x") as none:
    times = {}
    for name, program in [("set", page), ("none", none)]:
      started = time.monotonic()
      for _ in range(3):
        expect(Browser(program).post("/pin", "pin=1111"), 403)
      times[name] = time.monotonic() - started
    assert 1 / 3 < times["set"] / times["none"] < 3, times
    assert times["set"] > 0.015, times
    expect(Browser(page).post("/pin", "pin=" + "1" * 4000), 413)


@promise("events come to every browser; who does not read is told that there was more")
def streams():
  with Program(SERVE) as page:
    browser, other = page.open(), page.open()
    first, second, slow = browser.stream(), other.stream(), browser.stream()
    for connection in [first, second, slow]:
      head = wait_for(connection, b"\r\n\r\n")
      assert b"200 OK" in head and b"text/event-stream" in head and b"no-store" in head and b"gzip" not in head
    page.tell("set a 1")
    for connection in [first, second]:
      assert b"data:" in wait_for(connection, b"event:")
    expect(other.post("/done", f"csrf={other.csrf}"), 200, 303)
    end = b""
    while not end.endswith(b"0\r\n\r\n"):
      part = second.recv(65536)
      assert part, end
      end += part
    for connection in [first, second, slow]:
      connection.close()


@promise("128 streams at most; 100 take little memory, and nothing is awake for them")
def many_streams():
  with Program(SERVE) as page:
    browser = page.open()
    before = page.memory()
    opened = []
    for number in range(130):
      browser.source = f"127.0.2.{number // 50 + 1}"
      opened.append(browser.stream())
      head = wait_for(opened[-1], b"\r\n\r\n")
      assert (b"HTTP/1.1 200" in head) == (number < 128), (number, head)
      if number == 99:
        each = (page.memory() - before) / 100
    time.sleep(1)
    switches = page.switches()
    time.sleep(5)
    woken = page.switches() - switches
    page.tell("set a 1")
    for connection in opened[:128]:
      wait_for(connection, b"event:")
    print(f"  {each:.0f} KiB for a stream; {woken} switches in 5 s with 128 streams")
    assert woken == 0 and each < 64
    for connection in opened:
      connection.close()
    assert wait_until(lambda: page.ends == []), page.ends
    expect(browser.get("/"), 200)


@promise("nothing is awake while nobody asks")
def idleness():
  with Program(SERVE, "idle_s=86400") as page:
    time.sleep(1)
    for state in ["no session", "a session", "a stream"]:
      if state == "a session":
        browser = page.open()
        # What a connection had to come in has passed.
        time.sleep(31)
      if state == "a stream":
        stream = browser.stream()
        wait_for(stream, b"\r\n\r\n")
        time.sleep(1)
      switches = page.switches()
      time.sleep(5)
      woken = page.switches() - switches
      assert woken == 0, (state, woken)
    stream.close()


@promise("a session ends when there is no sign of life: the browser was closed, or nobody is there")
def idle_sessions():
  with Program(SERVE, "idle_s=10") as page:
    quiet, watching, busy = page.open(), page.open(), page.open()
    started = time.monotonic()
    stream = watching.stream()
    wait_for(stream, b"\r\n\r\n")
    while time.monotonic() - started < 12:
      expect(busy.get("/"), 200)
      time.sleep(0.5)
    assert page.ends == ["finished 2 0"], page.ends
    expect(quiet.get("/"), 403)
    expect(watching.get("/"), 200)
    stream.close()
    closed = time.monotonic()
    assert wait_until(lambda: len(page.ends) == 3, 15), page.ends
    assert 9.5 < time.monotonic() - closed < 13


@promise("stopping answers what is under way, and tells each session once")
def stopping():
  for turn in ["stop", "close", "quit"]:
    with Program(SERVE) as page:
      browsers = [page.open() for _ in range(8)]
      held = [browsers[number % 4].stream() for number in range(12)]
      for connection in held:
        wait_for(connection, b"\r\n\r\n")
      counts, broken, is_over = [0] * 8, [], threading.Event()

      def load(number):
        browser = browsers[number]
        while not is_over.is_set():
          try:
            answer = browser.get("/style.css")
          except OSError:
            return
          if answer.status == 200 and len(answer.body) != int(answer.headers["content-length"]):
            broken.append(answer)
          if answer.status != 200:
            return
          counts[number] += 1

      threads = [threading.Thread(target=load, args=[number]) for number in range(8)]
      for thread in threads:
        thread.start()
      time.sleep(0.5)
      started = time.monotonic()
      if turn == "quit":
        page.process.stdin.close()
        page.process.wait(20)
      else:
        assert page.tell(turn).startswith("ok")
      took = time.monotonic() - started
      is_over.set()
      for thread in threads:
        thread.join(20)
      assert took < 3 and not broken and min(counts) > 0, (turn, took, broken[:1], counts)
      assert wait_until(lambda: len(page.ends) == 9), page.ends
      assert sorted(page.ends) == ["destroyed"] + ["finished 3 0"] * 8 and page.ends[-1] == "destroyed", page.ends
      for connection in held:
        assert wait_for_end(connection), turn
      if turn == "stop":
        assert page.tell("stop").startswith(("ok", "error"))
        try:
          assert exchange(page, browsers[0].head("GET", "/")).status is None
        except OSError:
          pass


def wait_for_end(connection, most=5_000_000):
  """Whether it ends, after so many bytes at most."""
  connection.settimeout(5)
  try:
    while most > 0 and (part := connection.recv(65536)):
      most -= len(part)
    return most > 0
  except ConnectionError:
    pass
  except TimeoutError:
    return False
  return True


@promise("a socket of the system serves a web server in front, for this user alone")
def unix_sockets():
  with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "page")
    for turn in range(2):
      if turn == 1:
        # One that was left behind is replaced.
        left = socket.socket(socket.AF_UNIX)
        left.bind(path)
        left.close()
      with Program(SERVE, f"unix_socket={path}", "hosts=kiosk.example:443") as page:
        page.socket_path, page.port = path, 0
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        with Program(SERVE, f"unix_socket={path}") as second:
          assert second.greeting.startswith("error -10 ") or "in use" in second.greeting, second.greeting
        answer = exchange(page, f"GET /open/{page.token} HTTP/1.1\r\nHost: kiosk.example\r\n\r\n".encode())
        assert answer.status == 303, answer
        assert exchange(page, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 421
      assert not os.path.exists(path)
    pathlib.Path(path).write_text("mine")
    with Program(SERVE, f"unix_socket={path}") as page:
      assert page.greeting.startswith("error"), page.greeting
    assert pathlib.Path(path).read_text() == "mine"


@promise("it listens where it may, and says why not")
def listening():
  for options in [["listen=0.0.0.0:0"], ["listen=[::]:0"], ["listen=192.0.2.1:0", "pin=2468"], ["listen=127.0.0.1"], ["listen=:0"],
                  ["listen=127.1:0"], ["listen=127.0.0.1:70000"], ["listen=example.com:80"], ["listen=[::1]"], ["listen=127.0.0.1:+1"],
                  ["hosts=a/b"], ["hosts=a:b"], ["idle_s=9"], ["unix_socket=" + "a" * 200], ["unix_socket=/nowhere/at/all"]]:
    with Program(SERVE, *options) as page:
      assert page.greeting.startswith("error -1 "), (options, page.greeting)
  with Program(SERVE) as page, Program(SERVE, f"listen=127.0.0.1:{page.port}") as second:
    assert "in use" in second.greeting, second.greeting
  with Program(SERVE, "listen=[::1]:0") as page:
    assert page.host == "[::1]"
    expect(page.open().get("/"), 200)
  with Program(SERVE, "listen=0.0.0.0:0", "pin=2468") as page:
    page_at = f"127.0.0.1:{page.port}"
    page.host = "127.0.0.1"
    browser = Browser(page)
    expect(browser.post("/pin", "pin=2468", f"Origin: http://{page_at}"), 303)
    expect(browser.get("/"), 200)
    expect(browser.get("/", host=f"0.0.0.0:{page.port}"), 421)


@promise("what is known already is not sent again, and text is compressed")
def caching():
  import zlib
  with Program(SERVE) as page:
    browser = page.open()
    plain = expect(browser.get("/style.css"), 200)
    assert plain.headers["cache-control"] == "private, no-cache" and "content-encoding" not in plain.headers
    # It is open to all, since what the gate shows needs it.
    expect(Browser(page).get("/style.css"), 200)
    expect(Browser(page).post("/style.css", ""), 403)
    packed = expect(browser.get("/style.css", "Accept-Encoding: br, gzip;q=0.8"), 200)
    assert packed.headers["content-encoding"] == "gzip" and zlib.decompress(packed.body, 31) == plain.body
    assert packed.headers["etag"] != plain.headers["etag"] and packed.headers["vary"] == "Accept-Encoding"
    for encoding in ["gzip;q=0", "gzip; q=0.000", "identity", "xgzip"]:
      assert "content-encoding" not in browser.get("/style.css", f"Accept-Encoding: {encoding}").headers, encoding
    for answer in [plain, packed]:
      for known in [answer.headers["etag"], "W/" + answer.headers["etag"], '"x", ' + answer.headers["etag"], "*"]:
        again = expect(browser.get("/style.css", f"If-None-Match: {known}"), 304)
        assert again.body == b"", known
    expect(browser.get("/style.css", 'If-None-Match: "x"'), 200)
    expect(browser.get("/", "If-None-Match: *"), 200)
    assert browser.get("/").headers["cache-control"] == "no-store"


def main():
  wanted = sys.argv[2] if len(sys.argv) > 2 else ""
  failed = passed = 0
  for text, function in TESTS:
    if wanted not in text:
      continue
    started = time.monotonic()
    try:
      function()
      passed += 1
      print(f"ok   {text} ({time.monotonic() - started:.1f} s)", flush=True)
    except Exception:
      failed += 1
      print(f"FAIL {text}\n{traceback.format_exc()}", flush=True)
  print(f"{passed} passed, {failed} failed")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
