import CLMDB
import CSystem
import Synchronization

extension Environment {
  /// Takes the pages of the file out of the memory that counts as this process's: the system has them still, and maps those
  /// that are looked at after all. To be called within a transaction, which keeps the map where it is.
  ///
  /// - Parameters:
  ///   - place: an address in the map, as of what the transaction has read.
  ///   - least: the size in bytes of a file with which it is worth the calls of the system.
  public func forgetPages(around place: UnsafeRawPointer, atLeast least: UInt64) {
    let facts = information()
    let size = min(facts.mapSize, (facts.lastPage &+ 1) &* pageSize)
    guard size >= least else { return }
    let address = UInt(bitPattern: place)
    var start = mapStart.load(ordering: .relaxed)
    if start == 0 || address < start || UInt64(address - start) >= facts.mapSize {
      start = lvs_map_start(place)
      mapStart.store(start, ordering: .relaxed)
    }
    if start != 0 { lvs_forget_pages(start, Int(size)) }
  }
}
