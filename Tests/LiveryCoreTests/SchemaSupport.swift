import Foundation
import LiveryCore
import Testing

/// A file of Tests/Fixtures.
func fixture(_ name: String) throws -> [UInt8] {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Fixtures").appendingPathComponent(name)))
}

/// The schema of a text that compiles.
func schema(_ text: [UInt8]) throws -> Schema {
  let compilation = try compileSchema(text)
  if compilation.schema == nil {
    Issue.record("\(compilation.diagnostics.map { "\($0.code) \($0.pointer): \($0.message)" })")
  }
  return try #require(compilation.schema)
}

/// A schema whose one group holds the given settings.
func schemaText(_ settings: String, version: Int = 1) -> [UInt8] {
  "{\"Version\": \(version), \"Groups\": [{\"Title\": \"G\", \"Settings\": [\(settings)]}]}".bytes
}

/// The descriptor of one setting written as JSON.
func setting(_ json: String) throws -> SettingDescriptor {
  try #require(try schema(schemaText(json)).settings.first)
}

extension Validation {
  /// The value, if it is valid.
  var value: Value? {
    if case .valid(let value) = self { return value }
    return nil
  }

  var violations: [Violation] {
    if case .invalid(let violations) = self { return violations }
    return []
  }

  /// The constraints violated, in order.
  var constraints: [String] { violations.map { $0.constraint ?? "-" } }
}
