import CSystem

extension PageFile {
  private enum NodeFlag {
    static let overflow = 0x01
    static let database = 0x02
  }

  /// The flag of a database whose keys are numbers.
  private static let integerKeys = 0x08
  private static let nodeHeader = 8
  private static let longestKey = 511

  /// Looks at every page of the latest commit, and hands `body` all entries of the databases.
  ///
  /// Each page has to be reached in one way only, or to be listed as free. `body` says what is wrong with an entry.
  ///
  /// - Parameter unnamed: the name that the unnamed database goes by, for what it has beside the records of the named ones.
  public func check(unnamed: String, _ body: (_ database: String, _ key: [UInt8], _ value: RawSpan) -> Void) {
    guard damages.isEmpty else { return }
    pages = latest.lastPage &+ 1
    marks = [UInt8](repeating: 0, count: Int(clamping: pages / 8 &+ 1))
    mark(0, 2)
    if latest.main.flags != 0 || latest.free.flags & 0xFF != Self.integerKeys {
      note(latest.transaction & 1, "describes databases of another kind")
    }
    var names: [(String, Tree)] = []
    walk(latest.main) { key, value, isDatabase in
      guard isDatabase else { return body(unnamed, key, value) }
      guard let name = String(validating: key, as: UTF8.self) else {
        return note(latest.main.root, "holds a database that has no name")
      }
      names.append((name, Self.tree(PageBytes(bytes: value.array), at: 0)))
    }
    databases = names.map { $0.0 }
    for (name, tree) in names {
      walk(tree) { key, value, isDatabase in
        if isDatabase { note(tree.root, "holds a database within a database") }
        body(name, key, value)
      }
    }
    walk(latest.free) { key, value, _ in free(PageBytes(bytes: key), value) }
    marks = []
  }

  /// Marks what the latest commit uses, and not what it lists as free; false if the file is damaged.
  func markUsed() -> Bool {
    guard damages.isEmpty else { return false }
    marks = [UInt8](repeating: 0, count: Int(clamping: latest.lastPage / 8 &+ 1))
    mark(0, 2)
    var trees = [latest.free]
    walk(latest.main) { _, value, isDatabase in
      if isDatabase { trees.append(Self.tree(PageBytes(bytes: value.array), at: 0)) }
    }
    for tree in trees { walk(tree) { _, _, _ in } }
    return damages.isEmpty
  }

