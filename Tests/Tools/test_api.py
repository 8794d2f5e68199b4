"""tools/api reads all that the headers declare, and refuses what it does not understand."""

import json
import re
import shutil
import subprocess
import sys

import api
import pytest
from api import model, tokens
from conftest import HEADERS, ROOT, SAMPLE


@pytest.fixture
def sample(folder):
  (header,) = api.read(folder).headers
  return header


def changed(folder, old, new):
  """The sample with something exchanged, which it has once."""
  assert SAMPLE.count(old) == 1, old
  (folder / "sample.h").write_text(SAMPLE.replace(old, new), encoding="utf-8")


# -- What is read


def test_a_function_is_read_with_its_comment(sample):
  function = sample.functions[0]
  assert (function.name, str(function.result), function.file) == ("livery_do", "livery_status", "livery/sample.h")
  assert function.line == SAMPLE[: SAMPLE.index("LIVERY_API livery_status")].count("\n") + 1
  assert function.summary == "Do it, over two lines."
  assert function.description == "More of it:\n\n    code();"
  assert function.threads == "any. Never blocks."
  assert (function.since, function.deprecated) == ("0.2", "since 0.3: do something else")
  assert [(str(each.type), each.name, each.direction, each.text) for each in function.parameters] == [
    ("livery_thing *", "thing", "in", "a thing"),
    ("const livery_options *", "options", "in", "or NULL"),
    ("livery_call_fn", "call", "in", "functions"),
    ("livery_call_fn", "other", "in", "functions"),
    ("void *", "user_data", "in", "handed on"),
    ("livery_thing **", "result", "out", "over two lines"),
  ]
  assert function.takes_handle and function.statuses == ["LIVERY_OK", *(each.name for each in function.returns.statuses[1:]),
                                                         "LIVERY_ERROR_CLOSED", "LIVERY_ERROR_FORKED"]
  assert [(each.name, each.text) for each in function.returns.statuses] == [
    ("LIVERY_OK", "if it was done"),
    ("LIVERY_ERROR_CLOSED", "it was closed, long ago"),
    ("LIVERY_ERROR_LATER", "not yet"),
  ]


def test_a_function_without_parameters_and_status(sample):
  function = sample.functions[1]
  assert (function.name, str(function.result), function.parameters) == ("livery_say", "const char *", [])
  assert (function.returns.text, function.statuses, function.deprecated) == ("text", [], None)


def test_types_are_read(sample):
  assert sample.text == "What a header may have.\n\n    indented = stays;"
  assert sample.includes == ["stdint.h"]
  assert [(each.name, each.text) for each in sample.handles] == [("livery_thing", "A handle.")]
  assert [(each.name, str(each.type)) for each in sample.numbers] == [("livery_status", "int32_t")]
  (struct,) = sample.structs
  assert [(str(each.type), each.name, each.text) for each in struct.members] == [
    ("size_t", "struct_size", "sizeof(livery_options)"),
    ("const char *const *", "names", ""),
    ("livery_thing *", "first", "Two."),
    ("livery_thing *", "second", "Two."),
  ]
  (callback,) = sample.callbacks
  given = [api.declaration(each.type, each.name) for each in callback.parameters]
  assert (callback.name, str(callback.result)) == ("livery_call_fn", "livery_status")
  assert given == ["const livery_options *options", "void *user_data"]


def test_constants_are_read(folder, sample):
  statuses, bits = sample.enums
  assert (statuses.type, statuses.text, bits.type, bits.text) == ("livery_status", "", None, "Bits.")
  assert [(each.name, each.value, each.text) for each in statuses.constants] == [
    ("LIVERY_OK", 0, "Success."),
    ("LIVERY_ERROR_CLOSED", -2, ""),
    ("LIVERY_ERROR_LATER", -15, "Over\ntwo lines."),
  ]
  assert [each.value for each in bits.constants] == [1, 257]
  macros = {each.name: (each.value, each.struct, each.text) for each in sample.macros}
  assert macros == {
    "LIVERY_API": (None, None, ""),
    "LIVERY_MOST": (255, None, ""),
    "LIVERY_DOUBLE": (510, None, "The double."),
    "LIVERY_WHOLE": (None, None, ""),
    "LIVERY_OPTIONS_INIT": (None, "livery_options", ""),
  }
  assert api.read(folder).constants["LIVERY_BIT_BOTH"] == 257


