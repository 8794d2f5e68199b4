import CFleet
import LiveryClient
import Testing

@testable import LiveryFleet

/// What a history says of what a console has changed.
@Suite struct AttributionTests {
  private func one(
    _ name: String, _ author: String? = nil, _ comment: String? = nil, in channel: Channel = .fleet
  ) -> Attribution {
    var entry = Manifest.Entry(name, by: author, comment)
    entry.hash = Crypto.hash(Array(name.utf8))
    return Attribution(entry, of: channel)
  }

  private func origin(_ holding: [Attribution], since before: [Attribution] = [], published: [Attribution] = [])
    -> String
  {
    ChangeOrigin.of(holding, since: before) { (hash) in published.contains { $0.hash == hash } }
  }

  @Test func itNamesWhatCameWithWhoHasPublishedItAndWhy() {
    let first = one("p1", "otto")
    #expect(origin([first]) == "sync: p1 by otto")
    #expect(origin([one("p1")]) == "sync: p1")
    #expect(origin([first, one("p2", "eva", "Summer")], since: [first]) == "sync: p2 by eva: Summer")
    #expect(one("p2", "eva", "Summer").origin == "sync: p2 by eva: Summer")
  }

  @Test func severalAreNamedTheStrongestFirstWithoutComments() {
    let found = origin([one("p1", "otto", "a"), one("p2", "eva", "b", in: .group("lobby"))])
    #expect(found == "sync: p2 by eva, p1 by otto")
  }

  @Test func whatIsFollowedByAnotherOfItsChannelIsNotNamed() {
    #expect(origin([one("p2", "eva")], since: [one("p1", "otto")]) == "sync: p2 by eva")
  }

  @Test func whatWasTakenBackIsNamedAsSuch() {
    let (base, rolling) = (one("p1", "otto"), one("p2", "eva", "Summer"))
    #expect(origin([base], since: [base, rolling]) == "sync: withdrawn p2 by eva")
    #expect(origin([base], since: [base, rolling], published: [base, rolling]) == "sync: ended p2 by eva")
    let other = one("p3", "ida", "x", in: .group("lobby"))
    #expect(origin([base, other], since: [base, rolling]) == "sync: p3 by ida, withdrawn p2 by eva")
  }

  @Test func whereNothingHasComeOrGoneItNamesAllThatHold() {
    let (left, right) = (one("p1", "otto"), one("p2", "eva", "x"))
    #expect(origin([left, right], since: [right, left]) == "sync: p2 by eva, p1 by otto")
    #expect(origin([]) == "sync")
  }

  @Test func itIsNeverLongerThanAStoreTakes() {
    let long = String(repeating: "é", count: 32)
    #expect(origin([one("p1", long)]) == "sync: p1 by " + String(repeating: "é", count: 24) + "…")
    let many = (1...9).map { one("p\($0)", "somebody", in: .group("g\($0)")) }
    #expect(origin(many) == "sync: p9 by somebody, p8 by somebody, p7 by somebody, …")
    for length in 1...40 {
      for count in 1...6 {
        let name = String(repeating: "ü", count: min(32, length))
        let made = (1...count).map { one("document-\($0)", name, long, in: .group("g\($0)")) }
        #expect((6...63).contains(origin(made).utf8.count))
        #expect((6...63).contains(made[0].origin.utf8.count))
      }
    }
  }

  @Test func itIsKeptAsItIs() throws {
    let one = one("p1", "Eva Müller", "Summer", in: .group("lobby"))
    #expect(try Attribution(one.value) == one)
    #expect(try Attribution(self.one("p1").value) == self.one("p1"))
    #expect(reason { try Attribution(.object([])) } == .malformed)
  }

  @Test(arguments: [
    ("plain", "plain"), (" a\u{1b}[31mb\r\n\n c ", "a [31mb c"), ("x\u{9b}\u{2028}y", "x y"), ("\u{202e}\n", ""),
    ("Öffnungszeiten", "Öffnu…"),
  ])
  func whatPeopleTypeBecomesALine(_ text: String, _ line: String) {
    let made = Line.of(text, limit: 9)
    #expect(made == (line.isEmpty ? nil : line))
    #expect(made.map { Line.isValid($0) } != false)
  }
}
