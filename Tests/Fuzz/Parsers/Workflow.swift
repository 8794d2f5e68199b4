import LiveryClient

@testable import LiveryWorkflow

// What another process says of a prompt.

@_cdecl("fuzz_prompt_message")
@Sendable public func fuzzPromptMessage(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let message = Message(bytes[...]) else { return }
  let written = message.bytes
  guard let again = Message(written[...]) else { return require(false, "what was taken is taken again") }
  require(again.bytes == written, "it is the same")
  // An error's text may be cut off, and nothing else.
  require(written.count <= bytes.count, "nothing is added")
  switch message {
  case .ask(let value): require(value["kind"] == nil || value.count > 0, "a request is an object")
  case .verdict(let error?, _), .end(let error?), .failed(let error):
    require(error.code.rawValue < 0, "a failure is one")
  default: break
  }
}
