import CLivery
import LiveryClient
import LiveryHTTP

/// A page that is being served.
final class Page: @unchecked Sendable {
  static let handles = Handles<Page>(kind: 0x50, noun: "page")

  struct Options: Sendable {
    var layer = Layer.user
    var showsHidden = false
    var isReadOnly = false
    var showsPrompts = false
    /// A tag of BCP 47.
    var locale: String?
    var title: String?
    var pinSetting: String?
    var isDispatched = false
    /// After how many seconds without a sign of life a session ends.
    var idle = 300
    /// Where the form is a part of another site, which serves it.
    var frame: Frame?
    var server = Server.Options()

    /// - Throws: `.invalidArgument`.
    func check() throws(StoreError) {
      guard layer != .defaults, layer != .override else {
        throw StoreError(.invalidArgument, "a page does not edit the layer `\(layer)`")
      }
      guard (10...86_400).contains(idle) else {
        throw StoreError(.invalidArgument, "idle is \(idle) seconds, and not from 10 to 86400")
      }
    }
  }

  let store: Store
  let options: Options
  /// nil where none are shown.
  let prompts: Prompts?
  let sessions: Sessions
  let gate: Gate
  private let finished: @Sendable (Finished) -> Void
  /// Held while the watch is paused, or goes on, so that the last to look is right.
  private let pausing = Lock()
  private let lock = Lock()
  // Guarded by `lock`.
  private var server: Server?
  private var observation: Observation?
  private var handle: OpaquePointer?
  /// The last form of each language that was asked for, the latest last.
  private var forms: [(locale: String, trial: Int, form: Form)] = []

  init(_ store: Store, _ options: Options, _ finished: @escaping @Sendable (Finished) -> Void) {
    self.store = store
    self.options = options
    prompts = options.showsPrompts ? Prompts() : nil
    self.finished = finished
    sessions = Sessions(idle: options.idle)
    gate = options.pinSetting.map { name in Gate(pinHash: { try? store.string(name) }) } ?? Gate()
  }

