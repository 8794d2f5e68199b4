import Testing

@testable import Livery

/// Searches through large texts, in languages, and past what is nobody's business.
@Suite struct SearchTests {
  private let temporary = TemporaryStore()

  private func schema(_ settings: String, texts: String = "{}", _ more: String = "") -> String {
    #"{"Version": 1, \#(more)"Groups": [{"Title": "G", "Settings": [\#(settings)]}], "Texts": \#(texts)}"#
  }

  private func switches(_ count: Int) -> String {
    (0..<count).map { #"{"Type": "ToggleSwitch", "Title": "a", "Key": "k\#($0)", "Value": true}"# }.joined(
      separator: ",")
  }

  @Test func aTextThatManySettingsHaveIsThereOnce() throws {
    let long = String(repeating: "x", count: 200_000)
    let store = try temporary.open(
      schema: schema(switches(1000), texts: #"{"de": {"a": "\#(long) needle", "G": "G"}}"#))
    #expect(try store.search("needle", SearchOptions(limit: 1, locale: "de"))["total"] == .int(1000))
    #expect(try store.search("needle", SearchOptions(limit: 1))["total"] == .int(0))
    let index = try store.read { (view) throws(StoreError) in try store.shared.schemaMemory.index(view, "de") }
    #expect(index.size < 1_000_000)
  }

  @Test func localesOfTheSameTextsHaveOneIndex() throws {
    let store = try temporary.open(schema: schema(switches(2), texts: #"{"de": {"a": "b", "G": "H"}}"#))
    for locale in ["de", "DE", "de_AT.UTF-8", "de-CH", "de-Latn-AT"] {
      #expect(try store.search("b", SearchOptions(locale: locale))["total"] == .int(2))
    }
    #expect(store.shared.schemaMemory.indexCount == 1)
    for locale in [nil, "fr", "it-IT"] {
      #expect(try store.search("a", SearchOptions(locale: locale))["total"] == .int(2))
    }
    #expect(store.shared.schemaMemory.indexCount == 2)
    #expect(code { () throws(StoreError) in _ = try store.search("b", SearchOptions(locale: "-")) } == .invalidArgument)
  }

  @Test func theFirstTextThatHasAWordCounts() throws {
    let store = try temporary.open(
      schema: schema(
        """
        {"Type": "TextField", "Title": "Other", "Key": "one", "Description": "alpha"},
        {"Type": "TextField", "Title": "The alpha", "Key": "two", "Description": "alpha"},
        {"Type": "TextField", "Title": "Alpha", "Key": "three"},
        {"Type": "TextField", "Key": "alpha.four"},
        {"Type": "Pane", "Title": "Alphabet", "Settings": [{"Type": "TextField", "Title": "In it", "Key": "five"}]},
        {"Type": "ComboBox", "Title": "Box", "Key": "six", "Value": "a", "Class": ["Single"],
          "Options": [{"Title": "alpha", "Value": "a"}]}
        """))
    let found = try store.search("alpha")["results"]?.items.map { $0.text("name") }
    #expect(found == ["three", "two", "alpha.four", "six", "one", "five"])
  }

  // MARK: Secrets

  private let declared =
    #"{"Type": "TextField", "Title": "Name", "Key": "branding.name", "Value": "", "Class": ["Password"]}"#

  @Test func whatIsKeptOfASecretIsFoundNowhere() throws {
    let store = try temporary.open(schema: schema(declared, "\"Open\": true, "))
    let payload = try Value(json: JSON.parse(Array(#"{"name": "TOPSECRET", "enabled": false}"#.utf8)))
    #expect(store.branding.applyConsole(payload).error == nil)
    #expect(try store.value("brands.console.kept").json().contains("TOPSECRET"))
    for query in ["topsecret", "kept", "brands", "enabled"] {
      #expect(try store.search(query)["results"] == .list([]), "\(query)")
    }
    // Listings and the like have it as other secrets: for the program to mask.
    let kept = try store.list("brands.console.*").items.filter { $0.text("name") == "brands.console.kept" }
    #expect(kept.count == 1 && kept[0]["secret"] == .bool(true))
    #expect(try store.inspect("brands.console.kept")["secret"] == .bool(true))
    let changes = try store.history().items.flatMap { $0["changes"]?.items ?? [] }
    let told = changes.filter { $0.json().contains("TOPSECRET") }
    #expect(!told.isEmpty && told.allSatisfy { $0["secret"] == .bool(true) })
    // What keeps no secret is none.
    let open = try Value(json: JSON.parse(Array(##"{"colors": {"Toolbar": "#102030"}, "enabled": false}"##.utf8)))
    #expect(store.branding.applyConsole(open).error == nil)
    #expect(try store.inspect("brands.console.kept")["secret"] == nil)
    // A schema's own names are found, whatever they begin with.
    let other = TemporaryStore()
    let own = try other.open(
      schema: schema(#"{"Type": "TextField", "Title": "Mine", "Key": "brands.mine", "Value": "x"}"#))
    #expect(try own.search("mine")["total"] == .int(1))
  }

  // MARK: Forms

  @Test func anOptionWithoutTitleIsShownByItsValueAndCanBeTranslated() throws {
    let store = try temporary.open(
      schema: schema(
        #"{"Type": "ComboBox", "Title": "T", "Key": "k", "Value": "en", "Class": ["Single"], "Options": [{"Value": "en"}]}"#,
        texts: #"{"de": {"en": "Englisch", "T": "T", "G": "G"}}"#))
    func title(_ locale: String?) throws -> Value? {
      try store.form(FormOptions(locale: locale))["groups"]?.items[0]["elements"]?.items[0]["options"]?.items[0][
        "title"]
    }
    #expect(try title(nil) == .string("en"))
    #expect(try title("de") == .string("Englisch"))
    #expect(try store.search("englisch", SearchOptions(locale: "de"))["total"] == .int(1))
  }

  @Test func whatHasNoOriginTellsNone() throws {
    let store = try temporary.open(schema: schema(switches(1)))
    func origin() throws -> Value? { try store.form()["groups"]?.items[0]["elements"]?.items[0]["origin"] }
    try store.set("k0", to: .bool(false), in: .user)
    #expect(try origin() == nil)
    let change = try store.change(.user)
    try change.setOrigin("me")
    try change.set("k0", to: .bool(true))
    try change.commit()
    #expect(try origin() == .string("me"))
  }

  @Test func eachValueOfACommitTellsWhoHasSetIt() throws {
    let store = try temporary.open(schema: schema(switches(3)))
    func origin(_ index: Int) throws -> Value? {
      try store.inspect("k\(index)")["layers"]?.items[0]["origin"]
    }
    let change = try store.change(.user)
    try change.setOrigin("console")
    try change.attribute(to: "eva")
    try change.set("k0", to: .bool(false))
    try change.attribute(to: nil)
    try change.set("k1", to: .bool(false))
    #expect(throws: StoreError.self) { try change.attribute(to: "a\nb") }
    #expect(throws: StoreError.self) { try change.attribute(to: String(repeating: "a", count: 64)) }
    try change.commit()
    #expect(throws: StoreError.self) { try change.attribute(to: "eva") }
    #expect(try origin(0) == .string("eva"))
    #expect(try origin(1) == .string("console"))
    #expect(try store.history().items[0]["origin"] == .string("console"))
  }

  /// Whether a form calls a setting writable is whether it can be set, but for what another setting disables.
  @Test func writableIsWhatCanBeSet() throws {
    var generator = SystemRandomNumberGenerator()
    let names = (0..<12).map { "k\($0)" }
    let settings = names.map {
      #"{"Type": "ToggleSwitch", "Title": "a", "Key": "\#($0)", "Value": true, "ReadOnly": \#(Bool.random(using: &generator))}"#
    }
    let layers: [Layer] = [.bundle, .recommended, .user, .session, .enforced]
    let store = try temporary.open(schema: schema(settings.joined(separator: ",")))
    for round in 0..<20 {
      for name in names where Bool.random(using: &generator) {
        let isSet = Bool.random(using: &generator)
        if isSet {
          try store.set(name, to: .bool(false), in: .enforced)
        } else {
          try store.reset(name, in: .enforced)
        }
      }
      let layer = layers[round % layers.count]
      for element in try store.form(FormOptions(layer: layer))["groups"]?.items[0]["elements"]?.items ?? [] {
        let name = element.text("name") ?? ""
        let value = try store.value(name) == .bool(true)
        let isTaken = code { () throws(StoreError) in try store.set(name, to: .bool(!value), in: layer) } == nil
        #expect(element["writable"] == .bool(isTaken), "\(name) in \(layer)")
      }
    }
  }
}
