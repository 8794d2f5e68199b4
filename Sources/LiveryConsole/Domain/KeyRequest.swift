import LiveryClient
import LiveryFleet
import LiveryHTTP

/// A key document on its way to those who have to sign it: a file that is carried to root keys, which lie on machines that nobody
/// reaches, and back.
package struct KeyRequest: Sendable {
  var payload: [UInt8]
  var signatures: [(key: [UInt8], bytes: [UInt8])] = []
  let document: KeyDocument

  init(_ document: KeyDocument) throws(Refusal) {
    do throws(FleetError) { payload = try document.encoded() } catch { throw Refusal(error) }
    self.document = document
  }

  /// Reads a file of one.
  package init(path: String) throws(Refusal) {
    let bytes = try Files.read(path, most: 65536)
    guard let value = try? Value(json: bytes), let text = value["request"]?.text, let payload = Hexadecimal.bytes(text),
      let listed = value["signatures"]?.items
    else { throw Refusal(.invalid, "\(path): it is no request for root keys to sign") }
    do throws(FleetError) { document = try KeyDocument.decode(payload) } catch { throw Refusal(error) }
    self.payload = payload
    for item in listed {
      guard let key = item["key"]?.text.flatMap({ Hexadecimal.bytes($0) }),
        let bytes = item["signature"]?.text.flatMap({ Hexadecimal.bytes($0) })
      else { throw Refusal(.invalid, "\(path): a signature is not what it should be") }
      add(key, bytes)
    }
  }

  private mutating func add(_ key: [UInt8], _ bytes: [UInt8]) {
    signatures.removeAll { $0.key == key }
    signatures.append((key, bytes))
    signatures.sort { $0.key.lexicographicallyPrecedes($1.key) }
  }

  /// Signs it with those of some keys that may.
  ///
  /// - Throws: `.invalid` for a key that is none of its roots and none of the former ones.
  package mutating func sign(_ keys: [SigningKey]) throws(Refusal) {
    for key in keys {
      let all = document.roots.keys + (document.former?.keys ?? [])
      guard all.contains(where: { $0 == key.publicKey }) else {
        throw Refusal(
          .invalid, "the key \([UInt8](key.publicKey.prefix(6)).hexadecimal) is not a root key of the fleet")
      }
      for signature in Envelope(.keys, payload, signedBy: [key]).signatures { add(signature.key, signature.bytes) }
    }
  }

  /// How many signatures are missing, as the two kinds of roots have them.
  package var missing: Int {
    func missing(_ roots: KeyDocument.Roots?) -> Int {
      guard let roots else { return 0 }
      return max(0, roots.threshold - signatures.count { (one) in roots.keys.contains { $0 == one.key } })
    }
    return missing(document.roots) + missing(document.former)
  }

  /// What tells it from every other one, whoever has signed it.
  var digest: String { Crypto.hash(payload).hexadecimal }

  /// What devices get.
  var signed: [UInt8] {
    get throws(Refusal) {
      let listed = signatures.map { Value.list([.data($0.key), .data($0.bytes)]) }
      do throws(FleetError) {
        return try CBOR.encode(.list([.string(Envelope.Kind.keys.name), .data(payload), .list(listed)]))
      } catch { throw Refusal(error) }
    }
  }

  package func write(_ path: String) throws(Refusal) {
    var json = JSON()
    json.add("request", payload.hexadecimal)
    json.add(
      "signatures",
      value: .list(
        signatures.map { (one) in
          .object([.init("key", .string(one.key.hexadecimal)), .init("signature", .string(one.bytes.hexadecimal))])
        }))
    let text = (try? json.value.jsonText(pretty: true)) ?? "{}"
    try Files.write(path, Array((text + "\n").utf8), mode: 0o644, replaces: true)
  }

  /// What whoever signs has to know of it, in lines.
  package var lines: [String] {
    var lines = ["fleet \(document.fleet), version \(document.version.description) of its keys"]
    lines.append("from \(Output.time(document.issued)) until \(Output.time(document.expires))")
    lines.append("\(document.roots.threshold) of these root keys:")
    for key in document.roots.keys { lines.append("  root \(key.hexadecimal)\(hasSigned(key))") }
    if let former = document.former {
      lines.append("in place of \(former.threshold) of these:")
      for key in former.keys { lines.append("  former root \(key.hexadecimal)\(hasSigned(key))") }
    }
    lines.append("\(document.threshold) of these sign what devices take:")
    for signer in document.signers {
      lines.append(
        "  signer \(signer.key.hexadecimal) from \(Output.time(signer.from)) until \(Output.time(signer.until))")
    }
    lines.append(missing == 0 ? "signed: import it" : "\(missing) signatures are missing")
    return lines
  }

  private func hasSigned(_ key: [UInt8]) -> String { signatures.contains { $0.key == key } ? ", has signed" : "" }
}
