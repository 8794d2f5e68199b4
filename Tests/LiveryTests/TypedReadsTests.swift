import Livery
import Testing

/// Every language reads the same store alike: Tests/Fixtures/typed-reads.json is the table.
@Suite struct TypedReadsTests {
  let temporary = TemporaryStore()

  @Test func theSharedTableHolds() throws {
    let table = try JSON.parse(fixture("typed-reads.json"))
    let store = try temporary.open()
    let schema = try Value(json: #require(table["schema"]), depthLimit: 64).json()
    #expect(store.applySchema(Array(schema.utf8)).error == nil)
    let change = try store.change(.user)
    guard case .object(let values)? = table["values"] else { throw StoreError(.parse, "no values") }
    for member in values {
      let type = try #require(text(member.value["type"]).flatMap { ValueType(name: $0) })
      try change.set(member.key, to: value(#require(member.value["value"]), type))
    }
    try change.commit()

    guard case .array(let cases)? = table["cases"] else { throw StoreError(.parse, "no cases") }
    #expect(cases.count >= 120)
    for item in cases {
      let name = try #require(text(item["name"]))
      let kind = try #require(text(item["read"]))
      let result = Result { () throws(StoreError) in try read(store, name, kind) }
      if let error = text(item["error"]) {
        #expect(throws: StoreError.self, "\(name) as \(kind)") { try result.get() }
        if case .failure(let found) = result { #expect(found.code.description == "LIVERY_ERROR_\(error)") }
        continue
      }
      guard case .success(let found) = result else {
        Issue.record("\(name) as \(kind): \(result)")
        continue
      }
      let type = text(item["type"]).flatMap { ValueType(name: $0) } ?? found.type
      if kind.sameBytes(as: "value") { #expect(found.type == type, "\(name)") }
      var expected = try value(#require(item["expect"]), type)
      if kind.sameBytes(as: "float"), case .double(let number) = expected { expected = .double(Double(Float(number))) }
      #expect(found == expected, "\(name) as \(kind)")
    }
  }

  private func read(_ store: Store, _ name: String, _ kind: String) throws(StoreError) -> Value {
    switch kind {
    case "bool": .bool(try store.bool(name))
    case "int": .int(try store.int(name))
    case "float": .double(Double(try store.float(name)))
    case "double": .double(try store.double(name))
    case "string": .string(try store.string(name))
    case "data": .data(try store.data(name))
    case "url": .url(try store.url(name))
    case "date": .date(try store.date(name))
    case "color": .color(try store.color(name))
    case "list": .list(try store.list(of: name))
    case "object": .object(try store.object(name))
    default: try store.value(name)
    }
  }

  private func text(_ json: JSON?) -> String? {
    guard case .string(let text)? = json else { return nil }
    return text
  }

  private func value(_ json: JSON, _ type: ValueType) throws -> Value {
    let plain = try Value(json: json)
    return try #require(plain.coerced(to: type))
  }
}
