import LiveryClient

@testable import LiveryFleet

// Keys and documents that are the same in every run.

func key(_ name: String) -> SigningKey {
  // A seed of 32 bytes makes a key.
  SigningKey.make(seed: Crypto.hash(Array("livery test key \(name)".utf8)))!
}

let noon: Int64 = 1_780_000_000

func reason(_ body: () throws -> Any) -> FleetError.Reason? {
  do {
    _ = try body()
    return nil
  } catch { return (error as? FleetError)?.reason }
}

extension Manifest.Entry {
  init(
    _ name: String, scope: String? = nil, rollout: Rollout? = nil, by author: String? = nil, _ comment: String? = nil
  ) {
    self.init(
      hash: [], size: 0, name: name, scope: scope, rollout: rollout, author: author, comment: comment)
  }
}

/// A document with something of everything.
let everything = Document(
  schema: 3...7, from: .moment(noon), until: .wall("2026-12-24T18:00:00"),
  settings: [
    .init("volume", .recommend, .int(70)), .init("url", .replace, .url("https://example.com/"), serial: 4),
    .init("locked", .enforce, .list([.bool(true), .string("é"), .double(0.1), .double(1.5)])), .init("gone", .release),
    .init("color", .enforce, .color(Color(red: 1, green: 0.5, blue: 0, alpha: 1))),
    .init("when", .recommend, .date(Timestamp(microseconds: 1_780_000_000_500_000))),
    .init("logo", .recommend, .image("asset:" + String(repeating: "0f", count: 32))),
    .init("bytes", .recommend, .data([0, 255])),
    .init("object", .recommend, .object([.init("bb", .int(-1)), .init("a", .int(-500))])),
  ], assets: [.init(hash: Crypto.hash([1, 2, 3]), size: 3)], trial: .init(seconds: 600, check: "network"))

/// A fleet with a channel of each kind.
func publisher() -> Publisher {
  Publisher(fleet: "kiosks", roots: [key("root")], signers: [key("signer")], now: noon)
}

let code = EnrollmentCode(
  url: "https://settings.example.com/kiosks", fleet: "kiosks", token: Array(0..<16),
  fingerprint: KeyDocument.Roots(keys: [key("root").publicKey]).fingerprint, expires: noon + 3600)
