import LiveryHTTP

/// The fields of a request by their names: a form may have thousands.
struct FieldTable: Sendable {
  private var places: [[UInt8]: [Int]] = [:]
  private let all: [(name: String, value: String)]

  init(_ fields: Fields) {
    all = fields.all
    for (place, field) in all.enumerated() { places[Array(field.name.utf8), default: []].append(place) }
  }

  /// The values of one name, in the order in which they came.
  func values(_ name: String) -> [String] { (places[Array(name.utf8)] ?? []).map { all[$0].value } }

  subscript(name: String) -> String? {
    @inline(never) get { places[Array(name.utf8)].flatMap { $0.first }.map { all[$0].value } }
  }

  /// The names that begin with a prefix, without it.
  func names(after prefix: String) -> [String] { all.compactMap { $0.name.after(prefix) } }
}
