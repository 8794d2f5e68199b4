import LiveryClient

@testable import LiveryHTTP
@testable import LiveryPage

// What browsers send to a page, and what only others do.

@_cdecl("fuzz_page_target")
@Sendable public func fuzzPageTarget(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let target = Target(fuzzedBytes(start, count)) else { return }
  let path = Array(target.path.utf8)
  require(path.first == 0x2F, "a path begins with a slash")
  require(!path.contains { $0 < 0x20 || $0 == 0x5C || $0 == 0x7F }, "nothing hides in a path")
  for segment in path.split(separator: 0x2F) {
    require(!segment.elementsEqual([0x2E]) && !segment.elementsEqual([0x2E, 0x2E]), "a path does not climb")
  }
  guard let again = Target(encoded(path, keeping: 0x2F)) else { return require(false, "what was taken is taken again") }
  require(again.path.utf8.elementsEqual(path), "it is the same")
}

@_cdecl("fuzz_page_form")
@Sendable public func fuzzPageForm(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let fields = Fields(urlEncoded: fuzzedBytes(start, count)[...]) else { return }
  require(fields.all.count <= Fields.most, "not too many fields")
  var written: [UInt8] = []
  for field in fields.all {
    if !written.isEmpty { written.append(0x26) }
    written += encoded(Array(field.name.utf8)) + [0x3D] + encoded(Array(field.value.utf8))
  }
  guard let again = Fields(urlEncoded: written[...]) else { return require(false, "what was taken is taken again") }
  require(again.all.count == fields.all.count, "as many fields")
  for (left, right) in zip(again.all, fields.all) {
    require(
      left.name.utf8.elementsEqual(right.name.utf8) && left.value.utf8.elementsEqual(right.value.utf8),
      "the same fields")
  }
}

@_cdecl("fuzz_page_multipart")
@Sendable public func fuzzPageMultipart(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  // The first boundary is put in front: hardly anything else is a form.
  let body = Array("--x".utf8) + fuzzedBytes(start, count)
  guard let boundary = Multipart.boundary(of: Array("multipart/form-data; boundary=x".utf8)[...]) else {
    return require(false, "a boundary is one")
  }
  guard let form = Multipart(body, boundary: boundary) else { return }
  var size = 0
  for field in form.fields.all { size += field.name.utf8.count + field.value.utf8.count }
  for file in form.files { size += file.name.utf8.count + file.fileName.utf8.count + file.bytes.count }
  require(size <= body.count, "nothing is there that did not come")
}

@_cdecl("fuzz_page_headers")
@Sendable public func fuzzPageHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  if let authority = Authority(bytes[...]) {
    let text = authority.host + (authority.port.map { ":\($0)" } ?? "")
    guard let again = Authority(Array(text.utf8)[...]) else { return require(false, "what was taken is taken again") }
    require(again.isSame(authority), "it is the same")
  }
  if let origin = Authority(ofURL: bytes[...]) { require(origin.port != nil, "an origin has a port") }
  if let boundary = Multipart.boundary(of: bytes[...]) {
    require((5...74).contains(boundary.count), "a boundary has 1 to 70 bytes")
  }
  _ = Parameters(bytes[...])
  for cookie in Head.cookies(named: "livery", in: [bytes, bytes]) { require(!cookie.contains(0x3B), "a cookie ends") }
  _ = Head.accepts(gzip: bytes)
  _ = Answer.isKnown("a", bytes[...])
  _ = Password.isReasonable(bytes[...])
}

private func encoded(_ bytes: [UInt8], keeping kept: UInt8? = nil) -> [UInt8] {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    if byte == kept { text.append(byte) } else { text += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  }
  return text
}

/// A form with controls of each kind, and a list.
private let promptForm: [Element] = {
  func made(_ kind: Element.Kind, _ name: String) -> Element {
    let element = Element(kind: kind)
    element.name = name
    return element
  }
  let list = made(.list, "list")
  list.template = [made(.secret, "key"), made(.text, "name")]
  return [
    made(.text, "text"), made(.secret, "secret"), made(.toggle, "toggle"), made(.choices, "choices"),
    made(.integer, "integer"),
    list, made(.date, "date"), made(.url, "url"), made(.image, "image"),
  ]
}()

@_cdecl("fuzz_page_prompt")
@Sendable public func fuzzPagePrompt(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  guard let fields = Fields(urlEncoded: fuzzedBytes(start, count)[...]) else { return }
  let table = FieldTable(fields)
  var entry = ListEntry(promptForm, table)
  _ = entry.carryOut(table["op"] ?? "")
  for item in entry.items {
    require(item.members.count == entry.template.count, "an item has each member")
  }
  guard entry.items.count == 1, case .object(let answer) = entry.answer else { return }
  require(answer.count <= entry.template.count, "an answer has no more than the form")
  guard case .object(let kept) = entry.withoutSecrets.answer else { return require(false, "it is an answer, too") }
  require(!kept.contains { $0.key.utf8.elementsEqual("secret".utf8) }, "no secret is kept")
}
