#!/usr/bin/env python3
"""Reads what a store's file holds by docs/file-format.md alone, and compares with what it should say.

    read_record.py DIRECTORY     with DATABASE.hex (lines of label, key and value) and decoded.txt

Checksums are verified if there is XXH3 to do it with: the package `xxhash`, or libxxhash.
"""
import ctypes
import ctypes.util
import hashlib
import pathlib
import struct
import sys

TAGS = {"meta": 1, "schema": 2, "settings": 3, "assets": 6}
LATEST, LOG_TAG = b".log:", 5
LAYERS = ["defaults", "bundle", "recommended", "user", "session", "enforced", "override"]
TYPES = ["none", "bool", "int", "double", "string", "data", "url", "date", "color", "image", "list", "object"]
MEDIA_TYPES = ["application/octet-stream", "image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"]
CBOR_TAGS = {0: "date", 32: "url", 19523: "color", 19529: "image", 19539: "sealed"}


def find_xxh3():
  try:
    import xxhash
    return lambda data, seed: xxhash.xxh3_64_intdigest(data, seed)
  except ImportError:
    name = ctypes.util.find_library("xxhash")
  if name is None:
    return None
  function = ctypes.CDLL(name).XXH3_64bits_withSeed
  function.restype = ctypes.c_uint64
  function.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
  return lambda data, seed: function(data, len(data), seed)


def cbor(data, at=0):
  """The value at a place, and the place after it."""
  major, small = data[at] >> 5, data[at] & 31
  at += 1
  if major == 7:
    if small in (20, 21):
      return small == 21, at
    size, form = {25: (2, ">e"), 26: (4, ">f"), 27: (8, ">d")}[small]
    return struct.unpack(form, data[at:at + size])[0], at + size
  size = {24: 1, 25: 2, 26: 4, 27: 8}.get(small, 0)
  number = int.from_bytes(data[at:at + size], "big") if size else small
  at += size
  if major == 0:
    return number, at
  if major == 1:
    return -1 - number, at
  if major in (2, 3):
    run = data[at:at + number]
    return (run if major == 2 else run.decode()), at + number
  if major == 6:
    content, at = cbor(data, at)
    return (CBOR_TAGS[number], content), at
  items = []
  for _ in range(number * (major - 3)):
    item, at = cbor(data, at)
    items.append(item)
  return (items if major == 4 else dict(zip(items[::2], items[1::2]))), at


def whole(data):
  value, end = cbor(data)
  assert end == len(data), "bytes follow the CBOR"
  return value


def payload(kind, data):
  if kind in ("list", "object"):
    return whole(data)
  form = {"bool": "<?", "int": "<q", "double": "<d", "date": "<q", "color": "<4f"}.get(kind)
  if form:
    content = struct.unpack(form, data)
    return content[0] if len(content) == 1 else content
  return {"none": None, "data": data}.get(kind, None) if kind in ("none", "data") else data.decode()


def unsqueezed(block, size):
  """The text of a block of LZ4."""
  text, at = bytearray(), 0

  def length(number):
    nonlocal at
    if number == 15:
      byte = 255
      while byte == 255:
        byte, at = block[at], at + 1
        number += byte
    return number

  while at < len(block):
    token, at = block[at], at + 1
    count = length(token >> 4)
    text += block[at:at + count]
    at += count
    if at == len(block):
      break
    distance, at = int.from_bytes(block[at:at + 2], "little"), at + 2
    for _ in range(length(token & 15) + 4):
      text.append(text[-distance])
  assert len(text) == size, "not the text that was squeezed"
  return bytes(text)


class Reader:
  """Reads on from a place in bytes."""

  def __init__(self, data, at):
    self.data, self.at = data, at

  def take(self, count):
    assert self.at + count <= len(self.data), "bytes are missing"
    self.at += count
    return self.data[self.at - count:self.at]

  def byte(self):
    return self.take(1)[0]

  def word(self):
    return struct.unpack("<q", self.take(8))[0]

  def varint(self):
    number, shift = 0, 0
    while True:
      byte = self.byte()
      number |= (byte & 127) << shift
      shift += 7
      if byte < 128:
        return number


def content(kind, is_sealed, data):
  if not is_sealed:
    return f"{TYPES[kind]} {payload(TYPES[kind], data)!r}"
  form, inner, layer = data[:3]
  return f"{TYPES[kind]} sealed form={form} type={TYPES[inner]} of={LAYERS[layer]} bytes={len(data) - 3}"


def entry(reader):
  """What one layer holds, by the names of docs/file-format.md."""
  head = reader.byte()
  flags = reader.byte() if head & 128 else 0
  found = {"layer": LAYERS[head & 7], "type": head >> 3 & 15, "flags": flags, "revision": reader.varint(),
           "time": reader.word(), "origin": reader.take(reader.byte()).decode()}
  found["expires"] = reader.word() if flags & 4 else 0
  found["boot"] = reader.word() % 2**64 if flags & 2 else 0
  size = None if flags & 8 else {1: 1, 2: 8, 3: 8, 7: 8, 8: 16}.get(found["type"])
  found["payload"] = reader.take(reader.varint() if size is None else size)
  return found


