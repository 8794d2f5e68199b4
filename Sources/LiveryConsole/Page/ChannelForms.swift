import LiveryClient
import LiveryHTTP
import LiveryPage

/// Copies of what channels hold, in memory, from which their forms are drawn: the schema, and the draft's values in a layer. They are made
/// of the database whenever that is newer, and hold nothing that it does not.
final class ChannelForms: Sendable {
  private static let most = 16
  private let lock = Lock()
  // Guarded by `lock`, the latest last.
  private nonisolated(unsafe) var all: [Copy] = []

  init() {}

  private final class Copy {
    let channel: String
    let store: Store
    let schema: [UInt8]
    var draft = ChannelDraft(revision: .max, settings: [])
    /// What is left out since it is secret by another version of the schema.
    var hidden: [String] = []
    var unfit: [Unfit] = []

    init(_ channel: String, _ store: Store, _ schema: [UInt8]) {
      self.channel = channel
      self.store = store
      self.schema = schema
    }
  }

  /// What a form is drawn from: a store that holds what a draft says, but for what does not fit the schema.
  struct Drawn {
    let store: Store
    let draft: ChannelDraft
    let unfit: [Unfit]
  }

  /// What the draft of a channel says now; nil if there is no schema yet.
  func drawn(_ channel: String, _ model: any ConsoleModel) throws(Refusal) -> Drawn? {
    try lock.withLock { () throws(Refusal) in
      guard let schema = try model.schema() else { return nil }
      let draft = try model.draft(channel)
      let copy = try find(channel, schema)
      let hidden = try model.baredSecrets()
      let isSame = copy.hidden.count == hidden.count && zip(copy.hidden, hidden).allSatisfy { $0.sameBytes(as: $1) }
      if copy.draft.revision != draft.revision || !isSame {
        copy.draft.revision = .max
        copy.unfit = try fill(copy, draft, model, without: hidden)
        (copy.draft, copy.hidden) = (draft, hidden)
      }
      return Drawn(store: copy.store, draft: draft, unfit: try model.shown(copy.unfit))
    }
  }

  /// Makes it anew when it is needed next: what was saved in it is not what was kept.
  func forget(_ channel: String) {
    lock.withLock { for copy in all where copy.channel.sameBytes(as: channel) { copy.draft.revision = .max } }
  }

  private func find(_ channel: String, _ schema: [UInt8]) throws(Refusal) -> Copy {
    if let place = all.firstIndex(where: { $0.channel.sameBytes(as: channel) }) {
      let copy = all.remove(at: place)
      if copy.schema == schema {
        all.append(copy)
        return copy
      }
    }
    if all.count >= ChannelForms.most { all.removeFirst() }
    do throws(StoreError) {
      // Of another schema it is another one.
      var options = Store.Options()
      options.create = true
      options.inMemory = true
      options.automaticBackup = .never
      let store = try Store(path: "console-\(Piece.part(channel))-\(fingerprint(schema))", options: options)
      if let error = store.applySchema(schema).error { throw error }
      let copy = Copy(channel, store, schema)
      all.append(copy)
      return copy
    } catch { throw Refusal(.busy, "The form cannot be drawn: \(error.message)") }
  }

  /// - Returns: what does not fit the schema any more, which is left out, and what the form has no row for.
  private func fill(
    _ copy: Copy, _ draft: ChannelDraft, _ model: any ConsoleModel, without hidden: [String]
  ) throws(Refusal) -> [Unfit] {
    func isHidden(_ setting: DraftSetting) -> Bool { hidden.contains { $0.sameBytes(as: setting.name) } }
    let left = draft.settings.filter { isHidden($0) && $0.value != nil }.map {
      Unfit(name: $0.name, problem: "another version of the schema calls it a secret")
    }
    do throws(StoreError) {
      let unfit = left + (try copy.store.fill(draft.settings.filter { !isHidden($0) }) { try? model.asset($0) })
      return unfit + (try rowless(draft, copy.store, besides: unfit))
    } catch { throw Refusal(.busy, "The form cannot be drawn.") }
  }

  /// What an open schema takes and does not declare, or declares to be hidden. Brands have a form of their own.
  private func rowless(_ draft: ChannelDraft, _ store: Store, besides unfit: [Unfit]) throws(StoreError) -> [Unfit] {
    let names = SettingNames(try store.form())
    return draft.settings.filter { (setting) in
      !names.has(setting.name) && setting.name.after("branding.") == nil
        && !unfit.contains { $0.name.sameBytes(as: setting.name) }
    }.map { Unfit(name: $0.name, problem: "it has no row in the form, and the verb \($0.verb)") }
  }

  /// What the draft of a channel says, by one request after what it has changed itself.
  final class Latest: Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private nonisolated(unsafe) var held: ChannelDraft

    init(_ draft: ChannelDraft) {
      held = draft
    }

    var draft: ChannelDraft {
      get { lock.withLock { held } }
      set { lock.withLock { held = newValue } }
    }
  }

  /// For the titles and values of settings.
  func titles(_ model: any ConsoleModel) throws(Refusal) -> FramedForm? {
    guard let store = try drawn("fleet", model)?.store else { return nil }
    let frame = Frame(
      root: "", verbs: [], usual: "", label: "", verb: { _ in "" }, revision: { 0 }, take: { _ in }, above: { "" },
      document: { _, _, main, _ in main })
    return FramedForm(store, .ofDrafts, frame, isReadOnly: true)
  }
}
