import CLMDB
import CSystem

/// The data file of an environment, read page by page and without LMDB.
///
/// LMDB trusts its pages: a damaged one may end the process that touches it. Here nothing is believed: all that is read is
/// checked against the file's and the page's bounds first, reading fails where a disk does, and what is found wrong is
/// noted in `damages`. The file must not be written to meanwhile.
public final class PageFile {
  /// Something wrong, and the page where it was found.
  public struct Damage: Sendable {
    public let page: UInt64
    public let what: String
  }

  /// A tree of pages, as the record of its database describes it.
  public struct Tree: Sendable {
    let flags, depth: Int
    let branches, leaves, overflows: UInt64
    public let entries: UInt64
    let root: UInt64

    static let none = UInt64.max
    var isEmpty: Bool { root == Self.none }
  }

  static let word = MemoryLayout<Int>.size
  static let header = word + 8
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let version: UInt32 = 1
  private static let mostDamages = 100
  static let noPage = UInt64.max >> UInt64(64 - 8 * word)

  private let descriptor: Int32
  public let fileSize: UInt64
  private(set) var pageSize = 0
  /// The roots of the latest commit, and of the one before.
  private(set) var latest = Meta()
  private(set) var former = Meta()
  public internal(set) var damages: [Damage] = []
  /// One bit for each page that is in use or free; nil while none are counted.
  var marks: [UInt8] = []
  /// Where pages that are in use hold something that belongs to no entry; collected if that is asked for.
  var tails: [(page: UInt64, range: Range<Int>)] = []
  var collectsTails = false
  public internal(set) var pages: UInt64 = 0
  public internal(set) var freePages: UInt64 = 0
  /// The names of the databases, once `check` has found them.
  public internal(set) var databases: [String] = []

  /// What a commit leaves on one of the first two pages.
  struct Meta {
    var free = Tree(flags: 0, depth: 0, branches: 0, leaves: 0, overflows: 0, entries: 0, root: Tree.none)
    var main = Tree(flags: 0, depth: 0, branches: 0, leaves: 0, overflows: 0, entries: 0, root: Tree.none)
    var lastPage: UInt64 = 0
    var transaction: UInt64 = 0
    var pageSize: UInt64 = 0
  }

  private init(_ descriptor: Int32, _ size: UInt64) {
    self.descriptor = descriptor
    fileSize = size
  }

  deinit {
    close(descriptor)
  }

