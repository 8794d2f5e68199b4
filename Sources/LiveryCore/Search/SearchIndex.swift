import CSystem

/// The texts of a schema in one language, folded, so that a search only has to look for bytes.
///
/// A text that many settings have is there once; the pieces of a setting, those that count most first, refer to it.
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

  /// A text of a setting.
  private struct Piece: Sendable {
    var field: Field
    var text: UInt32
  }

  struct Entry: Sendable {
    /// The pieces. The first is the title, which may be empty, the second the name.
    fileprivate var first: UInt32
    fileprivate var end: UInt32
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
    var title: UInt32
  }

  /// The texts one behind the other, and where each ends; the same folded, each with a separator.
  private var texts: [UInt8] = []
  private var ends: [UInt32] = []
  private var folded: [UInt8] = []
  private var foldedEnds: [UInt32] = []
  private var pieces: [Piece] = []
  /// In the order of the schema.
  private(set) var entries: [Entry] = []
  private var places: [Place] = []
  /// The entries in the order of their names' bytes, and these names again in that order: a walk through records meets one
  /// after the other.
  private var byName: [Int32] = []
  private var names: [UInt8] = []
  private var nameEnds: [UInt32] = []

  /// That of a store without a schema.
  public init() {}

  /// - Throws: `.noMemory`.
  public init(_ outline: FormOutline, _ translation: Translation) throws(StoreError) {
    var making = Making(translation: translation)
    for group in outline.groups {
      let place = try addPlace(group.heading, outer: -1, &making)
      try add(group.elements, place, isHidden: group.heading.isHidden, &making)
    }
    let index = self
    for number in sortedOrder(of: entries.count, { index.precedes($0, $1) }) {
      byName.append(Int32(number))
      names += texts[range(nameText(number))]
      nameEnds.append(UInt32(names.count))
    }
  }

  /// How much memory it takes, about.
  public var size: Int {
    texts.count + folded.count + names.count + ends.count * 8 + pieces.count * MemoryLayout<Piece>.stride
      + entries.count * (MemoryLayout<Entry>.stride + 8)
  }

  // MARK: Making

  /// What is needed while an index is made.
  private struct Making {
    let translation: Translation
    var buffer = FoldBuffer()
    /// The schema's own texts, and which text each became.
    var sources = ByteIndex()
    var numbers: [UInt32] = []
    var growth = Memory.Growth()
  }

  /// Adds a text as it is.
  private mutating func add(_ text: String, _ making: inout Making) throws(StoreError) -> UInt32 {
    let most = texts.count + folded.count + text.utf8.count * (2 + LVS_FOLD_MOST)
    guard most < Int(UInt32.max), making.growth.allows(most) else { throw Memory.shortage(of: most) }
    making.buffer.clear()
    text.withSpan { making.buffer.append($0) }
    making.buffer.appendSeparator()
    texts.append(text)
    making.buffer.withSpan { $0.withUnsafeBytes { folded.append(contentsOf: $0) } }
    ends.append(UInt32(texts.count))
    foldedEnds.append(UInt32(folded.count))
    return UInt32(ends.count - 1)
  }

  /// Adds a text that the language may have another for, unless it is there.
  private mutating func addTranslated(_ source: String, _ making: inout Making) throws(StoreError) -> UInt32 {
    let (number, isNew) = making.sources.insert(source)
    if isNew { making.numbers.append(try add(making.translation(source), &making)) }
    return making.numbers[number]
  }

  private mutating func addPlace(
    _ heading: FormOutline.Heading, outer: Int32, _ making: inout Making
  ) throws(StoreError) -> Int32 {
    places.append(Place(outer: outer, title: try addTranslated(heading.title ?? "", &making)))
    return Int32(places.count - 1)
  }

  private mutating func add(
    _ elements: [FormOutline.Element], _ place: Int32, isHidden: Bool, _ making: inout Making
  ) throws(StoreError) {
    for element in elements {
      switch element {
      case .header: break
      case .pane(let heading, let inner):
        let pane = try addPlace(heading, outer: place, &making)
        try add(inner, pane, isHidden: isHidden || heading.isHidden, &making)
      case .setting(let setting): try add(setting.descriptor, place, isHidden: isHidden, &making)
      }
    }
  }

  private mutating func add(
    _ descriptor: SettingDescriptor, _ place: Int32, isHidden: Bool, _ making: inout Making
  ) throws(StoreError) {
    var entry = Entry(
      first: UInt32(pieces.count), end: 0, place: place, kind: descriptor.kind,
      isHidden: isHidden || descriptor.isHidden, isSecret: descriptor.isSecret, holdsSecret: descriptor.holdsSecret,
      hasTitle: descriptor.title != nil)
    pieces.append(Piece(field: .title, text: try addTranslated(descriptor.title ?? "", &making)))
    pieces.append(Piece(field: .name, text: try add(descriptor.key, &making)))
    for alias in descriptor.aliases { pieces.append(Piece(field: .alias, text: try add(alias, &making))) }
    for option in descriptor.options {
      pieces.append(Piece(field: .option, text: try addTranslated(option.title, &making)))
    }
    let rest: [(Field, String?)] = [
      (.description, descriptor.description), (.placeholder, descriptor.placeholder), (.unit, descriptor.unit),
    ]
    for (field, text) in rest {
      if let text { pieces.append(Piece(field: field, text: try addTranslated(text, &making))) }
    }
    entry.end = UInt32(pieces.count)
    entries.append(entry)
  }

  // MARK: Looking

  /// Where a text is, as it is written.
  private func range(_ text: Int) -> Range<Int> { (text == 0 ? 0 : Int(ends[text - 1]))..<Int(ends[text]) }

  private func text(_ number: Int) -> String {
    String(decoding: texts[range(number)], as: UTF8.self)
  }

  private func titleText(_ number: Int) -> Int { Int(pieces[Int(entries[number].first)].text) }

  private func nameText(_ number: Int) -> Int { Int(pieces[Int(entries[number].first) + 1].text) }

  func name(_ number: Int) -> String { text(nameText(number)) }

  func title(_ number: Int) -> String? { entries[number].hasTitle ? text(titleText(number)) : nil }

  /// The titles of a setting's group and of the panes that it is in, from without.
  func groupTitles(_ number: Int) -> [String] {
    groupTexts(number).map { text($0) }
  }

  private func groupTexts(_ number: Int) -> [Int] {
    var found: [Int] = []
    var place = entries[number].place
    while place >= 0 {
      found.append(Int(places[Int(place)].title))
      place = places[Int(place)].outer
    }
    return found.reversed().filter { !range($0).isEmpty }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let texts = texts.span.bytes
    return order(texts.extracting(range(nameText(left))), texts.extracting(range(nameText(right)))) < 0
  }

  /// The setting of a name, where names are asked for in their order.
  ///
  /// - Parameter next: where the last one left off; 0 for the first.
  func number(of name: RawSpan, after next: inout Int) -> Int? {
    let names = names.span.bytes
    while next < byName.count {
      let start = next == 0 ? 0 : Int(nameEnds[next - 1])
      let order = order(names.extracting(start..<Int(nameEnds[next])), name)
      if order > 0 { return nil }
      next += 1
      if order == 0 { return Int(byName[next - 1]) }
    }
    return nil
  }

  private func order(_ left: RawSpan, _ right: RawSpan) -> Int {
    let order = left.withUnsafeBytes { left in
      right.withUnsafeBytes { right -> Int32 in
        guard let a = left.baseAddress, let b = right.baseAddress else { return 0 }
        return memcmp(a, b, min(left.count, right.count))
      }
    }
    return order != 0 ? Int(order) : left.byteCount - right.byteCount
  }

  /// Which words each text has, and which it begins with.
  private struct Hits {
    var found: [UInt64]
    var first: [UInt64]
  }

  /// What a search takes of memory, beside what it finds.
  var searchSize: Int { ends.count * 16 + places.count * 8 + entries.count * 10 }

  private func hits(_ words: SearchWords) -> Hits {
    var hits = Hits(
      found: [UInt64](repeating: 0, count: ends.count), first: [UInt64](repeating: 0, count: ends.count))
    let folded = folded.span.bytes
    for word in 0..<words.count {
      let bit: UInt64 = 1 << UInt64(word)
      var from = 0
      var text = 0
      while from < folded.byteCount,
        let place = words.place(of: word, in: folded.extracting(from..<folded.byteCount))
      {
        let place = from + place
        while Int(foldedEnds[text]) <= place { text += 1 }
        hits.found[text] |= bit
        if place == (text == 0 ? 0 : Int(foldedEnds[text - 1])) { hits.first[text] |= bit }
        // Once is enough.
        from = Int(foldedEnds[text])
      }
    }
    return hits
  }

  /// Looks for words in the texts of every setting: hands `body` its number, what the words that it contains count
  /// together, and which it lacks.
  func look(for words: SearchWords, _ body: (Int, _ score: Int, _ missing: UInt64) -> Void) {
    let hits = hits(words)
    var around = [UInt64](repeating: 0, count: places.count)
    for (number, place) in places.enumerated() {
      // A pane comes after what is around it.
      around[number] = hits.found[Int(place.title)] | (place.outer < 0 ? 0 : around[Int(place.outer)])
    }
    for (number, entry) in entries.enumerated() {
      var score = 0
      var missing = words.all
      for place in Int(entry.first)..<Int(entry.end) {
        let piece = pieces[place]
        var found = hits.found[Int(piece.text)] & missing
        guard found != 0 else { continue }
        missing &= ~found
        // What a title begins with counts most.
        if piece.field == .title { found &= ~hits.first[Int(piece.text)] }
        score += found.nonzeroBitCount * piece.field.rank
      }
      let outside = around[Int(entry.place)] & missing
      body(number, score + outside.nonzeroBitCount * Field.group.rank, missing & ~outside)
    }
  }

  /// Where words are in the texts of a setting.
  func matches(_ number: Int, _ words: SearchWords) -> [Value] {
    var found: [Value] = []
    for piece in pieces[Int(entries[number].first)..<Int(entries[number].end)] {
      found += SearchIndex.matches(piece.field, text(Int(piece.text)), words)
    }
    for title in groupTexts(number) { found += SearchIndex.matches(.group, text(title), words) }
    return found
  }

  /// What it takes of memory to tell of a setting's matches, about: each text is there, and folded.
  func matchSize(_ number: Int) -> Int {
    var length = 0
    for piece in pieces[Int(entries[number].first)..<Int(entries[number].end)] {
      length += range(Int(piece.text)).count
    }
    for title in groupTexts(number) { length += range(title).count }
    return length * (2 + LVS_FOLD_MOST)
  }

  static func matches(_ field: Field, _ text: String, _ words: SearchWords, pointer: String = "") -> [Value] {
    text.withSpan { words.places(in: $0) }.map { place in
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
