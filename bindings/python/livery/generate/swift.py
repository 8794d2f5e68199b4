"""Accessors in Swift: a struct over bound keys of `import Livery`."""

from __future__ import annotations

from typing import Any, List, Tuple

from .model import Model, Setting
from .names import Names, camel, pascal

TYPES = {"bool": "Bool", "integer": "Int64", "number": "Double", "text": "String", "url": "String", "image": "String",
         "color": "Color", "date": "Timestamp"}
#: What a value of each kind is made with, and taken from.
CASES = {"bool": "bool", "integer": "int", "number": "double", "text": "string", "url": "string", "image": "string",
         "color": "color", "date": "date", "data": "data"}
KEYWORDS = """actor any as associatedtype async await break case catch class continue convenience default defer deinit didSet
do dynamic else enum extension fallthrough false fileprivate final for func get guard if import in indirect infix init
inout internal is isolated lazy let mutating nil nonisolated nonmutating open operator optional override package postfix
precedencegroup prefix private protocol public repeat required rethrows return self set some static store struct subscript super
switch throw throws true try typealias unowned var weak where while willSet version digest bound update observe missing reset
settingValue settingType name unknown hash hashValue description""".split()
#: What no type may be called.
RESERVED = """Bound Store Key BoundKey Value Layer Color Timestamp String Bool Int64 Double UInt8 StoreError SettingValue Observation Event
Update Keys Type Protocol Self Any Error Sendable Equatable Array Optional UInt64 Livery _""".split()


def is_reserved(name: str) -> bool:
  """Whether a type of that name would be none, or hide one of the library's that the file needs."""
  return name in RESERVED


def write(model: Model, name: str, source: str) -> str:
  return _Source(model, name, source).text()


