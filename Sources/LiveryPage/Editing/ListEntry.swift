import LiveryClient
import LiveryHTTP

/// The items of a list as a request has them, on their way to be saved or to be drawn again.
///
/// Controls are sent by their places: `m:0.2` is the third member of the first item, `m:0.2.1.0` the first member of the second
/// item of a list that is that member. `n:` has the number of items of a list, `o:` the place that an item had.
struct ListEntry: Sendable {
  struct Item: Sendable {
    /// Where it comes from; nil for a new one.
    var origin: Origin?
    var members: [Member]
    /// The places of members that have to be typed or chosen again.
    var missing: [Int] = []

    /// Whether a member held what does not travel to the browser, and is not where it was any more.
    func hasLost(_ member: Int) -> Bool {
      guard let origin, origin.place == nil else { return false }
      return origin.kept.contains(member)
    }
  }

  /// What an item was among the stored ones: for its secrets, and what else does not travel to the browser.
  struct Origin: Sendable {
    /// nil where it is not among them any more.
    var place: Int?
    /// Of what a browser may see of it.
    var fingerprint: String
    /// The places of members that held what does not travel to the browser.
    var kept: [Int]

    init(_ place: Int, _ item: Value, kept: [Int]) {
      self.place = place
      fingerprint = Origin.fingerprint(item)
      self.kept = kept
    }

    /// As it is sent: `PLACE.FINGERPRINT`, and `.MEMBER` for each that is kept.
    init?(_ text: String?) {
      guard let parts = text?.utf8.split(separator: UInt8(ascii: ".")), parts.count >= 2 else { return nil }
      place = Int(String(decoding: parts[0], as: UTF8.self))
      fingerprint = String(decoding: parts[1], as: UTF8.self)
      kept = parts[2...].compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    var text: String {
      kept.reduce("\(place.map { $0.description } ?? "?").\(fingerprint)") { "\($0).\($1)" }
    }

    static func fingerprint(_ item: Value) -> String { LiveryPage.fingerprint(((try? item.jsonText()) ?? "").utf8) }
  }

  enum Member: Sendable {
    case text(String)
    /// What was uploaded for a member that holds data.
    case bytes([UInt8])
    case list(ListEntry)
  }

  var template: [Element]
  var items: [Item] = []
  /// Whether the request had the number of items of each list.
  private(set) var isWhole = true

  /// More items than these, in all lists together, are not taken from a request.
  static let limit = 10_000

  /// Of a list of plain values the template is one control without name.
  static func isPlain(_ template: [Element]) -> Bool {
    template.count == 1 && template[0].name.isEmpty
  }

  /// The members of an item: panes and headings structure what people see, and not what is stored.
  static func members(of template: [Element]) -> [Element] {
    template.flatMap { (element) -> [Element] in
      switch element.kind {
      case .header: []
      case .pane: members(of: element.elements)
      default: [element]
      }
    }
  }

  /// As it is stored.
  init(_ shown: [Element], stored: Value?) {
    let template = ListEntry.members(of: shown)
    self.template = template
    for (place, item) in (stored?.items ?? []).enumerated() {
      var kept: [Int] = []
      let members = template.enumerated().map { (index, member) -> Member in
        let value = ListEntry.isPlain(template) ? item : item[member.name]
        if member.kind == .list { return .list(ListEntry(member.template, stored: value)) }
        // Of a secret there is only whether it has a text.
        if member.isKept, let value, value != .bool(false) { kept.append(index) }
        return .text(member.isKept ? "" : member.shown(value))
      }
      items.append(Item(origin: Origin(place, item, kept: kept), members: members))
    }
  }

  /// As it came back.
  init(_ shown: [Element], _ fields: FieldTable) {
    var budget = ListEntry.limit
    self.init(shown, fields, at: "", &budget)
  }

  private init(_ shown: [Element], _ fields: FieldTable, at path: String, _ budget: inout Int) {
    let template = ListEntry.members(of: shown)
    self.template = template
    let lead = path.isEmpty ? "" : path + "."
    guard let count = Int(fields["n:" + path] ?? ""), count >= 0 else {
      isWhole = false
      return
    }
    // What is more is not to be lost for that.
    guard count <= budget else {
      isWhole = false
      return
    }
    for place in 0..<count {
      // Lists in items have used it up.
      guard budget > 0 else {
        isWhole = false
        return
      }
      budget -= 1
      var members: [Member] = []
      for (index, member) in template.enumerated() {
        let key = "\(lead)\(place).\(index)"
        if member.kind == .list {
          let inner = ListEntry(member.template, fields, at: key, &budget)
          if !inner.isWhole { isWhole = false }
          members.append(.list(inner))
        } else {
          members.append(.text(member.sent(fields.values("m:" + key))))
        }
      }
      items.append(Item(origin: Origin(fields["o:\(lead)\(place)"]), members: members))
    }
  }

