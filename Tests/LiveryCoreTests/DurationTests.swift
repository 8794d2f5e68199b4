import LiveryCore
import Testing

struct DurationTests {
  @Test(arguments: [
    (Duration.seconds(5), 5, 5000), (.milliseconds(1999), 1, 1999), (.microseconds(999), 0, 0), (.zero, 0, 0),
    (.seconds(-1), 0, 0), (.milliseconds(-1), 0, 0), (.seconds(Int64.max), UInt64(Int64.max), .max),
  ])
  func whatIsLessThanOneDoesNotCountAndNothingOverflows(_ duration: Duration, seconds: UInt64, milliseconds: UInt64) {
    #expect(duration.wholeSeconds == seconds)
    #expect(duration.wholeMilliseconds == milliseconds)
  }
}
