/// A schema as people see it: groups, panes and headings around its settings, in its own order.
public struct FormOutline: Sendable {
  public struct Heading: Sendable {
    public var title: String?
    public var description: String?
    public var isHidden = false
  }

  public struct Setting: Sendable {
    public var descriptor: SettingDescriptor
    /// What `descriptor.template` is made of.
    public var template: [Element]
  }

  public enum Element: Sendable {
    case header(Heading)
    indirect case pane(Heading, [Element])
    indirect case setting(Setting)
  }

  public struct Group: Sendable {
    public var heading: Heading
    public var elements: [Element]
  }

  public private(set) var version: Int64 = 0
  public private(set) var title: String?
  public private(set) var groups: [Group] = []
  public private(set) var texts = SchemaTexts()

  /// That of a store without a schema.
  public init() {}

  /// - Parameter text: a schema without errors.
  /// - Throws: `.corrupt` for anything else; `.io` if the library that reads JSON cannot be loaded.
  public init(_ text: [UInt8]) throws(StoreError) {
    let document: JSON
    do throws(StoreError) { document = try JSON.parse(text) } catch {
      guard error.code == .noMemory || error.code == .io else { throw Self.damaged(error.message) }
      throw error
    }
    let compilation = compileSchema(document, text)
    guard let schema = compilation.schema else {
      throw Self.damaged(compilation.diagnostics.first { $0.severity == .error }?.message ?? "")
    }
    version = schema.version
    title = schema.title
    texts = schema.texts
    var settings = schema.settings[...]
    guard case .array(let items)? = document["Groups"] else { return }
    for item in items {
      var heading = Heading(item)
      heading.isHidden = false
      groups.append(Group(heading: heading, elements: Self.elements(item["Settings"], &settings)))
    }
  }

  private static func damaged(_ reason: String) -> StoreError {
    StoreError(.corrupt, "the stored schema is damaged, or too new: \(reason)")
  }

  /// The elements of an array, whose settings are the first of those that were declared.
  private static func elements(_ json: JSON?, _ settings: inout ArraySlice<SettingDescriptor>) -> [Element] {
    guard case .array(let items)? = json else { return [] }
    var elements: [Element] = []
    elements.reserveCapacity(items.count)
    for item in items {
      guard case .string(let type)? = item["Type"] else { continue }
      if type.sameBytes(as: SchemaType.header.name) {
        elements.append(.header(Heading(item)))
      } else if type.sameBytes(as: SchemaType.pane.name) {
        elements.append(.pane(Heading(item), Self.elements(item["Settings"], &settings)))
      } else if let descriptor = settings.popFirst() {
        var members = descriptor.template[...]
        let template = members.isEmpty ? [] : Self.elements(item["ItemTemplate"], &members)
        elements.append(.setting(Setting(descriptor: descriptor, template: template)))
      }
    }
    return elements
  }
}

extension FormOutline.Heading {
  fileprivate init(_ json: JSON) {
    if case .string(let text)? = json["Title"] { title = text }
    if case .string(let text)? = json["Description"] { description = text }
    if case .bool(let flag)? = json["Hidden"] { isHidden = flag }
  }
}
