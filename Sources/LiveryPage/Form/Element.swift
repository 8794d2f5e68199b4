import LiveryClient
import LiveryHTTP

/// One element of the form that a schema makes, as `livery_form` in C tells it. It is not changed any more once a form has it; one
/// place in memory, since there are many members, and copies of all of them would be half of what draws them.
final class Element: @unchecked Sendable {
  enum Kind: Sendable {
    case header, pane, text, secret, toggle, choice, choices, list, integer, number, url, color, date, image, data
  }

  struct Option: Sendable {
    var title: String
    var value: Value
    /// Stands for it in a request.
    var text: String
  }

  /// Why a setting cannot be changed here.
  enum Obstacle: Sendable {
    case locked(by: String)
    case readOnly
    /// By another setting, which is told by its title.
    case disabled(by: String)
  }

  let kind: Kind
  /// What it was made of: another one with the same content can be made of it.
  private(set) var source = Value.bool(false)
  var name = ""
  var title = ""
  var description: String?
  var placeholder: String?
  var unit: String?
  var options: [Option] = []
  var minimum, maximum, step: Value?
  var minimumLength, maximumLength, maximumItems: Int?
  var isRequired = false
  var needsRestart = false
  var deprecated: String?
  /// Of a list: what an item is made of.
  var template: [Element] = []
  /// Of a pane.
  var elements: [Element] = []

  // The state.
  var value: Value?
  var defaultValue: Value?
  var isSet = false
  var layer: String?
  var origin: String?
  var time: Value?
  var revision: UInt64 = 0
  var isDefault = false
  var hasOwnValue = false
  var obstacle: Obstacle?
  /// The setting that it depends on, or the member of the same item, and the value that this has to have.
  var enabledBy: String?
  var enabledByValue: Value?
  /// Whether the schema leaves it to the console: of members, for which nobody else says so.
  var isReadOnly = false

  init(kind: Kind) {
    self.kind = kind
  }

  var isSetting: Bool { kind != .header && kind != .pane }

  /// Whether a change would be taken.
  var isEditable: Bool {
    switch obstacle {
    case nil, .disabled: true
    case .locked, .readOnly: false
    }
  }

  /// Why nobody can change it here; nil if somebody can.
  func obstruction(_ words: Words) -> String? {
    switch obstacle {
    case nil, .disabled: nil
    case .locked(let layer): "\(words[.lockedBy]) \(words.name(ofLayer: layer))"
    case .readOnly: words[.readOnly]
    }
  }

  /// Distinguishes its place in a document; the same in every drawing.
  var id: String { fingerprint(name.utf8) }
}

extension Element {
  /// What the library tells of an element; nil for a kind that a newer one knows.
  static func told(_ value: Value) -> Element? {
    guard let kind = Kind(value["kind"]?.text ?? ""), case .object(let members) = value else { return nil }
    let element = Element(kind: kind)
    element.source = value
    for member in members { element.take(member.key, member.value) }
    return element
  }

  private func take(_ key: String, _ value: Value) {
    switch key {
    case "name": name = value.text ?? ""
    case "title": title = value.text ?? ""
    case "description": description = value.text
    case "placeholder": placeholder = value.text
    case "unit": unit = value.text
    case "options": options = Option.distinct((value.items ?? []).map { Option($0) })
    case "minimum": minimum = value
    case "maximum": maximum = value
    case "step": step = value
    case "minLength": minimumLength = value.whole
    case "maxLength": maximumLength = value.whole
    case "maxItems": maximumItems = value.whole
    case "required": isRequired = value.isTrue
    case "restart": needsRestart = value.isTrue
    case "deprecated": deprecated = value.text
    case "template": template = Element.all(value)
    case "elements": elements = Element.all(value)
    case "value", "items": self.value = value
    case "default": defaultValue = value
    case "isSet": isSet = value.isTrue
    case "layer": layer = value.text
    case "origin": origin = value.text
    case "time": time = value
    case "revision": revision = UInt64(clamping: value.whole ?? 0)
    case "isDefault": isDefault = value.isTrue
    case "hasOwnValue": hasOwnValue = value.isTrue
    case "enabledBy": (enabledBy, enabledByValue) = (value["name"]?.text, value["equals"])
    case "readOnly": isReadOnly = value.isTrue
    case "reason":
      switch value.text {
      case "locked": obstacle = .locked(by: lockedBy ?? "enforced")
      case "read-only": obstacle = .readOnly
      case "disabled": obstacle = .disabled(by: lockedBy ?? "")
      default: break
      }
    case "lockedBy": name(obstructor: value.text ?? "")
    case "disabledBy": name(obstructor: value["title"]?.text ?? value["name"]?.text ?? "")
    default: break
    }
  }

  private var lockedBy: String? {
    switch obstacle {
    case .locked(let layer), .disabled(let layer): layer
    default: nil
    }
  }

  /// Who stands in the way may be told before or after why.
  private func name(obstructor: String) {
    switch obstacle {
    case .disabled: obstacle = .disabled(by: obstructor)
    default: obstacle = .locked(by: obstructor)
    }
  }

  static func all(_ value: Value?) -> [Element] {
    var elements: [Element] = []
    for item in value?.items ?? [] {
      if let element = told(item) { elements.append(element) }
    }
    return elements
  }
}

extension Element.Kind {
  init?(_ text: String) {
    switch text {
    case "header": self = .header
    case "pane": self = .pane
    case "text": self = .text
    case "secret": self = .secret
    case "switch": self = .toggle
    case "choice": self = .choice
    case "choices": self = .choices
    case "list": self = .list
    case "integer": self = .integer
    case "number": self = .number
    case "url": self = .url
    case "color": self = .color
    case "date": self = .date
    case "image": self = .image
    case "data": self = .data
    default: return nil
    }
  }
}

extension Element.Option {
  fileprivate init(_ value: Value) {
    let content = value["value"] ?? .string("")
    self.init(title: value["title"]?.text ?? content.plain, value: content, text: content.plain)
  }

  /// Options of which each is sent as something else: where one looks like another as text, like nothing, or otherwise once a
  /// browser has sent it, its place stands for it.
  static func distinct(_ options: [Element.Option]) -> [Element.Option] {
    var made = options
    for (index, option) in options.enumerated() {
      let text = option.text
      let isPlain = !text.isEmpty && !text.utf8.contains { $0 == 0 || $0 == 13 || $0 == 0x1f }
      if isPlain, !options[..<index].contains(where: { $0.text.sameBytes(as: text) }) { continue }
      // Of the characters that nobody writes.
      made[index].text = "\u{E000}\(index)"
    }
    return made
  }
}

extension Value {
  @inline(never)
  var isTrue: Bool { self == .bool(true) }

  /// A whole number.
  @inline(never)
  var whole: Int? {
    guard case .int(let number) = self else { return nil }
    return Int(exactly: number)
  }

  /// As people read and write it: text as it is, everything else as JSON has it, without quotes.
  @inline(never)
  var plain: String {
    switch self {
    case .string(let text), .url(let text), .image(let text): return text
    case .bool(let isOn): return isOn ? "true" : "false"
    case .int(let number): return number.description
    default:
      guard let json = try? jsonText() else { return "" }
      let text = json.utf8
      if text.count >= 2, text.first == UInt8(ascii: "\""), text.last == UInt8(ascii: "\"") {
        return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
      }
      return json
    }
  }
}
