import Foundation
import Livery
import LiveryCodable
import Testing

/// Containers that are used by hand, and types that Foundation's coders know by themselves: as those do it.
@Suite struct ContainerTests {
  private func agree<T: Codable & Equatable>(_ content: T) throws {
    let json = try Value(json: JSON.parse(Array(JSONEncoder().encode([content]))))
    let encoded = try ValueEncoder().encode([content])
    #expect(encoded == json, "\(content)")
    #expect(try ValueDecoder().decode([T].self, from: encoded) == [content])
    #expect(try ValueDecoder().decode([T].self, from: json) == [content])
  }

  @Test func aFloatIsTheNumberThatItsTextSpells() throws {
    #expect(try ValueEncoder().encode(["a": Float(0.1)]) == .object([.init("a", .double(0.1))]))
    #expect(try ValueEncoder().encode([Float(0.1)]) == .list([.double(0.1)]))
    #expect(try ValueEncoder().encode(Float(0.1)) == .double(0.1))
    for number: Float in [0.1, -1.1, 3.3e-9, 16_777_216, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi] {
      let text = "\(number)"
      #expect(try ValueEncoder().encode(number) == .double(#require(Double(text))))
    }
    var state: UInt64 = 1
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let number = Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
      guard number.isFinite else { continue }
      let encoded = try ValueEncoder().encode(number)
      #expect(try ValueDecoder().decode(Float.self, from: encoded).bitPattern == number.bitPattern)
    }
    try agree(Float(0.1))
    #expect(throws: EncodingError.self) { try ValueEncoder().encode([Float.infinity]) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(["a": Float.nan]) }
  }

  @Test func aDecimalIsANumber() throws {
    for text in ["0.1", "-17", "12345678.25", "9223372036854775807", "0"] {
      try agree(#require(Decimal(string: text)))
    }
    #expect(try ValueEncoder().encode(Decimal(5)) == .int(5))
    let large = try #require(Decimal(string: "1e20"))
    #expect(try ValueEncoder().encode(large) == .double(1e20))
    #expect(try ValueDecoder().decode(Decimal.self, from: .double(1e20)) == large)
    #expect(try ValueEncoder().encode(#require(Decimal(string: "0.1"))) == .double(0.1))
    #expect(throws: EncodingError.self) { try ValueEncoder().encode([Decimal.nan]) }
    #expect(throws: DecodingError.self) { try ValueDecoder().decode(Decimal.self, from: .string("1")) }
  }

  private enum Key: String, CodingKey { case outer, list, first, second, third }

  /// Encodes itself as it is told to.
  private struct Encoding: Encodable {
    let body: (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try body(encoder) }
  }

  private func agree(_ body: @escaping (any Encoder) throws -> Void) throws -> Value {
    let encoded = try ValueEncoder().encode(Encoding(body: body))
    let json = try Value(json: JSON.parse(Array(JSONEncoder().encode(Encoding(body: body)))))
    #expect(encoded.sorted == json.sorted)
    return encoded
  }

  @Test func aSecondContainerForAKeyGoesOnWithTheFirst() throws {
    let found = try agree { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var one = container.nestedContainer(keyedBy: Key.self, forKey: .outer)
      try one.encode(1, forKey: .first)
      var other = container.nestedContainer(keyedBy: Key.self, forKey: .outer)
      try other.encode(2, forKey: .second)
      try one.encode(3, forKey: .third)
      var items = container.nestedUnkeyedContainer(forKey: .list)
      try items.encode(4)
      var more = container.nestedUnkeyedContainer(forKey: .list)
      try more.encode(5)
    }
    #expect(found["outer"]?.count == 3 && found["list"] == .list([.int(4), .int(5)]))
    // A value in its place is another one.
    let replaced = try agree { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var one = container.nestedContainer(keyedBy: Key.self, forKey: .outer)
      try one.encode(1, forKey: .first)
      try container.encode("text", forKey: .outer)
    }
    #expect(replaced["outer"] == .string("text"))
  }

  @Test func whatFailsLeavesTheContainerAsItWas() throws {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .first)
        throw CancellationError()
      }
    }
    _ = try agree { encoder in
      var container = encoder.container(keyedBy: Key.self)
      try container.encode("kept", forKey: .first)
      #expect(throws: EncodingError.self) { try container.encode(Double.nan, forKey: .first) }
      #expect(throws: EncodingError.self) { try container.encode(Float.infinity, forKey: .second) }
      #expect(throws: CancellationError.self) { try container.encode(Failing(), forKey: .first) }
      #expect(throws: CancellationError.self) { try container.encode(Failing(), forKey: .third) }
      var items = container.nestedUnkeyedContainer(forKey: .list)
      #expect(throws: EncodingError.self) { try items.encode(Double.nan) }
      #expect(throws: CancellationError.self) { try items.encode(Failing()) }
      try items.encode("next")
      #expect(items.count == 1)
    }
    let alone = try ValueEncoder().encode(
      Encoding { encoder in
        var container = encoder.singleValueContainer()
        #expect(throws: CancellationError.self) { try container.encode(Failing()) }
        try container.encode("whole")
      })
    #expect(alone == .string("whole"))
    #expect(throws: EncodingError.self) { try ValueEncoder().encode([UInt64.max]) }
  }
}

extension Value {
  /// Members in the order of their keys: JSON has none.
  fileprivate var sorted: Value {
    switch self {
    case .object(let members):
      .object(members.map { .init($0.key, $0.value.sorted) }.sorted { $0.key < $1.key })
    case .list(let items): .list(items.map(\.sorted))
    default: self
    }
  }
}
