import CSystem

/// Decimal numbers as text, the same in every locale.
public enum Numbers {
  /// A whole number: an optional sign and decimal digits, nothing else; nil if it does not fit.
  public static func parseInt(_ text: String) -> Int64? {
    var digits = text.utf8[...]
    let negative = digits.first == UInt8(ascii: "-")
    if negative || digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for character in digits {
      guard character >= UInt8(ascii: "0"), character <= UInt8(ascii: "9") else { return nil }
      let digit = Int64(character - UInt8(ascii: "0"))
      let (tenfold, overflowed) = number.multipliedReportingOverflow(by: 10)
      // Built on the negative side, which reaches one further.
      let (next, overflowedToo) = tenfold.subtractingReportingOverflow(digit)
      if overflowed || overflowedToo { return nil }
      number = next
    }
    if negative { return number }
    return number == .min ? nil : -number
  }

  /// A finite decimal number that fills the whole text, such as "-1.5e3".
  public static func parseDouble(_ text: String) -> Double? {
    var number = 0.0
    return lvs_parse_double(text, text.utf8.count, &number) ? number : nil
  }

  /// Whether a number that is written out is too small for any double but 0, and is not 0.
  static func underflows(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBytes { lvs_underflows($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
  }

  /// The shortest text that reads back as the same number, always with a fraction or an exponent.
  public static func format(_ value: Double) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
      let count = lvs_format_double(value, buffer.baseAddress)
      return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
    }
  }
}
