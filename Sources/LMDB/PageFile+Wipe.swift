import CSystem

extension PageFile {
  /// Overwrites what is stored in a file that another has taken the place of: whoever still has it open may map it for as long
  /// as he likes. Nothing if the file is damaged. Its pages stay what they are, so that a reader who comes too late finds
  /// records that do not verify.
  ///
  /// Nobody may write to the file any more, nor read from it what an earlier commit has left.
  ///
  /// - Parameter all: whether nobody reads from it at all; else what the latest commit uses is left.
  public func wipe(all: Bool) throws(LMDBError) {
    defer { marks = [] }
    guard markUsed() else { return }
    let zeros = [UInt8](repeating: 0, count: pageSize)
    var page: UInt64 = 2
    while page <= latest.lastPage {
      defer { page += 1 }
      guard marks[Int(page >> 3)] & 1 << UInt8(page & 7) != 0 else {
        try write(zeros[...], at: page, 0)
        continue
      }
      guard let bytes = read(page, pageSize), bytes.word(0) == page else { continue }
      let flags = bytes.u16(Self.word + 2)
      guard flags & PageFlag.overflow == 0 else {
        // The pages that follow belong to the same value, and have no head.
        let last = min(page &+ UInt64(max(1, bytes.u32(Self.word + 4))) - 1, latest.lastPage)
        if all { try write(zeros[Self.header...], at: page, Self.header) }
        while page < last {
          page += 1
          if all { try write(zeros[...], at: page, 0) }
        }
        continue
      }
      guard flags & (PageFlag.leaf | PageFlag.branch) != 0 else { continue }
      // Between the places of its entries and the entries a page may hold what was removed from it.
      var doomed = [bytes.u16(Self.word + 4)..<max(bytes.u16(Self.word + 4), bytes.u16(Self.word + 6))]
      if all, flags & PageFlag.leaf != 0 { doomed += values(in: bytes, page) }
      for range in doomed where range.lowerBound >= Self.header && range.upperBound <= pageSize && !range.isEmpty {
        if bytes.bytes[range].contains(where: { $0 != 0 }) { try write(zeros[range], at: page, range.lowerBound) }
      }
    }
  }

  /// Overwrites what lies behind large values on the last of their pages, and between the entries of a page and their places:
  /// LMDB leaves there what was in its memory before, such as a longer value, or an entry that is gone or lies on another page
  /// now, and a copy of the environment takes it over. Nothing if the file is damaged.
  public func clearTails() throws(LMDBError) {
    collectsTails = true
    defer {
      collectsTails = false
      tails = []
      marks = []
    }
    guard markUsed() else { return }
    for (page, range) in tails {
      let zeros = [UInt8](repeating: 0, count: range.count)
      try write(zeros[...], at: page, range.lowerBound)
    }
  }
}
