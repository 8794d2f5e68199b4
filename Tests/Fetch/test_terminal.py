"""What the command shows on a terminal while bytes come: a bar on standard error, which is gone at the end."""

import os
import pty
import re
import subprocess
import time

import livery
from conftest import BUILD, PNG

PROGRAM = BUILD / "livery"
BODY = PNG + bytes(200_000)


def slow(says_length):
  """An image of 200 KB in ten pieces."""
  def answer(handler):
    handler.send_response_only(200)
    if says_length:
      handler.send_header("Content-Length", str(len(BODY)))
    handler.end_headers()
    handler.close_connection = True
    for start in range(0, len(BODY), len(BODY) // 10):
      handler.wfile.write(BODY[start:start + len(BODY) // 10])
      time.sleep(0.05)
  return answer


def on_terminal(*words):
  """Exit status, standard output, and what the terminal got."""
  leader, follower = pty.openpty()
  with subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=follower, stdin=subprocess.DEVNULL) as program:
    os.close(follower)
    shown = b""
    while True:
      try:
        piece = os.read(leader, 4096)
      except OSError:
        break
      if not piece:
        break
      shown += piece
    output = program.stdout.read()
  os.close(leader)
  return program.returncode, output.decode(), shown.decode()


def percents(shown):
  return [int(number) for number in re.findall(r"\r\x1b\[K\[#* *\] +(\d+) %", shown)]


def test_a_brand_has_a_bar(tmp_path, server):
  for name in ("logo", "background"):
    server.answers[f"/{name}.png"] = slow(True)
  with livery.open(tmp_path / "store", create=True) as store:
    store.branding.apply_console({"images": {name: server.url(f"/{name}.png") for name in ("logo", "background")}})
  status, output, shown = on_terminal("brand", "download", "--store", str(tmp_path / "store"))
  assert status == 0 and "2 ready" in output
  seen = percents(shown)
  assert len(seen) > 2 and seen[-1] <= 100 and max(seen) > 50 and min(seen) < 50, shown
  assert shown.endswith("\r\x1b[K"), "the bar stays"
  with livery.open(tmp_path / "store") as store:
    assert store.branding.image("logo")["state"] == "ready"


def test_one_fetch_has_a_bar_and_what_comes_of_unknown_length_counts(tmp_path, server):
  server.answers.update({"/1.png": slow(True), "/unknown.png": slow(False)})
  livery.open(tmp_path / "store", create=True).close()
  words = ["fetch", "--store", str(tmp_path / "store")]
  status, _, shown = on_terminal(*words, server.url("/1.png"))
  assert status == 0 and sorted(percents(shown)) == percents(shown) and len(percents(shown)) > 2
  status, _, shown = on_terminal(*words, server.url("/unknown.png"))
  assert status == 0 and not percents(shown)
  assert re.search(r"\r\x1b\[K\d+ KiB", shown) and shown.endswith("\r\x1b[K")


def test_json_and_a_file_have_none(tmp_path, server):
  server.answers.update({"/1.png": slow(True), "/2.png": slow(True)})
  livery.open(tmp_path / "store", create=True).close()
  status, output, shown = on_terminal("fetch", "--json", "--store", str(tmp_path / "store"), server.url("/1.png"))
  assert status == 0 and output.startswith("{") and shown == ""
  told = subprocess.run([PROGRAM, "fetch", "--store", tmp_path / "store", server.url("/2.png")], capture_output=True, text=True, check=True)
  assert told.stderr == ""


def test_what_is_wrong_is_named(tmp_path, server):
  livery.open(tmp_path / "store", create=True).close()

  def told(*words):
    done = subprocess.run([PROGRAM, *words, "--store", tmp_path / "store"], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr

  status, message = told("fetch", "--wait", "0", server.url("/1.png"))
  assert status == 2 and "--wait takes a number from 1 to 4294967295: 0" in message
  server.answers["/1.png"] = slow(True)
  status, message = told("fetch", "--output", "/nowhere/1.png", server.url("/1.png"))
  assert status == 8 and message == "livery fetch: cannot write /nowhere/1.png: No such file or directory\n"
  with livery.open(tmp_path / "store") as store:
    store.branding.apply_console({"images": {"logo": server.url("/missing.png")}})
  status, message = told("brand", "download")
  assert status == 8 and message.startswith("livery brand download: branding.image.logo: ") and "404" in message


def test_a_signal_ends_it_without_a_word(tmp_path, server):
  livery.open(tmp_path / "store", create=True).close()
  server.answers["/1.png"] = slow(True)
  words = [PROGRAM, "fetch", "--store", tmp_path / "store", server.url("/1.png")]
  with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
    time.sleep(0.25)
    program.terminate()
    output, message = program.communicate(timeout=20)
  assert (program.returncode, output, message) == (1, "", "")
