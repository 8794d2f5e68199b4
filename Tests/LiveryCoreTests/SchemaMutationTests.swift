import LiveryCore
import Testing

/// A seeded generator (SplitMix64): the same mutations in every run.
struct SchemaRandom {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int {
    bound <= 0 ? 0 : Int(next() % UInt64(bound))
  }
}

@Suite struct SchemaMutationTests {
  /// Whatever comes out must hold together.
  private func check(_ text: [UInt8]) {
    guard let compilation = try? compileSchema(text) else { return }
    let hasErrors = compilation.diagnostics.contains { $0.severity == .error }
    #expect((compilation.schema == nil) == hasErrors)
    for diagnostic in compilation.diagnostics {
      #expect(diagnostic.location != nil, "\(diagnostic.code) \(diagnostic.pointer)")
    }
    for descriptor in compilation.schema?.settings ?? [] {
      if let value = descriptor.defaultValue { #expect(descriptor.validated(value).value == value) }
      #expect(
        (try? SettingDescriptor.decode(descriptor.encode(), key: descriptor.key))?.encode() == descriptor.encode())
    }
  }

  private static func originals() throws -> [[UInt8]] {
    try (1...3).map { try fixture("asm/SettingsSchema.v\($0).json") } + [schemaText(SchemaCodingTests.full)]
  }

  @Test func mutatedBytesNeverTrap() throws {
    var random = SchemaRandom(seed: 1)
    let originals = try Self.originals()
    for _ in 0..<1_000 {
      var text = originals[random.below(originals.count)]
      for _ in 0...random.below(4) {
        let place = random.below(text.count)
        switch random.below(4) {
        case 0: text[place] = UInt8(random.below(256))
        case 1: text.remove(at: place)
        case 2: text.insert(Array("{}[]\",:0-.e\\".utf8)[random.below(12)], at: place)
        default: text.removeSubrange(place..<min(text.count, place + random.below(40)))
        }
        if text.isEmpty { text = [0x7B] }
      }
      check(text)
    }
  }

  @Test func mutatedStructureNeverTraps() throws {
    var random = SchemaRandom(seed: 2)
    let originals = try Self.originals().map { try JSON.parse($0) }
    for _ in 0..<1_500 {
      var document = originals[random.below(originals.count)]
      for _ in 0...random.below(3) { document = mutated(document, &random) }
      check(Self.text(of: document).bytes)
    }
  }

  /// The document with one place in it changed.
  private func mutated(_ json: JSON, _ random: inout SchemaRandom) -> JSON {
    let stays = random.below(8) != 0
    switch json {
    case .array(var items) where stays && !items.isEmpty:
      let index = random.below(items.count)
      switch random.below(8) {
      case 0: items.remove(at: index)
      case 1: items.append(items[index])
      default: items[index] = mutated(items[index], &random)
      }
      return .array(items)
    case .object(var members) where stays && !members.isEmpty:
      let index = random.below(members.count)
      switch random.below(8) {
      case 0: members.remove(at: index)
      case 1: members[index].key = Self.keys[random.below(Self.keys.count)]
      case 2:
        let key = Self.keys[random.below(Self.keys.count)]
        if json[key] == nil { members.append(.init(key: key, value: Self.scalars[random.below(Self.scalars.count)])) }
      default: members[index].value = mutated(members[index].value, &random)
      }
      var seen: [String] = []
      return .object(
        members.filter { member in
          defer { seen.append(member.key) }
          return !seen.contains(member.key)
        })
    default:
      return Self.scalars[random.below(Self.scalars.count)]
    }
  }

  private static let keys = [
    "Type", "Title", "Key", "Value", "Options", "Class", "Settings", "ItemTemplate", "Minimum", "Maximum", "Step",
    "MinLength", "MaxLength", "Pattern", "Required", "MaxItems", "UniqueBy", "Aliases", "EnabledBy", "Format", "Since",
    "Version", "Groups", "Migrations", "", "é", "a/b",
  ]

  private static let scalars: [JSON] = [
    .null, .bool(true), .int(0), .int(-1), .int(.max), .int(.min), .double(1.5), .double(1e308), .string(""),
    .string("a"), .string("on"), .string("Number"), .string("List"), .string("ComboBox"), .string("("),
    .string("a{999}"), .string("2026-01-01T00:00:00Z"), .array([]), .object([]), .array([.string("Password")]),
    .object([.init(key: "Key", value: .string("on")), .init(key: "Equals", value: .bool(true))]),
    .array([.object([.init(key: "Title", value: .string("a")), .init(key: "Value", value: .int(1))])]),
  ]

  private static func text(of json: JSON) -> String {
    switch json {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): Value.string(text).json()
    case .array(let items): "[" + items.map { text(of: $0) }.joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Value.string($0.key).json() + ":" + text(of: $0.value) }.joined(separator: ",") + "}"
    }
  }
}
