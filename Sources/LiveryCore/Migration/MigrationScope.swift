/// Named values that a step works on: those of a layer, or the members of one item.
public class MigrationScope {
  public func value(_ name: String) throws(StoreError) -> Value? { nil }

  /// Gives a name another value, or none. What was made of other values takes over who set them, and when.
  func put(_ value: Value?, _ name: String, madeOf sources: [String]) throws(StoreError) {}
}

/// The members of one item of a list; an item that is a plain value has one, without a name.
final class MigrationItem: MigrationScope {
  private var members: [Value.Member]
  private let isPlain: Bool
  private(set) var isChanged = false

  init(_ item: Value) {
    if case .object(let members) = item {
      self.members = members
      isPlain = false
    } else {
      members = [.init("", item)]
      isPlain = true
    }
  }

  /// The item as it is now; nil if it was removed.
  ///
  /// Throws `.migration` for a plain value that is to have members as well.
  func result() throws(StoreError) -> Value? {
    guard let plain = value("") else { return isPlain && members.isEmpty ? nil : .object(members) }
    for member in members where !member.key.isEmpty {
      throw StoreError(.migration, "the item becomes a plain value, and still has the member `\(member.key)`")
    }
    return plain
  }

  override func value(_ name: String) -> Value? {
    index(of: name).map { members[$0].value }
  }

  override func put(_ value: Value?, _ name: String, madeOf sources: [String]) {
    isChanged = true
    switch (index(of: name), value) {
    case (let index?, let value?): members[index].value = value
    case (let index?, nil): members.remove(at: index)
    case (nil, let value?): members.append(.init(name, value))
    case (nil, nil): break
    }
  }

  private func index(of name: String) -> Int? {
    for index in members.indices where members[index].key.sameBytes(as: name) { return index }
    return nil
  }
}

/// The values of one layer, as the steps find and leave them: what is stored is fetched when a step asks for it, so that a
/// step costs the same in a layer of any size.
public final class MigrationLayer: MigrationScope {
  /// What became of one name.
  public struct Slot {
    public let name: String
    /// As it is in the store; nil if it is not there.
    public let stored: Record?
    /// As the steps leave it: a value with who set it, when, and when it expires; nil for none. One that the steps made of
    /// nothing has revision 0.
    public fileprivate(set) var record: Record?
    /// The value is a secret, or was made of one.
    public fileprivate(set) var isSecret: Bool
    public fileprivate(set) var isChanged = false
  }

  /// Where the values come from.
  public struct Source {
    let record: (String) throws(StoreError) -> Record?
    /// Whether a name is declared secret, before or after.
    let isSecret: (String) throws(StoreError) -> Bool
    /// The names of all values, in the order of their bytes.
    let names: () throws(StoreError) -> [String]

    public init(
      record: @escaping (String) throws(StoreError) -> Record?,
      isSecret: @escaping (String) throws(StoreError) -> Bool, names: @escaping () throws(StoreError) -> [String]
    ) {
      self.record = record
      self.isSecret = isSecret
      self.names = names
    }
  }

  public let layer: Layer
  private let source: Source
  private var numbers = ByteIndex()
  /// In the order in which steps met the names.
  public private(set) var slots: [Slot] = []

  public init(_ layer: Layer, _ source: Source) {
    self.layer = layer
    self.source = source
  }

  private func number(of name: String) throws(StoreError) -> Int {
    if let known = numbers.number(of: name) { return known }
    let stored = try source.record(name)
    let isSecret = try source.isSecret(name)
    slots.append(Slot(name: name, stored: stored, record: stored, isSecret: isSecret))
    return numbers.insert(name).number
  }

  /// The slot of a name, if a step has met it.
  public func slot(_ name: String) -> Slot? {
    numbers.number(of: name).map { slots[$0] }
  }

  public override func value(_ name: String) throws(StoreError) -> Value? {
    slots[try number(of: name)].record?.value
  }

  func isSecret(_ name: String) throws(StoreError) -> Bool {
    slots[try number(of: name)].isSecret
  }

  /// Notes that a value is a secret, or made of one.
  func markSecret(_ name: String) throws(StoreError) {
    slots[try number(of: name)].isSecret = true
  }

  /// All names that have a value now, in the order of their bytes.
  func names() throws(StoreError) -> [String] {
    var all: [String] = []
    for name in try source.names() where slot(name).map({ $0.record != nil }) ?? true { all.append(name) }
    for slot in slots where slot.record != nil && slot.stored == nil { all.append(slot.name) }
    return sortedOrder(of: all.count) { all[$0].precedesInBytes(all[$1]) }.map { all[$0] }
  }

  override func put(_ value: Value?, _ name: String, madeOf sources: [String]) throws(StoreError) {
    let place = try number(of: name)
    guard let value else {
      slots[place].record = nil
      slots[place].isChanged = true
      return
    }
    try value.check()
    var record: Record?
    for source in sources {
      let slot = slots[try number(of: source)]
      if slot.isSecret { slots[place].isSecret = true }
      guard let past = slot.record else { continue }
      record = record.map { $0.merged(with: past) } ?? past
    }
    if sources.isEmpty { record = slots[place].record }
    if record == nil, layer == .override {
      throw StoreError(.invalidValue, "a value of the layer override needs an expiry time, and a new one has none")
    }
    var fresh = record ?? Record(nil, layer: layer, revision: 0, time: Timestamp(microseconds: 0))
    fresh.value = value
    fresh.isRejected = false
    slots[place].record = fresh
    slots[place].isChanged = true
  }
}

extension Record {
  /// What is told of a value made of two: who set the later one, and the earlier end.
  fileprivate func merged(with other: Record) -> Record {
    // What the steps made of nothing is the latest there is.
    var merged = other.revision == 0 || revision != 0 && other.time > time ? other : self
    if let mine = expires, let theirs = other.expires {
      merged.expires = min(mine, theirs)
    } else {
      merged.expires = expires ?? other.expires
    }
    return merged
  }
}
