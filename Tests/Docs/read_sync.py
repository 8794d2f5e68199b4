#!/usr/bin/env python3
"""Reads what travels between the devices of a fleet and its console by docs/sync-protocol.md alone, and ends with
"N passed, N failed".

    read_sync.py DIRECTORY     with documents.hex, decoded.txt, rollout.txt, codes.txt and refused.hex

Signatures are verified if there is Ed25519 to do it with: the packages `nacl` or `cryptography`, or libsodium.
"""
import base64
import ctypes
import ctypes.util
import hashlib
import json
import math
import pathlib
import re
import struct
import sys
import urllib.parse

SIGNED = {"keys": 16 << 10, "manifest": 256 << 10, "report": 1 << 20, "enrollment": 1 << 10}
DEPTH = 32


class Refused(Exception):
  """What is not as the page has it."""


def find_ed25519():
  """A function of key, message and signature that tells whether they fit."""
  try:
    from nacl.bindings import crypto_sign_open

    def by_nacl(key, message, signature):
      try:
        return crypto_sign_open(signature + message, key) == message
      except Exception:
        return False
    return by_nacl
  except ImportError:
    pass
  try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    def by_cryptography(key, message, signature):
      try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return True
      except (InvalidSignature, ValueError):
        return False
    return by_cryptography
  except ImportError:
    name = ctypes.util.find_library("sodium")
  if name is None:
    return None
  library = ctypes.CDLL(name)
  if library.sodium_init() < 0:
    return None
  return lambda key, message, signature: library.crypto_sign_verify_detached(
    signature, message, ctypes.c_ulonglong(len(message)), key) == 0


def need(holds, what):
  if not holds:
    raise Refused(what)


class Tagged:
  def __init__(self, tag, content):
    self.tag, self.content = tag, content


class Reader:
  """CBOR in the one encoding that counts."""

  def __init__(self, data):
    self.data, self.at = data, 0

  def take(self, count):
    need(self.at + count <= len(self.data), "the end is missing")
    self.at += count
    return self.data[self.at - count:self.at]

  def head(self):
    first = self.take(1)[0]
    major, small = first >> 5, first & 31
    if small < 24:
      return major, small, small
    need(small < 28, "an indefinite or reserved length")
    number = int.from_bytes(self.take(1 << (small - 24)), "big")
    if major != 7:
      need(number >= (24 if small == 24 else 1 << 8 * (1 << (small - 25))), "more bytes than needed")
    return major, small, number

  def text(self):
    major, _, count = self.head()
    need(major == 3, "no text")
    try:
      return self.take(count).decode("utf-8", "strict")
    except UnicodeDecodeError as error:
      raise Refused("not UTF-8") from error

  def value(self, depth=0):
    start = self.at
    major, small, number = self.head()
    if major in (0, 1):
      need(number < 1 << 63, "an integer out of range")
      return number if major == 0 else -1 - number
    if major == 2:
      return self.take(number)
    if major == 3:
      self.at = start
      return self.text()
    if major in (4, 5):
      need(depth < DEPTH, "nested too deep")
      need(number <= len(self.data), "the end is missing")
    if major == 4:
      return [self.value(depth + 1) for _ in range(number)]
    if major == 5:
      return self.members(number, depth)
    if major == 6:
      return self.tagged(number)
    return self.simple(small, number)

  def members(self, count, depth):
    made, last = {}, None
    for _ in range(count):
      start = self.at
      key = self.text()
      encoded = self.data[start:self.at]
      need(last is None or last < encoded, "keys are not in order")
      need("\0" not in key, "a key with NUL")
      last = encoded
      made[key] = self.value(depth + 1)
    return made

  def tagged(self, tag):
    if tag == 19523:
      parts = self.value(DEPTH - 1)
      need(isinstance(parts, list) and len(parts) == 4 and all(isinstance(part, float) for part in parts), "no color")
      need(all(0 <= part <= 1 and math.copysign(1, part) > 0 and struct.unpack(">f", struct.pack(">f", part))[0] == part
               for part in parts), "a color out of range")
      return Tagged("color", parts)
    need(tag in (0, 32, 19529), "an unknown tag")
    text = self.text()
    if tag == 0:
      match = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z", text)
      need(match, "a malformed date")
    return Tagged({0: "date", 32: "url", 19529: "image"}[tag], text)

  def simple(self, small, number):
    if small in (20, 21):
      return small == 21
    need(small in (25, 26, 27), "an unknown type")
    size = 1 << (small - 24)
    form = {2: ">e", 4: ">f", 8: ">d"}
    made = struct.unpack(form[size], number.to_bytes(size, "big"))[0]
    need(math.isfinite(made), "not finite")
    if size > 2:
      try:
        shorter = struct.unpack(form[size // 2], struct.pack(form[size // 2], made))[0]
      except OverflowError:
        shorter = None
      need(shorter != made, "more bytes than needed")
    return made


def cbor(data):
  reader = Reader(data)
  value = reader.value()
  need(reader.at == len(data), "bytes follow")
  return value


def shown(value):
  if isinstance(value, bool):
    return "true" if value else "false"
  if isinstance(value, int):
    return str(value)
  if isinstance(value, float):
    return repr(value)
  if isinstance(value, str):
    return json.dumps(value, ensure_ascii=False)
  if isinstance(value, bytes):
    return f"h'{value.hex()}'"
  if isinstance(value, list):
    return "[" + ", ".join(map(shown, value)) + "]"
  if isinstance(value, Tagged):
    parts = value.content if isinstance(value.content, list) else [value.content]
    return f"{value.tag}({', '.join(map(shown, parts))})"
  return "{" + ", ".join(f"{shown(key)}: {shown(member)}" for key, member in value.items()) + "}"


def envelope(data, kind, verify):
  """The payload, and who has signed it."""
  need(len(data) <= SIGNED[kind], "too large")
  parts = cbor(data)
  need(isinstance(parts, list) and len(parts) == 3 and parts[0] == kind, f"no {kind}")
  _, payload, signatures = parts
  need(isinstance(payload, bytes) and isinstance(signatures, list) and 1 <= len(signatures) <= 24, "no signed document")
  keys = []
  for pair in signatures:
    need(isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, bytes) for part in pair) and len(pair[0]) == 32
         and len(pair[1]) == 64, "no signature")
    need(not keys or keys[-1] < pair[0], "signatures are not in order")
    keys.append(pair[0])
    message = b"livery-sync-1\0" + kind.encode() + b"\0" + payload
    need(verify is None or verify(pair[0], message, pair[1]), "a wrong signature")
  return payload, keys


