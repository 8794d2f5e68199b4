/// The head of an answer.
struct Head: Sendable {
  struct Field: Sendable {
    /// In lower case.
    var name: [UInt8]
    /// Without space around it.
    var value: [UInt8]

    /// Whether it is about the very bytes that come with it.
    fileprivate var isOfPart: Bool { name.isText("content-range") || name.isText("content-length") }
  }

  var status: Int32
  var fields: [Field]

  /// The values of all fields of a name.
  func all(_ name: StaticString) -> [[UInt8]] {
    fields.filter { $0.name.isText(name) }.map { $0.value }
  }

  /// The value of the first field of a name.
  func first(_ name: StaticString) -> [UInt8]? {
    fields.first { $0.name.isText(name) }?.value
  }

  var tag: EntityTag? { first("etag").flatMap { EntityTag($0) } }
  var contentRange: ContentRange? { first("content-range").flatMap { ContentRange($0) } }
  var cacheControl: CacheControl { CacheControl(all("cache-control")) }

  var isRedirect: Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// Whether the body is what was asked for, or a part of that.
  var hasContent: Bool { status == 200 || status == 203 || status == 206 }

  /// What holds for a whole of which an answer 206 is the rest: what that does not say stays as it was told with the
  /// beginning (RFC 9111 §3.4).
  func completed(by rest: Head) -> Head {
    let later = rest.fields.filter { !$0.isOfPart }
    let earlier = fields.filter { (one) in !one.isOfPart && !later.contains { $0.name == one.name } }
    return Head(status: status, fields: earlier + later)
  }

  /// How long the body is, as far as the server says it and it is not packed into something else.
  var length: Int64? {
    guard !isPacked, let field = first("content-length") else { return nil }
    var scanner = Scanner(field)
    guard let length = scanner.takeNumber(1...18), scanner.isAtEnd else { return nil }
    return length
  }

  /// Whether the body is compressed on its way.
  var isPacked: Bool {
    all("content-encoding").contains { !$0.isEmpty && !$0.isText("identity") }
  }

  /// Whether what it depends on is more than a request of ours can tell.
  var variesByAnything: Bool {
    all("vary").contains { $0.split(separator: UInt8(ascii: ",")).contains { Array($0).trimmed.isText("*") } }
  }

  /// The media type without its parameters, in lower case: "image/png".
  var mediaType: [UInt8]? {
    guard let field = first("content-type") else { return nil }
    var scanner = Scanner(field)
    let type = scanner.takeToken()
    guard !type.isEmpty, scanner.skip(UInt8(ascii: "/")) else { return nil }
    let subtype = scanner.takeToken()
    guard !subtype.isEmpty, type.count + subtype.count < 127 else { return nil }
    return type.map { $0.lowercased } + [UInt8(ascii: "/")] + subtype.map { $0.lowercased }
  }
}

extension [UInt8] {
  /// Without space around them.
  var trimmed: [UInt8] {
    var slice = self[...]
    while let byte = slice.first, byte == 32 || byte == 9 { slice.removeFirst() }
    while let byte = slice.last, byte == 32 || byte == 9 { slice.removeLast() }
    return Array(slice)
  }
}
