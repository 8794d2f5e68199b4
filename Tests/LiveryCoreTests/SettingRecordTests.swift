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
}
