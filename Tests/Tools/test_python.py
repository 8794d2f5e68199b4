"""What tools/api writes for the Python package: it is that of the headers, and ctypes sees it as the compiler does."""

import ctypes
import importlib.util
import shutil
import subprocess
import sys

import api
import pytest
from api import python
from conftest import HEADERS, ROOT

PACKAGE = ROOT / "bindings" / "python" / "livery"


def loaded(file):
  """A module by itself: neither of the two needs the package, or the library."""
  specification = importlib.util.spec_from_file_location(file.stem, file)
  module = importlib.util.module_from_spec(specification)
  specification.loader.exec_module(module)
  return module


@pytest.fixture(scope="module")
def library():
  return api.read(HEADERS)


@pytest.fixture(scope="module")
def native():
  return loaded(PACKAGE / "_native" / "interface.py")


def test_the_python_package_is_what_the_headers_declare(library):
  for name, text in python.files(library).items():
    assert (PACKAGE / name).read_text(encoding="utf-8") == text, "run python3 tools/api python"


def test_constants_are_those_of_the_headers(library):
  found = {name: value for name, value in vars(loaded(PACKAGE / "_constants.py")).items() if name.isupper()}
  assert found == {name[len("LIVERY_") :]: value for name, value in library.constants.items()}
  assert found["NAME_MAX"] == 255 and found["ERROR_DUPLICATE"] == -30


def test_every_function_is_there_with_all_its_parameters(library, native):
  assert {name: len(parameters) for name, (_, parameters) in native.FUNCTIONS.items()} == {
    function.name[len("livery_") :]: len(function.parameters) for function in library.functions
  }


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_ctypes_lays_everything_out_as_the_compiler_does(library, native, tmp_path):
  types = python.Types(library)
  lines = ["#include <livery.h>"]
  for struct in library.structs:
    own = getattr(native, types.structs[struct.name])
    assert [name for name, _ in own._fields_] == [member.name for member in struct.members]
    lines.append(f"_Static_assert(sizeof({struct.name}) == {ctypes.sizeof(own)}, \"\");")
    for name, kind in own._fields_:
      lines.append(f"_Static_assert(offsetof({struct.name}, {name}) == {getattr(own, name).offset}, \"\");")
      lines.append(f"_Static_assert(sizeof((({struct.name} *)0)->{name}) == {ctypes.sizeof(kind)}, \"\");")
  for function in library.functions:
    result, parameters = native.FUNCTIONS[function.name[len("livery_") :]]
    for own, declared in [(result, function.result), *zip(parameters, (each.type for each in function.parameters))]:
      if own is not None:
        lines.append(f"_Static_assert(sizeof({declared}) == {ctypes.sizeof(own)}, \"\");")
  program = tmp_path / "program.c"
  program.write_text("\n".join(lines) + "\n")
  command = ["cc", "-std=c11", f"-I{ROOT / 'include'}", "-fsyntax-only", str(program)]
  result = subprocess.run(command, capture_output=True, text=True)
  assert result.returncode == 0, result.stderr


def test_types_are_what_python_can_hand_over(folder):
  types = python.Types(api.read(folder))
  for text, spelled in {
    "int32_t": "c_int32",
    "size_t": "c_size_t",
    "livery_status": "c_int32",
    "void": "None",
    "livery_thing *": "c_void_p",
    "livery_thing **": "POINTER(c_void_p)",
    "livery_thing *const *": "POINTER(c_void_p)",
    "const char *": "c_char_p",
    "char *": "c_void_p",
    "const void *": "c_char_p",
    "void *": "c_void_p",
    "const char **": "POINTER(c_void_p)",
    "const char *const *": "POINTER(c_char_p)",
    "double *": "POINTER(c_double)",
    "livery_options": "Options",
    "const livery_options *": "POINTER(Options)",
    "livery_call_fn": "CallFunction",
  }.items():
    words = text.replace("*", " * ").split()
    is_const = words[0] == "const"
    base, *stars = words[is_const:]
    pointers = tuple(stars[at + 1 : at + 2] == ["const"] for at, star in enumerate(stars) if star == "*")
    kind = api.Type(base, is_const, pointers)
    assert (str(kind), types.spelled(kind)) == (text, spelled)
  with pytest.raises(ValueError):
    types.spelled(api.Type("int", False, (False, False, False)))


def test_lines_are_no_longer_than_the_style_has_them():
  for name in ("_constants.py", "_native/interface.py"):
    assert all(len(line) <= 120 for line in (PACKAGE / name).read_text(encoding="utf-8").split("\n"))


def test_the_command_makes_the_files_anew_and_finds_old_ones(tmp_path):
  """In a tree that is no repository, as a tarball's."""
  for part in ("tools/api", "include", "bindings/python/livery"):
    shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "*.so"))

  def run(*arguments):
    command = [sys.executable, str(tmp_path / "tools" / "api"), "python", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, cwd="/")
    return result.returncode, result.stdout + result.stderr

  assert run("--check") == (0, "")
  header = tmp_path / "include" / "livery" / "base.h"
  header.write_text(header.read_text().replace("LIVERY_NAME_MAX 255", "LIVERY_NAME_MAX 254"))
  old = "bindings/python/livery/_constants.py is not what the headers declare: run python3 tools/api python\n"
  assert run("--check") == (1, old)
  assert "NAME_MAX = 255\n" in (tmp_path / "bindings/python/livery/_constants.py").read_text()
  assert run() == (0, "")
  assert "NAME_MAX = 254\n" in (tmp_path / "bindings/python/livery/_constants.py").read_text()
  assert run("--check") == (0, "")
