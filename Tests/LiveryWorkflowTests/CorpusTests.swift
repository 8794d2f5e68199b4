import Glibc
import Testing

@testable import LiveryWorkflow

/// What `Tests/Fuzz` has kept of messages, of mounts and of images: of each there is what is taken, and what is not.
@Suite struct CorpusTests {
  private static func inputs(_ target: String = "prompt-message") throws -> [[UInt8]] {
    var path = Array(#filePath.split(separator: "/").dropLast(2))
    path += ["Fuzz", "corpus", "\(target).txt"]
    let file = try #require(fopen("/" + path.joined(separator: "/"), "r"))
    defer { fclose(file) }
    var text: [UInt8] = []
    while case let byte = fgetc(file), byte >= 0 { text.append(UInt8(byte)) }
    return text.split(separator: 10, omittingEmptySubsequences: false).dropLast().map { unpacked(Array($0)) }
  }

  /// A backslash and two hexadecimal digits stand for a byte.
  private static func unpacked(_ line: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    var place = 0
    while place < line.count {
      if line[place] == UInt8(ascii: "\\"), place + 2 < line.count {
        bytes.append(UInt8(String(decoding: line[(place + 1)...(place + 2)], as: UTF8.self), radix: 16) ?? 0)
        place += 3
      } else {
        bytes.append(line[place])
        place += 1
      }
    }
    return bytes
  }

  private func holds(_ bytes: [UInt8]) -> Bool {
    guard let message = Message(bytes[...]) else { return true }
    let written = message.bytes
    return Message(written[...])?.bytes == written && written.count <= bytes.count
  }

  @Test func whatWasKeptIsTakenAndWrittenAgainOrRefused() throws {
    let inputs = try Self.inputs()
    #expect(inputs.count > 20)
    for input in inputs { #expect(holds(input)) }
    #expect(inputs.contains { Message($0[...]) != nil } && inputs.contains { Message($0[...]) == nil })
  }

  @Test func whatWasKeptOfMountsAndOfFilesIsReadOrPassedOver() throws {
    let tables = try Self.inputs("picker-mounts")
    #expect(tables.contains { !Mount.all(in: $0).isEmpty } && tables.contains { Mount.all(in: $0).isEmpty })
    let heads = try Self.inputs("picker-head")
    #expect(Set(heads.compactMap { ImageFolder.type(ofHead: $0.prefix(1024)) }).count == 5)
  }
}
