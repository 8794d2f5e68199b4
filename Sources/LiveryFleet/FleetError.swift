/// Why something that came from a fleet, or is meant for one, is not taken.
public struct FleetError: Error, Sendable, Equatable {
  /// What kind of wrong it is: what a device tells of it, and what a console acts on.
  public enum Reason: UInt8, Sendable, CaseIterable {
    /// It is not what it should be, byte by byte.
    case malformed = 1
    /// It is larger, or has more of something, than may be.
    case tooLarge
    /// It is of a format that this software does not know.
    case unsupported
    /// It is of another fleet.
    case foreign
    /// Too few of those who may have signed it, or somebody who may not.
    case unsigned
    /// It is older than what was seen before.
    case rollback
    /// There are two of the same version.
    case equivocation
    /// Its time is over.
    case expired
    /// It does not belong with the others that came along, or is another of them.
    case mixed
    /// It was made under a key document that is not here yet.
    case keysMissing
    /// It does not have the hash by which it was asked for.
    case wrongHash
    /// It could not be had: no network, or an answer that brings nothing.
    case unavailable
  }

  public let reason: Reason
  /// One line for people.
  public let message: String

  public init(_ reason: Reason, _ message: String) {
    self.reason = reason
    self.message = message
  }

  public static func == (left: FleetError, right: FleetError) -> Bool {
    left.reason == right.reason && left.message.sameBytes(as: right.message)
  }
}

extension FleetError.Reason {
  /// The word for it in reports.
  public var name: String {
    switch self {
    case .malformed: "malformed"
    case .tooLarge: "too-large"
    case .unsupported: "unsupported"
    case .foreign: "foreign"
    case .unsigned: "unsigned"
    case .rollback: "rollback"
    case .equivocation: "equivocation"
    case .expired: "expired"
    case .mixed: "mixed"
    case .keysMissing: "keys-missing"
    case .wrongHash: "wrong-hash"
    case .unavailable: "unavailable"
    }
  }
}

extension FleetError: CustomStringConvertible {
  public var description: String { message }
}
