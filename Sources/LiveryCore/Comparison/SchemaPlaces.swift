/// Where the settings of a schema stand in its document, by their path: a setting, then members of lists' items.
struct SchemaPlaces {
  private var numbers = ByteIndex()
  private var pointers: [[PathStep]] = []
  private var objects: [JSON] = []

  /// Of a document that compiles.
  init(_ document: JSON) {
    guard case .array(let groups)? = document["Groups"] else { return }
    for (index, group) in groups.enumerated() {
      guard let settings = group["Settings"] else { continue }
      add(settings, at: [.member("Groups"), .index(index), .member("Settings")], within: [])
    }
  }

  private mutating func add(_ settings: JSON, at path: [PathStep], within lists: [String]) {
    guard case .array(let items) = settings else { return }
    for (index, item) in items.enumerated() {
      let place = path + [.index(index)]
      if let inner = item["Settings"] { add(inner, at: place + [.member("Settings")], within: lists) }
      var names = lists
      if case .string(let key)? = item["Key"] {
        names.append(key)
      } else if !lists.isEmpty, item["Type"] != .string(SchemaType.header.name), item["Settings"] == nil {
        // The items are plain values.
        names.append("")
      } else {
        continue
      }
      if numbers.insert(Self.key(names)).isNew {
        pointers.append(place)
        objects.append(item)
      }
      // The items of a multiple choice.
      if item["Options"] != nil, numbers.insert(Self.key(names + [""])).isNew {
        pointers.append(place)
        objects.append(item)
      }
      if let template = item["ItemTemplate"] { add(template, at: place + [.member("ItemTemplate")], within: names) }
    }
  }

  /// The pointer of a setting's member, or of its key if it has no such member.
  func pointer(_ names: [String], _ member: SchemaMember) -> String? {
    guard let number = numbers.number(of: Self.key(names)) else { return nil }
    let named = objects[number][SchemaMember.key.name] == nil ? SchemaMember.type : .key
    let member = objects[number][member.name] == nil ? named : member
    return (pointers[number] + [.member(member.name)]).pointer
  }

  // No key has a control character.
  private static func key(_ names: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for name in names { bytes += name.bytes + [0x0A] }
    return bytes
  }
}
