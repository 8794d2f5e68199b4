import CSystem

/// What one commit did, as the log keeps it.
struct LogEntry: Sendable {
  /// A setting whose effective value or writability changed.
  struct Change: Sendable {
    var name: String
    /// The layer that was edited, or whose value expired.
    var layer: Layer
    var old: Value?
    var new: Value?
    var isExpiry = false
    /// Whether layers beneath `enforced` can be changed now; nil if that is as before.
    var writable: Bool?
    var isWritable: Bool
    /// The setting was declared secret before or after the commit, whatever later schemas say.
    var isSecret = false
    /// There were such values, of a secret; see `LogEntry.forget`.
    var isOldForgotten = false
    var isNewForgotten = false

    var isForgotten: Bool { isOldForgotten || isNewForgotten }
    var valueChanged: Bool { isForgotten || !old.isSame(as: new) }

    /// Adds what readers see of a value in effect in place of another, unless they see no difference.
    @_optimize(speed)
    static func add(
      _ name: String, _ layer: Layer, from old: Value?, wasLocked: Bool, to new: Value?, isLocked: Bool, isExpiry: Bool,
      isSecret: Bool, to changes: inout [Change]
    ) {
      if wasLocked == isLocked, old.isSame(as: new) { return }
      changes.append(
        Change(
          name: name, layer: layer, old: old, new: new, isExpiry: isExpiry,
          writable: wasLocked == isLocked ? nil : !isLocked, isWritable: !isLocked, isSecret: isSecret))
    }
  }

  /// A layer's value that was replaced or removed: what undoing brings back.
  struct Edit: Sendable {
    var name: String
    var layer: Layer
    var old: Value?
    var oldExpires: Timestamp?
    /// The revision of what the edit left there, 0 for nothing.
    var left: UInt64 = 0
    /// There was a value, of a secret.
    var isForgotten = false
  }

  var revision: UInt64
  var time: Timestamp
  var layer: Layer
  var origin: String
  var isSchema = false
  /// Whether it began a trial, or ended one.
  var trial: TrialStep?
  /// There were too many changes to keep, or nobody knows them: whoever watches reads anew.
  var isTooLarge = false
  var changes: [Change] = []
  var edits: [Edit] = []

  /// The most changes that an entry keeps.
  static let maximumChanges = 10_000
}

extension LogEntry {
  /// Of each setting that was edited its change tells the strongest layer that was, as that of any commit does. To be called
  /// when all edits are there, the weaker layers first.
  mutating func tellEditedLayers() {
    var names = ByteIndex()
    var layers: [Layer] = []
    for edit in edits {
      let (number, isNew) = names.insert(edit.name)
      if isNew { layers.append(edit.layer) } else { layers[number] = edit.layer }
    }
    for index in changes.indices {
      if let number = names.number(of: changes[index].name) { changes[index].layer = layers[number] }
    }
  }
}

extension LogEntry {
  private enum Flag {
    static let old: Int64 = 1
    static let new: Int64 = 2
    static let expiry: Int64 = 4
    static let writabilityChanged: Int64 = 8
    static let writable: Int64 = 16
    static let secret: Int64 = 32
    static let oldForgotten: Int64 = 64
    static let newForgotten: Int64 = 128
    // Of an edit that is told with the change it made.
    static let edit: Int64 = 256
    /// What was replaced is the old value of the change.
    static let sharedOld: Int64 = 512
    static let ownOld: Int64 = 1024
    /// It left what has the revision of this commit.
    static let left: Int64 = 2048
    static let editForgotten: Int64 = 4096
    static let leftOther: Int64 = 8192
    /// Beside the layer of an edit that is told by itself.
    static let forgottenEdit: Int64 = 16
  }

  /// Leaves out what was changed, so that watches read anew and undo is refused.
  mutating func spare() {
    isTooLarge = true
    changes = []
    edits = []
  }

