"""Fetches one image, or with --mock takes a transport that needs no network: image.py STORE URL [--mock]"""

import base64
import sys

import livery
import livery.fetch
from livery.testing import Answer, ScriptedTransport

GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=")

path, url = sys.argv[1:3]
with livery.open(path, create=True) as store:
  if "--mock" in sys.argv:
    livery.fetch.set_transport(store, ScriptedTransport({url: Answer(body=GIF, headers={"Cache-Control": "max-age=600"})}))
  image = livery.fetch.get(store, url)
  print(f"{image.id} {image.type}, {len(image.data)} bytes, {image.source.name.lower()}")
