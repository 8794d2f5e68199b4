"""Starts a screen with a session bus, and the app; finds its widgets through AT-SPI and presses what is found there."""

import os
import shutil
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCREEN = (1024, 768)


def missing():
  """What the app or its driver lacks here; empty if nothing."""
  for program in ("Xvfb", "dbus-daemon"):
    if shutil.which(program) is None:
      return program
  try:
    import gi

    for name, version in (("Gtk", "4.0"), ("Adw", "1"), ("Atspi", "2.0")):
      gi.require_version(name, version)
  except (ImportError, ValueError) as error:
    return str(error)
  return ""


def until(look, what, seconds=10):
  """What a look gives as soon as it is true."""
  end = time.monotonic() + seconds
  while True:
    found = look()
    if found:
      return found
    if time.monotonic() > end:
      raise AssertionError(f"not within {seconds} s: {what}")
    time.sleep(0.02)


class Desktop:
  """A screen and a bus of its own, so that nothing on the machine's own is seen or touched."""

  def __init__(self, folder):
    self.folder = Path(folder)
    self.opened = self.folder / "opened"
    self._processes = []

  def __enter__(self):
    read, write = os.pipe()
    self._start(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-nolisten", "tcp",
                 "-fbdir", str(self.folder)], pass_fds=[write])
    os.close(write)
    with os.fdopen(read) as number:
      os.environ["DISPLAY"] = f":{int(number.readline())}"
    bus = self._start(["dbus-daemon", "--session", "--nofork", "--print-address=1"], stdout=subprocess.PIPE, text=True)
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
    for name in ("CONFIG", "DATA", "CACHE"):
      os.environ[f"XDG_{name}_HOME"] = str(self.folder / name.lower())
      (self.folder / name.lower()).mkdir()
    runtime = self.folder / "runtime"
    runtime.mkdir(mode=0o700)
    os.environ.update(XDG_RUNTIME_DIR=str(runtime), GDK_BACKEND="x11", GSK_RENDERER="cairo", GTK_A11Y="atspi", LC_ALL="C.UTF-8")
    os.environ.pop("WAYLAND_DISPLAY", None)
    self._browser()
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi

    Atspi.init()
    Atspi.set_timeout(2000, 5000)
    return self

  def _browser(self):
    """What opens addresses here writes them down."""
    program = self.folder / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > "{self.opened}.new"; mv "{self.opened}.new" "{self.opened}"\n')
    program.chmod(0o755)
    applications = self.folder / "data" / "applications"
    applications.mkdir()
    (applications / "noting.desktop").write_text(
      f"[Desktop Entry]\nType=Application\nName=Noting\nExec={program} %u\nMimeType=x-scheme-handler/http;\n")
    (self.folder / "config" / "mimeapps.list").write_text("[Default Applications]\nx-scheme-handler/http=noting.desktop\n")

  def _start(self, command, **options):
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **options)
    self._processes.append(process)
    return process

  def __exit__(self, *_):
    for process in reversed(self._processes):
      process.terminate()
      process.wait(10)

  def pixels(self):
    """The screen, row by row, three bytes a pixel."""
    data = (self.folder / "Xvfb_screen0").read_bytes()
    fields = struct.unpack(">25I", data[:100])
    # Of the XWD header: its size, width, height, bytes a line, colors that come before the pixels.
    start, width, height, stride = fields[0] + fields[19] * 12, fields[4], fields[5], fields[12]
    rows = []
    for y in range(height):
      line = data[start + y * stride : start + y * stride + width * 4]
      row = bytearray(width * 3)
      row[0::3], row[1::3], row[2::3] = line[2::4], line[1::4], line[0::4]
      rows.append(bytes(row))
    return rows

  def png(self, width, height):
    """The upper left of the screen as a PNG."""
    former, lines = bytes(width * 3), []
    for row in self.pixels()[:height]:
      row = row[: width * 3]
      # The difference to the line above: gradients become runs.
      lines.append(b"\2" + bytes((a - b) & 255 for a, b in zip(row, former)))
      former = row

    def chunk(kind, content):
      return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(lines), 9)) + chunk(b"IEND", b"")


