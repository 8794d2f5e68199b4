#!/usr/bin/env python3
"""Serves what an API of characters has answered, on loopback: two sets of them, all invented, and their images.

    serve.py [--port PORT] [--count COUNT] [--delay SECONDS]

Prints its origin. ``/?q=lighthouse+characters&format=json`` and ``/?q=orchard+characters&format=json`` are answered in the shape
of DuckDuckGo's instant answers. With a count each set has so many characters, the further ones made of the names that there are.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import struct
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import parse_qs, urlsplit

HERE = Path(__file__).resolve().parent
SETS = ("lighthouse", "orchard")


def answer(name: str, count: int = 0) -> Dict[str, Any]:
  """The recorded answer, with as many characters as are wanted."""
  content: Dict[str, Any] = json.loads((HERE / f"{name}.json").read_text("utf-8"))
  topics: List[Dict[str, Any]] = content["RelatedTopics"]
  people = [topic for entry in topics for topic in entry.get("Topics", [entry])]
  if count:
    parts = [topic["Text"].partition(" - ") for topic in people]
    made = itertools.product([part[0].partition(" ")[0] for part in parts], [part[0].partition(" ")[2] for part in parts], (2, 3))
    for first, last, generation in itertools.islice(made, max(0, count - len(people))):
      person = f"{first} {last} {'I' * generation}"
      path = hashlib.sha256(person.encode()).hexdigest()[:12]
      text = parts[len(topics) % len(parts)][2]
      topics.append({"FirstURL": f"https://{name}.example/{path}", "Icon": {"URL": f"/i/{path}.png"}, "Text": f"{person} - {text}"})
    if count < len(people):
      content["RelatedTopics"] = people[:count]
  return content


def image(name: str, size: int = 96) -> bytes:
  """A PNG that is told from others: the same on both sides, in a color of its own."""
  digest = hashlib.sha256(name.encode()).digest()
  ink = bytes(60 + part % 140 for part in digest[:3])
  paper = bytes(255 - (255 - part) // 4 for part in ink)
  rows = []
  for y in range(size):
    cells = [digest[3 + 3 * (y * 6 // size) + min(x, 5 - x)] % 2 for x in range(6)]
    rows.append(b"\0" + b"".join(ink if cells[x * 6 // size] else paper for x in range(size)))

  def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

  header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
  return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


class Handler(BaseHTTPRequestHandler):
  protocol_version = "HTTP/1.1"
  server: Server

  def do_GET(self) -> None:
    self.server.requests.append(self.path)
    time.sleep(self.server.delay)
    parts = urlsplit(self.path)
    query = parse_qs(parts.query)
    words = " ".join(query.get("q", [])).split()
    known = next((name for name in SETS if name in words), None)
    if parts.path == "/" and known and query.get("format") == ["json"]:
      body = json.dumps(answer(known, self.server.count), ensure_ascii=False).encode()
      self._give(200, "application/x-javascript", body, "max-age=1")
    elif parts.path.startswith("/i/") and parts.path.endswith(".png"):
      self._give(200, "image/png", image(parts.path), "max-age=86400")
    else:
      self._give(404, "text/plain", b"there is no such thing\n", "no-store")

  def _give(self, status: int, kind: str, body: bytes, cache: str) -> None:
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    if status == 200 and self.headers.get("If-None-Match") == tag:
      status, body = 304, b""
    self.send_response(status)
    self.send_header("Content-Type", kind)
    self.send_header("Content-Length", str(len(body)))
    self.send_header("Cache-Control", cache)
    self.send_header("ETag", tag)
    self.end_headers()
    self.wfile.write(body)

  def log_message(self, *_: object) -> None:
    pass


class Server(ThreadingHTTPServer):
  """``requests`` has the paths that were asked for."""

  daemon_threads = True

  def __init__(self, port: int = 0, count: int = 0, delay: float = 0) -> None:
    super().__init__(("127.0.0.1", port), Handler)
    self.count, self.delay = count, delay
    self.requests: List[str] = []

  @property
  def origin(self) -> str:
    return f"http://127.0.0.1:{self.server_address[1]}"


def main() -> None:
  parser = argparse.ArgumentParser(description="Serves characters on loopback.")
  parser.add_argument("--port", type=int, default=8642, help="8642 is that of the variants; 0 is any that is free")
  parser.add_argument("--count", type=int, default=0, metavar="COUNT", help="how many characters each set has, 1000 at most")
  parser.add_argument("--delay", type=float, default=0, metavar="SECONDS", help="before each answer")
  given = parser.parse_args()
  if not 0 <= given.count <= 1000:
    parser.error("--count is from 0 to 1000")
  with Server(given.port, given.count, given.delay) as server:
    print(server.origin, flush=True)
    try:
      server.serve_forever()
    except KeyboardInterrupt:
      pass


if __name__ == "__main__":
  main()
