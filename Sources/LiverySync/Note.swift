import CSync
import LiveryClient

// What whoever takes part tells the other processes.

extension lvy_note {
  mutating func use(_ scope: String?) {
    withUnsafeMutableBytes(of: &self.scope) { Self.put(scope ?? "", into: $0) }
  }

  /// The app that documents are taken for.
  var app: String? {
    let text = withUnsafeBytes(of: scope) { Self.text($0) }
    return text.utf8.isEmpty ? nil : text
  }

  mutating func setHintsProblem(_ problem: String) {
    withUnsafeMutableBytes(of: &hints_problem) { Self.put(problem.line(159), into: $0) }
  }

  mutating func fail(_ reason: String, _ message: String) {
    withUnsafeMutableBytes(of: &self.reason) { Self.put(reason, into: $0) }
    withUnsafeMutableBytes(of: &self.message) { Self.put(message.line(239), into: $0) }
  }

  var reasonText: String { withUnsafeBytes(of: reason) { Self.text($0) } }
  var messageText: String { withUnsafeBytes(of: message) { Self.text($0) } }
  var hintsProblemText: String { withUnsafeBytes(of: hints_problem) { Self.text($0) } }

  private static func put(_ text: String, into place: UnsafeMutableRawBufferPointer) {
    text.withCString {
      lvy_copy(place.baseAddress?.assumingMemoryBound(to: CChar.self), $0, UInt32(place.count))
    }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: Array(bytes.prefix { $0 != 0 }), as: UTF8.self)
  }
}
