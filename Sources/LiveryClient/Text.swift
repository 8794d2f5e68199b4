import CLivery

// Text on its way to C and back.

extension String {
  /// Whether two texts are the same bytes. `==` would also take canonically equivalent text for the same.
  @inline(never)
  package func sameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var (mine, theirs) = (self, other)
    return mine.withUTF8 { (mine) in theirs.withUTF8 { mine.elementsEqual($0) } }
  }

  /// - Throws: `.invalidArgument` if it has a NUL, at which C would see its end.
  func checkHasNoNUL() throws(StoreError) {
    if utf8.contains(0) { throw StoreError(.invalidArgument, "a text that ends with NUL has one within") }
  }
}

/// Calls a C function with a text that ends with NUL, or with NULL.
func passing(_ text: String?, _ body: (UnsafePointer<CChar>?) -> livery_status) throws(StoreError) {
  try text?.checkHasNoNUL()
  try check(text.withCString(body))
}

/// Calls a C function with several texts that end with NUL, nil for none of them.
func passing(
  all texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> livery_status
) throws(StoreError) {
  var bytes: [UInt8] = []
  var starts: [Int] = []
  for text in texts {
    try text.checkHasNoNUL()
    starts.append(bytes.count)
    bytes += text.utf8
    bytes.append(0)
  }
  let status = bytes.withUnsafeBufferPointer { (bytes) -> livery_status in
    let base = UnsafeRawPointer(bytes.baseAddress)
    var pointers: [UnsafePointer<CChar>?] = []
    for start in starts { pointers.append(base.map { ($0 + start).assumingMemoryBound(to: CChar.self) }) }
    return pointers.withUnsafeBufferPointer { body($0.isEmpty ? nil : $0.baseAddress) }
  }
  try check(status)
}

extension String? {
  /// Calls `body` with the text and NUL behind it, or with NULL.
  func withCString<R>(_ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let self else { return body(nil) }
    return self.withCString { body($0) }
  }
}

/// Calls a C function with bytes and their number.
func passing(bytes: [UInt8], _ body: (UnsafePointer<UInt8>?, Int) -> livery_status) throws(StoreError) {
  try check(bytes.withUnsafeBufferPointer { body($0.baseAddress, $0.count) })
}

/// The same with UTF-8, which may have a NUL within.
func passing(utf8 text: String, _ body: (UnsafePointer<CChar>?, Int) -> livery_status) throws(StoreError) {
  let count = text.utf8.count
  try check(text.withCString { body($0, count) })
}

/// Text that is the library's.
func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length), as: UTF8.self)
}

/// Text that was handed over, which goes back.
func taken(_ start: UnsafeMutablePointer<CChar>?, _ length: Int) -> String {
  defer { livery_free(start) }
  return text(start, length)
}

/// Bytes that were handed over, which go back.
func taken(_ start: UnsafeMutableRawPointer?, _ length: Int) -> [UInt8] {
  defer { livery_free(start) }
  return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length))
}

// What puts texts together is called, and not inlined: the standard library's own is some two hundred bytes each time.

extension DefaultStringInterpolation {
  @inline(never)
  mutating func appendLiteral(_ literal: String) { write(literal) }
  @inline(never)
  mutating func appendInterpolation(_ text: String) { write(text) }
  @inline(never)
  mutating func appendInterpolation(_ number: Int) { write(number.description) }
  @inline(never)
  mutating func appendInterpolation(_ number: UInt64) { write(number.description) }
}

extension String {
  @inline(never)
  static func += (left: inout String, right: String) { left.append(right) }

  @inline(never)
  static func + (left: String, right: String) -> String {
    var text = left
    text.append(right)
    return text
  }

  @inline(never)
  init(decoding bytes: [UInt8], as type: UTF8.Type) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: type) }
  }

  @inline(never)
  init(decoding bytes: ArraySlice<UInt8>, as type: UTF8.Type) {
    self = bytes.withUnsafeBufferPointer { String(decoding: $0, as: type) }
  }

  @inline(never)
  init(decoding bytes: Substring.UTF8View, as type: UTF8.Type) {
    self.init(decoding: Array(bytes), as: type)
  }
}
