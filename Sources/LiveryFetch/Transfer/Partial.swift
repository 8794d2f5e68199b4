/// The beginning of a body whose end did not come, and which may be asked for alone.
struct Partial: Sendable {
  let address: Address
  let tag: EntityTag
  /// Of the answer that began it, with what others have said since.
  let head: Head
  let body: [UInt8]
  /// The size of the whole, if the server told it.
  let total: Int64?

  /// What came of an answer that broke off; nil where it cannot be resumed: without a strong ETag nobody knows whether the rest
  /// is of the same body.
  ///
  /// - Parameter before: what had come before, if the answer was to be its rest.
  init?(after before: Partial?, _ head: Head?, _ body: [UInt8], _ address: Address) {
    guard let head, let tag = head.tag, !tag.isWeak, !head.isPacked, !body.isEmpty else {
      // An answer without a body takes nothing away from what is there.
      guard let before, head == nil || body.isEmpty else { return nil }
      self = before
      return
    }
    switch head.status {
    case 200, 203:
      self.head = head
      self.body = body
      total = head.length
    case 206:
      guard let before, before.fits(head) else { return nil }
      self.head = before.head.completed(by: head)
      self.body = before.body + body
      total = before.total ?? head.contentRange?.total
    default: return nil
    }
    self.tag = tag
    self.address = address
  }

  /// Whether an answer is the rest of this.
  private func fits(_ head: Head) -> Bool {
    guard !head.isPacked, let part = head.contentRange, let range = part.range,
      range.lowerBound == Int64(body.count), head.tag.map({ $0.isStronglySame(as: tag) }) ?? true
    else { return false }
    if let total, let told = part.total, told != total { return false }
    return true
  }

  /// The whole with its head, if an answer 206 is its rest; nil if it is something else, or less, or if nobody has told how large the
  /// whole is.
  func completed(by head: Head, _ rest: [UInt8]) -> (head: Head, body: [UInt8])? {
    guard fits(head), let part = head.contentRange, let range = part.range else { return nil }
    let size = Int64(body.count) + Int64(rest.count)
    guard range.upperBound + 1 == size, part.total ?? total == size else { return nil }
    return (self.head.completed(by: head), body + rest)
  }
}
