import LiveryClient
import LiveryFleet
import LiveryHTTP

/// When a publication holds, and for whom; without any of it always, and for all.
package struct Conditions: Sendable {
  package var from: ScheduledTime?
  package var until: ScheduledTime?
  /// What it changes goes back by itself unless it proves good.
  package var trial: Document.Trial?
  /// The app that it is for.
  package var app: String?
  /// The versions of the schema that it is for.
  package var schema: ClosedRange<Int64>?

  package init() {}

  /// Whether it holds for a time or for some alone, above what its channel says otherwise.
  package var isOverlay: Bool { from != nil || until != nil || app != nil || schema != nil }

  /// Whether it is for some devices alone, whatever the channel.
  var isForSome: Bool { app != nil || schema != nil }

  /// Whether it is for devices with a version of the schema.
  func isFor(_ version: Int64) -> Bool { schema?.contains(version) ?? true }

  /// Whether it is from a moment on for good, and for all: then it is what the channel says, once that moment was everywhere.
  var settles: Bool { from != nil && until == nil && app == nil && schema == nil }

  /// The longest trial, in seconds.
  static let longestTrial: Int64 = 2_592_000

  /// - Throws: `.invalid`, with the field that is wrong.
  func check(at now: Int64) throws(Refusal) {
    if let app, !Name.isValid(app) {
      throw Refusal(.invalid, "An app's name is \(Conditions.nameWords).", at: "app")
    }
    if let schema {
      guard schema.lowerBound >= 1, schema.upperBound <= Limit.version else {
        throw Refusal(.invalid, "Versions of a schema are whole numbers from 1 on.", at: "schema")
      }
    }
    if let trial {
      guard (1...Conditions.longestTrial).contains(trial.seconds) else {
        throw Refusal(.invalid, "A trial takes a second to 30 days.", at: "trial")
      }
      if let check = trial.check, !Name.isValid(check) {
        throw Refusal(.invalid, "A check's name is \(Conditions.nameWords).", at: "check")
      }
    }
    // A clock may go a little wrong; what is meant to begin now begins now.
    if let from, from.latest < now - 60 {
      throw Refusal(.invalid, "It is over: without a beginning it holds at once.", at: "from")
    }
    guard let until else { return }
    guard until.latest > now else { throw Refusal(.invalid, "It is over already.", at: "until") }
    guard let from else { return }
    let isBefore: Bool
    switch (from, until) {
    case (.moment(let begin), .moment(let end)), (.local(let begin), .local(let end)): isBefore = end <= begin
    default: isBefore = until.latest <= from.earliest
    }
    if isBefore { throw Refusal(.invalid, "The end comes before the beginning.", at: "until") }
  }

  static let nameWords = "1 to 32 of a to z, 0 to 9, - and _, the first a letter or digit"

  /// What it says, in words; "" if it says nothing.
  package var words: String {
    var parts: [String] = []
    if let schedule = Conditions.schedule(from, until) { parts.append(schedule) }
    if let trial {
      parts.append(
        "on trial for \(Conditions.length(trial.seconds))" + (trial.check.map { ", checked by \($0)" } ?? ""))
    }
    if let app { parts.append("for the app \(app)") }
    if let schema { parts.append("for \(Conditions.words(schema))") }
    var text = ""
    for part in parts { text += text.utf8.isEmpty ? part : "; " + part }
    return text
  }

  static func schedule(_ from: ScheduledTime?, _ until: ScheduledTime?) -> String? {
    switch (from, until) {
    case (let from?, let until?): "from \(words(from, beside: until)) until \(words(until))"
    case (let from?, nil): "from \(words(from)) on"
    case (nil, let until?): "until \(words(until))"
    case (nil, nil): nil
    }
  }

  static func words(_ schema: ClosedRange<Int64>) -> String {
    if schema.lowerBound == schema.upperBound { return "version \(schema.lowerBound) of the schema" }
    if schema.upperBound == Limit.version { return "versions from \(schema.lowerBound) of the schema on" }
    return "versions \(schema.lowerBound) to \(schema.upperBound) of the schema"
  }

  /// "2026-12-24 18:00 where the device is"; the clock is named once for two times.
  static func words(_ time: ScheduledTime, beside other: ScheduledTime? = nil) -> String {
    var digits = Array(time.text.utf8.prefix(19))
    if digits.count == 19 {
      digits[10] = UInt8(ascii: " ")
      if digits[17...] == [UInt8(ascii: "0"), UInt8(ascii: "0")] { digits.removeLast(3) }
    }
    let text = String(decoding: digits, as: UTF8.self)
    switch (time, other) {
    case (.moment, .moment?), (.local, .local?): return text
    case (.moment, _): return text + " UTC"
    case (.local, _): return text + " where the device is"
    }
  }

  /// "10 minutes".
  static func length(_ seconds: Int64) -> String {
    for (unit, one, many) in [(86_400, "day", "days"), (3600, "hour", "hours"), (60, "minute", "minutes")]
      as [(Int64, String, String)] where seconds % unit == 0
    {
      return "\(seconds / unit) \(seconds == unit ? one : many)"
    }
    return "\(seconds) \(seconds == 1 ? "second" : "seconds")"
  }

  /// What a duration says in seconds: "90s", "10m", "2h", "1d", or seconds alone; nil for anything else.
  package static func seconds(_ text: String) -> Int64? {
    var digits = Array(text.utf8)[...]
    let unit: Int
    switch digits.last {
    case UInt8(ascii: "s"): unit = 1
    case UInt8(ascii: "m"): unit = 60
    case UInt8(ascii: "h"): unit = 3600
    case UInt8(ascii: "d"): unit = 86_400
    default:
      unit = 1
      digits.append(UInt8(ascii: "s"))
    }
    digits.removeLast()
    guard let number = digits.decimal else { return nil }
    let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit)
    return isTooLong ? nil : Int64(seconds)
  }

  /// "3" or "3..5": the versions of a schema; nil for anything else.
  package static func versions(_ text: String) -> ClosedRange<Int64>? {
    var parts: [Int64] = []
    let bytes = Array(text.utf8)
    let dots = bytes.firstIndex(of: UInt8(ascii: "."))
    let ends = dots.map { [bytes[..<$0], bytes[$0...].dropFirst(2)] } ?? [bytes[...]]
    if let dots, bytes[dots...].dropFirst().first != UInt8(ascii: ".") { return nil }
    for end in ends {
      guard let number = end.decimal else { return nil }
      parts.append(Int64(number))
    }
    guard let least = parts.first, let most = parts.last, least <= most else { return nil }
    return least...most
  }
}

/// Whether a document holds, as far as that can be said without knowing a device's zone.
enum Phase {
  case waits, holds, ends
  /// It depends on where the device is.
  case differs

  init(_ from: ScheduledTime?, _ until: ScheduledTime?, at now: Int64) {
    if let until, now >= until.latest {
      self = .ends
    } else if let from, now < from.earliest {
      self = .waits
    } else if from.map({ now >= $0.latest }) ?? true, until.map({ now < $0.earliest }) ?? true {
      self = .holds
    } else {
      self = .differs
    }
  }
}
