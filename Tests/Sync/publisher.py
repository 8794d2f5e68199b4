"""The other end of a fleet, by docs/sync-protocol.md alone: keys, key documents, manifests, documents, codes, and what reads reports.

What travels is signed by libsodium; nothing here is shared with the libraries that are tested.
"""

import base64
import ctypes
import ctypes.util
import hashlib
import os
import struct
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Docs"))
import read_sync  # noqa: E402

_sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
_sodium.sodium_init()
VERIFY = read_sync.find_ed25519()


def head(major, number):
  if number < 24:
    return bytes([major << 5 | number])
  for size, code in ((1, 24), (2, 25), (4, 26), (8, 27)):
    if number < 1 << 8 * size:
      return bytes([major << 5 | code]) + number.to_bytes(size, "big")
  raise ValueError(number)


def cbor(value):
  """A value in the one encoding that counts."""
  if value is True or value is False:
    return bytes([0xf5 if value else 0xf4])
  if isinstance(value, int):
    return head(0, value) if value >= 0 else head(1, -1 - value)
  if isinstance(value, float):
    for form, code in ((">e", 0xf9), (">f", 0xfa), (">d", 0xfb)):
      try:
        packed = struct.pack(form, value)
      except OverflowError:
        continue
      if struct.unpack(form, packed)[0] == value:
        return bytes([code]) + packed
  if isinstance(value, bytes):
    return head(2, len(value)) + value
  if isinstance(value, str):
    return head(3, len(value.encode())) + value.encode()
  if isinstance(value, (list, tuple)):
    return head(4, len(value)) + b"".join(map(cbor, value))
  if isinstance(value, dict):
    pairs = sorted((cbor(key), cbor(member)) for key, member in value.items())
    return head(5, len(pairs)) + b"".join(key + member for key, member in pairs)
  if isinstance(value, read_sync.Tagged):
    tag = {"date": 0, "url": 32, "image": 19529}[value.tag]
    return head(6, tag) + cbor(value.content)
  raise TypeError(value)


def hexadecimal(hashed):
  return hashed.hex()


class Key:
  """A key that signs."""

  def __init__(self):
    self.public, self._secret = (ctypes.create_string_buffer(size) for size in (32, 64))
    _sodium.crypto_sign_seed_keypair(self.public, self._secret, os.urandom(32))
    self.public = self.public.raw

  def sign(self, message):
    signature = ctypes.create_string_buffer(64)
    _sodium.crypto_sign_detached(signature, None, message, ctypes.c_ulonglong(len(message)), self._secret)
    return signature.raw


def signed(kind, content, *keys):
  payload = cbor(content)
  message = b"livery-sync-1\0" + kind.encode() + b"\0" + payload
  return cbor([kind, payload, [[key.public, key.sign(message)] for key in sorted(keys, key=lambda key: key.public)]])


def image(asset_id):
  return read_sync.Tagged("image", asset_id)


