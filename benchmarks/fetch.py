#!/usr/bin/env python3
"""Measures fetching from a server on loopback: a brand of many images beside curl, starting without a network, and revalidating.

    benchmarks/fetch.py [--build FOLDER] [--rounds NUMBER] [--images NUMBER] [--folder FOLDER] [--json FILE]

The server is nginx. Medians of several rounds in which all that is compared takes turns; the bars are what fetching asks of itself.
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PNG = (ROOT / "Tests" / "Fixtures" / "images" / "rgba.png").read_bytes()
sys.path[:0] = [str(ROOT / "bindings" / "python")]
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"

CONFIGURATION = """
{user}worker_processes 1; daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nodelay on; keepalive_requests 100000; types {{ image/png png; }}
  client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; root {folder}/files; }}
}}
"""

# What a program does that shows a hundred images, without a network.
START = """
#include <livery/fetch.h>
#include <stdio.h>

int main(int count, char **words) {
  livery_store *store = NULL;
  if (livery_open(words[1], NULL, &store) != LIVERY_OK) return 1;
  for (int number = 0; number < 100; number++) {
    char name[20];
    snprintf(name, sizeof name, "i%d", number);
    livery_value *image = NULL, *member = NULL;
    const char *text = NULL;
    void *bytes = NULL;
    size_t length = 0;
    if (livery_branding_image(store, name, NULL, &image) != LIVERY_OK) return 2;
    if (livery_value_member(image, "image", &member) != LIVERY_OK || livery_value_as_string(member, &text, NULL) != LIVERY_OK) return 3;
    if (livery_asset_get(store, text, &bytes, &length) != LIVERY_OK || length < 20000) return 4;
    livery_free(bytes);
    livery_value_release(member);
    livery_value_release(image);
  }
  // So that the library is linked, and does not begin anything.
  if (count > 2) livery_fetch_cancel(NULL);
  return livery_close(store) == LIVERY_OK ? 0 : 5;
}
"""


class Server:
  """nginx with so many images of 20 KB."""

  def __init__(self, folder, count):
    self.folder = folder
    (folder / "files").mkdir(parents=True)
    for number in range(count):
      (folder / "files" / f"{number}.png").write_bytes(image(number))
    with socket.socket() as free:
      free.bind(("127.0.0.1", 0))
      self.port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=self.port, user="user root; " if os.getuid() == 0 else ""))
    self.program = subprocess.Popen(["nginx", "-c", folder / "nginx.conf", "-p", folder], stderr=subprocess.DEVNULL)
    for _ in range(200):
      with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", self.port)) == 0:
          return
      time.sleep(0.02)
    raise SystemExit("benchmarks/fetch.py: nginx does not answer")

  def url(self, number):
    return f"http://127.0.0.1:{self.port}/{number}.png"

  def close(self):
    self.program.terminate()
    self.program.wait()


def image(number):
  """An image of 20 KB, unlike all others."""
  return PNG + number.to_bytes(8, "big") * ((20_480 - len(PNG)) // 8)


def timed(body):
  begun = time.perf_counter()
  body()
  return time.perf_counter() - begun


def with_curl(server, folder, count):
  target = pathlib.Path(tempfile.mkdtemp(dir=folder))
  command = ["curl", "-s", "--fail", "--no-progress-meter", "--parallel", "--parallel-max", "16", f"http://127.0.0.1:{server.port}/[0-{count - 1}].png", "-o",
             str(target / "#1.png")]
  try:
    taken = timed(lambda: subprocess.run(command, check=True))
    assert len(list(target.iterdir())) == count
  finally:
    shutil.rmtree(target)
  return taken


class Opened:
  """A store of its own in a folder."""

  def __init__(self, livery, folder):
    self.path = pathlib.Path(tempfile.mkdtemp(dir=folder))
    self.store = livery.open(self.path / "store", create=True)

  def __enter__(self):
    return self.store

  def __exit__(self, *_):
    self.store.close()
    shutil.rmtree(self.path)


def set_images(store, urls):
  with store.change("bundle") as change:
    for number, url in enumerate(urls):
      change.set(f"branding.image.i{number}", [{"image": url}])


def as_brand(livery, server, folder, count):
  with Opened(livery, folder) as store:
    set_images(store, [server.url(number) for number in range(count)])
    reports = []
    taken = timed(lambda: reports.append(livery.fetch.brand(store).result(120)))
    assert reports[0]["ready"] == count and reports[0]["committed"], [i for i in reports[0]["images"] if i["state"] != "ready"][:2]
  return taken


def one_by_one(livery, server, folder, count):
  """Each by itself, all begun at once."""
  with Opened(livery, folder) as store:
    def fetch():
      for running in [livery.fetch.start(store, server.url(number)) for number in range(count)]:
        running.result(120)
    return timed(fetch)


def revalidated(livery, server, folder, count):
  """Seconds, bytes of bodies and commits of a round in which nothing is new."""
  with Opened(livery, folder) as store:
    set_images(store, [server.url(number) for number in range(count)])
    livery.fetch.brand(store).result(120)
    before = store.revision
    taken = timed(lambda: livery.fetch.brand(store, revalidate=True).result(120))
    commits = store.revision - before
    received = sum(livery.fetch.get(store, server.url(number), revalidate=True).received for number in range(20))
  return taken, received, commits


def compile_start(build, folder):
  (folder / "start.c").write_text(START)
  for name, libraries in (("remote", ["-llivery-fetch"]), ("files", [])):
    source = (folder / "start.c").read_text()
    (folder / f"{name}.c").write_text(source if libraries else source.replace("  if (count > 2) livery_fetch_cancel(NULL);", "  (void)count;"))
    subprocess.run(["cc", "-O2", "-I", ROOT / "include", folder / f"{name}.c", "-o", folder / name, "-L", build, *libraries, "-llivery",
                    f"-Wl,-rpath,{build}"], check=True)


def starts(livery, build, server, folder, rounds):
  """Starts of a program with a hundred images: fetched, without a network by then, and put from files."""
  work = pathlib.Path(tempfile.mkdtemp(dir=folder))
  compile_start(build, work)
  for name in ("remote", "files"):
    with livery.open(work / f"{name}-store", create=True) as store:
      if name == "remote":
        set_images(store, [server.url(number) for number in range(100)])
        livery.fetch.brand(store).result(60)
      else:
        set_images(store, [livery.Image(store.assets.put(image(number))) for number in range(100)])
  # The network is not asked, and is not there.
  alone = ["unshare", "-rn"] if subprocess.run(["unshare", "-rn", "true"], stderr=subprocess.DEVNULL).returncode == 0 else []
  taken = {"remote": [], "files": []}
  script = "i=0; while [ $i -lt 20 ]; do \"$0\" \"$1\" || exit 1; i=$((i+1)); done"
  for number in range(rounds * 4):
    for name in (("remote", "files"), ("files", "remote"))[number % 2]:
      command = [*alone, "sh", "-c", script, str(work / name), str(work / f"{name}-store")]
      taken[name].append(timed(lambda: subprocess.run(command, check=True)) / 20)
  shutil.rmtree(work)
  return {name: statistics.median(values) for name, values in taken.items()}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
  parser.add_argument("--rounds", type=int, default=5)
  parser.add_argument("--images", type=int, default=1000)
  parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/var/tmp"), help="on a disk")
  parser.add_argument("--json", type=pathlib.Path)
  arguments = parser.parse_args()
  os.environ.setdefault("LIVERY_LIBRARY", str(arguments.build / "liblivery.so"))
  import livery
  import livery.fetch
  figures = {}
  with tempfile.TemporaryDirectory(prefix="livery-fetch-") as folder:
    server = Server(pathlib.Path(folder), arguments.images)
    try:
      for place, target in (("disk", arguments.folder), ("tmpfs", pathlib.Path("/dev/shm"))):
        ways = {"curl": with_curl, "brand": lambda *rest: as_brand(livery, *rest), "single": lambda *rest: one_by_one(livery, *rest)}
        taken = {name: [] for name in ways}
        for _ in range(arguments.rounds):
          for name, way in ways.items():
            taken[name].append(way(server, target, arguments.images))
        medians = {name: statistics.median(values) for name, values in taken.items()}
        figures[f"{place}: curl --parallel, {arguments.images} images [ms]"] = medians["curl"] * 1000
        figures[f"{place}: brand / curl, at most 1.5"] = medians["brand"] / medians["curl"]
        figures[f"{place}: single fetches / curl"] = medians["single"] / medians["curl"]
      again = [revalidated(livery, server, arguments.folder, 100) for _ in range(3)]
      figures["not modified, 100 images [ms]"] = statistics.median(taken for taken, _, _ in again) * 1000
      figures["not modified: bytes of bodies, 0"] = max(received for _, received, _ in again)
      figures["not modified: commits, 0"] = max(commits for _, _, commits in again)
      started = starts(livery, arguments.build, server, arguments.folder, arguments.rounds)
      figures["start with 100 images from files [ms]"] = started["files"] * 1000
      figures["start with 100 fetched ones / from files, at most 1.05"] = started["remote"] / started["files"]
    finally:
      server.close()
  for name, value in figures.items():
    print(f"{name:60} {value:12.3f}")
  if arguments.json:
    arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
  main()
