import Testing

@testable import LiveryFetch

@Suite struct DateTests {
  /// 2026-11-22T00:00:00Z
  private let now: Int64 = 1_795_305_600

  private func parse(_ text: String) -> Int64? { HTTPDate.parse(Array(text.utf8), now: now) }

  @Test func eachFormTellsTheSameMoment() {
    for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
      #expect(parse(text) == 784_111_777, "\(text)")
    }
  }
}
