import CLivery
import LiveryClient

/// A device that images are fetched for, or none: a copy of what a caller told of it.
struct Device: @unchecked Sendable {
  private var traits: livery_traits?
  private var locale: [UInt8] = []

  /// - Throws: `.invalidArgument` if a trait is out of range.
  init(_ traits: UnsafePointer<livery_traits>?) throws(StoreError) {
    guard traits != nil else { return }
    // Also looks at what is out of range.
    _ = try Branding.match(.list([]), traits: traits)
    var copy = try structure(traits, none: livery_traits())
    if let locale = copy.locale { self.locale = Array(try argument(locale, "locale", limit: 63).utf8) }
    copy.struct_size = MemoryLayout<livery_traits>.size
    copy.locale = nil
    self.traits = copy
  }

  /// Calls `body` with the traits, or NULL.
  func withTraits<R>(_ body: (UnsafePointer<livery_traits>?) throws(StoreError) -> R) throws(StoreError) -> R {
    guard var traits else { return try body(nil) }
    var texts = CTexts()
    let locale = self.locale.isEmpty ? nil : texts.add(self.locale)
    let outcome = texts.withPointers { (text) -> Result<R, StoreError> in
      traits.locale = locale.flatMap(text)
      do throws(StoreError) { return .success(try body(&traits)) } catch { return .failure(error) }
    }
    return try outcome.get()
  }
}
