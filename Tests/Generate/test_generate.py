"""What must not compile, which stores are refused, and what the command says of what is wrong."""

from __future__ import annotations

import html.parser
import json
import importlib.util
import os
import pathlib
import subprocess
import sys
from typing import Any, List, Tuple

import livery
import pytest
from livery.generate import main

from conftest import ROOT, compile_c, run, schema_of
from test_agree import MODULES, objects, swiftc

NUMBER = {"Type": "Number", "Format": "integer", "Title": "Idle time", "Key": "idle", "Value": 5, "Unit": "s", "Minimum": 1}
OLD = {"Type": "TextField", "Title": "Old", "Key": "old", "Value": "x", "Deprecated": "Write \"new\" instead"}
CHOICE = {"Type": "ComboBox", "Title": "Pace", "Key": "pace", "Value": "slow",
          "Options": [{"Title": "Slow", "Value": "slow"}, {"Title": "Fast", "Value": "fast"}]}
ALL = schema_of(NUMBER, OLD, CHOICE)

#: What is wrong, as a statement in C, Swift and Python; the first is right.
MISTAKES: List[Tuple[str, str, str, str]] = [
  ("nothing", "kiosk_get_idle(s, &number)", "let n: Int64 = try s.idle", "n: int = s.idle"),
  ("a misspelt name", "kiosk_get_idel(s, &number)", "let n: Int64 = try s.idel", "n: int = s.idel"),
  ("a wrong type", "kiosk_get_idle(s, &flag)", "let n: Bool = try s.idle", "n: str = s.idle"),
  ("a removed setting", "kiosk_get_gone(s, &number)", "let n: Int64 = try s.gone", "n: int = s.gone"),
  ("a misspelt option", "kiosk_set_pace(s, LIVERY_LAYER_USER, KIOSK_PACE_FASTER)", "let n: Kiosk.Pace = .faster",
   "n: str = kiosk.Pace.FASTER"),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one[0])
def test_c(generate: Any, tmp_path: pathlib.Path, mistake: Tuple[str, str, str, str]) -> None:
  generate("c", ALL)
  source = tmp_path / "program.c"
  source.write_text('#include "kiosk.h"\nint use(const kiosk_settings *s, int64_t number, bool flag);\n'
                    "int use(const kiosk_settings *s, int64_t number, bool flag) {\n  (void)number;\n  (void)flag;\n"
                    f"  return {mistake[1]};\n}}\n")
  compiled = compile_c(source, "-c")
  assert (compiled.returncode == 0) == (mistake[0] == "nothing"), compiled.stderr


@pytest.mark.skipif(not (MODULES / "Modules" / "Livery.swiftmodule").exists(), reason="the package is not built: swift build")
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one[0])
def test_swift(generate: Any, tmp_path: pathlib.Path, mistake: Tuple[str, str, str, str]) -> None:
  made = generate("swift", ALL, "Kiosk")
  source = tmp_path / "use.swift"
  source.write_text(f"import Livery\n\nfunc use(_ s: Kiosk) throws {{\n  {mistake[2]}\n  _ = n\n}}\n")
  checked = run(*swiftc(), "-typecheck", made, source)
  assert (checked.returncode == 0) == (mistake[0] == "nothing"), checked.stderr


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: one[0])
def test_python(generate: Any, tmp_path: pathlib.Path, mistake: Tuple[str, str, str, str]) -> None:
  generate("python", ALL)
  source = tmp_path / "use.py"
  source.write_text(f"import kiosk\n\n\ndef use(s: kiosk.Kiosk) -> None:\n  {mistake[3]}\n  print(n)\n")
  checked = mypy(tmp_path, source)
  assert (checked.returncode == 0) == (mistake[0] == "nothing"), checked.stdout


def mypy(folder: pathlib.Path, *arguments: Any) -> Any:
  return run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", *arguments, cwd=folder,
             env={"MYPYPATH": str(ROOT / "bindings" / "python"), "PATH": "/usr/bin:/bin"})


