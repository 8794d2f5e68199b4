/// One search: what was found of each setting, first in the texts of the schema, then in the values.
public struct SearchRun {
  /// A setting that was found.
  public struct Found: Sendable {
    public let name: String
    /// nil for one that the schema does not declare.
    fileprivate let number: Int?
  }

  private let index: SearchIndex
  private let words: SearchWords
  /// By the settings' numbers; what is not looked at lacks nothing, and is out of the question.
  private var scores: [UInt16]
  private var missing: [UInt64]
  private static let out = UInt16.max
  /// Where the index is in the order of names.
  private var next = 0
  private var others: [(name: String, score: Int)] = []
  private var buffer = FoldBuffer()

  /// - Throws: `.noMemory`.
  public init(_ index: SearchIndex, _ words: SearchWords, includesHidden: Bool) throws(StoreError) {
    try Memory.require(index.searchSize)
    self.index = index
    self.words = words
    var scores = [UInt16](repeating: Self.out, count: index.entries.count)
    var missing = [UInt64](repeating: 0, count: index.entries.count)
    index.look(for: words) { number, score, lacks in
      if index.entries[number].isHidden, !includesHidden { return }
      // A secret's value tells nothing.
      if lacks != 0, index.entries[number].holdsSecret { return }
      scores[number] = UInt16(score)
      missing[number] = lacks
    }
    self.scores = scores
    self.missing = missing
  }

  /// What to do about the record of what is in effect under a name; to be asked in the order of names.
  public enum Interest {
    case none
    /// Its value is to be handed to `meet`: of a declared setting, by number, or of another.
    case value(Int?)
  }

  public mutating func interest(in name: RawSpan) -> Interest {
    guard let number = index.number(of: name, after: &next) else { return .value(nil) }
    return missing[number] == 0 ? .none : .value(number)
  }

  /// Looks for the words that are still missing in a value as it is stored.
  public mutating func meet(
    _ name: RawSpan, _ number: Int?, _ place: RecordPlace, _ bytes: RawSpan
  ) {
    buffer.clear()
    if number == nil {
      buffer.append(name)
      buffer.appendSeparator()
    }
    let nameEnd = buffer.count
    switch place.type {
    case nil, .data: break
    case .string, .url, .image:
      buffer.append(bytes.extracting(place.payload))
    default:
      if let value = place.value(in: bytes) { append(value) }
    }
    conclude(name, number, nameEnd)
  }

  /// The same for a value that is not what is stored.
  public mutating func meet(_ name: RawSpan, _ number: Int?, _ value: Value?) {
    buffer.clear()
    if number == nil {
      buffer.append(name)
      buffer.appendSeparator()
    }
    let nameEnd = buffer.count
    if let value { append(value) }
    conclude(name, number, nameEnd)
  }

  private mutating func append(_ value: Value) {
    value.walkTexts([]) { (text, _) in
      text.withSpan { buffer.append($0) }
      buffer.appendSeparator()
    }
  }

  private mutating func conclude(_ name: RawSpan, _ number: Int?, _ nameEnd: Int) {
    if let number {
      let words = words
      let found = buffer.withSpan { words.found(missing[number], in: $0) }
      missing[number] &= ~found
      scores[number] += UInt16(found.nonzeroBitCount * SearchIndex.Field.value.rank)
      return
    }
    let words = words
    let (inName, found) = buffer.withSpan { text in
      let inName = words.found(words.all, in: text.extracting(0..<nameEnd))
      return (inName, inName | words.found(words.all & ~inName, in: text))
    }
    guard found == words.all else { return }
    let score =
      inName.nonzeroBitCount * SearchIndex.Field.name.rank
      + (words.count - inName.nonzeroBitCount) * SearchIndex.Field.value.rank
    others.append((name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, score))
  }

  /// All that have every word, the best first.
  ///
  /// - Parameter counts: whether a setting that the schema does not declare does, by its name.
  public func found(counts: (String) throws(StoreError) -> Bool) throws(StoreError) -> [Found] {
    guard words.count > 0 else { return [] }
    var byScore = [[Found]](repeating: [], count: words.count * SearchIndex.Field.value.rank + 1)
    for number in scores.indices where scores[number] != Self.out && missing[number] == 0 {
      byScore[Int(scores[number])].append(Found(name: "", number: number))
    }
    for other in others where try counts(other.name) {
      byScore[other.score].append(Found(name: other.name, number: nil))
    }
    var all: [Found] = []
    for found in byScore { all += found }
    return all
  }

  public func name(_ found: Found) -> String { found.number.map { index.name($0) } ?? found.name }

  /// A result, as it is described at `livery_search` in C.
  ///
  /// - Parameters:
  ///   - value: the one in effect.
  ///   - isClaimedSecret: whether it is a secret unless the schema declares it.
  /// - Throws: `.noMemory`.
  public func result(_ found: Found, _ value: Value?, isClaimedSecret: Bool) throws(StoreError) -> Value {
    if let number = found.number { try Memory.require(index.matchSize(number)) }
    var members = MemberList()
    members.add("name", text: name(found))
    var matches: [Value] = []
    var isSecret = isClaimedSecret
    if let number = found.number {
      let entry = index.entries[number]
      isSecret = entry.holdsSecret
      members.add("type", text: entry.kind.description)
      members.add("kind", text: entry.kind.formKind(isSecret: entry.isSecret))
      members.add("title", text: index.title(number))
      members.add("group", .list(index.groupTitles(number).map { .string($0) }))
      members.add("hidden", flag: entry.isHidden)
      matches = index.matches(number, words)
    } else {
      members.add("type", text: value?.type.description)
      matches = SearchIndex.matches(.name, found.name, words)
    }
    members.add("secret", flag: isSecret)
    if let value, !isSecret {
      members.add("value", value)
      value.walkTexts([]) { (text, path) in
        matches += SearchIndex.matches(.value, text, words, pointer: path.pointer)
      }
    }
    members.add("matches", .list(matches))
    return .object(members.all)
  }
}

extension Value {
  /// Hands `body` the texts by which a value is found, with where they are in it.
  fileprivate func walkTexts(_ path: [PathStep], _ body: (String, [PathStep]) -> Void) {
    switch self {
    case .string(let text), .url(let text), .image(let text): body(text, path)
    case .data, .sealed: break
    case .bool, .int, .double, .date, .color: body(brief, path)
    case .list(let items):
      for (index, item) in items.enumerated() { item.walkTexts(path + [.index(index)], body) }
    case .object(let members):
      for member in members { member.value.walkTexts(path + [.member(member.key)], body) }
    }
  }
}
