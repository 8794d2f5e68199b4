import Foundation
import LiveryClient
import Testing

@testable import LiveryFleet

/// What travels, against the files in Tests/Fixtures/sync: whoever changes the protocol finds out here.
///
/// `Tests/Docs/read_sync.py` reads the same files by docs/sync-protocol.md alone.
@Suite struct VectorTests {
  private static let device = key("device")

  private struct Vector {
    var kind: String
    var label: String
    var bytes: [UInt8]
    var value: Value
  }

  private static func signed(_ kind: Envelope.Kind, _ label: String, _ payload: [UInt8], _ keys: [SigningKey]) throws
    -> Vector
  {
    Vector(
      kind: kind.name, label: label, bytes: try Envelope(kind, payload, signedBy: keys).encoded(),
      value: try CBOR.decode(payload))
  }

  private static func vectors() throws -> [Vector] {
    var made = publisher()
    let first = made.keys
    _ = try made.rotate(
      signers: [key("signer"), key("second signer")], threshold: 2, roots: [key("root 2"), key("root 3")],
      rootThreshold: 2, now: noon + 60)
    let document = try everything.encoded()
    let entry = Manifest.Entry(
      hash: Crypto.hash(document), size: Int64(document.count), name: "everything", scope: "player",
      rollout: Rollout(share: 550, salt: Array("salt".utf8)), author: "Eva Müller", comment: "Hours of the summer")
    let fleet = Manifest(
      fleet: "kiosks", channel: .fleet, version: 5, keys: 2, issued: noon, expires: noon + 86_400,
      versions: [.init(group: "lobby", version: 3), .init(group: "a", version: 1)], documents: [entry], interval: 300)
    let own = Manifest(
      fleet: "kiosks", channel: .device(DeviceID.of(device.publicKey)), version: 1, keys: 1, issued: noon,
      expires: noon + 86_400, groups: ["a", "lobby"])
    let report = Report(
      fleet: "kiosks", device: device.publicKey, sequence: 9, time: noon, schema: 4, keys: 2,
      channels: [.init(channel: .fleet, version: 5), .init(channel: .group("lobby"), version: 3)],
      documents: [.init(hash: entry.hash, verdict: .applied)], violations: [.init(name: "volume", message: "too loud")],
      since: 8, values: [.init("brightness", .user, .double(0.25)), .init("gone", nil, nil)],
      digest: Report.digest([try Report.Effective("brightness", .user, .double(0.25)).digest()]), problem: "expired",
      health: "well")
    let request = EnrollmentRequest(fleet: "kiosks", token: code.token, device: device.publicKey, name: "Lobby, left")
    return [
      try signed(.keys, "first", first.encoded(), [key("root")]),
      try signed(.keys, "other-roots", made.keys.encoded(), [key("root"), key("root 2"), key("root 3")]),
      try signed(.manifest, "fleet", fleet.encoded(), [key("signer"), key("second signer")]),
      try signed(.manifest, "device", own.encoded(), [key("signer")]),
      try signed(.report, "report", report.encoded(), [device]),
      try signed(.enrollment, "request", request.encoded(), [device]),
      Vector(kind: "document", label: "everything", bytes: document, value: try CBOR.decode(document)),
      Vector(
        kind: "document", label: "nothing", bytes: try Document(settings: []).encoded(),
        value: try CBOR.decode(Document(settings: []).encoded())),
    ]
  }

  @Test func documentsAreTheSameBytesAsEver() throws {
    let vectors = try Self.vectors()
    try compare("documents.hex", vectors.map { "\($0.kind) \($0.label) \($0.bytes.hexadecimal)" })
    try compare("decoded.txt", vectors.map { "\($0.kind) \($0.label): \(shown($0.value))" })
  }

  @Test func devicesAndRolloutsAreTheSameAsEver() throws {
    let lines = (0..<12).map { number -> String in
      let publicKey = key("device \(number)").publicKey
      let id = DeviceID.of(publicKey)
      let salt = Array("salt \(number)".utf8)
      return "\(publicKey.hexadecimal) \(id) \(salt.hexadecimal) \(Rollout.place(of: id, salt: salt))"
    }
    try compare("rollout.txt", lines)
  }

  @Test func codesAreTheSameAsEver() throws {
    var lines: [String] = []
    for url in ["https://settings.example.com/kiosks", "http://[fe80::1]:8080/a%20b"] {
      var other = code
      other.url = url
      lines.append(
        "\(try other.encoded()) \(url) \(code.token.hexadecimal) \(code.fingerprint.hexadecimal) \(code.expires)")
    }
    try compare("codes.txt", lines)
  }

