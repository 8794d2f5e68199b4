import LiveryClient
import LiveryFleet
import LiveryHTTP

extension Command {
  func keys(_ rest: [String]) throws(Refusal) {
    switch rest.first {
    // On a machine that has no console.
    case "make":
      let key = try Keys.make(rest[1])
      show(public: key)
      return
    case "public":
      for key in try Keys.read(rest[1]) { show(public: key) }
      return
    case "show" where rest.count > 1:
      show(try KeyRequest(path: rest[1]))
      return
    case "sign":
      var request = try KeyRequest(path: rest[1])
      try request.sign(try rootKeys())
      try request.write(rest[1])
      show(request)
      return
    default: break
    }
    let console = try open()
    switch rest.first {
    case "rotate", "revoke":
      let roots = try rootKeys(areNeeded: arguments["request"] == nil)
      let document = try console.keyDocument()
      guard arguments["request"] != nil || roots.count >= document.roots.threshold else {
        throw Refusal(
          .invalid, "too few root keys: \(document.roots.threshold) of them have to sign, here or with --request")
      }
      try finish(
        try console.requestSigner(revokes: rest[0].sameBytes(as: "revoke"), roots: roots), console,
        "another key signs from now on")
    case "roots":
      var wanted: [[UInt8]] = []
      var signing = try rootKeys(areNeeded: false)
      for word in arguments.all("root") {
        if word.utf8.count == 64, let key = Hexadecimal.bytes(word) {
          wanted.append(key)
        } else {
          let keys = try Keys.read(word)
          wanted += keys.map { $0.publicKey }
          signing += keys
        }
      }
      guard !wanted.isEmpty else {
        throw Command.usage("which root keys? --root FILE, or --root and the public half of one")
      }
      let threshold = try arguments.number("threshold", 1, 1...Limit.roots)
      try finish(
        try console.requestRoots(wanted, threshold: threshold, signedBy: signing), console,
        "the fleet has other root keys from now on: those of before say nothing any more")
    case "import":
      try console.accept(try KeyRequest(path: rest[1]), by: person)
      done("who signs has changed")
    default:
      let document = try console.keyDocument()
      var json = JSON()
      json.add("version", document.version)
      json.add("expires", document.expires)
      json.add("fingerprint", document.roots.fingerprint.hexadecimal)
      json.add("roots", texts: document.roots.keys.map { $0.hexadecimal })
      json.add("threshold", document.roots.threshold)
      json.add("signers", texts: document.signers.map { $0.key.hexadecimal })
      show(
        json,
        [
          "version \(document.version.description), until \(Output.time(document.expires))",
          "roots \(document.roots.fingerprint.hexadecimal), of which \(document.roots.threshold) of "
            + "\(document.roots.keys.count) have to sign",
        ] + document.signers.map { "signer \($0.key.hexadecimal) until \(Output.time($0.until))" })
    }
  }

  private func rootKeys(areNeeded: Bool = true) throws(Refusal) -> [SigningKey] {
    var keys: [SigningKey] = []
    for path in arguments.all("root-key") { keys += try Keys.read(path) }
    guard !areNeeded || !keys.isEmpty else { throw Command.usage("which root key? --root-key FILE") }
    return keys
  }

  /// Takes a request; or has it signed elsewhere, if that is what was asked for.
  private func finish(_ request: KeyRequest, _ console: Console, _ words: String) throws(Refusal) {
    if let path = arguments["request"] {
      try request.write(path)
      show(request)
    } else {
      try console.accept(request, by: person)
      done(words)
    }
  }

  private func show(_ request: KeyRequest) {
    var json = JSON()
    let document = request.document
    json.add("fleet", document.fleet)
    json.add("version", document.version)
    json.add("issued", document.issued)
    json.add("expires", document.expires)
    json.add("fingerprint", document.roots.fingerprint.hexadecimal)
    json.add("roots", texts: document.roots.keys.map { $0.hexadecimal })
    json.add("rootThreshold", document.roots.threshold)
    json.add(
      "signers",
      value: .list(
        document.signers.map { (signer) in
          .object([
            .init("key", .string(signer.key.hexadecimal)), .init("from", .int(signer.from)),
            .init("until", .int(signer.until)),
          ])
        }))
    json.add("threshold", document.threshold)
    json.add("missing", request.missing)
    show(json, request.lines)
  }

  private func show(public key: SigningKey) {
    var json = JSON()
    json.add("public", key.publicKey.hexadecimal)
    show(json, [key.publicKey.hexadecimal])
  }
}
