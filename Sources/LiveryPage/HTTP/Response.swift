/// What is sent back. The server adds the headers that every answer has.
struct Response: Sendable {
  var status = 200
  var type = "text/html; charset=utf-8"
  var body: [UInt8] = []
  /// Which content it is, for its entity tag; nil for what is not to be kept.
  var version: String?
  /// Asked for by an address that names what it is, so that browsers need not ask again.
  var isForever = false
  /// Further headers, such as Location.
  var headers: [(name: String, value: String)] = []
  /// Goes on with what the session is told (text/event-stream). The function gives the first event, once everything that comes
  /// after it will be told.
  var stream: (@Sendable () -> [UInt8])?
  /// Lets the browser forget the session.
  var endsSession = false

  /// See Other: what follows a form that was sent.
  @inline(never)
  static func redirect(to path: String) -> Response {
    Response(status: 303, headers: [(name: "Location", value: path)])
  }
}
