import Livery
import LiveryClient
import Testing

@Suite struct ValueTests {
  typealias Value = LiveryClient.Value
  typealias Timestamp = LiveryClient.Timestamp
  typealias Color = LiveryClient.Color

  /// One of each type, with what is special about it.
  static let values: [Value] = [
    .bool(true), .int(.min), .double(-0.0), .string("a\u{0}ü"), .string(""), .data([]), .data([0, 255]), .url(""),
    .url("https://example.com/ä"), .date(Timestamp(microseconds: -1)), .color(Color(red: 0.5, green: 0, blue: 1)),
    .image("0a"), .list([]), .object([]),
    .list([.int(1), .list([.string("x")]), .object([.init("k", .bool(false)), .init("", .double(1.5))])]),
  ]

  @Test(arguments: values) func aValueComesBackAsItWent(_ value: Value) throws {
    let temporary = TemporaryStore()
    let store = try temporary.open()
    try store.set("x", to: value, in: .user)
    #expect(try store.value("x") == value)
    #expect(try store.value("x").type == value.type)
  }

  @Test func valuesAreTheSameByBytesAndBits() {
    #expect(Value.double(0.0) != .double(-0.0))
    #expect(Value.int(1) != .double(1))
    #expect(Value.string("\u{e9}") != .string("e\u{301}"))
    let one = Value.object([.init("a", .int(1)), .init("b", .int(2))])
    #expect(one == .object([.init("b", .int(2)), .init("a", .int(1))]))
    #expect(one != .object([.init("a", .int(1)), .init("c", .int(2))]))
    #expect(one["b"] == .int(2) && one["c"] == nil && one.count == 2)
    #expect(Value.list([one]).items?.count == 1 && one.items == nil)
    #expect(Value.url("a:b").text == "a:b" && Value.int(1).text == nil)
  }

  @Test func jsonIsReadAndWritten() throws {
    let value = try Value(json: #"{"a": [1, 2.5, "x"], "b": {"c": true}}"#)
    #expect(value["a"] == .list([.int(1), .double(2.5), .string("x")]))
    #expect(try value.jsonText() == #"{"a":[1,2.5,"x"],"b":{"c":true}}"#)
    #expect(try value.jsonText(pretty: true).contains("\n  \"b\""))
    let error = failure { () throws(LiveryClient.StoreError) in _ = try Value(json: "[1,\n 2") }
    #expect(error?.code == .parse)
    #expect(error?.location?.line == 2)
    #expect(code { () throws(LiveryClient.StoreError) in _ = try Value(json: [UInt8]()) } == .parse)
  }

  @Test func whatNoValueMayBeIsRefused() throws {
    var deep = Value.int(1)
    for _ in 0..<40 { deep = .list([deep]) }
    for value in [deep, .double(.nan), .url("no url"), .image(""), .object([.init("a\u{0}", .int(1))])] {
      #expect(failure { () throws(LiveryClient.StoreError) in _ = try value.makeHandle() } != nil)
    }
    let twice = Value.object([.init("a", .int(1)), .init("a", .int(2))])
    #expect(code { () throws(LiveryClient.StoreError) in _ = try twice.makeHandle() } == .invalidValue)
  }

  @Test func valuesConvertOnlyWhereNothingIsLost() {
    #expect(Bool(Value.string("Yes")) == true && Bool(Value.int(1)) == nil)
    #expect(Int64(Value.double(2)) == 2 && Int(Value.string("7")) == 7 && Int64(Value.double(2.5)) == nil)
    #expect(Double(Value.int(3)) == 3 && Double(Value.string("x")) == nil)
    #expect(String(Value.url("a:b")) == "a:b" && String(Value.int(1)) == nil)
    #expect(Timestamp(Value.string("1970-01-01T00:00:01Z")) == Timestamp(microseconds: 1_000_000))
    #expect(Color(Value.string("#f00")) == Color(red: 1, green: 0, blue: 0) && Color(Value.bool(true)) == nil)
    #expect(Value.string("AQID").coerced(to: .data) == .data([1, 2, 3]))
    #expect(Value.string("https://a.example").coerced(to: .url) == .url("https://a.example"))
    #expect(Value.string("no url").coerced(to: .url) == nil)
    #expect(Value.url("a:b").coerced(to: .image) == .image("a:b") && Value.string("").coerced(to: .image) == nil)
    #expect(Value.list([]).coerced(to: .object) == nil && Value.int(1).coerced(to: .int) == .int(1))
  }

  @Test func namesAndNumbersAreThoseOfTheEngine() {
    for layer in Livery.Layer.allCases {
      #expect(LiveryClient.Layer(rawValue: layer.rawValue)?.description == layer.description)
    }
    #expect(LiveryClient.Layer.allCases.count == Livery.Layer.allCases.count)
    for type in Livery.ValueType.allCases {
      #expect("\(LiveryClient.ValueType(rawValue: type.rawValue)!)" == type.description)
    }
    for number in Int32(-31)...(-1) {
      #expect(
        LiveryClient.StoreError.Code(rawValue: number).description
          == Livery.StoreError.Code(rawValue: number).description)
    }
    for kind in Int32(1)...7 {
      #expect(
        LiveryClient.Event.Kind(rawValue: kind).map { "\($0)" } == Livery.Event.Kind(rawValue: kind)?.description)
    }
  }

  @Test func eachCodeIsThatOfItsName() {
    typealias Client = LiveryClient.StoreError.Code
    typealias Engine = Livery.StoreError.Code
    let pairs: [(Client, Engine)] = [
      (.invalidArgument, .invalidArgument), (.closed, .closed), (.notFound, .notFound), (.noValue, .noValue),
      (.typeMismatch, .typeMismatch), (.invalidValue, .invalidValue), (.locked, .locked), (.readOnly, .readOnly),
      (.conflict, .conflict), (.busy, .busy), (.parse, .parse), (.schemaInvalid, .schemaInvalid),
      (.schemaNewer, .schemaNewer), (.corrupt, .corrupt), (.notAStore, .notAStore), (.formatNewer, .formatNewer),
      (.permission, .permission), (.noSpace, .noSpace), (.io, .io), (.forked, .forked),
      (.bufferTooSmall, .bufferTooSmall), (.migration, .migration), (.gone, .gone), (.noMemory, .noMemory),
      (.duplicate, .duplicate), (.network, .network), (.timeout, .timeout), (.cancelled, .cancelled),
      (.refused, .refused), (.unavailable, .unavailable),
    ]
    for (client, engine) in pairs { #expect(client.rawValue == engine.rawValue) }
  }
}
