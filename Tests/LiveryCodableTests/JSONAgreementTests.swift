import Foundation
import Livery
import LiveryCodable
import Testing

/// What Foundation makes of JSON is what comes of the same content as a value.
@Suite struct JSONAgreementTests {
  /// A tree of all that JSON spells without a doubt.
  private struct Tree: Codable, Equatable {
    enum Kind: String, Codable { case leaf, branch = "a branch" }
    enum Choice: Codable, Equatable {
      case number(Int)
      case pair(first: String, second: Double?)
      case none
    }
    var kind: Kind
    var flag: Bool
    var number: Int64
    var small: UInt8?
    var fraction: Double
    var single: Float?
    var text: String
    var children: [Tree]
    var byName: [String: Tree]
    var byNumber: [Int: String]
    var choice: Choice?
    var lists: [[Int]]?
  }

  @Test(arguments: 1...100) func whatIsEncodedIsWhatJSONHas(_ seed: UInt64) throws {
    var random = Generator(state: seed)
    let tree = random.tree(3)
    let json = try JSONEncoder().encode(tree)
    let encoded = try ValueEncoder().encode(tree)
    #expect(try encoded == Value(json: JSON.parse(Array(json))))
    #expect(try ValueDecoder().decode(Tree.self, from: encoded) == tree)
    #expect(try encoded == ValueEncoder().encode(JSONDecoder().decode(Tree.self, from: json)))
  }

  @Test(arguments: 1...40) func whatJSONDecoderRefusesIsRefused(_ seed: UInt64) throws {
    var random = Generator(state: seed)
    for _ in 0..<10 {
      let json = random.json(3)
      try agree(Tree.self, json)
      try agree(Tree.Choice.self, json)
      try agree([Int].self, json)
      try agree([String].self, json)
      try agree([String: Int].self, json)
      try agree([String: [Double]].self, json)
      try agree([Bool?].self, json)
      try agree([Int: [UInt8]].self, json)
      try agree([[String: Tree.Kind]].self, json)
    }
    // Trees of which one thing is not as it was.
    let text = try String(decoding: JSONEncoder().encode(random.tree(2)), as: UTF8.self)
    for (old, new) in [
      ("\"flag\"", "\"flog\""), ("true", "1"), ("false", "\"no\""), ("leaf", "lief"), (":[", ":[-1,"), ("{", "["),
    ] {
      try agree(Tree.self, text.replacing(old, with: new, maxReplacements: 1))
    }
  }

  private func agree<T: Codable & Equatable>(_ type: T.Type, _ json: String) throws {
    // What is no JSON is no value.
    guard let value = try? Value(json: JSON.parse(Array(json.utf8))) else { return }
    let expected = Result { try JSONDecoder().decode(type, from: Data(json.utf8)) }
    let found = Result { try ValueDecoder().decode(type, from: value) }
    switch (expected, found) {
    case (.success(let one), .success(let other)): #expect(one == other, "\(json) as \(type)")
    case (.failure(let one as DecodingError), .failure(let other as DecodingError)):
      #expect(kind(one) == kind(other), "\(json) as \(type): \(one), \(other)")
    default: Issue.record("\(json) as \(type): \(expected) and \(found)")
    }
  }

  /// The case, and where: one of several that are missing or wrong is found first.
  private func kind(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context): "mismatch at \(context.codingPath.map(\.stringValue))"
    case .valueNotFound(_, let context): "end at \(context.codingPath.map(\.stringValue))"
    case .keyNotFound(let key, let context): "no \(key.stringValue) at \(context.codingPath.map(\.stringValue))"
    // Foundation does not say where a number does not fit.
    case .dataCorrupted: "corrupt"
    @unknown default: "another error"
    }
  }

  private struct Generator {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }

    mutating func text() -> String { ["", "a", "ä€𝄞", "\"\\\n", "x.y", String(repeating: "long", count: 20)][next(6)] }

    mutating func tree(_ depth: Int) -> Tree {
      var children: [Tree] = []
      var byName: [String: Tree] = [:]
      if depth > 0 {
        for _ in 0..<next(3) { children.append(tree(depth - 1)) }
        for _ in 0..<next(3) { byName[text()] = tree(depth - 1) }
      }
      var byNumber: [Int: String] = [:]
      for _ in 0..<next(3) { byNumber[next(1000) - 500] = text() }
      let choices: [Tree.Choice?] = [
        nil, .number(next(9)), .pair(first: text(), second: next(2) == 0 ? nil : 0.5), Tree.Choice.none,
      ]
      return Tree(
        kind: next(2) == 0 ? .leaf : .branch, flag: next(2) == 0, number: [Int64.min, 0, -1, Int64.max][next(4)],
        small: next(2) == 0 ? nil : UInt8(next(256)), fraction: Double(next(1000)) + 0.25,
        single: next(2) == 0 ? nil : Float(next(1000)) + 0.5, text: text(), children: children, byName: byName,
        byNumber: byNumber, choice: choices[next(4)], lists: next(2) == 0 ? nil : [[], [next(9)], [1, 2]])
    }

    mutating func json(_ depth: Int) -> String {
      let scalars = ["1", "-3", "2.5", "4.0", "300", "true", "false", "\"leaf\"", "\"5\"", "\"\"", "1e20"]
      switch depth == 0 ? 0 : next(3) {
      case 0: return scalars[next(scalars.count)]
      case 1: return "[" + (0..<next(4)).map { _ in json(depth - 1) }.joined(separator: ",") + "]"
      default:
        let names = ["1", "a", "number", "pair", "none", "first", "_0"]
        let keys = Set((0..<next(4)).map { _ in names[next(names.count)] }).sorted()
        return "{" + keys.map { "\"\($0)\":" + json(depth - 1) }.joined(separator: ",") + "}"
      }
    }
  }
}
