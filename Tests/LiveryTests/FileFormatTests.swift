import CSystem
import LMDB
import Livery
import Testing

/// The tags of the databases, as docs/file-format.md gives them.
enum DocumentedTag {
  static let meta: UInt8 = 1
  static let schema: UInt8 = 2
  static let settings: UInt8 = 3
  static let log: UInt8 = 5
  static let assets: UInt8 = 6
}

/// The bytes of a store, against the files in Tests/Fixtures/golden: whoever changes the format finds out here.
@Suite struct FileFormatTests {
  @Test func recordsHaveTheBytesTheyAlwaysHad() throws {
    var expected: [Golden.Line] = []
    for (label, name, record) in Golden.settings {
      let bytes = name.withSpan { record.encode(key: $0, tag: DocumentedTag.settings).array }
      expected.append(Golden.Line(label: label, key: name.bytes, value: bytes))
      let decoded = bytes.withUnsafeBytes { SettingRecord($0.bytes, key: name.bytes, tag: DocumentedTag.settings) }
      #expect(decoded?.values == record.values, "\(label)")
      #expect(decoded?.effective == record.effective, "\(label)")
    }
    try Golden.compare("settings", expected)
  }

  @Test func goldenRecordsReadBack() throws {
    let lines = try Golden.read("settings")
    try #require(lines.count == Golden.settings.count)
    for (line, expected) in zip(lines, Golden.settings) {
      func read(_ key: [UInt8], _ tag: UInt8) -> SettingRecord? {
        line.value.withUnsafeBytes { SettingRecord($0.bytes, key: key, tag: tag) }
      }
      let record = read(line.key, DocumentedTag.settings)
      #expect(record?.values == expected.record.values, "\(line.label)")
      #expect(record?.effective == expected.record.effective, "\(line.label)")
      // Bound to its key and its database.
      #expect(read(line.key + [0], DocumentedTag.settings) == nil)
      #expect(read(line.key, DocumentedTag.settings ^ 7) == nil)
      // No shorter one is taken for it, whatever its checksum says.
      let content = line.value.dropFirst(8)
      for count in 0..<content.count {
        let cut = Checksum.sealed(Array(content.prefix(count)), key: line.key, tag: DocumentedTag.settings)
        let left = cut.withUnsafeBytes {
          SettingRecord($0.bytes, key: line.key, tag: DocumentedTag.settings)
        }
        #expect(left?.values.count ?? 0 < max(expected.record.values.count, 1), "\(line.label) of \(count) bytes")
      }
    }
  }

