extension BrandReader {
  /// How the components of a color are written.
  enum Scale {
    /// From 0 to 255.
    case bytes
    /// From 0 to 255 if one exceeds 1, else from 0 to 1.
    case found
  }

  private static let components = ["red", "green", "blue", "alpha"]

  /// Whether a value looks like a color of a property list.
  static func isColor(_ value: Value) -> Bool {
    guard case .object(let members) = value else { return false }
    for member in members where component(member.key) != nil { return true }
    return false
  }

  /// The place of a component by its name, in any letter case.
  private static func component(_ key: String) -> Int? {
    BrandReader.place(of: key, in: "red green blue alpha")
  }

  /// A color: a dictionary of components, or text as CSS has it. Components may be reals, integers or numeric text.
  mutating func color(_ value: Value, _ scale: Scale) -> Color? {
    switch value {
    case .color(let color): return color
    case .string(let text):
      guard let (color, loss) = Color.read(css: text) else {
        expect(value, "a color")
        return nil
      }
      report.converted(pointer, "\(value.brief) is read as \(color.formatted())\(Color.note(ofLoss: loss))")
      return color
    case .object(let members): return color(members, scale)
    default:
      expect(value, "a color")
      return nil
    }
  }

  private mutating func color(_ members: [Value.Member], _ scale: Scale) -> Color? {
    var amounts = [Double?](repeating: nil, count: 4)
    var isSound = true
    var hasText = false
    for member in members {
      path.append(member.key)
      if let index = Self.component(member.key) {
        if amounts[index] != nil {
          problem("twice", "the component is there twice")
          isSound = false
        }
        let amount = number(member.value)
        if member.value.type == .string { hasText = true }
        amounts[index] = amount
        if amount == nil { isSound = false }
      } else {
        report.ignored(pointer, "colors have red, green, blue and alpha")
      }
      path.removeLast()
    }
    guard isSound else { return nil }
    for index in 0..<3 where amounts[index] == nil {
      problem("missing-component", "the color has no \(Self.components[index])")
      isSound = false
    }
    var most = 0.0
    for case let amount? in amounts { most = max(most, amount) }
    let limit: Double = scale == .bytes || most > 1 ? 255 : 1
    for (index, amount) in amounts.enumerated() {
      guard let amount, amount < 0 || amount > limit else { continue }
      problem(
        "out-of-range", "\(Self.components[index]) is \(Value.double(amount).brief), not from 0 to \(Int(limit))")
      isSound = false
    }
    guard isSound else { return nil }
    tell(limit, scale, hasText, amounts[3])
    // Beside components of 0 to 255 an alpha of at most 1 is a share.
    if limit > 1, let alpha = amounts[3], alpha <= 1 { amounts[3] = alpha * 255 }
    func component(_ index: Int) -> Float {
      let amount = Float(amounts[index] ?? limit)
      return limit == 1 ? amount : amount / 255
    }
    return Color(red: component(0), green: component(1), blue: component(2), alpha: component(3))
  }

  private mutating func tell(_ limit: Double, _ scale: Scale, _ hasText: Bool, _ alpha: Double?) {
    var notes: [String] = []
    if hasText { notes.append("numbers written as text") }
    if limit > 1, scale == .found { notes.append("components from 0 to 255, since one exceeds 1") }
    if alpha == nil { notes.append("opaque, since there is no alpha") }
    if limit > 1, let alpha, alpha > 0, alpha <= 1 {
      notes.append("an alpha of \(Value.double(alpha).brief) from 0 to 1, beside components from 0 to 255")
    }
    guard let first = notes.first else { return }
    var message = first
    for note in notes.dropFirst() { message += "; " + note }
    report.converted(pointer, message)
  }

  /// A finite number: real, integer, or text that spells one.
  private mutating func number(_ value: Value) -> Double? {
    switch value {
    case .double(let number): return number
    case .int(let number): return Double(number)
    case .string(let text):
      var digits = text.bytes[...]
      while let first = digits.first, PropertyListXML.isSpace(first) { digits = digits.dropFirst() }
      while let last = digits.last, PropertyListXML.isSpace(last) { digits = digits.dropLast() }
      if let number = Numbers.parseDouble(String(decoding: digits, as: UTF8.self)) { return number }
    default: break
    }
    expect(value, "a number")
    return nil
  }
}
