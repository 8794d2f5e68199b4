import LiveryClient
import LiveryHTTP

/// What stands around a form that is a part of another site. Its store is a copy for drawing: what is saved there is handed on.
package struct Frame: Sendable {
  /// What is to become of a setting beside having a value, as the person chooses it in its row.
  package struct Verb: Sendable {
    package var name: String
    package var title: String
    /// Without one the value goes.
    package var holdsValue: Bool

    package init(_ name: String, _ title: String, holdsValue: Bool) {
      self.name = name
      self.title = title
      self.holdsValue = holdsValue
    }
  }

  /// A setting that was saved.
  package struct Change: Sendable {
    package var name: String
    package var verb: String
    /// nil if the verb holds none.
    package var value: Value?
  }

  /// With what the addresses of the form begin, such as `/channels/lobby/form`.
  package var root: String
  /// The first is that of settings of which nothing is said.
  package var verbs: [Verb]
  /// The verb of a value that is typed where none is chosen.
  package var usual: String
  /// What the choice is called.
  package var label: String
  /// The verb of a setting as it is now.
  package var verb: @Sendable (_ name: String) -> String
  /// Of all that is set, as it is now: for settings whose controls do not show what they hold.
  package var revision: @Sendable () -> UInt64
  /// Takes what was saved, or throws: then nothing is.
  package var take: @Sendable ([Change]) throws(StoreError) -> Void
  /// Stands above everything else in the part that changes.
  package var above: @Sendable () -> HTML
  /// A whole document around that part.
  package var document: @Sendable (_ title: String, _ navigation: HTML, _ main: HTML, _ request: Request) -> HTML

  package init(
    root: String, verbs: [Verb], usual: String, label: String, verb: @escaping @Sendable (_ name: String) -> String,
    revision: @escaping @Sendable () -> UInt64,
    take: @escaping @Sendable ([Change]) throws(StoreError) -> Void, above: @escaping @Sendable () -> HTML,
    document: @escaping @Sendable (_ title: String, _ navigation: HTML, _ main: HTML, _ request: Request) -> HTML
  ) {
    self.root = root
    self.verbs = verbs
    self.usual = usual
    self.label = label
    self.verb = verb
    self.revision = revision
    self.take = take
    self.above = above
    self.document = document
  }

  func holdsValue(_ verb: String) -> Bool { verbs.first { $0.name.sameBytes(as: verb) }?.holdsValue ?? false }

  /// Of what travels with a row: the verb that it showed, and at which revision.
  static func parts(_ mark: String) -> (verb: String, revision: String) {
    let (verb, revision) = Array(mark.utf8)[...].cut(at: UInt8(ascii: "."))
    return (String(decoding: verb, as: UTF8.self), String(decoding: revision ?? [], as: UTF8.self))
  }

  func title(_ verb: String) -> String { verbs.first { $0.name.sameBytes(as: verb) }?.title ?? verb }
}

/// A form in a frame, for one request after the other.
package struct FramedForm: Sendable {
  private let page: Page

  /// - Parameters:
  ///   - store: a copy for drawing.
  ///   - layer: that of its layers which has what is set.
  ///   - isReadOnly: whether it can be looked at alone.
  package init(_ store: Store, _ layer: Layer, _ frame: Frame, isReadOnly: Bool) {
    var options = Page.Options()
    options.layer = layer
    options.frame = frame
    options.isReadOnly = isReadOnly
    options.locale = "en"
    page = Page(store, options) { _ in }
  }

  /// Answers a request whose path has lost what the frame's addresses begin with.
  ///
  /// - Parameter notes: what is known of the person, such as the draft of a brand.
  package func answer(_ request: Request, _ visitor: any Visitor, _ notes: SessionNotes) -> Response {
    page.answer(request, Guest(visitor: visitor, notes: notes))
  }

  /// What a setting is called; its name if it is not in the form.
  package func title(of name: String) -> String {
    guard let element = try? page.form("en").element(name), !element.title.isEmpty else { return name }
    return element.title
  }

  /// A value of a setting for reading, without what makes it a secret.
  package func shown(_ name: String, _ value: Value?) -> String {
    guard let value else { return "–" }
    guard let element = try? page.form("en").element(name) else { return Parts.cut(value.plain) }
    switch element.kind {
    case .secret: return "•••"
    case .list, .data: return Parts.cut(value.plain)
    default: return Parts.cut(Row.display(element, element.shown(value), Words("en")))
    }
  }
}

/// Who looks at a form.
struct Guest: Sendable {
  var visitor: any Visitor
  var notes: SessionNotes

  /// Tells sessions apart.
  var id: UInt64 { (visitor as? Session)?.id ?? 0 }
}

// What is sent to browsers as it is.
extension FramedForm {
  package static var style: Response { Page.style }
  package static var script: Response { Page.script }
  package static var worker: Response { Page.worker }
}

// What a row asks beside the value.
extension Row {
  var verb: HTML {
    guard let frame else { return "" }
    let now = frame.verb(element.name)
    guard element.isEditable else {
      return now.isEmpty ? "" : "<p class=\"control\"><span class=\"chip\">\(frame.title(now))</span></p>"
    }
    let mark = "\(now).\(frame.revision())"
    let (sent, seen) = (draft?.fields["w:" + element.name] ?? now, draft?.fields["z:" + element.name] ?? mark)
    let chosen = isInConflict && sent.sameBytes(as: Frame.parts(seen).verb) ? now : sent
    let shown = isInConflict ? mark : seen
    var html: HTML = """
      <p class="control"><label for="w\(id)">\(frame.label)<span class="unseen">: \(element.title)</span></label> \
      <select id="w\(id)" class="verb" name="w:\(element.name)">
      """
    for verb in frame.verbs {
      html += "<option value=\"\(verb.name)\"\(" selected", if: verb.name.sameBytes(as: chosen))>\(verb.title)</option>"
    }
    html += "</select><input type=\"hidden\" name=\"z:\(element.name)\" value=\"\(shown)\"></p>"
    return html
  }
}
