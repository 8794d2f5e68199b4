import LiveryClient

extension String {
  /// What comes after a prefix; nil if it does not begin with that.
  @inline(never)
  package func after(_ prefix: String) -> String? {
    guard utf8.starts(with: prefix.utf8) else { return nil }
    return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }
}

// Texts are compared as the bytes that they are. What the language has for it would bring along 40 KB of tables of Unicode.

@inline(never)
package func ~= (pattern: String, text: String) -> Bool { pattern.sameBytes(as: text) }
@inline(never)
package func ~= (pattern: String, text: String?) -> Bool { text?.sameBytes(as: pattern) ?? false }

// What puts texts together is called, too, and not inlined: the standard library's own is some two hundred bytes each time.

extension DefaultStringInterpolation {
  @inline(never)
  package mutating func appendLiteral(_ literal: String) { write(literal) }
  @inline(never)
  package mutating func appendInterpolation(_ text: String) { write(text) }
  @inline(never)
  package mutating func appendInterpolation(_ number: Int) { write(number.description) }
  @inline(never)
  package mutating func appendInterpolation(_ number: UInt64) { write(number.description) }
}

extension String {
  @inline(never)
  package static func += (left: inout String, right: String) { left.append(right) }

  @inline(never)
  package static func + (left: String, right: String) -> String {
    var text = left
    text.append(right)
    return text
  }

  @inline(never)
  package init(decoding bytes: [UInt8], as type: UTF8.Type) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: type) }
  }

  @inline(never)
  package init(decoding bytes: ArraySlice<UInt8>, as type: UTF8.Type) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: type) }
  }

  @inline(never)
  package init(decoding bytes: Substring.UTF8View, as type: UTF8.Type) {
    self.init(decoding: Array(bytes), as: type)
  }
}
