import CHTTP

/// A connection of somebody, from when it is accepted until it is closed.
final class Connection: @unchecked Sendable {
  /// How long a request may take to come, counted from the end of the one before, and how long an answer to be taken; in
  /// milliseconds.
  static let patience: Int64 = 30_000
  /// What has to come or go in each second after that.
  static let leastRate: Int64 = 64 << 10

  let server: Server
  let descriptor: Int32
  /// The address of this side; nil where it has none.
  let local: Authority?
  let isLoopback: Bool
  /// The address of the other side, without a port; "" where it has none.
  let remote: String
  // Guarded by the lock of the server.
  var deadline: Int64
  var isCut = false

  init(_ server: Server, _ descriptor: Int32) {
    self.server = server
    self.descriptor = descriptor
    var text = [CChar](repeating: 0, count: Int(LVH_ADDRESS_MAX))
    isLoopback = lvh_local_address(descriptor, &text)
    var far = [CChar](repeating: 0, count: Int(LVH_ADDRESS_MAX))
    lvh_remote_address(descriptor, &far)
    remote = String(decoding: far.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    local = Authority(text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }[...])
    deadline = lvh_now() + Connection.patience
    if local != nil { lvh_keep_alive(descriptor) }
  }

  /// Until when it may go on, if so many bytes are to come or to go.
  static func deadline(for count: Int) -> Int64 {
    lvh_now() + patience + Int64(clamping: count) * 1000 / leastRate
  }
}
