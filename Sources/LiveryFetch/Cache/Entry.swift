import LiveryClient

/// What is known of a URL whose body is in the store, as a setting `fetch.…` holds it.
struct Entry: Sendable {
  var url: [UInt8]
  /// Where its redirects led; the URL itself if there were none.
  var location: [UInt8]
  /// Of the asset.
  var id: String
  /// How many bytes that is.
  var size: Int64
  /// As it was told when it was stored: of a document by the server.
  var type: [UInt8]?
  /// By the bytes, as the asset has it; it is not part of the setting.
  var ownType: [UInt8]?
  var tag: [UInt8]?
  /// The field Last-Modified.
  var modified: [UInt8]?
  /// When the server last said that these are the bytes.
  var fetched: Timestamp
  var freshness: Freshness

  /// Whether the other one says the same but for the moment at which it came.
  func isSameBody(as other: Entry) -> Bool {
    id.utf8.elementsEqual(other.id.utf8) && tag == other.tag && modified == other.modified && type == other.type
      && location == other.location && url == other.url
  }

  /// What is handed out to who wants that kind: an image is what its bytes are, whatever its server calls it. Nil if it
  /// is none.
  func wanted(as kind: Wish.Kind) -> Entry? {
    guard kind == .image || (kind == .any && Self.isImage(type)) else { return self }
    guard Self.isImage(ownType) else { return nil }
    var entry = self
    entry.type = ownType
    return entry
  }

  static func isImage(_ type: [UInt8]?) -> Bool { type?.starts(with: "image/".utf8) ?? false }

  // MARK: In the store

  var value: Value {
    var members: [Value.Member] = [
      .init("url", .string(url.text)), .init("image", .image(id)), .init("bytes", .int(size)),
      .init("fetched", .date(fetched)),
    ]
    func add(_ name: String, _ bytes: [UInt8]?) {
      if let bytes { members.append(.init(name, .string(bytes.text))) }
    }
    func add(_ name: String, _ number: Int64, unless usual: Int64 = 0) {
      if number != usual { members.append(.init(name, .int(number))) }
    }
    func add(_ name: String, _ isSet: Bool) {
      if isSet { members.append(.init(name, .bool(true))) }
    }
    if location != url { add("location", location) }
    add("type", type)
    add("etag", tag)
    add("modified", modified)
    add("age", freshness.age)
    add("lifetime", freshness.lifetime)
    add("alwaysChecked", freshness.isAlwaysChecked)
    add("neverStale", freshness.isNeverStale)
    add("staleWhileRevalidate", freshness.staleWhileRevalidate)
    add("staleIfError", freshness.staleIfError ?? -1, unless: -1)
    return .object(members)
  }

  init(
    url: [UInt8], location: [UInt8], id: String, size: Int64, type: [UInt8]?, head: Head, fetched: Timestamp,
    freshness: Freshness
  ) {
    self.url = url
    self.location = location
    self.id = id
    self.size = size
    self.type = type
    tag = head.tag?.bytes
    modified = head.first("last-modified").flatMap {
      HTTPDate.parse($0, now: freshness.received) == nil ? nil : $0
    }
    self.fetched = fetched
    self.freshness = freshness
  }

  /// Nil for what is no entry.
  init?(_ value: Value?) {
    guard let value, let url = value["url"]?.text, let id = value["image"]?.text, case .int(let size) = value["bytes"],
      (1...Int64(Assets.maximumSize)).contains(size), case .date(let fetched) = value["fetched"]
    else { return nil }
    func bytes(_ name: String) -> [UInt8]? { (value[name]?.text).map { Array($0.utf8) } }
    func number(_ name: String) -> Int64? {
      guard case .int(let number) = value[name], (0...CacheControl.longest).contains(number) else { return nil }
      return number
    }
    func isSet(_ name: String) -> Bool {
      if case .bool(true) = value[name] { true } else { false }
    }
    self.url = Array(url.utf8)
    self.id = id
    self.size = size
    location = bytes("location") ?? self.url
    type = bytes("type")
    tag = bytes("etag")
    modified = bytes("modified")
    self.fetched = fetched
    freshness = Freshness()
    freshness.received = fetched.seconds
    freshness.age = number("age") ?? 0
    freshness.lifetime = number("lifetime") ?? 0
    freshness.isAlwaysChecked = isSet("alwaysChecked")
    freshness.isNeverStale = isSet("neverStale")
    freshness.staleWhileRevalidate = number("staleWhileRevalidate") ?? 0
    freshness.staleIfError = number("staleIfError")
  }
}

extension Timestamp {
  init(seconds: Int64) { self.init(microseconds: seconds * 1_000_000) }

  var seconds: Int64 { microseconds / 1_000_000 }
}
