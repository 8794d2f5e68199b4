#!/usr/bin/env python3
"""Packs the inputs of a target into Tests/Fuzz/corpus/TARGET.txt, and unpacks them.

    pack.py pack TARGET FOLDER       keeps the files of a folder, and nothing else
    pack.py unpack TARGET FOLDER     writes each input into a file of its own

Each line is an input. A backslash and two hexadecimal digits stand for a byte that is not printable ASCII, and for a
backslash. Shorter inputs come first, those of one length in the order of their bytes, and none twice: the same inputs make
the same file.
"""
import argparse
import hashlib
import pathlib
import re
import sys

CORPUS = pathlib.Path(__file__).with_name("corpus")
LINE = re.compile(r"(?:[ -\[\]-~]|\\[0-9a-f]{2})*")


def encode(inputs):
  """The text for inputs."""
  return "".join(line(content) + "\n" for content in sorted(set(inputs), key=lambda content: (len(content), content)))


def line(content):
  return re.sub(r"[^ -\[\]-~]", lambda found: f"\\{ord(found[0]):02x}", content.decode("latin-1"))


def decode(text):
  """The inputs of a text; ValueError for one that encode does not make."""
  lines = text.split("\n")
  for number, found in enumerate(lines, 1):
    if not LINE.fullmatch(found):
      raise ValueError(f"line {number} is no input")
  inputs = [re.sub(r"\\(..)", lambda digits: chr(int(digits[1], 16)), found).encode("latin-1") for found in lines[:-1]]
  if encode(inputs) != text:
    raise ValueError("an input is out of order, there twice or written another way, or the last line has no end")
  return inputs


def path(target):
  return CORPUS / f"{target}.txt"


def load(target):
  """What is kept for a target; nothing for a new one."""
  return decode(path(target).read_text(encoding="utf-8")) if path(target).exists() else []


def pack(target, folder):
  CORPUS.mkdir(exist_ok=True)
  path(target).write_text(encode(file.read_bytes() for file in pathlib.Path(folder).iterdir()), encoding="utf-8")


def unpack(target, folder):
  """Names the files as libFuzzer does."""
  folder = pathlib.Path(folder)
  folder.mkdir(parents=True, exist_ok=True)
  for content in load(target):
    (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("action", choices=["pack", "unpack"])
  parser.add_argument("target", metavar="TARGET")
  parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
  arguments = parser.parse_args()
  {"pack": pack, "unpack": unpack}[arguments.action](arguments.target, arguments.folder)


if __name__ == "__main__":
  sys.exit(main())
