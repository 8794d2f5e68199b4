import LiveryCore
import Testing

@Suite struct TextPatternTests {
  private func matches(_ pattern: String, _ name: String) -> Bool {
    (try? NamePattern(pattern).matches(name)) ?? false
  }

  @Test func wildcardsStandForRunsAndCharacters() {
    let cases: [(String, String, Bool)] = [
      ("abc", "abc", true), ("abc", "abcd", false), ("abc", "ab", false), ("media*", "media", true),
      ("media*", "mediaPath", true), ("media*", "media.path", false), ("branding.**", "branding.color.Toolbar", true),
      ("branding.**", "branding.", true), ("branding.**", "branding", false), ("branding.*", "branding.color.x", false),
      ("*.*", "a.b", true), ("*.*", "a.b.c", false), ("**", "", true), ("**", "a.b", true), ("*", "", true),
      ("*", "a.b", false), ("?", "é", true), ("?", ".", false), ("?", "", false), ("a?c", "abc", true),
      ("**.c", "a.b.c", true), ("**.c", "c", false), ("a**c*d", "a.b.c.cxd", true), ("a**c*d", "a.b.c.x.d", false),
      ("***", "a.b", true), ("a***b", "a.x.b", true), ("*a*b", "xaya.b", false), ("**a*b", "xa.ab", true),
      ("\u{e9}", "e\u{301}", false), ("e?", "e\u{301}", true), ("?*", "ab", true), ("*?", "", false),
      ("[a]", "[a]", true),
      ("*b", "b", true), ("**?", "a.", false), ("**?", ".a", true),
    ]
    for (pattern, name, expected) in cases { #expect(matches(pattern, name) == expected, "\(pattern) on \(name)") }
  }

  @Test func matchingAgreesWithTheDefinition() throws {
    // The definition itself, which may take exponential time.
    func defined(_ pattern: ArraySlice<Unicode.Scalar>, _ name: ArraySlice<Unicode.Scalar>) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      let rest = pattern.dropFirst()
      if first == "*" {
        let any = rest.first == "*"
        if any, defined(rest.dropFirst().drop { $0 == "*" }, name) { return true }
        if !any, defined(rest, name) { return true }
        guard let next = name.first, any || next != "." else { return false }
        return defined(pattern, name.dropFirst())
      }
      guard let next = name.first, first == "?" ? next != "." : first == next else { return false }
      return defined(rest, name.dropFirst())
    }
    var random = Seeded(state: 9)
    func text(_ alphabet: [Unicode.Scalar], _ limit: UInt64) -> [Unicode.Scalar] {
      (0..<Int(random.next() % limit)).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
    }
    for _ in 0..<20_000 {
      let pattern = ["a"] + text(["a", "b", ".", "*", "*", "?"], 8)
      let name = ["a"] + text(["a", "b", "."], 9)
      let spelled = String(String.UnicodeScalarView(pattern))
      let named = String(String.UnicodeScalarView(name))
      #expect(matches(spelled, named) == defined(pattern[...], name[...]), "\(spelled) on \(named)")
    }
  }

  @Test func thePartBeforeTheFirstWildcardIsKnown() throws {
    #expect(try NamePattern("branding.**").literalPrefix == "branding.")
    #expect(try NamePattern("a?b").literalPrefix == "a")
    #expect(try NamePattern("abc").isLiteral)
    #expect(try NamePattern("abc").literalPrefix == "abc")
    #expect(try !NamePattern("*").isLiteral)
  }

  @Test func malformedPatternsAreRefused() {
    for bad in ["", "a\n", "\u{85}", String(repeating: "*", count: 1025)] {
      #expect(throws: StoreError.self) { try NamePattern(bad) }
    }
  }

  @Test func noPatternTakesLong() throws {
    let name = String(repeating: "a", count: 255)
    for part in ["*a", "**a", "?*", "**a*"] {
      let pattern = try NamePattern(String(repeating: part, count: 200) + "b")
      for _ in 0..<5 { #expect(!pattern.matches(name)) }
    }
  }
}

@Suite struct TextNearestNamesTests {
  @Test func nearNamesAreFoundNearestFirst() {
    let names = ["Value", "Values", "Title", "Key", "Options", "cacheKey", "duration"]
    #expect(nearestNames(to: "Vaule", among: names) == ["Value"])
    #expect(nearestNames(to: "Valu", among: names) == ["Value"])
    #expect(nearestNames(to: "Valuess", among: names) == ["Values", "Value"])
    #expect(nearestNames(to: "value", among: names) == ["Value", "Values"])
    #expect(nearestNames(to: "TITLE", among: names) == ["Title"])
    #expect(nearestNames(to: "xyz", among: names) == [])
    #expect(nearestNames(to: "", among: names) == [])
    #expect(nearestNames(to: "Key", among: names, limit: 0) == [])
    #expect(nearestNames(to: String(repeating: "x", count: 256), among: names) == [])
  }

