import CSystem
import LMDB
@testable import Livery
import Livery
import Testing

/// A directory of its own for a test, removed afterwards. With `LIVERY_TEST_MEMORY` its path is the name of a store in memory,
/// which is kept as long as the test runs.
final class TemporaryStore: Sendable {
  static let isInMemory = getenv("LIVERY_TEST_MEMORY") != nil

  let path: String
  private let keeper = StoreKeeper()

  init(in folder: String = "/tmp") {
    var generator = SystemRandomNumberGenerator()
    path =
      "\(folder)/livery-test-\(Hexadecimal.encode((0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }))"
  }

  deinit {
    Self.remove(path)
  }

  /// Removes a directory with all that is in it.
  private static func remove(_ path: String) {
    for name in names(in: path) where unlink(path + "/" + name) != 0 { remove(path + "/" + name) }
    rmdir(path)
  }

  func open(_ change: (inout Store.Options) -> Void = { _ in }) throws(StoreError) -> Store {
    var options = Store.Options()
    options.create = true
    change(&options)
    options.inMemory = options.inMemory || Self.isInMemory
    let store = try Store(path: path, options: options)
    if options.inMemory { try keeper.keep(path) }
    return store
  }

  /// A store with a schema applied.
  func open(schema: String, _ change: (inout Store.Options) -> Void = { _ in }) throws -> Store {
    let store = try open(change)
    let outcome = store.applySchema(Array(schema.utf8))
    if let error = outcome.error { throw error }
    return store
  }
}

/// Holds a store in memory open.
private final class StoreKeeper: @unchecked Sendable {
  private let lock = TestLock()
  private var kept: Store?

  func keep(_ name: String) throws(StoreError) {
    var options = Store.Options()
    options.inMemory = true
    options.readOnly = true
    let store = try Store(path: name, options: options)
    lock.withLock { kept = store }
  }
}

extension Transaction {
  /// A database by the name it has in docs/file-format.md.
  func stored(_ name: String, create: Bool) throws(LMDBError) -> Database? {
    name == "meta" ? try unnamedDatabase() : try database(named: name, create: create)
  }
}

extension Trait where Self == ConditionTrait {
  /// For what looks at files, or at other processes.
  static var onDisk: Self { .disabled(if: TemporaryStore.isInMemory, "there are no files") }
}

/// The code that `body` throws, or nil.
func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
  do { try body() } catch { return error.code }
  return nil
}

/// A file under Tests/Fixtures.
func fixture(_ name: String, _ here: String = #filePath) throws -> [UInt8] {
  let folder = here.split(separator: "/").dropLast(2).joined(separator: "/")
  var count = 0
  let bytes = try #require(lvs_read_file("/\(folder)/Fixtures/\(name)", -1, 1 << 24, &count))
  defer { free(bytes) }
  return UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
}

extension Value {
  /// Items of a list.
  var items: [Value] {
    guard case .list(let items) = self else { return [] }
    return items
  }

  /// The text of a member.
  func text(_ key: String) -> String? {
    guard case .string(let text)? = self[key] else { return nil }
    return text
  }
}

let kioskSchema = """
  {"Version": 1, "Groups": [{"Title": "Kiosk", "Settings": [
    {"Type": "TextField", "Title": "Welcome", "Key": "welcome", "Value": "Hello", "MaxLength": 20},
    {"Type": "Number", "Title": "Idle", "Key": "idle", "Format": "integer", "Value": 120, "Minimum": 15, "Maximum": 3600,
     "Aliases": ["idleTime"]},
    {"Type": "ToggleSwitch", "Title": "Sound", "Key": "sound", "Value": true},
    {"Type": "TextField", "Title": "PIN", "Key": "pin", "Class": ["Password"], "MinLength": 4},
    {"Type": "TextField", "Title": "Fleet", "Key": "fleet", "Value": "none", "ReadOnly": true},
    {"Type": "ComboBox", "Title": "Language", "Key": "language", "Value": "en", "Class": ["Single"],
     "Options": [{"Title": "English", "Value": "en"}, {"Title": "Deutsch", "Value": "de"}]},
    {"Type": "Color", "Title": "Toolbar", "Key": "branding.color.Toolbar", "Value": "#102030"},
    {"Type": "Color", "Title": "Text", "Key": "branding.color.Text"}
  ]}]}
  """

/// A mutex for what tests collect from other threads.
final class TestLock: @unchecked Sendable {
  private let mutex = lvs_mutex_make()

  deinit { lvs_mutex_free(mutex) }

  func withLock<R>(_ body: () -> R) -> R {
    lvs_mutex_lock(mutex)
    defer { lvs_mutex_unlock(mutex) }
    return body()
  }
}

/// The names in a directory; none if there is no such directory.
func names(in path: String) -> [String] {
  guard let found = try? Folder.open(path).names() else { return [] }
  return found.map { String(decoding: $0, as: UTF8.self) }
}

/// Gives a file another path; 0 on success.
func moved(_ path: String, _ other: String) -> Int32 {
  let workingDirectory: Int32 = -100
  return lvs_rename_at(workingDirectory, path, workingDirectory, other)
}
