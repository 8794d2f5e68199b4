/// What is sent back. The server adds the headers that every answer has.
package struct Response: Sendable {
  /// What the browser is to do with the server's own cookie.
  package enum Cookie: Sendable {
    case keep(String)
    case forget
  }

  package var status = 200
  package var type = "text/html; charset=utf-8"
  package var body: [UInt8] = []
  /// Which content it is, for its entity tag; nil for what is not to be kept.
  package var version: String?
  /// Asked for by an address that names what it is, so that browsers need not ask again.
  package var isForever = false
  /// The same for everybody, so that caches on the way may keep it, too.
  package var isPublic = false
  /// Further headers, such as Location.
  package var headers: [(name: String, value: String)] = []
  package var cookie: Cookie?
  /// Who asked, if that is known by what was asked.
  package var visitor: (any Visitor)?
  /// Goes on with what the visitor is told (text/event-stream). The function gives the first event, once everything that comes
  /// after it will be told.
  package var stream: (@Sendable () -> [UInt8])?
  /// The answer comes later, and everything else counts for nothing: the function is handed what takes the answer, to be called
  /// once, on any thread. Meanwhile the server answers others.
  package var later: (@Sendable (@escaping @Sendable (Response) -> Void) -> Void)?
  /// What is done once the answer is on its way.
  package var then: (@Sendable () -> Void)?

  package init(
    status: Int = 200, type: String = "text/html; charset=utf-8", body: [UInt8] = [], version: String? = nil,
    headers: [(name: String, value: String)] = [], stream: (@Sendable () -> [UInt8])? = nil
  ) {
    self.status = status
    self.type = type
    self.body = body
    self.version = version
    self.headers = headers
    self.stream = stream
  }

  /// See Other: what follows a form that was sent.
  @inline(never)
  package static func redirect(to path: String) -> Response {
    Response(status: 303, headers: [(name: "Location", value: path)])
  }
}
