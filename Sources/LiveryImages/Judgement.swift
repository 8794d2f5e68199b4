import CImages
import CLegibility
import LiveryClient

/// What is found out about an image, as it is kept with the asset.
struct Judgement {
  /// The name under which it is kept: the engine knows it too.
  static let name = "legibility"

  let fact: [UInt8]
  private let outcome: lvi_outcome

  /// What was kept.
  init(_ fact: [UInt8]) {
    self.fact = fact
    outcome = LVI_DONE
  }

  /// Decodes an image.
  ///
  /// - Parameter asset: what the store tells of it.
  init(of bytes: [UInt8], _ asset: Value) {
    let orientation = asset["orientation"].flatMap { Int($0) } ?? 1
    var fact = [UInt8](repeating: 0, count: Int(LVI_FACT_MAX))
    var reason = [CChar](repeating: 0, count: Int(LVI_REASON_MAX))
    var length = 0
    outcome = lvi_judge(bytes, bytes.count, Self.type(of: asset), Int32(orientation), &fact, &length, &reason)
    if outcome != LVI_DONE { length = lvi_refusal(reason, &fact) }
    self.fact = Array(fact.prefix(length))
  }

  /// Why the image cannot be judged; nil if it was.
  var refusal: String? {
    guard lvl_kind(fact, fact.count) == Int32(LVL_REFUSED) else { return nil }
    return String(decoding: fact.dropFirst(2), as: UTF8.self)
  }

  var isOutOfMemory: Bool { outcome == LVI_NO_MEMORY }

  /// Whether it may be another one at another time: it is not kept then.
  var isTransient: Bool { isOutOfMemory || outcome == LVI_UNAVAILABLE }

  /// An asset of which the store knows that it is an image.
  static func isImage(_ asset: Value) -> Bool {
    asset["type"]?.text?.utf8.starts(with: "image/".utf8) ?? false
  }

  private static func type(of asset: Value) -> lvi_type {
    let types: [(String, lvi_type)] = [
      ("image/png", LVI_PNG), ("image/jpeg", LVI_JPEG), ("image/webp", LVI_WEBP), ("image/svg+xml", LVI_SVG),
    ]
    guard let type = asset["type"]?.text else { return LVI_OTHER }
    for (name, number) in types where name.utf8.elementsEqual(type.utf8) { return number }
    return LVI_OTHER
  }
}