def test_deprecated(generate: Any, tmp_path: pathlib.Path) -> None:
  generate("c", ALL)
  source = tmp_path / "program.c"
  source.write_text('#include "kiosk.h"\nint use(const kiosk_settings *s);\nint use(const kiosk_settings *s) {\n'
                    "  char text[9];\n  return kiosk_get_old(s, text, sizeof text, NULL);\n}\n")
  compiled = compile_c(source, "-c")
  assert compiled.returncode != 0 and 'Write "new" instead' in compiled.stderr
  stub = generate("python", ALL).with_suffix(".pyi").read_text()
  assert "@deprecated('Write \"new\" instead')" in stub
  assert '@available(*, deprecated, message: "Write \\"new\\" instead")' in generate("swift", ALL).read_text()


def test_text_that_turns_direction_or_ends_lines_is_plain_in_comments(generate: Any, tmp_path: pathlib.Path) -> None:
  odd = "a\u202eb\u2028c\x85d"
  schema = schema_of({**NUMBER, "Title": odd, "Description": odd})
  generate("c", schema)
  source = tmp_path / "program.c"
  source.write_text('#include "kiosk.h"\nint main(void) { return 0; }\n')
  compiled = compile_c(source, "-c")
  assert compiled.returncode == 0, compiled.stderr
  for language in ("c", "swift"):
    assert all(one.isprintable() or one == "\n" for one in generate(language, schema).read_text()), language


def test_a_setting_called_deprecated_beside_one_that_is(generate: Any, tmp_path: pathlib.Path) -> None:
  pytest.importorskip("mypy")
  generate("python", schema_of({**NUMBER, "Key": "deprecated"}, OLD))
  source = tmp_path / "use.py"
  source.write_text("import kiosk\n\n\ndef use(s: kiosk.Kiosk) -> None:\n  print(s.old)\n")
  checked = mypy(tmp_path, source, tmp_path / "kiosk.pyi")
  assert checked.returncode == 0, checked.stdout


def test_header_in_cplusplus(generate: Any) -> None:
  header = generate("c", ALL)
  compiled = run("c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-x", "c++", header)
  assert compiled.returncode == 0, compiled.stderr


def made(path: pathlib.Path) -> Any:
  spec = importlib.util.spec_from_file_location("kiosk_made", path)
  assert spec and spec.loader
  module = importlib.util.module_from_spec(spec)
  sys.modules[spec.name] = module
  spec.loader.exec_module(module)
  return module


def test_other_schemas_are_refused(generate: Any) -> None:
  module = made(generate("python", schema_of(NUMBER, OLD, version=2)))
  with livery.open("", memory=True) as store:
    with pytest.raises(livery.NoValueError):
      module.Kiosk(store)
  more = {**NUMBER, "Key": "more"}
  text = {**NUMBER, "Type": "TextField", "Value": "a"}
  for schema, error, missing in (
      (schema_of(NUMBER, OLD, version=1), livery.ConflictError, []), (schema_of(NUMBER, version=2), livery.ConflictError, ["old"]),
      (schema_of(NUMBER, OLD, more, version=3), livery.SchemaNewerError, []),
      (schema_of(text, OLD, version=3), livery.SchemaNewerError, ["idle"])):
    with livery.open("", memory=True) as store:
      store.apply_schema(schema)
      assert module.Kiosk.missing(store) == missing
      with pytest.raises(error) as raised:
        module.Kiosk(store)
      assert all(name in str(raised.value) for name in missing)
      if missing:
        with pytest.raises(livery.NotFoundError, match=missing[0]):
          module.Kiosk(store, any_version=True)
      else:
        assert module.Kiosk(store, any_version=True).idle == 5


