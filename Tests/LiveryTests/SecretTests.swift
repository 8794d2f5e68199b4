import CSystem
import Livery
import Testing

/// What was a secret stays one, unless somebody consents.
@Suite struct SecretTests {
  private static let word = "correct-horse"
  private let temporary = TemporaryStore()

  private static func schema(_ version: Int, _ settings: String, _ steps: String = "") -> [UInt8] {
    let migrations = steps.isEmpty ? "" : ", \"Migrations\": [{\"To\": \(version), \"Steps\": [\(steps)]}]"
    return Array(
      "{\"Version\": \(version), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]\(migrations)}".utf8)
  }

  private static func text(_ key: String, secret: Bool = false) -> String {
    "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"\(key)\"\(secret ? ", \"Class\": [\"Password\"]" : "")}"
  }

  private static func list(_ members: String) -> String {
    "{\"Type\": \"List\", \"Title\": \"L\", \"Key\": \"list\", \"ItemTemplate\": [\(members)]}"
  }

  private static let old = [text("a", secret: true), text("b"), list(text("pin", secret: true) + "," + text("note"))]
    .joined(separator: ",")

  struct Case: Sendable, CustomTestStringConvertible {
    let settings, steps, setting: String
    var isKnownBefore = true
    var testDescription: String { steps.isEmpty ? settings : steps }
  }

  private static let rest = text("b") + "," + list(text("pin", secret: true) + "," + text("note"))
  static let cases = [
    Case(settings: [text("a"), rest].joined(separator: ","), steps: "", setting: "a"),
    Case(settings: text("c") + "," + rest, steps: #"{"Op": "rename", "From": "a", "Into": "c"}"#, setting: "c"),
    Case(
      settings: text("a", secret: true) + "," + text("c") + "," + rest,
      steps: #"{"Op": "copy", "From": "a", "Into": "c"}"#, setting: "c"),
    Case(
      settings: text("c") + "," + text("d") + "," + rest,
      steps: #"{"Op": "split", "Key": "a", "By": "-", "Into": ["c", "d"]}"#, setting: "c"),
    Case(
      settings: text("c") + "," + list(text("pin", secret: true) + "," + text("note")),
      steps: #"{"Op": "join", "Keys": ["a", "b"], "By": " ", "Into": "c"}"#, setting: "c"),
    Case(
      settings: text("c") + "," + text("d") + "," + list(text("pin", secret: true) + "," + text("note")),
      steps:
        #"{"Op": "gather", "Keys": ["a", "b"], "Into": "o"}, {"Op": "spread", "Key": "o", "Into": {"a": "c", "b": "d"}}"#,
      setting: "c"),
    Case(
      settings: text("c") + "," + rest,
      steps: #"{"Op": "convert", "Key": "a", "Type": "string"}, {"Op": "rename", "From": "a", "Into": "c"}"#,
      setting: "c"),
    Case(
      settings: text("a", secret: true) + "," + text("b") + "," + list(text("pin") + "," + text("note")), steps: "",
      setting: "list"),
    Case(
      settings: text("a", secret: true) + "," + text("b") + "," + list(text("word") + "," + text("note")),
      steps: #"{"Op": "rename", "From": "list[].pin", "Into": "list[].word"}"#, setting: "list"),
    Case(
      settings: text("a", secret: true) + "," + text("b") + "," + text("c") + ","
        + list(text("pin", secret: true) + "," + text("note")),
      steps: #"{"Op": "call", "Name": "tell"}"#, setting: "c", isKnownBefore: false),
  ]

  private func filled() throws -> Store {
    let store = try temporary.open()
    #expect(store.applySchema(Self.schema(1, Self.old)).error == nil)
    try store.set("a", to: .string(Self.word), in: .user)
    try store.set("b", to: .string("b"), in: .user)
    let item = Value.object([.init("pin", .string(Self.word)), .init("note", .string("n"))])
    try store.set("list", to: .list([item]), in: .user)
    try store.registerMigration("tell") { (call) throws(StoreError) in
      guard case .string(let text)? = try call.value("a") else { return }
      try call.set("c", to: .string("it is \(text)"))
    }
    return store
  }

  @Test(arguments: cases) func whatWouldShowASecretNeedsConsent(_ shown: Case) throws {
    let store = try filled()
    let schema = Self.schema(2, shown.settings, shown.steps)
    let compared = Store.compareSchemas(Self.schema(1, Self.old), schema).report
    let found = compared["findings"]?.items.filter { $0.text("code") == "declassified" } ?? []
    #expect(!found.isEmpty == shown.isKnownBefore)
    for plan in [store.checkSchema(schema), store.applySchema(schema), store.applySchema(schema, declassifying: ["b"])]
    {
      #expect(plan.error?.code == .migration)
      #expect(plan.error?.setting == shown.setting)
      #expect(plan.error?.message.contains(Self.word) == false)
      let told = plan.report["declassified"]?.items ?? []
      #expect(told.first?.text("name") == shown.setting && told.first?["allowed"] == .bool(false))
      // What is told of values is marked.
      for step in plan.report["steps"]?.items ?? [] where step.json().contains(Self.word) {
        #expect(step["secret"] == .bool(true))
      }
    }
    #expect(try store.schemaVersion() == 1)
    let names = ["c", "d", "a", "list"]
    #expect(store.checkSchema(schema, declassifying: names).error == nil)
    #expect(store.applySchema(schema, declassifying: names).error == nil)
  }

  @Test func whatStaysSecretNeedsNone() throws {
    let store = try filled()
    let settings = Self.text("c", secret: true) + "," + Self.rest
    let schema = Self.schema(2, settings, #"{"Op": "rename", "From": "a", "Into": "c"}"#)
    #expect(store.checkSchema(schema).report["declassified"]?.count == 0)
    #expect(store.applySchema(schema).error == nil)
    #expect(try store.string("c") == Self.word)
    let none = Self.schema(3, Self.rest, #"{"Op": "remove", "Key": "c"}"#)
    #expect(store.applySchema(none).error == nil)
  }

  @Test func aSecretThatComesBackPlainNeedsConsent() throws {
    let store = try filled()
    #expect(store.applySchema(Self.schema(2, Self.rest)).error == nil)
    let back = Self.schema(3, Self.text("a") + "," + Self.rest)
    #expect(store.applySchema(back).error?.code == .migration)
    #expect(store.applySchema(back, declassifying: ["a"]).error == nil)
  }

  @Test func messagesOfRejectedValuesKeepASecretThatIsNoneAnyMore() throws {
    let store = try filled()
    let number = #"{"Type": "Number", "Format": "integer", "Title": "T", "Key": "a"}"#
    let outcome = store.checkSchema(Self.schema(2, number + "," + Self.rest), declassifying: ["a"])
    #expect(outcome.report["rejected"]?.count == 1)
    #expect(!outcome.report.json().contains(Self.word))
  }

  @Test func anExpiredSecretIsForgotten() throws {
    let store = try filled()
    let change = try store.change(.session)
    try change.expires(Timestamp(microseconds: Timestamp.now.microseconds + 100_000))
    try change.set("a", to: .string("until-then"))
    try change.commit()
    #expect(try store.history().json().contains("until-then"))
    lvs_sleep_us(150_000)
    try store.set("b", to: .string("next"), in: .user)
    #expect(try !store.history().json().contains("until-then"))
  }

  @Test(.onDisk) func historyAfterAResetIsReadAnewFromTheFile() throws {
    let store = try filled()
    try store.reset("a", in: .user)
    store.close()
    let again = try temporary.open()
    let changes = try again.history().items.flatMap { $0["changes"]?.items ?? [] }.filter { $0.text("name") == "a" }
    #expect(changes.count == 2)
    #expect(changes.allSatisfy { $0["forgotten"] == .bool(true) && $0["secret"] == .bool(true) && $0["old"] == nil })
    #expect(Store.check(path: again.path).error == nil)
  }
}
