/// One request that has passed every check of the gate.
struct Request: Sendable {
  enum Method: Sendable {
    case get
    case post
  }

  var method: Method
  /// Decoded, begins with `/`; no segment is `.` or `..`.
  var path: String
  var query = Fields()
  /// Of the body: URL-encoded, or the texts of multipart/form-data.
  var fields = Fields()
  var files: [Upload] = []
  /// The header Accept-Language, "" if there is none.
  var languages = ""
  /// The script asks, and wants a part of a page.
  var isFromScript = false
  /// The editing session that it belongs to; nil where there is none yet.
  var session: Session?
}

/// Names and values in the order in which they came; a name may come more than once.
struct Fields: Sendable {
  var all: [(name: String, value: String)] = []

  subscript(name: String) -> String? {
    @inline(never) get {
      for field in all where field.name.sameBytes(as: name) { return field.value }
      return nil
    }
  }
}

/// A file of multipart/form-data.
struct Upload: Sendable {
  var name: String
  var fileName: String
  var bytes: [UInt8]
}
