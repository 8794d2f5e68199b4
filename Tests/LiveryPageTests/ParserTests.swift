import Testing

@testable import LiveryHTTP
@testable import LiveryPage

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// What browsers send, and what only others do.
@Suite struct ParserTests {
  @Test func aTargetIsAPathAndFields() throws {
    let target = try #require(Target(bytes("/at/0.1/%E2%82%AC%20+?a=b+c&d&a=%26%3D&=e&%zz=%")))
    #expect(target.path == "/at/0.1/€ +")
    #expect(target.query.all.map { $0.name } == ["a", "d", "a", "", "%zz"])
    #expect(target.query.all.map { $0.value } == ["b c", "", "&=", "e", "%"])
    #expect(target.query["a"] == "b c")
    #expect(target.query["b"] == nil)
    #expect(Target(bytes("/"))?.path == "/")
    #expect(Target(bytes("/a/"))?.path == "/a/")
  }

  @Test(arguments: [
    "", "a", "*", "http://a/", "?a", "//a", "/a//b", "/..", "/../a", "/a/..", "/%2e%2e/", "/.", "/%2e", "/%2f",
    "/a%2Fb", "/\\", "/%5c",
    "/%00", "/%0d%0a", "/%7F", "/%", "/%1", "/%gg", "/%ff", "/%C0%AF", "/%ED%A0%80", "/?a=%ff", "/a\u{1}b",
  ])
  func whatIsNoTargetIsRefused(_ text: String) {
    #expect(Target(bytes(text)) == nil)
  }

  @Test func aFormHasAtMostSoManyFields() {
    let most = String(repeating: "a=b&", count: Fields.most)
    #expect(Fields(urlEncoded: bytes(most)[...])?.all.count == Fields.most)
    #expect(Fields(urlEncoded: bytes(most + "a")[...]) == nil)
    #expect(Fields(urlEncoded: [])?.all.count == 0)
    #expect(Fields(urlEncoded: bytes("&&&")[...])?.all.count == 0)
  }

  @Test func partsOfAFormKeepTheirBytes() throws {
    let boundary = try #require(
      Multipart.boundary(of: bytes("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"x y\"")[...]))
    #expect(boundary == bytes("\r\n--x y"))
    var body = bytes("--x y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n€\r\n\r\n--x z\r\n--x y\r\n")
    body += bytes(
      "content-type: image/png\r\nCONTENT-DISPOSITION:form-data;name=b;filename=\"a;%22%0D%0A%41\\\".png\r\n")
    #expect(Multipart(body + bytes("\r\n\r\n--x y--"), boundary: boundary) == nil)
    body = bytes("--x y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n€\r\n\r\n--x z\r\n--x y\r\n")
    body += bytes(
      "content-type: image/png\r\nCONTENT-DISPOSITION:form-data;name=b;filename=\"a;%22%0D%0A%41.png\"\r\n\r\n")
    body +=
      [0, 13, 10, 45, 45, 120, 32, 255]
      + bytes("\r\n--x y\r\nContent-Disposition: form-data; name=c; filename=\"\"\r\n\r\n")
    body += bytes(
      "\r\n--x y\r\nContent-Disposition: form-data; name=\"\"; filename=d\r\n\r\n\r\n--x y--\r\nwhat follows")
    let form = try #require(Multipart(body, boundary: boundary))
    #expect(form.fields.all.map { $0.name } == ["a"])
    #expect(form.fields["a"] == "€\r\n\r\n--x z")
    #expect(form.files.map { $0.name } == ["b", ""])
    #expect(form.files.map { $0.fileName } == ["a;\"\r\n%41.png", "d"])
    #expect(form.files.map { $0.bytes } == [[0, 13, 10, 45, 45, 120, 32, 255], []])
  }

  @Test(arguments: [
    "text/plain", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"",
    "multipart/mixed; boundary=a",
    "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=\"a\u{7}\"",
    "multipart/form-data; boundary=\"a\"b",
    "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
  ])
  func whatHasNoBoundaryIsNoForm(_ type: String) {
    #expect(Multipart.boundary(of: bytes(type)[...]) == nil)
  }

  @Test func hostsAreComparedToTheLastByte() throws {
    let local = try #require(Authority(bytes("127.0.0.1:8080")[...]))
    let hosts = try #require(Hosts(["kiosk.local", "Settings.example:80", "tls.example:443"], port: 8080))
    func allows(_ text: String, isLoopback: Bool = true) -> Bool {
      guard let asked = Authority(bytes(text)[...]) else { return false }
      return hosts.allows(asked, local: local, isLoopback: isLoopback)
    }
    for host in [
      "127.0.0.1:8080", "LOCALHOST:8080", "kiosk.local:8080", "settings.example", "settings.example:80",
      "tls.example:443",
    ] {
      #expect(allows(host), "\(host)")
    }
    for host in [
      "127.0.0.1", "localhost", "kiosk.local", "evil.example:8080", "kiosk.local.:8080", "tls.example:80", "[::1]:8080",
      "a@b",
    ] {
      #expect(!allows(host), "\(host)")
    }
    #expect(!allows("localhost:8080", isLoopback: false))
    #expect(Hosts(["a/b"], port: 80) == nil)
    let behind = try #require(Hosts([], port: nil))
    #expect(behind.allows(try #require(Authority(bytes("localhost")[...])), local: nil, isLoopback: true))
    #expect(Authority(ofURL: bytes("HTTPS://A.example/b?c")[...])?.port == 443)
    #expect(Authority(ofURL: bytes("http://a.example#b")[...])?.host == "a.example")
    for origin in ["null", "", "http://", "ftp://a", "http://a@b", "//a", "http:/a"] {
      #expect(Authority(ofURL: bytes(origin)[...]) == nil, "\(origin)")
    }
  }

  @Test func headersAreTakenApart() {
    let cookies = Head.cookies(
      named: "livery", in: [bytes("a=b; livery=c;livery=d ; xlivery=e"), bytes("livery=\"f\"; livery")])
    #expect(cookies.map { $0.text } == ["c", "d", "\"f\""])
    for accepted in ["gzip", "br, GZIP", "gzip;q=0.01", "a;q=0, gzip ; q=1"] {
      #expect(Head.accepts(gzip: bytes(accepted)), "\(accepted)")
    }
    for refused in ["", "br", "xgzip", "gzip;q=0", "gzip; q=0.000"] {
      #expect(!Head.accepts(gzip: bytes(refused)), "\(refused)")
    }
    for known in ["\"a\"", "W/\"a\"", "\"b\", \"a-z\"", "*"] {
      #expect(Answer.isKnown("a", bytes(known)[...]), "\(known)")
    }
    for unknown in ["", "\"b\"", "a", "\"a-y\"", "W/"] {
      #expect(!Answer.isKnown("a", bytes(unknown)[...]), "\(unknown)")
    }
  }
}
