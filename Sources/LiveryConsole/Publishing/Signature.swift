import LiveryFleet
import LiveryHTTP

/// AWS Signature Version 4, by which an S3-like store knows who puts something there.
struct Signature {
  struct Credentials: Sendable {
    var key: String
    var secret: String
    /// Of temporary ones.
    var session: String?
  }

  var credentials: Credentials
  var region: String
  /// Seconds since 1970.
  var time: Int64

  /// HMAC (RFC 2104) with SHA-256.
  static func code(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? Crypto.hash(key) : key
    block += [UInt8](repeating: 0, count: 64 - block.count)
    return Crypto.hash(block.map { $0 ^ 0x5C } + Crypto.hash(block.map { $0 ^ 0x36 } + bytes))
  }

  /// The path of an object as it is asked for and signed: everything but letters, digits and `-._~/` is escaped.
  static func escaped(_ path: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `20261125T120000Z`.
  static func stamp(_ time: Int64) -> String {
    let text = ScheduledTime.moment(time).text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }
    return String(decoding: Array(text), as: UTF8.self)
  }

  /// The fields that a request is sent with: those that are given, and what signs them all.
  ///
  /// - Parameters:
  ///   - path: escaped.
  ///   - fields: with names in lowercase; `host` among them.
  func fields(
    _ method: String, _ path: String, _ fields: [(name: String, value: String)], hash: [UInt8]
  ) -> [(name: String, value: String)] {
    let stamp = Signature.stamp(time)
    let day = String(decoding: Array(stamp.utf8.prefix(8)), as: UTF8.self)
    var all = fields
    all.append((name: "x-amz-content-sha256", value: hash.hexadecimal))
    all.append((name: "x-amz-date", value: stamp))
    if let session = credentials.session { all.append((name: "x-amz-security-token", value: session)) }
    all.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var lines = ""
    var names = ""
    for field in all {
      lines += "\(field.name):\(field.value)\n"
      names += names.utf8.isEmpty ? field.name : ";" + field.name
    }
    // Method, path, query, fields, their names, and the hash of the body.
    let request = "\(method)\n\(path)\n\n\(lines)\n\(names)\n\(hash.hexadecimal)"
    let scope = "\(day)/\(region)/s3/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(Crypto.hash(Array(request.utf8)).hexadecimal)"
    var key = Array(("AWS4" + credentials.secret).utf8)
    for part in [day, region, "s3", "aws4_request"] { key = Signature.code(Array(part.utf8), key: key) }
    let signature = Signature.code(Array(text.utf8), key: key).hexadecimal
    all.append(
      (
        name: "authorization",
        value: "AWS4-HMAC-SHA256 Credential=\(credentials.key)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
      ))
    return all
  }
}
