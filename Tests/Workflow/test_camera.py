"""Pictures of a camera that the program workflow-camera plays, as another decoder sees them."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import BUILD, ROOT

PIL = pytest.importorskip("PIL.Image")

# By fields of 2 x 2 pixels.
COLORS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (128, 128, 128)]
GREYS = [81, 145, 41, 235, 16, 126]
SIDES = [(32, 16), (31, 15), (30, 7), (1, 1), (7, 3)]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
  folder = tmp_path_factory.mktemp("pictures")
  program = Path(BUILD) / "Tests" / "Workflow" / "workflow-camera"
  subprocess.run([str(program), "become"], env={**os.environ, "CAMERA_PICTURES": str(folder)}, check=True, timeout=60)
  subprocess.run([str(program), "Huffman"], env={**os.environ, "CAMERA_PICTURES": str(folder)}, check=True, timeout=60)
  return folder


@pytest.mark.parametrize("kind", ["YUYV", "UYVY", "NV12", "YU12", "RGB3", "BGR3", "GREY"])
@pytest.mark.parametrize("side", range(5))
def test_frames_become_png(pictures, kind, side):
  with PIL.open(pictures / f"{kind}-{side}.png") as picture:
    picture.load()
    assert (picture.format, picture.size, picture.mode) == ("PNG", SIDES[side], "L" if kind == "GREY" else "RGB")
    for y in range(picture.height):
      for x in range(picture.width):
        index = (x // 2 + y // 2) % 6
        found = picture.getpixel((x, y))
        if kind == "GREY":
          assert found == GREYS[index]
        else:
          assert all(abs(one - other) <= 2 for one, other in zip(found, COLORS[index])), (x, y, found)


@pytest.mark.parametrize("name", ["whole", "bare"])
def test_jpegs_decode_to_the_same_pixels(pictures, name):
  with PIL.open(pictures / f"{name}.jpg") as found, PIL.open(ROOT / "Tests" / "Fixtures" / "images" / "baseline.jpg") as expected:
    assert found.format == "JPEG"
    assert found.size == expected.size
    assert found.tobytes() == expected.tobytes()
