import Foundation
import LiveryClient
import Synchronization
import Testing

/// A directory of its own for a test, removed afterwards.
final class TemporaryStore: Sendable {
  let path = "/tmp/livery-client-test-\(UUID().uuidString)"

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func open(schema: String? = nil, _ change: (inout Store.Options) -> Void = { _ in }) throws -> Store {
    var options = Store.Options()
    options.create = true
    change(&options)
    let store = try Store(path: path, options: options)
    if let schema, let error = store.applySchema(Array(schema.utf8)).error { throw error }
    return store
  }
}

/// What `body` throws, or nil.
func failure(_ body: () throws(StoreError) -> Void) -> StoreError? {
  do { try body() } catch { return error }
  return nil
}

func code(_ body: () throws(StoreError) -> Void) -> StoreError.Code? { failure(body)?.code }

/// Counts from any thread, and waits for a number.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  func increase() { number.add(1, ordering: .sequentiallyConsistent) }

  func wait(_ expected: Int) {
    for _ in 0..<5000 where value < expected { usleep(1000) }
    #expect(value == expected)
  }
}

/// The events that a watch has told.
final class Events: Sendable {
  private let events = Mutex<[Event]>([])

  var all: [Event] { events.withLock { $0 } }

  func append(_ more: [Event]) { events.withLock { $0 += more } }

  func wait(_ count: Int) {
    for _ in 0..<5000 where all.count < count { usleep(1000) }
    #expect(all.count == count)
  }
}

let kioskSchema = """
  {"Version": 1, "Groups": [{"Title": "Kiosk", "Settings": [
    {"Type": "TextField", "Title": "Welcome", "Key": "welcome", "Value": "Hello", "MaxLength": 20},
    {"Type": "Number", "Title": "Idle", "Key": "idle", "Format": "integer", "Value": 120, "Minimum": 15, "Maximum": 3600},
    {"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "number", "Value": 0.5},
    {"Type": "ToggleSwitch", "Title": "Sound", "Key": "sound", "Value": true},
    {"Type": "URL", "Title": "Home", "Key": "home", "Value": "https://example.com/"},
    {"Type": "Date", "Title": "Opens", "Key": "opens", "Value": "2026-01-02T03:04:05Z"},
    {"Type": "Color", "Title": "Toolbar", "Key": "toolbar", "Value": "#ff0000"},
    {"Type": "Data", "Title": "Blob", "Key": "blob", "Value": "AQID"},
    {"Type": "TextField", "Title": "Note", "Key": "note"},
    {"Type": "ComboBox", "Title": "Languages", "Key": "languages", "Value": ["en"], "Class": ["Multiple"],
     "Options": [{"Title": "English", "Value": "en"}, {"Title": "Deutsch", "Value": "de"}]}
  ]}]}
  """

let svg = Array("<svg xmlns='http://www.w3.org/2000/svg' width='64' height='32'/>".utf8)