  /// Bytes that nobody takes, each with the reason: so that readers of others refuse them, too.
  @Test func whatIsRefusedIsRefusedByAll() throws {
    let good = try #require(try Self.vectors().first { $0.label == "fleet" })
    guard case .list(let parts) = try CBOR.decode(good.bytes), case .list(let signatures) = parts[2] else { return }
    func list(_ parts: [Value]) throws -> [UInt8] { try CBOR.encode(.list(parts)) }
    // Signed by those who may, with a document of somebody.
    func rightly(of author: String, _ comment: String) throws -> [UInt8] {
      guard case .data(let payload) = parts[1] else { return [] }
      var manifest = try Manifest.decode(payload)
      manifest.documents[0].author = author
      manifest.documents[0].comment = comment
      return try Envelope(.manifest, manifest.encoded(), signedBy: [key("signer"), key("second signer")]).encoded()
    }
    var flipped = good.bytes
    flipped[40] ^= 1
    var longer = try CBOR.encode(parts[0])
    // The kind, with its length in two bytes.
    longer = [0x83, 0x78, 0x08] + longer.dropFirst() + (try CBOR.encode(parts[1])) + (try CBOR.encode(parts[2]))
    let refused: [(String, [UInt8])] = [
      ("flipped", flipped), ("longer", longer), ("indefinite", [0x9f] + good.bytes.dropFirst() + [0xff]),
      ("end", good.bytes + [0]), ("swapped", try list([parts[0], parts[1], .list(signatures.reversed())])),
      ("twice", try list([parts[0], parts[1], .list([signatures[0], signatures[0]])])),
      ("one-of-two", try list([parts[0], parts[1], .list([signatures[0]])])),
      ("none", try list([parts[0], parts[1], .list([])])),
      ("renamed", try list([.string("keys"), parts[1], parts[2]])),
      ("forged-line", try rightly(of: "eva\nsync: p9 by otto", "x")), ("no-author", try rightly(of: "", "x")),
      ("turned", try rightly(of: "eva", "\u{202e}txt")),
      ("long-author", try rightly(of: String(repeating: "e", count: Limit.author + 1), "x")),
      ("long-comment", try rightly(of: "eva", String(repeating: "e", count: Limit.comment + 1))),
    ]
    var made = publisher()
    _ = try made.rotate(signers: [key("signer"), key("second signer")], threshold: 2, now: noon)
    var trust = Trust(fleet: "kiosks", fingerprint: made.fingerprint)
    _ = try trust.take(keys: made.keyFiles()[0].bytes, clock: noon)
    #expect(reason { try trust.verified(manifest: good.bytes, for: .fleet, clock: noon) } == nil)
    for (label, bytes) in refused {
      #expect(reason { try trust.verified(manifest: bytes, for: .fleet, clock: noon) } != nil, "\(label)")
    }
    try compare("refused.hex", refused.map { "manifest \($0.0) \($0.1.hexadecimal)" })
  }

  /// Writes a value as Python's reader does: keys in their order, bytes in hexadecimal, text as JSON has it.
  private func shown(_ value: Value) -> String {
    switch value {
    case .bool(let truth): return truth ? "true" : "false"
    case .int(let number): return "\(number)"
    case .double(let number): return "\(number)"
    case .string(let text): return "\"\(text)\""
    case .data(let bytes): return "h'\(bytes.hexadecimal)'"
    case .url(let text): return "url(\"\(text)\")"
    case .image(let text): return "image(\"\(text)\")"
    case .date(let date):
      let text = DateText.encode(microseconds: date.microseconds) ?? []
      return "date(\"\(String(decoding: text, as: UTF8.self))\")"
    case .color(let color): return "color(\(color.red), \(color.green), \(color.blue), \(color.alpha))"
    case .list(let items): return "[" + items.map(shown).joined(separator: ", ") + "]"
    case .object(let members):
      return "{" + members.map { "\"\($0.key)\": \(shown($0.value))" }.joined(separator: ", ") + "}"
    }
  }

  /// Compares lines with those of a file; with `LIVERY_WRITE_VECTORS=1` it is written.
  private func compare(_ name: String, _ lines: [String]) throws {
    let tests = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let url = URL(fileURLWithPath: "\(tests)/Fixtures/sync/\(name)")
    if ProcessInfo.processInfo.environment["LIVERY_WRITE_VECTORS"] == "1" {
      try (lines.joined(separator: "\n") + "\n").write(to: url, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(kept.count == lines.count)
    for line in lines where !kept.contains(line) { Issue.record("Fixtures/sync/\(name) lacks: \(line)") }
  }
}
