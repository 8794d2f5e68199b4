import Foundation
import LiveryCore
import Testing

@Suite struct ImageFactsTests {
  /// What the programs that wrote the sample images know of them.
  static let samples: [(name: String, facts: ImageFacts)] = {
    guard let text = try? fixture("images/facts.txt") else { return [] }
    return String(decoding: text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ")
      let type = MediaType.allCases.first { $0.description == parts[1] } ?? .data
      return (
        String(parts[0]),
        ImageFacts(
          type, width: Int(parts[2]) ?? -1, height: Int(parts[3]) ?? -1, orientation: UInt8(parts[4]) ?? 0)
      )
    }
  }()

  @Test func headersTellTypeSizeAndOrientation() throws {
    try #require(Self.samples.count >= 25)
    for sample in Self.samples {
      #expect(try ImageFacts(fixture("images/\(sample.name)")) == sample.facts, "\(sample.name)")
    }
  }

  @Test func aCutImageTellsTheSameOrWhatIsMissing() throws {
    for sample in Self.samples {
      let bytes = try fixture("images/\(sample.name)")
      var hasFailed = false
      for count in 0..<bytes.count {
        do throws(StoreError) {
          guard let facts = try ImageFacts(Array(bytes[..<count])) else { continue }
          // A cut length is another one.
          #expect(facts == sample.facts, "\(sample.name), \(count) bytes")
        } catch {
          hasFailed = true
          #expect(error.code == .parse && error.message.contains(sample.facts.type.name), "\(error.message)")
        }
      }
      #expect(hasFailed, "\(sample.name)")
    }
  }

