import CSystem

/// The backups that a store keeps by itself, in the folder `backups` of its directory.
///
/// A name is the revision, the schema's version, the time and the reason, so that names are in the order of time:
/// `00000000000000000012-v2-20260301T093000.000000Z-upgrade.mdb`.
struct BackupFolder {
  /// Why a backup was made: a few small letters.
  enum Reason {
    static let automatic = "automatic"
    static let manual = "manual"
    static let restore = "restore"
    static let upgrade = "upgrade"
  }

  struct Entry {
    let name: String
    let revision, schemaVersion: UInt64
    let time: Timestamp
    let reason: String
  }

  /// A file that can take a damaged one's place.
  struct Copy {
    let name: String
    let folder: Folder
    let file: StoreFile

    var path: String { folder.shown(name) }
  }

  static let name = "backups"
  static let damagedName = "damaged"
  /// nil if it is missing.
  let folder: Folder?
  private static let ending = ".mdb"
  private static let revisionDigits = 20

  init(of store: Folder) throws(StoreError) {
    folder = try store.folder(Self.name)
  }

  init(_ folder: Folder) {
    self.folder = folder
  }

  static func name(_ revision: UInt64, _ schemaVersion: UInt64, _ time: Timestamp, _ reason: String) -> String {
    var digits = "\(revision)"
    while digits.utf8.count < revisionDigits { digits = "0" + digits }
    // Without what some file systems do not take in names, and always as long.
    var seconds: [UInt8] = []
    for byte in Timestamp(microseconds: time.microseconds - modulo(time)).rfc3339.utf8
    where byte != UInt8(ascii: ":") && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "Z") { seconds.append(byte) }
    var fraction = "\(modulo(time))"
    while fraction.utf8.count < 6 { fraction = "0" + fraction }
    return "\(digits)-v\(schemaVersion)-\(String(decoding: seconds, as: UTF8.self)).\(fraction)Z-\(reason)" + ending
  }

  private static func modulo(_ time: Timestamp) -> Int64 {
    let rest = time.microseconds % 1_000_000
    return rest < 0 ? rest + 1_000_000 : rest
  }

  /// The backups, the latest first.
  func entries() throws(StoreError) -> [Entry] {
    guard let folder else { return [] }
    var found: [Entry] = []
    for name in try folder.names() {
      if let entry = Self.entry(name) { found.append(entry) }
    }
    let order = sortedOrder(of: found.count) { found[$1].name.precedesInBytes(found[$0].name) }
    return order.map { found[$0] }
  }

  /// The latest one that is sound.
  ///
  /// - Parameter identifier: of the store; what another one has left there is none of its copies. Empty if it is unknown.
  func lastGood(of identifier: [UInt8] = []) throws(StoreError) -> Copy? {
    guard let folder else { return nil }
    for entry in try entries() {
      do throws(StoreError) {
        let file = try StoreFile(entry.name, in: folder, keeping: false)
        guard file.isWhole, identifier.isEmpty || file.identifier == identifier else { continue }
        return Copy(name: entry.name, folder: folder, file: file)
      } catch { continue }
    }
    return nil
  }

  /// Runs `body` while nobody changes what is in the backups, or, for who does, while nobody makes one either: a copy that
  /// was begun before would bring back what is being forgotten. The kernel frees the lock of who dies.
  func hold<R>(
    isAlone: Bool, timeout: UInt32, _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let folder else { return try body() }
    let lock = try ByteLocks.make(folder.openAgain(), folder.path)
    defer { lock.close() }
    let deadline = lvs_monotonic_ns() &+ UInt64(timeout) * 1_000_000
    // Where a file system has no such locks, `body` runs without.
    while lock.lockWhole(isShared: !isAlone) == EWOULDBLOCK {
      guard lvs_monotonic_ns() < deadline else {
        throw StoreError(
          .busy, "\(folder.path): a backup was being made or changed for longer than \(timeout) ms")
      }
      lvs_sleep_us(1000)
    }
    return try body()
  }

  /// Removes what processes that died have left unfinished.
  func removeUnfinished() {
    if let folder { TemporaryFile.removeUnfinished(in: folder) }
  }

  /// What a name says; nil if it is not of a backup.
  private static func entry(_ name: [UInt8]) -> Entry? {
    var parts: [[UInt8]] = [[]]
    for byte in name {
      if byte == UInt8(ascii: "-"), parts.count < 4 { parts.append([]) } else { parts[parts.count - 1].append(byte) }
    }
    let ending = Self.ending.bytes
    guard parts.count == 4, parts[0].count == revisionDigits, parts[1].first == UInt8(ascii: "v"), parts[2].count == 23,
      parts[3].count > ending.count, Array(parts[3].suffix(ending.count)) == ending
    else { return nil }
    var time: [UInt8] = []
    for (index, byte) in parts[2].enumerated() {
      if index == 4 || index == 6 { time.append(UInt8(ascii: "-")) }
      if index == 11 || index == 13 { time.append(UInt8(ascii: ":")) }
      time.append(byte)
    }
    guard let revision = number(parts[0]), let version = number(Array(parts[1].dropFirst())),
      let moment = Timestamp(rfc3339: String(decoding: time, as: UTF8.self)),
      let text = String(validating: name, as: UTF8.self)
    else { return nil }
    return Entry(
      name: text, revision: revision, schemaVersion: version, time: moment,
      reason: String(decoding: parts[3].dropLast(ending.count), as: UTF8.self))
  }

  private static func number(_ digits: [UInt8]) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var number: UInt64 = 0
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (product, isLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !isLarge, !isLarger else { return nil }
      number = sum
    }
    return number
  }

  /// Removes the oldest backups of a reason, all but the last `count`.
  func trim(_ reason: String, keeping count: Int) throws(StoreError) {
    var kept = 0
    for entry in try entries() where entry.reason.sameBytes(as: reason) {
      kept += 1
      if kept > count { folder?.remove(entry.name) }
    }
  }
}