  /// Where the values lie in a leaf, but for the records of databases.
  func values(in page: PageBytes, _ number: UInt64) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for node in nodes(of: page, number, isLeaf: true) ?? [] where node.flags == 0 {
      let start = node.offset + Self.nodeHeader + node.keySize
      found.append(start..<start + node.size)
    }
    return found
  }

  /// A value that the unnamed database had before the latest commit, if that is in truth the one after it; notes nothing.
  ///
  /// Each commit lists the pages that it gives up under its own number. Its number on the root page is another one if that
  /// is damaged, or if LMDB failed to finish the commit: a lower one hides it, and a higher one lets it hide the commit after
  /// it. Commits that came later may have written over the pages of an earlier one: those list numbers of their own.
  public func hiddenValue(of key: [UInt8]) -> [UInt8]? {
    let known = damages
    defer { damages = known }
    let number = numberListed(in: former.free)
    let isHidden =
      number == latest.transaction &+ 1
      || number == former.transaction && number != 0 && numberListed(in: latest.free) == number &- 1
    guard isHidden else { return nil }
    marks = [UInt8](repeating: 0, count: Int(clamping: latest.lastPage / 8 &+ 1))
    defer { marks = [] }
    var found: [UInt8]?
    walk(former.main) { name, value, isDatabase in
      if !isDatabase, name == key { found = value.array }
    }
    return damages.count == known.count ? found : nil
  }

  /// The greatest number of a commit in a list of free pages; 0 if that is empty.
  private func numberListed(in list: Tree) -> UInt64 {
    marks = [UInt8](repeating: 0, count: Int(clamping: latest.lastPage / 8 &+ 1))
    defer { marks = [] }
    var number: UInt64 = 0
    walk(list) { key, _, _ in number = max(number, PageBytes(bytes: key).word(0)) }
    return number
  }

  /// Notes pages as accounted for; false, with a note, if one was already or does not exist.
  @discardableResult
  private func mark(_ first: UInt64, _ count: UInt64) -> Bool {
    let end = first.addingReportingOverflow(count)
    guard !end.overflow, end.partialValue <= latest.lastPage &+ 1 else {
      note(first, "is beyond the last page")
      return false
    }
    for page in first..<end.partialValue {
      let bit: UInt8 = 1 << UInt8(page & 7)
      guard marks[Int(page >> 3)] & bit == 0 else {
        note(page, "is used twice")
        return false
      }
      marks[Int(page >> 3)] |= bit
    }
    return true
  }

  /// A row of the list of free pages: how many, and their numbers, falling.
  private func free(_ key: PageBytes, _ value: RawSpan) {
    let list = PageBytes(bytes: value.array)
    let count = list.word(0)
    guard key.word(0) <= latest.transaction, count <= UInt64(list.bytes.count / Self.word - 1) else {
      return note(latest.free.root, "holds a list of free pages that is none")
    }
    var last = UInt64.max
    for index in 0..<Int(count) {
      let page = list.word((index + 1) * Self.word)
      guard page < last else { return note(latest.free.root, "holds a list of free pages that is not in order") }
      last = page
      if mark(page, 1) { freePages &+= 1 }
    }
  }

  private func walk(_ tree: Tree, _ body: (_ key: [UInt8], _ value: RawSpan, _ isDatabase: Bool) -> Void) {
    guard !tree.isEmpty else {
      if tree.entries != 0 || tree.depth != 0 { note(0, "describes a database without pages that has entries") }
      return
    }
    var count = Count()
    let hasNumbers = tree.flags & Self.integerKeys != 0
    descend(Place(page: tree.root, depth: tree.depth, low: nil, high: nil), hasNumbers, &count, body)
    if count.isWhole,
      count.entries != tree.entries || count.branches != tree.branches || count.leaves != tree.leaves
        || count.overflows != tree.overflows
    {
      note(tree.root, "begins a database that has other numbers of entries or pages than its record says")
    }
  }

  private struct Count {
    var entries: UInt64 = 0
    var branches: UInt64 = 0
    var leaves: UInt64 = 0
    var overflows: UInt64 = 0
    var isWhole = true
  }

  /// A page of a tree, and between which keys its own have to be.
  private struct Place {
    var page: UInt64
    var depth: Int
    var low, high: [UInt8]?
  }

  private func descend(
    _ place: Place, _ hasNumbers: Bool, _ count: inout Count,
    _ body: (_ key: [UInt8], _ value: RawSpan, _ isDatabase: Bool) -> Void
  ) {
    let before = damages.count
    defer { if damages.count > before { count.isWhole = false } }
    guard place.depth > 0, place.depth <= 32 else { return note(place.page, "is deeper than its tree") }
    guard mark(place.page, 1), let page = read(place.page, pageSize) else { return }
    let isLeaf = place.depth == 1
    guard page.word(0) == place.page, page.u16(Self.word + 2) == (isLeaf ? PageFlag.leaf : PageFlag.branch) else {
      return note(place.page, "is not the page that it has to be")
    }
    guard let nodes = nodes(of: page, place.page, isLeaf: isLeaf) else { return }
    if collectsTails {
      // Between the places of its entries and the entries.
      let gap = page.u16(Self.word + 4)..<page.u16(Self.word + 6)
      if page.bytes[gap].contains(where: { $0 != 0 }) { tails.append((place.page, gap)) }
    }
    var last = place.low
    if isLeaf { count.leaves &+= 1 } else { count.branches &+= 1 }
    for (index, node) in nodes.enumerated() {
      let isFirstBranch = !isLeaf && index == 0
      let key = Array(page.bytes[node.offset + Self.nodeHeader..<node.offset + Self.nodeHeader + node.keySize])
      if !isFirstBranch {
        guard isInOrder(last, key, hasNumbers, mayEqual: index == 0 || (!isLeaf && index == 1)),
          place.high.map({ isInOrder(key, $0, hasNumbers, mayEqual: false) }) ?? true
        else { return note(place.page, "holds keys that are not in order") }
        last = key
      }
      if isLeaf {
        count.entries &+= 1
        entry(page, node, key, place.page, &count, body)
      } else {
        let next = index + 1 < nodes.count ? nodes[index + 1] : nil
        let high = next.map { next in
          Array(page.bytes[next.offset + Self.nodeHeader..<next.offset + Self.nodeHeader + next.keySize])
        }
        let child = Place(
          page: node.number, depth: place.depth - 1, low: isFirstBranch ? place.low : key, high: high ?? place.high)
        descend(child, hasNumbers, &count, body)
      }
    }
  }

  /// Hands on an entry of a leaf, from the page itself or from pages of its own.
  private func entry(
    _ page: PageBytes, _ node: Node, _ key: [UInt8], _ number: UInt64, _ count: inout Count,
    _ body: (_ key: [UInt8], _ value: RawSpan, _ isDatabase: Bool) -> Void
  ) {
    let start = node.offset + Self.nodeHeader + node.keySize
    switch node.flags {
    case 0, NodeFlag.database:
      let isDatabase = node.flags == NodeFlag.database
      if isDatabase, node.size != 8 + 5 * Self.word { return note(number, "holds a database that is none") }
      page.bytes.withUnsafeBytes { body(key, $0.bytes.extracting(start..<start + node.size), isDatabase) }
    case NodeFlag.overflow:
      let first = page.word(start)
      let needed = (Self.header - 1 + node.size) / pageSize + 1
      guard mark(first, UInt64(needed)), let value = read(first, needed * pageSize) else { return }
      guard value.word(0) == first, value.u16(Self.word + 2) == PageFlag.overflow,
        value.u32(Self.word + 4) == UInt32(needed)
      else { return note(first, "is not the page of a large value that it has to be") }
      count.overflows &+= UInt64(needed)
      if collectsTails, value.bytes[(Self.header + node.size)...].contains(where: { $0 != 0 }) {
        tails.append((first, (Self.header + node.size)..<(needed * pageSize)))
      }
      value.bytes.withUnsafeBytes { body(key, $0.bytes.extracting(Self.header..<Self.header + node.size), false) }
    default: note(number, "holds an entry of an unknown kind")
    }
  }

  private struct Node {
    let offset, flags, keySize, size: Int
    /// The page that a branch leads to.
    let number: UInt64
  }

  /// Where the nodes of a page are, in the order of their keys; nil with a note if they are not within it.
  private func nodes(of page: PageBytes, _ number: UInt64, isLeaf: Bool) -> [Node]? {
    let lower = page.u16(Self.word + 4)
    let upper = page.u16(Self.word + 6)
    let count = (lower - Self.header) / 2
    guard lower >= Self.header, lower & 1 == 0, lower <= upper, upper <= pageSize, count >= (isLeaf ? 1 : 2) else {
      note(number, "has bounds that cannot be")
      return nil
    }
    var nodes: [Node] = []
    nodes.reserveCapacity(count)
    var total = upper
    for index in 0..<count {
      let offset = page.u16(Self.header + 2 * index)
      let low = page.u16(offset)
      let high = page.u16(offset + 2)
      let flags = page.u16(offset + 4)
      let keySize = page.u16(offset + 6)
      var size = 0
      var room = 0
      if isLeaf {
        size = low | high << 16
        room = flags == NodeFlag.overflow ? Self.word : size
      }
      let end = offset + Self.nodeHeader + keySize + room
      guard offset >= upper, offset & 1 == 0, end <= pageSize, keySize <= Self.longestKey, keySize > 0 || !isLeaf else {
        note(number, "has an entry that is not within it")
        return nil
      }
      total += (end - offset + 1) & ~1
      var next = UInt64(low | high << 16)
      if Self.word > 4 { next |= UInt64(flags) << 32 }
      nodes.append(Node(offset: offset, flags: flags, keySize: keySize, size: size, number: next))
    }
    guard total == pageSize else {
      note(number, "has entries that overlap")
      return nil
    }
    return nodes
  }

  private func isInOrder(_ left: [UInt8]?, _ right: [UInt8], _ areNumbers: Bool, mayEqual: Bool) -> Bool {
    guard let left else { return true }
    if areNumbers {
      let first = PageBytes(bytes: left).word(0)
      let second = PageBytes(bytes: right).word(0)
      return first < second || (mayEqual && first == second)
    }
    let shared = min(left.count, right.count)
    for index in 0..<shared where left[index] != right[index] { return left[index] < right[index] }
    return left.count < right.count || (mayEqual && left.count == right.count)
  }
}

extension RawSpan {
  var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