class App:
  """The app in a process of its own."""

  def __init__(self, desktop, store, origin, size, use):
    from gi.repository import Atspi

    self._atspi, self.desktop, self.size = Atspi, desktop, size
    # What is in these is of no interest, and each look costs a message.
    roles = Atspi.Role
    self._leaves = {roles.LABEL, roles.IMAGE, roles.ENTRY, roles.SCROLL_BAR, roles.SEPARATOR}
    command = [sys.executable, str(ROOT / "examples" / "characters"), "--store", str(store), "--size", f"{size[0]}x{size[1]}"]
    command += ["--origin", origin] if origin else []
    command += ["--use", use] if use else []
    self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    self.root = until(self._root, "the app on the bus", 20)

  def _root(self):
    assert self.process.poll() is None, self.process.stderr.read()
    tree = self._atspi.get_desktop(0)
    tree.clear_cache()
    for index in range(tree.get_child_count()):
      child = tree.get_child_at_index(index)
      if child is not None and child.get_process_id() == self.process.pid and child.get_child_count() > 0:
        # What was seen is asked for each time: nobody here listens to events that would tell of changes.
        child.set_cache_mask(self._atspi.Cache.NONE)
        return child.get_child_at_index(0)
    return None

  def stop(self):
    """End it; what it has complained of is returned."""
    if self.process.poll() is None:
      self.process.terminate()
    _, complaints = self.process.communicate(timeout=10)
    return complaints

  def walk(self, node=None, frame=None):
    """The widgets that can be seen; what is beside the window or scrolled away is left out, with all that is in it."""
    node, frame = node or self.root, frame or self.place(self.root)
    for index in range(node.get_child_count()):
      child = node.get_child_at_index(index)
      if child is None or not child.get_state_set().contains(self._atspi.StateType.VISIBLE):
        continue
      if child.get_role() == self._atspi.Role.MENU:
        # A menu is a surface of its own, and its places say nothing of the window.
        yield from self.walk(child, (0, 0, 1 << 20, 1 << 20))
        continue
      x, y, width, height = self.place(child)
      # A widget of which less than a quarter is in the window is not what a person would press.
      if width > 0 and height > 0 and min(x + width, frame[2]) - max(x, 0) > width / 4 and min(y + height, frame[3]) - max(y, 0) > height / 4:
        yield child
      elif width > 0 and height > 0:
        continue
      if child.get_role() not in self._leaves:
        yield from self.walk(child, frame)

  def all(self, role, name=None):
    from gi.repository import GLib

    try:
      return [each for each in self.walk() if each.get_role_name() == role and (name is None or name in each.get_name())]
    except GLib.Error:
      return []  # Something went while it was looked at.

  def find(self, role, name=None):
    return until(lambda: self.all(role, name), f"{role} {name or ''}")[0]

  def names(self):
    return [each.get_name() for each in self.all("list item")]

  def texts(self):
    return [each.get_name() for each in self.all("label")]

  def place(self, widget):
    if widget.get_component_iface() is None:
      return 0, 0, 0, 0
    found = self._atspi.Component.get_extents(widget, self._atspi.CoordType.WINDOW)
    return found.x, found.y, found.width, found.height

  def press(self, widget):
    """Press the middle of a widget with the pointer."""
    x, y, width, height = self.place(widget)
    _, _, whole, tall = self.place(self.root)
    # What the window has around it: there is no window manager that would draw it.
    left, top = (self.size[0] - whole) // 2, (self.size[1] - tall) // 2
    self._atspi.generate_mouse_event(left + x + width // 2, top + y + height // 2, "b1c")

  def choose(self, item):
    """Choose an item of a menu that is open."""
    self.find("menu item", item).get_action_iface().do_action(0)

  def enter(self, text):
    """Put a text into the search."""
    entry = self.find("entry")
    self._atspi.EditableText.set_text_contents(entry, text)
