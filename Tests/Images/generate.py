"""Makes 200 images, each with a text color and a background color, and judges them: independently of the library, by Pillow and
WCAG's formula, pixel by pixel."""
import math
import pathlib
import random
import subprocess

import numpy
from PIL import Image

COUNT = 200
#: As BrandCheck+Legibility.swift has it.
TOLERATED = 0.1
SVG_SIDE = 1024


def linear(component):
  component = numpy.asarray(component, dtype=float)
  return numpy.where(component <= 0.04045, component / 12.92, ((component + 0.055) / 1.055) ** 2.4)


def luminance(rgb):
  return linear(rgb[..., 0]) * 0.2126 + linear(rgb[..., 1]) * 0.7152 + linear(rgb[..., 2]) * 0.0722


def illegible_share(image, text, background):
  """The share of pixels on which text has a contrast of less than 4.5; what is not opaque is seen over the background."""
  pixels = numpy.asarray(image.convert("RGBA"), dtype=float) / 255
  alpha = pixels[..., 3:]
  seen = pixels[..., :3] * alpha + numpy.array(background) / 255 * (1 - alpha)
  behind, front = luminance(seen), luminance(numpy.array(text) / 255)
  contrast = (numpy.maximum(behind, front) + 0.05) / (numpy.minimum(behind, front) + 0.05)
  return float((contrast < 4.5).mean())


def some_color(chance, low=0, high=255):
  return tuple(chance.randint(low, high) for _ in range(3))


def noise(chance, width, height, low, high):
  """Something like a photograph: noise of several sizes on top of each other."""
  grain = numpy.random.default_rng(chance.randint(0, 1 << 30))
  total = numpy.zeros((height, width, 3))
  for size in (2, 5, 11, 31):
    small = Image.fromarray(grain.integers(0, 256, (size, size + 1, 3), dtype=numpy.uint8))
    total += numpy.asarray(small.resize((width, height), Image.BICUBIC), dtype=float)
  total = (total - total.min()) / (total.max() - total.min())
  return Image.fromarray((low + total * (high - low)).astype(numpy.uint8))


def gradient(chance, width, height):
  start, end = numpy.array(some_color(chance)), numpy.array(some_color(chance))
  across = numpy.linspace(0, 1, width)[None, :, None] * math.cos(angle := chance.uniform(0, math.pi / 2))
  down = numpy.linspace(0, 1, height)[:, None, None] * math.sin(angle)
  place = (across + down) / (across + down).max()
  return Image.fromarray((start + (end - start) * place).astype(numpy.uint8))


def with_alpha(chance, image):
  width, height = image.size
  kind = chance.randrange(3)
  if kind == 0:  # a scrim
    alpha = numpy.tile(numpy.linspace(0, 255, height)[:, None], (1, width))
  elif kind == 1:  # a shape with a soft edge
    y, x = numpy.mgrid[0:height, 0:width]
    away = numpy.hypot((x - width / 2) / width, (y - height / 2) / height)
    alpha = numpy.clip((0.45 - away) * 2550, 0, 255)
  else:  # the same everywhere
    alpha = numpy.full((height, width), chance.randint(20, 235))
  image = image.convert("RGBA")
  image.putalpha(Image.fromarray(alpha.astype(numpy.uint8)))
  return image


def raster(chance, number):
  width, height = chance.randint(1, 400), chance.randint(1, 300)
  kind = number % 6
  if kind == 0:
    image = Image.new("RGB", (width, height), some_color(chance, 200, 255))
  elif kind == 1:
    image = Image.new("RGB", (width, height), some_color(chance, 0, 60))
  elif kind == 2:
    image = noise(chance, width, height, 0, 255)
  elif kind == 3:
    image = noise(chance, width, height, chance.randint(0, 120), chance.randint(130, 255))
  else:
    image = gradient(chance, width, height)
  return image


def svg(chance):
  width, height = chance.randint(10, 400), chance.randint(10, 400)
  shapes = []
  if chance.random() < 0.6:
    shapes.append('<rect width="100%%" height="100%%" fill="#%02x%02x%02x"/>' % some_color(chance))
  for _ in range(chance.randint(1, 12)):
    fill = "#%02x%02x%02x" % some_color(chance)
    opacity = chance.choice(["1", "1", "0.5", "0.8"])
    x, y, size = chance.randint(0, width), chance.randint(0, height), chance.randint(2, max(width, height) // 2 + 2)
    shapes.append(chance.choice([
      f'<circle cx="{x}" cy="{y}" r="{size}" fill="{fill}" opacity="{opacity}"/>',
      f'<rect x="{x}" y="{y}" width="{size}" height="{size // 2 + 1}" fill="{fill}" fill-opacity="{opacity}"/>',
      f'<path d="M0 {y} Q {x} {size} {width} 0 L {width} {height} Z" fill="{fill}" opacity="{opacity}"/>']))
  return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{"".join(shapes)}</svg>', width, height


def save(chance, number, image, path):
  """In one of the forms that there are of each format."""
  if path.suffix == ".png":
    form = chance.randrange(5)
    if form == 1 and image.mode == "RGB":
      image = image.quantize(64)
    elif form == 2 and image.mode == "RGB":
      image = image.convert("L")
    elif form == 3 and image.mode == "RGBA":
      image = image.convert("LA")
    image.save(path)
  elif path.suffix == ".jpg":
    form = chance.randrange(4)
    if form == 1:
      image = image.convert("L")
    elif form == 2:
      image = image.convert("CMYK")
    image.save(path, quality=chance.randint(60, 95), progressive=chance.random() < 0.4, subsampling=chance.randrange(3))
  elif image.mode == "RGB" and chance.random() < 0.2:
    image.save(path, save_all=True, append_images=[image.rotate(180)], duration=100, lossless=True)
  else:
    image.save(path, lossless=chance.random() < 0.5, quality=chance.randint(50, 95), exact=True)


def first_frame(path):
  image = Image.open(path)
  image.load()
  if image.mode == "CMYK":
    # Ink as light that is left, as the library has it; Pillow rounds in between.
    ink = numpy.asarray(image, dtype=int)
    image = Image.fromarray((((255 - ink[..., :3]) * (255 - ink[..., 3:]) + 127) // 255).astype(numpy.uint8))
  return image


def judge_all(folder, seed=1):
  """A list of (path, text, background, share) for images in the folder."""
  chance = random.Random(seed)
  found = []
  for number in range(COUNT):
    suffix = (".png", ".jpg", ".webp", ".svg")[number % 4]
    path = pathlib.Path(folder, f"{number:03}{suffix}")
    text = chance.choice([(255, 255, 255), (0, 0, 0), some_color(chance)])
    background = chance.choice([(255, 255, 255), (0, 0, 0), some_color(chance)])
    if suffix == ".svg":
      document, width, height = svg(chance)
      path.write_text(document)
      scale = SVG_SIDE / max(width, height)
      drawn = path.with_suffix(".svg.png")
      subprocess.run(["rsvg-convert", "-w", str(round(width * scale)), "-h", str(round(height * scale)), str(path), "-o", str(drawn)],
                     check=True)
      image = Image.open(drawn)
    else:
      image = raster(chance, number // 4)
      if suffix != ".jpg" and chance.random() < 0.4:
        image = with_alpha(chance, image)
      save(chance, number, image, path)
      image = first_frame(path)
    found.append((path, text, background, illegible_share(image, text, background)))
  return found