def test_headers_are_read_in_any_order(folder):
  (folder / "early.h").write_text(
    '/** @file livery/early.h */\n#ifndef E\n#define E\n#include "sample.h"\n'
    "typedef livery_thing *(*livery_f)(void);\n#endif\n"
  )
  (folder.parent / "livery.h").write_text(
    '/** @file livery.h */\n#ifndef L\n#define L\n#include "livery/sample.h"\n#include "livery/early.h"\n#endif\n'
  )
  read = api.read(folder)
  assert [header.file for header in read.headers] == ["livery.h", "livery/early.h", "livery/sample.h"]
  assert [each.name for each in read.callbacks] == ["livery_f", "livery_call_fn"]
  assert read.types == ["livery_thing", "livery_options", "livery_f", "livery_call_fn", "livery_status"]
  (folder.parent / "livery.h").write_text(
    '/** @file livery.h */\n#ifndef L\n#define L\n#include "livery/sample.h"\n#endif\n'
  )
  with pytest.raises(api.HeaderError, match=r"livery\.h:1: livery/early\.h is not included"):
    api.read(folder)


@pytest.mark.parametrize("included", ["<livery.h>", '"../livery.h"'])
def test_a_header_on_top_of_all_is_of_another_library(folder, included):
  (folder.parent / "livery.h").write_text(
    '/** @file livery.h */\n#ifndef L\n#define L\n#include "livery/sample.h"\n#endif\n'
  )
  before = api.read(folder)
  (folder / "turn.h").write_text(f"#include {included}\nLIVERY_API int not_understood[3];\n")
  assert api.read(folder) == before


@pytest.mark.parametrize(
  ("text", "spelled"), [("const char*const*", "const char *const *"), ("livery_thing  **", "livery_thing **")]
)
def test_types_are_spelled_in_one_way(folder, text, spelled):
  changed(folder, "const char *const *names", f"{text} names")
  assert str(api.read(folder).structs[0].members[1].type) == spelled


# -- What is refused


