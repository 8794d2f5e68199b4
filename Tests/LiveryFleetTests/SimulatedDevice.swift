import LiveryClient
import LiveryFleet

/// A device as it really is, with a store and a clock of its own that are not: what a process would do for `Device`, in virtual
/// time.
final class SimulatedDevice {
  /// What happens to a request on its way.
  enum Fate {
    case answered(Device.Answer)
    case lost
  }

  let key: SigningKey
  private let configuration: Device.Configuration
  private(set) var device: Device
  /// Milliseconds of the world.
  private(set) var now: Int64
  /// When the device started, of the same.
  private var started: Int64
  /// By how many seconds the device's clock is wrong.
  var skew: Int64 = 0
  var isUp = true
  var schema: Int64? = 1

  // The store.
  private(set) var layers: [Layer: [String: Value]] = [:]
  var records: [String: Value] = [:]
  private(set) var assets: Set<[UInt8]> = []
  private(set) var commits = 0
  /// What each of them was on trial for.
  private(set) var trials: [Int64?] = []
  private var lastTrial: Desired.Trial?
  /// What there was before the last of them.
  private var former: (layers: [Layer: [String: Value]], owned: Value?) = ([:], nil)
  /// What a store would say of a value; nil if it fits.
  var violation: (String, Value) -> String? = { _, _ in nil }
  /// Whether the next commit finds no room.
  var isFull = false
  /// Whether others keep the store: records are kept, and changes have to wait.
  var isBusy = false

  /// What the world does with a request and with a report.
  var network: (Device.Request) -> Fate = { _ in .lost }
  var console: ([UInt8]) -> Bool? = { _ in nil }
  /// Whether the console has had a report with the number of this one, or a higher one.
  var isOutnumbered: ([UInt8]) -> Bool = { _ in false }
  /// How long a request takes, in milliseconds.
  var latency: Int64 = 40

  private(set) var requests: [Device.Request] = []
  private(set) var refusals = 0
  private var events: [(at: Int64, event: Device.Event)] = []
  private(set) var wake: Int64 = 0
  /// How often it was woken for nothing but the time.
  private(set) var ticks = 0
  private var seed: UInt64

  init(_ key: SigningKey, fingerprint: [UInt8], scope: String? = nil, at now: Int64, seed: UInt64 = 1) {
    self.key = key
    self.now = now
    started = now
    self.seed = seed
    configuration = Device.Configuration(fleet: "kiosks", device: key.publicKey, scope: scope)
    device = Device(configuration, fingerprint: fingerprint, seed: seed)
    tell(.boot)
  }

  /// The device's clock.
  var clock: Int64 { now / 1000 + skew }

  /// The power goes and comes back: what is not on the disk is gone.
  func restart() throws {
    seed &+= 1
    device = try Device(
      configuration, records: records.map { Device.Record($0.key, $0.value) }, seed: seed)
    started = now
    events = []
    tell(.boot)
  }

  /// What was on trial has gone back: as before the last change.
  ///
  /// - Parameter tried: the schema with which it was made.
  func goBack(_ violation: Report.Violation?, tried: Int64? = 1) {
    guard let fingerprint = device.applied else { return }
    layers = former.layers
    records["owned"] = former.owned
    tell(.wentBack(owned: former.owned, chosen: [], fingerprint: fingerprint, schema: tried, lastTrial, violation))
  }

  var overview: Device.Overview {
    let world = Device.World(hasAsset: { _ in true }, offset: { _ in 3600 }, schema: schema)
    return device.overview(at: Device.Moment(uptime: 0, clock: clock), world)
  }

  func value(_ name: String) -> Value? {
    for layer in Layer.allCases.reversed() {
      if let value = layers[layer]?[name] { return value }
    }
    return nil
  }

  /// The operator sets a value, unless that is locked; also where nobody listens.
  func set(_ name: String, _ value: Value, isHeard: Bool = true) {
    guard layers[.enforced]?[name] == nil else { return }
    layers[.user, default: [:]][name] = value
    if isHeard { tell(.changed) }
  }

  /// Somebody has the store drop what nothing refers to.
  func dropAssets() { assets = [] }

