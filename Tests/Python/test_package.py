"""The package finds its library, or says where it looked; and it installs whole."""

import ast
import graphlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv
import zipfile

import livery
import pytest
from conftest import PACKAGE, ROOT
from livery._native.interface import FUNCTIONS


def python(code, executable=sys.executable, **environment):
  merged = {**os.environ, **environment}
  merged = {name: value for name, value in merged.items() if value is not None}
  return subprocess.run(
    [str(executable), "-c", code],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    env=merged,
    cwd="/",
    timeout=60,
  )


def test_the_version_is_that_of_the_library():
  assert livery.library_version == livery.__version__
  assert livery.library_path == os.environ.get("LIVERY_LIBRARY", livery.library_path)


def test_extensions_are_there_without_an_import_of_their_own():
  result = python(
    "import sys, livery\n"
    "assert 'livery.session' not in sys.modules\n"
    "print(livery.session.__name__, callable(livery.session.state))\n"
    "print(hasattr(livery, 'nothing'))",
    PYTHONPATH=PACKAGE,
  )
  assert result.stdout.splitlines() == ["livery.session True", "False"], result.stderr


def test_a_missing_library_is_an_import_error_that_tells_all_places(tmp_path):
  shutil.copytree(PACKAGE / "livery", tmp_path / "livery", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
  result = python("import livery", LIVERY_LIBRARY=None, PYTHONPATH=str(tmp_path))
  last = result.stderr[result.stderr.index("ImportError") :]
  for place in ("$LIVERY_LIBRARY (not set)", "the copy inside the package", "liblivery.so.0"):
    assert place in last
  shutil.copy(livery.library_path, tmp_path / "livery" / "liblivery.so")
  result = python("import livery", LIVERY_LIBRARY="/no/such/file.so", PYTHONPATH=str(tmp_path))
  assert result.returncode == 1 and "/no/such/file.so" in result.stderr
  assert "in $LIVERY_LIBRARY alone" in result.stderr and "inside the package" not in result.stderr


def test_a_library_that_is_named_from_here_is_found_from_there(tmp_path):
  folder = pathlib.Path(livery.library_path).parent
  code = f"import os; os.chdir({str(folder)!r})\nimport livery\nos.chdir('/')\nprint(livery.images.__name__, livery.library_path)"
  result = python(code, LIVERY_LIBRARY="./liblivery.so", PYTHONPATH=PACKAGE)
  assert result.stdout == f"livery.images {folder}/liblivery.so\n", result.stderr


def test_the_copy_inside_the_package_is_found(tmp_path):
  shutil.copytree(PACKAGE / "livery", tmp_path / "livery", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
  shutil.copy(livery.library_path, tmp_path / "livery" / "liblivery.so")
  result = python("import livery; print(livery.library_path)", LIVERY_LIBRARY=None, PYTHONPATH=str(tmp_path))
  assert result.stdout.strip() == str(tmp_path / "livery" / "liblivery.so")


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_library_of_another_version_or_kind_is_refused(tmp_path):
  source = tmp_path / "other.c"
  told = ("version", "version_string")
  functions = "".join(f"int livery_{name}(void) {{ return 0; }}\n" for name in FUNCTIONS if name not in told)
  source.write_text(
    functions
    + 'unsigned livery_version(void) { return 2000; }\nconst char *livery_version_string(void) { return "0.2.0"; }\n'
  )
  library = tmp_path / "other.so"
  subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
  result = python("import livery", LIVERY_LIBRARY=str(library))
  assert result.returncode == 1 and "version 0.2.0" in result.stderr and "needs 0.1" in result.stderr
  source.write_text("int nothing;\n")
  subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
  result = python("import livery", LIVERY_LIBRARY=str(library))
  assert result.returncode == 1 and "ImportError" in result.stderr and "undefined symbol: livery_" in result.stderr


def test_ctypes_stays_in_one_package():
  """Modules of extensions bring the functions of their own libraries."""
  extensions = set()
  for file in (PACKAGE.parents[1] / "cmake" / "extensions").glob("*.cmake"):
    headers = re.search(r"livery_extension\(.*HEADERS ([a-z ]+)", file.read_text())
    extensions |= set(headers[1].split()) if headers else {file.stem}
  users = {file.parent.name for file in (PACKAGE / "livery").rglob("*.py")
           if "ctypes" in file.read_text() and not (file.parent.name == "livery" and file.stem in extensions)}
  assert users == {"_native"}


def imported(file):
  """The modules of the package that a module of it imports, for types too, under their dotted names."""
  package = ("livery", *file.relative_to(PACKAGE / "livery").parts[:-1])
  found = set()
  for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
    if not isinstance(node, ast.ImportFrom) or node.level == 0:
      continue
    base = package[: len(package) + 1 - node.level] + tuple((node.module or "").split(".") if node.module else ())
    for name in [base + (alias.name,) for alias in node.names] + [base]:
      path = PACKAGE.joinpath(*name)
      if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
        found.add(".".join(name))
  return found - {"livery", ".".join(package)}


def test_modules_import_one_way():
  modules = {}
  for file in (PACKAGE / "livery").rglob("*.py"):
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = imported(file)
  assert "livery._handle" in modules["livery.store"] and len(modules) > 30
  # Raises CycleError, which names the modules.
  graphlib.TopologicalSorter(modules).prepare()


def test_a_store_is_made_of_parts():
  bases = [base for base in livery.Store.__mro__ if base.__module__.startswith("livery")]
  assert [base.__name__ for base in bases] == ["Store", "Owner"]


def test_the_types_are_right(tmp_path):
  pytest.importorskip("mypy")
  command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path)]
  result = subprocess.run(command, cwd=PACKAGE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
  assert result.returncode == 0, result.stdout


def test_a_misspelt_name_is_found_and_extensions_need_no_import(tmp_path):
  pytest.importorskip("mypy")
  (tmp_path / "a.py").write_text("import livery\n\nprint(livery.sync.enroll, livery.Lyer)\n")
  command = [sys.executable, "-m", "mypy", "--no-incremental", str(tmp_path / "a.py")]
  result = subprocess.run(
    command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(PACKAGE)}, stdout=subprocess.PIPE, text=True)
  assert [line for line in result.stdout.splitlines() if ": error:" in line and '"Lyer"' not in line] == []
  assert 'has no attribute "Lyer"' in result.stdout


