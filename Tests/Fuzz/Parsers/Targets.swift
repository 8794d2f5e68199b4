import CSystem

@testable import LiveryCore

// The parsers as one function each, from bytes to nothing: whatever they are given, they return. What they take must
// also come back from what they write. A broken promise ends the process, which the fuzzer reports.

func require(_ holds: Bool, _ promise: StaticString) {
  guard !holds else { return }
  // Embedded Swift ends without a word.
  lvs_write_all(2, promise.utf8Start, promise.utf8CodeUnitCount)
  fatalError("\(promise)")
}

func fuzzedBytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

@_cdecl("fuzz_json")
@Sendable public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let document = try? JSON.parse(bytes) else { return }
  _ = SchemaDigest.of(document)
}

@_cdecl("fuzz_value")
@Sendable public func fuzzValue(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let document = try? JSON.parse(bytes), let value = try? Value(json: document) else { return }
  let written = Array(value.json().utf8)
  guard let again = try? Value(json: JSON.parse(written)) else { return require(false, "what was written is read") }
  require(again == value, "what was written is the same")
  guard (try? value.check()) != nil else { return }
  cborRoundTrip(value)
}

private func cborRoundTrip(_ value: Value) {
  let bytes = CBOR.encode(value)
  guard let back = try? CBOR.decode(bytes) else { return require(false, "what was encoded is decoded") }
  require(CBOR.encode(back) == bytes, "encoding is deterministic")
}

@_cdecl("fuzz_schema")
@Sendable public func fuzzSchema(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let compilation = try? compileSchema(bytes) else { return }
  let hasErrors = compilation.diagnostics.contains { $0.severity == .error }
  require((compilation.schema == nil) == hasErrors, "a schema, or an error")
  for descriptor in compilation.schema?.settings ?? [] {
    if let value = descriptor.defaultValue {
      guard case .valid(let same) = descriptor.validated(value), same == value else {
        return require(false, "a default satisfies its own declaration")
      }
    }
    guard let back = try? SettingDescriptor.decode(descriptor.encode(), key: descriptor.key) else {
      return require(false, "a declaration that was encoded is decoded")
    }
    require(back.encode() == descriptor.encode(), "a declaration comes back")
  }
  guard let schema = compilation.schema else { return }
  guard let outline = try? FormOutline(bytes) else { return require(false, "what compiles has an outline") }
  let count = outline.groups.reduce(0) { $0 + settingCount($1.elements) }
  require(count == schema.settings.count, "every setting is in the outline")
  for language in outline.texts.names { _ = try? outline.texts.translation(language)("a") }
}

private func settingCount(_ elements: [FormOutline.Element]) -> Int {
  elements.reduce(0) { count, element in
    switch element {
    case .header: count
    case .pane(_, let inner): count + settingCount(inner)
    case .setting: count + 1
    }
  }
}

@_cdecl("fuzz_plist_xml")
@Sendable public func fuzzPropertyListXML(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  if bytes.starts(with: Array("bplist".utf8)) { return }
  _ = try? PropertyList.parse(bytes)
}

@_cdecl("fuzz_plist_binary")
@Sendable public func fuzzPropertyListBinary(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  _ = try? PropertyList.parse(Array("bplist00".utf8) + bytes)
}

@_cdecl("fuzz_cbor")
@Sendable public func fuzzCBOR(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let value = try? CBOR.decode(bytes) else { return }
  require(CBOR.encode(value) == bytes, "only the deterministic form is taken")
  _ = value.json()
}

/// Any bytes as a block, and as a text that comes back.
@_cdecl("fuzz_squeezed")
@Sendable public func fuzzSqueezed(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  _ = try? Squeezed.decode([UInt8](repeating: 0, count: 8) + bytes)
  if let text = try? Squeezed.decode(bytes) {
    require((try? Squeezed.decode(Squeezed.encode(text))) == text, "what was read is written and read again")
  }
  let squeezed = Squeezed.encode(bytes)
  require((try? Squeezed.decode(squeezed)) == bytes, "a text comes back")
}

/// A record whose checksum fits: what is behind it is taken apart.
@_cdecl("fuzz_record")
@Sendable public func fuzzRecord(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  let key = Array("name".utf8)
  let sealed = Checksum.sealed(bytes, key: key, tag: 3)
  sealed.withUnsafeBytes { stored in
    let place = RecordPlace(stored.bytes, key: key.span.bytes, tag: 3)
    guard let setting = SettingRecord(stored.bytes, key: key, tag: 3) else { return }
    let inEffect = setting.effective
    _ = inEffect?.value?.json()
    require(place != nil && place?.isUnknown == (inEffect == nil), "both ways of reading know it")
    require(place?.value(in: stored.bytes) == inEffect?.value, "both ways of reading see the same value")
    let again = setting.encode(key: key.span.bytes, tag: 3).array
    again.withUnsafeBytes { bytes in
      let back = SettingRecord(bytes.bytes, key: key, tag: 3)
      require(
        back?.encode(key: key.span.bytes, tag: 3).array == again && back?.values == setting.values,
        "a record comes back")
    }
  }
}

private func string(_ bytes: [UInt8]) -> String {
  bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}

@_cdecl("fuzz_color")
@Sendable public func fuzzColor(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let color = Color(hex: string(bytes)) else { return }
  require((0...1).contains(color.red) && (0...1).contains(color.alpha), "components are from 0 to 1")
}

@_cdecl("fuzz_date")
@Sendable public func fuzzDate(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  guard let moment = Timestamp(rfc3339: string(bytes)) else { return }
  require(Timestamp(rfc3339: moment.rfc3339) == moment, "a moment comes back")
}

/// The pattern ends at the first NUL, the name it is tried on follows.
@_cdecl("fuzz_pattern")
@Sendable public func fuzzPattern(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  guard let pattern = try? NamePattern(string(Array(parts[0]))) else { return }
  _ = pattern.matches(string(parts.count > 1 ? Array(parts[1]) : Array("group.setting.a".utf8)))
}

/// What text converts to.
@_cdecl("fuzz_text")
@Sendable public func fuzzText(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  let bytes = fuzzedBytes(start, count)
  let value = Value.string(string(bytes))
  for type: ValueType in [.bool, .int, .double, .data, .url, .date, .color, .image] {
    guard let converted = value.coerced(to: type) else { continue }
    require(converted.type == type, "a conversion is of the type asked for")
    cborRoundTrip(converted)
  }
}