  /// Opens a file. One whose first pages are no use has `damages` from the start.
  public static func open(_ path: String) throws(LMDBError) -> PageFile {
    let descriptor = lvs_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0)
    guard descriptor >= 0 else { throw LMDBError(code: lvs_errno()) }
    return try of(descriptor)
  }

  /// The same of a file that is open; the descriptor is taken over, also if that fails.
  public static func of(_ descriptor: Int32) throws(LMDBError) -> PageFile {
    var facts = lvs_file_facts()
    guard lvs_file_facts_at(descriptor, &facts) == 0, facts.is_regular else {
      let code = facts.is_directory ? EISDIR : facts.mode != 0 ? ENXIO : lvs_errno()
      close(descriptor)
      throw LMDBError(code: code)
    }
    let file = PageFile(descriptor, facts.size)
    try file.readRoots()
    return file
  }

  /// The number of the latest commit.
  public var lastTransaction: UInt64 { latest.transaction }

  /// Notes that something is wrong with the databases as a whole.
  public func note(_ what: String) { note(latest.main.root, what) }

  func note(_ page: UInt64, _ what: String) {
    if damages.count < Self.mostDamages { damages.append(Damage(page: page, what: what)) }
  }

  /// Bytes of the file, or nil with a note if they cannot be read.
  func read(_ page: UInt64, _ count: Int) -> PageBytes? {
    var bytes = [UInt8](repeating: 0, count: count)
    let offset = page.multipliedReportingOverflow(by: UInt64(max(pageSize, 1)))
    guard !offset.overflow, offset.partialValue < fileSize else {
      note(page, "lies behind the end of the file")
      return nil
    }
    let got = bytes.withUnsafeMutableBytes { bytes in
      let got = lvs_read_at(descriptor, bytes.baseAddress, bytes.count, offset.partialValue)
      // What is unreadable for a moment is not damaged.
      return got >= 0 ? got : lvs_read_at(descriptor, bytes.baseAddress, bytes.count, offset.partialValue)
    }
    guard got >= 0 else {
      note(page, "cannot be read: \(LMDBError(code: lvs_errno()).message)")
      return nil
    }
    // What the end of the file cuts off reads as zeros.
    return PageBytes(bytes: bytes)
  }

  func write(_ bytes: ArraySlice<UInt8>, at page: UInt64, _ offset: Int) throws(LMDBError) {
    let isWritten = bytes.withUnsafeBytes {
      lvs_write_at(descriptor, $0.baseAddress, $0.count, page * UInt64(pageSize) + UInt64(offset)) >= 0
    }
    guard isWritten else { throw LMDBError(code: lvs_errno()) }
  }

  private func readRoots() throws(LMDBError) {
    // The size of pages stands on the first page; it is looked for in either.
    guard let first = read(0, 4096), first.u32(Self.header) == Self.magic || fileSize >= 8192 else {
      throw LMDBError(code: MDB_INVALID)
    }
    var metas: [Meta] = []
    let stated = Self.meta(first)?.pageSize ?? UInt64(sysconf(Int32(_SC_PAGESIZE)))
    guard (256...65536).contains(stated), stated & (stated &- 1) == 0 else {
      return note(0, "states a page size of \(stated) bytes")
    }
    pageSize = Int(stated)
    for number in 0..<2 as Range<UInt64> {
      guard let bytes = read(number, pageSize) else { return }
      guard let meta = Self.meta(bytes) else {
        // Neither page is of LMDB: this is another kind of file.
        if number == 1, metas.isEmpty { throw LMDBError(code: MDB_INVALID) }
        note(number, "is not the root page that it has to be")
        continue
      }
      if bytes.word(0) != number || bytes.u16(Self.word + 2) != PageFlag.meta || meta.pageSize != stated {
        note(number, "is not the root page that it has to be")
      }
      metas.append(meta)
    }
    guard metas.count == 2 else { return }
    let isSecond = metas[0].transaction < metas[1].transaction
    latest = metas[isSecond ? 1 : 0]
    former = metas[isSecond ? 0 : 1]
    // Commits take turns on the two pages.
    let isFirstCommit = latest.transaction == 0 && former.transaction == 0
    if !isFirstCommit, latest.transaction != former.transaction &+ 1 || latest.transaction & 1 != (isSecond ? 1 : 0) {
      note(isSecond ? 1 : 0, "has the number of a commit that does not follow on the other one's")
    }
    let count = latest.lastPage &+ 1
    if latest.lastPage < 1 || count > fileSize / stated &+ (1 << 20) / stated {
      note(isSecond ? 1 : 0, "states more pages than the file has")
      latest.lastPage = 1
    }
  }

  private static func meta(_ page: PageBytes) -> Meta? {
    guard page.u32(header) == magic, page.u32(header + 4) == version else { return nil }
    let roots = header + 8 + 2 * word
    let size = 8 + 5 * word
    var meta = Meta()
    meta.free = tree(page, at: roots)
    meta.main = tree(page, at: roots + size)
    meta.lastPage = page.word(roots + 2 * size)
    meta.transaction = page.word(roots + 2 * size + word)
    meta.pageSize = UInt64(page.u32(roots))
    return meta
  }

  /// The record of a database.
  static func tree(_ bytes: PageBytes, at offset: Int) -> Tree {
    let counts = offset + 8
    let root = bytes.word(counts + 4 * word)
    return Tree(
      flags: bytes.u16(offset + 4), depth: bytes.u16(offset + 6), branches: bytes.word(counts),
      leaves: bytes.word(counts + word), overflows: bytes.word(counts + 2 * word),
      entries: bytes.word(counts + 3 * word), root: root == noPage ? Tree.none : root)
  }
}

/// Bytes that are read at offsets nobody has checked: behind the end they are 0.
struct PageBytes {
  let bytes: [UInt8]

  func u16(_ offset: Int) -> Int {
    guard offset >= 0, offset <= bytes.count - 2 else { return 0 }
    return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
  }

  func u32(_ offset: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: u16(offset)) | UInt32(truncatingIfNeeded: u16(offset &+ 2)) << 16
  }

  func word(_ offset: Int) -> UInt64 {
    let low = UInt64(u32(offset))
    return PageFile.word == 4 ? low : low | UInt64(u32(offset &+ 4)) << 32
  }
}

enum PageFlag {
  static let branch = 0x01
  static let leaf = 0x02
  static let overflow = 0x04
  static let meta = 0x08
}
