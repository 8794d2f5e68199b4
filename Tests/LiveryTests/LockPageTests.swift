import CSystem
import Glibc
import LMDB
import Testing

@testable import Livery

/// What is known of LMDB's lock file holds with the LMDB that is linked.
@Suite struct LockPageTests {
  let temporary = TemporaryStore()

  @Test func theLastCommitIsFoundAfterEachOne() throws {
    let store = try temporary.open()
    let file = lvs_open(temporary.path + "/lock.mdb", O_RDWR, 0)
    defer { close(file) }
    let page = try LockPage.make(file)
    #expect(LockPage.begins(file))
    for number in 1...5 {
      try store.set("number", to: .int(Int64(number)), in: .user)
      let last = store.shared.environment.information().lastTransaction
      var stored: UInt64 = 0
      #expect(pread(file, &stored, 8, off_t(LockPage.lastCommitOffset)) == 8)
      #expect(page.lastCommit == last)
      #expect(stored == last)
    }
  }

  @Test func aPageOfSomethingElseTellsNothing() throws {
    let file = lvs_make_in_memory()
    defer { close(file) }
    #expect(!LockPage.begins(file))
    try LockPage.write(7, to: file)
    let page = try LockPage.make(file)
    #expect(LockPage.begins(file))
    #expect(page.lastCommit == 7)
    page.lastCommit = 9
    #expect(page.lastCommit == 9)
    var other: UInt64 = 1
    #expect(pwrite(file, &other, 8, 0) == 8)
    #expect(page.lastCommit == nil)
    page.lastCommit = 11
    #expect(page.lastCommit == nil)
  }
}
