"""A picture of a device that v4l2loopback makes, where the kernel has it: what a process feeds it is picked."""

import fcntl
import os
import struct
import threading
import time
from pathlib import Path

import livery
import livery.picker
import pytest

WIDTH, HEIGHT = 64, 48
# Of linux/videodev2.h: _IOWR('V', 5, struct v4l2_format), with 208 bytes.
VIDIOC_S_FMT, OUTPUT = 0xC0D05605, 2
YUYV = int.from_bytes(b"YUYV", "little")


class Feeder:
  """Writes frames of one color until it is stopped."""

  def __init__(self, device):
    self.descriptor = os.open(device, os.O_RDWR)
    size = WIDTH * HEIGHT * 2
    wanted = struct.pack("<II8I", OUTPUT, 0, WIDTH, HEIGHT, YUYV, 1, WIDTH * 2, size, 8, 0)
    fcntl.ioctl(self.descriptor, VIDIOC_S_FMT, bytearray(wanted.ljust(208, b"\0")))
    self.is_over = False
    self.thread = threading.Thread(target=self.feed, args=(bytes((81, 90, 81, 240)) * (size // 4),))
    self.thread.start()

  def feed(self, frame):
    while not self.is_over:
      os.write(self.descriptor, frame)
      time.sleep(0.03)

  def stop(self):
    self.is_over = True
    self.thread.join()
    os.close(self.descriptor)


@pytest.fixture
def device():
  for found in sorted(Path("/sys/devices/virtual/video4linux").glob("video*")):
    path = f"/dev/{found.name}"
    if not os.access(path, os.R_OK | os.W_OK):
      continue
    try:
      feeder = Feeder(path)
    except OSError:
      continue
    yield path
    feeder.stop()
    return
  pytest.skip("the kernel has no v4l2loopback, or it is not for us")


def test_a_picture_is_what_the_device_is_fed(store, device):
  store.set("usage.camera", "Your picture is your badge")
  assert livery.picker.camera_available(store)
  picked = livery.picker.pick(store, "camera", device=device, size=(WIDTH, HEIGHT), setting="badge").result(20)
  assert (picked.info["width"], picked.info["height"]) == (WIDTH, HEIGHT)
  assert store["badge"] == picked.asset