  /// The operator takes a choice back.
  func unset(_ name: String) {
    layers[.user]?[name] = nil
    tell(.changed)
  }

  /// Lets time pass.
  func run(until end: Int64) {
    while let next = next, next <= end {
      now = max(now, next)
      if let index = events.indices.min(by: { events[$0].at < events[$1].at }), events[index].at <= now {
        tell(events.remove(at: index).event)
      } else {
        ticks += 1
        tell(.tick)
      }
    }
    now = max(now, end)
  }

  /// When something happens next.
  var next: Int64? {
    guard isUp else { return nil }
    return min(wake, events.map { $0.at }.min() ?? .max)
  }

  func tell(_ event: Device.Event) {
    guard isUp else { return }
    let world = Device.World(
      hasAsset: { [assets] in assets.contains($0) }, offset: { _ in 3600 }, schema: schema)
    let moment = Device.Moment(uptime: now - started, clock: clock, fraction: now % 1000)
    for effect in device.handle(event, at: moment, world) {
      perform(effect)
    }
  }

  private func later(_ event: Device.Event) { events.append((now + latency, event)) }

  private func perform(_ effect: Device.Effect) {
    switch effect {
    case .request(let request):
      requests.append(request)
      switch network(request) {
      case .answered(let answer): later(.answer(answer.body.count > request.limit ? .init(status: 200) : answer))
      case .lost: later(.failure(retryAfter: nil))
      }
    case .report(let payload, let records):
      guard keep(records) else { return }
      guard let bytes = try? Envelope(.report, payload, signedBy: [key]).encoded() else {
        return later(.reportFailed(retryAfter: nil))
      }
      if isOutnumbered(bytes) { return later(.reportOutnumbered) }
      guard let isFull = console(bytes) else { return later(.reportFailed(retryAfter: nil)) }
      later(.reported(full: isFull))
    case .apply(let change, let records): apply(change, records)
    case .save(let records): _ = keep(records)
    case .store(let hash, _):
      if !isFull { assets.insert(hash) }
      later(.stored(!isFull))
    case .collect:
      var names: Set<String> = []
      for layer in layers.values { names.formUnion(layer.keys) }
      let values = names.map { name -> Report.Effective in
        let layer = Layer.allCases.last { layers[$0]?[name] != nil }
        return Report.Effective(name, layer, value(name))
      }
      later(.collected(values, health: nil))
    case .subscribe: break
    case .wake(let uptime): wake = started + uptime
    }
  }

  private func apply(_ change: Change, _ records: [Device.Record]) {
    if isFull || isBusy { return later(.postponed) }
    var made = layers
    var violations: [Report.Violation] = []
    func put(_ name: String, _ value: Value, _ layer: Layer) {
      if let message = violation(name, value) { violations.append(.init(name: name, message: message)) }
      made[layer, default: [:]][name] = value
    }
    for edit in change.edits {
      switch edit {
      case .set(let name, let value, let layer): put(name, value, layer)
      case .replace(let name, let value):
        put(name, value, .recommended)
        made[.user]?[name] = nil
        made[.session]?[name] = nil
      case .reset(let name, let layer): made[layer]?[name] = nil
      }
    }
    guard violations.isEmpty else {
      refusals += 1
      return later(.refused(violations))
    }
    former = (layers, self.records["owned"])
    layers = made
    commits += 1
    trials.append(change.trial?.seconds)
    lastTrial = change.trial
    _ = keep(records)
    later(.applied)
  }

  private func keep(_ records: [Device.Record]) -> Bool {
    if isFull {
      later(.notSaved(records))
      return false
    }
    for record in records { self.records[record.name] = record.value }
    return true
  }
}

/// A fleet and a device in it, which nobody has told anything yet.
func fleetOfOne(at start: Int64) throws -> (Origin, SimulatedDevice) {
  let origin = try Origin(publisher())
  let device = SimulatedDevice(key("device"), fingerprint: origin.publisher.fingerprint, at: start)
  device.network = { .answered(origin.answer($0)) }
  device.console = { origin.take(report: $0) }
  return (origin, device)
}
