import CXXHash

/// A compiled schema.
public struct Schema: Sendable {
  public var version: Int64
  public var title: String?
  /// Whether settings that the schema does not declare may be set too.
  public var isOpen: Bool
  /// In the order of the document.
  public var settings: [SettingDescriptor]
  /// 16 bytes that are the same for documents of the same content, whatever their formatting and order of members.
  public var digest: [UInt8]
  /// In the order of the versions that they lead to.
  public var migrations: [Migration]
  /// What people see of it, in other languages.
  public var texts: SchemaTexts
  /// The document itself.
  public var text: [UInt8]
}

/// What compiling a schema came to.
public struct SchemaCompilation: Sendable {
  /// Nil if there is any error among the diagnostics.
  public var schema: Schema?
  /// In the order of the document; at most 1,000, and one more that counts the rest.
  public var diagnostics: [Diagnostic]
}

/// Compiles a settings schema.
///
/// Corresponds to `livery_schema_check` in C. Throws `.parse` for a text that is not JSON; everything else that is
/// wrong is a diagnostic.
public func compileSchema(_ text: [UInt8]) throws(StoreError) -> SchemaCompilation {
  compileSchema(try JSON.parse(text), text)
}

/// The same for a text that is read already.
func compileSchema(_ document: JSON, _ text: [UInt8]) -> SchemaCompilation {
  var compiler = SchemaCompiler()
  let parts = compiler.root(document)
  let diagnostics = compiler.findings.located(in: text)
  guard let parts, !compiler.findings.hasErrors else {
    return SchemaCompilation(schema: nil, diagnostics: diagnostics)
  }
  let schema = Schema(
    version: parts.version, title: parts.title, isOpen: parts.isOpen, settings: parts.settings,
    digest: SchemaDigest.of(document), migrations: parts.migrations, texts: parts.texts, text: text)
  return SchemaCompilation(schema: schema, diagnostics: diagnostics)
}

/// The digest of a document: two 64-bit hashes of its content in deterministic CBOR, which knows neither formatting nor
/// order of members.
enum SchemaDigest {
  static func of(_ document: JSON) -> [UInt8] {
    var bytes: [UInt8] = []
    write(document, to: &bytes)
    var digest: [UInt8] = []
    for seed in 0..<UInt64(2) {
      let hash = bytes.withUnsafeBytes { lvs_xxh3($0.baseAddress, $0.count, seed) }
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        digest.append(UInt8(truncatingIfNeeded: hash >> shift))
      }
    }
    return digest
  }

  // Written here and not with Value's codec: a document may hold nulls and be deeper than any value.
  private static func write(_ json: JSON, to bytes: inout [UInt8]) {
    switch json {
    case .null: bytes.append(0xF6)
    case .bool(let flag): bytes.append(flag ? 0xF5 : 0xF4)
    case .int(let number):
      if number >= 0 {
        head(0x00, UInt64(number), to: &bytes)
      } else {
        head(0x20, UInt64(bitPattern: ~number), to: &bytes)
      }
    case .double(let number):
      bytes.append(0xFB)
      big(number.bitPattern, count: 8, to: &bytes)
    case .string(let text): write(text, to: &bytes)
    case .array(let items):
      head(0x80, UInt64(items.count), to: &bytes)
      for item in items { write(item, to: &bytes) }
    case .object(let members):
      head(0xA0, UInt64(members.count), to: &bytes)
      let order = sortedOrder(of: members.count) { left, right in
        let a = members[left].key.utf8.count, b = members[right].key.utf8.count
        return a != b ? a < b : members[left].key.precedesInBytes(members[right].key)
      }
      for index in order {
        write(members[index].key, to: &bytes)
        write(members[index].value, to: &bytes)
      }
    }
  }

  private static func write(_ text: String, to bytes: inout [UInt8]) {
    head(0x60, UInt64(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  private static func head(_ major: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
    switch number {
    case 0..<24: bytes.append(major | UInt8(number))
    case 24..<0x100:
      bytes.append(major | 24)
      big(number, count: 1, to: &bytes)
    case 0x100..<0x1_0000:
      bytes.append(major | 25)
      big(number, count: 2, to: &bytes)
    case 0x1_0000..<0x1_0000_0000:
      bytes.append(major | 26)
      big(number, count: 4, to: &bytes)
    default:
      bytes.append(major | 27)
      big(number, count: 8, to: &bytes)
    }
  }

  private static func big(_ number: UInt64, count: Int, to bytes: inout [UInt8]) {
    for index in stride(from: count - 1, through: 0, by: -1) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index)))
    }
  }
}