class Publisher:
  """A fleet whose files lie in a folder; `devices` has the public halves of those that have joined, by id."""

  def __init__(self, folder, fleet="kiosks"):
    self.folder, self.fleet = Path(folder), fleet
    self.roots, self.signers = [Key()], [Key()]
    self.keys_version = 0
    self.versions = {}
    self.contents = {}
    self.tokens = {}
    self.devices = {}
    self.reports = {}
    self.wants_full = False
    self.interval = 3600
    self.publish_keys()
    self.publish("fleet")

  # -- Files

  def write(self, path, data):
    place = self.folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(place.name + ".new")
    temporary.write_bytes(data)
    temporary.rename(place)

  def root_content(self):
    return {"keys": sorted(root.public for root in self.roots), "threshold": 1}

  @property
  def fingerprint(self):
    return read_sync.fingerprint(self.root_content())

  def publish_keys(self, signers=None, age=60, life=86400 * 30):
    self.keys_version += 1
    if signers is not None:
      self.signers = signers
    now = int(time.time())
    content = {
      "fleet": self.fleet, "version": self.keys_version, "issued": now - age, "expires": now + life, "roots": self.root_content(),
      "signers": [{"key": key.public, "from": now - age - 10, "until": now + life} for key in sorted(self.signers, key=lambda key: key.public)],
      "threshold": 1,
    }
    document = signed("keys", content, *self.roots)
    self.write(f"v1/keys/{self.keys_version}", document)
    self.write("v1/keys/latest", document)

  def document(self, settings, **members):
    """Writes a document, and gives its hash and size. Settings are tuples name, verb, value, and serial with replace."""
    listed = []
    for name, verb, *rest in sorted(settings, key=lambda setting: setting[0].encode()):
      one = {"name": name, "verb": verb}
      if rest:
        one["value"] = rest[0]
      if verb == "replace":
        one["serial"] = rest[1] if len(rest) > 1 else 1
      listed.append(one)
    content = {"format": 1, **members}
    if listed:
      content["settings"] = listed
    if "from_" in content:
      content["from"] = content.pop("from_")
    data = cbor(content)
    hashed = hashlib.sha256(data).digest()
    self.write(f"v1/blobs/{hashed.hex()}", data)
    return hashed, len(data)

  def asset(self, data):
    hashed = hashlib.sha256(data).digest()
    self.write(f"v1/blobs/{hashed.hex()}", data)
    return {"hash": hashed, "size": len(data)}

  def publish(self, channel, *documents, version=None, keys=None, life=86400, **members):
    """Publishes a manifest. Documents are tuples hash, size, name and, if need be, a dictionary of more members."""
    self.versions[channel] = version or self.versions.get(channel, 0) + 1
    now = int(time.time())
    content = {
      "fleet": self.fleet, "channel": channel, "version": self.versions[channel], "keys": self.keys_version, "issued": now,
      "expires": now + life, **members,
    }
    if channel == "fleet":
      content["interval"] = self.interval
    if documents:
      content["documents"] = [
        {"hash": hashed, "size": size, "name": name, **(more[0] if more else {})} for hashed, size, name, *more in documents]
    data = signed("manifest", content, *(keys or self.signers))
    self.contents[channel] = data
    self.write(f"v1/channels/{channel}/manifest", data)
    return self.versions[channel]

  def settings(self, channel, name, *settings, **members):
    """Publishes one document for a channel."""
    return self.publish(channel, (*self.document(settings, **members), name))

  # -- Enrollment and reports

  def code(self, url, token=None, life=3600, fleet=None):
    token = token or os.urandom(16)
    self.tokens[token] = None
    text = base64.urlsafe_b64encode
    quoted = "".join(
      letter if letter.isalnum() or letter in "-._~:/" else "".join(f"%{byte:02X}" for byte in letter.encode()) for letter in url)
    code = (
      f"livery:1?u={quoted}&f={fleet or self.fleet}&t={text(token).decode().rstrip('=')}"
      f"&k={text(self.fingerprint).decode().rstrip('=')}&e={int(time.time()) + life}")
    return code + "&c=" + text(hashlib.sha256(code.encode()).digest()[:5])[:6].decode()

  def enroll(self, data):
    """A status and a body."""
    payload, keys = read_sync.envelope(data, "enrollment", VERIFY)
    content = read_sync.cbor(payload)
    read_sync.signed_rightly("enrollment", content, keys, {})
    if content["fleet"] != self.fleet:
      return 403, b"foreign: the code is of another fleet"
    if content["token"] not in self.tokens:
      return 403, b"expired: the code is not known any more"
    if self.tokens[content["token"]] not in (None, content["device"]):
      return 403, b"used: the code was used before"
    self.tokens[content["token"]] = content["device"]
    device = hashlib.sha256(content["device"]).hexdigest()[:32]
    self.devices[device] = content
    if f"device.{device}" not in self.versions:
      self.publish(f"device.{device}")
    return 204, b""

  def report(self, data):
    payload, keys = read_sync.envelope(data, "report", VERIFY)
    content = read_sync.cbor(payload)
    read_sync.signed_rightly("report", content, keys, {})
    device = hashlib.sha256(content["device"]).hexdigest()[:32]
    known = self.reports.setdefault(device, [])
    if known and content["sequence"] <= known[-1]["sequence"]:
      return 409, b"a replay"
    known.append(content)
    return (200, b"full") if self.wants_full else (204, b"")
