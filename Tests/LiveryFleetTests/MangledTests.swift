import Foundation
import LiveryClient
import Testing

@testable import LiveryFleet

/// What was signed, with something changed: none is taken. `LIVERY_MANGLED` is how many are tried.
@Suite struct MangledTests {
  private let count = ProcessInfo.processInfo.environment["LIVERY_MANGLED"].flatMap { Int($0) } ?? 20_000
  private let seed = ProcessInfo.processInfo.environment["LIVERY_SEED"].flatMap { UInt64($0) } ?? 1

  private func mangled(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
    func place(_ count: Int) -> Int { Int(random.number(in: 0...Int64(max(0, count - 1)))) }
    var wrong = bytes
    for _ in 0...Int(random.number(in: 0...2)) where !wrong.isEmpty {
      switch random.number(in: 0...6) {
      case 0: wrong[place(wrong.count)] ^= 1 << UInt8(random.number(in: 0...7))
      case 1: wrong[place(wrong.count)] = UInt8(random.number(in: 0...255))
      case 2: wrong.remove(at: place(wrong.count))
      case 3: wrong.insert(UInt8(random.number(in: 0...255)), at: place(wrong.count))
      case 4: wrong.removeLast(place(wrong.count))
      case 5:
        let (from, to) = (place(wrong.count), place(wrong.count))
        wrong.swapAt(from, to)
      default:
        let from = place(wrong.count)
        wrong += wrong[from..<min(wrong.count, from + 40)]
      }
    }
    return wrong
  }

  @Test func noneIsTaken() throws {
    var made = publisher()
    let keys = try made.keyFiles()[0].bytes
    let entry = Manifest.Entry("first", rollout: Rollout(share: 100, salt: [1]))
    let files = try made.publish(.fleet, documents: [(entry, everything)], now: noon)
    let (document, manifest) = (files[0].bytes, files[1].bytes)
    let hash = Crypto.hash(document)
    var trust = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    var random = Random(seed: seed)
    var (accepted, tried) = (0, 0)
    func tell(_ body: () throws -> Void) {
      tried += 1
      if (try? body()) != nil { accepted += 1 }
    }
    let report = try Envelope(
      .report,
      Report(fleet: "kiosks", device: key("device").publicKey, sequence: 1, time: noon, keys: 1, digest: hash)
        .encoded(),
      signedBy: [key("device")]
    ).encoded()
    for _ in 0..<(count / 4) {
      let wrongKeys = mangled(keys, &random)
      if wrongKeys != keys { tell { _ = try trust.take(keys: wrongKeys, clock: noon) } }
      let wrongReport = mangled(report, &random)
      if wrongReport != report { tell { _ = try Report.verified(wrongReport, after: nil) } }
    }
    _ = try trust.take(keys: keys, clock: noon)
    for _ in 0..<(count / 4) {
      let wrongManifest = mangled(manifest, &random)
      if wrongManifest != manifest {
        tell { _ = try trust.verified(manifest: wrongManifest, for: .fleet, clock: noon) }
      }
      let wrongDocument = mangled(document, &random)
      if wrongDocument != document { tell { _ = try HeldDocument(wrongDocument, hash: hash) } }
    }
    #expect(accepted == 0, "seed \(seed)")
    #expect(tried > count * 9 / 10)
  }

  /// Also of what nobody has signed: whatever is read is written the same again.
  @Test func whatIsReadHasOneForm() throws {
    let document = try everything.encoded()
    let manifest = try Manifest(
      fleet: "kiosks", channel: .fleet, version: 5, keys: 1, issued: noon, expires: noon + 1,
      versions: [.init(group: "lobby", version: 3), .init(group: "a", version: 1)],
      documents: [.init(hash: Crypto.hash([1]), size: 1, name: "first", rollout: Rollout(share: 1, salt: [1]))],
      interval: 60
    ).encoded()
    let keys = try publisher().keys.encoded()
    var random = Random(seed: seed)
    var taken = 0
    for _ in 0..<(count / 3) {
      let one = mangled(document, &random)
      if let read = try? Document.decode(one) {
        taken += 1
        #expect(try read.encoded() == one)
      }
      let two = mangled(manifest, &random)
      if let read = try? Manifest.decode(two) {
        taken += 1
        #expect(try read.encoded() == two)
      }
      let three = mangled(keys, &random)
      if let read = try? KeyDocument.decode(three) {
        taken += 1
        #expect(try read.encoded() == three)
      }
    }
    #expect(taken > 0)
  }
}
