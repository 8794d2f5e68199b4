/// The texts of a schema in other languages.
public struct SchemaTexts: Sendable {
  struct Language: Sendable {
    /// As the schema writes it.
    let name: String
    let tag: String
    fileprivate(set) var sources = ByteIndex()
    fileprivate(set) var texts: [String] = []

    mutating func add(_ source: String, _ text: String) {
      if sources.insert(source).isNew { texts.append(text) }
    }

    func text(of source: String) -> String? {
      sources.number(of: source).map { texts[$0] }
    }
  }

  static let maximumLanguages = 256

  private(set) var languages: [Language] = []
  /// Their tags.
  private var numbers = ByteIndex()

  mutating func add(_ language: Language) {
    if numbers.insert(language.tag).isNew { languages.append(language) }
  }

  /// The tags, as the schema writes them.
  public var names: [String] { languages.map { $0.name } }

  func language(_ tag: String) -> Language? {
    numbers.number(of: tag).map { languages[$0] }
  }

  /// What looks texts up in a language, and in those that it falls back on.
  ///
  /// - Parameter locale: nil for the texts as they are.
  /// - Throws: `.invalidArgument` for what is no tag of a language.
  public func translation(_ locale: String?) throws(StoreError) -> Translation {
    guard let locale else { return Translation(languages: []) }
    guard let tag = LanguageTag(locale: locale) else {
      throw StoreError(
        .invalidArgument, "`\(truncated(locale, to: 40))` is no tag of a language, such as `de` or `de-AT`")
    }
    return translation(tag)
  }

  func translation(_ tag: LanguageTag) -> Translation {
    var found: [Language] = []
    for tag in tag.fallbacks {
      if let language = language(tag) { found.append(language) }
    }
    return Translation(languages: found)
  }
}

/// Texts of a schema in one language.
public struct Translation: Sendable {
  /// In the order in which they are asked.
  let languages: [SchemaTexts.Language]

  /// The tag that comes first; nil if the texts are as they are in the schema.
  public var name: String? { languages.first?.name }

  /// The same for translations that make the same of every text of one schema.
  public var key: String {
    var key = ""
    for language in languages { key += language.tag + "," }
    return key
  }

  public func callAsFunction(_ source: String) -> String {
    for language in languages {
      if let text = language.text(of: source) { return text }
    }
    return source
  }

  /// Whether the text is there in any of the languages.
  func has(_ source: String) -> Bool {
    languages.contains { $0.text(of: source) != nil }
  }
}
