import LiveryCore
import Testing

@Suite struct SettingRecordTests {
  @Test func ofWhatReadsDoNotKnowNothingIsInEffect() throws {
    let key = "name".bytes
    func record(_ head: UInt8) -> SettingRecord? {
      // Revision 0; an int of the layer `bundle`, of revision 1 and a time of 0, without an origin.
      let content = [head, 0, 1 | 2 << 3, 1] + [UInt8](repeating: 0, count: 17)
      return Checksum.sealed(content, key: key, tag: 3).withUnsafeBytes { SettingRecord($0.bytes, key: key, tag: 3) }
    }
    #expect(record(16)?.winner == nil)
    #expect(record(16 + 2)?.winner == .bundle)
    #expect(record(16 + 8)?.isUnknown == true)
    for head: UInt8 in [16 + 8 + 1, 16 + 8 + 2, 16 + 8 + 4, 16 + 8 + 2 + 1] { #expect(record(head) == nil) }
  }

  @Test func aTrialOfMomentsThatCannotBeIsDamage() throws {
    let key = "name".bytes
    func record(began: Int64, deadline: Int64) -> SettingRecord? {
      var part = [UInt8](repeating: 0, count: 8)
      for word in [began, deadline] { withUnsafeBytes(of: word.littleEndian) { part += $0 } }
      // The layer `user`; revision 7. It held nothing before.
      part += [8, 7]
      let content = [16 + 32 + 2, 0, UInt8(part.count)] + part + [3 | 2 << 3, 7] + [UInt8](repeating: 0, count: 17)
      return Checksum.sealed(content, key: key, tag: 3).withUnsafeBytes { SettingRecord($0.bytes, key: key, tag: 3) }
    }
    #expect(record(began: 5, deadline: 6)?.trial?.term.deadline == 6)
    #expect(record(began: 0, deadline: Trial.longest) != nil)
    for (began, deadline) in [
      (.min, .min), (0, .min), (-1, 1), (0, 0), (6, 5), (0, Trial.longest + 1), (0, .max), (.min, .max),
    ] as [(Int64, Int64)] {
      #expect(record(began: began, deadline: deadline) == nil, "\(began) \(deadline)")
    }
  }
}
