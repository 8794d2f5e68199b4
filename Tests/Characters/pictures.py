#!/usr/bin/env python3
"""Makes the pictures of examples/characters/README.md: pictures.py FOLDER"""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import conftest  # Finds the package and the library.
import serve
from driver import App, Desktop


def picture(desktop, origin, folder, name, size, use, chosen=None):
  with tempfile.TemporaryDirectory() as store:
    app = App(desktop, Path(store) / "store", origin, size, use)
    app.find("image", "Image of")
    if chosen:
      app.press(app.find("list item", chosen))
    # Until what moves has come to rest.
    time.sleep(1.5)
    data = desktop.png(*size)
    app.stop()
  if len(data) > 60 * 1024:
    sys.exit(f"pictures.py: {name} has {len(data)} bytes, which is too much for a page")
  (folder / f"{name}.png").write_bytes(data)
  print(folder / f"{name}.png", len(data))


def main():
  folder = Path(sys.argv[1])
  folder.mkdir(parents=True, exist_ok=True)
  with tempfile.TemporaryDirectory() as work, serve.Server() as server, Desktop(work) as desktop:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for use in (conftest.LIGHTHOUSE, conftest.ORCHARD):
      name = use.rpartition(".")[2]
      picture(desktop, server.origin, folder, f"{name}-tablet", conftest.TABLET, use, "Dorian" if name == "lighthouse" else "Edda")
      picture(desktop, server.origin, folder, f"{name}-phone", conftest.PHONE, use)
    server.shutdown()


if __name__ == "__main__":
  main()
  sys.stdout.flush()
  os._exit(0)
