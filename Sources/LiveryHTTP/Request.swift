import LiveryClient

/// One request that has passed every check of the server.
package struct Request: Sendable {
  package enum Method: Sendable {
    /// Also of HEAD, whose answer is sent without its body.
    case get
    case post
    case put
    case patch
    case delete
  }

  package var method: Method
  /// Decoded, begins with `/`; no segment is `.` or `..`.
  package var path: String
  package var query = Fields()
  /// Of a form: URL-encoded, or the texts of multipart/form-data.
  package var fields = Fields()
  package var files: [Upload] = []
  /// Of anything else, as it came.
  package var body: [UInt8] = []
  package var head = Head()
  /// The header Accept-Language, "" if there is none.
  package var languages = ""
  /// The script asks, and wants a part of a page.
  package var isFromScript = false
  /// Who asks; nil for somebody who is not known.
  package var visitor: (any Visitor)?

  package init(method: Method, path: String, query: Fields = Fields()) {
    self.method = method
    self.path = path
    self.query = query
  }
}

/// Names and values in the order in which they came; a name may come more than once.
package struct Fields: Sendable {
  package var all: [(name: String, value: String)] = []

  package init() {}

  package subscript(name: String) -> String? {
    @inline(never) get {
      for field in all where field.name.sameBytes(as: name) { return field.value }
      return nil
    }
  }
}

/// A file of multipart/form-data.
package struct Upload: Sendable {
  package var name: String
  package var fileName: String
  package var bytes: [UInt8]

  package init(name: String, fileName: String, bytes: [UInt8]) {
    self.name = name
    self.fileName = fileName
    self.bytes = bytes
  }
}
