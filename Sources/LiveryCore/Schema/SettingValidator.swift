/// A descriptor, and what it takes to check values: its pattern compiled, its options indexed, and those of its template.
///
/// All that is made when it is first needed. To be used by one thread at a time.
public final class SettingValidator {
  public let descriptor: SettingDescriptor
  public private(set) lazy var holdsSecret = descriptor.holdsSecret
  public private(set) lazy var isVolatile = descriptor.isVolatile
  public private(set) lazy var survivesLogout = descriptor.survivesLogout
  private lazy var patterns = PatternCache()
  private lazy var pattern = descriptor.pattern.flatMap { try? patterns.pattern($0) }
  private lazy var options = OptionTable(descriptor.options)
  private(set) lazy var members = descriptor.template.map { SettingValidator($0, patterns: patterns) }
  private(set) lazy var memberNumbers = numbered(descriptor.template)

  init(_ descriptor: SettingDescriptor, patterns: PatternCache) {
    self.descriptor = descriptor
    self.patterns = patterns
  }

  public init(_ descriptor: SettingDescriptor) {
    self.descriptor = descriptor
  }

  private func numbered(_ template: [SettingDescriptor]) -> ByteIndex {
    var numbers = ByteIndex()
    for member in template { _ = numbers.insert(member.key) }
    return numbers
  }

  /// That of a member of a list's items.
  func member(_ key: String) -> SettingValidator? {
    memberNumbers.number(of: key).map { members[$0] }
  }

  /// Converts a value to the setting's type, if nothing is lost by that, and checks every constraint.
  public func validated(_ value: Value) -> Validation {
    var run = ValidationRun(of: descriptor.key)
    let checked = check(value, in: &run)
    let violations = run.finished()
    if let checked, violations.isEmpty { return .valid(checked) }
    return .invalid(violations)
  }

  /// Checks a value of the setting; nil, with violations reported, if it cannot be converted.
  private func check(_ value: Value, in run: inout ValidationRun) -> Value? {
    do {
      // That looks at all that is in it.
      if run.path.isEmpty { try value.check() }
    } catch {
      run.report(.invalidValue, nil, error.message)
      return nil
    }
    switch descriptor.kind {
    case .choice: return option(value, in: &run)
    case .choices: return choices(value, in: &run)
    case .list: return list(value, in: &run)
    default: return scalar(value, in: &run)
    }
  }

  /// A value as messages show it: never a secret, and of lists and objects no more than what they are.
  private func shown(_ value: Value) -> String {
    if descriptor.holdsSecret { return "••••••" }
    switch value {
    case .list, .object, .sealed: return value.type.description
    default: return value.brief
    }
  }

  private func found(_ value: Value) -> String {
    switch value {
    case .list, .object: "found \(value.type)"
    default: "found \(value.type) \(shown(value))"
    }
  }
}

// MARK: Scalars

extension SettingValidator {
  private func scalar(_ value: Value, in run: inout ValidationRun) -> Value? {
    guard let type = descriptor.kind.valueType, let value = value.coerced(to: type) else {
      run.report(.typeMismatch, "Type", "expected \(descriptor.kind), \(found(value))")
      return nil
    }
    switch value {
    case .int, .double, .date: range(value, in: &run)
    case .string(let text), .url(let text), .image(let text): check(text: text, value, in: &run)
    case .data(let bytes):
      if descriptor.isRequired, bytes.isEmpty { run.report(.invalidValue, "Required", "a value is required") }
      length(bytes.count, value, unit: "bytes", in: &run)
    default: break
    }
    return value
  }

  private func range(_ value: Value, in run: inout ValidationRun) {
    if let minimum = descriptor.minimum, Bounds.order(value, minimum) != .greater,
      Bounds.order(value, minimum) != .equal
    {
      run.report(.invalidValue, "Minimum", "\(shown(value)) is less than Minimum \(minimum.brief)")
    }
    if let maximum = descriptor.maximum, Bounds.order(value, maximum) != .less,
      Bounds.order(value, maximum) != .equal
    {
      run.report(.invalidValue, "Maximum", "\(shown(value)) is greater than Maximum \(maximum.brief)")
    }
    if let step = descriptor.step, !Bounds.isMultiple(value, of: step, from: descriptor.minimum) {
      let base = descriptor.minimum.map { " from Minimum \($0.brief)" } ?? ""
      run.report(.invalidValue, "Step", "\(shown(value)) is not a whole number of Step \(step.brief)\(base)")
    }
  }

  private func check(text: String, _ value: Value, in run: inout ValidationRun) {
    if text.isEmpty {
      // An empty URL says that there is none; only Required objects to that.
      if descriptor.isRequired {
        run.report(.invalidValue, "Required", "a value is required")
        return
      }
      if descriptor.kind == .url { return }
    }
    length(text.scalarCount, value, unit: "characters", in: &run)
    guard let source = descriptor.pattern else { return }
    guard let pattern else {
      run.report(.invalidValue, "Pattern", "Pattern \(source) cannot be used")
      return
    }
    guard text.utf8.count <= Pattern.maximumTextLength else {
      run.report(
        .invalidValue, "Pattern",
        "the text is longer than the \(Pattern.maximumTextLength) bytes that Pattern is searched in")
      return
    }
    guard let cost = pattern.cost(of: text) else {
      run.report(.invalidValue, "Pattern", "the text is too long to be searched for Pattern \(source), which is costly")
      return
    }
    run.searched += cost
    guard run.searched <= ValidationRun.searchBudget else {
      run.report(.invalidValue, "Pattern", "the value has too much text to search for patterns")
      return
    }
    if !pattern.matches(text) {
      run.report(.invalidValue, "Pattern", "\(shown(value)) does not match Pattern \(source)")
    }
  }

