import CLivery
import CMosquitto
import LiveryClient

/// A connection to the broker of hints. Whoever cannot be reached is tried again by itself.
final class Hints: @unchecked Sendable {
  private let heard: @Sendable (_ topic: String, _ version: Int64) -> Void
  private let changed: @Sendable () -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var broker: OpaquePointer?
  private var connected = false
  private var reason = ""
  private var connectionCount = 0

  private init(
    heard: @escaping @Sendable (String, Int64) -> Void, changed: @escaping @Sendable () -> Void
  ) {
    self.heard = heard
    self.changed = changed
  }

  /// - Throws: `.unavailable` if there is no library for it, `.busy`, `.noMemory`: changes are found by asking every so often.
  static func open(
    _ url: String, user: String?, passwordFile: String?, certificates: String?,
    heard: @escaping @Sendable (_ topic: String, _ version: Int64) -> Void, changed: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Hints {
    let hints = Hints(heard: heard, changed: changed)
    let trusted = url.utf8.starts(with: "mqtts:".utf8) ? certificates : nil
    let held = Unmanaged.passRetained(hints)
    let opened = withOptions([url, user, passwordFile, trusted]) { (options) -> Result<OpaquePointer?, StoreError> in
      options.message = { context, topic, payload, length in
        guard let topic, let hints = Hints.of(context) else { return }
        hints.hear(String(cString: topic), UnsafeBufferPointer(start: payload, count: payload == nil ? 0 : length))
      }
      options.changed = { context, state, reason in
        Hints.of(context)?.note(state == LVB_CONNECTED, reason.map { String(cString: $0) } ?? "")
      }
      options.context = held.toOpaque()
      var broker: OpaquePointer?
      do throws(StoreError) { try check(lvb_open(&options, &broker)) } catch { return .failure(error) }
      return .success(broker)
    }
    switch opened {
    case .success(let broker):
      hints.lock.withLock { hints.broker = broker }
      return hints
    case .failure(let error):
      held.release()
      throw error
    }
  }

  /// What is wrong with what a broker is reached by; nil for nothing. Nobody is asked.
  static func problem(of url: String, user: String?, passwordFile: String?) -> String? {
    withOptions([url, user, passwordFile, nil]) { (options) in lvb_wrong(&options).map { String(cString: $0) } }
  }

  /// - Parameter texts: URL, user, file of the password, certificates.
  private static func withOptions<R>(_ texts: [String?], _ body: (inout lvb_options) -> R) -> R {
    var bytes: [UInt8] = []
    let places = texts.map { (text) -> Int? in
      guard let text else { return nil }
      let place = bytes.count
      bytes += text.utf8
      bytes.append(0)
      return place
    }
    return bytes.withUnsafeBytes { (bytes) -> R in
      func text(_ index: Int) -> UnsafePointer<CChar>? {
        guard let place = places[index], let base = bytes.baseAddress else { return nil }
        return (base + place).assumingMemoryBound(to: CChar.self)
      }
      var options = lvb_options()
      options.url = text(0)
      options.user = text(1)
      options.password_file = text(2)
      options.ca_file = text(3)
      return body(&options)
    }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Hints? {
    context.map { Unmanaged<Hints>.fromOpaque($0).takeUnretainedValue() }
  }

  var isConnected: Bool { lock.withLock { connected } }

  /// Why it is not connected; "" while that is not known.
  var problem: String { lock.withLock { connected ? "" : reason } }

  /// How often it was reached.
  var connections: Int { lock.withLock { connectionCount } }

  /// Wants these topics in place of those before.
  func subscribe(_ topics: [String]) {
    guard let broker = lock.withLock({ broker }) else { return }
    var bytes: [UInt8] = []
    let places = topics.map { (topic) -> Int in
      let place = bytes.count
      bytes += topic.utf8
      bytes.append(0)
      return place
    }
    bytes.withUnsafeBytes { (bytes) in
      let pointers = places.map { (place) -> UnsafePointer<CChar>? in
        bytes.baseAddress.map { ($0 + place).assumingMemoryBound(to: CChar.self) }
      }
      pointers.withUnsafeBufferPointer { _ = lvb_subscribe(broker, $0.baseAddress, $0.count) }
    }
  }

  /// Nothing is heard any more when this returns.
  func end() {
    let former = lock.withLock { () -> OpaquePointer? in
      defer { broker = nil }
      return broker
    }
    guard let former else { return }
    lvb_close(former)
    Unmanaged.passUnretained(self).release()
  }

  /// Anybody may send hints: what is no version is none.
  private func hear(_ topic: String, _ payload: UnsafeBufferPointer<UInt8>) {
    guard (1...16).contains(payload.count) else { return }
    var version: Int64 = 0
    for digit in payload {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return }
      version = version * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    heard(topic, version)
  }

  private func note(_ isConnected: Bool, _ reason: String) {
    lock.withLock {
      if isConnected, !connected { connectionCount += 1 }
      connected = isConnected
      self.reason = reason
    }
    changed()
  }
}
