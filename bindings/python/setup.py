"""Puts the C library and the extensions beside it into the wheel, and tags the wheel for this platform and any Python 3."""

import glob
import os
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
  from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
  from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NAMES = ("liblivery.so", "liblivery.so.0")


def output(*command):
  """What a command prints; nothing if it fails or is not there."""
  try:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
  except (OSError, subprocess.CalledProcessError):
    return ""


def in_directory(directory):
  paths = [os.path.join(directory, name) for name in NAMES] if directory else []
  return next((path for path in paths if os.path.isfile(path)), None)


def wanted():
  path = os.environ.get("LIVERY_LIBRARY")
  if path and not os.path.isfile(path):
    sys.exit(f"$LIVERY_LIBRARY is {path}, and there is no such file")
  return path or None


def built():
  return in_directory(os.path.join(ROOT, "build"))


def installed():
  found = in_directory(output("pkg-config", "--variable=libdir", "livery").strip())
  if found:
    return found
  ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
  match = re.search(r"liblivery\.so\.0 .*=> (\S+)", output(ldconfig, "-p"))
  return match.group(1) if match and os.path.isfile(match.group(1)) else None


def build():
  """Runs the repository's own build, when this package lies in the repository."""
  if not os.path.isfile(os.path.join(ROOT, "CMakeLists.txt")) or not shutil.which("cmake"):
    return None
  folder = os.path.join(ROOT, "build")
  try:
    subprocess.run(["cmake", "-S", ROOT, "-B", folder], check=True)
    subprocess.run(["cmake", "--build", folder], check=True)
  except subprocess.CalledProcessError as error:
    sys.exit(f"building the Livery library failed: {error}")
  return built()


def library():
  found = wanted() or built() or installed() or build()
  if not found:
    sys.exit(
      "there is no Livery library to put into the package. Set LIVERY_LIBRARY to the path of liblivery.so, build it in "
      "the repository (cmake -S . -B build && cmake --build build), or install it."
    )
  return found


def extensions(source):
  """The libraries beside another one that modules of this package load, with the names that they look for."""
  nouns = set()
  for path in glob.glob(os.path.join(HERE, "livery", "*.py")):
    with open(path, encoding="utf-8") as file:
      nouns.update(re.findall(r'extension\("([a-z]+)"\)', file.read()))
  for noun in sorted(nouns):
    name = f"liblivery-{noun}.so"
    for beside in (name, f"{name}.0"):
      path = os.path.join(os.path.dirname(source), beside)
      if os.path.isfile(path):
        yield path, name
        break


class BuildWithLibrary(build_py):
  def run(self):
    super().run()
    folder = HERE if getattr(self, "editable_mode", False) else self.build_lib
    engine = library()
    self.mkpath(os.path.join(folder, "livery"))
    for source, name in [(engine, "liblivery.so"), *extensions(engine)]:
      target = os.path.join(folder, "livery", name)
      if not (os.path.exists(target) and os.path.samefile(source, target)):
        self.announce(f"copying {source} -> {target}", level=2)
        shutil.copyfile(source, target)


class PlatformWheel(bdist_wheel):
  def finalize_options(self):
    super().finalize_options()
    self.root_is_pure = False

  def get_tag(self):
    return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
  def has_ext_modules(self):
    return True


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel}, distclass=WithLibrary)
