"""tools/statuses finds what comments do not list of what can arise, and what they list in vain."""

import os
import subprocess
import sys

import api
import pytest
from conftest import ROOT
from statuses import check, functions, known
from statuses.flow import Flow
from statuses.index import Index, NoIndex

ERRORS = """
import Glibc

public struct StoreError: Error {
  public struct Code: Equatable {
    public let rawValue: Int32
    public static let invalidArgument = Code(rawValue: -1)
    public static let notFound = Code(rawValue: -3)
    public static let busy = Code(rawValue: -10)
    public static let corrupt = Code(rawValue: -14)
    public static let io = Code(rawValue: -19)
    public static let noMemory = Code(rawValue: -29)
  }
  public let code: Code
  public init(_ code: Code, _ message: String) { self.code = code }
}
"""

MAPPING = """
import Glibc

func lvs_errno() -> Int32 { errno }

extension StoreError {
  static func system(_ code: Int32, _ what: String) -> StoreError {
    let found: Code =
      switch code {
      case EBUSY: .busy
      case ENOENT: .notFound
      default: .io
      }
    return StoreError(found, what)
  }
}
"""

LOCKS = """
final class Lock {
  func withLock<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R { try body() }
}
"""

GATE = """
final class WriterGate {
  func whileWriting<R>(timeout: UInt32, saying: UInt32? = nil, _ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    guard timeout < 9 else { throw StoreError(.busy, "somebody writes") }
    return try body()
  }
}
"""

STORE = """
import Glibc

class Reader {
  func read(_ name: String) throws(StoreError) -> Int {
    guard name.isEmpty else { return 1 }
    throw StoreError(.notFound, "there is no such setting")
  }
}

final class StrictReader: Reader {
  override func read(_ name: String) throws(StoreError) -> Int {
    throw damaged(name)
  }

  private func damaged(_ name: String) -> StoreError { StoreError(.corrupt, name) }
}

final class Store {
  let gate = WriterGate()
  private let lock = Lock()

  /// Whatever it fails with, there is a value.
  func guessed(_ reader: Reader) -> Int { (try? reader.read("a")) ?? 0 }

  func found(_ reader: Reader) throws(StoreError) -> Int {
    do throws(StoreError) { return try reader.read("a") } catch {
      guard error.code == .notFound else { throw error }
      return 0
    }
  }

  func folder(_ path: String) throws(StoreError) {
    guard mkdir(path, 0o700) == 0 || lvs_errno() == EEXIST else {
      let code = lvs_errno()
      guard code != ENOENT else { throw StoreError(.invalidArgument, path) }
      throw .system(code, path)
    }
    guard fsync(1) == 0 else { throw failure(lvs_errno()) }
  }

  private func failure(_ code: Int32) -> StoreError { .system(code, "it") }

  func write(_ timeout: UInt32) throws(StoreError) {
    try gate.whileWriting(timeout: timeout) { () throws(StoreError) in }
  }

  func tryToWrite() throws(StoreError) {
    try gate.whileWriting(timeout: 0) { () throws(StoreError) in }
  }

  func writeAlone() throws(StoreError) {
    try locked { () throws(StoreError) in try write(5) }
  }

  func look() throws(StoreError) {
    try locked { () throws(StoreError) in }
  }

  private func locked(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try lock.withLock { () throws(StoreError) in try body() }
  }
}
"""

INTERFACE = """
func boundary(_ body: () throws(StoreError) -> Void) -> Int32 {
  do { try body() } catch { return error.code.rawValue }
  return 0
}

@_cdecl("livery_read")
public func livery_read(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in _ = try Reader().read("a") }
}

@_cdecl("livery_found")
public func livery_found(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in
    guard count > 0 else { throw StoreError(.noMemory, "there is none") }
    _ = try Store().found(Reader())
  }
}

@_cdecl("livery_guessed")
public func livery_guessed(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in
    guard Store().guessed(Reader()) > 0 else { throw StoreError(.invalidArgument, "it is nothing") }
  }
}

@_cdecl("livery_folder")
public func livery_folder(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in try Store().folder("a") }
}

@_cdecl("livery_write")
public func livery_write(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in try Store().write(5) }
}

@_cdecl("livery_try")
public func livery_try(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in try Store().tryToWrite() }
}

@_cdecl("livery_alone")
public func livery_alone(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in try Store().writeAlone() }
}

@_cdecl("livery_look")
public func livery_look(_ count: Int32) -> Int32 {
  boundary { () throws(StoreError) in try Store().look() }
}
"""

