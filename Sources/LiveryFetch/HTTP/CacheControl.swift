/// What an answer's Cache-Control says to a private cache (RFC 9111 §5.2.2, RFC 5861). What is for shared caches is left out.
struct CacheControl: Sendable, Equatable {
  /// The longest time that counts: more than 68 years.
  static let longest: Int64 = 1 << 31

  var isNotStored = false
  /// Asks for a look at the server before each use.
  var isAlwaysChecked = false
  /// Forbids to use what is outdated without a look at the server.
  var isNeverStale = false
  /// Seconds; nil where it does not say, 0 where it says it wrongly or twice in different ways.
  var maximumAge: Int64?
  var staleWhileRevalidate: Int64?
  var staleIfError: Int64?

  /// - Parameter fields: the values of all fields of this name, in their order.
  init(_ fields: [[UInt8]] = []) {
    for field in fields { read(field) }
  }

  private mutating func read(_ field: [UInt8]) {
    var scanner = Scanner(field)
    while !scanner.isAtEnd {
      scanner.skipSpace()
      let name = scanner.takeToken()
      scanner.skipSpace()
      var argument: [UInt8]?
      if scanner.skip(UInt8(ascii: "=")) {
        scanner.skipSpace()
        argument = scanner.next == UInt8(ascii: "\"") ? scanner.takeQuoted() ?? [] : scanner.takeToken()
      }
      note(name, argument)
      // Up to the next directive, whatever else there is.
      _ = scanner.take { $0 != UInt8(ascii: ",") }
      _ = scanner.skip(UInt8(ascii: ","))
    }
  }

  private mutating func note(_ name: [UInt8], _ argument: [UInt8]?) {
    if name.isText("no-store") {
      isNotStored = true
    } else if name.isText("no-cache") {
      // Also where it names fields: what is checked each time has none of them by itself.
      isAlwaysChecked = true
    } else if name.isText("must-revalidate") {
      isNeverStale = true
    } else if name.isText("max-age") {
      let seconds = Self.seconds(argument) ?? 0
      maximumAge = maximumAge == nil || maximumAge == seconds ? seconds : 0
    } else if name.isText("stale-while-revalidate") {
      staleWhileRevalidate = Self.seconds(argument) ?? 0
    } else if name.isText("stale-if-error") {
      staleIfError = Self.seconds(argument) ?? 0
    }
  }

  /// The delta-seconds of RFC 9111 §1.2.2: what is too large is the longest time.
  static func seconds(_ digits: [UInt8]?) -> Int64? {
    guard let digits, !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      number = min(number * 10 + Int64(digit - 48), longest)
    }
    return number
  }
}
