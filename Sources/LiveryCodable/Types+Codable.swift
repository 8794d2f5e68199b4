import Livery

// The types of the library, in values as they are, and for other coders as text or as what JSON has.

/// As text, `#RRGGBBAA`; decodes from any text of CSS.
extension Color: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let decoder = (container as? ScalarDecoder)?.decoder, case .value(.color(let color)) = decoder.node {
      self = color
      return
    }
    guard let color = Color(css: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is no color")
    }
    self = color
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let encoder = (container as? ScalarEncoder)?.encoder {
      encoder.set(.color(self))
    } else {
      try container.encode(hex)
    }
  }
}

/// As text of RFC 3339.
extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let decoder = (container as? ScalarDecoder)?.decoder {
      self = try decoder.timestamp(Timestamp.self)
      return
    }
    guard let timestamp = Timestamp(rfc3339: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is no date of RFC 3339")
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let encoder = (container as? ScalarEncoder)?.encoder {
      encoder.set(.date(self))
    } else {
      try container.encode(rfc3339)
    }
  }
}

/// In a value as it is, so that a model may have members of any type. Other coders do not take it apart: encode its JSON.
extension Value: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let decoder = (container as? ScalarDecoder)?.decoder else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a value is decoded by ValueDecoder alone")
    }
    switch decoder.node {
    case .value(let value): self = value
    case .settings(let settings): self = .object(settings.map { .init($0.key, $0.value) }.sortedByKey())
    }
  }

  public func encode(to encoder: any Encoder) throws {
    let container = encoder.singleValueContainer()
    guard let encoder = (container as? ScalarEncoder)?.encoder else {
      let context = EncodingError.Context(
        codingPath: container.codingPath, debugDescription: "a value is encoded by ValueEncoder alone")
      throw EncodingError.invalidValue(self, context)
    }
    encoder.set(self)
  }
}

extension NodeDecoder {
  func timestamp<T>(_ type: T.Type) throws -> Timestamp {
    guard case .date(let timestamp) = try converted(type, to: .date) else { throw mismatch(type) }
    return timestamp
  }
}
