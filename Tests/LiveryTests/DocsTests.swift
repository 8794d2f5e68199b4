import CSystem
import Livery
import Testing

/// The tables of the guides name everything there is. Tests/Docs runs their examples.
@Suite struct DocsTests {
  @Test func theSwiftGuideExplainsEveryErrorCode() throws {
    let guide = try text("docs/swift.md")
    let source = try text("Sources/LiveryCore/Base/StoreError.swift")
    var codes: [Substring] = []
    for line in source.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 4, words[0] == "public", words[1] == "static", words[2] == "let" { codes.append(words[3]) }
    }
    #expect(codes.count == 30)
    for code in codes { #expect(guide.contains("`.\(code)`"), "\(code)") }
  }

  @Test func theConceptsNameEveryLayerAndType() throws {
    let concepts = try text("docs/concepts.md")
    for layer in Layer.allCases { #expect(concepts.contains("\n| `\(layer)` |"), "\(layer)") }
    for type in ValueType.allCases {
      let row = ["\n| \(type) |", "\n| \(type),", ", \(type) |"].contains { concepts.contains($0) }
      #expect(row, "\(type)")
    }
  }

  @Test func theHeaderHasTheTableOfConversions() throws {
    func table(_ path: String) throws -> [Substring] {
      try text(path).split(separator: "\n").map { $0.drop { $0 != "|" } }.filter { $0.split(separator: "|").count > 9 }
    }
    let rows = try table("Sources/LiveryCore/Value/Coercion.swift")
    #expect(rows.count == 6)
    #expect(try rows == table("include/livery/store.h"))
  }

  @Test func theFileFormatGivesEveryNumber() throws {
    let format = try text("docs/file-format.md")
    for type in ValueType.allCases { #expect(format.contains("\n| \(type.rawValue) | \(type) |"), "\(type)") }
    let layers = Layer.allCases.map { "`\($0)`" }.joined(separator: " | ")
    #expect(format.contains("\n| \(layers) |\n"))
    for kind in SettingKind.allCases { #expect(format.contains(" \(kind.rawValue) \(documented(kind))"), "\(kind)") }
  }

  @Test func theFileFormatNamesEveryMemberOfADeclaration() throws {
    let format = try text("docs/file-format.md")
    let schema = try #require(try compileSchema(fixture("golden/schema.json")).schema)
    var count = 0
    for setting in schema.settings {
      guard case .object(let members) = try CBOR.decode(setting.encode()) else { continue }
      for member in members {
        #expect(format.contains("`\(member.key)`"), "\(member.key)")
        count += 1
      }
    }
    #expect(count > 30)
  }

  private func documented(_ kind: SettingKind) -> String {
    switch kind {
    case .choices: "choices (a list"
    case .list: "list of objects"
    default: kind.description
    }
  }

  /// A file of the repository.
  private func text(_ path: String, _ here: String = #filePath) throws -> String {
    let root = here.split(separator: "/").dropLast(3).joined(separator: "/")
    var count = 0
    let bytes = try #require(lvs_read_file("/\(root)/\(path)", -1, 1 << 20, &count))
    defer { free(bytes) }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
