import CLMDB
import CSystem

/// An environment of LMDB's and the process number by which others know it.
///
/// LMDB tells the processes of a store apart by their numbers, and containers give the same ones to several. Where that
/// happens the environment is made with the number of a child, which ends at once: no other process of this namespace has
/// it. LMDB asks for the number where an environment is made, and where it is closed, to clear what is left of it.
struct ProcessEnvironment {
  private var made: OpaquePointer?
  private var code: Int32 = 0
  private(set) var number: Int32 = 0
  private var isOwn = false

  private init() {}

  /// With the number of this process.
  static func own() throws(LMDBError) -> ProcessEnvironment {
    var environment = ProcessEnvironment()
    environment.make()
    environment.isOwn = true
    try LMDBError.check(environment.code)
    return environment
  }

  /// With the number of a child; of this process if the system allows no child.
  static func ofChild() throws(LMDBError) -> ProcessEnvironment {
    var environment = ProcessEnvironment()
    environment.inChild { argument in
      argument?.assumingMemoryBound(to: ProcessEnvironment.self).pointee.make()
      return 0
    }
    return environment.made == nil ? try own() : environment
  }

  private mutating func make() {
    number = getpid()
    code = mdb_env_create(&made)
  }

  @discardableResult
  private mutating func inChild(_ body: @convention(c) (UnsafeMutableRawPointer?) -> Int32) -> Int32 {
    withUnsafeMutablePointer(to: &self) { lvs_call_as_child(body, $0) }
  }

  var handle: OpaquePointer { made.unsafelyUnwrapped }

  /// Closes an environment in which transactions have been, and none is open.
  mutating func close() {
    // Some of what was written may be secret.
    defer { if lvs_memory_wipes() { lvs_wipe_freed_pages() } }
    if isOwn { return mdb_env_close(handle) }
    // Of a process that has the number of this one nothing is to be cleared, nor of one that has the child's.
    for _ in 0..<16 {
      let status = inChild { argument in
        guard let environment = argument?.assumingMemoryBound(to: ProcessEnvironment.self).pointee else { return 0 }
        if environment.isTaken(getpid()) { return 1 }
        mdb_env_close(environment.handle)
        return 0
      }
      if status == 0 { return }
    }
  }

  /// Whether a slot of the table of readers has the environment's number: one of a process in another namespace, or of one
  /// that was killed. LMDB takes such slots for those of this process.
  var isTaken: Bool { isTaken(number) }

  private func isTaken(_ number: Int32) -> Bool {
    var info = MDB_envinfo()
    guard mdb_env_info(handle, &info) == MDB_SUCCESS, info.me_numreaders > 0 else { return false }
    var search = Search(number: number)
    withUnsafeMutablePointer(to: &search) { search in
      _ = mdb_reader_list(
        handle,
        { line, context in
          guard let line, let search = context?.assumingMemoryBound(to: Search.self) else { return 0 }
          // A line begins with the number; that of the heading with a word.
          if atoi(line) == search.pointee.number { search.pointee.isFound = true }
          return 0
        }, search)
    }
    return search.isFound
  }

  private struct Search {
    let number: Int32
    var isFound = false
  }
}