def copied(folder):
  """The package's sources at their place in a repository, without anything built."""
  source = folder / "bindings" / "python"
  shutil.copytree(
    PACKAGE, source, ignore=shutil.ignore_patterns("build", "dist", "*.egg-info", "__pycache__", "*.so", ".*_cache")
  )
  return source


def pip(*arguments, **environment):
  """Runs pip without an index, and without the library that the tests use unless told."""
  merged = {name: value for name, value in os.environ.items() if name not in ("LIVERY_LIBRARY", "PYTHONPATH")}
  command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)]
  return subprocess.run(
    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**merged, **environment}
  )


def wheel(source, wheels, **environment):
  pytest.importorskip("pip")
  pytest.importorskip("wheel")
  return pip("wheel", "-v", "--no-build-isolation", "--no-deps", "--no-index", "-w", wheels, source, **environment)


def carried(wheels):
  (file,) = wheels.iterdir()
  return zipfile.ZipFile(file).read("livery/liblivery.so")


def test_pip_installs_a_package_that_carries_the_library(tmp_path):
  source, wheels = copied(tmp_path), tmp_path / "wheels"
  result = wheel(source, wheels, LIVERY_LIBRARY=livery.library_path)
  assert result.returncode == 0, result.stdout
  (file,) = wheels.iterdir()
  assert re.fullmatch(r"livery-0\.1\.0-py3-none-linux_\w+\.whl", file.name)
  names = zipfile.ZipFile(file).namelist()
  assert "livery/liblivery.so" in names and "livery/py.typed" in names
  assert any(name.endswith("/LICENSE") for name in names)

  venv.create(tmp_path / "venv", with_pip=False)
  executable = tmp_path / "venv" / "bin" / "python"
  site = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
  result = pip("install", "--no-index", "--target", site, file)
  assert result.returncode == 0, result.stdout
  code = f"import livery; s = livery.open({str(tmp_path / 's')!r}, create=True); s.set('a', 1); print(s['a'])"
  result = python(code, executable, LIVERY_LIBRARY=None, PYTHONPATH=None)
  assert result.stdout == "1\n", result.stderr
  result = python("import livery; print(livery.library_path)", executable, LIVERY_LIBRARY=None, PYTHONPATH=None)
  assert result.stdout.strip() == str(site / "livery" / "liblivery.so")
  for name in ("generate", "convert"):
    assert (site / "bin" / f"livery-{name}").is_file()
    result = python(f"from livery.{name} import main; main(['--help'])", executable, LIVERY_LIBRARY=None, PYTHONPATH=None)
    assert result.stdout.startswith(f"livery {name}: "), result.stderr


