extension Fields {
  /// The most fields of a request.
  package static let most = 20_000

  /// application/x-www-form-urlencoded; nil if it is not UTF-8, or too many.
  package init?(urlEncoded bytes: ArraySlice<UInt8>) {
    var rest: ArraySlice<UInt8>? = bytes
    while let part = rest {
      let (field, next) = part.cut(at: .ampersand)
      rest = next
      if field.isEmpty { continue }
      guard all.count < Fields.most else { return nil }
      let (name, value) = field.cut(at: .equals)
      guard let name = Fields.decode(name), let value = Fields.decode(value ?? []) else { return nil }
      all.append((name: name, value: value))
    }
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
    Percent.decode(bytes, isForm: true)?[...].text
  }
}

/// A header with parameters: `form-data; name="a"; filename="b"`.
package struct Parameters {
  package var value: ArraySlice<UInt8>
  private var all: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

  /// nil if it is malformed, or has a parameter twice.
  package init?(_ bytes: ArraySlice<UInt8>) {
    let (value, behind) = bytes.cut(at: .semicolon)
    self.value = value.trimmed
    var rest = behind?.trimmed ?? []
    while !rest.isEmpty {
      guard let equals = rest.firstIndex(of: .equals) else { return nil }
      let name = rest[..<equals].trimmed
      rest = rest[(equals + 1)...].trimmed
      let content: ArraySlice<UInt8>
      if rest.first == .quote {
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: .quote) else { return nil }
        content = rest[..<end]
        rest = rest[(end + 1)...].trimmed
        guard rest.isEmpty || rest.first == .semicolon else { return nil }
        rest = rest.dropFirst()
      } else {
        let (plain, next) = rest.cut(at: .semicolon)
        content = plain.trimmed
        rest = next ?? []
      }
      rest = rest.trimmed
      guard !name.isEmpty, self[name] == nil else { return nil }
      all.append((name: name, value: content))
    }
  }

  private subscript(name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for parameter in all where parameter.name.count == name.count {
      if zip(parameter.name, name).allSatisfy({ $0.lowercased == $1.lowercased }) { return parameter.value }
    }
    return nil
  }

  package subscript(name: StaticString) -> ArraySlice<UInt8>? {
    for parameter in all where parameter.name.isSame(name) { return parameter.value }
    return nil
  }
}
