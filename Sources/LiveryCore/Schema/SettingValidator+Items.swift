// What a template says of the items of a list beside their constraints: defaults of members, and who may set them.
extension SettingValidator {
  /// A valid value as it is read: members that an item lacks have their defaults.
  public func completed(_ value: Value) -> Value {
    guard descriptor.kind == .list, case .list(let items) = value else { return value }
    var completed: [Value] = []
    completed.reserveCapacity(items.count)
    for item in items { completed.append(self.completed(item: item)) }
    let whole = Value.list(completed)
    // What would be too large with them is read as it was set.
    return (try? whole.check()) == nil ? value : whole
  }

  private func completed(item: Value) -> Value {
    guard case .object(let given) = item else { return item }
    var result: [Value.Member] = []
    var present = [Bool](repeating: false, count: members.count)
    for member in given {
      guard let number = memberNumbers.number(of: member.key) else {
        result.append(member)
        continue
      }
      present[number] = true
      result.append(.init(member.key, members[number].completed(member.value)))
    }
    for (number, member) in members.enumerated() where !present[number] {
      if let value = member.descriptor.defaultValue {
        result.append(.init(member.descriptor.key, member.completed(value)))
      }
    }
    return .object(result)
  }

  /// What reads return in the place of a value that a layer holds, which may have been set when the setting had another type,
  /// or its items other members; nil for the value itself.
  public func inEffect(_ value: Value) -> Value? {
    guard !value.isSealed, value.type != descriptor.kind.valueType || value.count > 0,
      case .valid(let converted) = validated(value)
    else { return nil }
    return completed(converted)
  }

  /// Where a value differs from the one in effect in members that only the console may set. Items are matched by the member
  /// of `UniqueBy`, else by their position; a new one may have the defaults there.
  ///
  /// - Parameter old: the value in effect, if there is one.
  public func readOnlyViolations(of value: Value, from old: Value?) -> [Violation] {
    guard descriptor.hasReadOnlyMember else { return [] }
    var run = ValidationRun(of: descriptor.key)
    compareItems(value, old, in: &run)
    return run.finished()
  }

  private func compareItems(_ value: Value, _ old: Value?, in run: inout ValidationRun) {
    guard case .list(let items) = completed(value) else { return }
    var before: [Value] = []
    if case .list(let items)? = old.map({ completed($0) }) { before = items }
    var places = ByteIndex()
    if let name = descriptor.uniqueBy {
      for item in before { _ = places.insert(CBOR.encode(item[name] ?? .bool(false))) }
    }
    for (index, item) in items.enumerated() {
      run.path.append(.index(index))
      if let name = descriptor.uniqueBy {
        let place = item[name].flatMap { places.number(of: CBOR.encode($0)) }
        compare(item, place.map { before[$0] }, in: &run)
      } else {
        compare(item, index < before.count ? before[index] : nil, in: &run)
      }
      run.path.removeLast()
    }
  }

  private func compare(_ item: Value, _ old: Value?, in run: inout ValidationRun) {
    for member in members {
      let key = member.descriptor.key
      let isPlain = key.isEmpty
      let mine = isPlain ? item : item[key]
      let former = old == nil ? member.descriptor.defaultValue.map { member.completed($0) } : isPlain ? old : old?[key]
      guard member.descriptor.isReadOnly else {
        if let mine, member.descriptor.hasReadOnlyMember {
          run.path.append(.member(key))
          member.compareItems(mine, former, in: &run)
          run.path.removeLast()
        }
        continue
      }
      if mine == former { continue }
      if !isPlain { run.path.append(.member(key)) }
      run.report(.readOnly, "ReadOnly", "only the console's layers may set it")
      if !isPlain { run.path.removeLast() }
    }
  }
}

extension SettingDescriptor {
  /// Whether only the console may set a part of the items.
  var hasReadOnlyMember: Bool { template.contains { $0.isReadOnly || $0.hasReadOnlyMember } }
}