@pytest.mark.parametrize(
  ("old", "new", "message"),
  [
    # The file.
    (" * @file livery/sample.h", " * @file livery/other.h", r"1: .* @file livery/sample\.h"),
    (" * @file livery/sample.h\n", "", r"1: .* @file"),
    ("#define LIVERY_SAMPLE_H", "#define LIVERY_OTHER_H", "7: #ifndef and #define of one name"),
    ('"C" {\n#endif', '"C" {\n#endif\n#endif', 'extern "C" has no end'),
    ("\n#endif\n\n#endif\n", "\n#endif\n", "the end of the file is not understood"),
    ('extern "C" {', 'extern "C" {\nLIVERY_API int livery_lost(void);', "16: #endif is expected for C\\+\\+"),
    ('extern "C" {', "", '16: extern is expected for C\\+\\+, and not #endif'),
    ("#include <stdint.h>", '#include "none.h"', r"10: there is no none\.h"),
    ("#include <stdint.h>", "#if LIVERY_MOST > 2", "10: #if LIVERY_MOST > 2 is not understood"),
    ("#include <stdint.h>", "#ifdef LIVERY_LATER", "#ifdef LIVERY_LATER is not understood"),
    ("#include <stdint.h>", "#pragma once", "#pragma once is not understood"),
    ("// Nor this.", "/* Nor this.", "19: a comment in a comment: the first has no end"),
    ("#ifdef __cplusplus\n}\n#endif\n\n#endif\n", "#endif\n\n/* Nobody's", "a comment without an end"),
    ("\n}\n#endif\n\n#endif\n", "\n}\n#endif\n\n#endif\n\nint x;\n", "behind the end of the header is int"),
    ("/** A handle. */", "/** A handle. */\n/** Another. */", "a comment describes a comment"),
    ("// Nor this.", "@", "'@' is not understood"),
    # Macros.
    ("#define LIVERY_MOST 255", "#define MOST 255", "20: a macro is a name"),
    ("#define LIVERY_MOST 255", "#define LIVERY_MOST(x) x", "20: a macro is a name"),
    ("#define LIVERY_MOST 255", "#define LIVERY_MOST LIVERY_API int f(void);", "LIVERY_MOST declares something"),
    ("#define LIVERY_MOST 255", "#define LIVERY_MOST 255 /** Most. */", "20: a comment behind a directive"),
    ("#define LIVERY_MOST 255", "int x; #define LIVERY_MOST 255", "a directive does not begin its line"),
    ("NULL, NULL, NULL }", "NULL, NULL }", "livery_options has 4 members, and here are 3 values"),
    ("{ sizeof(livery_options)", "{ sizeof(livery_thing)", "an initializer begins with sizeof of a struct"),
    # Constants.
    ("LIVERY_ERROR_CLOSED = -2,", "LIVERY_ERROR_CLOSED,", "30: = is expected, and not ,"),
    ("LIVERY_ERROR_CLOSED = -2,", "LIVERY_ERROR_CLOSED = NOBODY,", "30: LIVERY_ERROR_CLOSED is no whole number"),
    ("LIVERY_ERROR_CLOSED = -2,", "LIVERY_ERROR_CLOSED = 010,", "'0' is not understood"),
    ("LIVERY_ERROR_CLOSED = -2,", "CLOSED = -2,", "the name of a constant, LIVERY_…, is expected, and not CLOSED"),
    ("LIVERY_ERROR_CLOSED = -2,", "LIVERY_OK = -2,", r"30: LIVERY_OK is declared again; the first is .*sample\.h:29"),
    ("LIVERY_ERROR_CLOSED = -2,", "LIVERY_ERROR_CLOSED = -2, /**< Closed. */", "30: a comment behind"),
    ("enum { LIVERY_BIT_LOW", "enum livery_bits { LIVERY_BIT_LOW", "{ is expected, and not livery_bits"),
    ("enum { LIVERY_BIT_LOW = 1 << 0, LIVERY_BIT_BOTH = LIVERY_BIT_LOW | 1 << 8, };", "enum { };", "no constants"),
    # Types.
    ("typedef int32_t livery_status;", "typedef long livery_status;", "26: long is no type that is known"),
    ("typedef int32_t livery_status;", "typedef unsigned int livery_status;", "unsigned is no type"),
    ("typedef int32_t livery_status;", "typedef int32_t *livery_status;", "livery_status is not one of C's numbers"),
    ("typedef int32_t livery_status;", "typedef int32_t status;", "the name of a type, livery_…, is expected"),
    ("typedef struct livery_thing livery_thing;", "typedef struct livery_thing livery_other;", "has another name"),
    ("typedef struct livery_thing livery_thing;", "struct livery_thing;", "a comment describes struct"),
    ("typedef struct livery_thing livery_thing;", "typedef union livery_thing livery_thing;", "union is no type"),
    ("  size_t struct_size;", "  size_t struct_size[2];", r"; is expected behind struct_size, and not \["),
    ("  size_t struct_size;", "  size_t struct_size : 3;", "':' is not understood"),
    ("  size_t struct_size;", "  livery_thing thing;", "livery_thing is opaque: there are only pointers to it"),
    ("  size_t struct_size;", "  struct livery_thing *thing;", "struct is no type that is known"),
    ("*first, *second;", "*first;\n  void (*call)(void);", "void is opaque"),
    ("  /** sizeof(livery_options) */", "  /** @since 0.2 */", "is no function has tags"),
    ("(*livery_call_fn)(const livery_options *options, ", "(*livery_call_fn)(const livery_options *, ", "a parameter"),
    ("(*livery_call_fn)", "(livery_call_fn)", r"\* is expected, and not livery_call_fn"),
    # Functions.
    ("livery_say(void)", "livery_say()", r"the name of a type is expected, and not \)"),
    ("livery_say(void)", "livery_say(void, int x)", "void is opaque"),
    ("livery_say(void)", "livery_say(const char *format, ...)", r"'\.' is not understood"),
    ("livery_say(void)", "livery_do(void)", "livery_do is declared again"),
    ("livery_say(void)", "say(void)", "the name of a function, livery_…, is expected, and not say"),
    ("livery_say(void);", "livery_say(void) LIVERY_OLD;", "; is expected, and not LIVERY_OLD"),
    ("livery_say(void);", "livery_say(void)", "; is expected, and not #ifdef"),
    ("livery_say(void);", "livery_say(void) { return 0; }", "; is expected, and not {"),
    ("LIVERY_API const char *livery_say", "const char *livery_say", "a comment describes const"),
    ("LIVERY_API const char *livery_say", "LIVERY_API extern const char *livery_say", "extern is no type"),
    ("LIVERY_API const char *livery_say", "LIVERY_API char const *livery_say", "a function, .* and not const"),
    (" */\nLIVERY_API const char *livery_say", " */\n\nint x;\nLIVERY_API const char *livery_say", "describes int"),
    ("/**\n * Say it.", "#ifdef __cplusplus\n}\n#endif\n/**\n * Say it.", 'livery_say is outside of extern "C"'),
    # Comments.
    ("/**\n * Say it.", "/*\n * Say it.", "livery_say has no comment"),
    (" * Say it.\n", "", "the comment of livery_say lacks a summary"),
    (" * Threads: any.\n *\n * @return text", " * @return text", "the comment of livery_say lacks Threads:"),
    (" * @since 0.1\n", "", "the comment of livery_say lacks @since"),
    (" * @since 0.1\n", " * @since\n", "@since says nothing"),
    (" * @since 0.1\n", " * @since 0.1\n * @since 0.1\n", "@since is there already"),
    (" * @since 0.1\n", " * @sinse 0.1\n", "@sinse is not understood"),
    (" * @since 0.1\n", " * @since 0.1\n *\n * And more.\n", "prose behind the tags"),
    (" * @return text\n", "", "livery_say returns const char \\*, and the comment says otherwise"),
    (" * @return text\n", " * @return #LIVERY_OK\n", "returns const char \\*, and the comment lists 1 status"),
    (" * @param thing        a thing\n", "", r"describes \(options, call, .*declared is \(thing, options"),
    (" * @param thing        a thing\n", " * @param thing\n", "@param or @param\\[out\\] goes with a name and what"),
    (" * @param thing        a thing\n", " * @param[inout] thing  a thing\n", r"\[inout\] is none of in, out, in,out"),
    (" * @param options      or", " * @param[out] options      or", "nothing can be stored in options, a const"),
    (" * @param[out] result", " * @param result", r"result, a livery_thing \*\*, is written to: @param\[out\]"),
    ("#LIVERY_OK if it was done, or\n", "a status:\n", "statuses are listed behind `@return #LIVERY_OK, or`"),
    (" *     long ago\n *   - #LIVERY_ERROR_LATER   not yet\n", " *\n * So.\n", "prose behind the tags"),
    (" *   - #LIVERY_ERROR_CLOSED  it was closed,\n *     long ago\n *   - #LIVERY_ERROR_LATER   not yet\n", "",
     "no statuses are listed behind `or`"),
    ("#LIVERY_ERROR_LATER   not yet", "#LIVERY_ERROR_NEVER   not yet", "there is no status LIVERY_ERROR_NEVER"),
    ("#LIVERY_ERROR_LATER   not yet", "#LIVERY_ERROR_CLOSED  again", "LIVERY_ERROR_CLOSED is listed twice"),
    ("#LIVERY_ERROR_LATER   not yet", "LIVERY_ERROR_LATER   not yet", "is not a status, as #LIVERY"),
    ("#LIVERY_ERROR_LATER   not yet", "#LIVERY_ERROR_LATER", "is not a status, as #LIVERY"),
  ],
)
def test_what_is_not_understood_is_refused(folder, old, new, message):
  changed(folder, old, new)
  with pytest.raises(api.HeaderError) as caught:
    api.read(folder)
  place, _, what = str(caught.value).partition("sample.h:")
  assert place.endswith("include/livery/") and re.match(r"\d+: ", what)
  assert re.search(message, what), what


