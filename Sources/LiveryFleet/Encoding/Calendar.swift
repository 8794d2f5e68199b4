/// The Gregorian calendar; days count from 1970-01-01.
enum Calendar {
  static let secondsPerDay: Int64 = 86_400

  static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // Years begin in March here, so that the leap day is the last; an era is 400 years.
  static func days(toYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.floorDivided(by: 400)
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
  func floorDivided(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// A date and time of day as a clock on the wall shows it, in seconds as if the wall were in Greenwich.
enum WallTime {
  /// Reads "2026-12-24T18:00:00", and nothing else: the years 1970 to 9999, no leap seconds.
  static func seconds(_ text: [UInt8]) -> Int64? {
    guard text.count == 19, text[4] == dash, text[7] == dash, text[10] == UInt8(ascii: "T"), text[13] == colon,
      text[16] == colon, let year = number(text[0..<4]), let month = number(text[5..<7]),
      let day = number(text[8..<10]), let hour = number(text[11..<13]), let minute = number(text[14..<16]),
      let second = number(text[17..<19])
    else { return nil }
    guard year >= 1970, (1...12).contains(month), day >= 1, day <= Calendar.days(inMonth: month, ofYear: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Calendar.days(toYear: year, month: month, day: day)
    return days * Calendar.secondsPerDay + hour * 3600 + minute * 60 + second
  }

  /// What `seconds` reads; for the years 1 to 9999.
  static func text(_ seconds: Int64) -> [UInt8] {
    let (days, time) = seconds.floorDivided(by: Calendar.secondsPerDay)
    let (year, month, day) = Calendar.date(ofDay: days)
    var out: [UInt8] = []
    out.reserveCapacity(27)
    append(year / 100, to: &out)
    append(year % 100, to: &out)
    out.append(dash)
    append(month, to: &out)
    out.append(dash)
    append(day, to: &out)
    out.append(UInt8(ascii: "T"))
    append(time / 3600, to: &out)
    out.append(colon)
    append(time / 60 % 60, to: &out)
    out.append(colon)
    append(time % 60, to: &out)
    return out
  }

  private static var dash: UInt8 { UInt8(ascii: "-") }
  private static var colon: UInt8 { UInt8(ascii: ":") }

  private static func append(_ number: Int64, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10 % 10))
    out.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10))
  }

  /// A number of up to 18 digits.
  static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    guard digits.count <= 18 else { return nil }
    var number: Int64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number
  }
}

/// Moments as RFC 3339 has them, in UTC, in their one form: a fraction only if there is one, and without zeros at its end.
enum DateText {
  private static let earliest: Int64 = -62_135_596_800
  private static let perSecond: Int64 = 1_000_000

  /// nil for moments outside the years 1 to 9999.
  static func encode(microseconds: Int64) -> [UInt8]? {
    let (seconds, rest) = microseconds.floorDivided(by: perSecond)
    guard seconds >= earliest, seconds <= Limit.time else { return nil }
    var out = WallTime.text(seconds)
    var fraction = rest
    if fraction > 0 {
      out.append(UInt8(ascii: "."))
      var unit: Int64 = 100_000
      while fraction > 0 {
        out.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: fraction / unit))
        fraction %= unit
        unit /= 10
      }
    }
    out.append(UInt8(ascii: "Z"))
    return out
  }

  /// nil for anything that `encode` does not give.
  static func decode(_ text: [UInt8]) -> Int64? {
    guard (20...27).contains(text.count), text.last == UInt8(ascii: "Z"),
      let seconds = seconds(Array(text[0..<19]))
    else { return nil }
    guard text.count > 20 else { return seconds * perSecond }
    guard text[19] == UInt8(ascii: "."), text.count >= 22, text[text.count - 2] != UInt8(ascii: "0"),
      var fraction = WallTime.number(text[20..<(text.count - 1)])
    else { return nil }
    for _ in (text.count - 21)..<6 { fraction *= 10 }
    return seconds * perSecond + fraction
  }

  /// As `WallTime.seconds`, from the year 1 on.
  private static func seconds(_ text: [UInt8]) -> Int64? {
    if let seconds = WallTime.seconds(text) { return seconds }
    // Eras of the calendar are alike: 400 years later there is the same day.
    var later = text
    guard let year = WallTime.number(text[0..<4]), year >= 1, year < 1970 else { return nil }
    let eras = (1970 - year + 399) / 400
    let moved = year + eras * 400
    for (index, unit) in [Int64(1000), 100, 10, 1].enumerated() {
      later[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: moved / unit % 10)
    }
    return WallTime.seconds(later).map { $0 - eras * 146_097 * Calendar.secondsPerDay }
  }
}
