import LiveryClient

/// What is signed, and by whom: a list of its kind, its payload, and its signatures in the order of their keys.
///
/// A signature is of the text `livery-sync-1`, a NUL, the kind, a NUL, and the payload: one of a kind is none of another.
public struct Envelope: Sendable {
  public enum Kind: UInt8, Sendable, CaseIterable {
    case keys, manifest, report, enrollment

    public var name: String {
      switch self {
      case .keys: "keys"
      case .manifest: "manifest"
      case .report: "report"
      case .enrollment: "enrollment"
      }
    }

    /// The most bytes of one.
    public var limit: Int {
      switch self {
      case .keys: Limit.keys
      case .manifest: Limit.manifest
      case .report: Limit.report
      case .enrollment: Limit.enrollment
      }
    }
  }

  public struct Signature: Sendable, Equatable {
    public var key: [UInt8]
    public var bytes: [UInt8]
  }

  public let kind: Kind
  public let payload: [UInt8]
  public private(set) var signatures: [Signature]

  /// Signs a payload with keys, each of which counts once.
  public init(_ kind: Kind, _ payload: [UInt8], signedBy keys: [SigningKey]) {
    self.kind = kind
    self.payload = payload
    signatures = []
    let message = Self.message(kind, payload)
    for key in keys where !signatures.contains(where: { $0.key == key.publicKey }) {
      signatures.append(Signature(key: key.publicKey, bytes: key.signature(of: message)))
    }
    signatures.sort { $0.key.precedes($1.key) }
  }

  private init(_ kind: Kind, _ payload: [UInt8], _ signatures: [Signature]) {
    self.kind = kind
    self.payload = payload
    self.signatures = signatures
  }

  static func message(_ kind: Kind, _ payload: [UInt8]) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(payload.count + 32)
    message.append(contentsOf: "livery-sync-1".utf8)
    message.append(0)
    message.append(contentsOf: kind.name.utf8)
    message.append(0)
    message += payload
    return message
  }

  /// What travels.
  ///
  /// - Throws: `.tooLarge`.
  public func encoded() throws(FleetError) -> [UInt8] {
    let listed = signatures.map { Value.list([.data($0.key), .data($0.bytes)]) }
    let bytes = try CBOR.encode(.list([.string(kind.name), .data(payload), .list(listed)]))
    guard bytes.count <= kind.limit else { throw FleetError(.tooLarge, "a \(kind.name) of \(bytes.count) bytes") }
    return bytes
  }

  /// Reads what travelled. Nothing is verified by that: `verify` does.
  ///
  /// - Throws: `.malformed`, `.tooLarge`, `.unsigned` if nobody has signed it.
  public static func decode(_ bytes: [UInt8], as kind: Kind) throws(FleetError) -> Envelope {
    guard bytes.count <= kind.limit else {
      throw FleetError(.tooLarge, "it has more than \(kind.limit) bytes, which is the most of \(kind.name)")
    }
    guard case .list(let parts) = try CBOR.decode(bytes), parts.count == 3, case .string(let name) = parts[0],
      case .data(let payload) = parts[1], case .list(let listed) = parts[2]
    else { throw FleetError(.malformed, "it is no signed document") }
    guard name.sameBytes(as: kind.name) else { throw FleetError(.malformed, "it is no \(kind.name)") }
    guard !listed.isEmpty else { throw FleetError(.unsigned, "nobody has signed it") }
    guard listed.count <= Limit.signers + Limit.roots else {
      throw FleetError(.tooLarge, "it has \(listed.count) signatures")
    }
    var signatures: [Signature] = []
    for item in listed {
      guard case .list(let pair) = item, pair.count == 2, case .data(let key) = pair[0],
        case .data(let signature) = pair[1], key.count == Crypto.keySize, signature.count == Crypto.signatureSize
      else { throw FleetError(.malformed, "a signature is not what it should be") }
      if let last = signatures.last, !last.key.precedes(key) {
        throw FleetError(.malformed, "signatures are not in the order of their keys")
      }
      signatures.append(Signature(key: key, bytes: signature))
    }
    return Envelope(kind, payload, signatures)
  }

  /// Verifies each signature. One that is wrong, or of somebody who may not sign, makes all of it worthless: so that there is
  /// no second way to write what is taken.
  ///
  /// - Parameter may: whether a key may sign this.
  /// - Throws: `.unsigned`.
  public func verify(_ may: ([UInt8]) -> Bool) throws(FleetError) {
    let message = Self.message(kind, payload)
    for signature in signatures {
      guard may(signature.key) else {
        throw FleetError(.unsigned, "it is signed by \(signature.key.fingerprint), who may not sign it")
      }
      guard Crypto.isSigned(message, by: signature.key, signature.bytes) else {
        throw FleetError(.unsigned, "the signature by \(signature.key.fingerprint) is wrong")
      }
    }
  }

  /// How many of some keys have signed.
  func count(of keys: [[UInt8]]) -> Int { signatures.count { signature in keys.contains { $0 == signature.key } } }
}

extension [UInt8] {
  /// A key as people are told of it: the first bytes of it.
  var fingerprint: String { [UInt8](prefix(6)).hexadecimal }
}
