import CConsole
import LiveryFleet
import LiveryHTTP

/// docs/console-api.openapi.json, which the console tells of itself.
enum OpenAPI {
  static var response: Response {
    var count = 0
    guard let start = lvo_openapi(&count) else { return Problem(503, "There is no memory.").response }
    defer { lvo_free(start) }
    let text = [UInt8](UnsafeBufferPointer(start: start, count: count))
    var response = Response(
      type: "application/json", body: text, version: [UInt8](Crypto.hash(text).prefix(16)).hexadecimal)
    response.isPublic = true
    return response
  }
}
