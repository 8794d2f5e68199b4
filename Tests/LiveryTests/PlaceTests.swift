import CSystem
import Testing

@testable import Livery

/// Whether a store is where it was opened, and when that need not be looked at file by file.
@Suite(.onDisk) struct PlaceTests {
  private let temporary = TemporaryStore()

  private func place(_ folder: Folder) throws -> lvs_place {
    func identity(_ name: String) throws -> lvs_file_identity {
      let facts = try #require(try folder.facts(name))
      return lvs_file_identity(device: facts.device, inode: facts.inode)
    }
    var place = lvs_place()
    place.path = strdup(folder.path)
    place.folder = folder.descriptor
    place.directory = lvs_file_identity(device: folder.device, inode: folder.inode)
    place.root = folder.root
    place.keeps_changes = lvs_keeps_changes(folder.descriptor)
    place.files = (
      try identity("data.mdb"), try identity("lock.mdb"), try identity("livery.lock"), try identity("livery.wake")
    )
    return place
  }

  /// Something comes into the folder, and goes.
  private func change(_ folder: Folder) {
    let path = folder.path + "/other"
    close(lvs_open(path, O_CREAT | O_WRONLY, 0o600))
    unlink(path)
  }

  @Test func aFolderThatChangedJustNowIsLookedAtAgainAndOneThatDidNotIsNot() throws {
    try temporary.open().close()
    let folder = try Folder.open(temporary.path)
    var place = try place(folder)
    defer { free(place.path) }
    // What changes within the same step of the clock does not show: of looks that come sooner than that nothing follows.
    var looks = 0
    for _ in 0..<100 where looks < 20 {
      let begun = lvs_monotonic_ns()
      change(folder)
      #expect(lvs_place_check(&place) == nil)
      guard lvs_monotonic_ns() - begun < 50_000_000 else { continue }
      looks += 1
      #expect(place.settled.tv_sec == 0 && place.settled.tv_nsec == 0)
    }
    lvs_sleep_us(300_000)
    #expect(lvs_place_check(&place) == nil && (place.settled.tv_sec != 0) == place.keeps_changes)
    // A change is noticed all the same.
    try folder.rename("data.mdb", to: "other.mdb", in: folder)
    #expect(lvs_place_check(&place).map { String(cString: $0) } == "data.mdb")
  }
}
