import LiveryClient
import Testing

@testable import LiveryWorkflow

@Suite struct MessageTests {
  private static let value = Value.object([
    .init("bool", .bool(true)), .init("int", .int(-5)), .init("double", .double(0.25)), .init("text", .string("ä")),
    .init("data", .data([0, 255])), .init("url", .url("https://example.com/")), .init("image", .image("ab")),
    .init("date", .date(Timestamp(microseconds: 7))), .init("color", .color(Color(red: 0, green: 0.5, blue: 1))),
    .init("list", .list([.bool(false), .list([]), .object([])])),
  ])

  private func copied(_ message: Message) -> Message? { Message(message.bytes[...]) }

  @Test func aMessageArrivesAsItWasSent() {
    guard case .ask(let asked)? = copied(.ask(Self.value)), case .answer(let answered)? = copied(.answer(Self.value))
    else {
      Issue.record("it does not arrive")
      return
    }
    #expect(asked == Self.value)
    #expect(answered == Self.value)
    guard case .verdict(let error?, true)? = copied(.verdict(StoreError(.refused, "no"), retry: true)) else {
      Issue.record("it does not arrive")
      return
    }
    #expect(error.code == .refused && error.message == "no")
    for message in [Message.took, .declined, .dismissed, .end(nil), .verdict(nil, retry: false)] {
      #expect(copied(message)?.bytes == message.bytes)
    }
  }

  @Test func everyPrefixAndEveryChangedByteIsTakenOrRefused() {
    let bytes = Message.ask(Self.value).bytes
    for count in 0..<bytes.count { #expect(Message(bytes[..<count]) == nil) }
    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        if let message = Message(changed[...]) { #expect(Message(message.bytes[...]) != nil) }
      }
    }
  }

  @Test func aLongErrorIsCutOffAtALetter() {
    let message = Message.failed(StoreError(.io, String(repeating: "€", count: 2000)))
    guard case .failed(let error)? = copied(message) else {
      Issue.record("it does not arrive")
      return
    }
    #expect(error.message.utf8.count == 4095 && error.message.unicodeScalars.allSatisfy { $0 == "€" })
  }

  @Test func whatIsTooDeepOrTooLongIsRefused() {
    var deep = Value.list([])
    for _ in 0..<40 { deep = .list([deep]) }
    #expect(copied(.answer(deep)) == nil)
    #expect(copied(.answer(.string(String(repeating: "x", count: Message.limit)))) == nil)
    // A list says that it has more items than there are bytes.
    #expect(Message([1, 9, 10, 255, 255, 255, 255][...]) == nil)
  }
}
