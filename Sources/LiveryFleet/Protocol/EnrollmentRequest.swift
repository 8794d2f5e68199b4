import LiveryClient

/// What a device sends to join, signed with the key that it has made: so the console learns the public half from whoever has the
/// other one.
public struct EnrollmentRequest: Sendable, Equatable {
  public var fleet: String
  public var token: [UInt8]
  /// The public half of the device's key.
  public var device: [UInt8]
  /// What people call the device.
  public var name: String?

  /// The most bytes of a device's name.
  public static let nameLimit = 64

  public init(fleet: String, token: [UInt8], device: [UInt8], name: String? = nil) {
    self.fleet = fleet
    self.token = token
    self.device = device
    self.name = name
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.fleet.sameBytes(as: right.fleet) && left.token == right.token && left.device == right.device
      && (left.name ?? "").sameBytes(as: right.name ?? "")
  }

  /// The payload.
  public func encoded() throws(FleetError) -> [UInt8] {
    var made = Making()
    made.add("fleet", fleet)
    made.add("token", token)
    made.add("device", device)
    made.add("name", ifAny: name)
    return try CBOR.encode(made.value)
  }

  /// Reads a payload.
  ///
  /// - Throws: `.malformed`, `.unsupported`.
  public static func decode(_ payload: [UInt8]) throws(FleetError) -> EnrollmentRequest {
    var members = try Members(CBOR.decode(payload), of: "the request")
    let request = EnrollmentRequest(
      fleet: try members.name("fleet"), token: try members.data("token", EnrollmentCode.tokenSize),
      device: try members.data("device", Crypto.keySize), name: try members.textIfAny("name", limit: nameLimit))
    try members.end()
    return request
  }

  /// Reads what travelled, and verifies that it is signed with the key that it names.
  public static func verified(_ bytes: [UInt8]) throws(FleetError) -> EnrollmentRequest {
    let envelope = try Envelope.decode(bytes, as: .enrollment)
    let request = try decode(envelope.payload)
    try envelope.verify { $0 == request.device }
    return request
  }
}

extension Report {
  /// Reads what travelled, and verifies that it is signed with the key that it names.
  ///
  /// - Parameter last: the sequence of the last report of this device; nil for none.
  /// - Throws: `.rollback` for a replay; `.unsigned`; as `decode`.
  public static func verified(_ bytes: [UInt8], after last: Int64?) throws(FleetError) -> Report {
    let envelope = try Envelope.decode(bytes, as: .report)
    let report = try decode(envelope.payload)
    try envelope.verify { $0 == report.device }
    if let last, report.sequence <= last {
      throw FleetError(.rollback, "the report has the number \(report.sequence); \(last) was there before")
    }
    return report
  }
}
