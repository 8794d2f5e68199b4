"""Shows the characters of a brand: python3 examples/characters --help"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

try:
  import livery
except ImportError as error:
  sys.exit(f"characters: {error}")

HERE = Path(__file__).resolve().parent


def size(text: str) -> tuple[int, int]:
  width, _, height = text.partition("x")
  if not (width.isdecimal() and height.isdecimal() and int(width) > 0 and int(height) > 0):
    raise argparse.ArgumentTypeError(f"{text!r} is no size such as 360x720")
  return int(width), int(height)


def prepare(store: livery.Store, variants: Path) -> None:
  """Have the app's settings declared and its variants in the store; without changes nothing is committed."""
  store.apply_schema((HERE / "settings.json").read_bytes())
  for folder in sorted(folder for folder in variants.iterdir() if folder.is_dir()):
    store.branding.apply_directory(folder, origin="characters", keep=True)
  brands = store.branding.brands()
  if brands and not any(brand["active"] for brand in brands):
    store.branding.use(brands[0]["id"])


def main() -> int:
  parser = argparse.ArgumentParser(prog="characters", description="Shows the characters of a brand, with network and without.")
  data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
  parser.add_argument("--store", type=Path, default=data / "livery-characters", help="where settings, brands and records are kept")
  parser.add_argument("--variants", type=Path, default=HERE / "variants", help="a folder of variants, each with its skin.plist")
  parser.add_argument("--use", metavar="NAME", help="begin with this variant, such as com.example.orchard")
  parser.add_argument("--origin", metavar="URL", help="take the place of the origin of the brand's API")
  parser.add_argument("--size", type=size, default=(1024, 768), metavar="WIDTHxHEIGHT", help="of the window")
  given = parser.parse_args()
  try:
    from coordinator import Coordinator
  except (ImportError, ValueError) as error:
    print(f"characters: GTK 4, libadwaita or PyGObject is missing; scripts/deps --sample installs them: {error}", file=sys.stderr)
    return 1
  try:
    given.store.parent.mkdir(parents=True, exist_ok=True)
    with livery.open(given.store, create=True) as store:
      prepare(store, given.variants)
      if given.use:
        store.branding.use(given.use)
      return Coordinator(store, given.size, given.origin).run()
  except (livery.LiveryError, OSError) as error:
    print(f"characters: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
  sys.exit(main())
