extension Value {
  /// The value as another type, where nothing is lost; nil where it does not convert. The only coercion there is: reads,
  /// changes and migrations all go through here.
  ///
  /// | from → to | bool | int | double | string | data | url | date | color | image |
  /// |---|---|---|---|---|---|---|---|---|---|
  /// | int | – | = | if exact | – | – | – | – | – | – |
  /// | double | – | if whole and in range | = | – | – | – | – | – | – |
  /// | string | 1 true yes 0 false no | whole decimal in range | finite decimal | = | base64 | empty or absolute URL | RFC 3339 | #RGB #RRGGBB #RRGGBBAA | if a reference |
  /// | url, image | – | – | – | same text | – | = / empty or absolute URL | – | – | if a reference / = |
  ///
  /// Truth values are read in any ASCII letter case. In range is what an Int64 holds. A reference to an image is 1 to 1,024
  /// bytes without control characters. All types convert to themselves; lists and objects to nothing else.
  ///
  /// Corresponds to the `livery_value_as_*` and `livery_get_*` functions in C.
  public func coerced(to type: ValueType) -> Value? {
    if type == self.type { return isSealed ? nil : self }
    switch (self, type) {
    case (.int(let number), .double): return Double(exactly: number).map { .double($0) }
    case (.double(let number), .int): return Int64(exactly: number).map { .int($0) }
    case (.string(let text), _): return Value.spelled(text, as: type)
    case (.url(let text), .string), (.image(let text), .string): return .string(text)
    case (.url(let text), .image): return isImageReference(text) ? .image(text) : nil
    case (.image(let text), .url): return text.utf8.isEmpty || isAbsoluteURL(text) ? .url(text) : nil
    default: return nil
    }
  }

  private static func spelled(_ text: String, as type: ValueType) -> Value? {
    switch type {
    case .bool: truth(text).map { .bool($0) }
    case .int: Numbers.parseInt(text).map { .int($0) }
    case .double: Numbers.parseDouble(text).map { .double($0) }
    case .string: .string(text)
    case .data: Base64.decode(text).map { .data($0) }
    case .url: text.utf8.isEmpty || isAbsoluteURL(text) ? .url(text) : nil
    case .date: Timestamp(rfc3339: text).map { .date($0) }
    case .color: Color(hex: text).map { .color($0) }
    case .image: isImageReference(text) ? .image(text) : nil
    case .list, .object: nil
    }
  }

  private static func truth(_ text: String) -> Bool? {
    guard text.utf8.count <= 5 else { return nil }
    let lower = text.utf8.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
    func spells(_ word: StaticString) -> Bool {
      word.withUTF8Buffer { $0.elementsEqual(lower) }
    }
    if spells("1") || spells("true") || spells("yes") { return true }
    if spells("0") || spells("false") || spells("no") { return false }
    return nil
  }
}
