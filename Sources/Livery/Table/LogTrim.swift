import LMDB

/// Which of the oldest entries one commit removes from the log.
struct LogTrim {
  /// The entry of the commit itself stays, whatever it takes.
  private let newest: UInt64
  private let pageSize: Int
  /// How much the commit has added: so much has to go for the log not to grow.
  private let added: Int
  /// How many entries are beyond the limit, and how many bytes.
  var surplus = 0
  var excess = 0
  /// What was made before is too old.
  var oldest = Int64.min

  private(set) var doomed: [UInt64] = []
  private var freed = 0
  private var aged = 0
  /// Entries of unknown age in front of one whose age is known: they are no younger.
  private var undated: [UInt64] = []

  /// Before that the clock was not set yet: 2025-01-01T00:00:00Z.
  static let firstPlausible: Int64 = 1_735_689_600_000_000

  init(_ figures: DatabaseStatistics, _ newest: UInt64, _ size: Int) {
    self.newest = newest
    pageSize = figures.pageSize
    added = Self.bytes(of: size, pageSize)
  }

  /// Considers the next entry; false if neither it nor a later one is to go.
  mutating func takes(_ revision: UInt64, _ size: Int, _ time: Int64) -> Bool {
    guard revision < newest else { return false }
    let size = Self.bytes(of: size, pageSize)
    if surplus > 0 || freed < excess {
      guard doomed.count < LogLimits.trimmedAtOnce || freed < min(excess, added) else { return false }
      take(revision, size)
      return true
    }
    guard aged + undated.count < LogLimits.trimmedForAge, doomed.count < LogLimits.trimmedAtOnce else { return false }
    if time < Self.firstPlausible, oldest > time {
      undated.append(revision)
      return true
    }
    guard time < oldest else { return false }
    aged += undated.count + 1
    doomed += undated
    undated = []
    take(revision, size)
    return true
  }

  private mutating func take(_ revision: UInt64, _ size: Int) {
    doomed.append(revision)
    freed += size
    surplus -= 1
  }

  /// What an entry takes of the file: its place on a page, or pages of its own.
  private static func bytes(of size: Int, _ pageSize: Int) -> Int {
    let node = size + 16
    if node <= pageSize / 2 - 10 { return node + 2 }
    return ((size + 15) / pageSize + 1) * pageSize
  }
}
