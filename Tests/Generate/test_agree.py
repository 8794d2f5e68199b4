"""Generated accessors agree with the store on every value, for schemas at random."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys
from typing import Any, List

import livery
import pytest
from livery.generate.model import read

from conftest import ROOT, Schemas, compile_c, run

SEED = int(os.environ.get("LIVERY_SEED", "1"))
#: 1,000 are asked for in full; the suite has a slice of them.
COUNT = int(os.environ.get("LIVERY_GENERATE_SCHEMAS", "12"))
MODULES = ROOT / ".build" / "debug"


def expected(schema: str) -> List[Any]:
  """Each setting's value as it is in JSON, in the schema's order."""
  with livery.open("", memory=True) as store:
    store.apply_schema(schema)
    return [in_json(store[one.name]) for one in read(schema, "schema").settings]


def in_json(value: Any) -> Any:
  if isinstance(value, livery.Color):
    return value.hex
  if isinstance(value, datetime.datetime):
    return value.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
  if isinstance(value, bytes):
    return base64.b64encode(value).decode()
  if isinstance(value, list):
    return [in_json(one) for one in value]
  if isinstance(value, dict):
    return {name: in_json(one) for name, one in value.items()}
  return value


@pytest.mark.parametrize("seed", range(SEED, SEED + COUNT))
def test_python(generate: Any, seed: int) -> None:
  schema = Schemas(seed).schema(12)
  path = generate("python", schema)
  spec = importlib.util.spec_from_file_location(f"made{seed}", path)
  assert spec and spec.loader
  module = importlib.util.module_from_spec(spec)
  sys.modules[spec.name] = module
  spec.loader.exec_module(module)
  with livery.open("", memory=True) as store:
    store.apply_schema(schema)
    settings = module.Kiosk(store)
    properties = [name for name, one in vars(module.Kiosk).items() if isinstance(one, property)]
    names = [one.name for one in read(schema, "schema").settings]
    assert len(properties) == len(names)
    for ident, name in zip(properties, names):
      value = getattr(settings, ident)
      assert plain(value) == store[name], (seed, name)
      setattr(settings, ident, value)
      assert plain(getattr(settings, ident)) == store[name], (seed, name)
      assert store.inspect(name)["effective"]["layer"] == "user"
      delattr(settings, ident)


def plain(value: Any) -> Any:
  if isinstance(value, list):
    return [plain(one) for one in value]
  if dataclasses.is_dataclass(value):
    return value._value()  # type: ignore[attr-defined]
  return value


PROGRAM = r"""
#include <stdio.h>
%s
static void show(livery_status status, livery_value *value) {
  char *json = NULL;
  if (status == LIVERY_OK) status = livery_value_to_json(value, 0, &json, NULL);
  printf("%%d\t%%s\n", status, json ? json : "");
  livery_free(json);
  livery_value_release(value);
}
int main(int count, char **arguments) {
  livery_store *store;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  static char schema[1 << 20], buffer[1 << 16];
  (void)count;
  (void)buffer;
  options.flags = LIVERY_OPEN_MEMORY;
  if (livery_open("", &options, &store) != LIVERY_OK) return 1;
%s
  (void)arguments;
  return livery_close(store);
}
"""

GETTER = re.compile(r"static inline livery_status k(\d+)_get_(\w+)\(const k\d+_settings \*settings, (.*?) \*(value|content|buffer)\b")


@pytest.mark.parametrize("batch", range(0, COUNT, 25))
def test_c(generate: Any, tmp_path: pathlib.Path, batch: int) -> None:
  """The headers of a batch in one program, which also shows that they get along with one another."""
  includes, body, wanted = [], [], []
  for number, seed in enumerate(range(SEED + batch, SEED + min(batch + 25, COUNT))):
    schema = Schemas(seed).schema(12)
    header = generate("c", schema, f"k{number}")
    includes.append(f'#include "{header.name}"')
    p = f"k{number}"
    body.append(f'  {{ livery_store *own; if (livery_open("", &options, &own) != LIVERY_OK) return 1;\n'
                f'  FILE *file = fopen("{tmp_path}/{p}.json", "r"); size_t size = file ? fread(schema, 1, sizeof schema, file) : 0;\n'
                f"  if (!file || fclose(file) != 0 || livery_schema_apply(own, schema, size, NULL, NULL) != LIVERY_OK) return 2;\n"
                f"  {p}_settings settings; if ({p}_open(own, 0, &settings) != LIVERY_OK) return 3;")
    text = header.read_text()
    model = read(schema, "schema")
    getters = GETTER.findall(text)
    assert [one[0] for one in getters] == [str(number)] * len(model.settings)
    for (_, name, kind, _), setting in zip(getters, model.settings):
      body.append(_c_show(p, name, kind, setting.kind, text))
    body.append(f"  {p}_close(&settings); if (livery_close(own) != LIVERY_OK) return 4; }}")
    wanted += expected(schema)
  source = tmp_path / "program.c"
  source.write_text(PROGRAM % ("\n".join(includes), "\n".join(body)))
  compiled = compile_c(source, "-g", "-fsanitize=address", "-Wno-deprecated-declarations", "-Wno-misleading-indentation")
  assert compiled.returncode == 0, compiled.stderr[:4000]
  shown = run(source.with_suffix(""))
  assert shown.returncode == 0, shown.stderr[:4000]
  _compare(shown.stdout, wanted)


def _c_show(p: str, name: str, kind: str, setting: str, text: str) -> str:
  if kind in ("char", "void"):
    made = {"char": "string", "void": "data"}[kind]
    return (f"  {{ size_t length = 0; livery_value *value = NULL; livery_status status = {p}_get_{name}(&settings, buffer, sizeof buffer, &length);\n"
            f"  if (status == LIVERY_OK) status = livery_value_make_{made}(buffer, length, &value); show(status, value); }}")
  scalar = {"bool": "bool", "int64_t": "date" if setting == "date" else "int", "double": "double", "livery_color": "color"}
  made = scalar.get(kind, kind[len(p) + 1:])
  clear = f"if (status == LIVERY_OK) {p}_clear_{made}(&content);"
  return (f"  {{ {kind} content; livery_value *value = NULL; livery_status status = {p}_get_{name}(&settings, &content);\n"
          f"  if (status == LIVERY_OK) {{ status = {p}_make_{made}(&content, &value); {clear} }} show(status, value); }}")


def _compare(shown: str, wanted: List[Any]) -> None:
  lines = shown.splitlines()
  assert len(lines) == len(wanted)
  for line, value in zip(lines, wanted):
    status, _, content = line.partition("\t")
    if value is None:
      assert status == "-4"
    else:
      assert status == "0" and canonical(json.loads(content)) == canonical(value), line


def canonical(value: Any) -> Any:
  """Colors with their alpha, whoever wrote them."""
  if isinstance(value, str) and re.fullmatch("#[0-9A-F]{6}", value):
    return value + "FF"
  if isinstance(value, list):
    return [canonical(one) for one in value]
  return {name: canonical(one) for name, one in value.items()} if isinstance(value, dict) else value


SWIFT = """import Livery