def test_the_place_of_what_is_refused_is_told(folder):
  changed(folder, "#LIVERY_ERROR_LATER   not yet", "#LIVERY_ERROR_NEVER   not yet")
  line = SAMPLE[: SAMPLE.index("#LIVERY_ERROR_LATER   not yet")].count("\n") + 1
  with pytest.raises(api.HeaderError, match=rf"sample\.h:{line}: there is no status"):
    api.read(folder)


def test_nothing_is_passed_over_when_something_is_missing(folder):
  """Each token in turn is left out: the header is refused, or still has as many functions as it declares."""
  file = folder / "sample.h"
  lines = SAMPLE.split("\n")
  understood = 0
  for token in tokens.scan(SAMPLE, file)[:-1]:
    rest = lines[:]
    if token.kind == "doc":
      first, count = token.line - 1, token.text.count("\n") + 1
      rest[first : first + count] = [""] * count
    elif token.kind == "directive":
      rest[token.line - 1] = ""
    else:
      rest[token.line - 1] = rest[token.line - 1].replace(token.text, "", 1)
    file.write_text("\n".join(rest))
    try:
      read = api.read(folder)
    except api.HeaderError:
      continue
    understood += 1
    assert [each.name for each in read.functions] == ["livery_do", "livery_say"], token
  assert understood > 10


