import Foundation
import Livery
import LiveryCodable
import Testing

@Suite struct StoreCodableTests {
  private let schema = """
    {"Version": 1, "Groups": [{"Title": "Kiosk", "Settings": [
      {"Type": "Number", "Title": "Idle", "Key": "idleResetSeconds", "Format": "integer", "Value": 120, "Maximum": 600},
      {"Type": "TextField", "Title": "Title", "Key": "title", "Value": "Hello"},
      {"Type": "TextField", "Title": "Note", "Key": "note"},
      {"Type": "URL", "Title": "Media", "Key": "media.url", "Value": "https://a.example/b"},
      {"Type": "Number", "Title": "Loops", "Key": "media.loop.count", "Format": "integer", "Value": 2},
      {"Type": "Color", "Title": "Toolbar", "Key": "branding.color.Toolbar", "Value": "#336699"},
      {"Type": "Color", "Title": "Text", "Key": "branding.color.Text", "Value": "#FFFFFF"},
      {"Type": "Date", "Title": "Opens", "Key": "opens", "Value": "2026-01-02T03:04:05Z"},
      {"Type": "Data", "Title": "Blob", "Key": "blob", "Value": "AQID"},
      {"Type": "List", "Title": "Playlist", "Key": "playlist", "Value": [{"media": "a.mp4", "seconds": 5}], "ItemTemplate": [
        {"Type": "TextField", "Title": "Media", "Key": "media", "Value": ""},
        {"Type": "Number", "Title": "Seconds", "Key": "seconds", "Format": "integer", "Value": 10}]}
    ]}]}
    """

  private struct Item: Codable, Equatable {
    var media: String
    var seconds: Int
  }

  private struct Settings: Decodable {
    struct Media: Decodable {
      struct Loop: Decodable { var count: Int }
      var url: URL
      var loop: Loop
    }
    struct Branding: Decodable { var color: [String: Color] }
    enum CodingKeys: String, CodingKey {
      case idle = "idleResetSeconds", toolbar = "branding.color.Toolbar"
      case title, note, media, branding, opens, blob, playlist, nothing
    }
    var idle: Int
    var toolbar: Color
    var title: String
    var note: String?
    var media: Media
    var branding: Branding
    var opens: Date
    var blob: Data
    var playlist: [Item]
    var nothing: [String: Int]?
  }

  private func open() throws -> Store {
    var options = Store.Options()
    options.inMemory = true
    let store = try Store(path: "", options: options)
    if let error = store.applySchema(Array(schema.utf8)).error { throw error }
    return store
  }

  @Test func theSettingsDecodeAsOneType() throws {
    let store = try open()
    try store.set("idleResetSeconds", to: .int(60), in: .user)
    let settings = try store.decode(Settings.self)
    #expect(settings.idle == 60 && settings.title == "Hello" && settings.note == nil && settings.nothing == nil)
    #expect(settings.media.url.absoluteString == "https://a.example/b" && settings.media.loop.count == 2)
    #expect(settings.toolbar.hex == "#336699FF")
    #expect(settings.branding.color.mapValues(\.hex) == ["Toolbar": "#336699FF", "Text": "#FFFFFFFF"])
    #expect(settings.opens == Date(timeIntervalSince1970: 1_767_323_045) && settings.blob == Data([1, 2, 3]))
    #expect(settings.playlist == [Item(media: "a.mp4", seconds: 5)])
    let all = try store.decode([String: Value].self)
    #expect(all.count == 9 && all["media.url"] == .url("https://a.example/b") && all["note"] == nil)
    #expect(throws: DecodingError.self) { try store.decode([String: Int].self) }
    #expect(throws: DecodingError.self) { try store.decode([Int].self) }
  }

  @Test func oneSettingDecodesAsAType() throws {
    let store = try open()
    #expect(try store.value(forKey: "playlist", as: [Item].self) == [Item(media: "a.mp4", seconds: 5)])
    let count: Int = try store.value(forKey: "media.loop.count")
    #expect(count == 2)
    do {
      _ = try store.value(forKey: "playlist", as: [[String: Int]].self)
      Issue.record("text is no number")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["playlist", "Index 0", "media"])
    }
    #expect(throws: StoreError.self) { try store.value(forKey: "nothing", as: Int.self) }
    #expect(throws: StoreError.self) { try store.value(forKey: "note", as: String.self) }
    // An optional type is nil where there is no value; a name that no setting has stays an error.
    #expect(try store.value(forKey: "note", as: String?.self) == nil)
    #expect(try store.value(forKey: "title", as: String?.self) == "Hello")
    let note: Date? = try store.value(forKey: "note")
    #expect(note == nil)
    #expect(throws: StoreError.self) { try store.value(forKey: "nothing", as: Int?.self) }
  }

  @Test func changesEncode() throws {
    struct Edit: Encodable {
      var idleResetSeconds = 90
      var title: String?
      var opens = Date(timeIntervalSince1970: 0)
    }
    let store = try open()
    let change = try store.change(.user)
    let items = [Item(media: "b.mp4", seconds: 7), Item(media: "c.mp4", seconds: 8)]
    try change.encode(items, forKey: "playlist")
    try change.encode(URL(string: "https://c.example/"), forKey: "media.url")
    try change.encode(Edit())
    try change.commit()
    #expect(try store.value(forKey: "playlist", as: [Item].self) == items)
    #expect(try store.url("media.url") == "https://c.example/" && store.int("idleResetSeconds") == 90)
    #expect(try store.date("opens").microseconds == 0 && store.string("title") == "Hello")

    // nil uncovers what is beneath.
    let second = try store.change(.user)
    try second.encode([Item]?.none, forKey: "playlist")
    do {
      try second.encode(["x": [Double.nan]], forKey: "title")
      Issue.record("it is no number")
    } catch EncodingError.invalidValue(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["title", "x", "Index 0"])
    }
    #expect(throws: EncodingError.self) { try second.encode([1, 2]) }
    #expect(throws: StoreError.self) { try second.encode(1, forKey: "a\0b") }
    try second.commit()
    #expect(try store.value(forKey: "playlist", as: [Item].self) == [Item(media: "a.mp4", seconds: 5)])
  }
}
