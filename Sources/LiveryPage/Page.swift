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
  }

  let store: Store
  let options: Options
  private let finished: @Sendable (Finished) -> Void
  private let lock = Lock()
  // Guarded by `lock`.
  private var server: Server?
  private var observation: Observation?
  private var handle: OpaquePointer?
  private var isStopped = false
  /// The last form of each language that was asked for, the latest last.
  private var forms: [(locale: String, form: Form)] = []

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
    do throws(StoreError) {
      let server = try Server(
        options.server, answer: { [unowned(unsafe) self] in answer($0) },
        ended: { [unowned(unsafe) self] in end($0, $1) })
      lock.withLock {
        self.server = server
        self.handle = handle
      }
      var watch = WatchOptions()
      watch.minimumInterval = .milliseconds(10)
      let observation = try store.watch(nil, options: watch, onEnd: { [unowned(unsafe) self] in stop() }) {
        [unowned(unsafe) self] events in show(events)
      }
      lock.withLock { self.observation = observation }
      return handle
    } catch {
      stop()
      Page.handles.remove(handle)
      throw error
    }
  }

  func address() throws(StoreError) -> String {
    guard let server = lock.withLock({ isStopped ? nil : server }) else { throw StoreError(.closed, "the page was stopped") }
    return try server.newLink()
  }

  /// Twice is fine, also at once.
  func stop() {
    let (server, observation, handle) = lock.withLock { () -> (Server?, Observation?, OpaquePointer?) in
      guard !isStopped else { return (nil, nil, nil) }
      isStopped = true
      defer { self.observation = nil }
      return (self.server, self.observation, self.handle)
    }
    server?.stop()
    observation?.cancel()
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
    let form = Form(try store.form(layer: options.layer, hidden: options.showsHidden, locale: locale))
    lock.withLock {
      forms.removeAll { $0.locale.sameBytes(as: locale) }
      if forms.count >= 4 { forms.removeFirst() }
      forms.append((locale, form))
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
    lock.withLock { forms = [] }
    var names: [String] = []
    for event in events {
      guard let name = event.name else { return server.send(Page.reload) }
      if !names.contains(where: { $0.sameBytes(as: name) }) { names.append(name) }
      if names.count > 200 { return server.send(Page.reload) }
    }
    for locale in server.locales {
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
      server.send(message, locale: locale)
    }
  }

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
      && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 }
  }
}
