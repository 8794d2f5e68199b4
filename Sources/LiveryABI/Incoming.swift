import CLivery
import CSystem
import Livery

// What callers pass in

@inline(__always)
func handleNumber(_ pointer: OpaquePointer?) -> UInt64 {
  UInt64(UInt(bitPattern: pointer))
}

/// A parameter that must not be NULL.
func required<Pointer>(_ pointer: Pointer?, _ parameter: StaticString) throws(StoreError) -> Pointer {
  guard let pointer else { throw StoreError(.invalidArgument, "\(parameter) is NULL") }
  return pointer
}

/// The bytes of a parameter with a length: nothing is read when the length is beyond the limit.
func bytes(
  _ pointer: UnsafeRawPointer?, _ length: Int, limit: Int32, tooLong code: StoreError.Code,
  zeroTerminated: Bool, _ parameter: StaticString
) throws(StoreError) -> UnsafeRawBufferPointer {
  // SIZE_MAX is -1 as Swift sees a size_t.
  let findsEnd = zeroTerminated && length == -1
  if !findsEnd, length == 0, !zeroTerminated, pointer == nil { return UnsafeRawBufferPointer(start: nil, count: 0) }
  let start = try required(pointer, parameter)
  let count = findsEnd ? end(of: start, limit: Int(limit)) : length
  guard count >= 0, count <= Int(limit) else {
    throw StoreError(code, "\(parameter) is longer than \(limit) bytes")
  }
  // It is copied, and what it is read into takes as much again.
  try Memory.require(count &* 2)
  return UnsafeRawBufferPointer(start: start, count: count)
}

/// The distance to the first NUL, or more than the limit when there is none before.
private func end(of start: UnsafeRawPointer, limit: Int) -> Int {
  strnlen(start.assumingMemoryBound(to: CChar.self), limit &+ 1)
}

func utf8(_ bytes: UnsafeRawBufferPointer, _ code: StoreError.Code, _ parameter: StaticString)
  throws(StoreError) -> String
{
  guard let text = String(validating: bytes, as: UTF8.self) else {
    throw StoreError(code, "\(parameter) is not UTF-8")
  }
  return text
}

/// Text of a value.
func valueText(_ pointer: UnsafePointer<CChar>?, _ length: Int) throws(StoreError) -> String {
  let found = try bytes(
    pointer, length, limit: LIVERY_VALUE_MAX, tooLong: .invalidValue, zeroTerminated: true, "text")
  return try utf8(found, .invalidValue, "text")
}

/// Bytes of a value.
func valueBytes(_ pointer: UnsafeRawPointer?, _ length: Int) throws(StoreError) -> [UInt8] {
  [UInt8](
    try bytes(
      pointer, length, limit: LIVERY_VALUE_MAX, tooLong: .invalidValue, zeroTerminated: false, "bytes"))
}

/// JSON or a property list.
func document(_ pointer: UnsafeRawPointer?, _ length: Int, zeroTerminated: Bool, _ parameter: StaticString)
  throws(StoreError) -> [UInt8]
{
  let start = try required(pointer, parameter)
  return [UInt8](
    try bytes(
      start, length, limit: LIVERY_DOCUMENT_MAX, tooLong: .parse, zeroTerminated: zeroTerminated, parameter))
}

/// A NUL-terminated argument of bounded length.
func argument(_ pointer: UnsafePointer<CChar>?, limit: Int32, _ parameter: StaticString)
  throws(StoreError) -> String
{
  try utf8(argumentBytes(pointer, limit: limit, parameter), .invalidArgument, parameter)
}

/// The same as it is.
func argumentBytes(_ pointer: UnsafePointer<CChar>?, limit: Int32, _ parameter: StaticString)
  throws(StoreError) -> UnsafeRawBufferPointer
{
  try bytes(
    try required(pointer, parameter), -1, limit: limit, tooLong: .invalidArgument, zeroTerminated: true, parameter)
}

/// A setting's name; its characters are for the store to check.
func settingName(_ pointer: UnsafePointer<CChar>?) throws(StoreError) -> String {
  try argument(pointer, limit: LIVERY_NAME_MAX, "name")
}

/// A pattern, or nil for all.
func optionalPattern(_ pointer: UnsafePointer<CChar>?) throws(StoreError) -> String? {
  guard let pointer else { return nil }
  return try argument(pointer, limit: 1024, "pattern")
}

func layer(_ number: livery_layer) throws(StoreError) -> Layer {
  guard let raw = UInt8(exactly: number), let layer = Layer(rawValue: raw) else {
    throw StoreError(.invalidArgument, "\(number) is no layer")
  }
  return layer
}

func checkFlags(_ flags: UInt32, known: Int...) throws(StoreError) {
  var unknown = flags
  for bit in known { unknown &= ~UInt32(truncatingIfNeeded: bit) }
  guard unknown == 0 else { throw StoreError(.invalidArgument, "unknown flags 0x\(String(unknown, radix: 16))") }
}

/// A struct of options as this library knows it: members that the caller's header lacks are zero, and members that only
/// the caller's header has must be.
func structure<Options>(_ pointer: UnsafePointer<Options>, none: Options) throws(StoreError) -> Options {
  let source = UnsafeRawPointer(pointer)
  let size = source.loadUnaligned(as: Int.self)
  // No compiler makes a struct that ends within a member, and half a pointer must not be followed.
  guard size >= MemoryLayout<Int>.size, size <= 4096, size % MemoryLayout<Options>.alignment == 0 else {
    throw StoreError(.invalidArgument, "struct_size is \(size): begin with the INIT macro")
  }
  let known = MemoryLayout<Options>.size
  if size > known {
    for offset in known..<size where source.load(fromByteOffset: offset, as: UInt8.self) != 0 {
      throw StoreError(.invalidArgument, "an option is newer than this library")
    }
  }
  var result = none
  withUnsafeMutableBytes(of: &result) {
    $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: min(size, known)))
  }
  return result
}