def test_any_version_takes_every_type(generate: Any) -> None:
  both = [{"Title": "A", "Value": "a"}, {"Title": "B", "Value": "b"}]
  settings = [{"Type": "ComboBox", "Class": [kind], "Title": kind, "Key": kind.lower(), "Options": both} for kind in ("Single", "Multiple")]
  settings += [{"Type": kind, "Title": kind, "Key": kind.lower()} for kind in ("TextField", "URL", "Date", "Color", "Image", "Data")]
  settings += [{"Type": "ToggleSwitch", "Title": "On", "Key": "on"}, {"Type": "Number", "Format": "integer", "Title": "I", "Key": "whole"},
               {"Type": "Number", "Format": "number", "Title": "N", "Key": "broken"},
               {"Type": "List", "Title": "L", "Key": "list", "ItemTemplate": [{"Type": "TextField", "Title": "T", "Key": "t"}]}]
  module = made(generate("python", schema_of(*settings, version=1)))
  with livery.open("", memory=True) as store:
    store.apply_schema(schema_of(*settings, version=2))
    assert module.Kiosk.missing(store) == []
    store.set("multiple", ["b"])
    assert [str(one) for one in module.Kiosk(store, any_version=True).multiple] != []


def test_what_is_printed_of_an_item_has_no_secret(generate: Any) -> None:
  template = [{"Type": "TextField", "Title": "Name", "Key": "name"}, {"Type": "TextField", "Class": ["Password"], "Title": "Word", "Key": "word"}]
  schema = schema_of({"Type": "List", "Title": "Users", "Key": "users", "ItemTemplate": template}, version=1)
  module = made(generate("python", schema))
  with livery.open("", memory=True) as store:
    store.apply_schema(schema)
    store.set("users", [{"name": "Ada", "word": "enigma"}])
    user = module.Kiosk(store).users[0]
    assert user.word == "enigma" and "Ada" in repr(user) and "enigma" not in repr(user)


def test_other_schemas_are_refused_in_c(generate: Any, tmp_path: pathlib.Path) -> None:
  generate("c", schema_of(NUMBER, OLD, version=2))
  cases = [(schema_of(NUMBER, OLD, version=2), 0, 0, ""), (schema_of(NUMBER, version=2), -9, -3, "old"),
           (schema_of({**NUMBER, "Type": "TextField", "Value": "a"}, OLD, version=3), -13, -3, "idle"),
           (schema_of({**NUMBER, "Key": "a"}, OLD, NUMBER, version=3), -13, 0, "")]
  body = ""
  for number, (schema, strict, lenient, _) in enumerate(cases):
    (tmp_path / f"case{number}.json").write_text(schema)
    body += f'  if (!is("{tmp_path}/case{number}.json", {strict}, {lenient})) return {number + 1};\n'
  source = tmp_path / "program.c"
  source.write_text(r'''#include "kiosk.h"
static bool is(const char *path, int strict, int lenient) {
  static char text[1 << 16];
  livery_store *store;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  kiosk_settings settings;
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  options.flags = LIVERY_OPEN_MEMORY;
  if (!file || fclose(file) || livery_open("", &options, &store) || livery_schema_apply(store, text, size, NULL, NULL)) return false;
  int first = kiosk_open(store, 0, &settings);
  if (first) puts(livery_last_error()->message); else kiosk_close(&settings);
  int second = kiosk_open(store, KIOSK_ANY_VERSION, &settings);
  if (second) puts(livery_last_error()->message); else kiosk_close(&settings);
  livery_close(store);
  return first == strict && second == lenient;
}
int main(void) {
''' + body + "  return 0;\n}\n")
  assert compile_c(source, "-fsanitize=address").returncode == 0
  ran = run(source.with_suffix(""))
  assert ran.returncode == 0, ran.stdout + ran.stderr
  assert "not there, or of another type: old" in ran.stdout and "not there, or of another type: idle" in ran.stdout


