import CReadCache
import CSystem
import CWake
import LMDB

/// What the store knows of its schema without looking at it.
struct SchemaFacts: Equatable {
  /// 0 if no schema has been applied.
  var version: UInt64
  /// Whether undeclared settings may be set.
  var isOpen: Bool
  /// Whether a setting may be a secret, or hold one. Who cannot tell says yes.
  var holdsSecrets: Bool
  var digest: [UInt8]

  /// A store without a schema takes anything.
  static let none = SchemaFacts(version: 0, isOpen: true, holdsSecrets: false, digest: [])
}

extension View {
  private static let formatKey = ".format".bytes
  private static let identifierKey = ".id".bytes
  private static let revisionKey = ".revision".bytes
  private static let schemaKey = ".schema".bytes
  private static let schemaTextKey = ".schema-text".bytes
  private static let trimmedKey = ".log-trimmed".bytes
  private static let restoredKey = ".restored".bytes
  private static let recoveryKey = ".recovery".bytes
  private static let orphansKey = ".orphans".bytes
  private static let claimsKey = ".claims".bytes
  private static let deadlineKey = ".session-ends".bytes
  private static let sealKey = ".sealed".bytes
  private static let trialKey = ".trial".bytes

  // Of the schema's facts.
  private static let isOpen: UInt8 = 1
  private static let holdsNoSecrets: UInt8 = 2

  /// Whether it is a key of the store's own in the unnamed database, where the names of the others are, too.
  static func isMeta(key: some Collection<UInt8>) -> Bool { key.first == UInt8(ascii: ".") }

  /// What a restore does not bring back: the store stays the one that it is, and its commits are counted on.
  static func isOwn(metaKey key: [UInt8]) -> Bool {
    key == formatKey || key == identifierKey || key == revisionKey || key == trimmedKey || key == restoredKey
      || key == recoveryKey || key == claimsKey || key == deadlineKey || key == trialKey
      || LogTail.revision(of: key) != nil
  }

  /// The number of the file format; raised when an older library could not read the store.
  static let format: UInt64 = 1

  func format() throws(StoreError) -> UInt64? {
    try number(Self.formatKey, "the store's format number")
  }

  func revision() throws(StoreError) -> UInt64 {
    try number(Self.revisionKey, "the store's revision") ?? 0
  }

  /// What a write transaction has changed of what reads look at.
  func changes() -> lvs_recent {
    var changes = transaction.changes
    changes.commit = transaction.id
    // What cannot be told has to be looked for.
    do throws(StoreError) { changes.revision = try revision() } catch { lvs_recent_add_all(&changes) }
    return changes
  }

  func putRevision(_ revision: UInt64) throws(StoreError) {
    try putNumber(revision, Self.revisionKey)
  }

  /// The revision whose content the store has: that of the backup, right after one was restored.
  func contentRevision() throws(StoreError) -> UInt64 {
    let revision = try revision()
    guard let content = try meta(Self.restoredKey, "what was restored"), content.count == 16 else { return revision }
    return content.withUnsafeBytes { $0.bytes.word(at: 0) == revision ? $0.bytes.word(at: 8) : revision }
  }

  /// The last commit that restored a backup, as far as that is known; 0 if none was.
  func restoredRevision() throws(StoreError) -> UInt64 {
    guard let content = try meta(Self.restoredKey, "what was restored"), content.count == 16 else { return 0 }
    return content.withUnsafeBytes { $0.bytes.word(at: 0) }
  }