def test_what_is_no_text_is_refused(folder):
  (folder / "sample.h").write_bytes(b"/** @file livery/sample.h \xff */")
  with pytest.raises(api.HeaderError, match=r"sample\.h:1: the header is not UTF-8"):
    api.read(folder)
  for content in ("", "/**/", "/** @file livery/sample.h */", "/** @file livery/sample.h */\n#ifndef X\n#define X\n"):
    (folder / "sample.h").write_text(content)
    with pytest.raises(api.HeaderError):
      api.read(folder)
  (folder / "sample.h").unlink()
  with pytest.raises(api.HeaderError, match="there are no headers"):
    api.read(folder)


def test_an_include_in_a_circle_is_refused(folder):
  changed(folder, "#include <stdint.h>", '#include "other.h"')
  (folder / "other.h").write_text('/** @file livery/other.h */\n#ifndef O\n#define O\n#include "sample.h"\n#endif\n')
  with pytest.raises(api.HeaderError, match=r"sample\.h:10: other\.h includes this header in turn"):
    api.read(folder)


# -- The headers of the library


@pytest.fixture(scope="module")
def library():
  return api.read(HEADERS)


def test_every_function_of_the_library_is_read(library):
  symbols = (ROOT / "Tests" / "ABI" / "symbols.txt").read_text().split()
  assert sorted(function.name for function in library.functions) == symbols
  for header in library.headers:
    text = (ROOT / "include" / header.file).read_text(encoding="utf-8")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("LIVERY_API")]
    assert [function.line for function in header.functions] == lines


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_the_compiler_reads_the_library_in_the_same_way(library, tmp_path):
  lines = ["#include <livery.h>"]

  def pointer(function, name):
    parameters = ", ".join(str(each.type) for each in function.parameters) or "void"
    return f"{function.result} (*{name})({parameters})"

  structs = {struct.name: struct for struct in library.structs}

  def zeros(struct):
    inner = (structs.get(str(member.type)) for member in struct.members)
    return "{ " + ", ".join(zeros(struct) if struct else "0" for struct in inner) + " }"

  for function in library.functions:
    lines.append(f"{pointer(function, 'of_' + function.name)} = {function.name};")
  for callback in library.callbacks:
    lines.append(f"_Static_assert(_Generic(({callback.name})0, {pointer(callback, '')}: 1, default: 0), \"\");")
  for struct in library.structs:
    for member in struct.members:
      kind = model.Type(member.type.base, member.type.is_const, member.type.pointers + (False,))
      lines.append(f"_Static_assert(_Generic(&(({struct.name} *)0)->{member.name}, {kind}: 1, default: 0), \"\");")
    lines.append(f"const {struct.name} all_{struct.name} = {zeros(struct)};")
  for number in library.numbers:
    lines.append(f"_Static_assert(_Generic(({number.name})0, {number.type}: 1, default: 0), \"\");")
  for name, value in library.constants.items():
    lines.append(f"_Static_assert({name} == {value}, \"\");")
  program = tmp_path / "program.c"
  program.write_text("\n".join(lines) + "\n")
  command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-fsyntax-only", str(program)]
  result = subprocess.run(command, capture_output=True, text=True)
  assert result.returncode == 0, result.stderr


