import CLivery
import CConsole
import CMosquitto
import LiveryClient
import LiveryHTTP

/// A connection to the broker, by which devices hear that there is something new.
final class Hints: @unchecked Sendable {
  private let broker: OpaquePointer

  /// - Parameter user: with the password in a file's first line; nil for none.
  convenience init(
    _ url: String, user: String? = nil, passwordFile: String? = nil, caFile: String? = nil, clientID: String? = nil
  ) throws(Refusal) {
    var options = lvb_options()
    // It is one client alone that comes back: devices wait for what it tells.
    options.spread = 500
    var broker: OpaquePointer?
    for text in [url, user ?? "", passwordFile ?? "", caFile ?? "", clientID ?? ""] where text.utf8.contains(0) {
      throw Refusal(.invalid, "an option of the broker has a NUL")
    }
    if let passwordFile, passwordFile.withCString({ lvo_is_open_to_others($0) }) {
      throw Refusal(.invalid, "\(passwordFile): others may read the broker's password; chmod 400")
    }
    // What the texts point to lives during the call.
    let status = url.withCString { (url) -> livery_status in
      (user ?? "").withCString { (name) in
        (passwordFile ?? "").withCString { (password) in
          (caFile ?? "").withCString { (authorities) in
            (clientID ?? "").withCString { (client) in
              options.url = url
              options.user = user == nil ? nil : name
              options.password_file = passwordFile == nil ? nil : password
              options.ca_file = caFile == nil ? nil : authorities
              options.client_id = clientID == nil ? nil : client
              return lvb_open(&options, &broker)
            }
          }
        }
      }
    }
    do throws(StoreError) { try LiveryClient.check(status) } catch {
      let isSaid = error.message.utf8.starts(with: "the broker".utf8)
      throw Refusal(.invalid, isSaid ? error.message : "the broker: \(error.message)")
    }
    guard let broker else { throw Refusal(.busy, "the broker was opened without a handle") }
    self.init(broker)
  }

  /// The broker of a place; nil if it has none.
  ///
  /// - Parameter serves: whether it is the console that stays. The identifier is its own: a broker ends a connection when another one
  ///   comes with the same.
  static func make(_ place: Console.Place, serves: Bool) throws(Refusal) -> Hints? {
    guard let url = place.broker else { return nil }
    return try Hints(
      url, user: place.brokerUser, passwordFile: place.brokerPasswordFile, caFile: place.brokerCAFile,
      clientID: serves ? place.brokerClientID : nil)
  }

  private init(_ broker: OpaquePointer) { self.broker = broker }

  deinit { lvb_close(broker) }

  /// Has a channel's devices ask soon. What the broker does not take is no loss: they ask by themselves as well.
  func tell(_ fleet: String, _ channel: String, _ version: Int64) {
    let text = version.description
    let count = text.utf8.count
    _ = "livery/\(fleet)/\(channel)".withCString { (topic) in
      text.withCString { lvb_publish(broker, topic, $0, count) }
    }
  }

  /// Waits for the broker to have it all, for so long at most; what keeps it from that, or nil.
  @discardableResult
  func flush(_ milliseconds: UInt32) -> String? {
    do throws(StoreError) { try LiveryClient.check(lvb_flush(broker, milliseconds)) } catch { return error.message }
    return nil
  }

  /// Why the broker is not connected; nil if it is, or while that is not known.
  var problem: String? {
    var facts = lvb_facts()
    lvb_look(broker, &facts)
    guard facts.state != LVB_CONNECTED else { return nil }
    let reason = withUnsafeBytes(of: &facts.reason) { (bytes) in
      String(decoding: Array(bytes.prefix { $0 != 0 }), as: UTF8.self)
    }
    return reason.utf8.isEmpty ? nil : "the broker is not connected: \(reason)"
  }
}
