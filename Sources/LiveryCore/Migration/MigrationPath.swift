/// Where a step works: a setting, a member inside each item of a list, as in `playlist[].duration`, or each item itself, as
/// in `tags[]`. Lists nest.
public struct MigrationPath: Sendable {
  /// The lists on the way, outermost first: a setting, then members of items; none for a setting.
  public let lists: [String]
  /// The setting, or the member of the innermost list's items; empty for the items themselves.
  public let name: String

  init(lists: [String], name: String) {
    self.lists = lists
    self.name = name
  }

  /// Throws `.invalidArgument`, saying what is wrong.
  init(_ text: String) throws(StoreError) {
    var parts: [[UInt8]] = [[]]
    /// Whether a part is an item itself, which has no name.
    var areItems = [false]
    let bytes = text.bytes
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "["), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "]") {
        let next = index + 2 < bytes.count ? bytes[index + 2] : nil
        guard next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[") else {
          throw StoreError(
            .invalidArgument, "after `[]` there is a point and a member, as in `list[].member`, or nothing")
        }
        parts.append([])
        areItems.append(next != UInt8(ascii: "."))
        index += next == UInt8(ascii: ".") ? 3 : 2
      } else {
        parts[parts.count - 1].append(bytes[index])
        index += 1
      }
    }
    guard parts.count <= Value.maximumDepth else {
      throw StoreError(.invalidArgument, "lists nest deeper than \(Value.maximumDepth)")
    }
    var names: [String] = []
    for (part, isItem) in zip(parts, areItems) {
      let name = String(decoding: part, as: UTF8.self)
      if !isItem || !part.isEmpty { try checkName(name) }
      names.append(name)
    }
    self.init(lists: Array(names.dropLast()), name: names[names.count - 1])
  }

  /// The setting that the path is, or is in.
  public var root: String { lists.first ?? name }

  public var text: String {
    var text = root
    for part in lists.isEmpty ? [] : lists.dropFirst() + [name] { text += part.isEmpty ? "[]" : "[].\(part)" }
    return text
  }

  /// The path of another name in the same place.
  func sibling(_ name: String) -> MigrationPath {
    MigrationPath(lists: lists, name: name)
  }

  /// Where the path's value is once a step has renamed it, or a list on the way to it.
  func following(_ step: MigrationStep) -> MigrationPath {
    guard case .rename(let from, let into) = step.action, step.lists.count <= lists.count,
      step.lists.isSame(as: Array(lists.prefix(step.lists.count)))
    else { return self }
    var lists = lists
    if step.lists.count == lists.count {
      return name.sameBytes(as: from) ? sibling(into) : self
    }
    guard lists[step.lists.count].sameBytes(as: from) else { return self }
    lists[step.lists.count] = into
    return MigrationPath(lists: lists, name: name)
  }
}

extension [String] {
  func isSame(as other: [String]) -> Bool {
    guard count == other.count else { return false }
    for index in indices where !self[index].sameBytes(as: other[index]) { return false }
    return true
  }

  /// "`a`, `b`"
  var quoted: String {
    var text = ""
    for name in self { text += text.isEmpty ? "`\(name)`" : ", `\(name)`" }
    return text
  }
}
