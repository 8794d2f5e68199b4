import Foundation
import Livery
import LiveryCodable
import Testing

/// Decodes what JSON spells, as a value and as JSON.
private func value(_ json: String) throws -> Value { try Value(json: JSON.parse(Array(json.utf8))) }

private struct Media: Codable, Equatable {
  var url: URL
  var loops = 1
  var caption: String?
}

private struct Model: Codable, Equatable {
  enum CodingKeys: String, CodingKey {
    case idle = "idleResetSeconds"
    case media, colors, opened, blob, volume, home
  }
  var idle: Int
  var media: [Media] = []
  var colors: [String: Color] = [:]
  var opened: Date?
  var blob: Data?
  var volume: Double?
  var home: URL?
}

private func model() throws -> Model {
  Model(
    idle: 120, media: [Media(url: try #require(URL(string: "https://a.example/b.mp4")), loops: 3, caption: nil)],
    colors: ["Toolbar": Color(red8: 1, green8: 2, blue8: 3)], opened: Date(timeIntervalSince1970: 1_767_323_045.25),
    blob: Data([1, 2, 3]), volume: 0.5, home: URL(string: "relative/path"))
}

@Suite struct CodableTests {
  @Test func typesThatValuesHaveAreKept() throws {
    let encoded = try ValueEncoder().encode(model())
    #expect(encoded["idleResetSeconds"] == .int(120))
    #expect(encoded["opened"] == .date(Timestamp(microseconds: 1_767_323_045_250_000)))
    #expect(encoded["blob"] == .data([1, 2, 3]))
    #expect(encoded["colors"] == .object([.init("Toolbar", .color(Color(red8: 1, green8: 2, blue8: 3)))]))
    #expect(encoded["home"] == .string("relative/path"))
    guard case .list(let media)? = encoded["media"] else { throw StoreError(.parse, "no list") }
    #expect(media == [.object([.init("url", .url("https://a.example/b.mp4")), .init("loops", .int(3))])])
    #expect(try ValueDecoder().decode(Model.self, from: encoded) == model())
    #expect(throws: Never.self) { try encoded.check() }
  }

  @Test func aModelDecodesFromJSONByItsCodingKeys() throws {
    struct Skin: Decodable {
      enum CodingKeys: String, CodingKey { case name, toolbar = "toolbarColor", text = "text-color", logo, updated }
      var name: String
      var toolbar: Color
      var text: Color
      var logo: URL?
      var updated: Timestamp
    }
    let skin = try ValueDecoder().decode(
      Skin.self,
      from: value(
        ##"""
        {"name": "Simpsons", "toolbarColor": "#FF0000", "text-color": "navy", "logo": "https://a.example/l.svg",
         "updated": "2026-01-02T03:04:05Z", "unknown": [1]}
        """##))
    #expect(skin.name == "Simpsons" && skin.toolbar == Color(red: 1, green: 0, blue: 0))
    #expect(skin.text.hex == "#000080FF" && skin.logo?.host() == "a.example")
    #expect(skin.updated.rfc3339 == "2026-01-02T03:04:05Z")
  }

  @Test func ownTypesGoThroughOtherCodersAsText() throws {
    let all = [Color(red8: 1, green8: 2, blue8: 3, alpha8: 4)]
    let json = try JSONEncoder().encode(all)
    #expect(String(decoding: json, as: UTF8.self) == ##"["#01020304"]"##)
    #expect(try JSONDecoder().decode([Color].self, from: json) == all)
    let moments = [Timestamp(microseconds: 1_767_323_045_250_000)]
    #expect(try JSONDecoder().decode([Timestamp].self, from: JSONEncoder().encode(moments)) == moments)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([Value.int(1)]) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Value].self, from: Data("[1]".utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Color].self, from: Data(#"["none"]"#.utf8)) }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Timestamp].self, from: Data(#"["now"]"#.utf8)) }
  }

  @Test func membersMayBeValues() throws {
    struct Record: Codable, Equatable {
      var id: Int
      var content: Value
      var other: Value?
    }
    let record = Record(id: 1, content: .list([.int(1), .url("https://a.example/"), .object([])]), other: nil)
    #expect(try ValueDecoder().decode(Record.self, from: ValueEncoder().encode(record)) == record)
  }

  @Test func nilIsLeftOutAndComesBack() throws {
    // Optionals that encode themselves, as those of synthesized code do not.
    struct Explicit: Codable, Equatable {
      enum CodingKeys: CodingKey { case a, b, c }
      var a: Int?
      var b: [String]?
      var c: Int?
      init(a: Int?, b: [String]?, c: Int?) { (self.a, self.b, self.c) = (a, b, c) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try container.decode(Int?.self, forKey: .a)
        b = try container.decodeNil(forKey: .b) ? nil : container.decode([String].self, forKey: .b)
        c = try container.decodeIfPresent(Int.self, forKey: .c)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(a, forKey: .a)
        if let b { try container.encode(b, forKey: .b) } else { try container.encodeNil(forKey: .b) }
        try container.encodeIfPresent(c, forKey: .c)
      }
    }
    for explicit in [Explicit(a: nil, b: nil, c: nil), Explicit(a: 1, b: ["x"], c: 2)] {
      let encoded = try ValueEncoder().encode(explicit)
      #expect(encoded.count == (explicit.a == nil ? 0 : 3))
      #expect(try ValueDecoder().decode(Explicit.self, from: encoded) == explicit)
    }
    #expect(path { try ValueEncoder().encode([1, nil, 3]) } == ["Index 1"])
    #expect(path { try ValueEncoder().encode(Int?.none) } == [])
  }

  @Test func numbersThatDoNotFitAreErrors() throws {
    #expect(path { try ValueEncoder().encode(["n": UInt64.max]) } == ["n"])
    #expect(path { try ValueEncoder().encode(["n": [Double.infinity]]) } == ["n", "Index 0"])
    #expect(path { try ValueEncoder().encode(["n": Float.nan]) } == ["n"])
    #expect(path { try ValueEncoder().encode([Date.distantFuture.addingTimeInterval(1e12)]) } == ["Index 0"])
    #expect(path { try ValueDecoder().decode([UInt8].self, from: .list([.int(255), .int(256)])) } == ["Index 1"])
    #expect(path { try ValueDecoder().decode([Int].self, from: .list([.double(2), .double(2.5)])) } == ["Index 1"])
    #expect(path { try ValueDecoder().decode([Double].self, from: .list([.int(1 << 53 + 1)])) } == ["Index 0"])
    #expect(path { try ValueDecoder().decode([Float].self, from: .list([.double(1e300)])) } == ["Index 0"])
    #expect(try ValueDecoder().decode([Int8].self, from: .list([.double(2)])) == [2])
    #expect(try ValueDecoder().decode([Float].self, from: .list([.double(0.1), .int(3)])) == [0.1, 3])
  }

  @Test func errorsSayWhere() throws {
    func error<T: Decodable>(_ type: T.Type, _ json: String) -> DecodingError? {
      do { _ = try ValueDecoder().decode(type, from: value(json)) } catch { return error as? DecodingError }
      return nil
    }
    let media = #""media": [{"url": "https://a.example/", "loops": 1}, {"url": "https://a.example/"#
    guard
      case .typeMismatch(_, let context)? = error(
        Model.self, "{\"idleResetSeconds\": 1, \(media)\", \"loops\": \"2\"}]}")
    else { throw StoreError(.parse, "no mismatch") }
    #expect(context.codingPath.map(\.stringValue) == ["media", "Index 1", "loops"])
    #expect(context.debugDescription.contains("Int") && context.debugDescription.contains("string"))
    guard case .keyNotFound(let key, let missing)? = error(Model.self, "{}") else {
      throw StoreError(.parse, "no error")
    }
    #expect(key.stringValue == "idleResetSeconds" && missing.codingPath.isEmpty)
    guard case .dataCorrupted? = error([URL].self, #"[""]"#) else { throw StoreError(.parse, "a URL") }
    guard case .dataCorrupted? = error([Date].self, #"["today"]"#) else { throw StoreError(.parse, "a date") }
    guard case .dataCorrupted? = error([Data].self, #"["*"]"#) else { throw StoreError(.parse, "data") }
    guard case .typeMismatch? = error([Date].self, "[1]") else { throw StoreError(.parse, "a date") }
    for json in ["1", "[]", "\"x\""] {
      guard case .typeMismatch? = error(Model.self, json) else { throw StoreError(.parse, "an object") }
    }
    guard case .typeMismatch? = error([Int].self, "{}") else { throw StoreError(.parse, "a list") }
    guard case .valueNotFound? = error(Pair.self, "[1]") else { throw StoreError(.parse, "the end") }
  }

  /// Two items without names.
  private struct Pair: Codable, Equatable {
    var first: Int
    var second: String
    init(_ first: Int, _ second: String) { (self.first, self.second) = (first, second) }
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      // What fails may be tried as another type.
      first = try (try? container.decode(Int.self)) ?? (container.decode(String.self).count)
      second = try container.decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(first)
      try container.encode(second)
    }
  }

  @Test func itemsThatFailMayBeTriedAgain() throws {
    #expect(try ValueDecoder().decode(Pair.self, from: .list([.string("abc"), .string("x")])) == Pair(3, "x"))
    #expect(try ValueDecoder().decode(Pair.self, from: ValueEncoder().encode(Pair(7, "y"))) == Pair(7, "y"))
  }

  @Test func classesWithSuperclassesAndNestedContainersRoundTrip() throws {
    final class Nested: Codable {
      enum Keys: CodingKey { case inner, items, parent }
      var numbers: [[Int]] = []
      var deep = ""
      init(_ numbers: [[Int]], _ deep: String) { (self.numbers, self.deep) = (numbers, deep) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        deep = try container.nestedContainer(keyedBy: Keys.self, forKey: .inner).decode(String.self, forKey: .items)
        var lists = try container.nestedUnkeyedContainer(forKey: .items)
        while !lists.isAtEnd {
          var list = try lists.nestedUnkeyedContainer()
          var found: [Int] = []
          while !list.isAtEnd { found.append(try list.decode(Int.self)) }
          numbers.append(found)
        }
        #expect(try String(from: container.superDecoder(forKey: .parent)) == "other")
        #expect(try String(from: container.superDecoder()) == "super")
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
        try inner.encode(deep, forKey: .items)
        var lists = container.nestedUnkeyedContainer(forKey: .items)
        for numbers in numbers {
          var list = lists.nestedUnkeyedContainer()
          for number in numbers { try list.encode(number) }
        }
        try "super".encode(to: container.superEncoder())
        try "other".encode(to: container.superEncoder(forKey: .parent))
      }
    }
    let encoded = try ValueEncoder().encode(Nested([[1, 2], [], [3]], "x"))
    #expect(
      try encoded
        == value(#"{"inner": {"items": "x"}, "items": [[1, 2], [], [3]], "super": "super", "parent": "other"}"#))
    let decoded = try ValueDecoder().decode(Nested.self, from: encoded)
    #expect(decoded.numbers == [[1, 2], [], [3]] && decoded.deep == "x")
  }

  @Test func typesAreToldWhatIsInUserInfo() throws {
    struct Told: Codable {
      init() {}
      init(from decoder: any Decoder) throws { #expect(decoder.userInfo[key] as? Int == 5) }
      func encode(to encoder: any Encoder) throws {
        #expect(encoder.userInfo[key] as? Int == 5)
        var container = encoder.singleValueContainer()
        try container.encode(true)
      }
    }
    var (encoder, decoder) = (ValueEncoder(), ValueDecoder())
    encoder.userInfo[key] = 5
    decoder.userInfo[key] = 5
    _ = try decoder.decode([Told].self, from: encoder.encode([Told()]))
  }
}

private let key = CodingUserInfoKey(rawValue: "key")!

/// The coding path of what `body` throws.
private func path<T>(_ body: () throws -> T) -> [String]? {
  do {
    _ = try body()
    return nil
  } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context) {
    return context.codingPath.map(\.stringValue)
  } catch EncodingError.invalidValue(_, let context) {
    return context.codingPath.map(\.stringValue)
  } catch {
    return ["\(error)"]
  }
}
