import Testing

@testable import LiveryFetch

/// What a private cache has to do (RFC 9111 §4.2, RFC 5861). 1,000,000,000 is 2001-09-09T01:46:40Z, a Sunday.
@Suite struct FreshnessTests {
  private let now: Int64 = 1_000_000_000
  private let present = "Sun, 09 Sep 2001 01:46:40 GMT"

  private func freshness(
    _ fields: [(String, String)], status: Int32 = 200, asked: Int64? = nil
  ) -> Freshness {
    let head = Head(status: status, fields: fields.map { .init(name: Array($0.0.utf8), value: Array($0.1.utf8)) })
    return Freshness(of: head, asked: asked ?? now, received: now)
  }

  @Test func ageCountsFromItsBirth() {
    let maximum = ("cache-control", "max-age=60")
    #expect(freshness([maximum]).isFresh(at: now + 59))
    #expect(!freshness([maximum]).isFresh(at: now + 60))
    // On its way through other caches, by an older date, and on its way to us.
    #expect(!freshness([maximum, ("age", "30")]).isFresh(at: now + 30))
    #expect(!freshness([maximum, ("date", "Sun, 09 Sep 2001 01:46:10 GMT")]).isFresh(at: now + 30))
    #expect(!freshness([maximum, ("age", "20")], asked: now - 10).isFresh(at: now + 30))
    // A server whose clock is ahead.
    #expect(freshness([maximum, ("date", "Sun, 09 Sep 2001 02:46:40 GMT")]).isFresh(at: now + 59))
  }

  @Test func expiryIsTheDifferenceOfTwoDatesOfTheServer() {
    let expires = ("expires", "Sun, 09 Sep 2001 01:47:40 GMT")
    #expect(freshness([("date", present), expires]).lifetime == 60)
    #expect(freshness([expires]).lifetime == 60)
    #expect(freshness([("cache-control", "max-age=5"), expires]).lifetime == 5)
    #expect(freshness([("expires", "0")]).lifetime == 0)
    #expect(freshness([("expires", "0"), ("last-modified", "Sun, 09 Sep 1901 01:46:40 GMT")]).lifetime == 0)
    #expect(freshness([expires, ("expires", present)]).lifetime == 0)
    #expect(freshness([("cache-control", "max-age=x"), expires]).lifetime == 0)
  }

  @Test func experienceIsATenthAndAtMostADay() {
    #expect(freshness([("last-modified", "Sun, 09 Sep 2001 01:30:00 GMT")]).lifetime == 100)
    #expect(freshness([("last-modified", "Fri, 09 Sep 1994 01:30:00 GMT")]).lifetime == 86_400)
    #expect(freshness([("last-modified", "Sun, 09 Sep 2001 02:30:00 GMT")]).lifetime == 0)
    #expect(freshness([("last-modified", "Sun, 09 Sep 2001 01:30:00 GMT")], status: 302).lifetime == 0)
    #expect(freshness([]).lifetime == 0)
  }

  @Test func whatIsAlwaysCheckedIsNeverFresh() {
    for field in [("cache-control", "max-age=60, no-cache"), ("cache-control", "max-age=60, no-cache=\"x\"")] {
      #expect(!freshness([field]).isFresh(at: now))
      #expect(!freshness([field]).isUsableAfterFailure(at: now))
    }
    #expect(!freshness([("cache-control", "max-age=60"), ("vary", "Accept, *")]).isFresh(at: now))
    #expect(freshness([("cache-control", "max-age=60"), ("vary", "Accept-Encoding")]).isFresh(at: now))
  }

  @Test func staleIsUsedAsTheServerAllows() {
    let revalidating = freshness([("cache-control", "max-age=60, stale-while-revalidate=30")])
    #expect(revalidating.isUsableWhileChecking(at: now + 89))
    #expect(!revalidating.isUsableWhileChecking(at: now + 90))
    #expect(!freshness([("cache-control", "max-age=60")]).isUsableWhileChecking(at: now + 60))
    let limited = freshness([("cache-control", "max-age=60, stale-if-error=30")])
    #expect(limited.isUsableAfterFailure(at: now + 89) && !limited.isUsableAfterFailure(at: now + 90))
    #expect(freshness([("cache-control", "max-age=60")]).isUsableAfterFailure(at: now + 1_000_000))
    let never = freshness([("cache-control", "max-age=60, must-revalidate, stale-while-revalidate=30")])
    #expect(!never.isUsableWhileChecking(at: now + 61) && !never.isUsableAfterFailure(at: now + 61))
  }

  @Test func aClockThatWasSetBackMakesNothingFresh() {
    #expect(!freshness([("cache-control", "max-age=60")]).isFresh(at: now - 1))
  }

  @Test func aRedirectCountsAsLongAsItSays() {
    let body = freshness([("cache-control", "max-age=600")])
    #expect(!freshness([], status: 302).leading(to: body).isFresh(at: now))
    let redirect = freshness([("cache-control", "max-age=60")], status: 302)
    #expect(redirect.leading(to: body).isFresh(at: now + 59) && !redirect.leading(to: body).isFresh(at: now + 60))
    let permanent = freshness([("cache-control", "max-age=6000")], status: 301)
    #expect(!permanent.leading(to: body).isFresh(at: now + 600))
  }
}
