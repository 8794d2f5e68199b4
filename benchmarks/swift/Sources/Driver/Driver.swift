#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What a subject does for the measures of c/driver.h; its loops are its own, so that the compiler sees through them.
public protocol Subject {
  /// Reads a truth value, an integer (of which the lower half counts) and a number of each triple; returns their sum.
  func readByName(_ names: Names, _ range: Range<Int>) throws -> Int64
  /// The same by what was opened for each name; nil if there are no keys.
  func openKeys(_ names: Names) throws -> ((Range<Int>) throws -> Int64)?
  /// The bytes of all the texts.
  func readTexts(_ names: Names) throws -> Int64
  func readInteger(_ name: String) throws -> Int64
  /// Sets integers, durably, as one commit.
  func commit(_ edits: [(name: String, value: Int64)]) throws
}

public func settingName(_ index: Int) -> String { "group\(index / 100).setting\(index)" }
public func textValue(_ index: Int) -> String {
  let digits = String(index)
  return "text " + String(repeating: "0", count: 11 - digits.utf8.count) + digits
}
public func boolValue(_ index: Int) -> Bool { index % 4 == 1 }
public func integerValue(_ index: Int) -> Int64 { Int64(index) * 7 }
public func numberValue(_ index: Int) -> Double { Double(index) + 0.25 }
public func colorValue(_ index: Int) -> String {
  let digits = String(index * 37 % 0x1000000, radix: 16, uppercase: true)
  return "#" + String(repeating: "0", count: 6 - digits.utf8.count) + digits
}
public func urlValue(_ index: Int) -> String { "https://media.example/loop/\(index).mp4" }

public let types = 6

/// The names in the order in which they are read.
public struct Names {
  public let triples: [(bool: String, integer: String, number: String)]
  public let texts: [String]
  let integers: [Int]
  let sum: Int64

  init(count: Int) {
    let amount = count / types
    let rounds = amount < 1024 ? (1023 + amount) / amount : 1
    var generator = Generator()
    var columns: [[Int]] = []
    var sum: Int64 = 0
    for type in 1...3 {
      var column: [Int] = []
      for _ in 0..<rounds { column += (0..<amount).map { $0 * types + type }.shuffled(using: &generator) }
      for index in column {
        sum += type == 1 ? (boolValue(index) ? 1 : 0) : type == 2 ? integerValue(index) : Int64(numberValue(index))
      }
      columns.append(column)
    }
    let names = (0..<count).map(settingName)
    triples = (0..<columns[0].count).map { (names[columns[0][$0]], names[columns[1][$0]], names[columns[2][$0]]) }
    texts = (0..<amount).map { $0 * types }.shuffled(using: &generator).map { names[$0] }
    integers = (0..<amount).map { $0 * types + 2 }.shuffled(using: &generator)
    self.sum = sum
  }
}

struct Generator: RandomNumberGenerator {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

public func now() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

public func fail(_ message: String) -> Never {
  let text = "\(CommandLine.arguments[0]): \(message)\n"
  write(2, text, text.utf8.count)
  exit(1)
}

final class Server {
  let subject: any Subject
  let names: Names
  var byKey: ((Range<Int>) throws -> Int64)?
  var next = 0

  init(_ subject: any Subject, count: Int) {
    self.subject = subject
    names = Names(count: count)
  }

  func measure(_ what: Substring, least: Int) throws -> Double {
    let all = 0..<names.triples.count
    let run: () throws -> (sum: Int64, reads: Int)
    switch what {
    case "name": run = { [self] in (try subject.readByName(names, all), all.count * 3) }
    case "string": run = { [self] in (try subject.readTexts(names), names.texts.count) }
    default:
      if byKey == nil { byKey = try subject.openKeys(names) }
      guard let byKey else { fail("there are no keys") }
      run = { (try byKey(all), all.count * 3) }
    }
    let expected = what == "string" ? Int64(names.texts.count * 16) : names.sum
    _ = try run()
    var times: [Double] = []
    let begin = now()
    while times.isEmpty || now() - begin < least {
      let start = now()
      let (sum, count) = try run()
      times.append(Double(now() - start) / Double(count))
      if sum != expected { fail("read a wrong value") }
    }
    return times.sorted()[times.count / 2]
  }

  func commits(batch: Int, budget: Int, most: Int) throws -> [Int] {
    var times: [Int] = []
    let end = now() + budget
    while times.count < most, times.isEmpty || now() < end {
      let edits = (0..<batch).map { _ in
        let index = names.integers[next % names.integers.count]
        next += 1
        let high = Int64(((now() >> 12) + next) & 0x3FFF_FFFF)
        return (name: settingName(index), value: integerValue(index) + high << 32)
      }
      let begin = now()
      try subject.commit(edits)
      times.append(now() - begin)
    }
    return times
  }

  func answer(_ line: String) throws -> String {
    let words = line.split(separator: " ")
    switch words.first ?? "" {
    case "read": return String(try measure(words[1], least: Int(words[2]) ?? 0))
    case "commit":
      let numbers = words.dropFirst().map { Int($0) ?? 1 }
      return try commits(batch: numbers[0], budget: numbers[1], most: numbers[2]).map(String.init).joined(separator: " ")
    case "rss": return file("/proc/self/status").first { $0.hasPrefix("VmRSS") }?.split(separator: " ")[1].description ?? ""
    default: fail("no such command: \(line)")
    }
  }
}

func file(_ path: String) -> [String] {
  var lines: [String] = []
  guard let file = fopen(path, "r") else { return lines }
  defer { fclose(file) }
  var buffer = [CChar](repeating: 0, count: 4096)
  while fgets(&buffer, Int32(buffer.count), file) != nil {
    lines.append(String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self))
  }
  return lines
}

/// Runs the program `SUBJECT first|maps|serve PATH COUNT`.
public func run(_ open: (_ path: String) throws -> any Subject) throws {
  let arguments = CommandLine.arguments
  guard arguments.count == 4, let count = Int(arguments[3]), count >= 12 else { fail("usage: first|maps|serve PATH COUNT") }
  let subject = try open(arguments[2])
  let index = count / 2 / types * types + 2
  guard try subject.readInteger(settingName(index)) & 0xFFFF_FFFF == integerValue(index) else { fail("read a wrong value") }
  switch arguments[1] {
  case "maps":
    for line in file("/proc/self/maps") { if let slash = line.firstIndex(of: "/") { print(line[slash...]) } }
  case "serve":
    let server = Server(subject, count: count)
    print("ready")
    fflush(nil)
    while let line = readLine() {
      print(try server.answer(line))
      fflush(nil)
    }
  default: break
  }
}
