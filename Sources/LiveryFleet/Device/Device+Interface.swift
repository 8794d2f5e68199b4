import LiveryClient

// What a device is told, and what it asks for: it knows neither clock nor network, neither store nor files.

extension Device {
  /// When something happens.
  public struct Moment: Sendable {
    /// Milliseconds of a clock that never goes back while the device is up.
    public var uptime: Int64
    /// The device's clock, which may be wrong: seconds since 1970.
    public var clock: Int64
    /// How many milliseconds of that second are over.
    public var fraction: Int64

    public init(uptime: Int64, clock: Int64, fraction: Int64 = 0) {
      self.uptime = uptime
      self.clock = clock
      self.fraction = fraction
    }
  }

  /// What it may ask at any time.
  public struct World {
    var hasAsset: (_ hash: [UInt8]) -> Bool
    var offset: ZoneOffset
    /// The version of the schema; nil without one.
    public var schema: Int64?
    /// What a setting is called now: documents may name it by an alias.
    var canonical: (_ name: String) -> String

    /// - Parameters:
    ///   - hasAsset: whether the store has the asset with a hash.
    ///   - offset: how many seconds the zone is ahead of UTC.
    ///   - canonical: the name of a setting by its name or an alias; other names as they are.
    public init(
      hasAsset: @escaping (_ hash: [UInt8]) -> Bool, offset: @escaping ZoneOffset, schema: Int64?,
      canonical: @escaping (_ name: String) -> String = { $0 }
    ) {
      self.hasAsset = hasAsset
      self.offset = offset
      self.schema = schema
      self.canonical = canonical
    }
  }

  public struct Configuration: Sendable {
    public var fleet: String
    /// The public half of the device's key.
    public var device: [UInt8]
    /// The app that it takes documents for; nil for those for every app alone.
    public var scope: String?
    /// How often it asks unless the fleet's manifest says, in seconds.
    public var interval: Int64 = 900
    /// How long it waits after a hint at most, in milliseconds: so that not all ask at once.
    public var hintSpread: Int64 = 500
    /// The least time between two reports, in milliseconds.
    public var reportInterval: Int64 = 60_000
    /// How long after a change that was made it waits to tell at most, in milliseconds: others may still ask for the same change.
    public var reportSpread: Int64 = 5000

    public init(fleet: String, device: [UInt8], scope: String? = nil) {
      self.fleet = fleet
      self.device = device
      self.scope = scope
    }

    public var id: String { DeviceID.of(device) }
  }

  public enum Event: Sendable {
    /// The process is there: nothing is under way.
    case boot
    /// A time that was asked for has come; or any other.
    case tick
    /// Somebody wants it to ask now.
    case pull
    /// Somebody wants it to report now.
    case push
    /// Somebody says that a channel has a version: nothing but a reason to ask.
    case hint(Channel, version: Int64)
    /// The broker was lost and is there again: what was said meanwhile was not heard.
    case reached
    /// The system has got a network, or one more.
    case network
    /// Values have changed at the device.
    case changed
    /// What a request was answered with.
    case answer(Answer)
    /// A request got no answer.
    case failure(retryAfter: Int64?)
    /// The change is on the disk.
    case applied
    /// Whether what was applied last is on trial. That it is comes before `applied`.
    case trial(isPending: Bool)
    /// What was on trial went back, or was not made: what is kept of settings is as before. With a violation it counts as
    /// refused by the schema with which it was made, as long as it is to be tried the same way; without one it is tried anew.
    /// `chosen` is what it replaced and the operator has chosen otherwise meanwhile: part of `Change.replacing`.
    case wentBack(
      owned: Value?, chosen: [Value], fingerprint: [UInt8], schema: Int64?, Desired.Trial?, Report.Violation?)
    /// The change was refused as a whole.
    case refused([Report.Violation])
    /// The change could not be made now: it is tried again.
    case postponed
    /// Records could not be kept: they are handed out again. What they came with was not done.
    case notSaved([Record])
    /// The asset is on the disk, or is not.
    case stored(Bool)
    /// What is in effect.
    case collected([Report.Effective], health: String?)
    /// The other side has the report; `full` if it wants all of it the next time.
    case reported(full: Bool)
    /// The report did not arrive, or nobody knows. Seconds that the other side asks to wait.
    case reportFailed(retryAfter: Int64?)
    /// The other side has had a report with this number or a higher one: the device was put back to what it was once.
    case reportOutnumbered
  }

  public struct Answer: Sendable {
    /// As of HTTP.
    public var status: Int
    public var body: [UInt8]
    /// As it is, with its quotes.
    public var entityTag: String?
    /// In seconds.
    public var retryAfter: Int64?
    /// Whether it has more than was asked for at most: then there is no body.
    public var isTooLarge = false

    public init(status: Int, body: [UInt8] = [], entityTag: String? = nil, retryAfter: Int64? = nil) {
      self.status = status
      self.body = body
      self.entityTag = entityTag
      self.retryAfter = retryAfter
    }
  }

  /// What is asked for with GET.
  public struct Request: Sendable, Equatable {
    /// Behind the fleet's URL, with a slash at its beginning.
    public var path: String
    /// For `If-None-Match`.
    public var entityTag: String?
    /// Whether caches on the way are to ask anew: `Cache-Control: no-cache`.
    public var isFresh: Bool
    /// The most bytes of the body.
    public var limit: Int
  }

  public enum Effect: Sendable {
    /// To be answered with `answer` or `failure`. One is under way at a time.
    case request(Request)
    /// The payload of a report, to be signed and sent once the records are kept. To be answered with `reported` or
    /// `reportFailed` or `reportOutnumbered`; or with `notSaved`.
    case report([UInt8], [Record])
    /// To be made in one commit, with the records. To be answered with `applied`, `refused` or `postponed`.
    case apply(Change, [Record])
    /// To be kept. Only a failure is told: `notSaved`.
    case save([Record])
    /// To be stored. To be answered with `stored`.
    case store(hash: [UInt8], bytes: [UInt8])
    /// To be answered with `collected`.
    case collect
    /// The channels that hints are wanted of.
    case subscribe([Channel])
    /// A tick is wanted then, in milliseconds of `uptime`, unless something else comes before.
    case wake(Int64)
  }

  /// A part of what a device keeps, by its name; without a value it goes.
  public struct Record: Sendable, Equatable {
    public var name: String
    public var value: Value?

    public init(_ name: String, _ value: Value?) {
      self.name = name
      self.value = value
    }
  }
}
