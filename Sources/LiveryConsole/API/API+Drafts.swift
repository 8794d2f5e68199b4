import LiveryClient
import LiveryFleet
import LiveryHTTP

// Drafts: whoever changes one names the entity tag of what was seen.
extension API {
  func draft(_ channel: String, _ person: Person) throws(Problem) -> Response {
    try allow([.get, .put, .patch, .delete])
    switch request.method {
    case .put, .patch: try change(channel, person)
    case .delete:
      try discard(channel, person)
      return nothing
    default: break
    }
    return try domain { () throws(Refusal) in
      let draft = try console.draft(channel)
      var response = shown(try console.shown(draft).json)
      response.version = API.tag(draft)
      return response
    }
  }

  /// Without If-Match whatever is there is discarded.
  private func discard(_ channel: String, _ person: Person) throws(Problem) {
    var revision: UInt64?
    if let header = request.head.ifMatch {
      let seen = try domain { () throws(Refusal) in try console.draft(channel) }
      guard API.names(header, API.tag(seen)) else { throw Problem(412, API.outdated) }
      revision = seen.revision
    }
    do throws(Refusal) { try console.discard(channel, at: revision, by: person) } catch {
      guard error.reason != .conflict else { throw Problem(412, API.outdated) }
      throw Problem(error)
    }
  }

  private static func tag(_ draft: ChannelDraft) -> String { "r\(draft.revision)" }

  private func change(_ channel: String, _ person: Person) throws(Problem) {
    let body = try Body(request, ["settings", "revision"])
    let given = try settings(body)
    let revision = try body.intIfAny("revision", 0...API.largest)
    let header = request.head.ifMatch
    guard header != nil || revision != nil else {
      throw Problem(428, "Name the draft that was seen: its entity tag as If-Match, or its revision.")
    }
    let seen = try domain { () throws(Refusal) in try console.draft(channel) }
    if let header, !API.names(header, API.tag(seen)) { throw Problem(412, API.outdated) }
    if let revision, UInt64(clamping: revision) != seen.revision { throw Problem(409, API.outdated) }
    var settings = given
    if request.method == .put {
      // What is not named is not said any more.
      let names = given.map { $0.name }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      for old in seen.settings where !names.containsSorted(old.name) {
        settings.append(DraftSetting(name: old.name, verb: "", value: nil))
      }
    }
    do throws(Refusal) { try console.save(settings, in: channel, at: seen.revision, by: person) } catch {
      guard error.reason != .conflict else { throw Problem(header == nil ? 409 : 412, API.outdated) }
      throw Problem(error, at: "/settings")
    }
  }

  private static let outdated = "Somebody else has changed the draft meanwhile: get it anew."

  /// Whether a header If-Match names a tag, in whatever form the tag was sent. One that is weak names nothing.
  private static func names(_ header: [UInt8], _ tag: String) -> Bool {
    for part in header.split(separator: .comma) {
      let name = part.trimmed
      if name.isSame("*") || name.elementsEqual("\"\(tag)\"".utf8) || name.elementsEqual("\"\(tag)-z\"".utf8) {
        return true
      }
    }
    return false
  }

  /// The settings of a body.
  private func settings(_ body: Body) throws(Problem) -> [DraftSetting] {
    let items = try body.items("settings")
    guard items.count <= Limit.settings else {
      throw Problem(422, "A channel says at most \(Limit.settings) settings.", at: "/settings")
    }
    var settings: [DraftSetting] = []
    for (index, item) in items.enumerated() {
      settings.append(try setting(item, at: Pointer.adding(index.description, to: "/settings")))
    }
    try type(&settings)
    let names = try domain { () throws(Refusal) in try console.names() }
    settings = settings.map { names.named($0) }
    let sorted = settings.sorted()
    for (one, next) in zip(sorted, sorted.dropFirst()) where one.name.sameBytes(as: next.name) {
      let alias = one.alias ?? next.alias
      let words = alias.map { "\(one.name) is there twice: also as \($0)." } ?? "\(one.name) is there twice."
      throw Problem(422, words, at: "/settings")
    }
    return settings
  }

  private func setting(_ item: Value, at place: String) throws(Problem) -> DraftSetting {
    let body = try Body(item, ["name", "verb", "value"], at: place)
    let name = try body.text("name")
    guard (1...Limit.settingName).contains(name.utf8.count) else {
      throw Problem(422, "A setting's name has 1 to \(Limit.settingName) bytes.", at: body.pointer("name"))
    }
    let value = body.valueIfAny("value")
    let word = try body.textIfAny("verb")
    // Without a verb it is taken out of the draft.
    if word == nil, request.method == .put { throw Problem(422, "It is missing.", at: body.pointer("verb")) }
    var verb: Document.Verb?
    if let word {
      verb = Document.Verb.allCases.first { $0.name.sameBytes(as: word) }
      guard verb != nil else {
        throw Problem(422, "It is recommend, replace, enforce or release.", at: body.pointer("verb"))
      }
    }
    guard let verb, verb != .release else {
      guard value == nil else {
        throw Problem(422, "Without a verb, and with release, there is no value.", at: body.pointer("value"))
      }
      return DraftSetting(name: name, verb: word ?? "", value: nil)
    }
    guard let value else { throw Problem(422, "It is missing.", at: body.pointer("value")) }
    return DraftSetting(name: name, verb: verb.name, value: value)
  }

  /// Gives values the types that the schema says: all at once, and one by one to find which it does not take.
  private func type(_ settings: inout [DraftSetting]) throws(Problem) {
    let valued = settings.indices.filter { settings[$0].value != nil }
    let given = valued.map { Value.Member(settings[$0].name, settings[$0].value ?? .bool(false)) }
    if let typed = try? console.typed(given) {
      for (index, value) in zip(valued, typed) { settings[index].value = value }
      return
    }
    for (index, one) in zip(valued, given) {
      do throws(Refusal) { settings[index].value = try console.typed(one.key, one.value) } catch {
        let place = Pointer.adding(index.description, to: "/settings")
        throw Problem(error, at: Pointer.adding(console.declares(one.key) ? "value" : "name", to: place))
      }
    }
  }
}

extension Console {
  /// Whether the schema has a setting by a name, as far as that can be said; true without a schema.
  fileprivate func declares(_ name: String) -> Bool {
    // What is of a brand needs no declaration.
    guard name.after("branding.") == nil, let json = try? schema(), let store = try? SchemaStores.open(json) else {
      return true
    }
    do throws(StoreError) { _ = try store.value(name) } catch { return error.code == .noValue }
    return true
  }
}
