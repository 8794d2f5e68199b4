import LiveryClient

@testable import LiveryCore
@testable import LiveryWorkflow

// What another process says of a prompt; what the kernel says of mounts, and a file of what it is.

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

@_cdecl("fuzz_picker_mounts")
@Sendable public func fuzzPickerMounts(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  let lines = bytes.split(separator: UInt8(ascii: "\n")).count
  let mounts = Mount.all(in: bytes)
  require(mounts.count <= lines, "a line is one mount at most")
  for mount in mounts {
    require(!mount.path.utf8.contains(0) && !mount.device.utf8.contains(0), "C takes it whole")
    require(mount.value["path"]?.text?.utf8.elementsEqual(mount.path.utf8) ?? false, "it is told as it is")
  }
}

@_cdecl("fuzz_picker_head")
@Sendable public func fuzzPickerHead(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  let type = ImageFolder.type(ofHead: bytes.prefix(1024))
  // What assets take for an image is listed as that.
  guard let facts = try? ImageFacts(bytes), facts.type != .svg else { return }
  require(type?.utf8.elementsEqual(facts.type.description.utf8) ?? false, "it is the type that assets tell")
}
