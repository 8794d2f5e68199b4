import CWorkflow
import LiveryClient

/// A file system that is mounted, as /proc/self/mountinfo tells it (proc(5)).
struct Mount: Sendable {
  var path: String
  var major: UInt32
  var minor: UInt32
  var device: String
  var fileSystem: String
  var isReadOnly: Bool

  /// The mounts of whole file systems, in the order in which they came.
  static func all(in text: some Collection<UInt8>) -> [Mount] {
    var mounts: [Mount] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if let mount = Mount(line: Array(line)) { mounts.append(mount) }
    }
    return mounts
  }

  /// `36 35 8:1 / /media/stick rw,noatime shared:1 - vfat /dev/sda1 rw`; nil for what is none, and for parts of file systems.
  init?(line: [UInt8]) {
    let words = line.split(separator: UInt8(ascii: " "))
    guard words.count >= 9, let dash = words[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
      dash + 2 < words.count
    else { return nil }
    let numbers = words[2].split(separator: UInt8(ascii: ":"))
    guard numbers.count == 2, let major = Self.number(numbers[0]), let minor = Self.number(numbers[1]),
      words[3].elementsEqual("/".utf8), let path = Self.plain(words[4]), let fileSystem = Self.plain(words[dash + 1]),
      let device = Self.plain(words[dash + 2])
    else { return nil }
    self.path = path
    self.major = major
    self.minor = minor
    self.device = device
    self.fileSystem = fileSystem
    isReadOnly = words[5].split(separator: UInt8(ascii: ",")).contains { $0.elementsEqual("ro".utf8) }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
    var number: UInt32 = 0
    guard !digits.isEmpty, digits.count <= 9 else { return nil }
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + UInt32(digit - UInt8(ascii: "0"))
    }
    return number
  }

  /// Text in which the kernel has written blanks and the like as three octal digits.
  private static func plain(_ word: ArraySlice<UInt8>) -> String? {
    var bytes: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) })
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(digits.reduce(0) { $0 &* 8 &+ ($1 - UInt8(ascii: "0")) })
      rest = rest.dropFirst(3)
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  var value: Value {
    .object([
      .init("path", .string(path)), .init("device", .string(device)), .init("fileSystem", .string(fileSystem)),
      .init("readOnly", .bool(isReadOnly)),
    ])
  }
}

/// Media that people take away.
enum Media {
  /// - Parameters:
  ///   - table: the kernel's list of mounts.
  ///   - sysfs: where the kernel tells of devices.
  static func mounted(_ table: String = "/proc/self/mountinfo", sysfs: String = "/sys") throws(StoreError) -> [Mount] {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    let count = bytes.withUnsafeMutableBytes { (room) in
      table.withCString { lvw_file_text($0, room.baseAddress, room.count) }
    }
    guard count >= 0 else {
      throw StoreError(.io, "\(table) cannot be read", systemError: Int32(clamping: -count))
    }
    let mounts = Mount.all(in: bytes[..<count])
    let root = mounts.last { $0.path.utf8.elementsEqual("/".utf8) }
    var found: [Mount] = []
    for mount in mounts
    where !found.contains(where: { $0.major == mount.major && $0.minor == mount.minor }) {
      let isRemovable = sysfs.withCString {
        lvw_medium_is_removable($0, mount.major, mount.minor, root?.major ?? 0, root?.minor ?? 0)
      }
      if isRemovable { found.append(mount) }
    }
    return found
  }
}
