import Livery
import LiveryCodable
import Testing

/// Each type that containers know by itself.
@Suite struct WidthTests {
  private struct Members: Codable, Equatable {
    var aBool = true
    var aString = "s"
    var aDouble = 0.5
    var aFloat: Float = 0.25
    var aInt: Int = .max
    var aInt8: Int8 = .max
    var aInt16: Int16 = .max
    var aInt32: Int32 = .max
    var aInt64: Int64 = .max
    var aUInt: UInt = 7
    var aUInt8: UInt8 = .max
    var aUInt16: UInt16 = .max
    var aUInt32: UInt32 = .max
    var aUInt64: UInt64 = 7
  }

  /// The same by their places.
  private struct Items: Codable, Equatable {
    var members = Members()

    init() {}

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      #expect(container.count == 14 && container.currentIndex == 0)
      #expect(try container.decodeNil() == false)
      members.aBool = try container.decode(Bool.self)
      members.aString = try container.decode(String.self)
      members.aDouble = try container.decode(Double.self)
      members.aFloat = try container.decode(Float.self)
      members.aInt = try container.decode(Int.self)
      members.aInt8 = try container.decode(Int8.self)
      members.aInt16 = try container.decode(Int16.self)
      members.aInt32 = try container.decode(Int32.self)
      members.aInt64 = try container.decode(Int64.self)
      members.aUInt = try container.decode(UInt.self)
      members.aUInt8 = try container.decode(UInt8.self)
      members.aUInt16 = try container.decode(UInt16.self)
      members.aUInt32 = try container.decode(UInt32.self)
      members.aUInt64 = try container.decode(UInt64.self)
      #expect(container.isAtEnd)
      #expect(throws: DecodingError.self) { try container.decodeNil() }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(members.aBool)
      try container.encode(members.aString)
      try container.encode(members.aDouble)
      try container.encode(members.aFloat)
      try container.encode(members.aInt)
      try container.encode(members.aInt8)
      try container.encode(members.aInt16)
      try container.encode(members.aInt32)
      try container.encode(members.aInt64)
      try container.encode(members.aUInt)
      try container.encode(members.aUInt8)
      try container.encode(members.aUInt16)
      try container.encode(members.aUInt32)
      try container.encode(members.aUInt64)
      #expect(container.count == 14)
    }
  }

  @Test func eachComesBackFromMembersAndItems() throws {
    let encoded = try ValueEncoder().encode(Members())
    #expect(encoded.count == 14 && encoded["aInt64"] == .int(.max) && encoded["aUInt8"] == .int(255))
    #expect(try ValueDecoder().decode(Members.self, from: encoded) == Members())
    #expect(try ValueDecoder().decode(Items.self, from: ValueEncoder().encode(Items())) == Items())
  }

  @Test func eachComesBackByItself() throws {
    func check<T: Codable & Equatable>(_ content: T) throws {
      #expect(try ValueDecoder().decode(T.self, from: ValueEncoder().encode(content)) == content)
    }
    let members = Members()
    try check(members.aBool)
    try check(members.aString)
    try check(members.aDouble)
    try check(members.aFloat)
    try check(members.aInt)
    try check(members.aInt8)
    try check(members.aInt16)
    try check(members.aInt32)
    try check(members.aInt64)
    try check(members.aUInt)
    try check(members.aUInt8)
    try check(members.aUInt16)
    try check(members.aUInt32)
    try check(members.aUInt64)
  }

  @Test func nothingIsEncodedOfATypeThatEncodesNothing() throws {
    struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
    struct Null: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encodeNil()
      }
    }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(Silent()) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode([Silent()]) }
    #expect(throws: EncodingError.self) { try ValueEncoder().encode(Null()) }
    #expect(try ValueEncoder().encode(["a": Silent()]) == .object([]))
  }
}
