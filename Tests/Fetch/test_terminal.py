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