def test_list_of_records_in_c_is_set(generate: Any, tmp_path: pathlib.Path) -> None:
  generate("c", schema_of({"Type": "List", "Title": "Playlist", "Key": "playlist", "ItemTemplate": [
    {"Type": "URL", "Title": "Content", "Key": "content"},
    {"Type": "Number", "Format": "integer", "Title": "Seconds", "Key": "seconds", "Value": 10}]}))
  source = tmp_path / "program.c"
  source.write_text(r'''#include "kiosk.h"
int main(void) {
  static char text[1 << 16];
  livery_store *store;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  kiosk_settings settings;
  FILE *file = fopen("''' + str(tmp_path / "kiosk.json") + r'''", "r");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  options.flags = LIVERY_OPEN_MEMORY;
  if (!file || fclose(file) || livery_open("", &options, &store) || livery_schema_apply(store, text, size, NULL, NULL)) return 1;
  if (kiosk_open(store, 0, &settings)) return 2;
  kiosk_item_playlist items[2] = {0};
  items[0].content = (kiosk_text){"https://a.example/", LIVERY_ZERO_TERMINATED, NULL};
  items[0].has.content = true;
  items[1].seconds = 7;
  items[1].has.seconds = true;
  kiosk_list_playlist list = {items, 2};
  if (kiosk_set_playlist(&settings, LIVERY_LAYER_USER, &list)) return 3;
  kiosk_list_playlist read;
  if (kiosk_get_playlist(&settings, &read) || read.count != 2) return 4;
  if (strcmp(read.items[0].content.start, "https://a.example/") || read.items[0].seconds != 10) return 5;
  if (read.items[1].has.content || read.items[1].seconds != 7) return 6;
  kiosk_clear_list_playlist(&read);
  kiosk_close(&settings);
  return livery_close(store);
}
''')
  compiled = compile_c(source, "-fsanitize=address")
  assert compiled.returncode == 0, compiled.stderr
  ran = run(source.with_suffix(""))
  assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(not (MODULES / "Modules" / "Livery.swiftmodule").exists(), reason="the package is not built: swift build")
def test_swift_observes_and_updates(generate: Any, tmp_path: pathlib.Path) -> None:
  made = generate("swift", ALL, "Kiosk")
  other = json.dumps({**json.loads(ALL), "Version": 9})
  (tmp_path / "main.swift").write_text(r"""import Foundation
import Livery

func check(_ holds: Bool, _ what: String) { if !holds { print(what); exit(1) } }
var options = Store.Options()
options.inMemory = true
let store = try Store(path: "", options: options)
func apply(_ index: Int) throws {
  let applied = store.applySchema([UInt8](try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[index]))))
  if let error = applied.error { throw error }
}
do throws(StoreError) { _ = try Kiosk(store); check(false, "no schema was taken") } catch { check(error.code == .noValue, "\(error)") }
try apply(1)
let settings = try Kiosk(store)
final class Seen: @unchecked Sendable { let lock = NSLock(); var values: [Int64?] = [] }
let seen = Seen()
let observation = try settings.observe(Kiosk.Keys.idle) { value in seen.lock.withLock { seen.values.append(value) } }
try settings.update(.user, origin: "test") {
  $0[Kiosk.Keys.idle] = 90
  $0[Kiosk.Keys.pace] = .fast
}
check(try settings.idle == 90 && settings.pace == .fast, "the update is not read")
for _ in 0..<500 where seen.lock.withLock({ seen.values.last != 90 }) { usleep(10_000) }
check(seen.lock.withLock { seen.values.last == 90 }, "nothing was observed")
try settings.resetIdle(in: .user)
for _ in 0..<500 where seen.lock.withLock({ seen.values.last == 90 }) { usleep(10_000) }
check(seen.lock.withLock { seen.values.last != 90 }, "the reset was not observed")
try apply(2)
do throws(StoreError) { _ = try Kiosk(store); check(false, "another version was taken") } catch { check(error.code == .schemaNewer, "\(error)") }
check(try Kiosk(store, anyVersion: true).pace == .fast, "any version")
withExtendedLifetime(observation) {}
""")
  newer = tmp_path / "newer.json"
  newer.write_text(other)
  compiled = run(*swiftc(), made, tmp_path / "main.swift", *objects(), "-o", tmp_path / "program")
  assert compiled.returncode == 0, compiled.stderr
  ran = run(tmp_path / "program", tmp_path / "Kiosk.json", newer)
  assert ran.returncode == 0, ran.stdout + ran.stderr


def test_pages_are_inert(generate: Any) -> None:
  evil = '<script>alert(1)</script> "x" `y` | z'
  schema = schema_of({**NUMBER, "Title": evil, "Description": evil, "Key": "<img src=x>", "Unit": evil}, CHOICE, OLD)
  page = generate("html", schema).read_text()

  class Tags(html.parser.HTMLParser):
    seen: List[str] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
      self.seen.append(tag)
      assert all(name in ("lang", "charset", "name", "content", "id", "href", "aria-label") for name, _ in attributes)

  Tags().feed(page)
  assert not {"script", "img"} & set(Tags.seen)
  for told in ("slow", "Slow", "fast", "Write &quot;new&quot; instead"):
    assert told in page
  text = generate("markdown", schema).read_text()
  assert "<script>" not in text.replace("\\<script\\>", "") and "| Unit |" in text


