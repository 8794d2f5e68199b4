"""Names and texts that mean something to a compiler: what is made of them compiles all the same."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any, Dict, List

import livery
import pytest

from conftest import ROOT, run, schema_of
from test_agree import MODULES, swiftc
from test_generate import made, mypy

NAMES = """open close missing get set reset list item store layer keys settings value members content version digest at Self Type Any init
  Keys Key Store Int64 Bool String protocol default as operator throws async None True mro len range property livery annotations errno stdin
  unix linux NULL bool assert livery_store int64_t char16_t and co_await requires decltype class self has settingValue unknown rawValue
  a.b a_b a-b aB AB 1 1a é 日本 🙂 _ $ %d \\n */ // ??/ "q" ' ` #define \\u{41} \\(x) {{x}}""".split()
TEXT = 'é */ """ \\ // ` <b> "quoted" ??/'


def schema() -> str:
  settings: List[Dict[str, Any]] = []
  for index, name in enumerate(NAMES):
    members = [{"Type": "TextField", "Title": TEXT, "Key": one} for one in {name: 0, "value": 0, "members": 0, "has": 0, "self": 0}]
    options = [{"Title": TEXT, "Value": one} for one in {name: 0, "unknown": 0, "default": 0, "none": 0, "class": 0}]
    for number, kind in enumerate([{"Type": "ToggleSwitch", "Value": True}, {"Type": "ComboBox", "Options": options, "Value": name},
                                   {"Type": "List", "ItemTemplate": members}]):
      one: Dict[str, Any] = {**kind, "Key": f"{name}.{number}" if number else name, "Title": TEXT, "Description": TEXT}
      settings.append({**one, "Deprecated": TEXT} if index % 5 == 0 else one)
  return schema_of(*settings)


@pytest.mark.parametrize("compiler, suffix, standards", [
  ("gcc", "c", ["c11", "gnu11"]), ("clang", "c", ["c11", "gnu17"]), ("g++", "cc", ["c++11", "gnu++20"]), ("clang++", "cc", ["c++17", "gnu++20"])])
def test_c(generate: Any, tmp_path: pathlib.Path, compiler: str, suffix: str, standards: List[str]) -> None:
  if not shutil.which(compiler):
    pytest.skip(f"there is no {compiler}")
  generate("c", schema())
  source = tmp_path / f"program.{suffix}"
  source.write_text('#include "kiosk.h"\n')
  for standard in standards:
    checked = run(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-fsyntax-only", source)
    assert checked.returncode == 0, checked.stderr[:2000]


@pytest.mark.skipif(not (MODULES / "Modules" / "Livery.swiftmodule").exists(), reason="the package is not built: swift build")
def test_swift(generate: Any) -> None:
  checked = run(*swiftc(), "-typecheck", generate("swift", schema(), "Kiosk"))
  assert checked.returncode == 0, checked.stderr[:2000]


def test_python(generate: Any, tmp_path: pathlib.Path) -> None:
  path = generate("python", schema())
  with livery.open("", memory=True) as store:
    store.apply_schema(schema())
    kind = made(path).Kiosk
    settings = kind(store)
    found = [getattr(settings, name) for name, one in vars(kind).items() if isinstance(one, property)]
    assert found == [value for name in NAMES for value in (True, name, [])]
  checked = mypy(tmp_path, path.with_suffix(".pyi"))
  assert checked.returncode == 0, checked.stdout[:2000]
