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
    let (days, second) = (time / 86_400, time % 86_400)
    // Years begin in March here, so that the day of a leap year is its last (proleptic Gregorian calendar).
    let shifted = days + 719_468
    let era = shifted / 146_097
    let day = shifted - era * 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let inYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * inYear + 2) / 153
    let inMonth = inYear - (153 * month + 2) / 5 + 1
    let number = month < 10 ? month + 3 : month - 9
    let full = year + era * 400 + (number <= 2 ? 1 : 0)
    return padded(full, 4) + padded(number, 2) + padded(inMonth, 2) + "T" + padded(second / 3600, 2)
      + padded(second / 60 % 60, 2) + padded(second % 60, 2) + "Z"
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    var digits = Array(number.description.utf8)
    while digits.count < count { digits.insert(UInt8(ascii: "0"), at: 0) }
    return String(decoding: digits, as: UTF8.self)
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
