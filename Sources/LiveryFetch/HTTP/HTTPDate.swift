/// A date of RFC 9110 §5.6.7, in each of its three forms. What is not exactly one of them is none.
enum HTTPDate {
  /// Seconds since 1970.
  ///
  /// - Parameter now: the present, by which years of two digits are understood.
  static func parse(_ bytes: [UInt8], now: Int64) -> Int64? {
    var scanner = Scanner(bytes)
    let day = scanner.take { !($0.isDigit || $0 == 32 || $0 == UInt8(ascii: ",")) }
    guard let name = Weekday(day) else { return nil }
    let date: Int64?
    if scanner.skip(UInt8(ascii: ",")) {
      date = name == .short ? fixed(&scanner) : old(&scanner, now: now)
    } else {
      date = name == .short ? asctime(&scanner) : nil
    }
    return scanner.isAtEnd ? date : nil
  }

  /// `06 Nov 1994 08:49:37 GMT`
  private static func fixed(_ scanner: inout Scanner) -> Int64? {
    guard scanner.skip(32), let day = scanner.takeNumber(2...2), scanner.skip(32), let month = month(&scanner),
      scanner.skip(32), let year = scanner.takeNumber(4...4), scanner.skip(32), let time = time(&scanner),
      scanner.skip(" GMT")
    else { return nil }
    return seconds(year, month, day, time)
  }

  /// `06-Nov-94 08:49:37 GMT`
  private static func old(_ scanner: inout Scanner, now: Int64) -> Int64? {
    guard scanner.skip(32), let day = scanner.takeNumber(2...2), scanner.skip(45), let month = month(&scanner),
      scanner.skip(45), let short = scanner.takeNumber(2...2), scanner.skip(32), let time = time(&scanner),
      scanner.skip(" GMT")
    else { return nil }
    // What would be more than 50 years ahead is the most recent year in the past with these digits.
    let present = year(of: now)
    var year = present - present % 100 + short
    if year > present + 50 { year -= 100 }
    if year + 100 <= present + 50 { year += 100 }
    return seconds(year, month, day, time)
  }

  /// `Nov  6 08:49:37 1994`
  private static func asctime(_ scanner: inout Scanner) -> Int64? {
    guard scanner.skip(32), let month = month(&scanner), scanner.skip(32) else { return nil }
    let lengths = scanner.skip(32) ? 1...1 : 2...2
    guard let day = scanner.takeNumber(lengths), scanner.skip(32), let time = time(&scanner), scanner.skip(32),
      let year = scanner.takeNumber(4...4)
    else { return nil }
    return seconds(year, month, day, time)
  }

  private static func time(_ scanner: inout Scanner) -> Int64? {
    guard let hour = scanner.takeNumber(2...2), scanner.skip(58), let minute = scanner.takeNumber(2...2),
      scanner.skip(58), let second = scanner.takeNumber(2...2), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private static func month(_ scanner: inout Scanner) -> Int64? {
    let names: [StaticString] = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    for index in names.indices where scanner.skip(names[index]) { return Int64(index + 1) }
    return nil
  }

  private static func seconds(_ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64) -> Int64? {
    guard year >= 1, day >= 1, day <= length(of: month, in: year) else { return nil }
    return days(year, month, day) * 86_400 + time
  }

  private static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Since 1970-01-01, in the calendar as it is now. Years begin in March, so that the day of leap years is their last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let inEra = shifted - era * 400
    let inYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + inEra * 365 + inEra / 4 - inEra / 100 + inYear - 719_468
  }

  private static func year(of seconds: Int64) -> Int64 {
    var year = 1970 + seconds / 31_556_952
    while days(year + 1, 1, 1) * 86_400 <= seconds { year += 1 }
    while days(year, 1, 1) * 86_400 > seconds { year -= 1 }
    return year
  }

  private enum Weekday {
    case short
    case long

    init?(_ name: [UInt8]) {
      let days: [(StaticString, StaticString)] = [
        ("Mon", "Monday"), ("Tue", "Tuesday"), ("Wed", "Wednesday"), ("Thu", "Thursday"), ("Fri", "Friday"),
        ("Sat", "Saturday"), ("Sun", "Sunday"),
      ]
      for (short, long) in days {
        var scanner = Scanner(name)
        if scanner.skip(long), scanner.isAtEnd {
          self = .long
          return
        }
        scanner = Scanner(name)
        if scanner.skip(short), scanner.isAtEnd {
          self = .short
          return
        }
      }
      return nil
    }
  }
}
