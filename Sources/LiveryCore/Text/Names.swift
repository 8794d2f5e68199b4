extension Unicode.Scalar {
  /// Whether it is a control character: U+0000–1F, U+007F or U+0080–9F.
  var isControl: Bool { value < 0x20 || (value >= 0x7f && value <= 0x9f) }

  /// "U+000A"
  var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

/// Checks the name of a setting: 1 to 255 bytes of UTF-8 without control characters.
///
/// Errors: `.invalidArgument`, saying what is wrong.
public func checkName(_ name: String) throws(StoreError) {
  guard !name.utf8.isEmpty else { throw StoreError(.invalidArgument, "the name of a setting is empty") }
  try checkText(name, what: "the name", limit: 255)
}

/// Checks the origin of a change: at most 63 bytes of UTF-8 without control characters.
///
/// Errors: `.invalidArgument`, saying what is wrong.
public func checkOrigin(_ origin: String) throws(StoreError) {
  try checkText(origin, what: "the origin", limit: 63)
}

extension String {
  /// Whether there is a byte that a control character has; C2 begins other characters, too.
  fileprivate var hasControls: Bool {
    @inline(never) get {
      withBytes { (bytes) in
        var offset = 0
        // Eight at once: of what is less than a byte the difference borrows, as long as it has not the highest bit.
        while offset + 8 <= bytes.count {
          let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          let (ones, highest) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
          func has(_ byte: UInt64) -> UInt64 {
            let rest = word ^ ones &* byte
            return (rest &- ones) & ~rest
          }
          if ((word &- ones &* 0x20) & ~word | has(0x7f) | has(0xc2)) & highest != 0 { return true }
          offset += 8
        }
        while offset < bytes.count {
          let byte = bytes[offset]
          if byte < 0x20 || byte == 0x7f || byte == 0xc2 { return true }
          offset += 1
        }
        return false
      }
    }
  }
}

func checkText(_ text: String, what: String, limit: Int) throws(StoreError) {
  let count = text.utf8.count
  guard count <= limit else {
    let quoted = truncated(text, to: 40)
    throw StoreError(.invalidArgument, "\(what) `\(quoted)` has \(count) bytes; at most \(limit) are allowed")
  }
  guard text.hasControls else { return }
  for scalar in text.unicodeScalars where scalar.isControl {
    let quoted = truncated(text, to: 80)
    throw StoreError(.invalidArgument, "\(what) `\(quoted)` contains the control character \(scalar.codePoint)")
  }
}

/// Whether the text can refer to an image asset: 1 to 1,024 bytes of UTF-8 without control characters.
public func isImageReference(_ text: String) -> Bool {
  let count = text.utf8.count
  return count >= 1 && count <= 1024 && !text.unicodeScalars.contains { $0.isControl }
}

/// The text for use in a message of one line: cut to `limit` characters, the last of them an ellipsis, with control
/// characters replaced.
public func truncated(_ text: String, to limit: Int) -> String {
  var out = String.UnicodeScalarView()
  var count = 0
  for scalar in text.unicodeScalars {
    if count >= limit {
      if !out.isEmpty { out.removeLast() }
      out.append("…")
      break
    }
    out.append(scalar.isControl ? "\u{fffd}" : scalar)
    count += 1
  }
  return String(out)
}
