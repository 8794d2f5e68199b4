"""Takes a picture for a badge with a camera of its own: badge.py STORE PICTURE, where the picture stands for the camera."""

import asyncio
import sys
from pathlib import Path

import livery
import livery.picker


class Booth(livery.picker.Camera):
  """A real one would start its camera here, and hand over the picture when it has come."""

  def take(self, shot, width, height):
    shot.taken(Path(sys.argv[2]).read_bytes())


async def ask_person(source, known):
  print(f"May the {source.name.lower()} be used? Yes.")
  return True


async def main():
  with livery.open(sys.argv[1], create=True) as store:
    store.set("usage.camera", "Your picture is printed on your badge, and goes when you leave.")
    livery.picker.set_camera(store, Booth())
    picked = await livery.picker.pick(store, "camera", size=(1280, 720), setting="badge.picture", permission=ask_person)
    print(f"the badge shows {picked.asset}, {picked.info['width']} × {picked.info['height']}")


asyncio.run(main())