def test_a_wheel_carries_the_extensions_beside_the_library(tmp_path):
  source = copied(tmp_path)
  (tmp_path / "build").mkdir()
  (tmp_path / "build" / "liblivery.so").write_bytes(b"the engine")
  (tmp_path / "build" / "liblivery-page.so").write_bytes(b"settings in a browser")
  (tmp_path / "build" / "liblivery-secrets.so.0").write_bytes(b"sealing")
  (tmp_path / "build" / "liblivery-turn.so").write_bytes(b"nothing that this package loads")
  assert wheel(source, tmp_path / "wheels").returncode == 0
  (file,) = (tmp_path / "wheels").iterdir()
  inside = zipfile.ZipFile(file)
  libraries = sorted(name for name in inside.namelist() if ".so" in name)
  assert libraries == ["livery/liblivery-page.so", "livery/liblivery-secrets.so", "livery/liblivery.so"]
  assert inside.read("livery/liblivery-secrets.so") == b"sealing"


def test_an_extension_of_the_package_is_loaded(tmp_path):
  beside = pathlib.Path(livery.library_path).parent
  if not (beside / "liblivery-secrets.so").exists():
    pytest.skip("the extension secrets is not built")
  source, wheels, site = copied(tmp_path), tmp_path / "wheels", tmp_path / "site"
  assert wheel(source, wheels, LIVERY_LIBRARY=livery.library_path).returncode == 0
  (file,) = wheels.iterdir()
  assert pip("install", "--no-index", "--target", site, file).returncode == 0
  code = "import livery, livery.secrets; print(livery.library_path, livery.secrets.make_key)"
  result = python(code, LIVERY_LIBRARY=None, PYTHONPATH=str(site))
  assert result.stdout.startswith(str(site / "livery" / "liblivery.so")), result.stderr


def test_the_build_takes_the_library_from_the_nearest_place(tmp_path):
  source = copied(tmp_path)
  (tmp_path / "build").mkdir()
  (tmp_path / "build" / "liblivery.so").write_bytes(b"from the repository's build")
  (tmp_path / "wanted.so").write_bytes(b"wanted")
  assert wheel(source, tmp_path / "one").returncode == 0
  assert carried(tmp_path / "one") == b"from the repository's build"
  assert wheel(source, tmp_path / "two", LIVERY_LIBRARY=str(tmp_path / "wanted.so")).returncode == 0
  assert carried(tmp_path / "two") == b"wanted"
  result = wheel(source, tmp_path / "three", LIVERY_LIBRARY="/no/such.so")
  assert result.returncode != 0 and "/no/such.so, and there is no such file" in result.stdout


def test_an_installed_library_is_found_by_pkg_config(tmp_path):
  source = copied(tmp_path)
  (tmp_path / "bin").mkdir()
  (tmp_path / "lib").mkdir()
  (tmp_path / "lib" / "liblivery.so.0").write_bytes(b"installed")
  tool = tmp_path / "bin" / "pkg-config"
  tool.write_text(f'#!/bin/sh\n[ "$*" = "--variable=libdir livery" ] && echo {tmp_path}/lib\n')
  tool.chmod(0o755)
  path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
  assert wheel(source, tmp_path / "wheels", PATH=path).returncode == 0
  assert carried(tmp_path / "wheels") == b"installed"


@pytest.mark.skipif(not shutil.which("cmake"), reason="needs CMake")
def test_the_repository_builds_the_library_when_there_is_none(tmp_path):
  if is_installed():
    pytest.skip("a Livery library is installed on this system")
  source = copied(tmp_path)
  result = wheel(source, tmp_path / "none")
  assert result.returncode != 0 and "there is no Livery library to put into the package" in result.stdout
  (tmp_path / "CMakeLists.txt").write_text(
    "cmake_minimum_required(VERSION 3.16)\nproject(fake NONE)\n"
    "add_custom_target(livery ALL COMMAND ${CMAKE_COMMAND} -E echo_append built > ${CMAKE_BINARY_DIR}/liblivery.so)\n"
  )
  result = wheel(source, tmp_path / "wheels")
  assert result.returncode == 0, result.stdout
  assert carried(tmp_path / "wheels") == b"built"


def is_installed():
  command = "pkg-config --exists livery || /sbin/ldconfig -p | grep -q liblivery.so.0"
  return subprocess.run(["sh", "-c", command], stderr=subprocess.DEVNULL).returncode == 0
