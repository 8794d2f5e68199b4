import LiveryClient
import LiveryFleet
import LiveryHTTP

/// What devices get. All that they read are files as well, which any other web server may deliver.
struct DeviceAnswers: Sendable {
  /// How long a device that joins waits for a store that is slow, in seconds.
  private static let patience: Int64 = 15

  private let console: Console
  private let reports: ReportQueue

  init(_ console: Console, _ reports: ReportQueue) {
    self.console = console
    self.reports = reports
  }

  static func longestBody(_ path: String) -> Int {
    switch path {
    case "/v1/reports": Limit.report
    case "/v1/enroll": Limit.enrollment
    default: 0
    }
  }

  func answer(_ request: Request) -> Response {
    do throws(Refusal) {
      if request.method == .post { return post(request) }
      let isSent = ["/v1/reports", "/v1/enroll"].contains { $0.sameBytes(as: request.path) }
      guard request.method == .get, !isSent else {
        return text(405, "this is not done here", [("Allow", isSent ? "POST" : "GET, HEAD")])
      }
      return try get(request.path) ?? text(404, "there is nothing here")
    } catch { return text(503, error.message, [("Retry-After", "10")]) }
  }

  private func post(_ request: Request) -> Response {
    switch request.path {
    case "/v1/reports": return report(request)
    case "/v1/enroll": return enroll(request)
    default: return text(404, "there is nothing here")
    }
  }

  /// Answered once it is durable, together with others; meanwhile the server goes on.
  private func report(_ request: Request) -> Response {
    let address = Rates.key(of: request.head.address)
    if let refusal = refusal(address, console.rates.refused) { return text(refusal) }
    var response = Response()
    response.later = { [self] (give) in
      reports.add(request.body) { (outcome) in
        switch outcome {
        case .success(let isFull): give(isFull ? text(200, "full") : Response(status: 204, type: "text/plain"))
        case .failure(let refusal):
          // One that comes too often is the device's own.
          if refusal.status < 500, refusal.status != 429, let address { _ = console.rates.refused.take(address) }
          give(text(refusal))
        }
      }
    }
    return response
  }

  /// Whether too much of what an address has sent was refused.
  private func refusal(_ address: UInt64?, _ rate: Rate) -> DeviceRefusal? {
    let wait = address.map { rate.wait($0) } ?? 0
    return wait == 0 ? nil : DeviceRefusal(status: 429, message: "too many requests were refused", wait: wait)
  }

  private func enroll(_ request: Request) -> Response {
    let address = Rates.key(of: request.head.address)
    if let refusal = refusal(address, console.rates.enrollments) { return text(refusal) }
    do throws(DeviceRefusal) {
      let generation = try console.take(enrollment: request.body)
      let done = Response(status: 204, type: "text/plain")
      guard let uploads = console.uploads else { return done }
      // What a device needs first has to be there before it is told so. It may ask again with the same code.
      var response = Response()
      response.later = { [self] (give) in
        uploads.wait(for: generation, seconds: DeviceAnswers.patience) { (isThere) in
          give(isThere ? done : text(.unpublished))
        }
      }
      return response
    } catch {
      if error.status < 500, let address { _ = console.rates.enrollments.take(address) }
      return text(error)
    }
  }

  private func text(_ refusal: DeviceRefusal) -> Response {
    text(refusal.status, refusal.message, refusal.wait.map { [("Retry-After", $0.description)] } ?? [])
  }

  private func text(_ status: Int, _ line: String, _ headers: [(name: String, value: String)] = []) -> Response {
    Response(status: status, type: "text/plain; charset=utf-8", body: Array(line.utf8), headers: headers)
  }

  private func get(_ path: String) throws(Refusal) -> Response? {
    let database = console.database
    if let name = path.after("/v1/channels/") {
      let bytes = Array(name.utf8)
      let suffix = Array("/manifest".utf8)
      guard bytes.count > suffix.count, Array(bytes.suffix(suffix.count)) == suffix else { return nil }
      let channel = String(decoding: bytes.dropLast(suffix.count), as: UTF8.self)
      let manifest = try database.first(
        "SELECT manifest FROM channels WHERE name = ?", [.text(channel.nulFree)]
      ) { (row) throws(Refusal) in row.bytes(0) }
      return manifest.map { found($0, isForever: false) }
    }
    if let version = path.after("/v1/keys/") {
      let isLatest = version.sameBytes(as: "latest")
      let number = isLatest ? nil : Array(version.utf8)[...].decimal
      guard isLatest || number != nil else { return nil }
      let document = try database.first(
        isLatest
          ? "SELECT content FROM signed_keys ORDER BY version DESC LIMIT 1"
          : "SELECT content FROM signed_keys WHERE version = ?", number.map { [.int(Int64($0))] } ?? []
      ) { (row) throws(Refusal) in row.bytes(0) }
      return document.map { found($0, isForever: !isLatest) }
    }
    guard let name = path.after("/v1/blobs/"), name.utf8.count == 64, let hash = Hexadecimal.bytes(name) else {
      return nil
    }
    var blob = try console.document(hash)
    if blob == nil { blob = try console.asset(hash: hash) }
    return blob.map { found($0, isForever: true) }
  }

  private func found(_ bytes: [UInt8], isForever: Bool) -> Response {
    var response = Response(type: "application/octet-stream", body: bytes)
    response.version = [UInt8](Crypto.hash(bytes).prefix(16)).hexadecimal
    response.isForever = isForever
    response.isPublic = true
    return response
  }
}
