import LiveryClient

// What is kept of it.

extension Trust {
  /// To be kept where nobody else writes.
  public var value: Value {
    get throws(FleetError) {
      var made = Making()
      made.add("fleet", fleet)
      made.add("fingerprint", fingerprint)
      if let keys { made.add("keys", try keys.encoded()) }
      made.add("floors", ifAny: floors.map { $0.value })
      if passed > 0 { made.add("passed", passed) }
      return made.value
    }
  }

  /// Reads what was kept.
  ///
  /// - Throws: `.malformed`, `.tooLarge`, `.unsupported`.
  public init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "what is trusted")
    self.init(fleet: try members.name("fleet"), fingerprint: try members.data("fingerprint", Crypto.hashSize))
    if let kept = try members.dataIfAny("keys", 1...Limit.keys) { keys = try KeyDocument.decode(kept) }
    for item in try members.list("floors", limit: Self.floorLimit) { floors.append(try Floor(item)) }
    passed = try members.intIfAny("passed", 0...Limit.time) ?? 0
    try members.end()
    forgetFloors()
  }
}

extension Trust.Floor {
  fileprivate var value: Value {
    var made = Making()
    made.add("channel", channel)
    made.add("key", key)
    made.add("version", version)
    made.add("issued", issued)
    made.add("hash", hash)
    return made.value
  }

  fileprivate init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "a version that was seen")
    channel = try members.text("channel", limit: 64)
    key = try members.data("key", Crypto.keySize)
    version = try members.int("version", 1...Limit.version)
    issued = try members.int("issued", 0...Limit.time)
    hash = try members.data("hash", Crypto.hashSize)
    try members.end()
  }
}
