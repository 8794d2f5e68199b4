import LiveryClient
import LiveryFleet

/// A store as a device's driver has one: layers, and what the device keeps, changed in one commit; all of it survives what happens
/// to the process.
struct SimulatedStore {
  var recommended = LayerValues()
  var user = LayerValues()
  var enforced = LayerValues()
  private(set) var records: [Device.Record] = []
  /// What is on trial, and what became of the last of that.
  var onTrial: OnTrial?
  var lastTrial: (revision: Int, end: OnTrial.End, chosen: Set<Int>)?
  /// What the driver keeps of what is on trial.
  var driverTrial: DriverTrial?
  private(set) var revision = 0
  private(set) var assets: Set<[UInt8]> = []
  var schema: Int64

  init(schema: Int64) { self.schema = schema }

  /// What is in effect, and of which layer.
  func effective(_ index: Int) -> (value: Int64, layer: Layer)? {
    if let value = enforced[index] { return (value, .enforced) }
    if let value = user[index] { return (value, .user) }
    return recommended[index].map { ($0, .recommended) }
  }

  /// Makes a change with its records, or nothing of it.
  ///
  /// - Parameter isHalf: a fault: makes half of it.
  /// - Returns: what does not fit.
  mutating func commit(
    _ edits: [Change.Edit], _ records: [Device.Record], isHalf: Bool, trial: OnTrial.Time? = nil
  ) -> [Report.Violation] {
    var changed = self
    changed.revision += 1
    var violations: [Report.Violation] = []
    for edit in isHalf ? Array(edits.prefix(edits.count / 2)) : edits {
      switch edit {
      case .set(let name, let value, let layer): changed.set(name, value, layer, isReplaced: false, &violations)
      case .replace(let name, let value): changed.set(name, value, .recommended, isReplaced: true, &violations)
      case .reset(let name, let layer):
        guard let index = Settings.index(of: name) else { continue }
        if layer == .enforced { changed.enforced[index] = nil } else { changed.recommended[index] = nil }
      }
    }
    guard violations.isEmpty else { return violations }
    changed.keep(records)
    if let trial {
      changed.onTrial = OnTrial(revision: changed.revision, time: trial, former: self, present: changed)
    }
    self = changed
    return []
  }

  private mutating func set(
    _ name: String, _ value: Value, _ layer: Layer, isReplaced: Bool, _ violations: inout [Report.Violation]
  ) {
    guard let index = Settings.index(of: name), case .int(let number) = value else {
      return violations.append(Report.Violation(name: name, message: "there is no such setting"))
    }
    guard index != Settings.volume || number <= Settings.volumeLimit(schema) else {
      return violations.append(Report.Violation(name: name, message: "\(number) is too much"))
    }
    if layer == .enforced { enforced[index] = number } else { recommended[index] = number }
    if isReplaced { user[index] = nil }
  }

  mutating func keep(_ records: [Device.Record]) {
    for record in records {
      if let former = self.records.firstIndex(where: { $0.name == record.name }) { self.records.remove(at: former) }
      if record.value != nil { self.records.append(record) }
    }
  }

  mutating func add(asset hash: [UInt8]) { assets.insert(hash) }

  /// The operator chooses a value, or takes the choice back.
  ///
  /// - Returns: whether that is allowed.
  mutating func operate(_ index: Int, _ value: Int64?) -> Bool {
    guard enforced[index] == nil else { return false }
    user[index] = value
    onTrial?.user[index] = nil
    if value == nil { onTrial?.chosen.remove(index) } else { onTrial?.chosen.insert(index) }
    return true
  }

  func record(_ name: String) -> Value? { records.first { $0.name == name }?.value }
}
