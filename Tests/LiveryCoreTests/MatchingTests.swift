import LiveryCore
import Testing

@Suite struct MatchingTests {
  private func variants(_ value: Value) throws -> [ImageVariant] { try ImageVariant.all(value) }

  private func traits(_ value: Value) -> Traits {
    var traits = Traits()
    func number(_ key: String) -> Double {
      guard case .double(let number)? = value[key]?.coerced(to: .double) else { return 0 }
      return number
    }
    func word(_ qualifier: Qualifier) -> Int32? {
      guard case .string(let text)? = value[qualifier.description] else { return nil }
      return qualifier.number(of: text)
    }
    traits.scale = number("scale")
    traits.width = number("width")
    traits.height = number("height")
    traits.idiom = word(.idiom).flatMap { Traits.Idiom(rawValue: $0) }
    traits.appearance = word(.appearance).flatMap { Traits.Appearance(rawValue: $0) }
    traits.orientation = word(.orientation).flatMap { Traits.Orientation(rawValue: $0) }
    traits.contrast = word(.contrast).flatMap { Traits.Contrast(rawValue: $0) }
    if case .string(let locale)? = value["locale"] { traits.locale = locale }
    return traits
  }

  @Test func theTableOfTheDocumentedRuleHolds() throws {
    let table = try Value(json: JSON.parse(fixture("branding/matching.json")))
    guard case .list(let cases)? = table["cases"] else { throw StoreError(.parse, "no cases") }
    #expect(cases.count >= 150)
    for item in cases {
      guard case .string(let set)? = item["set"], case .string(let expected)? = item["match"],
        let given = item["traits"],
        let list = table["sets"]?[set]
      else { throw StoreError(.parse, "a malformed case") }
      let variants = try variants(list)
      let match = VariantMatch(variants, traits(given))
      #expect((match.winner.map { variants[$0].reference } ?? "") == expected, "\(set) \(given.json())")
    }
  }

  private func randomVariant(_ generator: inout Seeded, _ number: Int) -> Value {
    var members: [Value.Member] = [.init("image", .string("image\(number % 3)"))]
    func pick(_ key: String, _ choices: [Value]) {
      guard generator.next() % 3 == 0 else { return }
      members.append(.init(key, choices[Int(generator.next() % UInt64(choices.count))]))
    }
    pick("idiom", [.string("phone"), .string("tablet"), .string("tv")])
    pick("appearance", [.string("light"), .string("dark")])
    pick("contrast", [.string("high")])
    pick("orientation", [.string("portrait"), .string("landscape")])
    pick("locale", [.string("de"), .string("de-AT"), .string("fr")])
    pick("width", [.int(300), .int(600)])
    pick("longest", [.int(568), .int(812)])
    pick("aspect", [.string("16:9"), .string("3:4"), .string("4:3")])
    pick("scale", [.int(1), .int(2), .double(1.5)])
    return .object(members)
  }

  private func randomTraits(_ generator: inout Seeded) -> Traits {
    var traits = Traits()
    traits.idiom = Traits.Idiom(rawValue: Int32(generator.next() % 6))
    traits.appearance = Traits.Appearance(rawValue: Int32(generator.next() % 3))
    traits.contrast = Traits.Contrast(rawValue: Int32(generator.next() % 3))
    traits.scale = [0, 1, 2, 3, 1.25][Int(generator.next() % 5)]
    if generator.next() % 2 == 0 {
      traits.width = Double(200 + generator.next() % 1000)
      traits.height = Double(200 + generator.next() % 1000)
    }
    traits.locale = ["", "de", "de-AT", "en"][Int(generator.next() % 4)]
    return traits
  }

