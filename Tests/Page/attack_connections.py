"""Connections, guesses and sessions: too many, too slow, and at the end."""
import os
import pathlib
import re
import socket
import stat
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from browser import Answer, Browser, Program, connect, exchange, receive, wait_for
from promises import SERVE, expect, is_closed, promise, wait_for_end, wait_until


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
    same = [connect(page, "127.0.0.9") for _ in range(240)]
    time.sleep(0.2)
    open_ones = sum(not is_closed(connection) for connection in same)
    assert open_ones == 192, open_ones
    expect(browser.get("/"), 200)
    for connection in [*held, *same, early]:
      connection.close()
    time.sleep(0.2)
    again = [connect(page, "127.0.0.9") for _ in range(60)]
    for connection in again:
      connection.sendall(browser.head("GET", "/"))
      assert receive(connection).status == 200
      connection.close()


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


@promise("bodies that are announced and do not come keep nobody from saving, or from giving a PIN")
def announced():
  with Program(SERVE, "pin=2468") as page:
    owner = Browser(page)
    expect(owner.post("/pin", "pin=2468"), 303)
    owner.csrf = re.search(rb'name="csrf" value="([^"]+)"', owner.get("/").body)[1].decode()
    stalled = []
    for _ in range(8):
      connection = connect(page)
      head = ["Content-Type: multipart/form-data; boundary=xx", f"Content-Length: {64 << 20}", f"X-Livery-CSRF: {owner.csrf}"]
      connection.sendall(owner.head("POST", "/at/0", head) + b"--xx")
      stalled.append(connection)
    time.sleep(0.3)
    expect(owner.post("/nothing", f"csrf={owner.csrf}"), 404)
    expect(Browser(page).post("/pin", "pin=2468"), 303)
    # What has come takes room, and what is small has it all the same.
    for connection in stalled[:2]:
      connection.sendall(b"x" * (60 << 20))
    expect(owner.post("/nothing", f"csrf={owner.csrf}&a=" + "x" * 9000), 404)
    expect(owner.post("/nothing", f"csrf={owner.csrf}&a=" + "x" * 1000000), 404)
    for connection in stalled:
      connection.close()
    # Of three for which there is no room together one goes, and the others come to their end.
    three = []
    for _ in range(3):
      connection = connect(page, timeout=30)
      connection.sendall(owner.head("POST", "/nothing", [*head[:1], f"Content-Length: {60 << 20}", *head[2:]]))
      three.append(connection)
    for _ in range(60):
      for connection in three:
        connection.sendall(b"x" * (1 << 20))
    # Malformed, which is looked at once all of it is there.
    assert sorted(receive(connection).status for connection in three) == [400, 400, 503]
    for connection in three:
      connection.close()


@promise("a wrong PIN takes as long where none is set, and a long one is refused")
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


@promise("events come to every browser, and end with its session")
def streams():
  with Program(SERVE) as page:
    browser, other = page.open(), page.open()
    first, second, slow = browser.stream(), other.stream(), browser.stream()
    for connection in [first, second, slow]:
      head = wait_for(connection, b"\r\n\r\n")
      assert b"200 OK" in head and b"text/event-stream" in head and b"no-store" in head and b"gzip" not in head
    page.tell("set a 1")
    for connection in [first, second]:
      wait_for(connection, b"event:")
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
    switches = page.switches(True)
    time.sleep(5)
    woken = page.switches(True) - switches
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
      switches = page.switches(state == "a stream")
      time.sleep(5)
      woken = page.switches(state == "a stream") - switches
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
        # Browsers come by https, and keep it for that.
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("__Host-livery=") and cookie.endswith("; Secure"), cookie
        assert exchange(page, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 421
      assert not os.path.exists(path)
    pathlib.Path(path).write_text("mine")
    with Program(SERVE, f"unix_socket={path}") as page:
      assert page.greeting.startswith("error"), page.greeting
    assert pathlib.Path(path).read_text() == "mine"


@promise("of several that find an abandoned socket at once one listens there")
def heirs():
  with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(8) as pool:
    path = os.path.join(folder, "page")
    for _ in range(12):
      with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
      programs = list(pool.map(lambda _: Program(SERVE, f"unix_socket={path}"), range(8)))
      try:
        listening = [page for page in programs if page.token]
        assert len(listening) == 1, [page.greeting for page in programs]
        page = listening[0]
        page.socket_path, page.port = path, 0
        assert exchange(page, f"GET /open/{page.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()).status == 303
        assert os.listdir(folder) == ["page"]
      finally:
        for page in programs:
          page.__exit__()
      assert os.listdir(folder) == []


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
