"""The codes of enrollments as QR codes, read by zbar."""
import os
import subprocess
from pathlib import Path

import numpy
import pytest

pytest.importorskip("PIL")
import measure
import zbar

PROGRAM = str(Path(os.environ.get("LIVERY_BUILD", Path(__file__).parents[2] / "build")) / "Tests/QRCode/qrcode-draw")


def test_of_bad_photographs_99_in_100_are_read_and_none_is_misread():
    seed = int(os.environ.get("LIVERY_SEED", "1"))
    read, wrong, side = measure.measure(PROGRAM, int(os.environ.get("LIVERY_QR_CODES", "100")), seed, 1.0)
    print(f"LIVERY_SEED={seed}")
    assert wrong == 0
    assert read >= 99 * int(os.environ.get("LIVERY_QR_CODES", "100")) / 100
    assert side <= 61


@pytest.mark.parametrize("characters", [100, 150, 200, 250])
def test_each_drawing_is_read(characters):
    text = zbar.code(zbar.seeded(characters), characters)
    (drawing,) = zbar.draw(PROGRAM, [text])
    assert len(text) <= 250
    assert zbar.read(numpy.kron(drawing.gray, numpy.ones((3, 3)))) == [text]
    assert zbar.read(zbar.from_svg(drawing.svg)) == [text]
    assert zbar.read(zbar.from_blocks(drawing.colored, True)) == [text]
    assert zbar.read(zbar.from_blocks(drawing.plain, False)) == [text]
    # The whole drawing fits on a terminal of 80 columns.
    assert max(map(len, drawing.plain.splitlines())) <= 80


def test_svg_is_an_element_without_a_size_that_scales():
    (drawing,) = zbar.draw(PROGRAM, ["livery:1?"])
    assert drawing.svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ')
    assert "width" not in drawing.svg and "style" not in drawing.svg
    for width in (120, 333, 1000):
        assert zbar.read(zbar.from_svg(drawing.svg, width)) == ["livery:1?"]


def test_what_is_no_text_for_a_code_is_refused():
    empty, long, good = zbar.draw(PROGRAM, ["", "x" * 4000, "ä€😀"])
    assert "no text" in empty.problem and "INVALID_ARGUMENT" in empty.problem
    assert "too long" in long.problem
    assert zbar.read(numpy.kron(good.gray, numpy.ones((4, 4)))) == ["ä€😀"]


def test_without_libqrencode_it_says_what_to_install(tmp_path):
    # A library of that name that is none comes first.
    (tmp_path / "libqrencode.so.4").write_bytes(b"")
    done = subprocess.run([PROGRAM], input="text\n", capture_output=True, text=True, check=True, env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert "UNAVAILABLE" in done.stdout and "libqrencode4" in done.stdout