SOURCES = {"StoreError.swift": ERRORS, "Errors.swift": MAPPING, "LMDBError.swift": "", "Lock.swift": LOCKS,
           "WriterGate.swift": GATE, "Store.swift": STORE, "Interface.swift": INTERFACE}

NUMBERS = {"INVALID_ARGUMENT": -1, "NOT_FOUND": -3, "BUSY": -10, "CORRUPT": -14, "IO": -19, "NO_MEMORY": -29}
#: What is true of the functions above: their statuses, and what is said of waiting.
TRUTH = {
  "livery_read": ("CORRUPT NOT_FOUND", "any."),
  "livery_found": ("CORRUPT", "any."),
  "livery_guessed": ("INVALID_ARGUMENT", "any."),
  "livery_folder": ("INVALID_ARGUMENT IO", "any."),
  "livery_write": ("BUSY", "any. Waits for other writers."),
  "livery_try": ("BUSY", "any. Never waits for a writer."),
  "livery_alone": ("BUSY", "any; calls on one thing wait for each other. Waits for writers."),
  "livery_look": ("", "any; calls on one thing wait for each other."),
}


def header(functions):
  lines = ["/**\n * @file livery/sample.h\n * A sample.\n */\n#ifndef LIVERY_SAMPLE_H\n#define LIVERY_SAMPLE_H",
           "#include <stdint.h>\n#define LIVERY_API\n#ifdef __cplusplus\nextern \"C\" {\n#endif\ntypedef int32_t livery_status;",
           "enum {\n  LIVERY_OK = 0," + ",".join(f"\n  LIVERY_ERROR_{name} = {number}" for name, number in NUMBERS.items()) + "};"]
  for name, (statuses, threads) in functions.items():
    listed = "".join(f"\n *   - #LIVERY_ERROR_{status} so" for status in statuses.split())
    lines.append(f"/**\n * Do it.\n *\n * Threads: {threads}\n *\n * @param count  a number\n"
                 f" * @return #LIVERY_OK{', or' if listed else ''}{listed}\n * @since 0.1\n */\n"
                 f"LIVERY_API livery_status {name}(int32_t count);")
  return "\n".join(lines) + "\n#ifdef __cplusplus\n}\n#endif\n#endif\n"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
  """The sources above, and what the compiler says of them."""
  folder = tmp_path_factory.mktemp("sources")
  for name, text in SOURCES.items():
    (folder / name).write_text(text, encoding="utf-8")
  subprocess.run(["swiftc", "-c", "-parse-as-library", "-module-name", "Sample", "-index-store-path", "index",
                  *SOURCES], cwd=folder, check=True)
  return folder


@pytest.fixture
def tables(monkeypatch):
  """What known.py tells of these sources: nothing but which functions wait."""
  for name, value in {"told": {}, "never": {}, "asked": {}, "locks": {"Store.lock": "calls on one thing"}}.items():
    monkeypatch.setattr(known.Known, name, value, raising=False)
  for table in ("CODES", "ASKED", "TOLD"):
    monkeypatch.setattr(known, table, {})
  monkeypatch.setattr(known, "MAKERS", ("Errors.system(_:_:)",))
  monkeypatch.setattr(known, "CONVERTERS", ())
  monkeypatch.setattr(known, "WAITS", {"WriterGate.whileWriting(timeout:saying:_:)": "writers"})
  monkeypatch.setattr(known, "NEVER", {})
  monkeypatch.setitem(known.SAID, "calls on one thing", "calls on one thing wait")
  return known


@pytest.fixture
def found(compiled, tables, tmp_path):
  """What is found where the functions are said to be so."""

  def look(functions_said, never=None):
    if never:
      tables.NEVER.update(never)
    folder = tmp_path / "include" / "livery"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sample.h").write_text(header(functions_said), encoding="utf-8")
    interface = api.read(folder)
    files = [compiled / name for name in SOURCES]
    flow = Flow(*functions.read(Index(compiled / "index"), files), known.Known(interface, SOURCES))
    return list(check.findings(interface, flow, ""))

  return look


def changed(name, statuses=None, threads=None):
  """The truth with something else said of one function."""
  old = TRUTH[name]
  return {**TRUTH, name: (old[0] if statuses is None else statuses, threads or old[1])}


# -- Statuses


