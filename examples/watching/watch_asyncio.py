"""Follows the volume in asyncio, until it is 0.

    python3 watch_asyncio.py STORE
"""

import asyncio
import sys

import livery


async def follow(path: str) -> None:
  with livery.open(path, read_only=True) as store:
    async with store.watch_async("volume", initial=True) as events:
      async for event in events:
        if event.kind == livery.EventKind.RESYNC:
          print("changes were missed: read anew", flush=True)
        elif event.kind == livery.EventKind.INITIAL:
          print(f"volume is {event.new}", flush=True)
        else:
          print(f"volume: {event.old} -> {event.new}", flush=True)
        if event.new == 0:
          return


if __name__ == "__main__":
  if len(sys.argv) != 2:
    sys.exit("usage: watch_asyncio.py STORE")
  asyncio.run(follow(sys.argv[1]))
