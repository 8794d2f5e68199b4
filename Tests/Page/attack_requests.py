"""Requests that no browser sends, and that others make one send."""
import os
import re
import time
import zlib

from browser import Browser, Program, connect, exchange, receive, wait_for
from promises import SERVE, expect, promise, wait_until


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


@promise("64 links are good at a time, and twice as many sessions")
def many_links():
  with Program(SERVE) as page:
    tokens = [page.link() for _ in range(64)]
    expect(Browser(page).get(f"/open/{page.token}"), 403)
    for token in tokens:
      expect(Browser(page).get(f"/open/{token}"), 303)
    for _ in range(64):
      expect(Browser(page).get(f"/open/{page.link()}"), 303)
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
      assert answer.status == (400 if len(headers) == 2 and foreign in headers[1] else 403), (body, headers, answer)
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
    # Short, and more arguments than there is memory for.
    started = time.monotonic()
    assert exchange(page, browser.head("GET", "/?" + "a&" * 1000)).status == 414
    assert time.monotonic() - started < 5
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
        (b"--xx\r\nContent-Disposition: attachment; name=a\r\n\r\nb\r\n--xx--", "xx"),
        (b"--\r\n" + disposition + b"\r\n\r\nb\r\n----", '""'),
        (b"--xx\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nb\r\n--xx--", "xx"),
        ((b"--xx\r\n" + disposition + b"\r\n\r\n\r\n") * 20001 + b"--xx--", "xx"), (b"--" + b"x" * 71, "x" * 71)]:
      answer = browser.upload("/nothing", body, boundary=boundary)
      assert answer.status == (404 if body == b"" else 400), (body[:100], boundary, answer)
    expect(browser.post("/nothing", f'{{"csrf":"{browser.csrf}"}}', f"X-Livery-CSRF: {browser.csrf}", kind="application/json"), 400)


@promise("what is known already is not sent again, and text is compressed")
def caching():
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
    # By the address that names its content it is asked for once.
    for name in ["style.css", "brand.css", "script.js"]:
      version = browser.get(f"/{name}").headers["etag"].strip('"')
      assert f'"/{name}?v={version}"'.encode() in browser.get("/").body, name
      assert browser.get(f"/{name}?v={version}").headers["cache-control"] == "private, max-age=31536000, immutable", name
      for other in ["x", ""]:
        assert browser.get(f"/{name}?v={other}").headers["cache-control"] == "private, no-cache", (name, other)
    expect(browser.get("/", "If-None-Match: *"), 200)
    assert browser.get("/").headers["cache-control"] == "no-store"
