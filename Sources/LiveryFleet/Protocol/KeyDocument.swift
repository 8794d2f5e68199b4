import LiveryClient

/// Who may sign what: signed by the root keys, and by the former ones where these have changed.
public struct KeyDocument: Sendable, Equatable {
  /// Keys of which so many have to sign.
  public struct Roots: Sendable, Equatable {
    /// In the order of their bytes.
    public var keys: [[UInt8]]
    public var threshold: Int

    public init(keys: [[UInt8]], threshold: Int = 1) {
      self.keys = keys.sorted { $0.precedes($1) }
      self.threshold = threshold
    }

    /// What an enrollment code has of them: SHA-256 of their name, the threshold and the keys.
    public var fingerprint: [UInt8] {
      var bytes = Array<UInt8>("livery-sync-1".utf8)
      bytes.append(0)
      bytes.append(contentsOf: "roots".utf8)
      bytes.append(0)
      bytes.append(UInt8(clamping: threshold))
      for key in keys { bytes += key }
      return Crypto.hash(bytes)
    }
  }

  /// A key that signs manifests, for a time.
  public struct Signer: Sendable, Equatable {
    public var key: [UInt8]
    /// From this second since 1970 on, and before that one.
    public var from: Int64
    public var until: Int64

    public init(key: [UInt8], from: Int64, until: Int64) {
      self.key = key
      self.from = from
      self.until = until
    }
  }

  public var fleet: String
  public var version: Int64
  /// When it was made, and until when it holds, in seconds since 1970.
  public var issued: Int64
  public var expires: Int64
  public var roots: Roots
  /// The roots of before, in the version in which they change.
  public var former: Roots?
  public var signers: [Signer]
  /// How many of the signers have to sign a manifest.
  public var threshold: Int

  public init(
    fleet: String, version: Int64, issued: Int64, expires: Int64, roots: Roots, former: Roots? = nil,
    signers: [Signer], threshold: Int = 1
  ) {
    self.fleet = fleet
    self.version = version
    self.issued = issued
    self.expires = expires
    self.roots = roots
    self.former = former
    self.signers = signers.sorted { $0.key.precedes($1.key) }
    self.threshold = threshold
  }

  public func signer(_ key: [UInt8]) -> Signer? { signers.first { $0.key == key } }

  /// Whether a key may sign manifests at a time.
  public func counts(_ key: [UInt8], at time: Int64) -> Bool {
    guard let signer = signer(key) else { return false }
    return time >= signer.from && time < signer.until
  }
}

extension KeyDocument {
  /// The payload.
  public func encoded() throws(FleetError) -> [UInt8] {
    var made = Making()
    made.add("fleet", fleet)
    made.add("version", version)
    made.add("issued", issued)
    made.add("expires", expires)
    made.add("roots", roots.value)
    if let former { made.add("former", former.value) }
    made.add(
      "signers",
      ifAny: signers.map {
        .object([.init("key", .data($0.key)), .init("from", .int($0.from)), .init("until", .int($0.until))])
      })
    made.add("threshold", Int64(threshold))
    return try CBOR.encode(made.value)
  }

  /// Reads a payload.
  ///
  /// - Throws: `.malformed`, `.tooLarge`, `.unsupported`.
  public static func decode(_ payload: [UInt8]) throws(FleetError) -> KeyDocument {
    var members = try Members(CBOR.decode(payload), of: "the key document")
    let fleet = try members.name("fleet")
    let version = try members.int("version", 1...Limit.version)
    let issued = try members.int("issued", 0...Limit.time)
    let expires = try members.int("expires", issued...Limit.time)
    let roots = try Roots(members.value("roots"))
    var former: Roots?
    if let value = members.valueIfAny("former") { former = try Roots(value) }
    guard former != roots else { throw FleetError(.malformed, "the former roots are the present ones") }
    var signers: [Signer] = []
    for item in try members.list("signers", limit: Limit.signers) {
      let signer = try Signer(item)
      if let last = signers.last, !last.key.precedes(signer.key) {
        throw FleetError(.malformed, "the signers are not in the order of their keys")
      }
      signers.append(signer)
    }
    let threshold = Int(try members.int("threshold", 1...Int64(Limit.signers)))
    try members.end()
    return KeyDocument(
      fleet: fleet, version: version, issued: issued, expires: expires, roots: roots, former: former, signers: signers,
      threshold: threshold)
  }
}

extension KeyDocument.Roots {
  fileprivate var value: Value {
    .object([.init("keys", .list(keys.map { .data($0) })), .init("threshold", .int(Int64(threshold)))])
  }

  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "the roots")
    let items = try members.list("keys", limit: Limit.roots)
    guard !items.isEmpty else { throw FleetError(.malformed, "there are no root keys") }
    let threshold = try members.int("threshold", 1...Int64(items.count))
    try members.end()
    var keys: [[UInt8]] = []
    for item in items {
      guard case .data(let key) = item, key.count == Crypto.keySize else {
        throw FleetError(.malformed, "a root key is not what it should be")
      }
      if let last = keys.last, !last.precedes(key) {
        throw FleetError(.malformed, "the root keys are not in their order")
      }
      keys.append(key)
    }
    self.init(keys: keys, threshold: Int(threshold))
  }
}

extension KeyDocument.Signer {
  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a signer")
    key = try members.data("key", Crypto.keySize)
    from = try members.int("from", 0...Limit.time)
    until = try members.int("until", from...Limit.time)
    try members.end()
  }
}