def signed_rightly(kind, content, keys, documents):
  """Whether those who have signed may, and are enough."""
  if kind in ("report", "enrollment"):
    need(keys == [content["device"]], "not signed by the device")
  elif kind == "keys":
    for roots in filter(None, (content["roots"], content.get("former"))):
      need(sum(key in roots["keys"] for key in keys) >= roots["threshold"], "too few roots")
    known = content["roots"]["keys"] + content.get("former", {"keys": []})["keys"]
    need(all(key in known for key in keys), "signed by others")
  else:
    document = documents[content["keys"]]
    signers = {signer["key"] for signer in document["signers"]}
    need(set(keys) <= signers and len(keys) >= document["threshold"], "not signed as the key document says")


def lines(path):
  return [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]


def read(kind, data, verify, documents):
  if kind == "document":
    content = cbor(data)
    need(content["format"] == 1, "another format")
    names = [setting["name"].encode() for setting in content.get("settings", [])]
    need(names == sorted(set(names)), "settings are not in order")
    return content
  payload, keys = envelope(data, kind, verify)
  content = cbor(payload)
  if kind == "keys":
    documents[content["version"]] = content
  signed_rightly(kind, content, keys, documents)
  if kind == "manifest":
    for entry in content.get("documents", []):
      for member, limit in (("author", 64), ("comment", 200)):
        need(member not in entry or is_line(entry[member], limit), f"{member} is no line")
  return content


def is_line(text, limit):
  """Whether text is 1 to so many bytes without what ends or turns a line."""
  return isinstance(text, str) and 1 <= len(text.encode()) <= limit and not re.search(
    "[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)


def read_code(text):
  """What an enrollment code holds."""
  match = re.fullmatch(r"(livery:1\?u=([^&]*)&f=([a-z0-9_-]{1,32})&t=([\w-]{22})&k=([\w-]{43})&e=(\d{1,12}))&c=([\w-]{6})", text)
  need(match and len(text) <= 250, "no code")
  check = base64.urlsafe_b64encode(hashlib.sha256(match[1].encode()).digest()[:5])[:6].decode()
  need(check == match[7], "the check does not fit")
  token, fingerprint = (base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in (match[4], match[5]))
  return [urllib.parse.unquote(match[2]), token.hex(), fingerprint.hex(), match[6]]


def fingerprint(roots):
  return hashlib.sha256(b"livery-sync-1\0roots\0" + bytes([roots["threshold"]]) + b"".join(roots["keys"])).digest()


def main():
  folder, verify, documents, results = pathlib.Path(sys.argv[1]), find_ed25519(), {}, []

  def check(holds, what):
    results.append(bool(holds))
    print(what if holds else f"not ok - {what}")

  expected = (folder / "decoded.txt").read_text(encoding="utf-8").splitlines()
  for kind, label, text in lines(folder / "documents.hex"):
    try:
      told = f"{kind} {label}: {shown(read(kind, bytes.fromhex(text), verify, documents))}"
    except Refused as error:
      told = f"{kind} {label}: {error}"
    check(told in expected, told)
  check(len(expected) == len(results), f"{len(expected)} documents")
  for key, device, salt, place in lines(folder / "rollout.txt"):
    check(hashlib.sha256(bytes.fromhex(key)).hexdigest()[:32] == device, f"device {device}")
    number = int.from_bytes(hashlib.sha256(bytes.fromhex(salt) + device.encode()).digest(), "big")
    check(number % 10_000 == int(place), f"place {place}")
  for text, *parts in lines(folder / "codes.txt"):
    check(read_code(text) == parts, text)
    check(bytes.fromhex(parts[2]) == fingerprint(documents[1]["roots"]), "the fingerprint is that of the roots")
  for kind, label, text in lines(folder / "refused.hex"):
    try:
      read(kind, bytes.fromhex(text), verify, documents)
      check(verify is None and label == "flipped", f"refused: {label}")
    except Refused as error:
      check(True, f"refused: {label}: {error}")
  if verify is None:
    print("there is no Ed25519: signatures were not verified")
  print(f"{results.count(True)} passed, {results.count(False)} failed")
  return 0 if all(results) else 1


if __name__ == "__main__":
  sys.exit(main())
