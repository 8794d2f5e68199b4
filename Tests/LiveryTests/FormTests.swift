import Livery
import Testing

/// Forms of schemas of any shape.
@Suite struct FormTests {
  let temporary = TemporaryStore()

  @Test func aFormIsOfTheSampleSchemasAsTheyAre() throws {
    let store = try temporary.open()
    for version in 1...3 {
      let schema = try fixture("asm/SettingsSchema.v\(version).json")
      if let error = store.applySchema(schema).error { throw error }
      let form = try store.form()
      let document = try JSON.parse(schema)
      #expect(form["version"] == .int(Int64(version)))
      guard case .array(let groups)? = document["Groups"], case .list(let drawn)? = form["groups"] else {
        Issue.record("there are no groups")
        return
      }
      #expect(groups.count == drawn.count)
      for (group, one) in zip(groups, drawn) {
        #expect(one["title"] == group["Title"].flatMap { try? Value(json: $0) })
        Self.compare(group["Settings"], one["elements"])
      }
    }
  }

  /// Compares types, keys, titles and nesting.
  private static func compare(_ settings: JSON?, _ elements: Value?) {
    guard case .array(let settings)? = settings, case .list(let elements)? = elements else {
      Issue.record("no arrays")
      return
    }
    #expect(settings.count == elements.count)
    for (setting, element) in zip(settings, elements) {
      #expect(element["title"] == setting["Title"].flatMap { try? Value(json: $0) })
      #expect(element["name"] == setting["Key"].flatMap { try? Value(json: $0) })
      #expect(element["placeholder"] == setting["Placeholder"].flatMap { try? Value(json: $0) })
      if let inner = setting["Settings"] { compare(inner, element["elements"]) }
      if let inner = setting["ItemTemplate"] { compare(inner, element["template"]) }
    }
  }

