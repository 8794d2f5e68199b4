/// A diagnostic before its places are looked up in the text.
struct SchemaFinding {
  var severity: Diagnostic.Severity
  var code: String
  var message: String
  var pointer: String
  /// The place is the member's key, not its value.
  var isKey = false
  var hint: String?
  var setting: String?
  /// Another place that the message ends with.
  var related: String?
}

/// Collects what is wrong with a schema; errors are kept before warnings when there are too many.
struct SchemaFindings {
  /// The most diagnostics in a report.
  static let limit = 1_000

  private var errors: [SchemaFinding] = []
  private var warnings: [SchemaFinding] = []
  private var dropped = 0

  /// Whether a walk ended early, as there was no room for what it would find.
  private(set) var isCut = false

  var hasErrors: Bool { !errors.isEmpty }

  /// The finding is made only if there is room for it: texts of many bad settings would take memory for nothing.
  mutating func add(_ severity: Diagnostic.Severity, _ finding: () -> SchemaFinding) {
    guard hasRoom(severity) else {
      dropped += 1
      return
    }
    if severity == .error { errors.append(finding()) } else { warnings.append(finding()) }
  }

  func hasRoom(_ severity: Diagnostic.Severity) -> Bool {
    (severity == .error ? errors.count : warnings.count) < SchemaFindings.limit
  }

  /// Notes that there is one more at least, and that nobody counts the rest.
  mutating func cut() {
    dropped += 1
    isCut = true
  }

  /// The diagnostics in the order of the document.
  func located(in text: [UInt8]) -> [Diagnostic] {
    if errors.isEmpty && warnings.isEmpty { return [] }
    let kept = errors + warnings.prefix(SchemaFindings.limit - errors.count)
    let more = dropped + errors.count + warnings.count - kept.count
    var places: [(pointer: String, key: Bool)] = kept.map { ($0.pointer, $0.isKey) }
    for finding in kept {
      if let related = finding.related { places.append((related, false)) }
    }
    let locations = JSONLocator.locate(places, in: text)
    var nextRelated = kept.count
    var diagnostics: [Diagnostic] = []
    for (index, finding) in kept.enumerated() {
      var message = finding.message
      if finding.related != nil {
        if let first = locations[nextRelated] { message += " (line \(first.line), column \(first.column))" }
        nextRelated += 1
      }
      diagnostics.append(
        Diagnostic(
          severity: finding.severity, code: finding.code, message: message, pointer: finding.pointer,
          location: locations[index], hint: finding.hint, setting: finding.setting))
    }
    diagnostics = SchemaFindings.inDocumentOrder(diagnostics)
    if more > 0 {
      diagnostics.append(
        Diagnostic(
          severity: hasErrors ? .error : .warning, code: "too-many",
          message: "and \(isCut ? "at least " : "")\(more) more",
          pointer: "",
          location: StoreError.Location(line: 1, column: 1)))
    }
    return diagnostics
  }

  private static func inDocumentOrder(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let order = sortedOrder(of: diagnostics.count) { left, right in
      let a = diagnostics[left].location, b = diagnostics[right].location
      let lineA = a?.line ?? 0, lineB = b?.line ?? 0
      if lineA != lineB { return lineA < lineB }
      let columnA = a?.column ?? 0, columnB = b?.column ?? 0
      return columnA != columnB ? columnA < columnB : left < right
    }
    return order.map { diagnostics[$0] }
  }
}
