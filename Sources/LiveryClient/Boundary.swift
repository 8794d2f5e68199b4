import CClient
import CLivery
import Synchronization

// What the C functions of an extension are made of.

/// Runs what a C function does; an error becomes its status and the thread's last error.
public func boundary(_ body: () throws(StoreError) -> Void) -> Int32 {
  do throws(StoreError) {
    try body()
    return Int32(LIVERY_OK)
  } catch {
    return error.leaving()
  }
}

extension StoreError {
  /// Leaves the error, and gives the status to return: what is none would pass for success.
  func leaving() -> livery_status {
    guard code.rawValue < 0 else {
      return StoreError(.invalidArgument, "the error \(code.rawValue) is no status: \(message)").leaving()
    }
    leave()
    return code.rawValue
  }
}

/// - Throws: `.noMemory` where nothing new may begin. What gives back need not ask.
public func checkMemory() throws(StoreError) {
  if lvc_memory_is_short() { throw StoreError(.noMemory, "there is no memory") }
}

/// A parameter that must not be NULL.
public func required<Pointer>(_ pointer: Pointer?, _ parameter: StaticString) throws(StoreError) -> Pointer {
  guard let pointer else { throw StoreError(.invalidArgument, "\(parameter) is NULL") }
  return pointer
}

/// A text that ends with NUL, of so many bytes at most.
public func argument(
  _ pointer: UnsafePointer<CChar>?, _ parameter: StaticString, limit: Int
) throws(StoreError) -> String {
  let start = try required(pointer, parameter)
  let count = lvc_length(start, limit + 1)
  guard count <= limit else { throw StoreError(.invalidArgument, "\(parameter) is longer than \(limit) bytes") }
  guard let text = String(validating: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self) else {
    throw StoreError(.invalidArgument, "\(parameter) is not UTF-8")
  }
  return text
}

public func checkFlags(_ flags: UInt32, known: Int...) throws(StoreError) {
  var unknown = flags
  for bit in known { unknown &= ~UInt32(truncatingIfNeeded: bit) }
  guard unknown == 0 else { throw StoreError(.invalidArgument, "unknown flags 0x\(String(unknown, radix: 16))") }
}

/// A struct of options as this library knows it, whose first member is its size. Members that the caller's header lacks are
/// as in `none`, which is also what NULL stands for; those that only the caller's header has must be zero.
public func structure<Options>(_ pointer: UnsafePointer<Options>?, none: Options) throws(StoreError) -> Options {
  guard let pointer else { return none }
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

/// What a caller gave with a function. `destroy` is called once: by `end`, or with the last reference.
public final class UserData: @unchecked Sendable {
  public let pointer: UnsafeMutableRawPointer?
  private let destroy: livery_destroy_fn?
  private let hasEnded = Atomic<Bool>(false)

  public init(_ pointer: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?) {
    self.pointer = pointer
    self.destroy = destroy
  }

  deinit { end() }

  public func end() {
    if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { destroy?(pointer) }
  }
}