def test_what_is_true_is_no_finding(found):
  assert found(TRUTH) == []


def test_a_status_that_is_missing_is_found_with_the_way_to_it(found):
  (finding,) = found(changed("livery_read", "CORRUPT"))
  assert finding.startswith("livery_read lacks NOT_FOUND: Interface.swift:")
  assert finding.endswith("(notFound)") and "> Store.swift:" in finding


def test_a_status_of_a_subclass_counts(found):
  (finding,) = found(changed("livery_read", "NOT_FOUND"))
  assert finding.startswith("livery_read lacks CORRUPT")


def test_a_status_that_is_listed_in_vain_is_found(found):
  assert found(changed("livery_read", "CORRUPT NOT_FOUND IO")) == ["livery_read lists IO, which it never returns"]


def test_what_a_catch_leaves_out_does_not_come(found):
  assert found(changed("livery_found", "CORRUPT NOT_FOUND")) == ["livery_found lists NOT_FOUND, which it never returns"]


def test_what_all_functions_may_return_is_not_listed(found):
  assert found(changed("livery_found", "CORRUPT NO_MEMORY")) == [
    "livery_found lists NO_MEMORY, which livery.h tells of for all functions"]


def test_what_is_tried_and_dropped_does_not_come(found):
  (finding,) = found(changed("livery_guessed", "INVALID_ARGUMENT CORRUPT"))
  assert finding == "livery_guessed lists CORRUPT, which it never returns"


def test_codes_of_the_system_count_as_far_as_conditions_let_them(found):
  assert [each.split(":")[0] for each in found(changed("livery_folder", ""))] == [
    "livery_folder lacks INVALID_ARGUMENT", "livery_folder lacks IO"]
  assert found(changed("livery_folder", "INVALID_ARGUMENT IO NOT_FOUND")) == [
    "livery_folder lists NOT_FOUND, which it never returns"]


def test_a_call_of_the_system_that_nobody_has_described_is_found(found, monkeypatch):
  monkeypatch.delitem(known.Known.fails, "fsync")
  findings = found(TRUTH)
  assert any("what fsync fails with is not known" in each for each in findings)


# -- Waits


def test_a_wait_that_is_not_said_is_found(found):
  (finding,) = found(changed("livery_write", threads="any. Never waits for a writer."))
  assert finding.startswith("livery_write does not say that it waits for writers: Interface.swift:")


def test_a_wait_that_is_said_in_vain_is_found(found):
  assert found(changed("livery_try", threads="any. Waits for other writers.")) == [
    "livery_try says that it waits for writers, and does not"]


def test_who_wants_a_lock_waits_as_long_as_who_has_it(found):
  (finding,) = found(changed("livery_look", threads="any."))
  assert finding.startswith("livery_look does not say that it waits for calls on one thing")


def test_a_lock_that_is_held_while_others_are_waited_for_has_to_be_told(found, tables, monkeypatch):
  monkeypatch.setattr(known.Known, "locks", {})
  assert any("Store.lock is held while writers are waited for" in each for each in found(TRUTH))


# -- Exceptions


def test_an_exception_is_no_finding_and_one_in_vain_is(found):
  never = {"Store.found(_:)": ("CORRUPT", "so"), "Store.look()": ("IO", "so")}
  assert found(changed("livery_found", ""), never) == [
    "Store.look() does not come to IO: take the exception out of known.py"]


def test_a_table_that_names_what_is_not_there_is_found(found, tables):
  tables.WAITS["WriterGate.gone()"] = "writers"
  assert found(TRUTH) == ["there is no WriterGate.gone(), which known.py tells of"]


def test_what_livery_h_is_to_tell_has_to_be_there(found, tables):
  tables.TOLD["Store.found(_:)"] = ("CORRUPT", "as is said once")
  assert found(changed("livery_found", "")) == ["livery.h does not tell for all functions, as known.py has it: as is said once"]


def test_an_index_of_other_sources_is_refused(compiled):
  file = compiled / "Store.swift"
  before = file.stat()
  os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 10**12))
  with pytest.raises(NoIndex, match="is newer than its index"):
    list(Index(compiled / "index").occurrences([file]))
  os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
  with pytest.raises(NoIndex, match="is not there"):
    Index(compiled / "nowhere")


# -- The headers themselves


def test_the_headers_say_what_can_come():
  done = subprocess.run([sys.executable, ROOT / "tools" / "statuses"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        text=True)
  assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout
