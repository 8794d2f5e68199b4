"""Names and texts that mean something to a compiler: what is made of them compiles all the same."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any, Dict, List

import livery
import pytest
from livery.generate import main

from conftest import ROOT, compile_c, run, schema_of
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


def test_python_of_any_file_and_title(tmp_path: pathlib.Path, capsysbinary: "pytest.CaptureFixture[bytes]") -> None:
  text = schema_of({"Type": "TextField", "Key": "a", "Title": "a\0b\x01@DIGEST@", "Description": '"""\u202e'}).replace('"Test"', '"t\\u0000 @NAME@ \\\\"')
  for name in ("a\\x.json", 'a"""b.json', "a\nb.json", b"a\xff.json".decode("utf-8", "surrogateescape")):
    source = tmp_path / name
    source.write_text(text)
    output = tmp_path / "made.py"
    assert main(["python", str(source), "-o", str(output)]) == 0 and main(["python", str(source)]) == 0
    for path in (output, output.with_suffix(".pyi")):
      compile(path.read_text(), str(path), "exec", flags=0, dont_inherit=True)
    assert "@NAME@" in output.read_text() and "\0" not in output.read_text()


SETTING = {"Type": "ToggleSwitch", "Title": "On", "Key": "on", "Value": True}
#: Files called as something of the language or the library, and what is made of them.
RESERVED = [("c", "livery", "livery_app_open("), ("c", "livery_key", "livery_key_app_open("), ("python", "none", "class NoneSettings:"),
            ("python", "list", "class ListSettings:"), ("swift", "store", "struct StoreSettings:"), ("swift", "value", "struct ValueSettings:"),
            ("swift", "self", "struct SelfSettings:"), ("swift", "livery", "struct LiverySettings:")]


@pytest.mark.parametrize("language, name, told", RESERVED)
def test_files_called_as_something_else(tmp_path: pathlib.Path, capsys: "pytest.CaptureFixture[str]", language: str, name: str, told: str) -> None:
  source = tmp_path / f"{name}.json"
  source.write_text(schema_of(SETTING))
  output = tmp_path / {"c": "made.h", "python": "made.py", "swift": "Made.swift"}[language]
  assert main([language, str(source), "-o", str(output)]) == 0 and told in output.read_text()
  with pytest.raises(SystemExit) as ended:
    main([language, str(source), "-o", str(output), "-n", name])
  assert ended.value.code == 2 and "give it another --name" in capsys.readouterr().err
  if language == "c":
    program = tmp_path / "program.c"
    program.write_text('#include "made.h"\nint main(void) { return 0; }\n')
    compiled = compile_c(program)
    assert compiled.returncode == 0, compiled.stderr
  elif language == "python":
    assert mypy(tmp_path, output.with_suffix(".pyi")).returncode == 0 and made(output)
  elif (MODULES / "Modules" / "Livery.swiftmodule").exists():
    checked = run(*swiftc(), "-typecheck", output)
    assert checked.returncode == 0, checked.stderr


def test_a_line_alone_names_no_type_in_swift(tmp_path: pathlib.Path, capsys: "pytest.CaptureFixture[str]") -> None:
  source, output = tmp_path / "_.json", tmp_path / "Made.swift"
  source.write_text(schema_of(SETTING))
  with pytest.raises(SystemExit) as ended:
    main(["swift", str(source), "-o", str(output), "--name", "_"])
  assert ended.value.code == 2 and "give it another --name" in capsys.readouterr().err and not output.exists()
  # A file may be called so.
  assert main(["swift", str(source), "-o", str(output)]) == 0 and "struct Setting:" in output.read_text()


def test_bytes_of_lists_have_a_name_of_their_own(generate: Any) -> None:
  pick = {"Type": "ComboBox", "Key": "bytes", "Title": "Bytes", "Options": [{"Title": "A", "Value": "a"}]}
  parts = {"Type": "List", "Title": "Parts", "ItemTemplate": [{"Type": "Data", "Title": "Part"}]}
  path = generate("swift", schema_of(pick, {**parts, "Key": "parts"}, {**parts, "Key": "more"}), "Kiosk")
  text = path.read_text()
  assert text.count("struct Bytes_2:") == 1 and text.count("var parts: [Bytes_2]") == 1 and "var more: [Bytes_2]" in text
  if (MODULES / "Modules" / "Livery.swiftmodule").exists():
    checked = run(*swiftc(), "-typecheck", path)
    assert checked.returncode == 0, checked.stderr