  func putRestored(_ revision: UInt64, content: UInt64) throws(StoreError) {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: revision)
    bytes.append(littleEndian: content)
    try putMeta(bytes, Self.restoredKey)
  }

  /// What is told of the last time that the file was replaced; nil if it never was.
  func recovery() throws(StoreError) -> Value? {
    guard let content = try meta(Self.recoveryKey, "what is told of the last recovery") else { return nil }
    return try? CBOR.decode(content)
  }

  func putRecovery(_ report: Value) throws(StoreError) {
    try putMeta(CBOR.encode(report), Self.recoveryKey)
  }

  /// The last revision whose log entry was trimmed; 0 if none was.
  func trimmed() throws(StoreError) -> UInt64 {
    try number(Self.trimmedKey, "the log's beginning") ?? 0
  }

  func putTrimmed(_ revision: UInt64) throws(StoreError) {
    try putNumber(revision, Self.trimmedKey)
  }

  /// Makes an empty store.
  func initialise(identifier: [UInt8]) throws(StoreError) {
    try putNumber(Self.format, Self.formatKey)
    try putNumber(0, Self.revisionKey)
    try putMeta(identifier, Self.identifierKey)
  }

  func identifier() throws(StoreError) -> [UInt8] {
    try meta(Self.identifierKey, "the store's identifier") ?? []
  }

  func schemaFacts() throws(StoreError) -> SchemaFacts {
    guard let content = try meta(Self.schemaKey, "the schema's facts") else { return .none }
    guard content.count >= 9 else { throw StoreError.damaged("the schema's facts") }
    let version = content.withUnsafeBytes { $0.bytes.word(at: 0) }
    return SchemaFacts(
      version: version, isOpen: content[8] & Self.isOpen != 0, holdsSecrets: content[8] & Self.holdsNoSecrets == 0,
      digest: Array(content[9...]))
  }

  func putSchema(_ facts: SchemaFacts, text: [UInt8]) throws(StoreError) {
    var content: [UInt8] = []
    content.append(littleEndian: facts.version)
    content.append((facts.isOpen ? Self.isOpen : 0) | (facts.holdsSecrets ? 0 : Self.holdsNoSecrets))
    content.append(contentsOf: facts.digest)
    try putMeta(content, Self.schemaKey)
    try Memory.require(2 * text.count)
    try putMeta(Squeezed.encode(text), Self.schemaTextKey)
  }

  func schemaText() throws(StoreError) -> [UInt8]? {
    let what = "the schema's text"
    guard let stored = try meta(Self.schemaTextKey, what) else { return nil }
    guard let text = try Squeezed.decode(stored) else { throw StoreError.damaged(what) }
    return text
  }

  /// The schema that was applied last; nil if there is none.
  func appliedSchema() throws(StoreError) -> Schema? {
    guard let text = try schemaText() else { return nil }
    #if LIVERY_CORE_ONLY
      throw StoreError(
        .unavailable, "this build of Livery has the core alone, and cannot mend a setting by what the schema declares")
    #else
      do throws(StoreError) { return try compileSchema(text).schema } catch {
        guard error.code == .parse else { throw error }
        throw StoreError.damaged("the schema's text")
      }
    #endif
  }

  func orphans() throws(StoreError) -> Orphans {
    guard let content = try meta(Self.orphansKey, "what is known of orphaned settings") else { return Orphans() }
    return Orphans(try CBOR.decode(content))
  }

  func putOrphans(_ orphans: Orphans) throws(StoreError) {
    if orphans.names.isEmpty { return try delete(Self.orphansKey, databases.meta) }
    try putMeta(CBOR.encode(orphans.stored), Self.orphansKey)
  }

  func storedSealMark() throws(StoreError) -> SealMark? {
    guard let content = try meta(Self.sealKey, "what is known of sealed secrets") else { return nil }
    guard let mark = SealMark(content) else { throw StoreError.damaged("what is known of sealed secrets") }
    return mark
  }

  func storeSealMark(_ mark: SealMark) throws(StoreError) { try putMeta(mark.stored, Self.sealKey) }

  static func isSealMark(metaKey key: [UInt8]) -> Bool { key == sealKey }

  func claims() throws(StoreError) -> Claims {
    guard let content = try meta(Self.claimsKey, "what is known of claimed namespaces") else { return .none }
    guard case .list(let items) = try CBOR.decode(content) else { throw StoreError.damaged("the claimed namespaces") }
    var claims = Claims.none
    for item in items {
      switch item {
      case .string(let prefix): claims.prefixes.append(prefix)
      case .list(let secrets): for case .string(let name) in secrets { claims.secrets.append(name) }
      default: break
      }
    }
    return claims
  }

  func putClaims(_ claims: Claims) throws(StoreError) {
    var items: [Value] = claims.prefixes.map { .string($0) }
    if !claims.secrets.isEmpty { items.append(.list(claims.secrets.map { .string($0) })) }
    try putMeta(CBOR.encode(.list(items)), Self.claimsKey)
  }

  /// When the values of the layer `session` end that say nothing else; nil for never.
  func sessionDeadline() throws(StoreError) -> Timestamp? {
    try number(Self.deadlineKey, "the end of the session").map { Timestamp(microseconds: Int64(bitPattern: $0)) }
  }

  func putSessionDeadline(_ time: Timestamp?) throws(StoreError) {
    guard let time else { return try delete(Self.deadlineKey, databases.meta) }
    try putNumber(UInt64(bitPattern: time.microseconds), Self.deadlineKey)
  }

  func storedTrial() throws(StoreError) -> Value? {
    try meta(Self.trialKey, "what is known of the trial").map { (content) throws(StoreError) in
      try CBOR.decode(content)
    }
  }

  func putTrial(_ state: TrialState) throws(StoreError) {
    try putMeta(CBOR.encode(state.stored), Self.trialKey)
  }

  private func meta(_ key: [UInt8], _ what: String) throws(StoreError) -> [UInt8]? {
    try read(key, databases.meta, orDamaged: what) { Checksum.content(of: $0, key: key, tag: Tag.meta) }
  }

  private func putMeta(_ content: [UInt8], _ key: [UInt8]) throws(StoreError) {
    try put(Checksum.sealed(content, key: key, tag: Tag.meta), key, databases.meta)
  }

  private func number(_ key: [UInt8], _ what: String) throws(StoreError) -> UInt64? {
    guard let content = try meta(key, what) else { return nil }
    guard content.count == 8 else { throw StoreError.damaged(what) }
    return content.withUnsafeBytes { $0.bytes.word(at: 0) }
  }

  private func putNumber(_ number: UInt64, _ key: [UInt8]) throws(StoreError) {
    var content: [UInt8] = []
    content.append(littleEndian: number)
    try putMeta(content, key)
  }

  func pageSize() throws(StoreError) -> Int { try statistics(databases.meta).pageSize }

  func statistics(_ database: Database) throws(StoreError) -> DatabaseStatistics {
    do { return try transaction.statistics(database) } catch { throw StoreError(error) }
  }
}

extension DatabaseStatistics {
  /// Of the pages that it takes.
  var bytes: Int { pages * pageSize }
}
