@testable import LiverySecrets

// The text of keys, which somebody else may have written.

@_cdecl("fuzz_secrets_keys")
@Sendable public func fuzzSecretsKeys(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let keys = try? KeyText.keys(in: UnsafeRawBufferPointer(start: start, count: count)) else { return }
  require(!keys.isEmpty && keys.count <= 8, "there are one to eight keys")
  let again: [String]? = try? KeyText.text(of: keys) { (text) in (try? KeyText.keys(in: text))?.map { $0.name } }
  require(again.map { $0.elementsEqual(keys.map { $0.name }) } == true, "what is written is what was read")
}
