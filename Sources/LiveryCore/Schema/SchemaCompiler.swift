/// Walks over a schema's document and makes descriptors of it, or says what is wrong.
struct SchemaCompiler {
  /// The deepest nesting of panes and lists.
  static let maximumDepth = 32

  /// What the root holds.
  struct Parts {
    var version: Int64
    var title: String?
    var isOpen: Bool
    var settings: [SettingDescriptor]
    var migrations: [Migration]
    var texts: SchemaTexts
  }

  var findings = SchemaFindings()
  let patterns = PatternCache()
  /// Where in the document the walk is.
  var path: [PathStep] = []
  /// The key of the setting the walk is in.
  var setting: String?

  /// Runs a body with the path one step deeper.
  mutating func at<R>(_ step: PathStep, _ body: (inout SchemaCompiler) -> R) -> R {
    path.append(step)
    let result = body(&self)
    path.removeLast()
    return result
  }

  mutating func at<R>(_ member: SchemaMember, _ body: (inout SchemaCompiler) -> R) -> R {
    at(.member(member.name), body)
  }

  mutating func report(
    _ severity: Diagnostic.Severity, _ code: String, _ message: @autoclosure () -> String, isKey: Bool = false,
    hint: @autoclosure () -> String? = nil, related: [PathStep]? = nil
  ) {
    let path = path
    let setting = setting
    findings.add(severity) {
      SchemaFinding(
        severity: severity, code: code, message: message(), pointer: path.pointer, isKey: isKey, hint: hint(),
        setting: setting, related: related.map { $0.pointer })
    }
  }

  mutating func error(_ code: String, _ message: @autoclosure () -> String, hint: @autoclosure () -> String? = nil) {
    report(.error, code, message(), hint: hint())
  }

  mutating func warning(_ code: String, _ message: @autoclosure () -> String, hint: @autoclosure () -> String? = nil) {
    report(.warning, code, message(), hint: hint())
  }
}

// MARK: Root and groups

extension SchemaCompiler {
  private static let rootMembers = ["Version", "Groups", "Title", "Open", "Migrations", "Texts"]
  private static let groupMembers = ["Title", "Settings", "Description"]

  /// Compiles the whole document; nil if there is no usable version.
  mutating func root(_ document: JSON) -> Parts? {
    guard case .object(let members) = document else {
      error("wrong-type", "a schema is an object, found \(document.typeName)")
      return nil
    }
    reportUnknown(members, known: SchemaCompiler.rootMembers, in: "a schema")
    let version = version(document)
    let title = document["Title"].flatMap { json in at(.member("Title")) { $0.text(json) } }
    let isOpen = document["Open"].flatMap { json in at(.member("Open")) { $0.flag(json) } } ?? false
    let scope = SchemaScope(isItem: false)
    var settings: [SettingDescriptor] = []
    if let groups = document["Groups"] {
      at(.member("Groups")) { compiler in
        guard let items = compiler.array(groups) else { return }
        for (index, item) in items.enumerated() {
          compiler.at(.index(index)) { $0.group(item, scope: scope, into: &settings) }
        }
      }
    } else {
      error("missing-member", "`Groups` is missing", hint: "add \"Groups\": [] with the groups of settings")
    }
    resolveConditions(of: scope, in: &settings)
    let migrations = document["Migrations"].map { json in at(.member("Migrations")) { $0.migrations(json, of: version) }
    }
    let texts = document["Texts"].map { json in at(.member("Texts")) { $0.texts(json, of: document) } }
    guard let version else { return nil }
    return Parts(
      version: version, title: title, isOpen: isOpen, settings: settings, migrations: migrations ?? [],
      texts: texts ?? SchemaTexts())
  }

  private mutating func version(_ document: JSON) -> Int64? {
    guard let json = document["Version"] else {
      error("missing-version", "`Version` is missing", hint: "add \"Version\": 1")
      return nil
    }
    return at(.member("Version")) { compiler in
      guard let version = json.wholeNumber, version >= 1 else {
        compiler.error("invalid-version", "`Version` is a whole number from 1 up, found \(json.shown)")
        return nil
      }
      return version
    }
  }

  private mutating func group(_ json: JSON, scope: SchemaScope, into settings: inout [SettingDescriptor]) {
    guard case .object(let members) = json else {
      error("wrong-type", "a group is an object, found \(json.typeName)")
      return
    }
    reportUnknown(members, known: SchemaCompiler.groupMembers, in: "a group")
    let title = json["Title"].flatMap { json in at(.member("Title")) { $0.text(json) } }
    if json["Title"] == nil { warning("missing-title", "the group has no `Title`") }
    if let json = json["Description"] { at(.member("Description")) { _ = $0.text(json) } }
    guard let list = json["Settings"] else { return }
    at(.member("Settings")) {
      $0.settings(list, group: title ?? "", depth: 0, scope: scope, into: &settings)
    }
  }

  /// Compiles an array of settings, as in a group, a pane or a template.
  mutating func settings(
    _ json: JSON, group: String, depth: Int, scope: SchemaScope, into settings: inout [SettingDescriptor]
  ) {
    guard let items = array(json) else { return }
    for (index, item) in items.enumerated() {
      let outer = setting
      at(.index(index)) { $0.element(item, group: group, depth: depth, scope: scope, into: &settings) }
      setting = outer
    }
  }
}
