import Livery

/// `livery form`
func form(_ context: Context) throws(StoreError) {
  let layer = try context.layer()
  let options = FormOptions(
    layer: layer, locale: context.arguments.value("locale"), includesHidden: context.arguments.has("hidden"))
  let form = try openForForm(context, layer).form(options)
  context.output.result(form)
  if context.output.isJSON { return }
  var page = FormPage(style: context.output.style)
  if form["title"] != nil { page.heading(form, depth: 0) }
  for group in form.items("groups") {
    page.heading(group, depth: 0)
    page.add(group.items("elements"), depth: 1)
  }
  for line in page.lines { context.output.line(line) }
}

/// What can be changed is not to be told of a store that was opened read-only, unless there is no other way.
private func openForForm(_ context: Context, _ layer: Layer) throws(StoreError) -> Store {
  do throws(StoreError) { return try context.open(allowOverride: layer == .override) } catch {
    guard error.code == .permission || error.code == .readOnly else { throw error }
    return try context.open(readOnly: true)
  }
}

/// A form as an outline, with its settings in columns.
private struct FormPage {
  let style: Style
  private var rows: [[String]] = []
  /// Which rows are headings.
  private var isHeading: [Bool] = []

  init(style: Style) {
    self.style = style
  }

  var lines: [String] {
    let text = table(rows, style: style)
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().enumerated().map { number, line in
      isHeading[number] ? style.bold(String(line)) : String(line)
    }
  }

  mutating func heading(_ item: Value, depth: Int) {
    add([indented(truncated(item.text("title"), to: 60), depth)], isHeading: true)
  }

  mutating func add(_ elements: [Value], depth: Int) {
    for element in elements {
      let kind = element.text("kind")
      if kind.sameBytes(as: "header") {
        heading(element, depth: depth)
      } else if kind.sameBytes(as: "pane") {
        heading(element, depth: depth)
        add(element.items("elements"), depth: depth + 1)
      } else {
        let title = element["title"] == nil ? element.text("name") : element.text("title")
        add([
          indented(truncated(title, to: 40), depth), truncated(element.text("name"), to: 40), element.shownInForm,
          element.remark,
        ])
      }
    }
  }

  private mutating func add(_ row: [String], isHeading: Bool = false) {
    rows.append(row)
    self.isHeading.append(isHeading)
  }

  private func indented(_ text: String, _ depth: Int) -> String {
    String(repeating: " ", count: depth * 2) + text
  }
}

extension Value {
  /// What a form shows of an element's value, for people.
  fileprivate var shownInForm: String {
    if flag("unavailable") { return "sealed" }
    guard flag("isSet") else { return "–" }
    if text("kind").sameBytes(as: "secret") { return mask }
    if case .list(let items)? = self["items"] { return items.count == 1 ? "1 item" : "\(items.count) items" }
    guard let value = self["value"] else { return "–" }
    var shown = optionTitle(of: value) ?? value.brief
    if self["unit"] != nil { shown += " " + text("unit") }
    return truncated(shown, to: 40)
  }

  private func optionTitle(of value: Value) -> String? {
    guard let option = items("options").first(where: { $0["value"] == value }) else { return nil }
    return option.text("title")
  }

  /// Who decides, if somebody has, and what keeps the setting from being changed.
  fileprivate var remark: String {
    var remarks: [String] = []
    if !flag("isDefault") { remarks.append(text("layer")) }
    if !flag("writable") {
      switch self["disabledBy"] {
      case let other?: remarks.append("disabled by " + truncated(other.text("name"), to: 40))
      case nil: remarks.append(text("reason"))
      }
    }
    if flag("hidden") { remarks.append("hidden") }
    if flag("restart") { remarks.append("after a restart") }
    if flag("volatile") { remarks.append("until the next boot") }
    if self["deprecated"] != nil { remarks.append("deprecated") }
    return remarks.joined(separator: ", ")
  }
}
