"""How much of real schemas comes along: every .gschema.xml of Debian's desktop packages, converted to Livery and back.

    python3 benchmarks/convert.py [--folder DIR]

Fetches the packages with apt-get, and reads what they hold. With glib-compile-schemas and PyGObject (the system's Python), what was
written back is compiled, and each default compared with that of the original.
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Dict, List

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "bindings" / "python"))
os.environ.setdefault("LIVERY_LIBRARY", str(ROOT / "build" / "liblivery.so"))

from livery.convert import gsettings, own  # noqa: E402
from livery.convert.document import Document  # noqa: E402
from livery.convert.place import Refused  # noqa: E402
from livery.convert.source import Source  # noqa: E402

#: Debian's main desktops: GNOME, MATE, Cinnamon, Budgie, and what belongs to them.
PACKAGES = """gsettings-desktop-schemas gnome-settings-daemon-common gnome-shell-common gnome-shell-extensions mutter-common
  gnome-control-center-data gnome-desktop3-data gnome-session-common gnome-software-common nautilus-data gedit-common gnome-text-editor
  evolution-common evolution-data-server-common gnome-calendar gnome-contacts gnome-terminal-data gnome-system-monitor
  gnome-disk-utility gnome-screenshot gnome-weather gnome-clocks gnome-maps gnome-music gnome-characters gnome-logs gnome-builder
  gnome-panel-data gnome-flashback-common gnome-applets-data epiphany-browser-data evince-common eog file-roller baobab totem-common
  cheese-common gthumb-data shotwell-common rhythmbox-data simple-scan yelp libgtk-3-common libgtk-4-common tracker-extract
  mate-desktop-common mate-settings-daemon-common mate-panel-common mate-panel mate-applets-common mate-control-center-common
  mate-power-manager-common mate-screensaver-common mate-session-manager mate-terminal-common mate-utils-common pluma-common
  caja-common atril-common eom-common engrampa-common marco-common cinnamon-desktop-data cinnamon-common cinnamon-settings-daemon
  cinnamon-screensaver muffin-common nemo-data budgie-core budgie-desktop-common gnucash-common anjuta-common meld gitg
  deja-dup transmission-gtk synaptic virt-manager vinagre remmina-common gnome-boxes seahorse gcr network-manager-gnome
  ibus lomiri-schemas xviewer-data xreader-common xed-common pix-data celluloid easyeffects pulseeffects""".split()


def fetch(folder: pathlib.Path) -> List[pathlib.Path]:
  """The folders with schemas, one a package."""
  found = []
  for package in PACKAGES:
    content = folder / package
    if not content.is_dir():
      got = subprocess.run(["apt-get", "download", "-q", package], cwd=folder, capture_output=True, check=False)
      deb = next(folder.glob(f"{package}_*.deb"), None)
      if got.returncode or deb is None:
        print(f"no package {package}", file=sys.stderr)
        continue
      content.mkdir()
      archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, stdout=subprocess.PIPE).stdout
      subprocess.run(["tar", "-x", "-C", content, "--wildcards", "*/glib-2.0/schemas/*.xml"], input=archive, stderr=subprocess.DEVNULL, check=False)
      deb.unlink()
    found += sorted(content.glob("**/glib-2.0/schemas"))
  return found


def kind(message: str) -> str:
  return re.sub(r"`[^`]*`", "…", message).split(":")[0]


COMPARE = """
import json, sys
import gi
from gi.repository import Gio
def known(folder):
  source = Gio.SettingsSchemaSource.new_from_directory(folder, None, True)
  plain, relocatable = source.list_schemas(False)
  found = {}
  for name in list(plain) + list(relocatable):
    schema = source.lookup(name, False)
    for key in schema.list_keys():
      value = schema.get_key(key).get_default_value()
      found[name + "." + key] = [value.get_type_string(), value.print_(False)]
  return found
before, after = known(sys.argv[1]), known(sys.argv[2])
print(json.dumps({"keys": len(before), "missing": [n for n in before if n not in after],
  "type": [n for n in before if n in after and before[n][0] != after[n][0]],
  "value": [[n, before[n], after[n]] for n in before if n in after and before[n][1] != after[n][1]]}))
"""


def compare(original: pathlib.Path, written: pathlib.Path) -> Dict[str, object]:
  with tempfile.TemporaryDirectory() as copy:
    # What the distribution overrides is no part of the schemas.
    shutil.copytree(original, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.override", "gschemas.compiled"))
    for folder in (copy, written):
      made = subprocess.run(["glib-compile-schemas", "--strict", folder], capture_output=True, text=True, check=False)
      if made.returncode and folder == written:
        return {"refused": made.stderr}
      if made.returncode:
        subprocess.run(["glib-compile-schemas", folder], capture_output=True, check=False)
    if not (pathlib.Path(copy) / "gschemas.compiled").is_file():
      return {}
    told = subprocess.run(["/usr/bin/python3", "-c", COMPARE, copy, written], capture_output=True, text=True, check=False)
    return json.loads(told.stdout) if told.returncode == 0 else {"refused": told.stderr}


def main() -> None:
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "convert")
  folder = parser.parse_args().folder
  folder.mkdir(parents=True, exist_ok=True)
  files = settings = losing = 0
  kinds: "collections.Counter[str]" = collections.Counter()
  agreed: "collections.Counter[str]" = collections.Counter()
  began, spent = time.perf_counter(), 0.0
  for schemas in fetch(folder):
    with tempfile.TemporaryDirectory() as back:
      for path in sorted(schemas.glob("*.gschema.xml")):
        began = time.perf_counter()
        try:
          document: Document = gsettings.read([Source.open(str(path))])
        except Refused as error:
          print(f"refused: {error}")
          continue
        spent += time.perf_counter() - began
        files += 1
        settings += sum(1 for _ in document.settings())
        losing += len({loss.setting for loss in document.losses if loss.setting})
        kinds.update(kind(loss.message) for loss in document.losses)
        schema = pathlib.Path(back) / "schema.json"
        schema.write_bytes(own.write(document)["schema.json"])
        for content in gsettings.write(own.read([Source.open(str(schema))])).values():
          (pathlib.Path(back) / path.name).write_bytes(content)
        schema.unlink()
      told = compare(schemas, pathlib.Path(back))
      if "refused" in told:
        print(f"{schemas}: {told['refused']}")
      for name, value in told.items():
        agreed[name] += value if isinstance(value, int) else len(value)  # type: ignore[arg-type]
        if isinstance(value, list) and value:
          print(f"{schemas.relative_to(folder).parts[0]}: {name}: {value[:3]}")
  print(f"{files} files, {settings} settings, {100 * (settings - losing) / settings:.2f} % without a loss, {1000 * spent / files:.1f} ms a file")
  for message, count in kinds.most_common():
    print(f"{count:6} {message}")
  print(f"written back: {agreed['keys']} keys compared; missing {agreed['missing']}, of another type {agreed['type']}, "
        f"with another default {agreed['value']}")


if __name__ == "__main__":
  main()
