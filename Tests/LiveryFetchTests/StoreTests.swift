import LiveryClient
import LiveryFetch
import Synchronization
import Testing

/// Answers every request with the same document, or with an error.
private final class Script: FetchTransport {
  private let body: [UInt8]?
  private let count = Atomic<Int>(0)
  private let holds: Bool

  init(_ body: [UInt8]?, holds: Bool = false) {
    self.body = body
    self.holds = holds
  }

  var requests: Int { count.load(ordering: .relaxed) }

  func begin(_ request: FetchRequest, _ exchange: FetchExchange) throws(StoreError) {
    count.add(1, ordering: .relaxed)
    if holds { return }
    guard let body else { throw StoreError(.network, "no route to \(request.url)") }
    try exchange.answer(200, [("ETag", "\"1\""), ("Cache-Control", "max-age=600"), ("Content-Type", "text/plain")])
    try exchange.receive(body)
    exchange.finish()
  }

  func cancel(_ exchange: FetchExchange) { exchange.finish(StoreError(.cancelled, "cancelled")) }
}

@Suite struct StoreTests {
  private func open() throws -> Store {
    var options = Store.Options()
    options.inMemory = true
    return try Store(path: "", options: options)
  }

  private var document: FetchOptions {
    var options = FetchOptions()
    options.kind = .document
    options.attempts = 1
    return options
  }

  @Test func aFetchIsAwaited() async throws {
    let store = try open()
    let script = Script(Array("hello".utf8))
    try store.useTransport(script)
    let first = try await store.fetch("https://example.com/a", options: document)
    #expect(first.bytes == Array("hello".utf8) && first.source == .network && first.state == .ready)
    #expect(first.type == "text/plain" && first.etag == "\"1\"" && first.httpStatus == 200)
    let second = try await store.fetch("https://example.com/a", options: document)
    #expect(second.source == .store && second.id == first.id && second.httpStatus == nil)
    #expect(script.requests == 1)
    store.close()
  }

  @Test func whatFailsIsThrown() async throws {
    let store = try open()
    try store.useTransport(Script(nil))
    await #expect { try await store.fetch("https://example.com/a", options: document) } throws: {
      ($0 as? StoreError)?.code == .network
    }
    await #expect { try await store.fetch("ftp://example.com/a") } throws: {
      ($0 as? StoreError)?.code == .invalidArgument
    }
    #expect(throws: StoreError.self) {
      var options = FetchOptions()
      options.attempts = 0
      try store.fetch("https://example.com/a", options: options) { _ in }
    }
    store.close()
  }

  @Test func aCancelledTaskCancelsItsFetch() async throws {
    let store = try open()
    let script = Script(nil, holds: true)
    try store.useTransport(script)
    let options = document
    let task = Task { try await store.fetch("https://example.com/a", options: options) }
    while script.requests == 0 { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await #expect { try await task.value } throws: { ($0 as? StoreError)?.code == .cancelled }
    store.close()
  }

  @Test func aBrandIsSwappedAtOnce() async throws {
    let store = try open()
    try store.useTransport(Script(nil))
    let change = try store.change(.bundle)
    try change.set(
      "branding.image.logo", to: .list([.object([.init("image", .url("https://example.com/logo.png"))])]))
    try change.commit()
    #expect(try store.branding.image("logo")["state"] == .string("loading"))
    let report = try await store.fetchBrand(options: imageOptions)
    #expect(report["failed"] == .int(1) && report["committed"] == .bool(true))
    #expect(try store.branding.image("logo")["state"] == .string("failed"))
    store.close()
  }

  private var imageOptions: FetchOptions {
    var options = document
    options.kind = .image
    return options
  }
}