  @Test func otherBytesAreNoImage() throws {
    let others: [[UInt8]] = [
      [], [0], "PNG".bytes, "<html><body/></html>".bytes, "<?xml version='1.0'?><plist/>".bytes, "<svgx/>".bytes,
      "RIFF\0\0\0\0WAVEfmt ".bytes, "BM".bytes, "{}".bytes, "<!-- <svg/> -->".bytes, "<!DOCTYPE svg [".bytes,
      [UInt8](repeating: 0x20, count: 70_000) + "<svg/>".bytes, [UInt8](repeating: UInt8(ascii: "<"), count: 100_000),
    ]
    for bytes in others { #expect(try ImageFacts(bytes) == nil) }
  }

  private func png(
    _ width: UInt32 = 1, _ height: UInt32 = 1, depth: UInt8 = 8, color: UInt8 = 2, rest: [UInt8] = [0, 0, 0],
    _ change: (inout [UInt8]) -> Void = { _ in }
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13] + "IHDR".bytes
    bytes.append(bigEndian: width)
    bytes.append(bigEndian: height)
    bytes += [depth, color] + rest
    var sum = UInt32.max
    for byte in bytes[12...] {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    bytes.append(bigEndian: ~sum)
    change(&bytes)
    return bytes
  }

  private func jpeg(_ segments: [UInt8]) -> [UInt8] { [0xFF, 0xD8] + segments }

  private func refusal(_ bytes: [UInt8]) -> String? {
    do throws(StoreError) { _ = try ImageFacts(bytes) } catch { return error.code == .parse ? error.message : nil }
    return nil
  }

  @Test func headersThatLieAreRefusedWithTheReason() throws {
    #expect(try ImageFacts(png(3, 2)) == ImageFacts(.png, width: 3, height: 2))
    let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 7, 1, 1, 0x11, 0]
    #expect(try ImageFacts(jpeg([0xFF, 0xFF, 0xFF, 0xD0] + frame)) == ImageFacts(.jpeg, width: 7, height: 5))
    let webp = { (riff: UInt32, chunk: String, size: UInt32, rest: [UInt8]) -> [UInt8] in
      var bytes = "RIFF".bytes
      bytes.append(littleEndian: riff)
      bytes += "WEBP".bytes + chunk.bytes
      bytes.append(littleEndian: size)
      return bytes + rest
    }
    let lies: [([UInt8], String)] = [
      (png(0, 1), "0 pixels"), (png(1, 0), "0 pixels"), (png(1 << 31, 1), "beyond 2³¹"),
      (png(32_768, 32_768), "32768 × 32768 pixels"), (png(depth: 3), "no color type 2 of 3 bits"),
      (png(depth: 255), "of 255 bits"), (png(color: 1), "no color type 1"),
      (png(rest: [1, 0, 0]), "unknown compression"),
      (png(rest: [0, 0, 2]), "interlace"), (png { $0[20] = 9 }, "checksum of IHDR"),
      (png { $0[5] = 0 }, "text mode"), (png { $0[11] = 14 }, "IHDR of 13 bytes"), (png { $0[15] = 0 }, "IHDR"),
      (png { $0.removeLast() }, "ends after 32 bytes"),
      (jpeg([]), "before the frame header"), (jpeg([0xFF]), "before the frame header"),
      (jpeg([0xFF, 0]), "before the frame header"),
      (jpeg([1]), "before the frame header"), (jpeg([0xFF, 0xE0, 0, 1]), "length of 1 bytes"),
      (jpeg([0xFF, 0xE0, 0xFF, 0xFF, 0]), "segment of 65535 bytes"), (jpeg([0xFF, 0xD9]), "before its end"),
      (jpeg([0xFF, 0xDA]), "before its first scan"),
      (jpeg([0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 7, 3, 1, 0x11, 0]), "3 components in 11 bytes"),
      (jpeg([0xFF, 0xC0, 0, 11, 8, 0, 0, 0, 7, 1, 1, 0x11, 0]), "DNL"),
      (jpeg([0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 0, 1, 1, 0x11, 0]), "0 pixels"),
      (jpeg([0xFF, 0xC2, 0, 11, 8, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 0x11, 0]), "65535 × 65535"),
      ("GIF88a".bytes + [1, 0, 1, 0, 0, 0, 0], "neither GIF87a nor GIF89a"),
      ("GIF89a".bytes + [0, 0, 1, 0, 0, 0, 0], "0 pixels"), ("GIF89a".bytes + [1, 0, 1, 0], "ends after 10 bytes"),
      ("GIF87a".bytes + [1, 0, 1, 0, 0x87, 0, 0], "color table"),
      (webp(100, "VP8X", 10, [UInt8](repeating: 0, count: 10)), "100 bytes that RIFF claims"),
      (webp(22, "VP8X", 11, [UInt8](repeating: 0, count: 10)), "claims 11 bytes"),
      (webp(22, "VP8X", 9, [UInt8](repeating: 0, count: 10)), "has 9 bytes"),
      (webp(22, "VP8X", 10, [0, 0, 0, 0, 255, 255, 255, 255, 255, 255]), "16777216 × 16777216"),
      (webp(22, "VP8L", 10, [UInt8](repeating: 0, count: 10)), "signature of VP8L"),
      (webp(22, "VP8L", 10, [0x2F, 0, 0, 0, 0x20, 0, 0, 0, 0, 0]), "version 1 of VP8L"),
      (webp(22, "VP8 ", 10, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "key frame"),
      (webp(22, "VP8 ", 10, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "start code"),
      (webp(22, "ALPH", 10, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "neither VP8, VP8L nor VP8X"),
      ("<svg width='-5' height='5'/>".bytes, "width is not above 0"),
      ("<svg height='0'/>".bytes, "height is not above 0"),
      ("<svg width='&w;'/>".bytes, "`&w;`"), ("<svg width='3 px'/>".bytes, "no such size"),
      ("<svg width='1e999' height='2'/>".bytes, "no such size"), ("<svg width='9e9' height='2'/>".bytes, "beyond 2³¹"),
      ("<svg width='3furlongs'/>".bytes, "`3furlongs`"), ("<svg width=''/>".bytes, "no such size"),
      ("<svg viewBox='0 0 10'/>".bytes, "viewBox"), ("<svg viewBox='0 0 0 10'/>".bytes, "viewBox is empty"),
      ("<svg viewBox='0 0 1 1 1'/>".bytes, "viewBox"), ("<svg viewBox='a'/>".bytes, "`a`"),
      ("<svg width=5/>".bytes, "no quotes"), ("<svg width'5'/>".bytes, "malformed"), ("<svg =''/>".bytes, "malformed"),
      ("<svg a=''b=''/>".bytes, "malformed"), ("<svg width='5".bytes, "within the start tag"),
      ("<svg ".bytes, "within the start tag"), ("<svg".bytes, "within the start tag"),
      ("<svg a='".bytes + [UInt8](repeating: 0x61, count: 70_000) + "'/>".bytes, "within 65,536 bytes"),
      ("<svg width='".bytes + [UInt8](repeating: 0x31, count: 900) + "'/>".bytes, "no such size"),
    ]
    for (bytes, reason) in lies {
      let message = refusal(bytes)
      #expect(message?.contains(reason) == true, "\(reason): \(message ?? "taken")")
    }
  }

  private func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: UInt32(content.count))
    bytes += name.bytes + content
    bytes.append(bigEndian: crc(bytes[4...]))
    return bytes
  }

  private let turned: [UInt8] = "MM\0*".bytes + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]

  @Test func aPNGTellsItsOrientationBeforeAndBehindItsPixels() throws {
    let sixth = ImageFacts(.png, width: 3, height: 2, orientation: 6)
    let upright = ImageFacts(.png, width: 3, height: 2)
    #expect(try ImageFacts(png(3, 2) + chunk("eXIf", turned)) == sixth)
    #expect(try ImageFacts(png(3, 2) + chunk("IDAT", [1, 2, 3]) + chunk("eXIf", turned) + chunk("IEND", [])) == sixth)
    var damaged = png(3, 2) + chunk("eXIf", turned)
    damaged[damaged.count - 1] ^= 1
    #expect(try ImageFacts(damaged) == upright)
    #expect(try ImageFacts(png(3, 2) + [255, 255, 255, 255] + "eXIf".bytes + turned) == upright)
  }

