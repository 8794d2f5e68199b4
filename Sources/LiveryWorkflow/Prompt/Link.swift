import CWorkflow
import LiveryClient

/// One end of the connection of a prompt, in this process or to another one. Of the loop's thread alone.
///
/// What is received comes in order; nil is the end of the other side, and comes last.
final class Link: @unchecked Sendable {
  private let loop: Loop
  private var receive: (@Sendable (Message?) -> Void)?
  /// The other end, if it is of the same loop.
  private var peer: Link?
  private var descriptor: Int32 = -1

  private init(_ loop: Loop) {
    self.loop = loop
  }

  /// Both ends, within this process.
  static func pair(_ loop: Loop) -> (Link, Link) {
    let (one, other) = (Link(loop), Link(loop))
    one.peer = other
    other.peer = one
    return (one, other)
  }

  /// An end whose other one is of another process; the descriptor is its own from now on.
  init(_ loop: Loop, _ descriptor: Int32) {
    self.loop = loop
    self.descriptor = descriptor
  }

  func start(_ receive: @escaping @Sendable (Message?) -> Void) {
    self.receive = receive
    if descriptor >= 0 { loop.watch(descriptor) { self.read() } }
  }

  func send(_ message: Message) {
    if let peer {
      loop.post { peer.receive?(message) }
    } else if descriptor >= 0 {
      var bytes = message.bytes
      let isSent =
        bytes.count <= Message.limit
        && bytes.withUnsafeBytes { lvw_send(descriptor, $0.baseAddress, $0.count) }
      wipe(&bytes)
      if !isSent { lose() }
    }
  }

  /// Ends it; nothing is received any more.
  func close() {
    receive = nil
    if let peer {
      self.peer = nil
      loop.post { peer.lose() }
    }
    shut()
  }

  /// The other side has ended.
  private func lose() {
    peer = nil
    shut()
    // What was sent by this end is on its way no more: it hears that after what it is doing.
    loop.post {
      let receive = self.receive
      self.receive = nil
      receive?(nil)
    }
  }

  private func shut() {
    guard descriptor >= 0 else { return }
    loop.forget(descriptor)
    lvw_close(descriptor)
    descriptor = -1
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: Message.limit)
    defer { wipe(&buffer) }
    while descriptor >= 0 {
      let count = buffer.withUnsafeMutableBytes { lvw_receive(descriptor, $0.baseAddress, $0.count) }
      if count == -Int(EAGAIN) { return }
      guard count > 0, let message = Message(buffer[..<count]) else { return lose() }
      receive?(message)
    }
  }

  private func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { lvw_wipe($0.baseAddress, $0.count) }
  }
}