  /// The stored form, bound to the key it is stored under: CBOR of an object behind its checksum. `t` time, `l` layer,
  /// `o` origin, `k` kind (1 schema, 2 too large, 4 begins a trial, 8 confirms one, 16 takes one back), `b` the revision that
  /// began the trial or how long that is in microseconds, `c` changes with the edits that made them, `e` other edits.
  @_optimize(speed)
  func encode(key: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = CBOR.Writer(capacity: 64 + min(roughSize, 1 << 16))
    var growth = Memory.Growth()
    let (told, others) = editsByChange()
    writer.object(trial == nil ? 6 : 7)
    if let trial {
      writer.key(UInt8(ascii: "b"))
      writer.int(trial.number)
    }
    writer.key(UInt8(ascii: "c"))
    writer.list(changes.count)
    // Of a span nothing is copied.
    let all = changes.span
    let made = edits.span
    for index in all.indices {
      Self.write(all, index, made, told[index], revision, &writer)
      guard growth.allows(writer.count) else { throw Memory.shortage(of: writer.count) }
    }
    writer.key(UInt8(ascii: "e"))
    writer.list(others.count)
    for index in others {
      Self.write(edits[index], &writer)
      guard growth.allows(writer.count) else { throw Memory.shortage(of: writer.count) }
    }
    writer.key(UInt8(ascii: "k"))
    writer.int((isSchema ? 1 : 0) | (isTooLarge ? 2 : 0) | (trial?.kind ?? 0))
    writer.key(UInt8(ascii: "l"))
    writer.int(Int64(layer.rawValue))
    writer.key(UInt8(ascii: "o"))
    writer.text(origin)
    writer.key(UInt8(ascii: "t"))
    writer.int(time.microseconds)
    return writer.sealed(key: key, tag: Tag.log)
  }

  /// What it takes in bytes, about.
  var roughSize: Int {
    var size = 0
    for index in changes.indices {
      size += 24 + changes[index].name.utf8.count + Payload.size(of: changes[index].old)
      size += Payload.size(of: changes[index].new)
    }
    // Else each is mostly told with the change it made.
    if edits.count == changes.count { return size }
    for index in edits.indices { size += 24 + edits[index].name.utf8.count + Payload.size(of: edits[index].old) }
    return size
  }

  /// For each change the edit that made it, where that is the only one of its setting, and the edits that are left.
  @_optimize(speed)
  private func editsByChange() -> (told: [Int?], others: [Int]) {
    if isInStep { return (edits.indices.map { $0 }, []) }
    var names = ByteIndex()
    var only: [Int?] = []
    for (index, edit) in edits.enumerated() {
      let (number, isNew) = names.insert(edit.name)
      if isNew { only.append(index) } else { only[number] = nil }
    }
    var isTold = [Bool](repeating: false, count: edits.count)
    let told = changes.map { (change) -> Int? in
      guard let number = names.number(of: change.name), let index = only[number], edits[index].layer == change.layer,
        !isTold[index]
      else { return nil }
      isTold[index] = true
      return index
    }
    return (told, edits.indices.filter { !isTold[$0] })
  }

  /// Whether each edit has made the change at its place, as nearly always.
  @_optimize(speed)
  private var isInStep: Bool {
    guard edits.count == changes.count else { return false }
    for index in edits.indices {
      guard edits[index].layer == changes[index].layer, edits[index].name.sameBytes(as: changes[index].name) else {
        return false
      }
    }
    return true
  }

