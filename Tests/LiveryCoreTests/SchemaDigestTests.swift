import LiveryCore
import Testing

@Suite struct SchemaDigestTests {
  private func digest(_ text: String) throws -> [UInt8] {
    try schema(text.bytes).digest
  }

  @Test func formattingAndOrderOfMembersDoNotCount() throws {
    let plain = try digest(#"{"Version":1,"Groups":[],"Title":"é","Open":true}"#)
    #expect(plain == (try digest("{ \"Open\" : true,\n\t\"Title\": \"\\u00e9\", \"Groups\": [ ], \"Version\": 1 }\n")))
  }

  @Test func contentCounts() throws {
    let texts = [
      #"{"Version":1,"Groups":[]}"#, #"{"Version":2,"Groups":[]}"#, #"{"Version":1,"Groups":[],"Title":"a"}"#,
      #"{"Version":1,"Groups":[],"Title":"b"}"#, #"{"Version":1,"Groups":[],"Open":true}"#,
      #"{"Version":1,"Groups":[],"Open":false}"#, #"{"Version":1,"Groups":[],"x":null}"#,
      #"{"Version":1,"Groups":[],"x":-1}"#, #"{"Version":1,"Groups":[],"x":-2}"#, #"{"Version":1,"Groups":[],"x":1.5}"#,
      #"{"Version":1,"Groups":[],"x":255}"#, #"{"Version":1,"Groups":[],"x":65535}"#,
      #"{"Version":1,"Groups":[],"x":4294967295}"#, #"{"Version":1,"Groups":[],"x":9223372036854775807}"#,
      #"{"Version":1,"Groups":[],"x":[[],1]}"#, #"{"Version":1,"Groups":[],"x":[[1]]}"#,
    ]
    let digests = Set(try texts.map { try digest($0) })
    #expect(digests.count == texts.count)
    #expect(digests.allSatisfy { $0.count == 16 })
  }

  @Test func theDigestIsPinned() throws {
    // Stored in every store: a change of it would make each schema look like another one.
    let text = #"{"Version":1,"Groups":[{"Title":"G","Settings":[]}],"Open":false,"n":[null,-7,1.5,"é",300]}"#
    let found = hexadecimal(try digest(text))
    #expect(found == "693cf706cd0c33c2395f01a0e0773507")
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func theSchemaKeepsItsTextAndRootMembers() throws {
    let text =
      #"{"Version": 3, "Title": "Kiosk", "Open": true, "Groups": [], "Migrations": [{"To": 2, "#
      + #""Steps": [{"Op": "call", "Name": "x"}]}]}"#
    let schema = try schema(text.bytes)
    #expect(schema.version == 3 && schema.title == "Kiosk" && schema.isOpen)
    #expect(schema.text == text.bytes)
    #expect(schema.migrations.count == 1 && schema.migrations[0].steps[0].function == "x")
  }
}
