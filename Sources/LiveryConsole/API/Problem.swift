import LiveryClient
import LiveryHTTP

/// Why something was not done, as RFC 9457 has it.
struct Problem: Error {
  var status: Int
  var detail: String
  /// A JSON pointer (RFC 6901) to the member of the body that is wrong.
  var pointer: String?
  /// What the header Allow says, of 405.
  var allowed: String?
  /// In how many seconds it may go better.
  var wait: Int?

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
    self.init(status, refusal.message, at: status == 422 ? refusal.field.map { Pointer.adding($0) } ?? pointer : nil)
  }

  static func title(_ status: Int) -> String {
    switch status {
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 409: "Conflict"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Refused"
    }
  }

  var response: Response {
    var json = JSON()
    json.add("type", "about:blank")
    json.add("title", Problem.title(status))
    json.add("status", status)
    json.add("detail", detail)
    json.add("pointer", pointer)
    var response = Response(status: status, type: "application/problem+json", body: json.value.jsonBytes)
    if status == 401 { response.headers.append((name: "WWW-Authenticate", value: "Bearer realm=\"livery\"")) }
    if let allowed { response.headers.append((name: "Allow", value: allowed)) }
    if status == 503 || wait != nil {
      response.headers.append((name: "Retry-After", value: (wait ?? 2).description))
    }
    return response
  }
}

/// A member's place, as a JSON pointer has it.
enum Pointer {
  static func adding(_ key: String, to pointer: String = "") -> String {
    var bytes = Array(pointer.utf8)
    bytes.append(UInt8(ascii: "/"))
    for byte in key.utf8 {
      switch byte {
      case UInt8(ascii: "~"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "0")]
      case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
