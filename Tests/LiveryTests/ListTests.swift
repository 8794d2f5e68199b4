import CSystem
import Livery
import Testing

/// What a template says of the items of a list beside constraints: defaults of members, and who may set them.
@Suite struct ListTests {
  private static let schema = #"""
    {"Version": 1, "Groups": [{"Title": "G", "Settings": [
      {"Type": "List", "Title": "Playlist", "Key": "playlist", "UniqueBy": "id", "ItemTemplate": [
        {"Type": "TextField", "Title": "Id", "Key": "id", "Required": true},
        {"Type": "Number", "Title": "Seconds", "Key": "seconds", "Format": "integer", "Value": 10},
        {"Type": "TextField", "Title": "Licence", "Key": "licence", "Value": "free", "ReadOnly": true},
        {"Type": "TextField", "Title": "Note", "Key": "note"},
        {"Type": "List", "Title": "Cues", "Key": "cues", "ItemTemplate": [
          {"Type": "Number", "Title": "At", "Key": "at", "Format": "integer", "Value": 0},
          {"Type": "ToggleSwitch", "Title": "Approved", "Key": "approved", "Value": false, "ReadOnly": true}]}]},
      {"Type": "List", "Title": "Rows", "Key": "rows", "ItemTemplate": [
        {"Type": "TextField", "Title": "Text", "Key": "text"},
        {"Type": "TextField", "Title": "Owner", "Key": "owner", "ReadOnly": true}]},
      {"Type": "List", "Title": "Needed", "Key": "needed", "Required": true, "ItemTemplate": [
        {"Type": "TextField", "Title": "Text", "Key": "text"}]}
    ]}]}
    """#

  let temporary = TemporaryStore()
  let place = TemporaryStore()

  private func refusal(_ store: Store, _ name: String, _ json: String, in layer: Layer = .user) throws -> StoreError? {
    let value = try Value.of(json)
    do throws(StoreError) { try store.set(name, to: value, in: layer) } catch { return error }
    return nil
  }

  @Test func aListThatNobodyHasFilledIsEmptyUnlessItIsRequired() throws {
    let store = try temporary.open(schema: Self.schema)
    #expect(try store.value("playlist") == .list([]))
    #expect(try store.list(of: "rows").isEmpty)
    #expect(try store.settings()["Values"]?["rows"] == .list([]))
    #expect(code { () throws(StoreError) in _ = try store.value("needed") } == .noValue)
    // It is the default like any other: history and undo know nothing of it.
    try store.set("rows", to: .list([.object([.init("text", .string("a"))])]), in: .user)
    try store.reset("rows", in: .user)
    #expect(try store.value("rows") == .list([]))
  }

  @Test func membersThatAnItemLacksAreReadAsTheirDefaultsAndExportedAsTheyWereSet() throws {
    let store = try temporary.open(schema: Self.schema)
    let heard = TestLock(), events = ListEvents()
    let watch = try store.observe("playlist") { found in heard.withLock { events.all += found } }
    defer { watch.cancel() }
    let set = try Value.of(#"[{"id": "a", "cues": [{}, {"at": 5}]}, {"id": "b", "seconds": 3, "note": "x"}]"#)
    try store.set("playlist", to: set, in: .user)
    let read = try Value.of(
      #"""
      [{"id": "a", "cues": [{"at": 0, "approved": false}, {"at": 5, "approved": false}], "seconds": 10, "licence": "free"},
       {"id": "b", "seconds": 3, "note": "x", "licence": "free", "cues": []}]
      """#)
    #expect(try store.value("playlist") == read)
    #expect(try store.settings()["Values"]?["playlist"] == read)
    try store.edit(.user) { (change) throws(StoreError) in
      let present = try change.value("playlist")
      #expect(present == read)
    }
    for _ in 0..<2000 where heard.withLock({ events.all.isEmpty }) { lvs_sleep_us(1000) }
    #expect(heard.withLock { events.all.last?.newValue } == read)
    #expect(try Value.of(store.exportJSON())["Values"]?["playlist"] == set)
    #expect(try Value.of(store.exportJSON(layers: true))["Layers"]?["user"]?["playlist"]?["value"] == set)
    // What was read can be written back.
    try store.set("playlist", to: read, in: .user)
    #expect(try store.value("playlist") == read)
  }

  @Test func aMemberThatOnlyTheConsoleSetsIsRefusedItemByItem() throws {
    let store = try temporary.open(schema: Self.schema)
    try store.set(
      "playlist", to: try Value.of(#"[{"id": "a", "licence": "paid", "cues": [{"approved": true}]}, {"id": "b"}]"#),
      in: .recommended)
    // Matched by `id`, whatever the order; others of its members may change, and items may come and go.
    for fine in [
      #"[{"id": "b", "seconds": 1}, {"id": "a", "licence": "paid", "note": "x", "cues": [{"approved": true, "at": 7}]}]"#,
      #"[{"id": "c"}]"#, #"[{"id": "c", "licence": "free"}]"#, "[]",
    ] {
      #expect(try refusal(store, "playlist", fine) == nil, "\(fine)")
      try store.reset("playlist", in: .user)
    }
    for (wrong, message) in [
      (
        #"[{"id": "b"}, {"id": "a", "cues": [{"approved": true}]}]"#,
        "`playlist`, item 2, `licence`: only the console's"
      ),
      (#"[{"id": "b", "licence": "paid"}]"#, "`playlist`, item 1, `licence`: only the console's"),
      (#"[{"id": "c", "licence": "paid"}]"#, "`playlist`, item 1, `licence`: only the console's"),
      (#"[{"id": "a", "licence": "paid", "cues": [{}]}]"#, "`playlist`, item 1, `cues`, item 1, `approved`: only"),
      (
        #"[{"id": "b", "cues": [{"at": 1}, {"approved": true}]}]"#,
        "`playlist`, item 1, `cues`, item 2, `approved`: only"
      ),
    ] {
      let error = try refusal(store, "playlist", wrong)
      #expect(error?.code == .readOnly && error?.setting == "playlist", "\(wrong)")
      #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "") \(message)")
      #expect(try refusal(store, "playlist", wrong, in: .recommended) == nil)
      try store.set(
        "playlist", to: try Value.of(#"[{"id": "a", "licence": "paid", "cues": [{"approved": true}]}, {"id": "b"}]"#),
        in: .recommended)
    }
  }

  @Test func withoutUniqueByItemsAreMatchedByTheirPositionAndAllThatIsWrongIsTold() throws {
    let store = try temporary.open(schema: Self.schema)
    try store.set("rows", to: try Value.of(#"[{"owner": "x"}, {"owner": "y"}]"#), in: .recommended)
    #expect(try refusal(store, "rows", #"[{"owner": "x", "text": "1"}, {"owner": "y"}, {"text": "new"}]"#) == nil)
    try store.reset("rows", in: .user)
    let change = try store.change(.user)
    try change.set("rows", to: try Value.of(#"[{"owner": "y"}, {"text": "2"}, {"owner": "z"}]"#))
    #expect(code { () throws(StoreError) in _ = try change.commit() } == .readOnly)
    #expect(change.violations().items.count == 3)
    // An import that brings all layers back is no edit of the operator's.
    try store.set("rows", to: try Value.of(#"[{"owner": "x", "text": "1"}]"#), in: .user)
    let exported = try store.exportJSON(layers: true)
    let other = try place.open(schema: Self.schema)
    #expect(other.importJSON(Array(exported.utf8), into: .user).error == nil)
    #expect(try other.value("rows") == store.value("rows"))
  }
}

private final class ListEvents: @unchecked Sendable {
  var all: [Event] = []
}
