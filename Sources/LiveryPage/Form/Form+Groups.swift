import LiveryClient
import LiveryHTTP

/// Everything that can be set, at one moment and in one language.
struct Form: Sendable {
  struct Group: Sendable {
    var title: String
    var description: String?
    var elements: [Element]
  }

  /// Where an element stands: the group, and the panes on the way, by their places among all elements.
  typealias Path = [Int]

  var title: String?
  var revision: UInt64
  var languages: [String]
  var groups: [Group] = []
  /// The settings by the bytes of their names.
  private var places: [[UInt8]: Path] = [:]

  /// - Parameter isReadOnly: whether nothing may be changed, whatever the schema says.
  init(_ value: Value, isReadOnly: Bool) {
    title = value["title"]?.text
    revision = UInt64(clamping: value["revision"]?.whole ?? 0)
    languages = (value["languages"]?.items ?? []).compactMap { $0.text }
    for group in value["groups"]?.items ?? [] {
      groups.append(
        Group(
          title: group["title"]?.text ?? "", description: group["description"]?.text,
          elements: Element.all(group["elements"])))
    }
    if isReadOnly {
      for group in groups { Form.lock(group.elements) }
    }
    for (index, group) in groups.enumerated() { note(group.elements, [index]) }
  }

  /// Some settings, as one group.
  init(_ elements: [Element], revision: UInt64) {
    title = nil
    self.revision = revision
    languages = []
    groups = [Group(title: "", description: nil, elements: elements)]
    note(elements, [0])
  }

  private static func lock(_ elements: [Element]) {
    for element in elements {
      lock(element.elements)
      if element.isEditable { element.obstacle = .readOnly }
    }
  }

  /// These settings, and those that look different when they change.
  func dependents(of names: [String]) -> [String] {
    var found = names
    for group in groups { Form.add(dependents: names, among: group.elements, to: &found) }
    return found
  }

  /// Whether something of it may become another without a commit: values of these layers end by the clock.
  var mayExpire: Bool { groups.contains { Form.mayExpire($0.elements) } }

  private static func mayExpire(_ elements: [Element]) -> Bool {
    elements.contains { (element) in
      element.layer.map { $0.sameBytes(as: "override") || $0.sameBytes(as: "session") } ?? false
        || mayExpire(element.elements)
    }
  }

  private static func add(dependents names: [String], among elements: [Element], to found: inout [String]) {
    for element in elements {
      add(dependents: names, among: element.elements, to: &found)
      guard let other = element.enabledBy, names.contains(where: { $0.sameBytes(as: other) }),
        !found.contains(where: { $0.sameBytes(as: element.name) })
      else { continue }
      found.append(element.name)
    }
  }

  /// The settings that a commit has changed, if it can be taken back here: all of them are in the form and may be changed, and
  /// it changed no other layer.
  func undoable(_ commit: Value, in layer: String) -> [String]? {
    guard commit["layer"]?.text?.sameBytes(as: layer) ?? false, !(commit["tooLarge"]?.isTrue ?? false) else {
      return nil
    }
    var names: [String] = []
    for change in commit["changes"]?.items ?? [] {
      guard let name = change["name"]?.text, element(name)?.isEditable ?? false,
        change["layer"]?.text?.sameBytes(as: layer) ?? true || change["expired"]?.isTrue ?? false
      else { return nil }
      if !names.contains(where: { $0.sameBytes(as: name) }) { names.append(name) }
    }
    return names.isEmpty ? nil : names
  }

  private mutating func note(_ elements: [Element], _ path: Path) {
    for (index, element) in elements.enumerated() {
      if element.kind == .pane { note(element.elements, path + [index]) }
      if element.isSetting { places[Array(element.name.utf8)] = path + [index] }
    }
  }

  /// A setting by its name.
  func element(_ name: String) -> Element? {
    guard let path = places[Array(name.utf8)], let last = path.last else { return nil }
    let elements = view(at: Array(path.dropLast()))?.elements ?? []
    return last < elements.count ? elements[last] : nil
  }

  /// The page that a setting stands on.
  func page(of name: String) -> Path? {
    places[Array(name.utf8)].map { Array($0.dropLast()) }
  }

  /// What stands on one page: a group's, or a pane's.
  struct View {
    var path: Path
    var title: String
    var description: String?
    var elements: [Element]
    /// The pages on the way to it, the group first.
    var parents: [(path: Path, title: String)]
  }

  func view(at path: Path) -> View? {
    guard let first = path.first, first < groups.count else { return nil }
    let group = groups[first]
    var view = View(
      path: [first], title: group.title, description: group.description, elements: group.elements, parents: [])
    for index in path.dropFirst() {
      guard index < view.elements.count, view.elements[index].kind == .pane else { return nil }
      let pane = view.elements[index]
      view = View(
        path: view.path + [index], title: pane.title, description: pane.description, elements: pane.elements,
        parents: view.parents + [(view.path, view.title)])
    }
    return view
  }

  /// A path as it is written in addresses: `2.0.1`.
  static func text(_ path: Path) -> String {
    var text = ""
    for index in path { text += (text.isEmpty ? "" : ".") + index.description }
    return text
  }

  static func path(_ text: String) -> Path? {
    var path: Path = []
    for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard let number = Int(String(decoding: part, as: UTF8.self)), number >= 0, part.count < 8 else { return nil }
      path.append(number)
    }
    return path
  }
}
