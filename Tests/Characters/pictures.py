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


def picture(desktop, origin, folder, name, size, use, chosen=None, typed=None, end_of_network=None):
  with tempfile.TemporaryDirectory() as store:
    app = App(desktop, Path(store) / "store", origin, size, use)
    app.find("image", "Image of")
    if end_of_network:
      # Until all images are in the store.
      time.sleep(3)
      app.stop()
      end_of_network()
      app = App(desktop, Path(store) / "store", origin, size, use)
      app.find("image", "Image of")
    if typed:
      app.enter(typed)
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


class Server(serve.Server):
  """One that runs until it is ended."""

  def __enter__(self):
    threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    return super().__enter__()

  def end(self):
    self.shutdown()
    self.server_close()


def main():
  folder = Path(sys.argv[1])
  folder.mkdir(parents=True, exist_ok=True)
  with tempfile.TemporaryDirectory() as work, Desktop(work) as desktop:
    with Server() as server:
      for use in (conftest.LIGHTHOUSE, conftest.ORCHARD):
        name = use.rpartition(".")[2]
        picture(desktop, server.origin, folder, f"{name}-tablet", conftest.TABLET, use, "Dorian" if name == "lighthouse" else "Edda")
        picture(desktop, server.origin, folder, f"{name}-phone", conftest.PHONE, use)
      server.count = 1000
      picture(desktop, server.origin, folder, "lighthouse-search-tablet", conftest.TABLET, conftest.LIGHTHOUSE, "Castellan II", "castellan")
      picture(desktop, server.origin, folder, "orchard-search-phone", conftest.PHONE, conftest.ORCHARD, typed="gate")
      server.shutdown()
    for name, size, use, chosen in (("lighthouse-offline-phone", conftest.PHONE, conftest.LIGHTHOUSE, None),
                                    ("orchard-offline-tablet", conftest.TABLET, conftest.ORCHARD, "Iris")):
      with Server() as server:
        picture(desktop, server.origin, folder, name, size, use, chosen, end_of_network=server.end)


if __name__ == "__main__":
  main()
  sys.stdout.flush()
  os._exit(0)