#if canImport(Glibc)
import Glibc
#endif

func show(_ body: () throws(StoreError) -> Value) {
  do throws(StoreError) { print("0\\t" + (try body()).json()) } catch { print("\\(error.code.rawValue)\\t") }
}

func text(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
  return bytes
}

var options = Store.Options()
options.inMemory = true
"""


@pytest.mark.skipif(not (MODULES / "Modules" / "Livery.swiftmodule").exists(), reason="the package is not built: swift build")
@pytest.mark.parametrize("batch", range(0, COUNT if COUNT > 12 else 4, 10))
def test_swift(generate: Any, tmp_path: pathlib.Path, batch: int) -> None:
  body, wanted = [SWIFT], []
  for number, seed in enumerate(range(SEED + batch, SEED + (min(batch + 10, COUNT) if COUNT > 12 else 4))):
    schema = Schemas(seed).schema(12)
    made = generate("swift", schema, f"K{number}")
    model = read(schema, "schema")
    idents = re.findall(r"^  public var (`?\w+`?): .* \{ get throws", made.read_text(), re.MULTILINE)
    assert len(idents) == len(model.settings)
    body.append(f'do {{\n  let store = try Store(path: "", options: options)\n'
                f'  let applied = store.applySchema(text("{tmp_path}/K{number}.json"))\n  if let error = applied.error {{ throw error }}\n'
                f"  let settings = try K{number}(store)")
    for ident, setting in zip(idents, model.settings):
      value = f".data(try settings.{ident})" if setting.kind == "data" else f"try settings.{ident}.settingValue"
      body.append(f"  show {{ () throws(StoreError) in {value} }}")
    body.append("}")
    wanted += expected(schema)
  (tmp_path / "main.swift").write_text("\n".join(body) + "\n")
  program = tmp_path / "program"
  compiled = run(*swiftc(), *sorted(tmp_path.glob("K*.swift")), tmp_path / "main.swift", *objects(), "-o", program)
  assert compiled.returncode == 0, compiled.stdout[-3000:] + compiled.stderr[-3000:]
  shown = run(program)
  assert shown.returncode == 0, shown.stderr
  _compare(shown.stdout, wanted)


def swiftc() -> List[str]:
  found = shutil.which("swiftc")
  assert found
  includes: List[str] = [f"-I{MODULES / 'Modules'}", f"-I{ROOT / 'include'}"]
  for folder in sorted((ROOT / "Sources").iterdir()):
    if (folder / "module.modulemap").exists():
      includes.append(f"-I{folder}")
    if (folder / "include").exists():
      includes += [f"-I{folder / 'include'}", "-Xcc", f"-I{folder / 'include'}"]
  for made in sorted(MODULES.glob("*.build/module.modulemap")):
    includes += ["-Xcc", f"-fmodule-map-file={made}"]
  return [found, "-swift-version", "6", "-Onone", "-Xcc", f"-I{ROOT / 'include'}", *includes]


def objects() -> List[str]:
  """What the program is linked with: the package's own objects."""
  wanted = ["Livery", "LiveryCore", "LMDB", "CJansson", "CPlist", "CReadCache", "CSystem", "CWake", "CXXHash", "CLMDB", "CLegibility"]
  found = [str(one) for name in wanted for one in sorted((MODULES / f"{name}.build").rglob("*.o"))]
  return [*found, "-llmdb", "-lxxhash", "-profile-generate"]