def described_entry(found):
  return (f"{found['layer']}: {content(found['type'], found['flags'] & 8, found['payload'])} "
          f"rejected={found['flags'] & 1} revision={found['revision']} time={found['time']} "
          f"expires={found['expires']} boot={found['boot']} origin={found['origin']!r}")


def trial(part):
  """What tells of a trial."""
  reader = Reader(part, 0)
  found = {"boot": reader.word() % 2**64, "began": reader.word(), "deadline": reader.word(), "layers": reader.byte(),
           "revision": reader.varint(), "former": []}
  if not 0 <= found["began"] < found["deadline"] <= found["began"] + 366 * 86_400_000_000:
    raise ValueError("a trial of moments that cannot be")
  while reader.at < len(part):
    found["former"].append(entry(reader))
  return found


def described_trial(found):
  layers = "+".join(name for number, name in enumerate(LAYERS) if found["layers"] >> number & 1)
  former = ", ".join(described_entry(one) for one in found["former"]) or "nothing"
  return (f"on trial {layers} revision={found['revision']} boot={found['boot']} began={found['began']} "
          f"deadline={found['deadline']} before: {former}")


def setting(value):
  """The head of a record, and its entries."""
  reader = Reader(value, 8)
  head = reader.byte()
  assert head & 0xd0 == 16, "not a record of format 1"
  found = {"head": head & 15, "revision": reader.varint(), "converted": None, "trial": None, "entries": []}
  if head & 4:
    kind = reader.byte()
    found["converted"] = (kind & 127, kind & 128, reader.take(reader.varint()))
  if head & 32:
    found["trial"] = trial(reader.take(reader.varint()))
  while reader.at < len(value):
    found["entries"].append(entry(reader))
  return found


def described_setting(value):
  found = setting(value)
  told = f"revision={found['revision']} locked={found['head'] & 1} unknown={found['head'] >> 3 & 1}"
  if found["converted"]:
    told += " converted=" + content(*found["converted"])
  if found["trial"]:
    told += " " + described_trial(found["trial"])
  entries = [described_entry(one) for one in found["entries"]]
  if found["head"] & 2:
    entries[0] = "in effect " + entries[0]
  return "; ".join([told] + entries)


def asset(key, value):
  form, kind, orientation, zeros, width, height, time, size = struct.unpack("<BBB5sIIqQ", value[8:40])
  assert form == 1 and zeros == bytes(5), "not an asset of format 1"
  assert size == len(value) - 48 and hashlib.sha256(value[48:]).digest() == key, "not the bytes of this key"
  return f"{MEDIA_TYPES[kind]} {width}x{height} orientation={orientation} time={time} bytes={size}"


def checksums(database, key, value, tag, xxh3):
  """Whether those of a value match."""
  if database == "meta" and key.startswith(LATEST):
    # One of the latest entries of the log.
    key, tag = key[len(LATEST):], LOG_TAG
  seed = xxh3(key, tag)
  head = value[8:48] if database == "assets" else value[8:]
  matches = xxh3(head, seed) == int.from_bytes(value[:8], "little")
  if database == "assets":
    matches = matches and xxh3(value[48:], seed) == int.from_bytes(value[40:48], "little")
  return matches


def described(database, key, value):
  if database == "assets":
    return asset(key, value)
  if database == "settings":
    return described_setting(value)
  if database == "schema":
    return f"alias of {value[9:].decode()}" if value[8] else f"setting {whole(value[9:])!r}"
  content = value[8:]
  if key.startswith(LATEST):
    return f"entry {whole(content)!r}"
  if key == b".schema-text":
    content = unsqueezed(content[8:], int.from_bytes(content[:8], "little"))
  if key == b".schema":
    return f"version={struct.unpack('<Q', content[:8])[0]} open={content[8] & 1} digest={content[9:].hex()}"
  return f"{struct.unpack('<Q', content)[0]}" if key in (b".format", b".revision") else repr(content[:16])


def main():
  golden, xxh3, results = pathlib.Path(sys.argv[1]), find_xxh3(), []
  expected = (golden / "decoded.txt").read_text(encoding="utf-8").splitlines()
  for database, tag in TAGS.items():
    for line in (golden / f"{database}.hex").read_text(encoding="utf-8").splitlines():
      if line.startswith("#"):
        continue
      label, key, value = line.split()
      key, value = bytes.fromhex(key), bytes.fromhex(value)
      name = key.hex() if database == "assets" else key.decode()
      text = f"{database} {label} {name}: "
      text += described(database, key, value)
      sound = xxh3 is None or checksums(database, key, value, tag, xxh3)
      results.append(sound and text in expected)
      print(text if results[-1] else f"not ok - {'' if sound else 'checksum; '}{text}")
  if xxh3 is None:
    print("there is no XXH3: checksums were not verified")
  print(f"{results.count(True)} passed, {results.count(False)} failed")
  return 0 if all(results) and len(results) == len(expected) else 1


if __name__ == "__main__":
  sys.exit(main())
