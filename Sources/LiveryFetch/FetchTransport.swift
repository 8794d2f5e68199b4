#if !hasFeature(Embedded)
  import LiveryClient

  /// How requests are made, for programs with an HTTP stack of their own, and for tests without a network.
  ///
  /// A transport makes each request as it is: it follows no redirect and keeps nothing. It is called on threads of the library,
  /// for several requests at once. Corresponds to `livery_fetch_transport` in C.
  public protocol FetchTransport: Sendable {
    /// Begins a request. Its answer is handed to the exchange, now or later, from any thread. What is thrown is its end.
    func begin(_ request: FetchRequest, _ exchange: FetchExchange) throws(StoreError)

    /// Nobody waits for the answer any more: finish the exchange soon.
    func cancel(_ exchange: FetchExchange)
  }

  extension FetchTransport {
    public func cancel(_ exchange: FetchExchange) {}
  }

  /// A request GET. Corresponds to `livery_fetch_request` in C.
  public struct FetchRequest: Sendable {
    public let url: String
    public let headers: [(name: String, value: String)]
    /// As of the options.
    public let certificates: String?
    public let proxy: String?

    init(_ request: Request) {
      url = request.address.text
      headers = request.fields.map { ("\($0.name)", $0.value.text) }
      certificates = request.certificates
      proxy = request.proxy
    }
  }

  /// What the answer to a request is handed to. Corresponds to `livery_fetch_exchange` in C.
  public struct FetchExchange: Sendable {
    let exchange: Exchange

    /// The head of the answer, once.
    ///
    /// - Throws: `.cancelled` if nobody waits for it any more: stop, and call `finish`; `.invalidArgument` for a second head.
    public func answer(_ status: Int, _ headers: [(name: String, value: String)] = []) throws(StoreError) {
      guard (200...599).contains(status) else {
        throw StoreError(.invalidArgument, "\(status) is no status of an answer")
      }
      try exchange.answer(
        Head(
          status: Int32(status),
          fields: headers.map { .init(name: $0.name.utf8.map { $0.lowercased }, value: Array($0.value.utf8).trimmed) }))
    }

    /// A piece of the body.
    ///
    /// - Throws: `.cancelled` as `answer`; `.invalidValue` if it is too large: stop, and call `finish`.
    public func receive(_ bytes: [UInt8]) throws(StoreError) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(StoreError) in
        try exchange.receive(UnsafeRawBufferPointer(bytes))
      }
    }

    /// The end of the answer, exactly once.
    ///
    /// - Parameter error: what went wrong: `.network` or `.timeout`, after which it may be tried again, or another.
    public func finish(_ error: StoreError? = nil) { try? exchange.finish(error) }
  }
#endif
