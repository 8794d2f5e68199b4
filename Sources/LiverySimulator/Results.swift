import CSimulator
import LiveryClient
import LiveryFleet

/// A folder with what came of devices, in files that each tell of some: a simulation that was ended goes on where it was.
struct Results: Sendable {
  private let path: String
  private let folder: PublishedFolder
  /// What these devices lived in: nothing else is added to it.
  private let origin: Value

  /// - Throws: if there is no such folder.
  init(_ path: String, _ options: Options, _ history: History) throws {
    self.path = path
    folder = try PublishedFolder(path: path)
    let published = history.channels.flatMap { $0.map { $0.payload } }
    origin = .object([
      .init("devices", .int(Int64(options.devices))), .init("days", .int(Int64(options.days))),
      .init("seed", .string(options.seed.description)),
      .init("fault", .string((options.fault?.rawValue ?? "") + (options.hasTrials ? " trials" : ""))),
      .init("published", .data(Crypto.hash(published.flatMap { Crypto.hash($0) }))),
    ])
  }

  private func name(_ devices: Range<Int>) -> String { "\(devices.lowerBound)-\(devices.upperBound).cbor" }

  /// What came of devices before; nil if it is not known.
  ///
  /// - Throws: if the file is of another simulation, or none.
  func outcome(_ devices: Range<Int>) throws(FleetError) -> Outcome? {
    var count = 0
    guard let start = "\(path)/\(name(devices))".withCString({ lvm_read($0, &count) }) else { return nil }
    defer { lvm_free(start) }
    let value = try CBOR.decode([UInt8](UnsafeBufferPointer(start: start, count: count)))
    guard value["of"] == origin else { throw FleetError(.foreign, "\(name(devices)) is of another simulation") }
    guard let kept = value["outcome"] else { throw FleetError(.malformed, "\(name(devices)) tells nothing") }
    return try Outcome(kept)
  }

  /// Keeps what came of devices: all of it or nothing.
  func keep(_ outcome: Outcome, _ devices: Range<Int>) throws {
    let bytes = try CBOR.encode(.object([.init("of", origin), .init("outcome", outcome.value)]))
    try folder.write([Publisher.File(path: "/" + name(devices), bytes: bytes, isImmutable: false)])
  }
}
