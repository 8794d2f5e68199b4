import CConsole
import LiveryClient
import LiveryFleet
import LiveryHTTP
import LiveryTransfer

/// A bucket of an S3-like store, whose objects a web server or a content delivery network delivers.
final class Bucket: @unchecked Sendable {
  struct Options: Sendable {
    /// `https://host[:port]`; that of the region at AWS without it.
    var endpoint: String?
    var region: String?
    /// A file like `~/.aws/credentials`; the usual variables of the environment without it.
    var credentials: String?
    /// Whom to trust, in PEM; whom the system trusts without it.
    var certificates: String?
  }

  /// How many objects are put at the same time, and how many bytes they have together at most, unless it is one.
  static let most = 16
  static let mostBytes = 8 << 20
  /// How much of an answer is read.
  private static let longestAnswer = 4096

  /// `s3://bucket/prefix`.
  var name: String { address.name }
  private let address: Address
  private var endpoint: String { address.endpoint }
  private var host: String { address.host }
  private var region: String { address.region }
  private var prefix: String { address.prefix }
  private let options: Options
  private let lock = Lock()
  // Guarded by `lock`: how far the store's clock is ahead of this one, and what of the present round is there already.
  private var skew: Int64 = 0
  private var done: Set<UInt64> = []

  static func isBucket(_ place: String) -> Bool { place.utf8.starts(with: "s3://".utf8) }

  static func open(_ place: String, _ options: Options) throws(Refusal) -> Bucket {
    let bucket = Bucket(try Address(place, options), options)
    // What cannot be read is told at once, and not with the first publication.
    _ = try bucket.credentials()
    return bucket
  }

  private init(_ address: Address, _ options: Options) {
    self.address = address
    self.options = options
  }

  fileprivate static func environment(_ name: String) -> String? {
    let text = name.withCString { String(cString: lvo_environment($0)) }
    return text.utf8.isEmpty ? nil : text
  }

