// `Texts`: what people see of a schema in other languages.
extension SchemaCompiler {
  /// The texts that people see, each where it is first met.
  private struct Sources {
    var numbers = ByteIndex()
    var texts: [String] = []
    var paths: [[PathStep]] = []
    /// Whether a language that lacks it is incomplete: not where there is nothing to translate, as in `%` and `16:9`.
    var isWanted: [Bool] = []

    mutating func add(_ text: String, at path: [PathStep], isWanted: Bool) {
      let (number, isNew) = numbers.insert(text)
      let isWanted = isWanted && text.unicodeScalars.contains { $0.value >= 128 || $0.isLetter }
      guard isNew else { return self.isWanted[number] = self.isWanted[number] || isWanted }
      texts.append(text)
      paths.append(path)
      self.isWanted.append(isWanted)
    }
  }

  mutating func texts(_ json: JSON, of document: JSON) -> SchemaTexts {
    var result = SchemaTexts()
    guard case .object(let members) = json else {
      wrongType(json, "an object of languages")
      return result
    }
    var sources = Sources()
    collect(document, .title, into: &sources)
    at(.member("Groups")) { $0.collectAll(document["Groups"], into: &sources) }
    for (number, member) in members.enumerated() {
      guard number < SchemaTexts.maximumLanguages else {
        at(.member(member.key)) {
          $0.report(
            .error, "too-many-languages", "`Texts` has \(members.count) languages; at most \(number) are allowed",
            isKey: true)
        }
        break
      }
      at(.member(member.key)) { $0.language(member, sources, into: &result) }
    }
    for language in result.languages where !findings.isCut { reportMissing(language, in: result, sources) }
    return result
  }

  private mutating func language(_ member: JSON.Member, _ sources: Sources, into result: inout SchemaTexts) {
    guard let tag = LanguageTag(member.key) else {
      let meant = LanguageTag(locale: member.key) == nil ? nil : "write it with hyphens alone, as `de-AT`"
      report(
        .error, "invalid-language", "\(Value.string(member.key).brief) is no tag of a language", isKey: true,
        hint: meant ?? "a tag of BCP 47, such as \"de\" or \"de-AT\"")
      return
    }
    guard result.language(tag.text) == nil else {
      report(.error, "duplicate-language", "`\(member.key)` is there twice", isKey: true)
      return
    }
    guard case .object(let texts) = member.value else {
      wrongType(member.value, "an object of texts")
      return
    }
    var language = SchemaTexts.Language(name: member.key, tag: tag.text)
    for text in texts {
      at(.member(text.key)) { compiler in
        guard let translated = compiler.text(text.value) else { return }
        language.add(text.key, translated)
        guard sources.numbers.number(of: text.key) == nil else { return }
        compiler.report(
          .warning, "unknown-text", "\(Value.string(text.key).brief) is no text of the schema", isKey: true,
          hint: MemberNames.meant(by: text.key, among: sources.texts.prefix(MemberNames.limit).map { $0 })
            .map { "did you mean `\($0)`?" })
      }
    }
    result.add(language)
  }

  private mutating func reportMissing(_ language: SchemaTexts.Language, in texts: SchemaTexts, _ sources: Sources) {
    guard let tag = LanguageTag(language.tag) else { return }
    let translation = texts.translation(tag)
    let outer = path
    for (number, text) in sources.texts.enumerated() where sources.isWanted[number] && !translation.has(text) {
      guard findings.hasRoom(.warning) else {
        findings.cut()
        break
      }
      path = sources.paths[number]
      warning("missing-text", "`Texts` has no `\(language.name)` for \(Value.string(text).brief)")
    }
    path = outer
  }
}

// MARK: What there is to translate

extension SchemaCompiler {
  private mutating func collect(
    _ json: JSON, _ member: SchemaMember, into sources: inout Sources, isWanted: Bool = true
  ) {
    guard case .string(let text)? = json[member.name], !text.utf8.isEmpty else { return }
    // The walk is in `Texts`.
    sources.add(text, at: Array(path.dropFirst()) + [.member(member.name)], isWanted: isWanted)
  }

  /// Of an array of groups, settings or options.
  private mutating func collectAll(_ json: JSON?, into sources: inout Sources) {
    guard case .array(let items)? = json else { return }
    for (index, item) in items.enumerated() {
      at(.index(index)) { compiler in
        for member in [SchemaMember.title, .description, .placeholder, .deprecated] {
          compiler.collect(item, member, into: &sources)
        }
        compiler.collect(item, .unit, into: &sources, isWanted: false)
        // An option without a title is shown by its value.
        if item["Title"] == nil, item["Type"] == nil { compiler.collect(item, .value, into: &sources, isWanted: false) }
        for member in [SchemaMember.options, .settings, .itemTemplate] {
          compiler.at(member) { $0.collectAll(item[member.name], into: &sources) }
        }
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether it is a letter of ASCII.
  fileprivate var isLetter: Bool { (65...90).contains(value & ~0x20) }
}
