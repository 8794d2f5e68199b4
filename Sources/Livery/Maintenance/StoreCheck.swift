import CSystem
import LMDB

/// What looking at a store came to.
public struct CheckOutcome: Sendable {
  /// The report, as described at `livery_check` in C; empty if the file could not be looked at.
  public var report: Value
  /// nil if the store is sound; `.corrupt` if it is damaged.
  public var error: StoreError?

  public var hasReport: Bool { report.count > 0 }
}

extension Store {
  /// Looks at every page and every record of a store, or of a backup, without trusting any of it and without changing it.
  ///
  /// Writers wait meanwhile, readers do not. Corresponds to `livery_check` in C.
  ///
  /// - Parameter path: a store's directory, or a file.
  public static func check(path: String, timeout: UInt32 = 5000) -> CheckOutcome {
    do throws(StoreError) {
      guard !path.isEmpty, !path.utf8.contains(0) else {
        throw StoreError(.invalidArgument, "the path is empty or contains NUL")
      }
      var facts = lvs_file_facts()
      guard lvs_file_facts_of(path, &facts) == 0 else { throw .system(lvs_errno(), path) }
      guard let folder = try store(path, facts) else {
        return outcome(of: try StoreFile(path, keeping: false), path)
      }
      let file = try Registry.whileQuiet(folder, timeout) { () throws(StoreError) in
        guard let facts = try folder.facts(StoreDirectory.data), facts.size > 0 else {
          throw StoreError(.notAStore, "\(path): the directory holds no store")
        }
        return try StoreFile(StoreDirectory.data, in: folder, keeping: false)
      }
      return outcome(of: file, path)
    } catch {
      return CheckOutcome(report: .object([]), error: error)
    }
  }

  /// The directory of the store whose data file is to be looked at; nil if it is no store's, or none that anybody writes to.
  private static func store(_ path: String, _ facts: lvs_file_facts) throws(StoreError) -> Folder? {
    if facts.is_directory { return try Folder.open(path) }
    let (around, _) = try Store.target(path)
    guard let folder = try? Folder.open(around), try folder.facts(StoreDirectory.gate) != nil,
      let data = try folder.facts(StoreDirectory.data), FileIdentity(data) == FileIdentity(facts)
    else { return nil }
    return folder
  }

  private static func outcome(of file: StoreFile, _ path: String) -> CheckOutcome {
    var damage: [Value] = []
    for found in file.file.damages {
      damage.append(
        .object([.init("page", .int(Int64(clamping: found.page))), .init("message", .string(found.what))]))
    }
    for record in file.damagedRecords {
      var members: [Value.Member] = [.init("database", .string(record.database))]
      if let setting = record.setting { members.append(.init("setting", .string(setting))) }
      members.append(.init("message", .string("\(record.description) does not match its checksum")))
      damage.append(.object(members))
    }
    if damage.isEmpty, let stale = file.damage { damage.append(.object([.init("message", .string(stale))])) }
    func int(_ number: UInt64) -> Value { .int(Int64(clamping: number)) }
    let report = Value.object([
      .init("path", .string(path)), .init("sound", .bool(file.isWhole)), .init("fileBytes", int(file.file.fileSize)),
      .init("pages", int(file.file.pages)), .init("freePages", int(file.file.freePages)),
      .init("records", int(file.recordCount)), .init("revision", int(file.revision)),
      .init("schemaVersion", int(file.schemaVersion)), .init("damage", .list(damage)),
    ])
    var error: StoreError?
    if let what = file.damage { error = StoreError(.corrupt, "\(path) is damaged: \(what)") }
    return CheckOutcome(report: report, error: error)
  }
}
