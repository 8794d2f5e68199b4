"""What the programs of this package share: how they tell of their options, and how they write files."""

from __future__ import annotations

import argparse
import os


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