  /// An item as it begins: with the defaults of its members.
  var fresh: Item {
    Item(
      origin: nil,
      members: template.map {
        $0.kind == .list ? .list(ListEntry($0.template, stored: $0.defaultValue)) : .text($0.shown($0.defaultValue))
      })
  }

  /// Carries out what a button asks for: `add:PATH`, `remove:PATH`, `up:PATH`, `down:PATH`. Whether it is one of these.
  mutating func carryOut(_ operation: String) -> Bool {
    for verb in ["add", "remove", "up", "down"] {
      guard let rest = operation.after(verb + ":") else { continue }
      apply(verb, at: rest.isEmpty ? [] : Form.path(rest) ?? [])
      return true
    }
    return false
  }

  /// Takes what was uploaded: images become assets.
  mutating func take(_ files: [Upload], _ store: Store) throws(StoreError) {
    for file in files where !file.bytes.isEmpty {
      guard let place = file.name.after("f:").flatMap({ Form.path($0) }) else { continue }
      try put(at: place) { (element) throws(StoreError) in
        element.kind == .data ? .bytes(file.bytes) : .text(try store.assets.put(file.bytes))
      }
    }
  }

  private mutating func apply(_ verb: String, at path: [Int]) {
    if path.isEmpty {
      if verb.sameBytes(as: "add"), items.count < ListEntry.limit { items.append(fresh) }
      return
    }
    let place = path[0]
    guard items.indices.contains(place) else { return }
    if path.count == 1 {
      switch verb {
      case "remove": items.remove(at: place)
      case "up" where place > 0: items.swapAt(place, place - 1)
      case "down" where place + 1 < items.count: items.swapAt(place, place + 1)
      default: break
      }
      return
    }
    let member = path[1]
    guard items[place].members.indices.contains(member), case .list(var inner) = items[place].members[member] else {
      return
    }
    inner.apply(verb, at: Array(path.dropFirst(2)))
    items[place].members[member] = .list(inner)
  }

  /// Puts what was uploaded where that was done.
  private mutating func put(
    at path: [Int], _ upload: (Element) throws(StoreError) -> Member
  ) throws(StoreError) {
    guard path.count >= 2, items.indices.contains(path[0]), template.indices.contains(path[1]),
      items[path[0]].members.indices.contains(path[1])
    else { return }
    if case .list(var inner) = items[path[0]].members[path[1]] {
      try inner.put(at: Array(path.dropFirst(2)), upload)
      items[path[0]].members[path[1]] = .list(inner)
    } else {
      items[path[0]].members[path[1]] = try upload(template[path[1]])
    }
  }

  /// Finds the items among those that are stored by now. One whose like is not there, or there in another number, has lost what
  /// a browser does not know of it.
  mutating func relocate(to stored: Value?) {
    let now = stored?.items ?? []
    var free: [[UInt8]: [Int]] = [:]
    for (place, item) in now.enumerated() { free[Array(Origin.fingerprint(item).utf8), default: []].append(place) }
    var wanted: [[UInt8]: Int] = [:]
    for item in items {
      if let origin = item.origin { wanted[Array(origin.fingerprint.utf8), default: 0] += 1 }
    }
    var taken: [[UInt8]: Int] = [:]
    for index in items.indices {
      var old: Value?
      if let origin = items[index].origin {
        let key = Array(origin.fingerprint.utf8)
        let places = free[key] ?? []
        let next = taken[key, default: 0]
        taken[key] = next + 1
        let isClear = places.count == wanted[key]
        items[index].origin?.place = isClear ? places[next] : nil
        old = isClear ? now[places[next]] : nil
      }
      for (place, element) in template.enumerated() {
        guard case .list(var inner) = items[index].members[place] else { continue }
        inner.relocate(to: old?[element.name])
        items[index].members[place] = .list(inner)
      }
    }
  }

  /// Whether something that stays where it is would be needed of an item that is not there any more.
  var lacksWhatItKept: Bool {
    items.contains { (item) in
      zip(template, item.members).enumerated().contains { (place, pair) in
        switch pair.1 {
        case .list(let inner): inner.lacksWhatItKept
        case .text(let text): pair.0.isKept && text.isEmpty && item.hasLost(place)
        case .bytes: false
        }
      }
    }
  }

  /// Notes which members have to be typed or chosen again, since what they held is not where it was, or is not sent back.
  ///
  /// - Parameter keepsTyped: whether the browser still has what was typed for secrets.
  mutating func noteMissing(keepsTyped: Bool) {
    for index in items.indices {
      items[index].missing = []
      for (place, element) in template.enumerated() {
        var isMissing = false
        switch items[index].members[place] {
        case .list(var inner):
          inner.noteMissing(keepsTyped: keepsTyped)
          items[index].members[place] = .list(inner)
        case .text(let text) where element.isKept:
          isMissing = text.isEmpty ? items[index].hasLost(place) : !keepsTyped
        case .text: break
        case .bytes: isMissing = true
        }
        if isMissing { items[index].missing.append(place) }
      }
    }
  }