  @Test func theRuleIsTotalDeterministicAndDoesNotDependOnOrder() throws {
    var generator = Seeded(state: 42)
    for _ in 0..<2_000 {
      let traits = randomTraits(&generator)
      var list: [Value] = []
      for number in 0..<Int(generator.next() % 8) { list.append(randomVariant(&generator, number)) }
      let some = try variants(.list(list))
      let match = VariantMatch(some, traits)
      // Total: one wins unless all contradict the device, and every other variant is told to have dropped out, once.
      let gone = match.steps.flatMap { $0.dropped }
      #expect(Set(gone).count == gone.count && gone.count == some.count - (match.winner == nil ? 0 : 1))
      #expect(match.winner.map { !gone.contains($0) } ?? true)
      let contradicting = match.steps.filter { $0.isContradiction }.flatMap { $0.dropped }.count
      #expect((match.winner == nil) == (contradicting == some.count))
      // Deterministic.
      #expect(VariantMatch(some, traits).winner == match.winner)
      // Not dependent on order.
      let shuffled = list.shuffled(using: &generator)
      let others = try variants(.list(shuffled))
      let other = VariantMatch(others, traits)
      #expect(other.winner.map { others[$0].value } == match.winner.map { some[$0].value })
      // What drops out may as well not be there.
      if let winner = match.winner, let first = gone.first {
        var rest = list
        rest.remove(at: first)
        let fewer = try variants(.list(rest))
        let again = VariantMatch(fewer, traits)
        #expect(again.winner.map { fewer[$0].value } == some[winner].value)
      }
    }
  }

  @Test func malformedVariantsAreRefusedWithTheirPlace() {
    let bad: [(Value, String)] = [
      (.list([.object([])]), "variant 0: a variant has no member `image`"),
      (.object([.init("image", .int(1))]), "an image is a reference or a URL, not 1"),
      (.object([.init("image", .string("a")), .init("idiom", .string("fridge"))]), "`idiom` cannot be \"fridge\""),
      (.object([.init("image", .string("a")), .init("scale", .int(0))]), "`scale` cannot be 0"),
      (.object([.init("image", .string("a")), .init("aspect", .string("16x9"))]), "`aspect` cannot be \"16x9\""),
      (.object([.init("image", .string("a")), .init("aspect", .string("0:9"))]), "`aspect` cannot be \"0:9\""),
      (.int(5), "an image is a reference or a URL, not 5"),
    ]
    for (value, message) in bad {
      do throws(StoreError) {
        _ = try ImageVariant.all(value)
        Issue.record("\(value.json()) was taken")
      } catch {
        #expect(error.code == .invalidValue)
        #expect(error.message == message)
      }
    }
  }

  @Test func anImageFitsItsScreenWholeAndInTheMiddle() throws {
    let cases: [(Double, Double, Double, Double, Rectangle)] = [
      (100, 50, 200, 200, Rectangle(x: 0, y: 50, width: 200, height: 100)),
      (50, 100, 200, 200, Rectangle(x: 50, y: 0, width: 100, height: 200)),
      (16, 9, 1920, 1080, Rectangle(x: 0, y: 0, width: 1920, height: 1080)),
      (400, 400, 100, 300, Rectangle(x: 0, y: 100, width: 100, height: 100)),
    ]
    for (width, height, wide, high, expected) in cases {
      #expect(Rectangle(fitting: width, height, into: wide, high) == expected)
    }
    for bad in [0, -1, Double.nan, .infinity] {
      #expect(Rectangle(fitting: bad, 1, into: 1, 1) == nil)
      #expect(Rectangle(fitting: 1, 1, into: 1, bad) == nil)
    }
    var generator = Seeded(state: 5)
    for _ in 0..<2_000 {
      let sides = (0..<4).map { _ in Double(1 + generator.next() % 5000) }
      let fitted = try #require(Rectangle(fitting: sides[0], sides[1], into: sides[2], sides[3]))
      #expect(fitted.x >= 0 && fitted.y >= 0 && fitted.width <= sides[2] && fitted.height <= sides[3])
      #expect(fitted.width == sides[2] || fitted.height == sides[3])
      #expect((fitted.width * sides[1] - fitted.height * sides[0]).magnitude < 1e-6 * sides[0] * sides[2])
    }
  }
}

@Suite struct QualifierTests {
  @Test func eachIsKnownByItsName() {
    for qualifier in Qualifier.allCases { #expect(Qualifier(member: qualifier.description) == qualifier) }
    for name in ["", "image", "source", "long", "a", "widths", "Scale", "scal", "aspects", "height "] {
      #expect(Qualifier(member: name) == nil, "\(name)")
    }
  }
}
