import LiveryClient
import LiveryHTTP

@testable import LiveryFleet

// What travels between the devices of a fleet and its console. Whatever is read is written the same again.

private func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

@_cdecl("fuzz_fleet_cbor")
@Sendable public func fuzzFleetCBOR(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  guard let value = try? CBOR.decode(given) else { return }
  require((try? CBOR.encode(value)) == given, "only the deterministic form is taken")
}

@_cdecl("fuzz_fleet_signed")
@Sendable public func fuzzFleetSigned(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  for kind in Envelope.Kind.allCases {
    guard let envelope = try? Envelope.decode(given, as: kind) else { continue }
    require((try? envelope.encoded()) == given, "what is signed has one form")
    // Those of the seeds are right.
    _ = try? envelope.verify { _ in true }
    require((try? envelope.verify { _ in false }) == nil, "who may not sign is refused")
  }
}

@_cdecl("fuzz_fleet_keys")
@Sendable public func fuzzFleetKeys(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  guard let document = try? KeyDocument.decode(given) else { return }
  require((try? document.encoded()) == given, "a key document has one form")
}

@_cdecl("fuzz_fleet_manifest")
@Sendable public func fuzzFleetManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  guard let manifest = try? Manifest.decode(given) else { return }
  require((try? manifest.encoded()) == given, "a manifest has one form")
}

@_cdecl("fuzz_fleet_document")
@Sendable public func fuzzFleetDocument(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  guard let document = try? Document.decode(given) else { return }
  require((try? document.encoded()) == given, "a document has one form")
  let (_, next) = document.holds(at: 1_780_000_000) { $0 % 7200 }
  require(next.map { $0 > 1_780_000_000 } ?? true, "what changes next lies ahead")
}

@_cdecl("fuzz_fleet_report")
@Sendable public func fuzzFleetReport(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  if let report = try? Report.decode(given) {
    require((try? report.encoded()) == given, "a report has one form")
  }
  if let request = try? EnrollmentRequest.decode(given) {
    require((try? request.encoded()) == given, "a request has one form")
  }
}

/// Any text as a code, and as one whose check fits.
@_cdecl("fuzz_fleet_code")
@Sendable public func fuzzFleetCode(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let given = bytes(start, count)
  let check = Base64URL.encode(Crypto.hash(given).prefix(5)).prefix(6)
  for text in [given, given + Array("&c=".utf8) + check] {
    guard let code = try? EnrollmentCode.decode(String(decoding: text, as: UTF8.self)) else { continue }
    guard let again = try? code.encoded() else { return require(false, "a code that is read is written") }
    require((try? EnrollmentCode.decode(again)) == code, "a code comes back")
    require(again.utf8.count <= 250, "a code is short")
  }
}

/// What a device has kept.
@_cdecl("fuzz_fleet_kept")
@Sendable public func fuzzFleetKept(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let value = try? CBOR.decode(bytes(start, count)) else { return }
  _ = try? Trust(value)
  _ = try? Owned(value)
  let trust = Trust(fleet: "a", fingerprint: [UInt8](repeating: 0, count: 32))
  guard let kept = try? trust.value else { return require(false, "what is trusted is kept") }
  guard case .object(let members) = value else { return }
  let records = members.map { Device.Record($0.key, $0.value) }
  let configuration = Device.Configuration(fleet: "a", device: [UInt8](repeating: 1, count: 32))
  let device = try? Device(configuration, records: [Device.Record("trust", kept)] + records, seed: 1)
  require(device != nil, "damaged records are passed over")
}