class _Source:
  def __init__(self, model: Model, name: str, source: str) -> None:
    self.model, self.name, self.source = model, name, source
    self.types = Names([name, *RESERVED])
    self.nested: List[str] = []
    #: What bytes in lists are called, once there are any.
    self.bytes = ""

  def text(self) -> str:
    idents, rows = Names(KEYWORDS), []
    for setting in self.model.settings:
      ident = idents.take(camel(setting.name))
      rows.append((setting, ident, self._type(setting, pascal(setting.name))))
    bound = [(setting, ident, kind) for setting, ident, kind in rows if setting.kind != "data"]
    lines = [f"// Made by `livery generate swift` of {line(self.source)}; do not edit.", "", "import Livery", "",
             f"/// {line(self.model.title) or 'The settings'}, version {self.model.version}.",
             f"public struct {self.name}: Sendable {{", "  public let store: Store", "  private let bound: Bound", "",
             "  /// The version of the schema that this was made of.", f"  public static let version: UInt64 = {self.model.version}",
             '  /// What tells it from other schemas of that version.', f'  public static let digest = "{self.model.digest}"', ""]
    lines.append(OPENING.replace("@NAMES@", ", ".join(
      f"({string(setting.name)}, {string(setting.listed)})" for setting, _, _ in rows)).rstrip())
    lines += ["", "  /// The settings by their names, for updates and observers.", "  public enum Keys {"]
    lines += [f"    public static let {ident} = Key<{'Value' if setting.kind == 'data' else kind}>({string(setting.name)})"
              for setting, ident, kind in rows]
    lines += ["  }", "", "  private final class Bound: Sendable {"]
    lines += [f"    let {ident}: BoundKey<{kind}>" for _, ident, kind in bound]
    lines += ["", "    init(_ store: Store) throws(StoreError) {"]
    lines += [f"      {ident} = try store.bound(Keys.{ident})" for _, ident, _ in bound] + ["    }", "  }"]
    for setting, ident, kind in rows:
      read = f"store.data({string(setting.name)})" if setting.kind == "data" else f"bound.{ident}.value"
      lines += ["", *doc(setting, "  "), *deprecated(setting, "  "),
                f"  public var {ident}: {kind} {{ get throws(StoreError) {{ try {read} }} }}"]
      value = ".data(value)" if setting.kind == "data" else "value.settingValue"
      upper = ident[0].upper() + ident[1:]
      lines += [*deprecated(setting, "  "),
                f"  public func set{upper}(_ value: {kind}, in layer: Layer) throws(StoreError) {{",
                f"    try store.set({string(setting.name)}, to: {value}, in: layer)", "  }",
                *deprecated(setting, "  "),
                f"  public func reset{upper}(in layer: Layer) throws(StoreError) {{",
                f"    try store.reset({string(setting.name)}, in: layer)", "  }"]
    return "\n".join(lines + self.nested + ["}", ""])

  def _type(self, setting: Setting, name: str) -> str:
    """The type that holds the setting's value; what is not there yet of it is written."""
    if setting.kind == "data":
      return "[UInt8]"
    if setting.kind in TYPES:
      return TYPES[setting.kind]
    if setting.kind in ("choice", "choices"):
      kind = self._options(setting, self.types.take(name))
      return kind if setting.kind == "choice" else f"[{kind}]"
    if setting.items_are_plain:
      item = self._type(setting.template[0], f"{name}Value")
      return f"[{self._bytes() if item == '[UInt8]' else item}]"
    return f"[{self._record(setting, self.types.take(f'{name}Item'))}]"

  def _bytes(self) -> str:
    """Bytes as an item of a list."""
    if not self.bytes:
      self.bytes = self.types.take("Bytes")
      self.nested.append(BYTES.replace("Bytes:", f"{self.bytes}:"))
    return self.bytes

  def _options(self, setting: Setting, name: str) -> str:
    idents = Names(KEYWORDS)
    rows = [(idents.take(camel(_spelled(option.value))), option) for option in setting.options]
    lines = ["", f"  /// The options of: {line(setting.title)}", f"  public enum {name}: SettingValue, Equatable {{"]
    for ident, option in rows:
      lines += [f"    /// {line(option.title)}", f"    case {ident}"]
    lines += ["    /// An option that was not there when this was made.", "    case unknown(Value)", "",
              "    public init?(_ value: Value) {", "      switch value {"]
    lines += [f"      case {_pattern(option.value)}: self = .{ident}" for ident, option in rows]
    lines += ["      default: self = .unknown(value)", "      }", "    }", "", "    public var settingValue: Value {",
              "      switch self {"]
    lines += [f"      case .{ident}: {_value(option.value)}" for ident, option in rows]
    lines += ["      case .unknown(let value): value", "      }", "    }", "",
              f"    public static var settingType: String {{ {string(name)} }}", "",
              f"    public static func == (left: {name}, right: {name}) -> Bool {{",
              "      left.settingValue.json() == right.settingValue.json()", "    }", "  }"]
    self.nested += lines
    return name

  def _record(self, setting: Setting, name: str) -> str:
    idents = Names(KEYWORDS)
    rows: List[Tuple[Setting, str, str]] = []
    for member in setting.template:
      rows.append((member, idents.take(camel(member.name)), self._type(member, f"{name}{pascal(member.name)}")))
    lines = ["", f"  /// An item of: {line(setting.title)}. What it does not have is nil.",
             f"  public struct {name}: SettingValue, Sendable {{"]
    for member, ident, kind in rows:
      lines += [*doc(member, "    "), *deprecated(member, "    "), f"    public var {ident}: {kind}?"]
    lines += ["", "    public init() {}", "", "    public init?(_ value: Value) {",
              "      guard case .object = value else { return nil }"]
    for member, ident, kind in rows:
      lines.append(f"      if let member = value[{string(member.name)}] {{")
      if kind == "[UInt8]":
        lines += ["        guard case .data(let content) = member else { return nil }"]
      else:
        lines += [f"        guard let content = {_cast(kind)} else {{ return nil }}"]
      lines += [f"        self.{ident} = content", "      }"]
    lines += ["    }", "", "    public var settingValue: Value {",
              f"      {'var' if rows else 'let'} members: [Value.Member] = []"]
    for member, ident, kind in rows:
      content = ".data(content)" if kind == "[UInt8]" else "content.settingValue"
      lines.append(f"      if let content = self.{ident} {{ members.append(Value.Member({string(member.name)}, {content})) }}")
    lines += ["      return .object(members)", "    }", "", f"    public static var settingType: String {{ {string(name)} }}", "  }"]
    self.nested += lines
    return name


