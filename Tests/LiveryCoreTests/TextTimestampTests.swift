import LiveryCore
import Testing

@Suite struct TextTimestampTests {
  private func seconds(_ text: String) -> Double? {
    Timestamp(rfc3339: text).map { Double($0.microseconds) / 1e6 }
  }

  @Test func datesOfTheStandardAreRead() {
    #expect(seconds("1970-01-01T00:00:00Z") == 0)
    #expect(Timestamp(rfc3339: "1985-04-12T23:20:50.52Z")?.rfc3339 == "1985-04-12T23:20:50.52Z")
    #expect(Timestamp(rfc3339: "1996-12-19T16:39:57-08:00")?.rfc3339 == "1996-12-20T00:39:57Z")
    #expect(Timestamp(rfc3339: "1937-01-01T12:00:27.87+00:20")?.rfc3339 == "1937-01-01T11:40:27.87Z")
    #expect(Timestamp(rfc3339: "2024-02-29t00:00:00z")?.rfc3339 == "2024-02-29T00:00:00Z")
    #expect(Timestamp(rfc3339: "2024-02-29 10:00:00+01:00")?.rfc3339 == "2024-02-29T09:00:00Z")
    #expect(Timestamp(rfc3339: "2026-01-01T00:00:00-00:00")?.rfc3339 == "2026-01-01T00:00:00Z")
    #expect(Timestamp(rfc3339: "2026-01-01T00:00:00.123456000Z")?.rfc3339 == "2026-01-01T00:00:00.123456Z")
    #expect(Timestamp(rfc3339: "2026-01-01T00:00:00.123456789Z") == nil)
    #expect(Timestamp(rfc3339: "2026-01-01T00:00:00.0000001Z") == nil)
    #expect(Timestamp(rfc3339: "2026-01-01T00:00:00.000Z")?.rfc3339 == "2026-01-01T00:00:00Z")
  }

  @Test func leapSecondsCountAsTheSecondThatFollows() {
    #expect(Timestamp(rfc3339: "1990-12-31T23:59:60Z")?.rfc3339 == "1991-01-01T00:00:00Z")
    #expect(Timestamp(rfc3339: "1990-12-31T15:59:60-08:00")?.rfc3339 == "1991-01-01T00:00:00Z")
    #expect(Timestamp(rfc3339: "1990-12-31T15:59:60.9-08:00") == nil)
    #expect(Timestamp(rfc3339: "1990-12-31T12:00:60Z") == nil)
    #expect(Timestamp(rfc3339: "1990-12-31T23:59:61Z") == nil)
  }

  @Test func theRangeIsTheYears1To9999() {
    #expect(Timestamp(rfc3339: "0001-01-01T00:00:00Z") == .earliest)
    #expect(Timestamp(rfc3339: "9999-12-31T23:59:59.999999Z") == .latest)
    #expect(Timestamp(rfc3339: "0001-01-01T00:00:00+00:01") == nil)
    #expect(Timestamp(rfc3339: "0000-12-31T23:59:59Z") == nil)
    #expect(Timestamp(rfc3339: "9999-12-31T23:59:60Z") == nil)
    #expect(Timestamp(rfc3339: "9999-12-31T23:59:59-00:01") == nil)
    #expect(Timestamp.earliest.isValid && Timestamp.latest.isValid)
    #expect(!Timestamp(microseconds: Timestamp.latest.microseconds + 1).isValid)
  }

  @Test func anythingElseIsNoDate() {
    for bad in [
      "", "2026", "2026-01-01", "2026-01-01  00:00:00Z", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
      "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:00.Z",
      "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00+0000", "2026-01-01T00:00:00Zx",
      "26-01-01T00:00:00Z", "２026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ", "+2026-01-01T00:00:00Z",
    ] {
      #expect(Timestamp(rfc3339: bad) == nil, "\(bad)")
    }
  }

  @Test func everyMomentComesBack() {
    var random = Seeded(state: 2)
    let span = UInt64(Timestamp.latest.microseconds - Timestamp.earliest.microseconds)
    for _ in 0..<3000 {
      let moment = Timestamp(microseconds: Timestamp.earliest.microseconds + Int64(random.next() % (span + 1)))
      #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
    }
  }

  @Test func anyNumberOfMicrosecondsCanBeWritten() {
    #expect(Timestamp(microseconds: .min).rfc3339.hasPrefix("-"))
    #expect(Timestamp(microseconds: .max).rfc3339.hasSuffix("Z"))
    #expect(Timestamp(microseconds: -1).rfc3339 == "1969-12-31T23:59:59.999999Z")
  }
}
