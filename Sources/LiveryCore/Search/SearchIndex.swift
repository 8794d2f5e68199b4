import CSystem

/// The texts of a schema in one language, folded, so that a search only has to look for bytes.
///
/// The texts of a setting lie one behind the other, those that count most first.
public struct SearchIndex: Sendable {
  enum Field: UInt8, Sendable {
    case title, name, alias, option, description, placeholder, unit, group, value

    var name: String {
      switch self {
      case .title: "title"
      case .name: "name"
      case .alias: "alias"
      case .option: "option"
      case .description: "description"
      case .placeholder: "placeholder"
      case .unit: "unit"
      case .group: "group"
      case .value: "value"
      }
    }

    /// What a word counts that is found there: the less the better. At the beginning of a title it is 0.
    var rank: Int {
      switch self {
      case .title: 1
      case .name, .alias: 2
      case .option: 3
      case .description, .placeholder, .unit, .group: 4
      case .value: 5
      }
    }
  }

  /// A text, where it ends as it is written and folded; the latter with a separator.
  private struct Piece: Sendable {
    var field: Field
    var end: UInt32
    var foldedEnd: UInt32
  }

  struct Entry: Sendable {
    /// The first piece: the title, which may be empty. The second is the name.
    fileprivate var first: UInt32
    fileprivate(set) var place: Int32
    fileprivate(set) var kind: SettingKind
    fileprivate(set) var isHidden: Bool
    fileprivate(set) var isSecret: Bool
    fileprivate(set) var holdsSecret: Bool
    fileprivate(set) var hasTitle: Bool
  }

  /// A group, or a pane in one.
  private struct Place: Sendable {
    /// -1 for a group.
    var outer: Int32
    var piece: UInt32
  }

  private var texts: [UInt8] = []
  private var folded: [UInt8] = []
  private var pieces: [Piece] = []
  /// In the order of the schema.
  private(set) var entries: [Entry] = []
  private var places: [Place] = []
  /// The entries in the order of their names' bytes.
  private(set) var byName: [Int32] = []

  /// That of a store without a schema.
  public init() {}

  public init(_ outline: FormOutline, _ translation: Translation) {
    var buffer = FoldBuffer()
    for group in outline.groups {
      let place = addPlace(group.heading.title ?? "", outer: -1, translation, &buffer)
      add(group.elements, place, isHidden: group.heading.isHidden, translation, &buffer)
    }
    let index = self
    byName = sortedOrder(of: entries.count) { index.precedes($0, $1) }.map { Int32($0) }
  }

  /// How much memory it takes, about.
  public var size: Int {
    texts.count + folded.count + pieces.count * MemoryLayout<Piece>.stride + entries.count * 32
  }

  // MARK: Making

  private mutating func add(_ text: String, _ field: Field, _ buffer: inout FoldBuffer) {
    buffer.clear()
    text.withBytes { buffer.append($0) }
    buffer.appendSeparator()
    texts.append(text)
    buffer.withBytes { folded.append(contentsOf: $0) }
    pieces.append(Piece(field: field, end: UInt32(texts.count), foldedEnd: UInt32(folded.count)))
  }

  private mutating func addPlace(
    _ title: String, outer: Int32, _ translation: Translation, _ buffer: inout FoldBuffer
  ) -> Int32 {
    places.append(Place(outer: outer, piece: UInt32(pieces.count)))
    add(translation(title), .group, &buffer)
    return Int32(places.count - 1)
  }

  private mutating func add(
    _ elements: [FormOutline.Element], _ place: Int32, isHidden: Bool, _ translation: Translation,
    _ buffer: inout FoldBuffer
  ) {
    for element in elements {
      switch element {
      case .header: break
      case .pane(let heading, let inner):
        let pane = addPlace(heading.title ?? "", outer: place, translation, &buffer)
        add(inner, pane, isHidden: isHidden || heading.isHidden, translation, &buffer)
      case .setting(let setting): add(setting.descriptor, place, isHidden: isHidden, translation, &buffer)
      }
    }
  }

  private mutating func add(
    _ descriptor: SettingDescriptor, _ place: Int32, isHidden: Bool, _ translation: Translation,
    _ buffer: inout FoldBuffer
  ) {
    entries.append(
      Entry(
        first: UInt32(pieces.count), place: place, kind: descriptor.kind, isHidden: isHidden || descriptor.isHidden,
        isSecret: descriptor.isSecret, holdsSecret: descriptor.holdsSecret, hasTitle: descriptor.title != nil))
    add(descriptor.title.map { translation($0) } ?? "", .title, &buffer)
    add(descriptor.key, .name, &buffer)
    for alias in descriptor.aliases { add(alias, .alias, &buffer) }
    for option in descriptor.options { add(translation(option.title), .option, &buffer) }
    if let text = descriptor.description { add(translation(text), .description, &buffer) }
    if let text = descriptor.placeholder { add(translation(text), .placeholder, &buffer) }
    if let text = descriptor.unit { add(translation(text), .unit, &buffer) }
  }