  @Test func aWebPTellsItsOrientation() throws {
    func webp(_ exif: [UInt8]) -> [UInt8] {
      var chunks =
        "VP8X".bytes + [10, 0, 0, 0, 8, 0, 0, 0, 6, 0, 0, 4, 0, 0] + "ALPH".bytes + [3, 0, 0, 0, 1, 2, 3, 0]
      chunks += "EXIF".bytes
      chunks.append(littleEndian: UInt32(exif.count))
      chunks += exif
      var bytes = "RIFF".bytes
      bytes.append(littleEndian: UInt32(chunks.count + 4))
      return bytes + "WEBP".bytes + chunks
    }
    let sixth = ImageFacts(.webp, width: 7, height: 5, orientation: 6)
    #expect(try ImageFacts(webp(turned)) == sixth)
    #expect(try ImageFacts(webp("Exif\0\0".bytes + turned)) == sixth)
    #expect(try ImageFacts(webp([1, 2, 3])) == ImageFacts(.webp, width: 7, height: 5))
  }

  @Test func junkBetweenSegmentsOfAJPEGIsPassedOver() throws {
    let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 7, 1, 1, 0x11, 0]
    for junk: [UInt8] in [[0], [1, 2, 3], [0xFF, 0, 9], [0xFF, 0xE0, 0, 4, 1, 2, 0, 0, 0]] {
      #expect(try ImageFacts(jpeg(junk + frame)) == ImageFacts(.jpeg, width: 7, height: 5), "\(junk)")
    }
  }

  @Test func theFormOfApplesPlatformsIsNamed() {
    let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]
    let message = refusal(bytes + chunk("CgBI", [0x50, 0, 0x20, 2]) + png()[8...])
    #expect(message?.contains("Apple's CgBI form") == true)
  }

  @Test func exifThatIsBrokenTurnsNothing() throws {
    let frame: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 7, 1, 1, 0x11, 0]
    let blocks: [[UInt8]] = [
      [], "II*\0".bytes, "II*\0".bytes + [255, 255, 255, 255], "MM\0*".bytes + [0, 0, 0, 8, 255, 255],
      "XX*\0".bytes + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0],
      "II*\0".bytes + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0],
      "II*\0".bytes + [8, 0, 0, 0, 1, 0, 0x12, 1, 4, 0, 1, 0, 0, 0, 6, 0, 0, 0],
      "II*\0".bytes + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0],
    ]
    for block in blocks {
      let exif = "Exif\0\0".bytes + block
      let bytes = jpeg([0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + frame)
      #expect(try ImageFacts(bytes) == ImageFacts(.jpeg, width: 7, height: 5), "\(block)")
    }
  }

  /// A slice of what Tests/Fuzz does at length.
  @Test func noBytesMakeTheReadersFail() throws {
    var generator = Seeded(state: 5)
    for sample in Self.samples {
      let bytes = try fixture("images/\(sample.name)")
      for _ in 0..<400 {
        var mutated = bytes
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          let place = Int.random(in: 0..<mutated.count, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: mutated[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
          case 1: mutated[place] = UInt8.random(in: 0...255, using: &generator)
          default: mutated.removeSubrange(place..<min(mutated.count - 1, place + 3))
          }
          if mutated.isEmpty { mutated = [0] }
        }
        do throws(StoreError) { _ = try ImageFacts(mutated) } catch { #expect(error.code == .parse) }
      }
    }
  }
}

@Suite struct SHA256Tests {
  /// The examples of FIPS 180-4, and the longer ones of the Secure Hash Algorithm Validation System.
  @Test(arguments: [false, true]) func digestsAreThoseOfTheStandard(isPortable: Bool) {
    let vectors: [(bytes: [UInt8], digest: String)] = [
      ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc".bytes, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".bytes,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").bytes,
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
      (
        [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
      ([0xBD], "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b"),
      ([UInt8](repeating: 0, count: 55), "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7"),
      ([UInt8](repeating: 0, count: 56), "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb"),
      ([UInt8](repeating: 0, count: 57), "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785"),
      ([UInt8](repeating: 0, count: 64), "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b"),
      ([UInt8](repeating: 0x55, count: 1005), "f4d62ddec0f3dd90ea1380fa16a5ff8dc4c54b21740650f24afc4120903552b0"),
    ]
    for (bytes, digest) in vectors {
      #expect(Hexadecimal.encode(SHA256.digest(bytes, isPortable: isPortable)) == digest, "\(bytes.count) bytes")
    }
  }

  @Test func bothWaysAgreeOnEveryLength() {
    var generator = Seeded(state: 11)
    let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for count in 0...bytes.count {
      let part = Array(bytes[..<count])
      #expect(SHA256.digest(part) == SHA256.digest(part, isPortable: true), "\(count)")
    }
  }
}