  /// Starts serving; the handle to give out.
  func start() throws(StoreError) -> OpaquePointer {
    // What cannot be edited is found here, and not when the first person has typed something.
    if !options.isReadOnly { try store.change(options.layer).discard() }
    if let name = options.pinSetting { try checkPIN(name) }
    if options.showsPrompts { try Prompts.load() }
    let handle = try Page.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) {
      var serving = options.server
      serving.confinement = gate.asksPIN ? nil : "that needs a PIN, which `pin_setting` names"
      let server = try Server.start(serving, site: self)
      lock.withLock { self.server = server }
      let observation = try store.observe(onEnd: { self.end() }) { self.show($0) }
      lock.withLock { self.observation = observation }
      watch()
      try prompts?.open(store) { self.tellOfPrompts() }
      return handle
    } catch {
      end()
      throw error
    }
  }

  /// A setting that may hold a PIN, though it need not hold one yet.
  private func checkPIN(_ name: String) throws(StoreError) {
    do throws(StoreError) { _ = try store.string(name) } catch {
      if error.code == .noValue || error.code == .notFound, canHold(name) { return }
      throw StoreError(
        .invalidArgument, "pin_setting is a text setting with what livery_page_hash_pin() makes: \(error.message)")
    }
  }

  /// Whether a setting without a value may have a hash: a text, or one that is not declared where there is no schema.
  private func canHold(_ name: String) -> Bool {
    do throws(StoreError) {
      let change = try store.change(.user)
      defer { change.discard() }
      try change.set(name, to: .string(PIN.likeHash))
      _ = try change.value(name)
      return true
    } catch {
      // Others than people may set it.
      return error.code == .locked || error.code == .readOnly || error.code == .unavailable
    }
  }

  func address() throws(StoreError) -> String {
    guard let server = lock.withLock({ server }) else { throw StoreError(.closed, "the page was stopped") }
    return "\(server.address)/open/\(gate.makeToken())"
  }

  /// Twice is fine, also at once.
  func stop() {
    // What waits here is asked of somebody else. Where the store is closed, that ends it.
    prompts?.withdraw()
    lock.withLock { observation }?.cancel()
    end()
  }

  /// Whoever comes second waits, too.
  private func end() {
    let (server, handle) = lock.withLock { (self.server, self.handle) }
    prompts?.end()
    let isOver = server?.stop { for session in self.sessions.endAll() { self.end(session, .stopped) } } ?? true
    // Where it could not be stopped, that is to be tried again.
    guard isOver else { return }
    Page.handles.remove(handle)
    // The last reference to what refers to this goes with it.
    let former = lock.withLock { () -> Observation? in
      self.server = nil
      defer { observation = nil }
      return observation
    }
    withExtendedLifetime(former) {}
  }

  // MARK: What is shown

  /// The language for a request: what was asked for at the start, or what the browser prefers of those that there are.
  ///
  /// - Parameters:
  ///   - header: Accept-Language.
  ///   - languages: those that the schema has texts in, where these are shown.
  func locale(_ header: String, of languages: [String] = []) -> String {
    options.locale ?? Languages(header).best(of: languages)
  }

  /// Everything that can be set, as it is now.
  func form(_ locale: String) throws(StoreError) -> Form {
    let revision = try store.revision()
    // What is on trial goes back without a revision.
    let trial = pendingTrial()?["revision"]?.whole ?? 0
    if let known = lock.withLock({ forms.first { $0.locale.sameBytes(as: locale) } }), known.form.revision == revision,
      known.trial == trial
    {
      return known.form
    }
    let form = Form(
      try store.form(FormOptions(layer: options.layer, locale: locale, includesHidden: options.showsHidden)),
      isReadOnly: options.isReadOnly)
    lock.withLock {
      forms.removeAll { $0.locale.sameBytes(as: locale) }
      // So it is with what lasts for a time.
      guard !form.mayExpire else { return }
      if forms.count >= 4 { forms.removeFirst() }
      forms.append((locale, trial, form))
    }
    return form
  }

  func parts(_ form: Form, _ words: Words, _ visitor: any Visitor) -> Parts {
    Parts(
      form: form, layer: options.layer.description, words: words,
      token: "<input type=\"hidden\" name=\"csrf\" value=\"\(visitor.csrf)\">", frame: options.frame)
  }

  // MARK: What changes

  /// Watches the store while somebody listens: what nobody has open does not wake the process.
  func watch() {
    pausing.withLock {
      let (server, observation) = lock.withLock { (self.server, self.observation) }
      try? observation?.setPaused(server?.listeners.isEmpty ?? true)
    }
  }

  /// Tells the browsers which settings look different now.
  private func show(_ events: [Event]) {
    guard let server = lock.withLock({ server }) else { return }
    let listeners = server.listeners
    guard !listeners.isEmpty else { return }
    var names: [String] = []
    for event in events {
      guard let name = event.name, names.count < 200 else { return server.send(Page.all) }
      if !names.contains(where: { $0.sameBytes(as: name) }) { names.append(name) }
    }
    var locales: [String] = []
    for listener in listeners {
      guard let locale = (listener as? Session)?.notes.locale else { continue }
      if !locales.contains(where: { $0.sameBytes(as: locale) }) { locales.append(locale) }
    }
    for locale in locales {
      guard let rows = try? rows(names, locale) else { continue }
      server.send(rows) { ($0 as? Session)?.notes.locale.sameBytes(as: locale) ?? false }
    }
  }

  /// The event that draws settings anew. Its id is the revision that it shows.
  private func rows(_ names: [String], _ locale: String) throws(StoreError) -> [UInt8] {
    let form = try form(locale)
    let words = Words(locale)
    var message: [UInt8] = Array("event: rows\nid: \(form.revision)\n".utf8)
    for name in form.dependents(of: names) {
      guard let element = form.element(name) else { continue }
      let row = Row(element: element, revision: form.revision, layer: options.layer.description, words: words)
      // Empty lines are part of what a text area shows.
      for line in row.html.bytes.split(separator: 10, omittingEmptySubsequences: false) {
        message += "data: ".utf8
        message += line
        message.append(10)
      }
    }
    message.append(10)
    return message
  }

  /// The first event of a stream: up to which revision nothing will be told.
  func greeting() -> [UInt8] {
    let now = "event: now\ndata: \((try? store.revision()) ?? 0)\n\n"
    return Array((prompts.map { now + Page.news(of: $0) } ?? now).utf8)
  }

  /// The event that says that prompts may look different.
  private static func news(of prompts: Prompts) -> String { "event: prompts\ndata: \(prompts.revision)\n\n" }

  private func tellOfPrompts() {
    guard let prompts, let server = lock.withLock({ server }) else { return }
    server.send(Array(Page.news(of: prompts).utf8))
  }

  /// Anything may be different.
  private static let all = Array("event: all\ndata:\n\n".utf8)

  // MARK: The end

  /// An editing session, when it is over.
  struct Finished: Sendable {
    var reason: Int32
    var first: UInt64
    var last: UInt64
    var names: [String]
  }

  /// Ends a session because the person is done.
  func close(_ session: Session) {
    guard sessions.end(session) else { return }
    lock.withLock { server }?.hangUp { $0 === session }
    end(session, .done)
  }

  func end(_ session: Session, _ reason: SessionEnd) {
    let summary = session.notes.summary
    finished(Finished(reason: reason.rawValue, first: summary.first, last: summary.last, names: summary.names))
  }
}