  /// Whether something was typed that is not sent back.
  var hasTypedSecrets: Bool {
    items.contains { (item) in
      zip(template, item.members).contains { (element, member) in
        switch member {
        case .list(let inner): inner.hasTypedSecrets
        case .text(let text): element.kind == .secret && !text.isEmpty
        case .bytes: false
        }
      }
    }
  }

  /// The same of what was uploaded.
  var hasUploads: Bool {
    items.contains { (item) in
      item.members.contains { (member) in
        switch member {
        case .list(let inner): inner.hasUploads
        case .text: false
        case .bytes: true
        }
      }
    }
  }

  /// Whether it shows what is stored, and nothing was typed for what does not travel to the browser.
  func shows(_ stored: Value?) -> Bool {
    let shown = ListEntry(template, stored: stored)
    guard items.count == shown.items.count else { return false }
    for (place, item) in items.enumerated() {
      for (index, member) in item.members.enumerated() {
        switch (member, shown.items[place].members[index]) {
        case (.list(let inner), .list):
          let old = stored?.items?[place]
          if !inner.shows(ListEntry.isPlain(template) ? old : old?[template[index].name]) { return false }
        case (.text(let text), .text(let old)):
          if !text.sameBytes(as: old) || template[index].isKept && item.origin?.place != place { return false }
        default: return false
        }
      }
    }
    return true
  }

  /// What the library is given. Secrets that nothing was typed for are those of the stored list, and what nobody has touched is as
  /// it was set: a member that was not stays with its default, whatever that will be.
  ///
  /// - Parameters:
  ///   - stored: what is read: items with the defaults of their members.
  ///   - set: the same items without these.
  func value(keeping stored: Value?, set: Value?) -> Value {
    value(keeping: stored, set: set, leavesDefaults: true)
  }

  /// All that is shown, as an answer to a prompt has it.
  var valueShown: Value { value(keeping: nil, set: nil, leavesDefaults: false) }

  private func value(keeping stored: Value?, set: Value?, leavesDefaults: Bool) -> Value {
    let former = stored?.items ?? []
    let formerSet = set?.items ?? []
    return .list(
      items.map { (item) -> Value in
        let place = item.origin?.place.flatMap { former.indices.contains($0) ? $0 : nil }
        let old = place.map { former[$0] }
        let kept = place.map { formerSet.count == former.count ? formerSet[$0] : former[$0] }
        if ListEntry.isPlain(template) {
          switch item.members.first {
          case .text(let text)?: return value(template[0], text, old, old, in: old) ?? template[0].value(for: text)
          case .bytes(let bytes)?: return .data(bytes)
          default: break
          }
        }
        var members: [Value.Member] = []
        for (element, member) in zip(template, item.members) {
          switch member {
          case .list(let inner):
            let (was, wasSet) = (old?[element.name], kept?[element.name])
            let beginsWith = old == nil ? element.defaultValue : was
            if leavesDefaults, wasSet == nil, !element.isRequired, beginsWith != nil, inner.shows(beginsWith) {
              continue
            }
            let value = inner.value(
              keeping: was, set: wasSet ?? element.defaultValue ?? was, leavesDefaults: leavesDefaults)
            members.append(.init(element.name, value))
          case .bytes(let bytes): members.append(.init(element.name, .data(bytes)))
          case .text(let text):
            if leavesDefaults, old == nil, element.isLeft(text) { continue }
            if let value = value(element, text, old?[element.name], kept?[element.name], in: old) {
              members.append(.init(element.name, value))
            }
          }
        }
        // What no control stands for stays as it is.
        if case .object(let others)? = kept {
          for other in others where !template.contains(where: { $0.name.sameBytes(as: other.key) }) {
            members.append(other)
          }
        }
        return .object(members)
      })
  }

  /// nil where nothing was typed and that is no value of the type, or there was none before.
  private func value(_ element: Element, _ text: String, _ old: Value?, _ kept: Value?, in item: Value?) -> Value? {
    // What nobody has touched stays as it is: missing, or with other ends of lines than browsers send.
    if item != nil, !element.isKept, text.sameBytes(as: element.shown(old)) { return kept }
    switch element.kind {
    case .secret: return text.isEmpty ? kept : .string(text)
    case .data: return kept
    case .text, .url, .toggle, .choices: return element.value(for: text)
    case .image: return text.isEmpty ? nil : .image(text)
    default: return text.isEmpty ? nil : element.value(for: text)
    }
  }
}

extension Element {
  /// Whether what is stored never travels to the browser, and stays unless something else comes.
  fileprivate var isKept: Bool { kind == .secret || kind == .data }

  /// What is said where it has to come again.
  var wordForAgain: Word { kind == .data ? .fileAgain : .secretAgain }

  /// Whether a new item leaves it to the default that it began with.
  fileprivate func isLeft(_ text: String) -> Bool {
    guard !isRequired, !isKept, let defaultValue else { return false }
    return text.sameBytes(as: shown(defaultValue))
  }
}
