/// Steps carried out, one after the other, on the values of several layers. Nothing else is touched: whoever runs it decides
/// whether what the layers hold then is stored, so that a plan and the upgrade are the same run.
public struct MigrationRun {
  /// A host function.
  public typealias Function = @Sendable (MigrationCall) throws(StoreError) -> Void
  /// Host functions by name; nil if there is none.
  public typealias Functions = (String) -> Function?

  /// The most entries that are kept, and the most failures beyond them.
  static let maximumEntries = 10_000
  static let maximumFailures = 1_000

  private let steps: [MigrationStep]
  /// Weakest first, without `defaults`.
  public let layers: [MigrationLayer]
  private let defaultValue: (MigrationPath) -> Value?
  private let functions: Functions
  public private(set) var entries: [MigrationEntry] = []
  /// How many entries there were no room for.
  public private(set) var dropped = 0
  /// The first failure.
  public private(set) var failure: MigrationEntry?
  public private(set) var failures = 0
  private var position = 0

  /// - Parameter defaultValue: what the new schema says of the value at a path.
  public init(
    _ steps: [MigrationStep], on layers: [MigrationLayer], defaultValue: @escaping (MigrationPath) -> Value?,
    functions: @escaping Functions
  ) {
    self.steps = steps
    self.layers = layers
    self.defaultValue = defaultValue
    self.functions = functions
  }

  /// Carries out all steps. Those that fail are noted, and the others go on, so that a plan tells all that is wrong.
  ///
  /// Throws only what reading the layers throws.
  public mutating func run() throws(StoreError) {
    while position < steps.count {
      let step = steps[position]
      switch step.action {
      case .call(let name): try call(name, step)
      case .set(let name, let value, let condition) where step.lists.isEmpty: try set(name, value, condition, step)
      default:
        for layer in layers { try run(step, in: layer) }
      }
      position += 1
    }
  }

  /// Runs a step in the place that it names: the layer itself, or each item of a list.
  private mutating func run(_ step: MigrationStep, in layer: MigrationLayer) throws(StoreError) {
    guard let root = step.lists.first else {
      var isSecret = false
      for name in step.names where try layer.isSecret(name) { isSecret = true }
      try apply(step, layer, in: layer, items: [], isSecret: isSecret)
      return
    }
    guard let list = try layer.value(root) else { return }
    let isSecret = try layer.isSecret(root)
    guard let changed = try descend(step, layer, list, depth: 0, items: [], isSecret: isSecret) else { return }
    do throws(StoreError) { try layer.put(changed, root, madeOf: [root]) } catch {
      var entry = MigrationEntry(step, layer.layer, root, .failed)
      entry.reason = error.message
      add(entry)
    }
  }

  /// A list with the step carried out in its items; nil if it stays as it is.
  private mutating func descend(
    _ step: MigrationStep, _ layer: MigrationLayer, _ list: Value, depth: Int, items: [Int], isSecret: Bool
  ) throws(StoreError) -> Value? {
    func skipped(_ reason: String) -> MigrationEntry {
      var entry = MigrationEntry(
        step, layer.layer,
        MigrationPath(lists: Array(step.lists.prefix(depth)), name: step.lists[depth]).text, .skipped)
      entry.items = items
      entry.reason = reason
      entry.isSecret = isSecret
      return entry
    }
    guard case .list(let content) = list else {
      add(skipped("not a list but of type \(list.type): it has no items"))
      return nil
    }
    let inner = depth + 1 < step.lists.count ? [step.lists[depth + 1]] : step.names
    let isForPlain = inner.contains { $0.isEmpty }
    var result: [Value] = []
    result.reserveCapacity(content.count)
    var isChanged = false
    for (index, value) in content.enumerated() {
      let place = items + [index + 1]
      guard value.type == .object || isForPlain else {
        var entry = skipped("not an object but of type \(value.type): it has no members")
        entry.items = place
        add(entry)
        result.append(value)
        continue
      }
      let item = MigrationItem(value)
      if depth + 1 < step.lists.count {
        let name = step.lists[depth + 1]
        if let inner = item.value(name),
          let changed = try descend(step, layer, inner, depth: depth + 1, items: place, isSecret: isSecret)
        {
          item.put(changed, name, madeOf: [])
        }
      } else {
        try apply(step, layer, in: item, items: place, isSecret: isSecret)
      }
      guard item.isChanged else {
        result.append(value)
        continue
      }
      isChanged = true
      do throws(StoreError) {
        if let changed = try item.result() { result.append(changed) }
      } catch {
        var entry = skipped(error.message)
        entry.items = place
        entry.outcome = .failed
        add(entry)
        result.append(value)
      }
    }
    return isChanged ? .list(result) : nil
  }

