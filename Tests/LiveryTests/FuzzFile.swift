import CSystem
import LMDB

@testable import Livery

// The raw file. An input is a list of edits of a sound one, so that short inputs reach everything: the page, the place in it
// (two bytes), and how many bytes follow (one to eight, by the lowest bits).

@_cdecl("fuzz_file")
@Sendable public func fuzzFile(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let base = soundFile
  guard base.descriptor >= 0 else { return require(false, "a store can be made") }
  let edits = fuzzedBytes(start, count)
  var touched: [Int] = []
  var next = 0
  while next + 4 < edits.count {
    let place = Int(edits[next]) * 4096 + (Int(edits[next + 1]) | Int(edits[next + 2]) << 8) % 4096
    let length = min(Int(edits[next + 3] & 7) + 1, edits.count - next - 4)
    if place + length <= base.bytes.count {
      base.write(edits[next + 4..<next + 4 + length], at: place)
      touched.append(place)
    }
    next += 4 + length
  }
  lookAt(base.path)
  for place in touched { base.write(base.bytes[place..<min(place + 8, base.bytes.count)], at: place) }
}

/// What is taken for sound, or for damaged in single records alone, LMDB reads without a fault and as far as was looked at.
private func lookAt(_ path: String) {
  guard let file = try? StoreFile(path, keeping: false), file.file.damages.isEmpty else { return }
  if !file.isWhole {
    guard let kept = try? StoreFile(path, keeping: true), !kept.isGravelyDamaged else { return }
  }
  var options = Environment.Options()
  options.mapSize = 1 << 20
  options.isPrivateFile = true
  guard let environment = try? Environment(path: path, options: options) else {
    return require(false, "what is sound is opened")
  }
  defer { environment.close() }
  var found: UInt64 = 0
  do throws(StoreError) {
    try environment.openDatabases { (transaction) throws(StoreError) in
      do throws(LMDBError) {
        guard let databases = try Databases(transaction, create: false) else { return }
        for (_, database) in databases.named {
          try transaction.walk(database) { key, value in
            found += UInt64(truncatingIfNeeded: min(key.byteCount, 1))
            return value.byteCount >= 0
          }
        }
      } catch { throw StoreError(error) }
    }
  } catch { return require(false, "what is sound is read") }
  require(found == file.recordCount + UInt64(file.file.databases.count), "LMDB finds what was looked at")
}

/// The file of a small store, in memory.
private struct SoundFile: Sendable {
  var bytes: [UInt8] = []
  var descriptor: Int32 = -1

  var path: String { "/proc/self/fd/\(descriptor)" }

  func write(_ part: ArraySlice<UInt8>, at place: Int) {
    let written = part.withUnsafeBytes { lvs_write_at(descriptor, $0.baseAddress, $0.count, UInt64(place)) }
    require(written == part.count, "memory can be written to")
  }
}

private let soundFile = makeSoundFile()

private func makeSoundFile() -> SoundFile {
  var file = SoundFile()
  let folder = "/tmp/livery-fuzz-\(getpid())"
  do throws(StoreError) {
    var options = Store.Options()
    options.create = true
    options.automaticBackup = .never
    let store = try Store(path: folder, options: options)
    _ = store.applySchema(
      Array(#"{"Version":1,"Open":true,"Groups":[{"Settings":[{"Type":"Number","Key":"idle","Value":120}]}]}"#.utf8))
    for number in 0..<40 {
      try store.set("item." + number.description, to: .string(String(repeating: "v", count: number * 9)), in: .user)
    }
    try store.set("large", to: .string(String(repeating: "large", count: 1500)), in: .session)
    try store.set("idle", to: .int(60), in: .enforced)
    try store.assets.put([1, 2, 3], allowsAny: true)
    store.close()
  } catch { return file }
  var count = 0
  if let bytes = lvs_read_file("\(folder)/data.mdb", -1, 1 << 24, &count) {
    file.bytes = UnsafeRawBufferPointer(start: bytes, count: count).map { $0 }
    free(bytes)
    file.descriptor = lvs_make_in_memory()
    file.write(file.bytes[...], at: 0)
  }
  for name in ["data.mdb", "lock.mdb", "livery.lock", "livery.wake"] { unlink("\(folder)/\(name)") }
  rmdir(folder)
  return file
}
