import LiveryClient
import LiveryHTTP

/// Why something was not done, as RFC 9457 has it.
struct Problem: Error {
  var status: Int
  var detail: String
  /// A JSON pointer to what is wrong in the body.
  var pointer: String?

  init(_ status: Int, _ detail: String, at pointer: String? = nil) {
    self.status = status
    self.detail = detail
    self.pointer = pointer
  }

  init(_ refusal: Refusal, at pointer: String? = nil) {
    let status: Int
    switch refusal.reason {
    case .notFound: status = 404
    case .conflict: status = 409
    case .invalid: status = 422
    case .busy: status = 503
    }
    self.init(status, refusal.message, at: pointer)
  }

  static func title(_ status: Int) -> String {
    switch status {
    case 400: "The request is malformed"
    case 401: "Nobody is signed in"
    case 403: "This is not allowed"
    case 404: "There is nothing here"
    case 405: "This is not done here"
    case 409: "Somebody else was first"
    case 411: "The length is missing"
    case 413: "That is too large"
    case 421: "Another host is meant"
    case 422: "This cannot be"
    case 429: "That were too many"
    case 503: "Please come again"
    default: "The request was refused"
    }
  }

  var response: Response {
    var members = [
      Value.Member("type", .string("about:blank")), Value.Member("title", .string(Problem.title(status))),
      Value.Member("status", .int(Int64(status))), Value.Member("detail", .string(detail)),
    ]
    if let pointer { members.append(Value.Member("pointer", .string(pointer))) }
    var response = Response(
      status: status, type: "application/problem+json",
      body: Array(((try? Value.object(members).jsonText()) ?? "{}").utf8))
    if status == 401 { response.headers.append((name: "WWW-Authenticate", value: "Bearer")) }
    if status == 503 { response.headers.append((name: "Retry-After", value: "2")) }
    return response
  }
}
