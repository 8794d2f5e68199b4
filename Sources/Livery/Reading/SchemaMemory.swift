/// What this process keeps of a store's schema, as people see it: an outline for forms, and what searches look through.
final class SchemaMemory: @unchecked Sendable {
  /// Outlines of longer schemas are made anew each time: they take many times the bytes of the text.
  private static let longestOutlined = 1 << 20
  /// Of indexes, beside the latest.
  private static let mostBytes = 16 << 20

  private struct Known {
    let digest: [UInt8]
    let language: String
    let index: SearchIndex
  }

  private let lock = Lock()
  // Guarded by `lock`.
  private var outline: (digest: [UInt8], outline: FormOutline)?
  /// The latest last.
  private var indexes: [Known] = []

  /// The outline of the stored schema.
  func outline(_ view: View) throws(StoreError) -> FormOutline {
    let facts = try view.schemaFacts()
    guard facts.version > 0 else { return FormOutline() }
    if let known = lock.withLock({ outline }), known.digest == facts.digest { return known.outline }
    let text = try schemaText(view)
    let made = try FormOutline(text)
    if text.count <= Self.longestOutlined { lock.withLock { outline = (facts.digest, made) } }
    return made
  }

  /// What to search in a language.
  func index(_ view: View, _ locale: String?) throws(StoreError) -> SearchIndex {
    let facts = try view.schemaFacts()
    guard facts.version > 0 else {
      _ = try FormOutline().texts.translation(locale)
      return SearchIndex()
    }
    let asked = locale ?? ""
    let known = lock.withLock { indexes.last { $0.digest == facts.digest && $0.language.sameBytes(as: asked) } }
    if let known { return known.index }
    let outline = try outline(view)
    let index = SearchIndex(outline, try outline.texts.translation(locale))
    lock.withLock { keep(Known(digest: facts.digest, language: asked, index: index)) }
    return index
  }

  private func schemaText(_ view: View) throws(StoreError) -> [UInt8] {
    guard let text = try view.schemaText() else { throw .damaged("the schema's text") }
    return text
  }

  private func keep(_ known: Known) {
    indexes.removeAll { $0.digest != known.digest }
    while indexes.count > 3 || indexes.reduce(0, { $0 + $1.index.size }) > Self.mostBytes { indexes.removeFirst() }
    indexes.append(known)
  }
}
