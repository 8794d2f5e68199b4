import CLivery
import CPage
import LiveryClient

/// A page that is being served.
final class Page: @unchecked Sendable {
  static let handles = Handles<Page>(kind: 0x50, noun: "page")

  struct Options: Sendable {
    var layer = Layer.user
    var showsHidden = false
    var isReadOnly = false
    var locale: String?
    var title: String?
    var pinSetting: String?
    var isDispatched = false
    var server = Server.Options()

    /// - Throws: `.invalidArgument`.
    func check() throws(StoreError) {
      guard layer != .defaults, layer != .override else {
        throw StoreError(.invalidArgument, "a page does not edit the layer `\(layer)`")
      }
      guard (10...86_400).contains(server.idle) else {
        throw StoreError(.invalidArgument, "idle is \(server.idle) seconds, and not from 10 to 86400")
      }
    }
  }

  let store: Store
  let options: Options
  private let finished: @Sendable (Finished) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var server: Server?
  private var observation: Observation?
  private var handle: OpaquePointer?
  /// The last form of each language that was asked for, the latest last.
  private var forms: [(locale: String, form: Form)] = []
  private var drawn: [String] = []

  init(_ store: Store, _ options: Options, _ finished: @escaping @Sendable (Finished) -> Void) {
    self.store = store
    self.options = options
    self.finished = finished
  }

  /// Starts serving; the handle to give out.
  func start() throws(StoreError) -> OpaquePointer {
    // What cannot be edited is found here, and not when the first person has typed something.
    if !options.isReadOnly { try store.change(options.layer).discard() }
    let handle = try Page.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) {
      let gate = options.pinSetting == nil ? Gate() : Gate(pinHash: { self.pinHash })
      var serving = options.server
      serving.open = ["/style.css", "/brand.css", "/script.js", "/worker.js"]
      let server = try Server.start(serving, gate: gate, answer: { self.answer($0) }, ended: { self.end($0, $1) })
      lock.withLock { self.server = server }
      let observation = try store.observe(onEnd: { self.end() }) { self.show($0) }
      lock.withLock { self.observation = observation }
      return handle
    } catch {
      end()
      throw error
    }
  }

  private var pinHash: String? { try? store.string(options.pinSetting ?? "") }

  func address() throws(StoreError) -> String {
    guard let server = lock.withLock({ server }) else { throw StoreError(.closed, "the page was stopped") }
    return server.makeLink()
  }

  /// Twice is fine, also at once.
  func stop() {
    lock.withLock { observation }?.cancel()
    end()
  }

  /// The last reference to what refers to this goes with it.
  private func end() {
    let (server, handle) = lock.withLock { () -> (Server?, OpaquePointer?) in
      defer {
        self.server = nil
        observation = nil
      }
      return (self.server, self.handle)
    }
    server?.stop()
    Page.handles.remove(handle)
  }

  // MARK: What is shown

  /// The language for a request: what was asked for at the start, or what the browser prefers.
  func locale(for request: Request) -> String {
    if let locale = options.locale { return locale }
    return Languages(request.languages).first ?? "en"
  }

  /// Everything that can be set, as it is now.
  func form(_ locale: String) throws(StoreError) -> Form {
    let revision = try store.revision()
    if let known = lock.withLock({ forms.first { $0.locale.sameBytes(as: locale) } }), known.form.revision == revision {
      return known.form
    }
    let form = Form(
      try store.form(FormOptions(layer: options.layer, locale: locale, includesHidden: options.showsHidden)))
    lock.withLock {
      forms.removeAll { $0.locale.sameBytes(as: locale) }
      if forms.count >= 4 { forms.removeFirst() }
      forms.append((locale, form))
      if drawn.count < 64, !drawn.contains(where: { $0.sameBytes(as: locale) }) { drawn.append(locale) }
    }
    return form
  }

  func parts(_ form: Form, _ words: Words, _ session: Session) -> Parts {
    Parts(
      form: form, layer: options.layer.description, words: words,
      token: "<input type=\"hidden\" name=\"csrf\" value=\"\(session.csrf)\">")
  }

  // MARK: What changes

  /// Tells the browsers which settings look different now.
  private func show(_ events: [Event]) {
    guard let server = lock.withLock({ server }), server.hasStreams else { return }
    var names: [String] = []
    for event in events {
      guard let name = event.name else { return server.send(Page.reload) }
      if !names.contains(where: { $0.sameBytes(as: name) }) { names.append(name) }
      if names.count > 200 { return server.send(Page.reload) }
    }
    for locale in locales {
      guard let form = try? form(locale) else { continue }
      let words = Words(locale)
      var message: [UInt8] = Array("event: rows\n".utf8)
      for name in names {
        guard let element = form.element(name) else { continue }
        let row = Row(element: element, revision: form.revision, layer: options.layer.description, words: words)
        for line in row.html.bytes.split(separator: 10) {
          message += "data: ".utf8
          message += line
          message.append(10)
        }
      }
      message.append(10)
      server.send(message) { $0.notes.locale.sameBytes(as: locale) }
    }
  }

  /// The languages in which forms were drawn.
  private var locales: [String] { lock.withLock { drawn } }

  /// Anything may be different.
  private static let reload = Array("event: all\ndata:\n\n".utf8)

  // MARK: The end

  /// An editing session, when it is over.
  struct Finished: Sendable {
    var reason: Int32
    var first: UInt64
    var last: UInt64
    var names: [String]
  }

  private func end(_ session: Session, _ reason: SessionEnd) {
    let summary = session.notes.summary
    finished(Finished(reason: reason.rawValue, first: summary.first, last: summary.last, names: summary.names))
  }
}

/// The languages that a browser prefers, the best first: Accept-Language of RFC 9110 §12.5.4.
struct Languages {
  var first: String?

  init(_ header: String) {
    var best = 0.0
    for part in header.utf8.split(separator: UInt8(ascii: ",")) {
      let pieces = part.split(separator: UInt8(ascii: ";"))
      guard let tag = pieces.first else { continue }
      let text = String(decoding: tag.filter { $0 != 32 && $0 != 9 }, as: UTF8.self)
      guard Languages.isTag(text) else { continue }
      var weight = 1.0
      for piece in pieces.dropFirst() {
        let digits = piece.filter { $0 != 32 && $0 != 9 }
        guard digits.starts(with: "q=".utf8) else { continue }
        weight = Languages.weight(digits.dropFirst(2))
      }
      if weight > best {
        best = weight
        first = text
      }
    }
  }

  private static func weight(_ text: ArraySlice<UInt8>) -> Double {
    var weight = 0.0
    var place = 1.0
    for (index, byte) in text.enumerated() where (48...57).contains(byte) && index < 5 {
      weight += Double(byte - 48) * place
      place /= 10
    }
    return min(weight, 1)
  }

  /// Letters, digits and hyphens, 2 to 35 of them.
  private static func isTag(_ text: String) -> Bool {
    (2...35).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45
      }
  }
}
