import CCurl
import CLivery
import LiveryClient

/// What is asked for over HTTP.
package struct Ask: Sendable {
  package var url: String
  package var fields: [(name: String, value: String)]
  /// nil for GET.
  package var body: [UInt8]?
  /// What is done with the body, such as PUT; nil for POST.
  package var method: StaticString?
  /// The most bytes of the answer's body; of one that says why something failed no more is read.
  package var limit: Int
  /// Whom to trust, in PEM; nil for whom the system trusts.
  package var certificates: String?
  /// nil for what the environment says.
  package var proxy: String?
  package var followsRedirects: Bool

  package init(
    url: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil, method: StaticString? = nil,
    limit: Int, certificates: String? = nil, proxy: String? = nil, followsRedirects: Bool = true
  ) {
    self.url = url
    self.fields = fields
    self.body = body
    self.method = method
    self.limit = limit
    self.certificates = certificates
    self.proxy = proxy
    self.followsRedirects = followsRedirects
  }
}

/// What came of it.
package struct Reply: Sendable {
  package var status = 0
  package var body: [UInt8] = []
  package var entityTag: String?
  /// In seconds.
  package var retryAfter: Int64?
  /// The clock of who answered, as HTTP has it.
  package var date: String?
}

/// A request that is under way, over all redirects.
package final class Transfer: @unchecked Sendable {
  private static let redirectLimit = 5

  private let ended: @Sendable (Result<Reply, StoreError>) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var ask: Ask
  private var reply = Reply()
  private var isTooLarge = false
  private var isCancelled = false
  private var redirects = 0

  /// - Parameter ended: runs once, on any thread.
  package init(_ ask: Ask, ended: @escaping @Sendable (Result<Reply, StoreError>) -> Void) {
    self.ask = ask
    self.ended = ended
  }

  package func start() { begin(lock.withLock { ask }) }

  /// Nobody waits for it any more: it ends soon.
  package func cancel() {
    lock.withLock { isCancelled = true }
    lvu_cancel(Self.receiver, Unmanaged.passRetained(self).toOpaque())
  }

  private func begin(_ ask: Ask) {
    let held = Unmanaged.passRetained(self)
    let status = ask.withContent { lvu_begin($0, Self.receiver, held.toOpaque()) }
    guard status != livery_status(LIVERY_OK) else { return }
    held.release()
    let message = livery_last_error().flatMap { $0.pointee.message }.map { String(cString: $0) }
    ended(.failure(StoreError(StoreError.Code(rawValue: status), message ?? "the request cannot be made")))
  }

  // MARK: What libcurl hands over

  /// It is there for as long as the process lives.
  nonisolated(unsafe) private static let receiver: UnsafePointer<lvu_receiver> = {
    let place = UnsafeMutablePointer<lvu_receiver>.allocate(capacity: 1)
    let empty = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    empty.initialize(to: 0)
    place.initialize(
      to: lvu_receiver(
        alternative: UnsafePointer(empty),
        answer: { exchange, status, fields, count in
          Transfer.of(exchange)?.answer(status, UnsafeBufferPointer(start: fields, count: count)) ?? false
        },
        receive: { exchange, bytes, length in
          Transfer.of(exchange)?.receive(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
            ?? false
        },
        finish: { exchange, status, message, redirect in
          guard let exchange else { return }
          let transfer = Unmanaged<Transfer>.fromOpaque(exchange).takeRetainedValue()
          transfer.finish(status, message.map { String(cString: $0) }, redirect.map { String(cString: $0) })
        },
        release: { exchange in
          if let exchange { Unmanaged<Transfer>.fromOpaque(exchange).release() }
        }))
    return UnsafePointer(place)
  }()

  private static func of(_ exchange: UnsafeMutableRawPointer?) -> Transfer? {
    exchange.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  private func answer(_ status: Int32, _ fields: UnsafeBufferPointer<lvu_field>) -> Bool {
    var reply = Reply()
    reply.status = Int(status)
    var length: Int64?
    for field in fields {
      guard let name = field.name.map({ String(cString: $0).lowercased() }), let value = field.value else { continue }
      if name.sameBytes(as: "date") { reply.date = String(validatingCString: value) }
      if name.sameBytes(as: "etag") { reply.entityTag = String(validatingCString: value) }
      if name.sameBytes(as: "retry-after") { reply.retryAfter = Int64(String(cString: value)) }
      if name.sameBytes(as: "content-length") { length = Int64(String(cString: value)) }
    }
    return lock.withLock {
      self.reply = reply
      if let length, length > Int64(ask.limit), status == 200 { isTooLarge = true }
      return !isCancelled && !isTooLarge
    }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lock.withLock {
      guard reply.body.count + bytes.count <= ask.limit else {
        // What says why something failed need not be read to its end.
        isTooLarge = reply.status == 200
        return false
      }
      reply.body.append(contentsOf: bytes)
      return !isCancelled
    }
  }

  /// Of a certificate libcurl says neither whose it is nor by which others it is not good.
  private func failure(_ code: StoreError.Code, _ message: String) -> StoreError {
    guard code == .refused else { return StoreError(code, message) }
    let server = ask.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3)
    let known = ask.certificates.map { "those in \($0)" } ?? "the system's certificates"
    return StoreError(code, "\(server.joined(separator: "/")) is not trusted, by \(known): \(message)")
  }

  private func finish(_ status: livery_status, _ message: String?, _ redirect: String?) {
    let (outcome, next) = lock.withLock { () -> (Result<Reply, StoreError>, Ask?) in
      if isCancelled { return (.failure(StoreError(.cancelled, "the request was given up")), nil) }
      if isTooLarge {
        return (.failure(StoreError(.invalidValue, "the answer has more than \(ask.limit) bytes")), nil)
      }
      guard status == livery_status(LIVERY_OK) || reply.status >= 300 else {
        return (.failure(failure(StoreError.Code(rawValue: status), message ?? "the request failed")), nil)
      }
      guard ask.followsRedirects, let redirect, [301, 302, 303, 307, 308].contains(reply.status) else {
        return (.success(reply), nil)
      }
      redirects += 1
      if let refusal = refusal(of: redirect) { return (.failure(refusal), nil) }
      ask.url = redirect
      reply = Reply()
      return (.success(reply), ask)
    }
    if let next { begin(next) } else { ended(outcome) }
  }

  private func refusal(of redirect: String) -> StoreError? {
    if redirects > Self.redirectLimit { return StoreError(.refused, "the server redirects too often") }
    let isSecure = redirect.utf8.starts(with: "https://".utf8)
    guard isSecure || redirect.utf8.starts(with: "http://".utf8) else {
      return StoreError(.refused, "the server redirects to what is neither http nor https")
    }
    if !isSecure, ask.url.utf8.starts(with: "https://".utf8) {
      return StoreError(.refused, "the server redirects from https to http")
    }
    if ask.body != nil, reply.status != 307, reply.status != 308 {
      return StoreError(.refused, "the server redirects what is sent to it")
    }
    return nil
  }
}

extension Ask {
  fileprivate func withContent<R>(_ body: (UnsafePointer<lvu_request>) -> R) -> R {
    var texts: [UInt8] = []
    func add(_ text: String) -> Int {
      let start = texts.count
      texts += text.utf8
      texts.append(0)
      return start
    }
    let url = add(url)
    let method = method.map { add($0.description) }
    let certificates = certificates.map { add($0) }
    let proxy = proxy.map { add($0) }
    let pairs = fields.map { (add($0.name), add($0.value)) }
    return texts.withUnsafeBytes { (texts) -> R in
      func text(_ start: Int?) -> UnsafePointer<CChar>? {
        guard let start, let base = texts.baseAddress else { return nil }
        return (base + start).assumingMemoryBound(to: CChar.self)
      }
      let fields = pairs.map { lvu_field(name: text($0.0), value: text($0.1)) }
      return fields.withUnsafeBufferPointer { (fields) -> R in
        let sent = self.body ?? []
        return sent.withUnsafeBufferPointer { (bytes) -> R in
          var content = lvu_request()
          content.url = text(url)
          content.fields = fields.baseAddress
          content.field_count = fields.count
          content.ca_file = text(certificates)
          content.proxy = text(proxy)
          if self.body != nil {
            content.body = UnsafeRawPointer(bytes.baseAddress)
            content.method = text(method)
          }
          content.body_length = bytes.count
          return body(&content)
        }
      }
    }
  }
}
