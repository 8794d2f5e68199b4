import LiveryClient
import LiveryHTTP

/// A control: what is drawn for a setting, or for a member of an item of a list.
struct Control {
  var element: Element
  /// The name that it is sent by.
  var key: String
  /// Distinguishes it in the document.
  var id: String
  /// What it shows.
  var text: String
  var isEnabled: Bool
  /// The ids of what describes it, with spaces between.
  var descriptions: String
  var isInvalid: Bool
  var words: Words

  var html: HTML {
    switch element.kind {
    case .toggle: toggle
    case .choice: element.options.count <= 4 ? radios : select
    case .choices: checkboxes
    case .secret: secret
    case .text: text.utf8.contains(10) ? area : input(type: "text", mode: nil)
    case .integer: input(type: "text", mode: "numeric")
    case .number: input(type: "text", mode: "decimal")
    case .url: input(type: "text", mode: "url")
    case .color: color
    case .date: text.isEmpty || LocalTime.fits(text) ? date : input(type: "text", mode: nil)
    case .image, .data: file
    case .list, .header, .pane: ""
    }
  }

  /// What all controls have.
  private var common: HTML {
    "id=\"\(id)\" name=\"\(key)\"\(shared)"
  }

  private var shared: HTML {
    var html: HTML = "\(" disabled", if: !isEnabled)\(" required", if: element.isRequired && element.kind != .toggle)"
    if isInvalid { html += " aria-invalid=\"true\"" }
    if !descriptions.isEmpty { html += " aria-describedby=\"\(descriptions)\"" }
    return html
  }

  private func input(type: HTML, mode: String?) -> HTML {
    var html: HTML = "<input type=\"\(type)\" \(common) value=\"\(text)\""
    if let mode { html += " inputmode=\"\(mode)\"" }
    if let placeholder = element.placeholder, !placeholder.isEmpty { html += " placeholder=\"\(placeholder)\"" }
    html += " autocomplete=\"off\" spellcheck=\"false\">"
    return html
  }

  private var area: HTML {
    // A parser leaves out the first line feed.
    "<textarea \(common) rows=\"4\" spellcheck=\"false\">\n\(text)</textarea>"
  }

  private var toggle: HTML {
    "<input type=\"checkbox\" class=\"switch\" role=\"switch\" \(common) value=\"1\"\(" checked", if: text.sameBytes(as: "1"))>"
  }

  private var date: HTML {
    "<input type=\"datetime-local\" \(common) value=\"\(text)\" step=\"any\"> <span class=\"unit\">\(words[.utc])</span>"
  }

  private var color: HTML {
    var html: HTML = ""
    html += input(type: "text", mode: nil)
    html += Control.swatch(text)
    return html
  }

  /// What a color looks like. A style would need an exception in what the document may load.
  static func swatch(_ color: String) -> HTML {
    guard isColor(color) else { return "<svg class=\"swatch\" viewBox=\"0 0 2 2\" aria-hidden=\"true\"></svg>" }
    return
      "<svg class=\"swatch\" viewBox=\"0 0 2 2\" aria-hidden=\"true\"><rect width=\"2\" height=\"2\" fill=\"\(color)\"/></svg>"
  }

  /// `#` and 6 or 8 digits.
  static func isColor(_ text: String) -> Bool {
    let bytes = text.utf8
    return (bytes.count == 7 || bytes.count == 9) && bytes.first == UInt8(ascii: "#")
      && bytes.dropFirst().allSatisfy {
        (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0)
      }
  }

  private var secret: HTML {
    "<input type=\"password\" \(common) value=\"\(text)\" placeholder=\"\(element.placeholder ?? words[.secretHint])\" autocomplete=\"new-password\">"
  }

  private var file: HTML {
    let accept: HTML =
      element.kind == .image ? " accept=\"image/png,image/jpeg,image/gif,image/webp,image/svg+xml\"" : ""
    return "<input type=\"file\" \(common)\(accept)>"
  }

  // MARK: Options

  private var isKnown: Bool { element.options.contains { $0.text.sameBytes(as: text) } }

  private var select: HTML {
    var html: HTML = "<select \(common)>"
    if !isKnown {
      html +=
        "<option value=\"\(text)\" selected>\(text.isEmpty ? words[.choose] : "\(text) (\(words[.unknownOption]))")</option>"
    }
    for option in element.options {
      html +=
        "<option value=\"\(option.text)\"\(" selected", if: option.text.sameBytes(as: text))>\(option.title)</option>"
    }
    html += "</select>"
    return html
  }

  private var radios: HTML {
    var html = options
    if !isKnown, !text.isEmpty {
      html += choice("radio", text, "\(text) (\(words[.unknownOption]))", isChosen: true, id + "u")
    }
    for (index, option) in element.options.enumerated() {
      html += choice("radio", option.text, option.title, isChosen: option.text.sameBytes(as: text), "\(id)o\(index)")
    }
    html += "</span>"
    return html
  }

  /// What begins a group: what is wrong with it leads here.
  private var options: HTML { "<span class=\"options\" id=\"\(id)\" tabindex=\"-1\">" }

  private var checkboxes: HTML {
    let chosen = Element.parts(text)
    var html = options
    for (index, option) in element.options.enumerated() {
      let isChosen = chosen.contains { $0.sameBytes(as: option.text) }
      html += choice("checkbox", option.text, option.title, isChosen: isChosen, "\(id)o\(index)")
    }
    for (index, other) in chosen.enumerated() where !element.options.contains(where: { $0.text.sameBytes(as: other) }) {
      html += choice("checkbox", other, "\(other) (\(words[.unknownOption]))", isChosen: true, "\(id)u\(index)")
    }
    html += "</span>"
    return html
  }

  private func choice(_ type: HTML, _ value: String, _ title: String, isChosen: Bool, _ id: String) -> HTML {
    """
    <label class="option"><input type="\(type)" id="\(id)" name="\(key)" value="\(value)"\(" checked", if: isChosen)\
    \(" disabled", if: !isEnabled)\(HTML(" aria-describedby=\"\(descriptions)\""), if: !descriptions.isEmpty)>\
     \(title)</label>
    """
  }

  /// Whether the control is several, which a legend names.
  var isGroup: Bool {
    switch element.kind {
    case .choices: true
    case .choice: element.options.count <= 4
    default: false
    }
  }
}
