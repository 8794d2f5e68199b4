extension Value {
  /// Checks that a value built by hand is one that a store can hold.
  ///
  /// Errors: `.invalidValue` for a number that is not finite, a malformed URL or image reference, a date outside the years
  /// 1 to 9999, a color component outside 0 to 1, a key twice in an object or with a NUL, nesting deeper than
  /// `maximumDepth`, more than `maximumSize` bytes. The message has the JSON pointer of the part.
  public func check() throws(StoreError) {
    // Size first: it bounds the work of the rest, also when parts are shared many times over.
    var budget = Value.maximumSize
    let depth = depth(limit: Value.maximumDepth + 1, budget: &budget)
    guard budget <= 0 || depth <= Value.maximumDepth else {
      throw StoreError(.invalidValue, "the value is \(Value.tooDeep)")
    }
    guard budget > 0, encodedSize <= Value.maximumSize else {
      throw StoreError(.invalidValue, "the value is larger than \(Value.maximumSize) bytes")
    }
    do {
      try checkParts()
    } catch {
      throw StoreError(.invalidValue, error.message)
    }
  }

  /// What is said of what nests too deep.
  static var tooDeep: String { "nested deeper than \(maximumDepth) levels" }

  private func checkParts() throws(Misfit) {
    switch self {
    case .bool, .int, .string, .data, .sealed: return
    case .double(let number):
      guard number.isFinite else { throw Misfit("the number is not finite") }
    case .url(let text):
      guard text.utf8.isEmpty || isAbsoluteURL(text) else {
        throw Misfit("`\(truncated(text, to: 80))` is not an absolute URL")
      }
    case .date(let date):
      guard date.isValid else { throw Misfit("the date is outside the years 1 to 9999") }
    case .color(let color):
      guard color.isValid else { throw Misfit("a component of the color is not a number from 0 to 1") }
    case .image(let text):
      guard isImageReference(text) else {
        throw Misfit("an image reference has 1 to 1024 bytes and no control characters")
      }
    case .list(let items):
      for (index, item) in items.enumerated() {
        do {
          try item.checkParts()
        } catch {
          throw error.within(String(index))
        }
      }
    case .object(let members):
      try Value.checkKeys(members)
      for member in members {
        do {
          try member.value.checkParts()
        } catch {
          throw error.within(member.key)
        }
      }
    }
  }

  private static func checkKeys(_ members: [Member]) throws(Misfit) {
    for member in members where member.key.utf8.contains(0) {
      throw Misfit("the key of a member contains a NUL").within(truncated(member.key, to: 80))
    }
    guard members.count > 1 else { return }
    let sorted = members.sortedByKey()
    for index in 1..<sorted.count where sorted[index].key.sameBytes(as: sorted[index - 1].key) {
      throw Misfit("the key is there twice").within(sorted[index].key)
    }
  }

  /// The nesting of lists and objects: 0 for a scalar, 1 for a list of scalars. Counting stops at `maximumDepth` + 1, which
  /// a value of more parts than `maximumSize` allows also gets.
  public var depth: Int {
    var budget = Value.maximumSize
    return depth(limit: Value.maximumDepth + 1, budget: &budget)
  }

  private func depth(limit: Int, budget: inout Int) -> Int {
    budget -= 1
    guard budget > 0 else { return limit }
    var deepest = -1
    switch self {
    case .list(let items):
      deepest = 0
      guard limit > 1 else { return limit }
      for item in items where deepest < limit - 1 {
        deepest = max(deepest, item.depth(limit: limit - 1, budget: &budget))
      }
    case .object(let members):
      deepest = 0
      guard limit > 1 else { return limit }
      for member in members where deepest < limit - 1 {
        deepest = max(deepest, member.value.depth(limit: limit - 1, budget: &budget))
      }
    default: break
    }
    return deepest + 1
  }

  /// The bytes that the value takes as stored, without the record's header. Counting stops once it is past `maximumSize`.
  public var encodedSize: Int {
    switch self {
    case .bool: return 1
    case .int, .double, .date: return 8
    case .color: return 16
    case .string(let text), .url(let text), .image(let text): return text.utf8.count
    case .data(let bytes): return bytes.count
    case .sealed(let sealed): return sealed.bytes.count
    case .list, .object:
      var size = 0
      CBOR.addSize(of: self, to: &size, limit: Value.maximumSize)
      return size
    }
  }
}
