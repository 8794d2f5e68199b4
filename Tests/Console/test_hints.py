"""Hints: what a broker keeps for a channel's devices."""

import shutil
import socket
import subprocess

import pytest
from conftest import Console, free_port, join, wait

MOSQUITTO = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")


def retained(port, topic):
  """What a broker keeps for a topic, by MQTT 3.1.1; nothing if it keeps nothing."""
  with socket.create_connection(("127.0.0.1", port), timeout=10) as one:
    one.sendall(b"\x10\x10\0\4MQTT\4\2\0\x3c\0\4look")
    assert one.recv(4)[:2] == b"\x20\2"
    content = b"\0\1" + len(topic).to_bytes(2, "big") + topic.encode() + b"\0"
    one.sendall(b"\x82" + bytes([len(content)]) + content)
    one.settimeout(1)
    data = b""
    try:
      while piece := one.recv(4096):
        data += piece
        if topic.encode() in data:
          return data.split(topic.encode(), 1)[1]
    except TimeoutError:
      return b""
  return b""


@pytest.fixture
def broker(tmp_path):
  if MOSQUITTO is None:
    pytest.skip("mosquitto is not installed")
  port = free_port()
  (tmp_path / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
  process = subprocess.Popen([MOSQUITTO, "-c", tmp_path / "mosquitto.conf"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
  yield port
  process.kill()
  process.wait()


def test_a_publication_is_hinted_at(tmp_path, broker):
  console = Console(tmp_path).make("--broker", f"mqtt://127.0.0.1:{broker}").serve()
  try:
    device, = join(console)
    console.set("fleet", ("volume", "enforce", 3))
    version = device.manifest("fleet")["version"]
    wait(lambda: retained(broker, "livery/kiosks/fleet") == str(version).encode())
    assert wait(lambda: retained(broker, f"livery/kiosks/device.{device.id}"))
    # The command hints as well, without a console that serves.
    console.stop()
    console.run("draft", "set", "fleet", "enforce", "volume", "4")
    console.run("publish")
    wait(lambda: retained(broker, "livery/kiosks/fleet") == str(version + 1).encode())
  finally:
    console.stop()