  /// Writes one of several changes, by its number: to hand over the change itself would copy it.
  ///
  /// - Parameter number: that of the edit that is told with the change.
  @_optimize(speed)
  private static func write(
    _ all: Span<Change>, _ index: Int, _ edits: Span<Edit>, _ number: Int?, _ revision: UInt64,
    _ writer: inout CBOR.Writer
  ) {
    let (old, new) = (all[index].old, all[index].new)
    var flags: Int64 = all[index].isWritable ? Flag.writable : 0
    if old != nil { flags |= Flag.old }
    if new != nil { flags |= Flag.new }
    if all[index].isExpiry { flags |= Flag.expiry }
    if all[index].writable != nil { flags |= Flag.writabilityChanged }
    if all[index].isSecret { flags |= Flag.secret }
    if all[index].isOldForgotten { flags |= Flag.oldForgotten }
    if all[index].isNewForgotten { flags |= Flag.newForgotten }
    var count = 3 + (flags & Flag.old == 0 ? 0 : 1) + (flags & Flag.new == 0 ? 0 : 1)
    if let number {
      flags |= Flag.edit
      let left = edits[number].left
      if edits[number].isForgotten { flags |= Flag.editForgotten }
      if left != 0 { flags |= left == revision ? Flag.left : Flag.leftOther }
      if edits[number].old != nil {
        flags |= edits[number].old.isSame(as: old) ? Flag.sharedOld : Flag.ownOld
        count += 1
      }
      count += (flags & Flag.leftOther == 0 ? 0 : 1) + (flags & Flag.ownOld == 0 ? 0 : 1)
    }
    writer.list(count)
    writer.text(all[index].name)
    writer.int(Int64(all[index].layer.rawValue))
    writer.int(flags)
    writer.value(old)
    writer.value(new)
    guard let number else { return }
    if flags & Flag.leftOther != 0 { writer.int(Int64(bitPattern: edits[number].left)) }
    if flags & (Flag.sharedOld | Flag.ownOld) != 0 { writer.int(edits[number].oldExpires?.microseconds ?? 0) }
    if flags & Flag.ownOld != 0 { writer.value(edits[number].old) }
  }

  private static func write(_ edit: Edit, _ writer: inout CBOR.Writer) {
    writer.list(edit.old == nil ? 3 : 5)
    writer.text(edit.name)
    writer.int(Int64(edit.layer.rawValue) | (edit.isForgotten ? Flag.forgottenEdit : 0))
    writer.int(Int64(bitPattern: edit.left))
    guard let old = edit.old else { return }
    writer.int(edit.oldExpires?.microseconds ?? 0)
    writer.value(old)
  }

  /// nil if the bytes are no entry.
  ///
  /// - Parameters:
  ///   - pattern: leaves out the changes of other settings, and the edits that are told with them; nil for all.
  ///   - withEdits: whether `edits` are wanted: undo needs them, and watches do not.
  init?(_ bytes: [UInt8], revision: UInt64, matching pattern: NamePattern? = nil, withEdits: Bool = true) {
    var reader = CBOR.Reader(bytes)
    // The members are in the order of their keys.
    guard let members = reader.object(), members == 6 || members == 7 else { return nil }
    var number: Int64?
    if members == 7 {
      guard reader.key(UInt8(ascii: "b")), let found = reader.int() else { return nil }
      number = found
    }
    guard reader.key(UInt8(ascii: "c")), let changeCount = reader.list() else { return nil }
    var changes: [Change] = []
    var edits: [Edit] = []
    for _ in 0..<changeCount {
      guard let (change, edit) = Self.change(&reader, revision, pattern) else { return nil }
      if let change { changes.append(change) }
      if withEdits, let edit { edits.append(edit) }
    }
    guard reader.key(UInt8(ascii: "e")) else { return nil }
    if withEdits {
      guard let count = reader.list() else { return nil }
      for _ in 0..<count {
        guard let edit = Self.edit(&reader) else { return nil }
        edits.append(edit)
      }
    } else {
      guard reader.skip() else { return nil }
    }
    guard reader.key(UInt8(ascii: "k")), let kind = reader.int(), reader.key(UInt8(ascii: "l")),
      let layer = Self.layer(reader.int()), reader.key(UInt8(ascii: "o")), let origin = reader.text(),
      reader.key(UInt8(ascii: "t")), let time = reader.int(), reader.isAtEnd
    else { return nil }
    self.revision = revision
    self.time = Timestamp(microseconds: time)
    self.layer = layer
    self.origin = origin
    isSchema = kind & 1 != 0
    isTooLarge = kind & 2 != 0
    trial = number.flatMap { TrialStep(kind, $0) }
    guard (trial == nil) == (number == nil) else { return nil }
    self.changes = changes
    self.edits = edits
  }