  private func length(_ length: Int, _ value: Value, unit: String, in run: inout ValidationRun) {
    if let minimum = descriptor.minLength, length < minimum {
      run.report(.invalidValue, "MinLength", "\(shown(value)) is shorter than MinLength \(minimum) (\(unit))")
    }
    if let maximum = descriptor.maxLength, length > maximum {
      run.report(.invalidValue, "MaxLength", "\(shown(value)) is longer than MaxLength \(maximum) (\(unit))")
    }
  }
}

// MARK: Choices

extension SettingValidator {
  private func option(_ value: Value, in run: inout ValidationRun) -> Value? {
    switch options.match(value) {
    case .option(let option):
      if descriptor.isRequired, case .string(let text) = option, text.isEmpty {
        run.report(.invalidValue, "Required", "a value is required")
      }
      return option
    case .notAnOption:
      run.report(.invalidValue, "Options", "\(shown(value)) is not one of Options (\(optionsShown))")
      return nil
    case .wrongType:
      run.report(.typeMismatch, "Type", "expected one of Options (\(optionsShown)), \(found(value))")
      return nil
    }
  }

  private var optionsShown: String {
    let limit = 8
    var text = ""
    for option in descriptor.options.prefix(limit) {
      if !text.isEmpty { text += ", " }
      text += option.value.brief
    }
    return descriptor.options.count > limit ? text + ", …" : text
  }

  private func choices(_ value: Value, in run: inout ValidationRun) -> Value? {
    guard case .list(let items) = value else {
      run.report(.typeMismatch, "Type", "expected list, \(found(value))")
      return nil
    }
    checkCount(items.count, in: &run)
    var result: [Value] = []
    result.reserveCapacity(items.count)
    var seen = ByteIndex()
    for (index, item) in items.enumerated() {
      run.path.append(.index(index))
      if let option = option(item, in: &run) {
        if !seen.insert(CBOR.encode(option)).isNew {
          run.report(.invalidValue, "Options", "\(shown(option)) is chosen twice")
        }
        result.append(option)
      }
      run.path.removeLast()
    }
    return .list(result)
  }

  private func checkCount(_ count: Int, in run: inout ValidationRun) {
    if descriptor.isRequired, count == 0 { run.report(.invalidValue, "Required", "a value is required") }
    if let most = descriptor.maxItems, count > most {
      run.report(.invalidValue, "MaxItems", "\(count) items are more than MaxItems \(most)")
    }
  }
}

// MARK: Lists

extension SettingValidator {
  private func list(_ value: Value, in run: inout ValidationRun) -> Value? {
    guard case .list(let items) = value else {
      run.report(.typeMismatch, "Type", "expected list, \(found(value))")
      return nil
    }
    checkCount(items.count, in: &run)
    var result: [Value] = []
    result.reserveCapacity(items.count)
    var seen = ByteIndex()
    for (index, item) in items.enumerated() {
      run.path.append(.index(index))
      if let checked = self.item(item, in: &run) {
        if let name = descriptor.uniqueBy, let member = memberNumbers.number(of: name).map({ members[$0] }),
          // What an item lacks is read as its default.
          let mark = checked[name] ?? member.descriptor.defaultValue, !seen.insert(CBOR.encode(mark)).isNew
        {
          let shown = member.shown(mark)
          run.report(.invalidValue, "UniqueBy", "`\(name)` is \(shown), as in an item before")
        }
        result.append(checked)
      }
      run.path.removeLast()
    }
    return .list(result)
  }

  private func item(_ value: Value, in run: inout ValidationRun) -> Value? {
    // It is where its number says.
    if descriptor.plainItem != nil { return members[0].check(value, in: &run) }
    guard case .object(let given) = value else {
      run.report(.typeMismatch, "Type", "expected object, \(found(value))")
      return nil
    }
    var result: [Value.Member] = []
    result.reserveCapacity(given.count)
    var present = [Bool](repeating: false, count: members.count)
    for member in given {
      guard let index = memberNumbers.number(of: member.key) else {
        run.report(
          .invalidValue, "ItemTemplate", "`\(member.key)` is not a member of an item\(meant(by: member.key))")
        continue
      }
      present[index] = true
      run.path.append(.member(member.key))
      if let checked = members[index].check(member.value, in: &run) { result.append(.init(member.key, checked)) }
      run.path.removeLast()
    }
    for (index, member) in members.enumerated() where member.descriptor.isRequired && !present[index] {
      run.report(.invalidValue, "Required", "`\(member.descriptor.key)` is required")
    }
    return .object(result)
  }

  private func meant(by key: String) -> String {
    MemberNames.meant(by: key, among: members.prefix(MemberNames.limit).map { $0.descriptor.key })
      .map { didYouMean([$0]) } ?? ""
  }
}
