import Foundation
import LiveryClient
import Testing

@testable import LiveryFleet

@Suite struct PublisherTests {
  private func folder(_ body: (URL) throws -> Void) throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("livery-published-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    try body(place)
  }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }

  @Test func whatIsPublishedLiesWhereAWebServerFindsIt() throws {
    try folder { place in
      var made = publisher()
      let files =
        try made.keyFiles()
        + made.publish(.fleet, documents: [(Manifest.Entry("first"), everything)], interval: 60, now: noon)
      try PublishedFolder(path: place.path).write(files)
      for file in files { #expect(try Data(contentsOf: place.appendingPathComponent(file.path)) == Data(file.bytes)) }
      // Nothing else lies there.
      let found = try #require(FileManager.default.enumerator(atPath: place.path)).compactMap { $0 as? String }
      #expect(found.filter { $0.contains(".") } == [])
    }
  }

  @Test func blobsAreWrittenOnceAndManifestsEachTime() throws {
    try folder { place in
      let folder = try PublishedFolder(path: place.path)
      let blob = Publisher.blob([1, 2, 3])
      try folder.write([blob])
      let path = place.appendingPathComponent(blob.path).path
      func inode() throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int }
      let before = try inode()
      try folder.write([blob])
      #expect(try inode() == before)
      // One that was cut short is put right.
      try Data([1]).write(to: URL(fileURLWithPath: path))
      try folder.write([blob])
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
      for bytes: [UInt8] in [[1], [2]] {
        try folder.write([.init(path: "/v1/keys/latest", bytes: bytes, isImmutable: false)])
        #expect(try Data(contentsOf: place.appendingPathComponent("v1/keys/latest")) == Data(bytes))
      }
    }
  }

  /// Web servers make the entity tag of the time in seconds and the size.
  @Test func whatIsExchangedWithinASecondIsLaterByOne() throws {
    try folder { place in
      let folder = try PublishedFolder(path: place.path)
      let path = place.appendingPathComponent("v1/keys/latest").path
      var seconds: [Int] = []
      for byte: UInt8 in 1...4 {
        try folder.write([.init(path: "/v1/keys/latest", bytes: [byte], isImmutable: false)])
        let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        seconds.append(Int(try #require(time).timeIntervalSince1970.rounded(.down)))
      }
      #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 }, "\(seconds)")
    }
  }

  @Test func aPathThatLeadsElsewhereIsRefused() throws {
    #expect(code { _ = try PublishedFolder(path: "/nowhere/at/all") } == .notFound)
    #expect(code { _ = try PublishedFolder(path: "") } == .invalidArgument)
    try folder { place in
      let folder = try PublishedFolder(path: place.path)
      try FileManager.default.createSymbolicLink(
        at: place.appendingPathComponent("link"), withDestinationURL: URL(fileURLWithPath: "/tmp"))
      for path in ["/../a", "/a/../b", "/.hidden", "//a", "/a/", "/", "a", "/link/a", "/a\0b"] {
        #expect(
          code { try folder.write([.init(path: path, bytes: [1], isImmutable: false)]) }
            == .some(path == "/link/a" ? .notFound : .invalidArgument), "\(path)")
      }
    }
  }

  @Test func whatAManifestNamesIsWrittenBeforeIt() throws {
    var made = publisher()
    let files = try made.publish(.fleet, documents: [(Manifest.Entry("first"), everything)], now: noon)
    #expect(files.map { $0.isImmutable } == [true, false])
    let rotated = try made.rotate(signers: [key("second signer")], now: noon)
    #expect(rotated.map { $0.path } == ["/v1/keys/2", "/v1/keys/latest", "/v1/channels/fleet/manifest"])
  }

  /// As long as the key document names the former roots it takes their signatures.
  @Test func aKeyDocumentWithOtherRootsIsTheSameWheneverItIsWritten() throws {
    var made = publisher()
    var trust = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    _ = try trust.take(keys: made.keyFiles()[0].bytes, clock: noon)
    let rotated = try made.rotate(roots: [key("root 2")], now: noon)
    #expect(try made.keyFiles() == Array(rotated.prefix(2)))
    #expect(try trust.take(keys: made.keyFiles()[1].bytes, clock: noon) == .taken)
    // The one after that takes the present ones alone.
    _ = try made.rotate(now: noon + 1)
    #expect(try trust.take(keys: made.keyFiles()[1].bytes, clock: noon) == .taken)
  }

  @Test func aConsoleThatIsStartedAnewGoesOnCounting() throws {
    var made = publisher()
    _ = try made.publish(.fleet, documents: [], now: noon)
    _ = try made.publish(.fleet, documents: [], now: noon)
    var again = publisher()
    for channel in made.channels { again.resume(channel) }
    _ = try again.publish(.fleet, documents: [], now: noon)
    #expect(again.channels.map { $0.version } == [3])
  }
}
