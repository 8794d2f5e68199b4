import CCurl
import CConsole
import CLivery
import LiveryClient
import LiveryHTTP

/// One request that puts something somewhere, and what was answered.
final class Put: @unchecked Sendable {
  struct Answer: Sendable {
    /// 0 if there was none.
    var status = 0
    /// The beginning of the body.
    var body: [UInt8] = []
    var date: String?
    /// Why there was none.
    var problem: String?
  }

  /// How much of an answer is read.
  private static let longest = 4096

  private let lock = Lock()
  private let latch: OpaquePointer
  // Guarded by `lock`.
  private var made = Answer()

  private init(_ latch: OpaquePointer) { self.latch = latch }

  var answer: Answer { lock.withLock { made } }

  struct Content {
    var url: String
    var fields: [(name: String, value: String)]
    var body: [UInt8]
    var certificates: String?
  }

  /// Makes requests at the same time, and waits for the answers to all of them.
  ///
  /// - Returns: an answer for each; nil if there is no memory.
  static func all(_ contents: [Content]) -> [Answer]? {
    guard !contents.isEmpty, let latch = lvo_latch_make(contents.count) else { return contents.isEmpty ? [] : nil }
    var puts: [Put] = []
    for content in contents {
      let put = Put(latch)
      puts.append(put)
      put.begin(content)
    }
    lvo_latch_wait(latch)
    return puts.map { $0.answer }
  }

  private func begin(_ content: Content) {
    let held = Unmanaged.passRetained(self)
    let status = content.with { lvu_begin($0, Put.receiver, held.toOpaque()) }
    guard status != livery_status(LIVERY_OK) else { return }
    held.release()
    let message = livery_last_error().flatMap { $0.pointee.message }.map { String(cString: $0) }
    lock.withLock { made.problem = message ?? "the request cannot be made" }
    lvo_latch_end_one(latch)
  }

  // It is there for as long as the process lives.
  nonisolated(unsafe) private static let receiver: UnsafePointer<lvu_receiver> = {
    let place = UnsafeMutablePointer<lvu_receiver>.allocate(capacity: 1)
    let empty = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    empty.initialize(to: 0)
    place.initialize(
      to: lvu_receiver(
        alternative: UnsafePointer(empty),
        answer: { exchange, status, fields, count in
          Put.of(exchange)?.take(status, UnsafeBufferPointer(start: fields, count: count)) ?? false
        },
        receive: { exchange, bytes, length in
          Put.of(exchange)?.take(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length)) ?? false
        },
        finish: { exchange, status, message, _ in
          guard let exchange else { return }
          let put = Unmanaged<Put>.fromOpaque(exchange).takeRetainedValue()
          put.finish(status, message.map { String(cString: $0) })
        }))
    return UnsafePointer(place)
  }()

  private static func of(_ exchange: UnsafeMutableRawPointer?) -> Put? {
    exchange.map { Unmanaged<Put>.fromOpaque($0).takeUnretainedValue() }
  }

  private func take(_ status: Int32, _ fields: UnsafeBufferPointer<lvu_field>) -> Bool {
    var date: String?
    for field in fields {
      guard let name = field.name.map({ String(cString: $0) }), let value = field.value else { continue }
      if Array(name.utf8)[...].isSame("date") { date = String(cString: value) }
    }
    lock.withLock {
      made.status = Int(status)
      made.date = date
    }
    return true
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lock.withLock { made.body.append(contentsOf: bytes.prefix(Put.longest - made.body.count)) }
    return true
  }

  private func finish(_ status: livery_status, _ message: String?) {
    if status != livery_status(LIVERY_OK) {
      lock.withLock {
        made.status = 0
        made.problem = message ?? "the request failed"
      }
    }
    lvo_latch_end_one(latch)
  }
}

extension Put.Content {
  fileprivate func with<R>(_ take: (UnsafePointer<lvu_request>) -> R) -> R {
    var texts: [UInt8] = []
    func add(_ text: String) -> Int {
      let start = texts.count
      texts += text.utf8
      texts.append(0)
      return start
    }
    let (url, method) = (add(url), add("PUT"))
    let certificates = certificates.map { add($0) }
    let pairs = fields.map { (add($0.name), add($0.value)) }
    return texts.withUnsafeBytes { (texts) -> R in
      func text(_ start: Int?) -> UnsafePointer<CChar>? {
        guard let start, let base = texts.baseAddress else { return nil }
        return (base + start).assumingMemoryBound(to: CChar.self)
      }
      let fields = pairs.map { lvu_field(name: text($0.0), value: text($0.1)) }
      return fields.withUnsafeBufferPointer { (fields) -> R in
        body.withUnsafeBufferPointer { (bytes) -> R in
          var request = lvu_request()
          request.url = text(url)
          request.fields = fields.baseAddress
          request.field_count = fields.count
          request.ca_file = text(certificates)
          request.body = UnsafeRawPointer(bytes.baseAddress)
          request.body_length = bytes.count
          request.method = text(method)
          return take(&request)
        }
      }
    }
  }
}
