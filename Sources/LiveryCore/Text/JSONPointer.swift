/// A JSON pointer (RFC 6901) from its tokens: "" for none, "/a~1b/0" for "a/b" and "0".
public func jsonPointer(_ tokens: [String]) -> String {
  var out: [UInt8] = []
  for token in tokens {
    out.append(UInt8(ascii: "/"))
    for byte in token.utf8 {
      switch byte {
      case UInt8(ascii: "~"): out += [UInt8(ascii: "~"), UInt8(ascii: "0")]
      case UInt8(ascii: "/"): out += [UInt8(ascii: "~"), UInt8(ascii: "1")]
      default: out.append(byte)
      }
    }
  }
  return String(decoding: out, as: UTF8.self)
}

/// A complaint about a part of a tree. Each level that it passes on the way up adds its token, so that a tree without
/// faults pays nothing for knowing where it is.
struct Misfit: Error {
  let reason: String
  private var tokens: [String] = []

  init(_ reason: String) {
    self.reason = reason
  }

  func within(_ token: String) -> Misfit {
    var misfit = self
    misfit.tokens.append(token)
    return misfit
  }

  var pointer: String { jsonPointer(tokens.reversed()) }

  /// "at /a/0: …", or the reason alone for the whole.
  var message: String {
    tokens.isEmpty ? reason : "at \(truncated(pointer, to: 200)): \(reason)"
  }
}
