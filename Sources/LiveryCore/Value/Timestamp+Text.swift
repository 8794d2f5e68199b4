extension Timestamp {
  private static let microsecondsPerSecond: Int64 = 1_000_000
  private static let secondsPerDay: Int64 = 86_400

  /// Reads a date and time of RFC 3339, such as "2026-03-01T12:00:00.5+01:00", also with a space in the place of the "T".
  ///
  /// A leap second (":60") counts as the second that follows it. nil for anything else: for a fraction that microseconds
  /// do not hold, and for moments outside the years 1 to 9999 in UTC.
  public init?(rfc3339 text: String) {
    self.init(rfc3339: text.bytes)
  }

  init?(rfc3339 bytes: [UInt8]) {
    var reader = DigitReader(bytes: bytes)
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
      let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
      let second = reader.number(2)
    else { return nil }
    guard (1...12).contains(month), day >= 1, day <= Calendar.days(inMonth: month, ofYear: year),
      hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var fraction: Int64 = 0
    if reader.skip(".") {
      guard let read = reader.fraction() else { return nil }
      fraction = read
    }
    guard let offset = reader.offset(), reader.atEnd else { return nil }
    let seconds =
      Calendar.days(toYear: year, month: month, day: day) * Self.secondsPerDay
      + hour * 3600 + minute * 60 + second - offset
    if second == 60 {
      // Leap seconds end a day of UTC.
      guard seconds % Self.secondsPerDay == 0, fraction == 0 else { return nil }
    }
    self.init(microseconds: seconds * Self.microsecondsPerSecond + fraction)
    guard self >= .earliest, self <= .latest else { return nil }
  }

  /// Reads what `rfc3339` gives; nil for any other way to write a moment.
  init?(canonical bytes: [UInt8]) {
    let isWhole = bytes.count == 20
    guard isWhole || 22...27 ~= bytes.count && bytes[bytes.count - 2] != UInt8(ascii: "0"),
      bytes[10] == UInt8(ascii: "T"), bytes[17] != UInt8(ascii: "6"), bytes[19] == UInt8(ascii: isWhole ? "Z" : "."),
      bytes[bytes.count - 1] == UInt8(ascii: "Z")
    else { return nil }
    self.init(rfc3339: bytes)
  }

  /// The moment in UTC as of RFC 3339, with a fraction only if it is not a whole second: "2026-03-01T11:00:00.5Z".
  public var rfc3339: String {
    let (seconds, fraction) = microseconds.floorDivided(by: Self.microsecondsPerSecond)
    let (days, time) = seconds.floorDivided(by: Self.secondsPerDay)
    let (year, month, day) = Calendar.date(ofDay: days)
    var out: [UInt8] = []
    out.reserveCapacity(32)
    if year < 0 { out.append(UInt8(ascii: "-")) }
    // Of moments that are not valid: the year may have more than four digits.
    var century = abs(year) / 100
    if century > 99 {
      out += String(century / 100).utf8
      century %= 100
    }
    out.append(twoDigits: century)
    out.append(twoDigits: abs(year) % 100)
    out.append(UInt8(ascii: "-"))
    out.append(twoDigits: month)
    out.append(UInt8(ascii: "-"))
    out.append(twoDigits: day)
    out.append(UInt8(ascii: "T"))
    out.append(twoDigits: time / 3600)
    out.append(UInt8(ascii: ":"))
    out.append(twoDigits: time / 60 % 60)
    out.append(UInt8(ascii: ":"))
    out.append(twoDigits: time % 60)
    if fraction != 0 {
      out.append(UInt8(ascii: "."))
      out.append(twoDigits: fraction / 10_000)
      out.append(twoDigits: fraction / 100 % 100)
      out.append(twoDigits: fraction % 100)
      while out.last == UInt8(ascii: "0") { out.removeLast() }
    }
    out.append(UInt8(ascii: "Z"))
    return String(decoding: out, as: UTF8.self)
  }

  /// Whether it is within the years 1 to 9999.
  public var isValid: Bool { self >= .earliest && self <= .latest }
}

/// The Gregorian calendar, also for the time before it was made; days count from 1970-01-01.
enum Calendar {
  static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // Years begin in March here, so that the leap day is the last; an era is 400 years.
  static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floorDivided(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (day + 719_468).floorDivided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
    return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
  }
}

extension Int64 {
  /// Quotient and remainder with the remainder never negative; for positive divisors.
  fileprivate func floorDivided(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension [UInt8] {
  fileprivate mutating func append(twoDigits number: Int64) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }
}

private struct DigitReader {
  let bytes: [UInt8]
  var index = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  var atEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func digit() -> Int64? {
    guard index < bytes.count, bytes[index] >= UInt8(ascii: "0"), bytes[index] <= UInt8(ascii: "9") else { return nil }
    index += 1
    return Int64(bytes[index - 1] - UInt8(ascii: "0"))
  }

  mutating func number(_ digits: Int) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// One digit or more, in microseconds; nil if that loses any.
  mutating func fraction() -> Int64? {
    guard var fraction = digit() else { return nil }
    var count = 1
    while let digit = digit() {
      if count < 6 {
        fraction = fraction * 10 + digit
        count += 1
      } else if digit != 0 {
        return nil
      }
    }
    for _ in count..<6 { fraction *= 10 }
    return fraction
  }

  /// "Z" or the distance from UTC, in seconds.
  mutating func offset() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let west = skip("-")
    guard west || skip("+"), let hours = number(2), skip(":"), let minutes = number(2), hours <= 23, minutes <= 59
    else {
      return nil
    }
    let seconds = hours * 3600 + minutes * 60
    return west ? -seconds : seconds
  }
}
