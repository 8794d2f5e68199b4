import LiveryClient
import LiveryHTTP

/// A body that is an object of JSON, whose members are asked for by name.
struct Body {
  private let members: [Value.Member]
  /// Where the object is in what was sent, as a JSON pointer.
  private let place: String

  /// - Parameter names: the members that there may be.
  init(_ request: Request, _ names: [String]) throws(Problem) {
    try Body.check(request, isJSON: true)
    let value: Value
    do throws(StoreError) { value = try Value(json: request.body) } catch {
      throw Problem(400, "The body is not JSON that can be taken: \(error.message)")
    }
    try self.init(value, names, at: "")
  }

  /// An object within a body.
  init(_ value: Value, _ names: [String], at place: String) throws(Problem) {
    guard case .object(let members) = value else { throw Problem(422, "It has to be an object.", at: place) }
    for member in members where !names.contains(where: { $0.sameBytes(as: member.key) }) {
      throw Problem(422, "There is no such member.", at: Pointer.adding(member.key, to: place))
    }
    self.members = members
    self.place = place
  }

  /// What kind of body it says that it is.
  static func check(_ request: Request, isJSON: Bool) throws(Problem) {
    let type = request.head.contentType.map { $0[...].cut(at: .semicolon).before.trimmed }
    if isJSON {
      guard type?.isSame("application/json") == true else { throw Problem(415, "The body has to be application/json.") }
    } else {
      guard type?.isSame("application/octet-stream") == true || type?.begins(with: "image/") == true else {
        throw Problem(415, "The body has to be image/… or application/octet-stream.")
      }
    }
  }

  func pointer(_ key: String) -> String { Pointer.adding(key, to: place) }

  private func member(_ key: String) -> Value? {
    for member in members where member.key.sameBytes(as: key) { return member.value }
    return nil
  }

  func valueIfAny(_ key: String) -> Value? { member(key) }

  func textIfAny(_ key: String) throws(Problem) -> String? {
    guard let value = member(key) else { return nil }
    return try Body.text(value, at: pointer(key))
  }

  func text(_ key: String) throws(Problem) -> String {
    guard let text = try textIfAny(key) else { throw Problem(422, "It is missing.", at: pointer(key)) }
    return text
  }

  private static func text(_ value: Value, at pointer: String) throws(Problem) -> String {
    guard case .string(let text) = value, !text.utf8.contains(0) else {
      throw Problem(422, "It has to be a text without NUL.", at: pointer)
    }
    return text
  }

  func intIfAny(_ key: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let value = member(key) else { return nil }
    return try Body.int(value, range, at: pointer(key))
  }

  private static func int(_ value: Value, _ range: ClosedRange<Int64>, at pointer: String) throws(Problem) -> Int64 {
    var found: Int64?
    // 1.0 is a whole number, too.
    switch value {
    case .int(let number): found = number
    case .double(let number): found = Int64(exactly: number)
    default: break
    }
    guard let found, range.contains(found) else {
      throw Problem(
        422, "It has to be a whole number from \(range.lowerBound.description) to \(range.upperBound.description).",
        at: pointer)
    }
    return found
  }

  func itemsIfAny(_ key: String) throws(Problem) -> [Value]? {
    guard let value = member(key) else { return nil }
    guard case .list(let items) = value else { throw Problem(422, "It has to be a list.", at: pointer(key)) }
    return items
  }

  func items(_ key: String) throws(Problem) -> [Value] {
    guard let items = try itemsIfAny(key) else { throw Problem(422, "It is missing.", at: pointer(key)) }
    return items
  }

  func textsIfAny(_ key: String) throws(Problem) -> [String]? {
    guard let items = try itemsIfAny(key) else { return nil }
    var texts: [String] = []
    for (index, item) in items.enumerated() {
      texts.append(try Body.text(item, at: Pointer.adding(index.description, to: pointer(key))))
    }
    return texts
  }

  func intsIfAny(_ key: String, _ range: ClosedRange<Int64>) throws(Problem) -> [Int]? {
    guard let items = try itemsIfAny(key) else { return nil }
    var numbers: [Int] = []
    for (index, item) in items.enumerated() {
      numbers.append(Int(try Body.int(item, range, at: Pointer.adding(index.description, to: pointer(key)))))
    }
    return numbers
  }
}
