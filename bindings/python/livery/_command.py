"""What the programs of this package share: how they tell of their options and of what fails, and how they write files."""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
import stat
import sys
from typing import Any, Iterable, NoReturn, Optional

from . import __version__

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_PLACE = re.compile(r" at line \d+, column \d+\Z")
#: Failures of the operating system that have a status of their own, as `livery` tells those of files.
_STATUSES = {
  errno.ENOENT: "NOT_FOUND", errno.ENOTDIR: "NOT_FOUND", errno.EACCES: "PERMISSION", errno.EPERM: "PERMISSION", errno.EROFS: "PERMISSION",
  errno.ENOSPC: "NO_SPACE", errno.EDQUOT: "NO_SPACE",
}


class _Version(argparse.Action):
  """`--version`: prints it, and ends the program."""

  def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
    try:
      tell(f"{parser.prog} {__version__}\n".encode())
    except OSError as error:
      parser.exit(8, failure_of(error, "") + "\n")
    parser.exit()


class Parser(argparse.ArgumentParser):
  """Options, told of as the other programs of `livery` tell of theirs."""

  def __init__(self, name: str, text: str, usage_text: str) -> None:
    #: Whether mistakes are told in JSON as well.
    self.is_json = False
    self._text, self._usage_text = text, f"usage: livery {name} {usage_text}\n"
    super().__init__(prog=f"livery {name}", allow_abbrev=False)
    self.add_argument("--version", nargs=0, action=_Version)

  def format_help(self) -> str:
    return self._text

  def format_usage(self) -> str:
    return self._usage_text

  def print_help(self, file: Any = None) -> None:
    if file is not None:
      super().print_help(file)
      return
    try:
      tell(self.format_help().encode())
    except OSError as error:
      self.exit(8, failure_of(error, "") + "\n")

  def error(self, message: str) -> NoReturn:
    message = printable(message)
    if self.is_json:
      _tell_json("INVALID_ARGUMENT", message)
    super().error(message)


def printable(text: str) -> str:
  """A text in one line that changes nothing else of a terminal than that line."""
  return _CONTROL.sub(lambda match: "\\u%04x" % ord(match.group()), text)


def without_place(message: str) -> str:
  """What the library says of a text, without the line and column behind it: messages begin with these."""
  return _PLACE.sub("", message)


def input_file(path: str) -> str:
  """A file that is read; `-` is standard input."""
  return "/dev/stdin" if path == "-" else path


def complain(message: str, status: str, is_json: bool) -> None:
  """Tell what failed in a line on standard error, and in JSON also as an object with its status, as the other programs do."""
  message = printable(message)
  print(message, file=sys.stderr)
  if is_json:
    _tell_json(status, message)


def _tell_json(status: str, message: str) -> None:
  told = {"error": {"status": f"LIVERY_ERROR_{status}", "message": message}}
  try:
    tell((json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n").encode())
  except OSError:
    # Standard error has it, and the exit status is one of failure already.
    pass


def status_of(error: OSError) -> str:
  """The status that stands for a failure of the operating system."""
  return _STATUSES.get(error.errno or 0, "IO")


def failure_of(error: OSError, path: str) -> str:
  """What a failure of the operating system is told as, of a path where it names none; those that the library met say of what they are."""
  return f"{error.filename or path}: {error.strerror}" if error.strerror else str(error)


def is_among(path: str, files: Iterable[Optional[str]]) -> bool:
  """Whether a file that is to be written is one of those that were read, also by another path or a link."""
  return os.path.isfile(path) and any(one and os.path.isfile(one) and os.path.samefile(path, one) for one in files)


def store(path: str, data: bytes) -> None:
  """Write a file whole, and only if it changed, so that a build does no more than it must; devices and pipes take it as it is.

  Its mode stays, and one that this user may not write is left alone.
  """
  try:
    there = os.stat(path)
  except FileNotFoundError:
    there = None
  if there and not stat.S_ISREG(there.st_mode):
    with open(path, "wb") as file:
      file.write(data)
    return
  # A link stays one.
  given, path = path, os.path.realpath(path)
  if there and there.st_size == len(data):
    with open(path, "rb") as file:
      if file.read() == data:
        return
  if there and not os.access(path, os.W_OK):
    raise OSError(errno.EACCES, os.strerror(errno.EACCES), given)
  temporary = f"{path}.{os.getpid()}.new"
  try:
    with open(temporary, "wb") as file:
      # Before there is anything in it to be read.
      if there:
        os.fchmod(file.fileno(), stat.S_IMODE(there.st_mode))
      file.write(data)
    os.replace(temporary, path)
  except OSError as error:
    if os.path.exists(temporary):
      os.unlink(temporary)
    # The name that was asked for: nobody knows the other.
    raise OSError(error.errno, error.strerror, given) from None


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
