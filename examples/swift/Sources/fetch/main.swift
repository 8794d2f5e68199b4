// Fetches one image, or with --mock takes a transport that needs no network: fetch STORE URL [--mock]
import LiveryClient
import LiveryFetch

/// Answers every request with an image of one pixel.
struct Mock: FetchTransport {
  static let gif: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
    + [2, 2, 0x44, 1, 0, 0x3B]

  func begin(_ request: FetchRequest, _ exchange: FetchExchange) throws(StoreError) {
    try exchange.answer(200, [("ETag", "\"1\""), ("Cache-Control", "max-age=600")])
    try exchange.receive(Self.gif)
    exchange.finish()
  }
}

let words = CommandLine.arguments
guard words.count >= 3 else { fatalError("fetch STORE URL [--mock]") }
var options = Store.Options()
options.create = true
let store = try Store(path: words[1], options: options)
if words.contains("--mock") { try store.useTransport(Mock()) }

let image = try await store.fetch(words[2])
print("\(image.id ?? "not kept") \(image.type ?? "unknown"), \(image.bytes.count) bytes, \(image.source)")

// A brand: all of its images at once, for whoever shows them.
let report = try await store.fetchBrand { received, total in print("\(received) of \(total) bytes") }
if case .int(let ready)? = report["ready"] { print("\(ready) images of the brand are there") }
store.close()
