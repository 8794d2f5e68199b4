/// A name in a dictionary or set: equal to another only if the bytes are the same, which String's own equality is not.
struct NameKey: Hashable, Sendable {
  let name: String

  init(_ name: String) {
    self.name = name
  }

  static func == (left: NameKey, right: NameKey) -> Bool {
    left.name.sameBytes(as: right.name)
  }

  func hash(into hasher: inout Hasher) {
    // Native text is contiguous; the seeded hash of its bytes keeps crafted names from colliding.
    let hashed: Void? = name.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    if hashed == nil { hasher.combine(name.utf8.count) }
  }
}
