"""Hints: what a broker keeps for a channel's devices."""

import os
import shutil
import socket
import ssl
import subprocess

import pytest
from conftest import ROOT, Console, free_port, join, wait

MOSQUITTO = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")


def retained(port, topic, authorities=None):
  """What a broker keeps for a topic, by MQTT 3.1.1; nothing if it keeps nothing."""
  with socket.create_connection(("127.0.0.1", port), timeout=10) as one:
    if authorities:
      one = ssl.create_default_context(cafile=authorities).wrap_socket(one, server_hostname="localhost")
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


@pytest.fixture
def guarded(tmp_path):
  """A broker that speaks TLS, and lets one user write: the port and the file of whom to trust."""
  if MOSQUITTO is None or shutil.which("mosquitto_passwd") is None:
    pytest.skip("mosquitto is not installed")
  port, folder = free_port(), tmp_path / "broker"
  folder.mkdir()
  folder.chmod(0o755)
  subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                  "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
                 check=True, capture_output=True)
  subprocess.run(["mosquitto_passwd", "-b", "-c", folder / "passwords", "console", "secret words"], check=True)
  (folder / "acl").write_text("topic read livery/#\nuser console\ntopic readwrite livery/#\n")
  (folder / "mosquitto.conf").write_text(
    ("user root\n" if os.getuid() == 0 else "") +
    f"listener {port} 127.0.0.1\ncertfile {folder}/cert.pem\nkeyfile {folder}/key.pem\nallow_anonymous true\n"
    f"password_file {folder}/passwords\nacl_file {folder}/acl\nlog_dest file {folder}/log\nlog_type all\n")
  for path in folder.iterdir():
    path.chmod(0o644)
  folder.chmod(0o777)
  process = subprocess.Popen([MOSQUITTO, "-c", folder / "mosquitto.conf"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
  yield port, folder
  process.kill()
  process.wait()


@pytest.fixture
def documented(tmp_path):
  """A broker with the configuration of docs/console.md: the ports of devices and of the console, and the folder."""
  if MOSQUITTO is None:
    pytest.skip("mosquitto is not installed")
  text = (ROOT / "docs/console.md").read_text().split("mosquitto needs a listener", 1)[1]
  _, configuration, _, rules = text.split("```", 4)[:4]
  folder, devices, own = tmp_path / "broker", free_port(), free_port()
  folder.mkdir()
  subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                  "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "fleet.key", "-out", folder / "fleet.pem"],
                 check=True, capture_output=True)
  (folder / "fleet.acl").write_text(rules.strip() + "\n")
  for there, here in (("listener 8883", f"listener {devices} 127.0.0.1"), ("listener 1883", f"listener {own}"),
                      ("/etc/ssl/fleet.pem", f"{folder}/fleet.pem"), ("/etc/ssl/fleet.key", f"{folder}/fleet.key"),
                      ("/etc/mosquitto/fleet.acl", f"{folder}/fleet.acl")):
    assert there in configuration
    configuration = configuration.replace(there, here)
  (folder / "mosquitto.conf").write_text(("user root\n" if os.getuid() == 0 else "") + configuration)
  process = subprocess.Popen([MOSQUITTO, "-c", folder / "mosquitto.conf"], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
  yield devices, own, folder
  process.kill()
  process.wait()


def test_the_configuration_of_a_broker_that_is_documented(tmp_path, documented):
  devices, own, folder = documented
  console = Console(tmp_path).make("--broker", f"mqtt://127.0.0.1:{own}").serve()
  try:
    device, = join(console)
    console.set("fleet", ("volume", "enforce", 3))
    version = str(device.manifest("fleet")["version"]).encode()
    wait(lambda: retained(devices, "livery/kiosks/fleet", folder / "fleet.pem") == version)
    # Whoever comes as devices do writes nothing there.
    with socket.create_connection(("127.0.0.1", devices), timeout=10) as plain:
      trust = ssl.create_default_context(cafile=folder / "fleet.pem")
      with trust.wrap_socket(plain, server_hostname="localhost") as one:
        one.sendall(b"\x10\x11\0\4MQTT\4\2\0\x3c\0\5write")
        assert one.recv(4)[:2] == b"\x20\2"
        one.sendall(b"\x31\x18\0\x13livery/kiosks/fleet999" + b"\xc0\0")
        # The answer to a ping: what came before it has been looked at.
        assert one.recv(2) == b"\xd0\0"
    assert retained(devices, "livery/kiosks/fleet", folder / "fleet.pem") == version
  finally:
    console.stop()


def test_the_console_says_who_it_is_to_the_broker(tmp_path, guarded):
  port, folder = guarded
  (tmp_path / "password").write_text("secret words\n")
  (tmp_path / "password").chmod(0o400)
  console = Console(tmp_path).make("--broker", f"mqtts://localhost:{port}", "--broker-ca-file", folder / "cert.pem")
  # Whoever says nothing may not write.
  console.run("config", "set", "broker-user", "console")
  console.run("config", "set", "broker-password-file", tmp_path / "password")
  console.run("config", "set", "broker-client-id", "console-of-kiosks")
  listed = console.json("config")
  assert listed["broker-user"] == "console" and listed["broker-client-id"] == "console-of-kiosks"
  assert "no option" in console.run("config", "set", "broker-password", "secret words", expected=4)
  console.serve()
  try:
    device, = join(console)
    console.set("fleet", ("volume", "enforce", 3))
    version = device.manifest("fleet")["version"]
    wait(lambda: retained(port, "livery/kiosks/fleet", folder / "cert.pem") == str(version).encode())
    assert "console-of-kiosks" in (folder / "log").read_text()
    # A command beside it has another identifier: the console's connection stays.
    console.run("draft", "set", "fleet", "enforce", "volume", "4")
    console.run("publish")
    wait(lambda: retained(port, "livery/kiosks/fleet", folder / "cert.pem") == str(version + 1).encode())
    assert (folder / "log").read_text().count("as console-of-kiosks") == 1
  finally:
    console.stop()
  # No word of the password is in the database, in what is noted, or in history.
  for path in console.state.iterdir():
    assert b"secret words" not in path.read_bytes(), path
  (tmp_path / "password").chmod(0o444)
  words = ["serve", "--listen", "127.0.0.1:0"]
  assert "chmod 400" in console.run(*words, expected=4)


def test_commands_end_while_the_broker_is_being_reached(tmp_path, guarded):
  port, folder = guarded
  console = Console(tmp_path).make("--broker", f"mqtts://localhost:{port}", "--broker-ca-file", folder / "cert.pem")
  for _ in range(60):
    assert "kiosks" in console.run("status")