  private static func layer(_ number: Int64?) -> Layer? {
    number.flatMap { UInt8(exactly: $0) }.flatMap { Layer(rawValue: $0) }
  }

  /// nil if it is no change; one that does not match is not wanted.
  private static func change(
    _ reader: inout CBOR.Reader, _ revision: UInt64, _ pattern: NamePattern?
  ) -> (Change?, Edit?)? {
    guard let count = reader.list(), count >= 3, let name = reader.text() else { return nil }
    guard pattern?.matches(name) ?? true else {
      for _ in 1..<count { guard reader.skip() else { return nil } }
      return (nil, nil)
    }
    guard let layer = layer(reader.int()), let flags = reader.int() else { return nil }
    var change = Change(name: name, layer: layer, isWritable: flags & Flag.writable != 0)
    var left = count - 3
    if flags & Flag.old != 0 {
      guard left > 0, let old = reader.value() else { return nil }
      change.old = old
      left -= 1
    }
    if flags & Flag.new != 0 {
      guard left > 0, let new = reader.value() else { return nil }
      change.new = new
      left -= 1
    }
    change.isExpiry = flags & Flag.expiry != 0
    change.isSecret = flags & Flag.secret != 0
    if change.isSecret { lvs_memory_wipe() }
    change.isOldForgotten = flags & Flag.oldForgotten != 0
    change.isNewForgotten = flags & Flag.newForgotten != 0
    if flags & Flag.writabilityChanged != 0 { change.writable = change.isWritable }
    guard flags & Flag.edit != 0 else { return left == 0 ? (change, nil) : nil }
    guard let edit = Self.edit(of: change, flags, &reader, left, revision) else { return nil }
    return (change, edit)
  }

  /// The edit that is told with a change.
  ///
  /// - Parameter items: how many there are of it.
  private static func edit(
    of change: Change, _ flags: Int64, _ reader: inout CBOR.Reader, _ items: Int, _ revision: UInt64
  ) -> Edit? {
    let hasOld = flags & (Flag.sharedOld | Flag.ownOld) != 0
    let isOwn = flags & Flag.ownOld != 0
    guard items == (flags & Flag.leftOther == 0 ? 0 : 1) + (hasOld ? 1 : 0) + (isOwn ? 1 : 0) else { return nil }
    var edit = Edit(name: change.name, layer: change.layer)
    edit.isForgotten = flags & Flag.editForgotten != 0
    if flags & Flag.left != 0 { edit.left = revision }
    if flags & Flag.leftOther != 0 {
      guard let left = reader.int() else { return nil }
      edit.left = UInt64(bitPattern: left)
    }
    if hasOld {
      guard let expires = reader.int(), let old = isOwn ? reader.value() : change.old else { return nil }
      edit.old = old
      edit.oldExpires = expires == 0 ? nil : Timestamp(microseconds: expires)
    }
    return edit
  }

  private static func edit(_ reader: inout CBOR.Reader) -> Edit? {
    guard let count = reader.list(), count == 3 || count == 5, let name = reader.text(), let place = reader.int(),
      let layer = layer(place & ~Flag.forgottenEdit), let left = reader.int()
    else { return nil }
    var edit = Edit(name: name, layer: layer, left: UInt64(bitPattern: left))
    edit.isForgotten = place & Flag.forgottenEdit != 0
    if count == 5 {
      guard let expires = reader.int(), let old = reader.value() else { return nil }
      edit.old = old
      edit.oldExpires = expires == 0 ? nil : Timestamp(microseconds: expires)
    }
    return edit
  }
}
