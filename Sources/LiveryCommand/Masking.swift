import Livery

/// What a secret shows.
let mask = "••••••"

/// Hides what is secret in listings and inspections, in place of showing it.
enum Masking {
  /// Whether a listing's item or an inspection is of a secret setting.
  static func isSecret(_ item: Value) -> Bool {
    item["secret"] == .bool(true)
  }

  /// An item of `Store.list` or result of `Store.inspect` without its secrets.
  static func masked(_ item: Value) -> Value {
    guard isSecret(item), case .object(let members) = item else { return item }
    return .object(
      members.map { member in
        if member.key.sameBytes(as: "layers") || member.key.sameBytes(as: "waits") {
          return Value.Member(member.key, hiddenLayers(member.value))
        }
        let isValue = member.key.sameBytes(as: "value") || member.key.sameBytes(as: "effective")
        return isValue ? Value.Member(member.key, hidden(member.value)) : member
      })
  }

  /// A change of `Store.history` without its secrets.
  static func maskedChange(_ change: Value) -> Value {
    guard isSecret(change), case .object(let members) = change else { return change }
    return .object(
      members.map { member in
        let isValue = member.key.sameBytes(as: "old") || member.key.sameBytes(as: "new")
        return isValue ? Value.Member(member.key, .string(mask)) : member
      })
  }

  /// What a step of a migration did, without secrets.
  static func maskedStep(_ step: Value) -> Value {
    guard isSecret(step), case .object(let members) = step else { return step }
    return .object(
      members.map { member in
        let isValue = member.key.sameBytes(as: "before") || member.key.sameBytes(as: "after")
        return isValue ? Value.Member(member.key, .string(mask)) : member
      })
  }

  /// The report of a schema without secrets.
  static func maskedReport(_ report: Value) -> Value {
    guard case .object(let members) = report else { return report }
    return .object(
      members.map { member in
        guard case .list(let items) = member.value else { return member }
        if member.key.sameBytes(as: "steps") { return Value.Member(member.key, .list(items.map { maskedStep($0) })) }
        let mayHoldSecrets = member.key.sameBytes(as: "orphaned") || member.key.sameBytes(as: "dropped")
        return mayHoldSecrets ? Value.Member(member.key, .list(items.map { masked($0) })) : member
      })
  }

  private static func hidden(_ value: Value) -> Value {
    guard case .object(let members) = value, value["layer"] != nil else { return .string(mask) }
    return .object(members.map { $0.key.sameBytes(as: "value") ? Value.Member($0.key, .string(mask)) : $0 })
  }

  private static func hiddenLayers(_ value: Value) -> Value {
    guard case .list(let items) = value else { return .list([]) }
    return .list(items.map { hidden($0) })
  }
}

extension Value {
  /// The text of a string member; "" if there is none.
  func text(_ key: String) -> String {
    guard case .string(let text)? = self[key] else { return "" }
    return text
  }

  /// The number of an integer member; 0 if there is none.
  func number(_ key: String) -> Int64 {
    guard case .int(let number)? = self[key] else { return 0 }
    return number
  }

  func flag(_ key: String) -> Bool { self[key] == .bool(true) }

  /// The items of a list member.
  func items(_ key: String) -> [Value] {
    guard case .list(let items)? = self[key] else { return [] }
    return items
  }

  /// A time member to the second, in UTC.
  func time(_ key: String) -> String {
    guard case .date(let time)? = self[key] else { return "" }
    return Timestamp(microseconds: time.microseconds - time.microseconds % 1_000_000).rfc3339
  }

  /// The value for a script: text as it is, all else as JSON writes it, without quotes.
  var plain: String {
    switch self {
    case .string(let text), .url(let text), .image(let text): return text
    case .list, .object: return json()
    default:
      guard case .string(let text)? = coercedToText else { return json() }
      return text
    }
  }

  /// Dates, colors and data are strings in JSON; without their quotes.
  private var coercedToText: Value? {
    let text = json()
    guard text.hasPrefix("\"") else { return nil }
    return .string(String(text.dropFirst().dropLast()))
  }
}