  @Test func orderIsStable() {
    #expect(nearestNames(to: "ab", among: ["ac", "aa", "ad", "abx", "aa"]) == ["aa", "abx", "ac"])
    #expect(nearestNames(to: "ab", among: ["ad", "ac", "aa", "abx"], limit: 2) == ["aa", "abx"])
  }

  @Test func swapsAndLettersBeyondASCIICount() {
    #expect(nearestNames(to: "größe", among: ["Grösse", "grösse", "GRÖßE"]) == ["GRÖßE"])
    #expect(nearestNames(to: "ab", among: ["ba"]) == ["ba"])
    #expect(nearestNames(to: "abcdef", among: ["badcef"]) == ["badcef"])
    #expect(nearestNames(to: "abcdef", among: ["badcfe"]) == [])
  }

  @Test func distancesAgreeWithTheDefinition() {
    func distance(_ a: [Character], _ b: [Character]) -> Int {
      var d = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
      for i in 0...a.count { d[i][0] = i }
      for j in 0...b.count { d[0][j] = j }
      for i in stride(from: 1, through: a.count, by: 1) {
        for j in stride(from: 1, through: b.count, by: 1) {
          d[i][j] = min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
          if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1) }
        }
      }
      return d[a.count][b.count]
    }
    var random = Seeded(state: 4)
    func word() -> String {
      String((0..<Int(1 + random.next() % 9)).map { _ in "abcd".randomElement(using: &random) ?? "a" })
    }
    for _ in 0..<5000 {
      let (left, right) = (word(), word())
      let near = distance(Array(left), Array(right)) <= max(1, left.count / 3)
      #expect(nearestNames(to: left, among: [right]).isEmpty == !near, "\(left) \(right)")
    }
  }

  @Test func suggestionsReadAsASentence() {
    #expect(didYouMean([]) == "")
    #expect(didYouMean(["a"]) == "; did you mean `a`?")
    #expect(didYouMean(["a", "b"]) == "; did you mean `a` or `b`?")
    #expect(didYouMean(["a", "b", "c"]) == "; did you mean `a`, `b` or `c`?")
  }
}

@Suite struct TextURLTests {
  @Test func absoluteURLsPass() {
    for good in [
      "https://example.com", "http://example.com:8080/a/b?c=d&e#f", "HTTPS://EXAMPLE.COM/", "mailto:a@example.com",
      "urn:isbn:0451450523", "file:///etc/passwd", "ftp://user:pw@host/", "https://[2001:db8::1]:443/", "ws://h",
      "wss://h:/",
      "https://exämple.com/ü?ö#ß", "data:,Hello%2C%20World", "tel:+1-816-555-1212", "https://1.2.3.4", "about:",
      "http://[::]/", "http://[::ffff:1.2.3.4]/", "http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:7::]",
      "http://[v1.a:b]/",
      "http://[fe80::1%25eth0]/", "x://", "x://:80/", "a+b-c.d:e", "https://h/?\u{e000}", "https://h:65535",
      "http://[1:2:3:4:5:6:1.2.3.4]",
      "https://h/a?b/c?d", "http://127.0.0.1:40213/1.png?x=1", "https://h:/", "http://-.-/a:b;c", "https://h/\u{20000}",
      "x:/a//b",
    ] {
      #expect(isAbsoluteURL(good), "\(good)")
    }
  }

  @Test func anythingElseDoesNot() {
    for bad in [
      "", ":", "//example.com", "/a", "example.com", "1http://a", "ht tp://a", "http:", "http:/a", "http://",
      "http:///a",
      "http://:80", "http://user@", "https://h:65536", "https://h:65536/", "https://h:8a", "https://h:8a/", "httpx",
      "https:/h/abc", "http:///abcd", "https://:1/a", "https://h:99999999999999999999", "http://a b",
      "http://a/ b",
      "http://a/<", "http://a/>", "http://a/\"", "http://a/{", "http://a/}", "http://a/|", "http://a/\\", "http://a/^",
      "http://a/`", "http://a/%", "http://a/%1", "http://a/%zz", "http://a/\u{0}", "http://a/\n", "http://a/\u{7f}",
      "http://a/\u{85}", "http://a/[", "http://a]/", "http://[::1", "http://[::1]x/", "http://[1:2]/", "http://[:::]/",
      "http://[]/",
      "http://[1::2::3]/", "http://[12345::]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[::1.2.3]/",
      "http://[::256.1.1.1]/",
      "http://[::01.1.1.1]/", "http://[1:]/", "http://[:1]/", "http://[g::]/", "http://[v.a]/", "http://[v1.]/",
      "http://[vg.a]/",
      "http://[v1.a/b]/", "http://[fe80::1%eth0]/", "http://[fe80::1%25]/", "http://a@b@c/", "http://a[b@c/",
      "http://a:b:c/",
      "https://h/\u{e000}", "https://h/\u{e0001}", "https://h/\u{f0000}", "http://a/#b#c",
      "mailto:[a]", "é:a", "http://[1:2:3:4:5:6:7:8::]/",
    ] {
      #expect(!isAbsoluteURL(bad), "\(bad)")
    }
  }
}
