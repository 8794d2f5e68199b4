import Livery

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The types of Foundation that values have a type of their own for.

extension NodeDecoder {
  /// nil for all other types.
  func foundationType<T>(_ type: T.Type) throws -> T? {
    if type == Date.self { return Date(try timestamp(Date.self)) as? T }
    if type == Data.self {
      guard case .data(let bytes) = try converted(Data.self, to: .data) else { throw mismatch(type) }
      return Data(bytes) as? T
    }
    if type == URL.self {
      guard let url = URL(string: try string()) else { throw corrupted("the text is no URL") }
      return url as? T
    }
    if type == Decimal.self { return try decimal() as? T }
    return nil
  }

  /// The number that the text of a double spells.
  private func decimal() throws -> Decimal {
    switch node {
    case .value(.int(let number)): return Decimal(number)
    case .value(.double(let number)):
      if let content = Decimal(string: "\(number)") { return content }
      throw corrupted("the number \(number) does not fit in Decimal")
    default: throw mismatch(Decimal.self)
    }
  }
}

extension NodeEncoder {
  /// False for all other types.
  func encodeFoundationType<T>(_ content: T) throws -> Bool {
    switch content {
    case let date as Date:
      let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
      guard let whole = Int64(exactly: microseconds),
        Timestamp.earliest...Timestamp.latest ~= Timestamp(microseconds: whole)
      else { throw invalid(date, "the date is not within the years 1 to 9999") }
      set(.date(Timestamp(microseconds: whole)))
    case let data as Data: set(.data(Array(data)))
    case let url as URL:
      let text = Value.string(url.absoluteString)
      set(text.coerced(to: .url) ?? text)
    case let decimal as Decimal:
      let text = decimal.description
      if let whole = Int64(text) { set(.int(whole)) } else { try double(Double(text) ?? .nan) }
    default: return false
    }
    return true
  }
}

extension Date {
  /// The moment as the nearest one that a date of Foundation holds.
  public init(_ timestamp: Timestamp) {
    self.init(timeIntervalSince1970: Double(timestamp.microseconds) / 1_000_000)
  }
}
