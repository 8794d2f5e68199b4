"""What the programs of this package share: how they tell of their options, and how they write files."""

from __future__ import annotations

import argparse
import errno
import os
import stat
import sys


class Parser(argparse.ArgumentParser):
  """Options, told of as the other programs of `livery` tell of theirs."""

  def __init__(self, name: str, text: str, usage_text: str) -> None:
    self._text, self._usage_text = text, f"usage: livery {name} {usage_text}\n"
    super().__init__(prog=f"livery {name}", allow_abbrev=False)

  def format_help(self) -> str:
    return self._text

  def format_usage(self) -> str:
    return self._usage_text


def store(path: str, data: bytes) -> None:
  """Write a file whole, and only if it changed, so that a build does no more than it must; devices and pipes take it as it is."""
  try:
    there = os.stat(path)
  except FileNotFoundError:
    there = None
  if there and not stat.S_ISREG(there.st_mode):
    with open(path, "wb") as file:
      file.write(data)
    return
  # A link stays one.
  path = os.path.realpath(path)
  if there and there.st_size == len(data):
    with open(path, "rb") as file:
      if file.read() == data:
        return
  temporary = f"{path}.{os.getpid()}.new"
  try:
    with open(temporary, "wb") as file:
      file.write(data)
    os.replace(temporary, path)
  except OSError:
    if os.path.exists(temporary):
      os.unlink(temporary)
    raise


def tell(data: bytes) -> None:
  """Write to standard output, all of it now; OSError names it."""
  # A program that was started without one has none.
  if sys.stdout is None:
    raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard output")
  try:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
  except OSError as error:
    # What it did not take is tried again at the end of the program, and would be told twice.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise OSError(error.errno, error.strerror, "standard output") from None