def test_backquotes_in_values_are_shown_as_they_are(generate: Any) -> None:
  schema = schema_of({"Type": "TextField", "Title": "Run", "Key": "run`|", "Value": "echo `date`; ls", "Pattern": "`a``b|c"},
                     {"Type": "ComboBox", "Title": "Pick", "Key": "pick", "Value": "a`b", "Options": [{"Title": "A `quoted", "Value": "a`b"}, {"Title": "B", "Value": "b"}]})
  page = generate("html", schema).read_text()
  for told in ("<code>&quot;echo `date`; ls&quot;</code>", "matches <code>`a``b|c</code>", "<code>&quot;a`b&quot;</code> A `quoted, <code>&quot;b&quot;</code> B"):
    assert told in page
  text = generate("markdown", schema).read_text()
  for told in ('| Default | ``"echo `date`; ls"`` |', "| Constraints | matches ``` `a``b\\|c ``` |", '| Options | ``"a`b"`` A \\`quoted, `"b"` B |', "``run`|``\n"):
    assert told in text


def test_secret_defaults_are_told_nowhere(generate: Any) -> None:
  schema = schema_of({"Type": "TextField", "Title": "Code", "Key": "code", "Class": ["Password"], "Value": "hunter2"})
  code = {**json.loads(schema)["Groups"][0]["Settings"][0], "Value": "letme1n"}
  inner = {"Type": "List", "Title": "Codes", "Key": "codes", "ItemTemplate": [code]}
  lists = schema_of({**inner, "Value": [{"code": "hunter2"}]}, {**inner, "Key": "plain", "ItemTemplate": [{"Type": "TextField", "Title": "Code", "Class": ["Password"]}], "Value": ["hunter2"]},
                    {**inner, "Key": "deep", "ItemTemplate": [inner], "Value": [{"codes": [{"code": "hunter2"}]}]})
  for language in ("c", "swift", "python", "markdown", "html"):
    assert "hunter2" not in generate(language, schema).read_text()
    told = generate(language, lists).read_text()
    assert "hunter2" not in told and "letme1n" not in told


