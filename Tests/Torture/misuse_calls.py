#!/usr/bin/env python3
"""Makes a call of every function of the headers, each argument good or bad as misuse.c says.

    misuse_calls.py include/livery OUTPUT.h

A function with a parameter of a kind that is not known here is written down as not covered, which is a finding of
misuse.c: the kind is to be added. The statuses that the comment of a function lists are written along, so that any
other is found.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import api  # noqa: E402

# Not called: nothing that a caller may pass to it is wrong but what was never given.
LEFT_OUT = {"livery_free"}

# Structs that the library hands out and never takes.
NOT_GIVEN = {"livery_event", "livery_error", "livery_color"}

# Results that are also stored with some failures, as the headers say.
STORED_ON_FAILURE = {"report", "length", "violations"}
# Structs of which a part is stored where the buffer is too small.
STORED_WHEN_TOO_SMALL = {"reading"}

INTEGERS = {"int64_t": "an_integer", "uint64_t": "a_large_number", "uint32_t": "some_flags", "int32_t": "a_small_number",
            "livery_layer": "a_layer", "livery_type": "a_small_number", "livery_status": "a_small_number",
            "livery_event_kind": "a_small_number", "int": "a_small_number", "double": "a_double", "float": "a_single",
            "bool": "a_truth", "livery_color": "a_color", "size_t": "an_index"}


def named(declared):
  """Types, as this program compares them, and names."""
  return [(str(each.type).replace(" *", "*"), each.name) for each in declared]


class Unknown(Exception):
  """A parameter or a member of a kind that is not known here."""


class Writer:
  def __init__(self, interface):
    self.handles = sorted(handle.name for handle in interface.handles)
    self.structs = {struct.name: named(struct.members) for struct in interface.structs}
    self.callbacks = {callback.name: callback for callback in interface.callbacks}
    self.lines = []
    for number in interface.numbers:
      INTEGERS.setdefault(number.name, "a_small_number")

  def write(self, *lines):
    self.lines.extend(lines)

  def kind(self, handle):
    return "KIND_" + handle.removeprefix("livery_").upper()

  def stub(self, name):
    result, declared = str(self.callbacks[name].result), self.callbacks[name].parameters
    given = named(declared)
    arguments = ", ".join(api.declaration(each.type, each.name) for each in declared)
    self.write(f"static {result} stub_{name}({arguments}) {{", *(f"  (void){each};" for _, each in given),
               # What is handed to a callback is used inside, and afterwards, when it is stale.
               *(f"  handles[{self.kind(kind[:-1])}][below(HANDLES_A_KIND)] = {each};" for kind, each in given
                 if kind.rstrip("*") in self.handles and kind.count("*") == 1),
               "  call_from_callback();",
               "  callback_calls++;",
               *([] if result == "void" else [f"  return ({result})0;"]), "}")

  def options(self, name):
    """Fills a struct of options: whole, cut short, with members at random."""
    self.write(f"static void fill_{name}({name} *options, bool is_bad) {{", "  (void)is_bad;")
    for kind, field in self.structs[name]:
      if field == "struct_size":
        self.write(f"  options->{field} = a_size(sizeof *options, is_bad);")
      elif kind == "const char*":
        self.write(f"  options->{field} = is_bad ? a_text(TEXT_ANY, true) : NULL;")
      elif kind in self.callbacks:
        self.write(f"  options->{field} = below(2) ? stub_{kind} : NULL;")
      elif kind in INTEGERS and kind != "size_t":
        self.write(f"  options->{field} = is_bad ? {INTEGERS[kind]}(true) : ({kind})0;")
      elif kind == "size_t":
        self.write(f"  options->{field} = is_bad ? an_index(true) : 0;")
      elif kind.endswith("*"):
        self.write(f"  options->{field} = NULL;")
      else:
        raise Unknown(f"{name}.{field}: {kind}")
    self.write("}")

  def argument(self, function, position, kind, name, following):
    """Lines before the call, the expression, lines after it."""
    bad = f"is_bad({position})"
    if kind == "void*" and name == "user_data":
      return [], "NULL", []
    if kind.rstrip("*") in self.handles and kind.count("*") == 1:
      return [], f"a_handle({self.kind(kind[:-1])}, {bad})", []
    if kind.rstrip("*") in self.handles and kind.count("*") == 2 and not kind.startswith("const"):
      made = f"made{position}"
      keeps = name in STORED_ON_FAILURE
      return ([f"  {kind[:-1]} {made} = UNTOUCHED;"], f"({bad} ? NULL : &{made})",
              [f"  check_made(status, {made} != UNTOUCHED, {'true' if keeps else 'false'});",
               f"  if ({made} != UNTOUCHED) keep({self.kind(kind[:-2])}, {made});"])
    if kind == "livery_value*const*":
      return [], f"some_values({bad})", []
    if kind == "const char*const*":
      return [], f"some_keys({bad})", []
    if kind == "const char*":
      purpose = {"json": "TEXT_JSON", "path": "TEXT_PATH", "pattern": "TEXT_NAME", "name": "TEXT_NAME",
                 "key": "TEXT_NAME", "origin": "TEXT_ANY"}.get(name, "TEXT_ANY")
      if name == "json" and "schema" in function:
        purpose = "TEXT_SCHEMA"
      if "path" in name or name in ("source", "destination", "target", "file", "directory", "backup"):
        purpose = "TEXT_PATH"
      return [], f"(text{position} = a_text({purpose}, {bad}))", []
    if kind == "const void*":
      return [], f"(text{position} = a_text(TEXT_BYTES, {bad}))", []
    if kind == "char*" and not (following and following[1] in ("capacity", "size")):
      return [], f"a_name_buffer({bad})", []
    if kind in ("char*", "void*"):
      return [], f"(void *)({bad} && below(2) ? NULL : buffer)", []
    if kind in ("char**", "void**"):
      return ([f"  {kind[:-1]} given{position} = UNTOUCHED;"], f"({bad} ? NULL : &given{position})",
              [f"  check_made(status, given{position} != UNTOUCHED, false);",
               f"  if (given{position} != UNTOUCHED) livery_free(given{position});"])
    if kind in ("const char**", "const void**"):
      return [f"  {kind[:-1]} borrowed{position} = NULL;"], f"({bad} ? NULL : &borrowed{position})", []
    if kind in self.callbacks:
      return [], f"({bad} ? NULL : stub_{kind})", []
    base = kind.removeprefix("const ").rstrip("*")
    if base in self.structs and kind == base + "*" and base not in INTEGERS:
      unless = "if (status != LIVERY_ERROR_BUFFER_TOO_SMALL) " if name in STORED_WHEN_TOO_SMALL else ""
      return ([f"  {base} result{position};", f"  memset(&result{position}, 0x5a, sizeof result{position});"],
              f"({bad} ? NULL : &result{position})",
              [f"  {unless}check_untouched(status, &result{position}, sizeof result{position});"])
    if base in self.structs and kind == f"const {base}*":
      return ([f"  {base} *options{position} = (void *)options_place({position});", f"  fill_{base}(options{position}, {bad});"],
              f"(below(4) ? options{position} : NULL)", [])
    if base in INTEGERS and kind == base + "*":
      return ([f"  {base} result{position};", f"  memset(&result{position}, 0x5a, sizeof result{position});"],
              f"({bad} ? NULL : &result{position})",
              [] if name in STORED_ON_FAILURE else
              [f"  check_untouched(status, &result{position}, sizeof result{position});"])
    if kind == "size_t" and name in ("capacity", "size"):
      return [], f"a_capacity({bad})", []
    if kind == "size_t" and name.endswith("length"):
      return [], None, []
    if kind == "size_t" and name == "count":
      return [], f"a_count({bad})", []
    if kind in INTEGERS:
      return [], f"{INTEGERS[kind]}({bad})", []
    if kind in self.structs:
      return ([f"  {kind} value{position};", f"  fill_{kind}(&value{position}, {bad});"], f"value{position}", [])
    raise Unknown(f"{function}: {kind} {name}")

  def function(self, result, name, arguments, statuses):
    before, expressions, after, texts = [], [], [], []
    for position, (kind, parameter) in enumerate(arguments):
      following = arguments[position + 1] if position + 1 < len(arguments) else None
      first, expression, last = self.argument(name, position, kind, parameter, following)
      if expression is None:
        expression = f"a_length(text{texts[-1]}, is_bad({position}))"
      if expression.startswith("(text"):
        texts.append(position)
        before.append(f"  const void *text{position} = NULL;")
      before += first
      expressions.append(expression)
      after += last
    self.write(f"static void call_{name}(void) {{")
    # Arguments are worked out in order: a length belongs to its text.
    call = []
    for position, expression in enumerate(expressions):
      kind = arguments[position][0]
      before.append(f"  __typeof__({expression}) argument{position} = {expression};"
                    if expression not in ("NULL",) else f"  void *argument{position} = NULL;")
      call.append(f"argument{position}")
      del kind
    self.write(*before)
    if result == "livery_status":
      listed = ", ".join(statuses)
      # Looked at before anything else is called, which would leave an error of its own.
      self.write(f"  livery_status status = {name}({', '.join(call)});",
                 f"  static const livery_status listed[] = {{{listed}, 1}};",
                 f"  note_status(\"{name}\", status, listed);", *after, *(f"  (void)text{each};" for each in texts))
    else:
      self.write(f"  livery_status status = LIVERY_OK;", f"  (void)status;", f"  (void){name}({', '.join(call)});", *after)
    self.write("}")


def main():
  folder, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
  interface = api.read_or_exit(folder)
  writer = Writer(interface)
  writer.write("// Made by misuse_calls.py from the headers.", "typedef enum handle_kind {",
               *(f"  {writer.kind(handle)}," for handle in writer.handles), "  KINDS", "} handle_kind;", "",
               '#include "misuse_values.h"', "")
  for callback in writer.callbacks:
    writer.stub(callback)
  uncovered = []
  taken = {str(parameter.type) for function in interface.functions for parameter in function.parameters}
  for struct in list(writer.structs):
    if f"const {struct} *" not in taken or struct in NOT_GIVEN:
      continue
    kept = len(writer.lines)
    try:
      writer.options(struct)
    except Unknown as unknown:
      del writer.lines[kept:], writer.structs[struct]
      uncovered.append(str(unknown))
  names = []
  for function in interface.functions:
    name, arguments = function.name, named(function.parameters)
    if name in LEFT_OUT:
      continue
    kept = len(writer.lines)
    try:
      writer.function(str(function.result), name, arguments, function.statuses)
      names.append((name, len(arguments)))
    except Unknown as unknown:
      del writer.lines[kept:]
      uncovered.append(str(unknown))
  writer.write("static const struct { const char *name; int parameters; void (*call)(void); } functions[] = {",
               *(f"  {{\"{name}\", {count}, call_{name}}}," for name, count in names), "};",
               "static const char *const uncovered[] = {", *(f"  \"{each}\"," for each in uncovered), "  NULL};")
  output.write_text("\n".join(writer.lines) + "\n", encoding="utf-8")


main()
