import Foundation
import LiveryCore
import Testing

@Suite struct SchemaReferenceTests {
  private static let folders: (reference: URL, sources: URL) = {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return (
      root.appendingPathComponent("docs/schema-reference.md"),
      root.appendingPathComponent("Sources/LiveryCore/Schema")
    )
  }()

  private func reference() throws -> String {
    try String(contentsOf: Self.folders.reference, encoding: .utf8)
  }

  @Test func everyExampleIsASchemaWithoutDiagnostics() throws {
    let blocks = try reference().components(separatedBy: "```json\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }.filter { $0.contains("\"Version\"") }
    #expect(blocks.count >= 7)
    for block in blocks {
      let compilation = try compileSchema(block.bytes)
      #expect(compilation.schema != nil)
      #expect(compilation.diagnostics.map { "\($0.code) \($0.pointer): \($0.message)" } == [], "\(block)")
    }
  }

  @Test func everyCodeIsInTheTableAndNoOther() throws {
    let rows = try reference().components(separatedBy: "## Diagnostics")[1].components(separatedBy: "\n| `").dropFirst()
    let listed = Set(rows.compactMap { $0.components(separatedBy: "`").first })
    var used: Set<String> = []
    let call = try NSRegularExpression(
      pattern:
        #"(?:error|warning)\(\s*"([a-z-]+)"|report\(\s*\.(?:error|warning), "#
        + #""([a-z-]+)"|(?:code: |return )"([a-z]+(?:-[a-z]+)+)""#
    )
    for file in try FileManager.default.contentsOfDirectory(at: Self.folders.sources, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in call.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        for group in 1...3 {
          if let range = Range(match.range(at: group), in: text) { used.insert(String(text[range])) }
        }
      }
    }
    #expect(used.count > 25)
    #expect(used == listed)
  }
}
