"""Files that programs of this package write."""

from __future__ import annotations

import os


def store(path: str, data: bytes) -> None:
  """Write a file whole, and only if it changed, so that a build does no more than it must."""
  try:
    with open(path, "rb") as file:
      if file.read() == data:
        return
  except FileNotFoundError:
    pass
  temporary = f"{path}.{os.getpid()}.new"
  try:
    with open(temporary, "wb") as file:
      file.write(data)
    os.replace(temporary, path)
  except OSError:
    if os.path.exists(temporary):
      os.unlink(temporary)
    raise
