import LiveryCore
import Testing

@Suite struct SchemaCodingTests {
  static let full = #"""
    {"Type": "TextField", "Title": "Name", "Key": "name", "Value": "Bob", "Placeholder": "…", "Description": "D",
     "Class": ["Password"], "Unit": "u", "MinLength": 1, "MaxLength": 9, "Pattern": "^B", "Required": true,
     "ReadOnly": true, "Hidden": true, "Restart": true, "Survives": ["logout"], "Volatile": true, "Since": 2, "Deprecated": "use other",
     "Aliases": ["old", "older"], "EnabledBy": {"Key": "on", "Equals": "true"}},
    {"Type": "ToggleSwitch", "Title": "On", "Key": "on"},
    {"Type": "Number", "Title": "N", "Key": "n", "Minimum": 0.5, "Maximum": 9, "Step": 0.5, "Since": "2.1", "Unit": "s"},
    {"Type": "Date", "Title": "D", "Key": "d", "Minimum": "2026-01-01T00:00:00Z"},
    {"Type": "ComboBox", "Title": "C", "Key": "c", "Class": ["Multiple"], "MaxItems": 1,
     "Options": [{"Title": "One", "Value": 1}, {"Title": "Two", "Value": "2"}]},
    {"Type": "List", "Title": "L", "Key": "l", "UniqueBy": "x", "MaxItems": 5, "ItemTemplate": [
      {"Type": "Header", "Title": "H"},
      {"Type": "Pane", "Title": "P", "Settings": [
        {"Type": "Number", "Title": "X", "Key": "x", "Format": "integer", "Value": "7"}]},
      {"Type": "ToggleSwitch", "Title": "Y", "Key": "on", "EnabledBy": {"Key": "x", "Equals": "7"}},
      {"Type": "List", "Title": "Z", "Key": "z", "ItemTemplate": [{"Type": "Image", "Title": "I", "Key": "i"}]}]}
    """#

  @Test func descriptorsComeBackFromStorage() throws {
    for descriptor in try schema(schemaText(Self.full)).settings {
      var expected = descriptor
      expected.defaultValue = nil
      #expect(try SettingDescriptor.decode(descriptor.encode(), key: descriptor.key) == expected)
    }
  }

  @Test func everyMemberIsRead() throws {
    let settings = try schema(schemaText(Self.full)).settings
    let name = settings[0]
    #expect(name.title == "Name" && name.placeholder == "…" && name.description == "D" && name.unit == "u")
    #expect(name.isSecret && name.isRequired && name.isReadOnly && name.isHidden && name.needsRestart)
    #expect(name.survivesLogout && name.isVolatile && !settings[1].survivesLogout && !settings[1].isVolatile)
    #expect(name.minLength == 1 && name.maxLength == 9 && name.pattern == "^B")
    #expect(name.since == "2" && name.deprecated == "use other" && name.aliases == ["old", "older"])
    #expect(name.enabledBy == .init(key: "on", equals: .bool(true)))
    #expect(name.defaultValue == .string("Bob") && name.group == "G")
    #expect(settings[2].minimum == .double(0.5) && settings[2].maximum == .int(9) && settings[2].since == "2.1")
    #expect(settings[5].template.map { $0.key } == ["x", "on", "z"])
    #expect(settings[5].template[0].defaultValue == .int(7))
    #expect(settings[5].template[1].enabledBy == .init(key: "x", equals: .int(7)))
    #expect(settings[5].template[2].template.map { $0.kind } == [.image])
  }

  @Test func constraintsAreNamedAsInTheSchema() throws {
    let settings = try schema(schemaText(Self.full)).settings
    func names(_ index: Int) -> [String] {
      guard case .object(let members) = settings[index].constraints else { return [] }
      return members.map { $0.key }
    }
    #expect(names(0) == ["Unit", "MinLength", "MaxLength", "Pattern", "Required", "EnabledBy"])
    #expect(names(1) == [])
    #expect(names(2) == ["Minimum", "Maximum", "Step", "Unit"])
    #expect(names(4) == ["MaxItems", "Options"])
    #expect(names(5) == ["MaxItems", "UniqueBy"])
    #expect(
      settings[4].constraints["Options"]
        == .list([
          .object([.init("Title", .string("One")), .init("Value", .int(1))]),
          .object([.init("Title", .string("Two")), .init("Value", .string("2"))]),
        ]))
  }

  @Test func kindsAreNamedAsTheTypesOfTheirValues() {
    #expect(
      SettingKind.allCases.map { $0.description } == [
        "bool", "int", "double", "string", "data", "url", "date", "color", "image", "choice", "list", "list",
      ])
  }

  @Test func damagedDescriptorsAreCorrupt() throws {
    let members: [Value.Member] = [.init("key", .string("a")), .init("kind", .int(2))]
    var damaged: [[UInt8]] = [[], [0xFF], CBOR.encode(.int(1)), CBOR.encode(.object([.init("key", .string("a"))]))]
    damaged.append(CBOR.encode(.object([.init("key", .string("a")), .init("kind", .int(99))])))
    damaged.append(CBOR.encode(.object([.init("key", .string("a")), .init("kind", .int(999))])))
    for key in ["title", "secret", "minLength", "options", "enabledBy", "template", "aliases"] {
      damaged.append(CBOR.encode(.object(members + [.init(key, .double(0.5))])))
    }
    damaged.append(CBOR.encode(.object(members + [.init("options", .list([.int(1)]))])))
    damaged.append(CBOR.encode(.object(members + [.init("enabledBy", .list([.int(1)]))])))
    for bytes in damaged {
      let error = #expect(throws: StoreError.self) { try SettingDescriptor.decode(bytes, key: "a") }
      #expect(error?.code == .corrupt)
    }
    let future = CBOR.encode(.object(members + [.init("futureMember", .int(1))]))
    #expect(try SettingDescriptor.decode(future, key: "a") == SettingDescriptor(key: "a", kind: .int))
  }

  @Test func mutatedDescriptorsNeverTrap() throws {
    var random = SchemaRandom(seed: 3)
    let originals = try schema(schemaText(Self.full)).settings.map { $0.encode() }
    for _ in 0..<2_000 {
      var bytes = originals[random.below(originals.count)]
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      guard let descriptor = try? SettingDescriptor.decode(bytes, key: "a") else { continue }
      _ = descriptor.constraints
      for value: Value in [.int(1), .double(0.1), .string("x"), .list([.object([.init("x", .int(1))])])] {
        _ = descriptor.validated(value)
      }
    }
  }
}