# -- The command


def run(*arguments):
  command = [sys.executable, str(ROOT / "tools" / "api"), *map(str, arguments)]
  return subprocess.run(command, capture_output=True, text=True, cwd="/")


def test_the_command_prints_json(folder):
  result = run("json", folder)
  assert result.returncode == 0, result.stderr
  (header,) = json.loads(result.stdout)["headers"]
  assert header["file"] == "livery/sample.h"
  function = header["functions"][0]
  assert (function["name"], function["line"]) == ("livery_do", 80)
  assert function["parameters"][5] == {
    "name": "result", "type": "livery_thing **", "direction": "out", "text": "over two lines",
  }  # fmt: skip
  everything = json.loads(run("json").stdout)
  assert len([each for header in everything["headers"] for each in header["functions"]]) > 100


def test_the_command_tells_in_a_line_what_is_refused(folder):
  changed(folder, "typedef int32_t livery_status;", "typedef long livery_status;")
  result = run("json", folder)
  assert result.returncode == 1 and result.stdout == ""
  assert result.stderr == f"{folder}/sample.h:26: long is no type that is known\n"


# -- One rule for names and order of parameters


HANDLED = ("store", "change", "snapshot", "key", "watch", "migration")


def place(parameter, handles):
  """Where a parameter stands among others: handle, layer, what is given, options, functions, what is stored."""
  if parameter.direction != "in" or parameter.name == "capacity":
    return 5
  if parameter.type.base.endswith("_fn") or parameter.name in ("user_data", "destroy"):
    return 4
  if parameter.name in ("flags", "options"):
    return 3
  if parameter.type.base in handles and parameter.type.depth == 1 and parameter.name in HANDLED:
    return 0
  return 1 if parameter.name == "layer" else 2


def test_parameters_come_in_one_order_and_by_one_name():
  interface = api.read(ROOT / "include" / "livery")
  handles = {each.name for each in interface.handles}
  for function in interface.functions:
    places = [place(each, handles) for each in function.parameters]
    assert places == sorted(places), function.name
    names = [each.name for each in function.parameters]
    for each, after in zip(function.parameters, [*names[1:], None]):
      if each.type.base.endswith("_fn") and each.type.base != "livery_destroy_fn":
        assert (each.name, after) == ("function", "user_data"), function.name
      if each.type.base == "livery_destroy_fn":
        assert each.name == "destroy", function.name
      if each.direction == "in" and each.type.base in ("livery_layer", "livery_store", "livery_change") and each.type.depth < 2:
        assert each.name == each.type.base.removeprefix("livery_"), function.name