  // MARK: Looking

  private func lastPiece(of number: Int) -> Int {
    // The pieces of a pane that follows come between those of two settings.
    var piece = Int(entries[number].first) + 2
    while piece < pieces.count, pieces[piece].field != .title, pieces[piece].field != .group { piece += 1 }
    return piece - 1
  }

  private func foldedStart(_ piece: Int) -> Int { piece == 0 ? 0 : Int(pieces[piece - 1].foldedEnd) }

  private func range(_ piece: Int) -> Range<Int> {
    (piece == 0 ? 0 : Int(pieces[piece - 1].end))..<Int(pieces[piece].end)
  }

  private func text(_ piece: Int) -> String {
    texts.withUnsafeBytes { String(decoding: UnsafeRawBufferPointer(rebasing: $0[range(piece)]), as: UTF8.self) }
  }

  func name(_ number: Int) -> String { text(Int(entries[number].first) + 1) }

  func title(_ number: Int) -> String? { entries[number].hasTitle ? text(Int(entries[number].first)) : nil }

  /// The titles of a setting's group and of the panes that it is in, from without.
  func groupTitles(_ number: Int) -> [String] {
    groupPieces(number).map { text($0) }
  }

  private func groupPieces(_ number: Int) -> [Int] {
    var found: [Int] = []
    var place = entries[number].place
    while place >= 0 {
      found.append(Int(places[Int(place)].piece))
      place = places[Int(place)].outer
    }
    return found.reversed().filter { !range($0).isEmpty }
  }

  private func nameBytes(_ number: Int, in texts: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: texts[range(Int(entries[number].first) + 1)])
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    texts.withUnsafeBytes { order(nameBytes(left, in: $0), nameBytes(right, in: $0)) < 0 }
  }

  /// Below 0, 0 or above it, as a setting's name comes before a key, is the same, or comes behind.
  func order(_ number: Int, _ key: UnsafeRawBufferPointer) -> Int {
    texts.withUnsafeBytes { order(nameBytes(number, in: $0), key) }
  }

  private func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, min(left.count, right.count))
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }

  /// Which words the titles of each place and of those around it contain.
  func placeHits(_ words: SearchWords) -> [UInt64] {
    var hits = [UInt64](repeating: 0, count: places.count)
    folded.withUnsafeBytes { folded in
      for (number, place) in places.enumerated() {
        let piece = Int(place.piece)
        let text = UnsafeRawBufferPointer(rebasing: folded[foldedStart(piece)..<Int(pieces[piece].foldedEnd)])
        // A pane comes after what is around it.
        hits[number] = words.found(words.all, in: text) | (place.outer < 0 ? 0 : hits[Int(place.outer)])
      }
    }
    return hits
  }

  /// Looks for words in the texts of every setting: hands `body` its number, what the words that it contains count
  /// together, and which it lacks.
  func look(for words: SearchWords, _ body: (Int, _ score: Int, _ missing: UInt64) -> Void) {
    let hits = placeHits(words)
    folded.withUnsafeBytes { folded in
      for number in entries.indices {
        let first = Int(entries[number].first)
        let start = foldedStart(first)
        let text = UnsafeRawBufferPointer(rebasing: folded[start..<Int(pieces[lastPiece(of: number)].foldedEnd)])
        var score = 0
        var missing: UInt64 = 0
        for word in 0..<words.count {
          let isNear = hits[Int(entries[number].place)] & 1 << UInt64(word) != 0
          if let place = words.place(of: word, in: text) {
            let rank = place == 0 ? 0 : field(first, at: start + place).rank
            score += rank
          } else if isNear {
            score += Field.group.rank
          } else {
            missing |= 1 << UInt64(word)
          }
        }
        body(number, score, missing)
      }
    }
  }

  /// The field that a folded byte is in, which a piece or one behind it has.
  private func field(_ first: Int, at place: Int) -> Field {
    var piece = first
    while Int(pieces[piece].foldedEnd) <= place { piece += 1 }
    return pieces[piece].field
  }

  /// Where words are in the texts of a setting.
  func matches(_ number: Int, _ words: SearchWords) -> [Value] {
    var found: [Value] = []
    for piece in Array(Int(entries[number].first)...lastPiece(of: number)) + groupPieces(number) {
      found += SearchIndex.matches(pieces[piece].field, text(piece), words)
    }
    return found
  }

  static func matches(_ field: Field, _ text: String, _ words: SearchWords, pointer: String = "") -> [Value] {
    text.withBytes { words.places(in: $0) }.map { place in
      var members = MemberList()
      members.add("field", text: field.name)
      members.add("text", text: text)
      members.add("offset", number: place.offset)
      members.add("length", number: place.length)
      if !pointer.utf8.isEmpty { members.add("pointer", text: pointer) }
      return .object(members.all)
    }
  }
}