  @Test func declarationsHaveTheBytesTheyAlwaysHad() throws {
    let schema = try #require(try compileSchema(fixture("golden/schema.json")).schema)
    var expected: [Golden.Line] = []
    for setting in schema.settings {
      let key = setting.key.bytes
      let row = Checksum.sealed([0] + setting.encode(), key: key, tag: DocumentedTag.schema)
      expected.append(Golden.Line(label: "setting", key: key, value: row))
      for alias in setting.aliases {
        let row = Checksum.sealed([1] + key, key: alias.bytes, tag: DocumentedTag.schema)
        expected.append(Golden.Line(label: "alias", key: alias.bytes, value: row))
      }
    }
    try Golden.compare("schema", expected)
    for (line, setting) in zip(try Golden.read("schema").filter { $0.label == "setting" }, schema.settings) {
      let content = line.value.withUnsafeBytes {
        Checksum.content(of: $0.bytes, key: line.key, tag: DocumentedTag.schema)
      }
      var decoded = try SettingDescriptor.decode(Array(try #require(content).dropFirst()), key: setting.key)
      decoded.defaultValue = setting.defaultValue
      #expect(decoded == setting)
    }
  }

  @Test func metaEntriesHaveTheBytesTheyAlwaysHad() throws {
    let text = try fixture("golden/schema.json")
    let schema = try #require(try compileSchema(text).schema)
    func entry(_ key: String, _ content: [UInt8]) -> Golden.Line {
      let sealed = Checksum.sealed(content, key: key.bytes, tag: DocumentedTag.meta)
      return Golden.Line(label: key, key: key.bytes, value: sealed)
    }
    let expected = [
      entry(".format", [1, 0, 0, 0, 0, 0, 0, 0]), entry(".id", Array(0...15)),
      entry(".revision", [42, 1, 0, 0, 0, 0, 0, 0]),
      entry(".schema", [3, 0, 0, 0, 0, 0, 0, 0, 0] + schema.digest), entry(".schema-text", Squeezed.encode(text)),
    ]
    try Golden.compare("meta", expected)
  }

  @Test func assetsHaveTheBytesTheyAlwaysHad() throws {
    var expected: [Golden.Line] = []
    for (label, bytes, facts) in try Golden.assets() {
      let key = SHA256.digest(bytes)
      let header = AssetHeader(facts, time: Golden.time, bytes: bytes, key: key, tag: DocumentedTag.assets)
      let stored = header.encode(key: key, tag: DocumentedTag.assets) + bytes
      expected.append(Golden.Line(label: label, key: key, value: stored))
      func read(_ key: [UInt8], _ tag: UInt8) -> AssetHeader? {
        stored.withUnsafeBytes { AssetHeader($0.bytes, key: key, tag: tag) }
      }
      func matches(_ key: [UInt8]) -> Bool {
        stored.withUnsafeBytes { header.matches($0.bytes, key: key, tag: DocumentedTag.assets) }
      }
      #expect(read(key, DocumentedTag.assets) == header)
      #expect(matches(key))
      // Bound to its key and its database.
      #expect(read(key + [0], DocumentedTag.assets) == nil)
      #expect(read(key, DocumentedTag.settings) == nil)
      #expect(!matches(key + [0]))
    }
    try Golden.compare("assets", expected)
  }

  @Test func anExportOfLayersIsReadBackByteByByte() throws {
    let temporary = TemporaryStore()
    let store = try temporary.open { $0.allowOverride = true }
    let golden = try fixture("golden/layers.json")
    let outcome = store.importJSON(golden, into: .user)
    #expect(outcome.error == nil)
    #expect(try store.exportJSON(layers: true, pretty: true) + "\n" == String(decoding: golden, as: UTF8.self))
  }
}

/// The files of bytes, and what is in them.
enum Golden {
  struct Line: Equatable, CustomStringConvertible {
    let label: String
    let key, value: [UInt8]

    var description: String { "\(label) \(Hexadecimal.encode(key)) \(Hexadecimal.encode(value))" }
  }

  /// The lines of a file: label, key and value, in hexadecimal; those that begin with `#` are comments.
  static func read(_ name: String) throws -> [Line] {
    let text = String(decoding: try fixture("golden/\(name).hex"), as: UTF8.self)
    return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ")
      try #require(parts.count == 3, "\(line)")
      return Line(
        label: String(parts[0]), key: try #require(Hexadecimal.decode(String(parts[1]))),
        value: try #require(Hexadecimal.decode(String(parts[2]))))
    }
  }

  /// Compares a file with the lines it should have, and shows those that differ.
  static func compare(_ name: String, _ expected: [Line]) throws {
    let lines = try read(name)
    for line in expected where !lines.contains(line) { Issue.record("golden/\(name).hex lacks: \(line)") }
    #expect(lines == expected)
  }

  static func assets() throws -> [(label: String, bytes: [UInt8], facts: ImageFacts)] {
    [
      ("png", try fixture("images/rgb.png"), ImageFacts(.png, width: 57, height: 23)),
      ("jpeg", try fixture("images/gray.jpg"), ImageFacts(.jpeg, width: 30, height: 20, orientation: 8)),
      ("gif", try fixture("images/still.gif"), ImageFacts(.gif, width: 37, height: 29)),
      ("webp", try fixture("images/lossless.webp"), ImageFacts(.webp, width: 46, height: 26)),
      ("svg", try fixture("images/sizeless.svg"), ImageFacts(.svg, width: 0, height: 0)),
      ("data", [0], ImageFacts(.data, width: 0, height: 0)),
    ]
  }

  /// 2026-03-01T09:30:00.25Z
  static let time = Timestamp(microseconds: 1_772_357_400_250_000)
  private static let later = Timestamp(microseconds: 1_772_357_401_250_000)

  static let object: Value = .object([
    .init("zebra", .bool(true)), .init("a", .int(-1)), .init("big", .int(.max)), .init("least", .int(.min)),
    .init("half", .double(1.5)), .init("single", .double(0.100000001490116119384765625)), .init("double", .double(0.1)),
    .init("text", .string("Grüße")), .init("data", .data([0, 255])), .init("url", .url("https://media.example/a")),
    .init("date", .date(time)), .init("color", .color(Color(red8: 51, green8: 102, blue8: 153, alpha8: 128))),
    .init("image", .image("logo@2x")), .init("list", .list([.int(23), .int(24), .int(256), .int(65536), .list([])])),
    .init("object", .object([])),
  ])

  static let settings: [(label: String, name: String, record: SettingRecord)] = [
    ("bool", "b", setting(Record(.bool(true), layer: .defaults, revision: 1, time: time, origin: "schema"))),
    ("int", "i", setting(Record(.int(-2), layer: .bundle, revision: 2, time: time, origin: "skin.plist"))),
    ("double", "d", setting(Record(.double(0.1), layer: .recommended, revision: 3, time: time, origin: "console"))),
    ("string", "größe", setting(Record(.string("a\0b"), layer: .user, revision: 4, time: time))),
    ("empty", "s", setting(Record(.string(""), layer: .user, revision: 5, time: time))),
    ("data", "x", setting(Record(.data([0, 1, 254, 255]), layer: .user, revision: 6, time: time, origin: "cli"))),
    ("url", "u", setting(Record(.url("https://www.example/"), layer: .user, revision: 7, time: time, origin: "cli"))),
    ("date", "t", setting(Record(.date(.earliest), layer: .user, revision: 8, time: Timestamp(microseconds: -1)))),
    (
      "color", "branding.color.Toolbar",
      setting(Record(.color(Color(red: 0, green: 0.5, blue: 1, alpha: 0.25)), layer: .user, revision: 9, time: time))
    ),
    ("image", "branding.logo", setting(Record(.image("logo@2x"), layer: .user, revision: 10, time: time))),
    (
      "list", "l",
      setting(Record(.list([.string("a"), .int(1), .bool(false)]), layer: .user, revision: 128, time: time))
    ),
    ("object", "o", setting(Record(object, layer: .user, revision: .max, time: time, origin: "console"))),
    ("expiring", "e", setting(Record(.int(1), layer: .override, revision: 12, time: time, expires: later))),
    ("volatile", "v", setting(volatile)),
    ("sealed", "secret", setting(sealed)),
    ("rejected", "r", setting(rejected, effective: Record(nil, layer: .defaults, revision: 0, time: zero))),
    ("none", "n", setting(effective: Record(nil, layer: .defaults, revision: 13, time: zero))),
    ("unknown", "gone", setting(Record(.int(3), layer: .user, revision: 14, time: time), isUnknown: true)),
    ("locked", "idle", locked),
    ("converted", "volume", converted),
    ("trial", "address", onTrial),
  ]

  private static let zero = Timestamp(microseconds: 0)

  /// - Parameter effective: the first of the values if it is nil.
  private static func setting(
    _ values: Record..., effective: Record? = nil, isUnknown: Bool = false
  ) -> SettingRecord {
    var setting = SettingRecord(values)
    if isUnknown {
      setting.ignore()
    } else {
      setting.decide(at: .earliest) { _ in effective?.value }
      setting.date((effective ?? values.first)?.revision ?? 0)
    }
    return setting
  }

  private static var volatile: Record {
    var record = Record(.bool(false), layer: .session, revision: 15, time: time, expires: later)
    record.boot = 1
    return record
  }

  private static var sealed: Record {
    let form = Sealed(.string, layer: Layer.user.rawValue, content: Array(0..<40))
    return Record(nil, layer: .user, revision: 16, time: time, origin: "cli").with(.sealed(form), form)
  }

  private static var locked: SettingRecord {
    var winner = Record(.int(20), layer: .enforced, revision: 300, time: time, origin: "console")
    winner.isLocked = true
    return setting(
      winner.unlocked, Record(.int(50), layer: .defaults, revision: 1, time: time),
      Record(.int(70), layer: .user, revision: 3, time: time, origin: "settings-view"), effective: winner)
  }

  private static var converted: SettingRecord {
    var winner = Record(.string("7"), layer: .user, revision: 4, time: time)
    let own = winner
    winner.value = .int(7)
    winner.revision = 9
    return setting(own, Record(.int(5), layer: .defaults, revision: 9, time: time), effective: winner)
  }

  private static var onTrial: SettingRecord {
    var setting = setting(Record(.string("10.0.0.2"), layer: .user, revision: 21, time: time, origin: "cli"))
    let term = Trial(revision: 21, boot: 7, began: 1_000_000, deadline: 601_000_000)
    setting.begin(
      term, LayerSet([.user, .session]),
      before: [Record(.string("10.0.0.1"), layer: .user, revision: 5, time: time, origin: "settings-view")])
    return setting
  }

  private static var rejected: Record {
    var record = Record(.int(70), layer: .user, revision: 3, time: time, origin: "settings-view")
    record.isRejected = true
    return record
  }
}

extension Record {
  fileprivate var unlocked: Record {
    var record = self
    record.isLocked = false
    return record
  }
}
