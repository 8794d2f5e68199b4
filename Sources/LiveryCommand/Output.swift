import CSystem
import Livery

/// Bold and dim text, on a terminal only.
struct Style {
  let isOn: Bool

  /// Of a file descriptor; $NO_COLOR turns it off, and so does a terminal that knows neither.
  init(descriptor: Int32) {
    let noColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    let isDumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? false
    isOn = isatty(descriptor) == 1 && !noColor && !isDumb
  }

  func bold(_ text: String) -> String { isOn ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  func dim(_ text: String) -> String { isOn ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}

/// What a command prints, kept until it ends.
final class Output {
  let isJSON: Bool
  let isTerminal = isatty(1) == 1
  let style = Style(descriptor: 1)
  /// Something was changed, and what is printed only tells of it.
  var hasCommitted = false
  private var text = ""
  private var errors = ""
  private var result: Value?

  init(isJSON: Bool = false) {
    self.isJSON = isJSON
  }

  /// A line for people.
  func line(_ line: String) {
    if !isJSON { text += line + "\n" }
  }

  /// Text that is the whole result, in either form.
  func write(_ line: String, json: Value) {
    self.line(line)
    result = json
  }

  /// The result for programs.
  func result(_ value: Value) {
    result = value
  }

  /// A result that is JSON already, in either form.
  func verbatim(_ json: String) {
    text = json
    result = nil
  }

  /// Writes a line at once, for people or as JSON, unless a signal comes before it is taken.
  ///
  /// - Returns: 1; 0 for a signal; -1 if standard output does not take it.
  func stream(_ line: String, json: Value, unless signals: Int32) -> Int32 {
    let bytes = (isJSON ? json.json() : line).bytes + [UInt8(ascii: "\n")]
    return bytes.withUnsafeBufferPointer { lvs_signals_write(signals, 1, $0.baseAddress, $0.count) }
  }

  /// A line on standard error.
  func warn(_ line: String) {
    errors += line + "\n"
  }

  func fail(_ error: StoreError) {
    warn("livery: \(truncated(error.message, to: 2000))")
    guard isJSON else { return }
    var members: [Value.Member] = []
    if case .object(let found)? = result { members = found }
    let status =
      switch error.code {
      case .usage: "LIVERY_ERROR_INVALID_ARGUMENT"
      case .lossy: "LOSSY"
      case .unavailable: "UNAVAILABLE"
      default: error.code.description
      }
    var description: [Value.Member] = [.init("status", .string(status)), .init("message", .string(error.message))]
    if let setting = error.setting { description.append(.init("setting", .string(setting))) }
    if let location = error.location {
      description.append(.init("line", .int(Int64(location.line))))
      description.append(.init("column", .int(Int64(location.column))))
    }
    members.append(.init("error", .object(description)))
    result = .object(members)
  }

  /// Makes text of a result that is written as JSON.
  ///
  /// - Throws: `.noMemory`.
  func render() throws(StoreError) {
    guard isJSON, let result else { return }
    self.result = nil
    text = ""
    text = try result.jsonText(pretty: isTerminal)
    // It is copied once more to be written.
    try Memory.require(text.utf8.count)
    text += "\n"
  }

  /// Writes all of it; false if standard output does not take what the command is for. What was changed stays so, and a
  /// command that changed it has done what it is for.
  func flush() -> Bool {
    if hasCommitted { lvs_ignore_broken_pipes() }
    let written = Files.write(text.bytes, to: 1)
    if !written {
      let done = hasCommitted ? "it is done, but " : ""
      errors += "livery: \(done)standard output cannot be written to\n"
    }
    _ = Files.write(errors.bytes, to: 2)
    return written || hasCommitted
  }
}

/// Rows with their columns aligned, the last one left as it is; each row ends its line.
func table(_ rows: [[String]], style: Style, header: Bool = false) -> String {
  var widths: [Int] = []
  for row in rows {
    for (column, cell) in row.enumerated() {
      if column == widths.count { widths.append(0) }
      widths[column] = max(widths[column], cell.unicodeScalars.count)
    }
  }
  var text = ""
  for (number, row) in rows.enumerated() {
    var line = ""
    for (column, cell) in row.enumerated() {
      line += cell
      let isLast = row[(column + 1)...].allSatisfy { $0.isEmpty }
      if isLast { break }
      line += String(repeating: " ", count: widths[column] - cell.unicodeScalars.count + 2)
    }
    text += (header && number == 0 ? style.dim(line) : line) + "\n"
  }
  return text
}
