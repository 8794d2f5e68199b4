import Foundation
import LiveryCore
import Testing

@Suite struct PropertyListTests {
  private func failure(_ bytes: [UInt8]) -> StoreError? {
    do { _ = try PropertyList.parse(bytes) } catch { return error }
    return nil
  }

  private func failure(_ body: String) -> StoreError? { failure(Array("<plist>\(body)</plist>".utf8)) }

  private func parse(_ body: String) throws -> Value { try PropertyList.parse(Array("<plist>\(body)</plist>".utf8)) }

  private func fixture(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appending(path: "Fixtures").appending(path: name)))
  }

  @Test func brandsOfTheFieldAreRead() throws {
    let skin = try PropertyList.parse(fixture("branding/skin.plist"))
    #expect(skin["PrimaryHighlight"]?["blue"] == .double(0.627))
    #expect(skin["PrimaryiPad"] == .string("background-ipad.png"))
    #expect(try PropertyList.parse(fixture("branding/skin.binary.plist")) == skin)
    let settings = try PropertyList.parse(fixture("branding/AWSDKDefaultSettings.plist"))
    #expect(settings["Branding"]?["Colors"] != nil)
    for name in ["variants/Simpsons-Info.plist", "variants/Wire-Info.plist"] {
      #expect(try PropertyList.parse(fixture(name))["CharacterVariantsConfiguration"] != nil)
    }
  }

  @Test func everyTypeIsRead() throws {
    #expect(try parse("<true/>") == .bool(true))
    #expect(try parse("<false></false>") == .bool(false))
    #expect(try parse("<integer>9223372036854775807</integer>") == .int(.max))
    #expect(try parse("<integer>-9223372036854775808</integer>") == .int(.min))
    #expect(try parse("<integer> +12\n</integer>") == .int(12))
    #expect(try parse("<integer>0x1F</integer>") == .int(31))
    #expect(try parse("<integer>-0x8000000000000000</integer>") == .int(.min))
    #expect(try parse("<real>-1.5e3</real>") == .double(-1500))
    #expect(try parse("<real>0.392</real>") == .double(0.392))
    #expect(try parse("<string/>") == .string(""))
    #expect(
      try parse("<string> a&lt;<!-- <c> -->b<![CDATA[<&]]>&#x41;&#233;&amp;&gt;&quot;&apos; </string>")
        == .string(" a<b<&Aé&>\"' "))
    #expect(try parse("<data>AQ ID\n\tAA==</data>") == .data([1, 2, 3, 0]))
    #expect(try parse("<data/>") == .data([]))
    #expect(try parse("<date>2001-01-01T00:00:01Z</date>") == .date(Timestamp(microseconds: 978_307_201_000_000)))
    #expect(try parse("<date>9999-12-31T23:59:59Z</date>").json() == "\"9999-12-31T23:59:59Z\"")
    #expect(try parse("<date>0001-01-01T00:00:00Z</date>").json() == "\"0001-01-01T00:00:00Z\"")
    #expect(try parse("<array><integer>1</integer><array/></array>") == .list([.int(1), .list([])]))
    #expect(try parse("<dict/>") == .object([]))
    #expect(
      try parse("<dict><key>a</key><true/><key></key><false/></dict>")
        == .object([.init("a", .bool(true)), .init("", .bool(false))]))
    #expect(try parse("<dict ><key a=\"b\">k</key ><true /></dict\n>") == .object([.init("k", .bool(true))]))
  }

  @Test func prologsAndCommentsAreTaken() throws {
    let doctype =
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">"
    for prolog in [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(doctype)\n", "\u{feff}<?xml version='1.0' encoding='utf-8'?>",
      "<!-- <a> -->", "<?xml version=\"1.0\"?><?x \"?>\" ?>",
    ] {
      #expect(
        try PropertyList.parse(Array("\(prolog)<plist version=\"1.0\"><true/></plist> <!-- end -->\n".utf8))
          == .bool(true), "\(prolog)")
    }
  }

  @Test func aKeyTwiceIsRefusedWithItsPlace() throws {
    let xml = failure("<dict><key>a</key><integer>1</integer>\n <key>b</key><true/>\n <key>&#97;</key><true/></dict>")
    #expect(xml?.message.contains("the key `a` is there twice") == true)
    #expect(xml?.location == .init(line: 3, column: 2))
    #expect(try parse("<dict><key>&#233;</key><true/><key>e&#769;</key><true/></dict>").count == 2)
    #expect(try parse("<array><dict><key>a</key><true/></dict><dict><key>a</key><true/></dict></array>").count == 2)
    let binary = Binary([[0xa1, 1], [0xd2, 2, 2, 3, 4], [0x51, 0x61], [0x09], [0x08]]).bytes
    #expect(failure(binary)?.message == "property list: at /0/a: the key is there twice")
  }

  @Test func whatIsNoValueIsSkippedAndTold() throws {
    let xml = """
      <plist><dict>
        <key>wide</key><integer>9223372036854775808</integer><key>nan</key><array><true/><real>nan</real></array>
        <key>date</key><date>10000-01-01T00:00:00Z</date><key>nul</key><string>a&#0;b</string><key>next</key><string/>
        <key>uid</key><dict><key>CF$UID</key><integer>1</integer></dict><key>none</key><integer/>
        <key>data</key><data>?</data><key>good</key><integer>1</integer></dict></plist>
      """
    let read = try PropertyList.read(Array(xml.utf8), skipsUnfit: true)
    #expect(read.value["good"] == .int(1))
    #expect(read.value["next"] == .string(""))
    #expect(read.value["nan"]?.count == 2)
    #expect(
      read.unfit.map { jsonPointer($0.path) }
        == ["/wide", "/nan/1", "/date", "/nul", "/none", "/data", "/uid"])
    #expect(read.unfit[1].reason == "not a finite number at line 2, column 84")
    #expect(read.unfit[3].reason.hasPrefix("the text contains a NUL at line 3"))
    #expect(read.unfit[6].reason.contains("UID"))
    // Broken is broken.
    #expect(throws: StoreError.self) {
      try PropertyList.read(Array("<plist><true>x</true></plist>".utf8), skipsUnfit: true)
    }
    let many = String(repeating: "<real>inf</real>", count: 1001)
    #expect(throws: StoreError.self) {
      try PropertyList.read(Array("<plist><array>\(many)</array></plist>".utf8), skipsUnfit: true)
    }
  }

  @Test func whatIsNoValueOfABinaryListIsToldWithItsPath() throws {
    let wide: [UInt8] = [0x14] + [UInt8](repeating: 0, count: 8) + [0x80] + [UInt8](repeating: 0, count: 7)
    let list = Binary([
      [0xa8, 1, 2, 3, 4, 5, 6, 7, 1], wide, [0x82, 1, 2, 3], [0x53, 0x61, 0, 0x62], [0x61, 0xd8, 0x00],
      [0x23, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], [0x33, 0x42, 0x80, 0, 0, 0, 0, 0, 0], [0x10, 7],
    ])
    #expect(failure(list.bytes)?.message == "property list: at /0: an integer does not fit into 64 bits with a sign")
    let read = try PropertyList.read(list.bytes, skipsUnfit: true)
    guard case .list(let items) = read.value else { return #expect(Bool(false)) }
    #expect(items.count == 8 && items[6] == .int(7))
    #expect(read.unfit.map { $0.path } == [["0"], ["1"], ["2"], ["3"], ["4"], ["5"], ["7"]])
    for (place, word) in [(1, "UID"), (2, "NUL"), (3, "UTF-16"), (4, "finite"), (5, "years")] {
      #expect(read.unfit[place].reason.contains(word), "\(read.unfit[place].reason)")
    }
    // What stands in the place of one object must not change another that shares its bytes.
    var overlapping = Binary([[0xa2, 1, 2], [0x53, 0x61, 0, 0x82], [0x81, 1, 1]]).bytes
    let table = overlapping.count - 32 - 12
    overlapping[table + 11] = overlapping[table + 7] + 3
    #expect(failure(overlapping) != nil)
    #expect(failure(Binary([[0xd1, 1, 2], [0x52, 0x61, 0], [0x09]]).bytes)?.message.contains("a key") == true)
  }

  @Test func brokenXMLIsRefusedWithItsPlace() {
    for bad in [
      "", "<integer>abc</integer>", "<integer></integer>", "<integer/>", "<integer>1.5</integer>",
      "<integer>010</integer>",
      "<integer>9223372036854775808</integer>", "<integer>-9223372036854775809</integer>", "<integer>0x</integer>",
      "<integer>0x8000000000000000</integer>", "<integer>0xg</integer>", "<integer>99999999999999999999</integer>",
      "<integer>1<!-- c -->2</integer>", "<real>nan</real>", "<real>1,5</real>", "<real/>", "<real>inf</real>",
      "<date>x</date>",
      "<date/>", "<date>2001-13-01T00:00:00Z</date>", "<date>2001-01-01T00:00:00+01:00</date>",
      "<date>2001-01-01T00:00:00Z              </date>", "<data>A!==</data>", "<data>AQ</data>", "<data>=AAA</data>",
      "<data>A===</data>",
      "<true>x</true>", "<string>&bad;</string>", "<string>&</string>", "<string>&#0;</string>",
      "<string>&#xD800;</string>",
      "<string>&#x110000;</string>", "<string>&#12a;</string>", "<string>&#;</string>", "<string>&ampx;</string>",
      "<string>a",
      "<string><b/></string>", "<string><!-- </string>", "<string><![CDATA[ </string>", "<string>a</strong>",
      "<string>a</string b>",
      "<foo/>", "<dict><true/></dict>", "<dict><key/><true/></dict>", "<dict><key>a</key></dict>",
      "<dict><key>a</key><key>b</key></dict>", "<array><key>a</key></array>",
      "<key>a</key>", "<true/><false/>", "<array>", "</array>", "<array></dict>", "<dict></dict", "x",
      "<plist><true/></plist>", "<plist/>",
      "<true", "<true <", "<!-- ", "<?x", "<?x \"", "<!ELEMENT a>", "<string", "<true",
      "<dict><key>a</key><array></dict>", "<a\"",
    ] {
      let error = failure(bad)
      #expect(error?.code == .parse, "\(bad)")
      #expect(error?.location != nil, "\(bad)")
    }
    for bad in ["", " ", "{}", "<true/>", "<plist><true/></plist><plist><true/></plist>", "<plist/>", "<plist>"] {
      #expect(failure(Array(bad.utf8))?.code == .parse, "\(bad)")
    }
    #expect(
      failure(Array("<plist>\n<array>\n  <integer>é</integer></array></plist>".utf8))?.location
        == .init(line: 3, column: 3))
  }

  @Test func otherEncodingsAreNamed() {
    #expect(failure([0xff, 0xfe, 0x3c, 0x00])?.message.contains("UTF-16") == true)
    #expect(failure(Array("<plist><string>\n".utf8) + [0xff] + Array("</string></plist>".utf8))?.location?.line == 2)
    #expect(
      failure(Array("<plist><string>".utf8) + [0x00] + Array("</string></plist>".utf8))?.message.contains("control")
        == true)
    let late = failure(Array("<plist><string>é\nab".utf8) + [0xc3] + Array("x</string></plist>".utf8))
    #expect(late?.location == .init(line: 2, column: 3))
    var declared = Array("<?xml version=\"1.0\" encoding=\"Windows-1252\"?><plist><string>".utf8)
    declared += [0xe4] + Array("</string></plist>".utf8)
    #expect(failure(declared)?.message.contains("`windows-1252`") == true)
    #expect(failure([0x3c, 0x00, 0x3f, 0x00])?.message.contains("UTF-16") == true)
    let latin = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><true/></plist>"
    #expect(failure(Array(latin.utf8))?.message.contains("iso-8859-1") == true)
  }

  @Test func declarationsInsideDOCTYPEAreRefused() {
    let bomb = "<!DOCTYPE plist [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><plist><string>&b;</string></plist>"
    #expect(failure(Array(bomb.utf8))?.message.contains("DOCTYPE") == true)
  }

  @Test func nestingIsLimited() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }
    #expect(try parse(nested(32)).depth == 32)
    #expect(failure(nested(33))?.message.contains("deeper than 32") == true)
    #expect(failure(nested(300))?.message.contains("deeper than 200") == true)
    #expect(failure(nested(100_000))?.code == .parse)
    let dictionaries =
      String(repeating: "<dict><key>k</key>", count: 33) + "<true/>" + String(repeating: "</dict>", count: 33)
    #expect(failure(dictionaries)?.message.contains("at /k/k") == true)
  }

  @Test func uidsAndNullsAreNoValues() {
    #expect(
      failure("<array><dict><key>CF$UID</key><integer>1</integer></dict></array>")?.message.contains("at /0: a UID")
        == true)
    #expect(failure(Binary([[0xa1, 1], [0x80, 1]]).bytes)?.message.contains("at /0: a UID") == true)
    #expect(failure(Binary([[0xa1, 1], [0x80, 2]]).bytes)?.message.contains("at /0: a UID") == true)
    #expect(failure(Binary([[0xa1, 1], [0x00]]).bytes)?.code == .parse)
  }

  @Test func workIsBounded() {
    #expect(failure([UInt8](repeating: 0x20, count: PropertyList.maximumSize + 1))?.code == .parse)
    #expect(
      failure("<string>" + String(repeating: "&amp;", count: 40_000) + "</string>")?.message.contains("entities")
        == true)
    // Keys with the same hash: "Ez" and "FY" in any sequence.
    var keys = ""
    for index in 0..<2000 {
      keys += "<key>" + (0..<11).map { index >> $0 & 1 == 0 ? "Ez" : "FY" }.joined() + "</key><true/>"
    }
    #expect(failure("<dict>\(keys)</dict>")?.message.contains("alike") == true)
  }

  @Test func largeDictionariesAreRead() throws {
    var body = ""
    for index in 0..<20_000 { body += "<key>setting.\(index)</key><integer>\(index)</integer>" }
    let value = try parse("<dict>\(body)</dict>")
    #expect(value.count == 20_000)
    #expect(value["setting.19999"] == .int(19_999))
  }

  @Test func binaryListsAreRead() throws {
    let list = Binary([
      [0xac, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], [0x10, 0xff],
      [0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe],
      [0x22, 0x3f, 0x80, 0, 0], [0x23, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0], [0x33, 0x41, 0xc0, 0, 0, 0, 0, 0, 0],
      [0x42, 1, 2],
      [0x51, 0x61], [0x62, 0x00, 0xe9, 0x20, 0xac], [0x62, 0xd8, 0x3d, 0xde, 0x00], [0x08], [0xa0],
      [0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7],
    ])
    #expect(
      try PropertyList.parse(list.bytes).json()
        == #"[255,-2,1.0,0.5,"2018-01-04T14:00:16Z","AQI=","a","é€","😀",false,[],7]"#.replacingDate(of: list))
  }

  @Test func brokenBinaryListsAreRefused() {
    let broken: [[[UInt8]]] = [
      [[0x13, 1]], [[0x15]], [[0x14] + [UInt8](repeating: 0, count: 8) + [0x80] + [UInt8](repeating: 0, count: 7)],
      [[0x21, 1, 1]],
      [[0x33, 0]], [[0x32, 0, 0, 0, 0]], [[0x45, 1]], [[0x4f, 0x10, 200]], [[0x4f, 0x24]],
      [[0x4f, 0x13, 255, 255, 255, 255, 255, 255, 255, 255]],
      [[0x52, 0x61, 0x00]], [[0x51, 0xff]], [[0x61, 0xd8, 0x00]], [[0x61, 0xde, 0x00]], [[0x61, 0x00, 0x00]],
      [[0x61, 0]], [[0xa1, 9]],
      [[0xa1, 0]], [[0xd1, 1, 0], [0x51, 0x61]], [[0xd1, 1, 1], [0x09]], [[0xa1, 1], [0xa1, 0]], [[0xc1, 1]], [[0x70]],
      [[0x8f]], [[0xaf]],
      [[0x23, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]], [[0x23, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0]],
      [[0x33, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0]],
      [[0x33, 0x42, 0x80, 0, 0, 0, 0, 0, 0]], [[0xd1, 1, 2], [0x51, 0xff], [0x08]],
    ]
    for objects in broken { #expect(failure(Binary(objects).bytes)?.code == .parse, "\(objects)") }
    #expect(failure(Array("bplist00".utf8))?.code == .parse)
    #expect(failure(Array("bplist15".utf8) + [UInt8](repeating: 0, count: 60))?.code == .parse)
    #expect(failure(Array("bplist00".utf8) + [UInt8](repeating: 0xff, count: 60))?.code == .parse)
  }

  @Test func sharedReferencesCannotMultiplyWithoutEnd() {
    // Each list holds the next one ten times.
    var objects: [[UInt8]] = (1...20).map { level in [0xaa] + [UInt8](repeating: UInt8(level), count: 10) }
    objects.append([0x09])
    #expect(failure(Binary(objects).bytes)?.message.contains("values") == true)
    // A megabyte of data, two hundred times.
    let data: [UInt8] = [0x4f, 0x12, 0x00, 0x10, 0x00, 0x00] + [UInt8](repeating: 0, count: 1 << 20)
    let list: [UInt8] = [0xaf, 0x10, 200] + [UInt8](repeating: 1, count: 200)
    #expect(failure(Binary([list, data]).bytes)?.message.contains("bytes") == true)
    // A chain of lists, reached both deep and shallow.
    let chain: [[UInt8]] = (0..<220).map { index in index == 219 ? [0x09] : [0xa1, UInt8(index + 1)] }
    #expect(failure(Binary(chain).bytes)?.message.contains("deeper") == true)
  }

  @Test func damagedListsNeverCrash() throws {
    var random = Seeded(state: 8)
    for name in ["branding/skin.plist", "branding/skin.binary.plist"] {
      let sound = try fixture(name)
      for _ in 0..<300 {
        var damaged = sound
        for _ in 0..<(1 + random.next() % 3) {
          damaged[Int(random.next() % UInt64(damaged.count))] = UInt8(truncatingIfNeeded: random.next())
        }
        if let value = try? PropertyList.parse(damaged) { try value.check() }
      }
      for _ in 0..<60 { _ = failure(Array(sound.prefix(Int(random.next() % UInt64(sound.count))))) }
    }
  }
}

extension String {
  /// The text with the date of the sample, which is easier given in seconds.
  fileprivate func replacingDate(of _: Binary) -> String {
    let date = Timestamp(microseconds: (978_307_200 + 536_870_912) * 1_000_000).rfc3339
    return replacingOccurrences(of: "2018-01-04T14:00:16Z", with: date)
  }
}

/// A binary property list of objects with references of a byte; the first is the root.
private struct Binary {
  var bytes: [UInt8] = Array("bplist00".utf8)

  init(_ objects: [[UInt8]]) {
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += (0..<4).reversed().map { UInt8(truncatingIfNeeded: offset >> ($0 * 8)) } }
    bytes += [0, 0, 0, 0, 0, 0, 4, 1]
    for number in [objects.count, 0, table] {
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
  }
}
