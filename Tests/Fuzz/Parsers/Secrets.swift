@testable import LiverySecrets

// The text of keys, which somebody else may have written.

@_cdecl("fuzz_secrets_keys")
@Sendable public func fuzzSecretsKeys(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let keys = try? KeyText.keys(in: UnsafeRawBufferPointer(start: start, count: count)) else { return }
  require(!keys.isEmpty && keys.count <= 8, "there are one to eight keys")
  let again: [[UInt8]]? = try? KeyText.text(of: keys) { (text) in (try? KeyText.keys(in: text))?.map { $0.id } }
  require(again == keys.map { $0.id }, "what is written is what was read")
}
