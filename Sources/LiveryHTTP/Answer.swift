import CHTTP

/// A response on its way out: what every answer has, compressed where the browser takes it.
struct Answer {
  static let policy =
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
  private static let always: [(name: String, value: String)] = [
    ("Content-Security-Policy", policy),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    // A page of ours has to say that it is one when it sends a form.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
  ]
  /// What is shorter is not worth it.
  private static let leastCompressed = 512

  /// Puts together what libmicrohttpd sends; nil if there is no memory.
  ///
  /// - Parameter stream: what goes on after the head, handed over.
  static func make(_ response: Response, _ head: Head, cookie: String?, stream: EventStream?) -> (
    OpaquePointer, status: Int
  )? {
    var status = response.status
    var body = response.body
    var isCompressed = false
    // What was changed is changed, whatever is known of it.
    if status == 200, stream == nil, !head.changes, let own = response.version, let known = head.knownTag,
      isKnown(own, known[...])
    {
      status = 304
      body = []
    }
    if stream == nil, head.acceptsGzip, isText(response.type), let shorter = compress(body) {
      body = shorter
      isCompressed = true
    }
    guard let answer = stream == nil ? lvh_answer_make(body, body.count) : stream.flatMap(answer(streaming:)) else {
      return nil
    }
    for header in always { add(answer, header.name, header.value) }
    if status != 304 { add(answer, "Content-Type", stream == nil ? response.type : "text/event-stream") }
    if let version = response.version {
      add(answer, "Cache-Control", caching(response))
      // Another form of the same is another thing: a strong tag says which.
      add(answer, "ETag", "\"" + version + (head.acceptsGzip && isText(response.type) ? "-z\"" : "\""))
    } else {
      add(answer, "Cache-Control", "no-store")
    }
    // Servers in front are not to wait for more.
    if stream != nil { add(answer, "X-Accel-Buffering", "no") }
    if isText(response.type) { add(answer, "Vary", "Accept-Encoding") }
    if isCompressed { add(answer, "Content-Encoding", "gzip") }
    if let cookie { add(answer, "Set-Cookie", cookie) }
    for header in response.headers { add(answer, header.name, header.value) }
    return (answer, status)
  }

  private static func caching(_ response: Response) -> String {
    (response.isPublic ? "public, " : "private, ") + (response.isForever ? "max-age=31536000, immutable" : "no-cache")
  }

  private static func answer(streaming stream: EventStream) -> OpaquePointer? {
    lvh_answer_make_stream(
      { stream, buffer, most in
        guard let stream, let buffer else { return -1 }
        return Unmanaged<EventStream>.fromOpaque(stream).takeUnretainedValue().read(buffer, most)
      }, Unmanaged.passRetained(stream).toOpaque(),
      { stream in
        if let stream { Unmanaged<EventStream>.fromOpaque(stream).release() }
      })
  }

  /// What would end the header, and begin another, is not sent.
  private static func add(_ answer: OpaquePointer, _ name: String, _ value: String) {
    for byte in value.utf8 where byte.isControl { return }
    _ = lvh_answer_add(answer, name, value)
  }

  private static func isText(_ type: String) -> Bool {
    let bytes = Array(type.utf8)[...].cut(at: .semicolon).before.trimmed
    return bytes.begins(with: "text/") || bytes.isSame("application/json") || bytes.isSame("image/svg+xml")
      || bytes.isSame("application/manifest+json")
  }

  private static func compress(_ body: [UInt8]) -> [UInt8]? {
    guard body.count > leastCompressed else { return nil }
    let shorter = [UInt8](unsafeUninitializedCapacity: body.count) { (place, count) in
      count = place.baseAddress.map { lvh_gzip(body, body.count, $0) } ?? 0
    }
    return shorter.isEmpty ? nil : shorter
  }

  /// Whether `"a", W/"b"` names a tag, in whatever form it was sent; `*` names all.
  static func isKnown(_ version: String, _ known: ArraySlice<UInt8>) -> Bool {
    let own = Array("\"\(version)".utf8)
    for part in known.split(separator: .comma) {
      var name = part.trimmed
      if name.isSame("*") { return true }
      if name.starts(with: [0x57, .slash]) { name = name.dropFirst(2) }
      if name.elementsEqual(own + "\"".utf8) || name.elementsEqual(own + "-z\"".utf8) { return true }
    }
    return false
  }
}