def test_what_is_wrong_is_told(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
  broken = tmp_path / "broken.json"
  for content, status, told in ((b'{"Version": 1,\n "Groups": [}', 4, f"{broken}:2:13: "), (b"\xff", 4, f"{broken}:1:1: not UTF-8"),
                                (b'{"Version": 1,\n "\xc3\xa9": "\xff"}', 4, f"{broken}:2:8: not UTF-8"),
                                (b'{"Version": 1, "Groups": [{"Title": "A", "Settings": [{"Type": "Nmber"}]}]}', 4, "Nmber")):
    broken.write_bytes(content)
    assert main(["c", str(broken)]) == status
    error = capsys.readouterr().err
    assert told in error and "at line" not in error
  assert main(["c", str(tmp_path / "none.json")]) == 8
  assert "none.json: No such file" in capsys.readouterr().err
  good = tmp_path / "good.json"
  good.write_text(ALL)
  capsys.readouterr()
  assert main(["c", str(good), "-o", str(tmp_path / "no" / "folder.h")]) == 8
  assert capsys.readouterr().err == f"{tmp_path / 'no' / 'folder.h'}: No such file or directory\n"
  with pytest.raises(SystemExit) as ended:
    main(["cobol", str(good)])
  assert ended.value.code == 2


@pytest.mark.parametrize("language, source, output, told", [
  ("c", "s.json", "s.json", "s.json: would be written over what it is made of"), ("html", "s.json", "soft", "soft: would be written over"),
  ("markdown", "s.json", "hard", "hard: would be written over"), ("swift", "s.json", "folder/../s.json", "s.json: would be written over"),
  ("python", "kiosk.pyi", "kiosk.py", "kiosk.py: would be written over"), ("python", "s.json", "made.pyi", "give a file that ends with .py"),
  ("python", "s.json", "other.py", "give a file that ends with .py")])
def test_nothing_is_written_over_what_was_given(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
                                                language: str, source: str, output: str, told: str) -> None:
  monkeypatch.chdir(tmp_path)
  for name in ("s.json", "kiosk.pyi"):
    pathlib.Path(name).write_text(ALL)
  pathlib.Path("folder").mkdir()
  pathlib.Path("soft").symlink_to("s.json")
  os.link("s.json", "hard")
  pathlib.Path("other.pyi").symlink_to("other.py")
  with pytest.raises(SystemExit) as ended:
    main([language, source, "-o", output])
  assert ended.value.code == 2 and told in capsys.readouterr().err
  assert pathlib.Path(source).read_text() == ALL and pathlib.Path("hard").samefile("s.json") and not pathlib.Path("made.pyi").exists()


def test_help_that_cannot_be_written_is_said() -> None:
  environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")}
  command = [sys.executable, "-m", "livery.generate", "--help"]
  assert run(*command, env=environment).stdout.startswith("livery generate: typed accessors")
  for shell, told in (('exec "$@" >/dev/full', "No space left on device"), ('exec "$@" >&-', "Bad file descriptor")):
    done = run("sh", "-c", shell, "sh", *command, env=environment)
    assert done.returncode == 8 and done.stderr == f"standard output: {told}\n"


def test_a_schema_from_standard_input() -> None:
  done = run(sys.executable, "-m", "livery.generate", "python", "-", "-n", "Kiosk", input=ALL, env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python")})
  assert done.returncode == 0 and "class Kiosk" in done.stdout, done.stderr


def test_same_output_is_not_written_again(tmp_path: pathlib.Path) -> None:
  source, output = tmp_path / "s.json", tmp_path / "s.h"
  source.write_text(ALL)
  assert main(["c", str(source), "-o", str(output)]) == 0
  before = output.stat()
  assert main(["c", str(source), "-o", str(output)]) == 0
  assert output.stat().st_mtime_ns == before.st_mtime_ns and output.stat().st_ino == before.st_ino


def test_no_stub_lies_beside_what_is_no_file(tmp_path: pathlib.Path) -> None:
  source, pipe = tmp_path / "kiosk.json", tmp_path / "pipe.py"
  source.write_text('{"Version": 1, "Groups": []}')
  os.mkfifo(pipe)
  reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
  assert main(["python", str(source), "-o", str(pipe)]) == 0
  assert "class Kiosk" in reader.communicate(timeout=20)[0]
  assert sorted(one.name for one in tmp_path.iterdir()) == ["kiosk.json", "pipe.py"]
  assert main(["python", str(source), "-o", str(tmp_path / "made.py")]) == 0
  assert (tmp_path / "made.pyi").is_file()


def test_empty_schema(generate: Any, tmp_path: pathlib.Path) -> None:
  header = generate("c", schema_of())
  source = tmp_path / "program.c"
  source.write_text(f'#include "{header.name}"\nint main(void) {{ return 0; }}\n')
  assert compile_c(source).returncode == 0
  assert made(generate("python", schema_of())).Kiosk.missing


def test_versions_are_whole(generate: Any) -> None:
  schema = schema_of(NUMBER).replace('"Version": 1,', '"Version": 1.0,')
  assert "UInt64 = 1\n" in generate("swift", schema, "Kiosk").read_text()
  assert "_VERSION 1\n" in generate("c", schema).read_text() and made(generate("python", schema)).Kiosk.VERSION.real == 1


def test_members_called_as_what_the_class_needs(generate: Any) -> None:
  members = [{"Type": "TextField", "Title": name, "Key": name} for name in ("classmethod", "property", "cls", "value", "livery", "_of")]
  module = made(generate("python", schema_of({"Type": "List", "Title": "L", "Key": "l", "ItemTemplate": members})))
  item = module.LItem._of({"classmethod": "a", "cls": "b"})
  assert item._value() == {"classmethod": "a", "cls": "b"}