  /// Read anew each time: whoever exchanges them need not start anything again.
  private func credentials() throws(Refusal) -> Signature.Credentials {
    guard let path = options.credentials else {
      guard let key = Bucket.environment("AWS_ACCESS_KEY_ID"), let secret = Bucket.environment("AWS_SECRET_ACCESS_KEY")
      else {
        throw Refusal(
          .invalid, "\(name): who puts it there? --credentials FILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
      }
      return try checked(
        Signature.Credentials(key: key, secret: secret, session: Bucket.environment("AWS_SESSION_TOKEN")), name)
    }
    let bytes = try Files.read(path, most: 65536)
    guard !path.withCString({ lvo_is_open_to_others($0) }) else {
      throw Refusal(.invalid, "\(path): others may read the credentials; chmod 400")
    }
    var found = Signature.Credentials(key: "", secret: "")
    for line in bytes.split(separator: .lineFeed) {
      let (name, value) = line.cut(at: .equals)
      guard let value = value?.trimmed.text else { continue }
      // The first profile of a file with several.
      if name.trimmed.isSame("aws_access_key_id"), found.key.utf8.isEmpty { found.key = value }
      if name.trimmed.isSame("aws_secret_access_key"), found.secret.utf8.isEmpty { found.secret = value }
      if name.trimmed.isSame("aws_session_token"), found.session == nil { found.session = value }
    }
    guard !found.key.utf8.isEmpty, !found.secret.utf8.isEmpty else {
      throw Refusal(.invalid, "\(path): it has no aws_access_key_id and aws_secret_access_key")
    }
    return try checked(found, path)
  }

  /// What goes into the head of a request has to be text that can stand there.
  private func checked(_ found: Signature.Credentials, _ place: String) throws(Refusal) -> Signature.Credentials {
    for text in [found.key, found.session ?? ""] where text.utf8.contains(where: { $0 <= .space || $0 >= 0x7F }) {
      throw Refusal(.invalid, "\(place): the credentials have characters that cannot be sent")
    }
    return found
  }

  /// Puts files there, all at the same time. What of the present round is there already is passed over.
  func put(_ files: [Publisher.File]) throws(Refusal) {
    let wanted = files.map { (file: $0, hash: Crypto.hash($0.bytes)) }.filter { (one) in
      let key = Bucket.key(one.file.path, one.hash)
      return lock.withLock { !done.contains(key) }
    }
    guard !wanted.isEmpty else { return }
    let credentials = try credentials()
    var problem: Refusal?
    for attempt in 1...2 {
      problem = nil
      let time = Console.now + lock.withLock { skew }
      let asks = wanted.map {
        ask($0.file, $0.hash, Signature(credentials: credentials, region: region, time: time))
      }
      guard let outcomes = Requests.all(asks) else { throw Refusal(.busy, "there is no memory") }
      var isSkewed = false
      for (one, outcome) in zip(wanted, outcomes) {
        let answer: Reply
        do throws(StoreError) { answer = try outcome.get() } catch {
          problem = problem ?? Refusal(.busy, "\(name): \(error.message)")
          continue
        }
        if (200...299).contains(answer.status) {
          let key = Bucket.key(one.file.path, one.hash)
          lock.withLock { _ = done.insert(key) }
          continue
        }
        problem = problem ?? refusal(answer)
        if answer.status == 403, answer.code.sameBytes(as: "RequestTimeTooSkewed"), let date = answer.date,
          let theirs = Bucket.time(date)
        {
          isSkewed = true
          lock.withLock { skew = theirs - Console.now }
        }
      }
      guard isSkewed, attempt == 1 else { break }
    }
    if let problem { throw problem }
  }

  /// Everything of a round is there: it need not be remembered any more.
  func endRound() { lock.withLock { done = [] } }

  private static func key(_ path: String, _ hash: [UInt8]) -> UInt64 {
    Rates.key(Crypto.hash(Array(path.utf8) + [0] + hash))
  }

  private func ask(_ file: Publisher.File, _ hash: [UInt8], _ signature: Signature) -> Ask {
    let path = prefix + file.path
    let fields = [
      (name: "cache-control", value: file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache"),
      (name: "content-type", value: "application/octet-stream"), (name: "host", value: host),
    ]
    var all = signature.fields("PUT", path, fields, hash: hash)
    // Nothing is asked beforehand.
    all.append((name: "expect", value: ""))
    // A redirect is not followed: the signature is for this host.
    return Ask(
      url: endpoint + path, fields: all, body: file.bytes, method: "PUT", limit: Bucket.longestAnswer,
      certificates: options.certificates, followsRedirects: false)
  }

  private func refusal(_ answer: Reply) -> Refusal {
    if (300...399).contains(answer.status) {
      return Refusal(.busy, "\(name): the bucket is elsewhere (\(answer.status)): are --region and --endpoint right?")
    }
    let code = answer.code
    return Refusal(.busy, "\(name): the store answers \(answer.status)" + (code.utf8.isEmpty ? "" : " (\(code))"))
  }

  /// "Wed, 25 Nov 2026 12:00:00 GMT" in seconds since 1970; nil for anything else.
  static func time(_ date: String) -> Int64? {
    let bytes = Array(date.utf8)
    let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)
    guard bytes.count == 29,
      let month = (1...12).first(where: { months[($0 * 3 - 3)..<($0 * 3)].elementsEqual(bytes[8..<11]) })
    else { return nil }
    let parts = [bytes[12..<16], [0x30 + UInt8(month / 10), 0x30 + UInt8(month % 10)], bytes[5..<7]]
    let day = parts.joined(separator: [UInt8(ascii: "-")])
    let text = String(decoding: day + [UInt8(ascii: "T")] + bytes[17..<25] + [UInt8(ascii: "Z")], as: UTF8.self)
    guard case .moment(let seconds)? = ScheduledTime(text: text) else { return nil }
    return seconds
  }
}

extension Reply {
  /// What the store calls an error, `<Code>…</Code>`; "" if it says nothing that is one.
  var code: String {
    let (open, close) = (Array("<Code>".utf8), Array("</Code>".utf8))
    guard let start = body.indices.first(where: { body[$0...].starts(with: open) }) else { return "" }
    let rest = body[(start + open.count)...]
    guard let end = rest.indices.first(where: { rest[$0...].starts(with: close) }) else { return "" }
    let code = rest[..<end]
    guard (1...64).contains(code.count), code.allSatisfy({ $0.isDigit || (0x61...0x7A).contains($0.lowercased) }) else {
      return ""
    }
    return String(decoding: Array(code), as: UTF8.self)
  }
}

extension Bucket {
  /// Where a bucket is.
  fileprivate struct Address {
    let name: String
    let endpoint: String
    let host: String
    let region: String
    let prefix: String

    init(_ place: String, _ options: Options) throws(Refusal) {
      var rest = Array((place.after("s3://") ?? "").utf8)
      while rest.last == .slash { rest.removeLast() }
      let parts = rest.split(separator: .slash, omittingEmptySubsequences: false)
      let isName = parts.first.map { (first) in
        (3...63).contains(first.count)
          && first.allSatisfy { $0.isDigit || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: ".") || $0 == .hyphen }
      }
      guard isName == true, !rest.contains(where: { $0.isControl }), rest.count <= 700,
        parts.allSatisfy({ !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) })
      else { throw Refusal(.invalid, "\(place): a bucket is s3://NAME or s3://NAME/PREFIX") }
      name = "s3://" + String(decoding: rest, as: UTF8.self)
      prefix = Signature.escaped("/" + String(decoding: rest, as: UTF8.self))
      let region = options.region ?? Bucket.environment("AWS_REGION") ?? Bucket.environment("AWS_DEFAULT_REGION")
      guard let region = region ?? (options.endpoint == nil ? nil : "us-east-1"),
        region.utf8.allSatisfy({ $0.isDigit || (0x61...0x7A).contains($0.lowercased) || $0 == .hyphen })
      else {
        throw Refusal(
          .invalid, "\(name): which region? --region NAME, and --endpoint URL for a store that is not at AWS")
      }
      self.region = region
      var endpoint = options.endpoint ?? "https://s3.\(region).amazonaws.com"
      if endpoint.utf8.last == .slash { endpoint = String(decoding: Array(endpoint.utf8.dropLast()), as: UTF8.self) }
      guard let host = endpoint.after("https://") ?? endpoint.after("http://"), !host.utf8.isEmpty,
        host.utf8.allSatisfy({
          $0 > .space && $0 < 0x7F && $0 != .slash && $0 != UInt8(ascii: "@") && $0 != .questionMark
        })
      else { throw Refusal(.invalid, "\(endpoint): an endpoint is https://HOST or https://HOST:PORT") }
      self.endpoint = endpoint
      self.host = host
    }
  }
}
