import LiveryClient
import LiveryHTTP

/// What a person tries on a brand before anybody else sees it. The session keeps it as it was sent last, and it goes with the
/// session.
struct BrandDraft: Sendable {
  /// An image that was uploaded for it.
  struct Image: Sendable {
    /// Of the setting.
    var name: String
    var bytes: [UInt8]
    /// As `livery_asset_describe` in C tells.
    var info: Value

    var id: String { info["id"]?.text ?? "" }
  }

  /// The most bytes of images.
  private static let limit = 16 << 20

  /// What was typed, with the revisions that the person has seen.
  var typed: Draft
  private(set) var images: [Image] = []

  /// - Parameter former: what was sent before, whose images stay.
  init(_ request: Request, after former: BrandDraft?, _ words: Words) {
    typed = Draft(request.fields)
    for image in former?.images ?? [] where typed.fields["r:" + image.name] == nil { images.append(image) }
    for file in request.files where !file.bytes.isEmpty {
      guard let name = file.name.after("f:") else { continue }
      images.removeAll { $0.name.sameBytes(as: name) }
      do throws(StoreError) {
        let kept = images.reduce(0) { $0 + $1.bytes.count }
        guard kept + file.bytes.count <= BrandDraft.limit else { throw StoreError(.invalidValue, words[.tooMuch]) }
        images.append(Image(name: name, bytes: file.bytes, info: try Assets.describe(file.bytes)))
      } catch {
        typed.errors[Array(name.utf8)] = error.message
      }
    }
  }

  func image(_ name: String) -> Image? { images.first { $0.name.sameBytes(as: name) } }

  func image(id: String) -> Image? { images.first { $0.id.sameBytes(as: id) } }

  /// As if they came with the request that saves.
  var uploads: [Upload] { images.map { Upload(name: "f:" + $0.name, fileName: "", bytes: $0.bytes) } }
}

extension Page {
  /// What a draft would make of the brand in effect, and what would be wrong with that; and the draft with what is wrong with
  /// itself, which is left out.
  func look(at draft: BrandDraft, _ form: Form) throws(StoreError) -> (brand: Value, report: Value, typed: Draft) {
    var typed = draft.typed
    let change = try store.change(options.layer)
    defer { change.discard() }
    for name in typed.names {
      guard let element = form.element(name), element.isEditable, typed.decision(name) != .theirs else {
        continue
      }
      if let image = draft.image(name) {
        try change.set(name, to: .image(try change.put(image.bytes)))
      } else if !element.holdsFile, let text = typed.typed(element) {
        if let problem = problem(element, text) {
          typed.errors[Array(name.utf8)] = problem.message
          typed.constraints[Array(name.utf8)] = problem.constraint
        } else if isEmptied(element, text) {
          try change.reset(name)
        } else {
          try change.set(name, to: element.value(for: text))
        }
      }
    }
    let found = try change.brand()
    return (found.brand, found.report, typed)
  }

  /// The colors and images of the brand as settings: the six colors, the two images and whatever else there is, without what
  /// the schema hides.
  ///
  /// - Parameter form: that of the schema, which may declare some of them.
  func brandForm(_ form: Form) throws(StoreError) -> Form {
    let revision = try store.revision()
    let brand = try store.branding.get()
    let items = try store.list("branding.**").items ?? []
    let hidden = try hiddenForm(form, items)
    var elements: [Element] = []
    func add(_ kind: Element.Kind, _ prefix: String, _ title: String) {
      let name = prefix + title
      guard !elements.contains(where: { $0.name.sameBytes(as: name) }) else { return }
      var element = Element(kind: kind)
      if let declared = form.element(name) {
        guard declared.kind == kind else { return }
        element = Element.told(declared.source) ?? element
      } else if hidden?.element(name) != nil {
        return
      } else if let item = items.first(where: { $0["name"]?.text?.sameBytes(as: name) ?? false }) {
        guard !(item["secret"]?.isTrue ?? false) else { return }
        element.value = item["value"]
        element.layer = item["layer"]?.text
        element.isSet = item["value"] != nil
        let isEnforced = element.layer?.sameBytes(as: Layer.enforced.description) ?? false
        if isEnforced, options.layer < .enforced { element.obstacle = .locked(by: Layer.enforced.description) }
      } else if (try? store.inspect(name))?["alias"] != nil {
        // An old name of one that the schema declares, which decides on it.
        return
      }
      element.name = name
      element.title = title
      // A draft changes values, and takes none away.
      element.hasOwnValue = false
      if options.isReadOnly { element.obstacle = .readOnly }
      elements.append(element)
    }
    for role in BrandDrawing.roles { add(.color, "branding.color.", role) }
    for color in brand.members("colors") { add(.color, "branding.color.", color.key) }
    for image in ["logo", "background"] { add(.image, "branding.image.", image) }
    for image in brand.members("images") { add(.image, "branding.image.", image.key) }
    return Form(elements, revision: revision)
  }

  /// The form with what the schema hides, if some of these settings may be hidden: those that it declares are among them.
  private func hiddenForm(_ form: Form, _ items: [Value]) throws(StoreError) -> Form? {
    let isAnyMissing = items.contains { (item) in item["name"]?.text.map { form.element($0) == nil } ?? false }
    guard isAnyMissing, !options.showsHidden else { return nil }
    return Form(try store.form(FormOptions(layer: options.layer, includesHidden: true)), isReadOnly: options.isReadOnly)
  }
}