  /// Carries out a step in one place, and notes what it did.
  private mutating func apply(
    _ step: MigrationStep, _ layer: MigrationLayer, in scope: MigrationScope, items: [Int], isSecret: Bool
  ) throws(StoreError) {
    // What cannot be read is met here: it is damage of the store, not a failure of the step.
    for name in step.names { _ = try scope.value(name) }
    var entry = MigrationEntry(step, layer.layer, "", .skipped)
    entry.items = items
    entry.isSecret = isSecret
    do throws(StoreError) {
      guard try step.apply(in: scope, &entry, defaultValue: { self.defaultValue(following: $0) }) else { return }
    } catch {
      entry.outcome = .failed
      entry.after = nil
      entry.reason = error.message
    }
    add(entry)
  }

  /// What the template of the new schema says of a member, wherever the steps to come move it.
  private func defaultValue(following path: MigrationPath) -> Value? {
    var path = path
    for later in steps[(position + 1)...] { path = path.following(later) }
    return defaultValue(path)
  }

  private mutating func add(_ entry: MigrationEntry) {
    if entry.outcome == .failed {
      failures += 1
      if failure == nil { failure = entry }
    }
    guard entries.count < Self.maximumEntries || (entry.outcome == .failed && failures <= Self.maximumFailures) else {
      dropped += 1
      return
    }
    entries.append(entry)
  }
}

// MARK: What concerns all layers

extension MigrationRun {
  /// Sets a setting where it has a value, or in `bundle` where no layer has one.
  private mutating func set(
    _ name: String, _ value: Value, _ condition: MigrationStep.Condition, _ step: MigrationStep
  ) throws(StoreError) {
    var isThere = false
    for layer in layers {
      guard let old = try layer.value(name) else { continue }
      isThere = true
      if condition.isMet(by: old) { try set(name, from: old, to: value, step, layer) }
    }
    guard !isThere, condition.isMet(by: nil), let weakest = layers.first else { return }
    try set(name, from: nil, to: value, step, weakest)
  }

  private mutating func set(
    _ name: String, from old: Value?, to value: Value, _ step: MigrationStep, _ layer: MigrationLayer
  ) throws(StoreError) {
    if old == value { return }
    var entry = MigrationEntry(step, layer.layer, name, .set)
    entry.before = old
    entry.after = value
    entry.isSecret = try layer.isSecret(name)
    try layer.put(value, name, madeOf: [])
    add(entry)
  }

  /// Calls a host function for each layer that holds anything.
  private mutating func call(_ functionName: String, _ step: MigrationStep) throws(StoreError) {
    guard let function = functions(functionName) else {
      var entry = MigrationEntry(step, layers.first?.layer ?? .bundle, functionName, .failed)
      entry.reason = "no function is registered under this name"
      add(entry)
      return
    }
    for layer in layers {
      guard try !layer.names().isEmpty else { continue }
      let call = MigrationCall(layer, version: step.version)
      if let reason = try call.run(function) {
        var entry = MigrationEntry(step, layer.layer, functionName, .failed)
        entry.reason = reason
        add(entry)
        continue
      }
      for (name, before) in call.edited {
        let after = try layer.value(name)
        if before == after { continue }
        var entry = MigrationEntry(step, layer.layer, name, after == nil ? .removed : .set)
        entry.before = before
        entry.after = after
        entry.isSecret = try layer.isSecret(name)
        add(entry)
      }
    }
  }
}