  @Test func panesMayNestAsDeepAsSchemasDo() throws {
    var settings = #"{"Type": "TextField", "Title": "Deep down", "Key": "deep", "Value": "x"}"#
    for depth in 0..<32 { settings = #"{"Type": "Pane", "Title": "P\#(depth)", "Settings": [\#(settings)]}"# }
    let store = try temporary.open(schema: #"{"Version": 1, "Groups": [{"Title": "G", "Settings": [\#(settings)]}]}"#)
    var element = try store.form()["groups"]
    for _ in 0..<33 {
      guard case .list(let items)? = element else { break }
      element = items.first?["elements"]
    }
    guard case .list(let items)? = element else {
      Issue.record("the panes end too soon")
      return
    }
    #expect(items.first?["name"] == .string("deep"))
    guard case .list(let found)? = try store.search("deep p31")["results"], case .list(let group)? = found.first?["group"]
    else {
      Issue.record("nothing is found")
      return
    }
    #expect(group.count == 33 && group.last == .string("P0"))
  }

  @Test func plainListsHaveATemplateWithoutName() throws {
    let store = try temporary.open(
      schema: #"""
        {"Version": 1, "Groups": [{"Title": "G", "Settings": [{"Type": "List", "Title": "L", "Key": "l", "Value": ["a"],
          "ItemTemplate": [{"Type": "Header", "Title": "H"}, {"Type": "TextField", "Title": "T", "Class": ["Password"]}]}]}]}
        """#)
    guard case .list(let groups)? = try store.form()["groups"], case .list(let elements)? = groups[0]["elements"],
      case .list(let template)? = elements[0]["template"]
    else {
      Issue.record("there is no template")
      return
    }
    #expect(template.count == 2 && template[1]["kind"] == .string("secret") && template[1]["name"] == nil)
    #expect(elements[0]["items"] == .list([.bool(true)]) && elements[0]["default"] == .list([.bool(true)]))
  }

  @Test func aStoreOpenedReadOnlyIsReadOnlyAllOver() throws {
    let store = try temporary.open(
      schema: #"{"Version": 1, "Groups": [{"Title": "G", "Settings": [{"Type": "URL", "Title": "U", "Key": "u"}]}]}"#)
    let reader = try temporary.open { $0.readOnly = true }
    for (one, isWritable) in [(store, true), (reader, false)] {
      guard case .list(let groups)? = try one.form()["groups"], case .list(let elements)? = groups[0]["elements"] else {
        return
      }
      #expect(elements[0]["writable"] == .bool(isWritable))
      #expect(elements[0]["reason"] == (isWritable ? nil : .string("read-only")))
    }
  }

  /// Schemas at random: what a form has is what there is, by all that can be asked otherwise.
  @Test(arguments: 0..<40) func aFormSaysWhatInspectionSays(_ seed: UInt64) throws {
    var generator = FormGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
    let schema = generator.schema()
    let store = try temporary.open(schema: schema)
    for name in generator.names where generator.below(2) == 0 {
      let layer: Layer = [.user, .recommended, .enforced][generator.below(3)]
      try? store.set(name, to: .string(["1", "true", "a", "#123456"][generator.below(4)]), in: layer)
    }
    let form = try store.form(FormOptions(includesHidden: true))
    var seen: [String] = []
    guard case .list(let groups)? = form["groups"] else {
      Issue.record("there are no groups")
      return
    }
    for group in groups { try Self.walk(group["elements"], store, &seen) }
    #expect(seen == generator.names)
    // What is hidden is left out, with all that is in a hidden pane.
    var shown: [String] = []
    guard case .list(let fewer)? = try store.form()["groups"] else { return }
    for group in fewer { try Self.walk(group["elements"], store, &shown) }
    #expect(shown == generator.names.filter { !generator.hidden.contains($0) })
    for name in generator.names {
      guard case .list(let found)? = try store.search(name, SearchOptions(includesHidden: true))["results"] else { return }
      #expect(found.contains { $0["name"] == .string(name) })
    }
  }

  private static func walk(_ elements: Value?, _ store: Store, _ seen: inout [String]) throws {
    guard case .list(let elements)? = elements else { return }
    for element in elements {
      if element["kind"] == .string("pane") { try walk(element["elements"], store, &seen) }
      guard case .string(let name)? = element["name"] else { continue }
      seen.append(name)
      let facts = try store.inspect(name)
      let isSecret = facts["secret"] == .bool(true)
      #expect(element[element["kind"] == .string("list") ? "items" : "value"] == (isSecret ? nil : facts["effective"]?["value"]))
      #expect(element["layer"] == facts["effective"]?["layer"])
      #expect(element["title"] == facts["title"])
      #expect((element["reason"] == .string("locked")) == (facts["locked"] == .bool(true)))
      #expect(element["minimum"] == facts["constraints"]?["Minimum"])
    }
  }
}

/// Makes schemas at random.
struct FormGenerator {
  var state: UInt64
  private(set) var names: [String] = []
  private(set) var hidden: [String] = []

  init(state: UInt64) {
    self.state = state
  }

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(limit))
  }

  mutating func schema() -> String {
    var groups: [String] = []
    for _ in 0..<(1 + below(4)) {
      groups.append(#"{"Title": "Group \#(below(9))", "Settings": [\#(settings(depth: 0, isHidden: false))]}"#)
    }
    return #"{"Version": 1, "Groups": [\#(groups.joined(separator: ", "))], "Texts": {"de": {"Title": "Titel"}}}"#
  }

  private mutating func settings(depth: Int, isHidden: Bool) -> String {
    var settings: [String] = []
    for _ in 0..<below(6) {
      let hides = below(6) == 0
      let flag = hides ? #", "Hidden": true"# : ""
      switch below(depth < 3 ? 12 : 10) {
      case 0: settings.append(#"{"Type": "Header", "Title": "Heading"\#(flag)}"#)
      case 10, 11:
        let inner = self.settings(depth: depth + 1, isHidden: isHidden || hides)
        settings.append(#"{"Type": "Pane", "Title": "Pane"\#(flag), "Settings": [\#(inner)]}"#)
      case let kind:
        let name = "setting\(names.count).\(below(100))"
        names.append(name)
        if isHidden || hides { hidden.append(name) }
        settings.append(#"{\#(Self.setting(kind)), "Title": "Title \#(below(5))", "Key": "\#(name)"\#(flag)}"#)
      }
    }
    return settings.joined(separator: ", ")
  }

  private static func setting(_ kind: Int) -> String {
    switch kind {
    case 1: #""Type": "TextField", "Value": "text""#
    case 2: #""Type": "TextField", "Class": ["Password"], "Value": "hush""#
    case 3: #""Type": "ToggleSwitch", "Value": false"#
    case 4: #""Type": "Number", "Format": "integer", "Minimum": 0, "Value": 5"#
    case 5: #""Type": "ComboBox", "Class": ["Single"], "Value": "1", "Options": [{"Title": "One", "Value": "1"}]"#
    case 6: #""Type": "Color""#
    case 7:
      #""Type": "List", "ItemTemplate": [{"Type": "Pane", "Title": "P", "Settings": [{"Type": "URL", "Title": "U", "Key": "u"}]}]"#
    case 8: #""Type": "Date", "ReadOnly": true"#
    default: #""Type": "ComboBox", "Class": ["Multiple"], "Value": [], "Options": [{"Title": "One", "Value": 1}]"#
    }
  }
}
