@testable import LiveryFetch

// What servers say in the heads of their answers.

/// 2026-11-22T00:00:00Z
private let now: Int64 = 1_795_305_600

@_cdecl("fuzz_fetch_date")
@Sendable public func fuzzFetchDate(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  if let date = HTTPDate.parse(bytes, now: now) {
    // From the year 1 to 9999, and a leap second.
    require(date >= -62_135_596_800 && date <= 253_402_300_800, "a date is of four digits")
    require((20...40).contains(bytes.count), "a date has so many letters")
  }
  if let wait = RetryAfter.parse(bytes, now: now) {
    require((0...CacheControl.longest).contains(wait), "a wait is bounded")
  }
}

@_cdecl("fuzz_fetch_control")
@Sendable public func fuzzFetchControl(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  let fields = bytes.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
  let control = CacheControl(fields)
  for seconds in [control.maximumAge, control.staleWhileRevalidate, control.staleIfError] {
    require((0...CacheControl.longest).contains(seconds ?? 0), "a time is bounded")
  }
  // What was said does not depend on what is said of something else before.
  require(CacheControl([Array("public".utf8)] + fields) == control, "what counts counts anywhere")
  let head = Head(status: 200, fields: fields.map { .init(name: Array("cache-control".utf8), value: $0) })
  let freshness = Freshness(of: head, asked: now, received: now)
  require(!(control.isAlwaysChecked && freshness.isFresh(at: now)), "what is always checked is never fresh")
  require(!freshness.isFresh(at: now + freshness.lifetime), "what is fresh ends")
}

@_cdecl("fuzz_fetch_tag")
@Sendable public func fuzzFetchTag(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let tag = EntityTag(bytes) else { return }
  require(tag.bytes == bytes && bytes.count <= EntityTag.limit, "a tag is sent back as it came")
  require(!bytes.contains { $0 < 0x21 || $0 == 0x7F }, "nothing hides in a tag")
  require(tag.isStronglySame(as: tag) != tag.isWeak, "a strong tag is itself")
}

@_cdecl("fuzz_fetch_range")
@Sendable public func fuzzFetchRange(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  if let part = ContentRange(bytes) {
    require(part.range != nil || part.total != nil, "it says something")
    if let range = part.range, let total = part.total { require(range.upperBound < total, "a part is of the whole") }
    require((part.range?.lowerBound ?? 0) >= 0, "a part begins in it")
  }
  let head = Head(
    status: 200,
    fields: ["content-length", "content-type", "vary"].map { .init(name: Array($0.utf8), value: bytes) })
  require((head.length ?? 0) >= 0, "a length is none that is negative")
  _ = head.variesByAnything
  if let type = head.mediaType { require(type.count < 128 && !type.contains { $0 <= 32 }, "a type is a word") }
}

@_cdecl("fuzz_fetch_address")
@Sendable public func fuzzFetchAddress(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let base = try? Address(Array("https://a/b/c/d;p?q".utf8)) else { return require(false, "a URL is one") }
  guard let next = try? base.following(bytes) else { return }
  require(
    next.bytes.allSatisfy { $0 > 32 && $0 < 127 } && !next.bytes.contains(0x23), "a URL has no space and no fragment")
  guard let again = try? Address(next.bytes) else { return require(false, "what was taken is taken again") }
  require(again == next, "it is the same")
}
