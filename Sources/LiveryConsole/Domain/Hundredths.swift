import LiveryHTTP

/// Numbers with up to two digits behind the point, as whole ones: 2.5 is 250. Shares are in hundredths of a percent.
enum Hundredths {
  /// `2.5`, with a `%` behind it or without; nil if it is no such number.
  static func parse(_ text: ArraySlice<UInt8>) -> Int? {
    var digits = text.trimmed
    if digits.last == .percent { digits = digits.dropLast().trimmed }
    let (whole, rest) = digits.cut(at: UInt8(ascii: "."))
    var behind = Array(rest ?? [])
    guard behind.count <= 2 else { return nil }
    while behind.count < 2 { behind.append(UInt8(ascii: "0")) }
    guard let number = whole.decimal, number <= 1_000_000, let fraction = behind[...].decimal else { return nil }
    return number * 100 + fraction
  }

  /// `1%,10%,100%`, each of the numbers in a range; nil if anything else stands there.
  static func list(_ text: String, _ range: ClosedRange<Int>) -> [Int]? {
    var numbers: [Int] = []
    for part in Array(text.utf8).split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let number = parse(part), range.contains(number) else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}
