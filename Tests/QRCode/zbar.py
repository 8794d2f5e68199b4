"""Reads QR codes by libzbar, and makes photographs of them that are as bad as photographs are."""
import ctypes
import io
import math
import random
import subprocess

import numpy
from PIL import Image, ImageFilter

_zbar = ctypes.CDLL("libzbar.so.0")
_pointer = ctypes.c_void_p
for _name, _result, _arguments in (
    ("image_scanner_create", _pointer, []),
    ("image_scanner_set_config", ctypes.c_int, [_pointer, ctypes.c_int, ctypes.c_int, ctypes.c_int]),
    ("image_create", _pointer, []),
    ("image_set_format", None, [_pointer, ctypes.c_ulong]),
    ("image_set_size", None, [_pointer, ctypes.c_uint, ctypes.c_uint]),
    ("image_set_data", None, [_pointer, _pointer, ctypes.c_ulong, _pointer]),
    ("scan_image", ctypes.c_int, [_pointer, _pointer]),
    ("image_first_symbol", _pointer, [_pointer]),
    ("symbol_next", _pointer, [_pointer]),
    ("symbol_get_data", _pointer, [_pointer]),
    ("symbol_get_data_length", ctypes.c_uint, [_pointer]),
    ("image_destroy", None, [_pointer]),
):
    _function = getattr(_zbar, "zbar_" + _name)
    _function.restype, _function.argtypes = _result, _arguments

_scanner = _zbar.zbar_image_scanner_create()
_zbar.zbar_image_scanner_set_config(_scanner, 0, 0, 0)  # nothing
_zbar.zbar_image_scanner_set_config(_scanner, 64, 0, 1)  # but QR codes


def read(image):
    """The texts of the codes in an image of grays."""
    gray = numpy.ascontiguousarray(image, dtype=numpy.uint8)
    height, width = gray.shape
    taken = _zbar.zbar_image_create()
    _zbar.zbar_image_set_format(taken, int.from_bytes(b"Y800", "little"))
    _zbar.zbar_image_set_size(taken, width, height)
    _zbar.zbar_image_set_data(taken, gray.ctypes.data_as(_pointer), gray.size, None)
    found = []
    if _zbar.zbar_scan_image(_scanner, taken) > 0:
        symbol = _zbar.zbar_image_first_symbol(taken)
        while symbol:
            length = _zbar.zbar_symbol_get_data_length(symbol)
            found.append(ctypes.string_at(_zbar.zbar_symbol_get_data(symbol), length).decode("utf-8", "replace"))
            symbol = _zbar.zbar_symbol_next(symbol)
    _zbar.zbar_image_destroy(taken)
    return found


class Drawing:
    """What Tests/QRCode/draw.c draws of a text."""

    def __init__(self, side, modules, svg, colored, plain):
        self.side, self.svg, self.colored, self.plain = int(side), svg, colored, plain
        self.problem = modules if self.side == 0 else ""
        if self.side:
            cells = numpy.frombuffer(modules.encode(), dtype=numpy.uint8).reshape(self.side, self.side) - ord("0")
            self.gray = numpy.pad(numpy.where(cells == 1, 0, 255).astype(numpy.uint8), 4, constant_values=255)


def draw(program, texts, level=None):
    arguments = [program] if level is None else [program, str(level)]
    output = subprocess.run(arguments, input="".join(text + "\n" for text in texts), capture_output=True, text=True, check=True).stdout
    parts = output.split("\f")[:-1]
    return [Drawing(*parts[index : index + 5]) for index in range(0, len(parts), 5)]


def code(chance, characters=None):
    """An enrollment's text of about as many characters; the most that there can be, if not told."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    some = lambda count, of=letters: "".join(chance.choice(of) for _ in range(count))
    name = "abcdefghijklmnopqrstuvwxyz0123456789-"
    token, fingerprint, expires = some(22), some(43), str(chance.randrange(1_700_000_000, 2_000_000_000))
    fleet = some(chance.randrange(3, 20), "abcdefghijklmnopqrstuvwxyz")
    rest = f"&f={fleet}&t={token}&k={fingerprint}&e={expires}&c={some(6)}"
    wanted = (characters or 250) - len("livery:1?u=https://") - len(rest)
    return f"livery:1?u=https://{some(max(8, min(92, wanted)), name)}{rest}"


def photograph(drawing, chance, worse=1.0, size=None):
    """The code at any angle, from the side, out of focus, in bad light and noisy: 600 by 600 pixels, of which it takes 260 to 400 each
    way with what surrounds it, unless `size` says how many. `worse` multiplies what is bad.
    """
    side = drawing.gray.shape[0]
    scale = 4
    image = Image.fromarray(drawing.gray).resize((side * scale, side * scale), Image.NEAREST)
    frame, size = 600, size or chance.uniform(260, 400)
    angle = chance.uniform(0, 2 * math.pi)
    cosine, sine = math.cos(angle) * size / 2, math.sin(angle) * size / 2
    corners = []
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        tilt = 0.02 * worse * size
        corners.append((
            frame / 2 + x * cosine - y * sine + chance.uniform(-tilt, tilt),
            frame / 2 + x * sine + y * cosine + chance.uniform(-tilt, tilt),
        ))
    # The homography from the frame to the image.
    source = [(0, 0), (side * scale, 0), (side * scale, side * scale), (0, side * scale)]
    rows, values = [], []
    for (x, y), (u, v) in zip(corners, source):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    coefficients = numpy.linalg.solve(numpy.array(rows), numpy.array(values))
    paper = Image.new("L", image.size, 255)
    paper.paste(image)
    taken = paper.transform((frame, frame), Image.PERSPECTIVE, tuple(coefficients), Image.BICUBIC, fillcolor=200)
    taken = taken.filter(ImageFilter.GaussianBlur(chance.uniform(0.2, 1.0) * worse))
    light = numpy.asarray(taken, dtype=numpy.float64) / 255
    dark, bright = chance.uniform(0.05, 0.2), chance.uniform(0.6, 1.0)
    light = dark + light * (bright - dark)
    slope = numpy.linspace(1 - 0.2 * worse, 1, frame)
    light *= slope[None, :] if chance.random() < 0.5 else slope[:, None]
    noise = numpy.random.default_rng(chance.randrange(1 << 32)).normal(0, chance.uniform(0.005, 0.02) * worse, light.shape)
    return (numpy.clip(light + noise, 0, 1) * 255).astype(numpy.uint8)


def from_blocks(text, is_colored):
    """What a terminal shows of half blocks, as an image; without colors on a dark one."""
    text = text.replace("\x1b[38;5;16;48;5;231m", "").replace("\x1b[0m", "")
    ink, ground = (0, 255) if is_colored else (255, 0)
    rows = []
    for line in text.splitlines():
        rows.append([ink if c in "█▀" else ground for c in line])
        rows.append([ink if c in "█▄" else ground for c in line])
    return numpy.kron(numpy.array(rows, dtype=numpy.uint8), numpy.ones((4, 4), dtype=numpy.uint8))


def from_svg(text, width=400):
    data = subprocess.run(["rsvg-convert", "-w", str(width)], input=text.encode(), capture_output=True, check=True).stdout
    return numpy.asarray(Image.open(io.BytesIO(data)).convert("L"))


def seeded(seed):
    return random.Random(seed)