def _cast(kind: str) -> str:
  return f"{kind}(member)"


def _spelled(value: Any) -> str:
  if isinstance(value, bool):
    return "yes" if value else "no"
  return f"minus {-value}" if not isinstance(value, str) and value < 0 else str(value)


def _pattern(value: Any) -> str:
  if isinstance(value, bool):
    return f".bool({'true' if value else 'false'})"
  if isinstance(value, str):
    return f".string({string(value)})"
  return f".int({value})" if isinstance(value, int) else f".double({value!r})"


_value = _pattern


def string(text: str) -> str:
  out = []
  for one in text:
    out.append(f"\\{one}" if one in '"\\' else one if one.isprintable() else f"\\u{{{ord(one):x}}}")
  return '"' + "".join(out) + '"'


def line(text: str) -> str:
  """Text in a comment: what is not printable may end one, or turn its direction."""
  return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def doc(setting: Setting, indent: str) -> List[str]:
  return [f"{indent}/// {line(one)}" for one in setting.lines()]


def deprecated(setting: Setting, indent: str) -> List[str]:
  return [f"{indent}@available(*, deprecated, message: {string(line(setting.deprecated))})"] if setting.deprecated else []


BYTES = """
  /// Bytes, as an item of a list.
  public struct Bytes: SettingValue, Equatable {
    public var content: [UInt8]

    public init(content: [UInt8]) { self.content = content }

    public init?(_ value: Value) {
      guard case .data(let content) = value else { return nil }
      self.content = content
    }

    public var settingValue: Value { .data(content) }
    public static var settingType: String { "data" }
  }"""

OPENING = """  /// Binds the settings of a store.
  ///
  /// - Parameter anyVersion: take a store with another schema as well, if that has all settings with their types.
  /// - Throws: `.noValue` if the store has no schema; `.schemaNewer` if it has a higher version, `.conflict` if it has a lower
  ///   one or other content; with `anyVersion` `.notFound`, naming what is missing.
  public init(_ store: Store, anyVersion: Bool = false) throws(StoreError) {
    if try store.schemaDigest() != Self.digest {
      let version = try store.schemaVersion()
      let missing = try Self.missing(in: store)
      var message = "the store's schema is version \\(version) and not that which the program was made for, version \\(Self.version)"
      if !missing.isEmpty { message += "; not there, or of another type: " + missing.joined(separator: ", ") }
      if !anyVersion { throw StoreError(version > Self.version ? .schemaNewer : .conflict, message) }
      if !missing.isEmpty { throw StoreError(.notFound, message) }
    }
    self.store = store
    bound = try Bound(store)
  }

  /// What the store's schema lacks of this, or has with another type.
  public static func missing(in store: Store) throws(StoreError) -> [String] {
    var types: [String: String] = [:]
    if case .list(let items) = try store.list() {
      for item in items {
        if case .string(let name)? = item["name"], case .string(let type)? = item["type"] { types[name] = type }
      }
    }
    let wanted: [(name: String, type: String)] = [@NAMES@]
    return wanted.filter { types[$0.name] != $0.type }.map { $0.name }
  }

  /// Observes one setting: `handler` is given its new value after every commit that changes it; nil if it has none any more.
  /// The observation ends with the last reference to it.
  public func observe<T: SettingValue>(
    _ key: Key<T>, _ handler: @escaping @Sendable (T?) -> Void
  ) throws(StoreError) -> Observation {
    let store = store
    return try store.observe(nil) { events in
      for event in events where event.kind == .resync || event.name == key.name { handler(try? store[key]) }
    }
  }

  /// Changes several settings of a layer as one commit: `try settings.update(.user) { $0[Keys.volume] = 7 }`.
  @discardableResult
  public func update(
    _ layer: Layer, origin: String = "", _ body: (inout Update) throws(StoreError) -> Void
  ) throws(StoreError) -> UInt64 {
    try store.update(layer, origin: origin, body)
  }
"""
