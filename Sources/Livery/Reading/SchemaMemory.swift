/// What this process keeps of a store's schema, as people see it: an outline for forms, and what searches look through.
final class SchemaMemory: @unchecked Sendable {
  /// Outlines of longer schemas are made anew each time: they take many times the bytes of the text.
  private static let longestOutlined = 16 << 20
  /// Of all indexes. One that is larger is made anew each time.
  private static let mostBytes = 64 << 20
  private static let mostIndexes = 4

  private struct Known {
    let digest: [UInt8]
    let language: String
    let index: SearchIndex
  }

  private let lock = Lock()
  // Guarded by `lock`.
  private var outline: (digest: [UInt8], outline: FormOutline)?
  private var texts: (digest: [UInt8], texts: SchemaTexts)?
  /// The latest last.
  private var indexes: [Known] = []

  /// How many indexes are kept.
  var indexCount: Int { lock.withLock { indexes.count } }

  /// The outline of the stored schema.
  func outline(_ view: View) throws(StoreError) -> FormOutline {
    let facts = try view.schemaFacts()
    guard facts.version > 0 else { return FormOutline() }
    if let known = lock.withLock({ outline }), known.digest == facts.digest { return known.outline }
    let text = try schemaText(view)
    // The document, the declarations and what is made of them.
    try Memory.require(text.count &* 16)
    let made = try FormOutline(text)
    lock.withLock {
      texts = (facts.digest, made.texts)
      outline = text.count <= Self.longestOutlined ? (facts.digest, made) : nil
    }
    return made
  }

  /// What to search in a language.
  func index(_ view: View, _ locale: String?) throws(StoreError) -> SearchIndex {
    let facts = try view.schemaFacts()
    guard facts.version > 0 else {
      _ = try FormOutline().texts.translation(locale)
      return SearchIndex()
    }
    // Locales that come to the same texts have one index.
    if let texts = lock.withLock({ texts }), texts.digest == facts.digest {
      let language = try texts.texts.translation(locale).key
      let known = lock.withLock { indexes.last { $0.digest == facts.digest && $0.language.sameBytes(as: language) } }
      if let known { return known.index }
    }
    let outline = try outline(view)
    let translation = try outline.texts.translation(locale)
    let index = try SearchIndex(outline, translation)
    keep(Known(digest: facts.digest, language: translation.key, index: index))
    return index
  }

  private func schemaText(_ view: View) throws(StoreError) -> [UInt8] {
    guard let text = try view.schemaText() else { throw .damaged("the schema's text") }
    return text
  }

  private func keep(_ known: Known) {
    let size = known.index.size
    guard size <= Self.mostBytes else { return }
    lock.withLock {
      indexes.removeAll { $0.digest != known.digest || $0.language.sameBytes(as: known.language) }
      while indexes.count >= Self.mostIndexes || indexes.reduce(size, { $0 + $1.index.size }) > Self.mostBytes {
        indexes.removeFirst()
      }
      indexes.append(known)
    }
  }
}
