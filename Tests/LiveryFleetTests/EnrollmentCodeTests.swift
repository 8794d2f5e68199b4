import LiveryClient
import Testing

@testable import LiveryFleet

@Suite struct EnrollmentCodeTests {
  @Test func aCodeComesBackAndIsShortEnoughForAScanner() throws {
    let text = try code.encoded()
    #expect(text.utf8.count <= 250)
    #expect(try EnrollmentCode.decode(text) == code)
    #expect(try EnrollmentCode.decode(" \t\(text)\r\n") == code)
    #expect(try EnrollmentCode.decode(text).encoded() == text)
    var longest = code
    longest.url = "https://" + String(repeating: "a", count: 92)
    longest.fleet = String(repeating: "f", count: 32)
    longest.expires = Limit.time
    #expect(try longest.encoded().utf8.count <= 250)
    #expect(try EnrollmentCode.decode(longest.encoded()) == longest)
    longest.url += "a"
    #expect(reason { try longest.encoded() } == .malformed)
  }

  @Test(arguments: ["http://10.0.0.1:8080", "https://[fe80::1]/a%20b", "https://example.com/a/b"])
  func addressesOfAllKindsFit(_ url: String) throws {
    var other = code
    other.url = url
    #expect(try EnrollmentCode.decode(other.encoded()) == other)
  }

  @Test(arguments: [
    "", "https://", "https:///a", "ftp://a", "https://a/", "https://a?b", "https://a#b", "https://u@a", "HTTPS://a",
    "https://a b",
    "https://é",
  ])
  func whatIsNoAddressIsRefused(_ url: String) {
    var other = code
    other.url = url
    #expect(reason { try other.encoded() } == .malformed)
  }

  @Test func anyOneCharacterThatIsMisreadIsFound() throws {
    let text = Array(try code.encoded().utf8)
    for index in text.indices {
      for other in [UInt8(ascii: "a"), UInt8(ascii: "B"), UInt8(ascii: "0"), UInt8(ascii: "%"), UInt8(ascii: "&")]
      where other != text[index] {
        var wrong = text
        wrong[index] = other
        #expect(reason { try EnrollmentCode.decode(String(decoding: wrong, as: UTF8.self)) } != nil)
      }
      #expect(reason { try EnrollmentCode.decode(String(decoding: text[..<index], as: UTF8.self)) } != nil)
    }
  }

  @Test func whatIsWrongIsSaid() throws {
    let text = try code.encoded()
    func message(_ text: String) -> String? {
      do throws(FleetError) {
        _ = try EnrollmentCode.decode(text)
        return nil
      } catch { return error.message }
    }
    #expect(message("https://example.com")?.contains("no enrollment code") == true)
    #expect(message("livery:2?x")?.contains("kind") == true)
    #expect(message(text.replacing("f=kiosks", with: "f=kiosk"))?.contains("check") == true)
    #expect(message(String(repeating: "a", count: 251))?.contains("too long") == true)
    #expect(reason { try EnrollmentCode.decode("livery:2?x") } == .unsupported)
  }

  /// The check alone does not make a code: what is in it has one form, too.
  @Test func anotherWayToWriteTheSameIsRefused() throws {
    let text = try code.encoded()
    let body = String(text.dropLast(9))
    func checked(_ body: String) -> String {
      body + "&c="
        + String(decoding: Base64URL.encode(Crypto.hash(Array(body.utf8)).prefix(5)).prefix(6), as: UTF8.self)
    }
    #expect(try EnrollmentCode.decode(checked(body)) == code)
    for other in [
      body.replacing("https://", with: "https%3A%2F%2F"), body.replacing("e=1", with: "e=01"), body + "&x=1",
      body.replacing("&f=", with: "&F="), body.replacing("t=A", with: "t=+"),
      body.replacing("e=1", with: "e=" + String(repeating: "9", count: 24)), body.replacing("&e=", with: "&e=-"),
    ] {
      #expect(other != body)
      #expect(reason { try EnrollmentCode.decode(checked(other)) } == .malformed)
    }
  }
}
