import CClient
import CLivery
import CLiveryFetch
import LiveryClient

// The C functions: take what came in, call, hand out.

@_cdecl("livery_fetch_start") @implementation
public func livery_fetch_start(
  _ store: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ options: UnsafePointer<livery_fetch_options>?,
  _ done: livery_fetch_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ fetch: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  let asked = url.map { String(cString: $0) } ?? ""
  let started = Started()
  return boundary { () throws(StoreError) in
    var completion: Completion<Outcome>?
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      _ = try required(done, "done")
      let address = try Address(Array(try argument(url, "url", limit: 1 << 16).utf8))
      let options = try structure(options, none: livery_fetch_options())
      let wish = try Wish(options)
      let fetcher = try Fetchers.find(store)
      let progress = Progress(fetcher, isDispatched: wish.isDispatched, options.progress, userData)
      let ending: Completion<Outcome> = try fetcher.ending(of: started, dispatched: wish.isDispatched, progress) {
        (outcome) in
        switch outcome {
        case .success(let outcome): outcome.tell(done, userData, asked, store)
        case .failure(let error): Outcome(state: .failed, error: error).tell(done, userData, asked, store)
        }
        userData.end()
      }
      completion = ending
      let work = Fetch(
        fetcher, address, wish, progressed: progress?.note, told: { (outcome) in ending.finish(.success(outcome)) })
      let handle = try started.open {
        work.abandon(StoreError(.cancelled, "the fetch of \(address.text) was cancelled"))
      }
      try work.start()
      fetch?.pointee = handle
      ending.begin()
    } catch {
      if let completion {
        completion.fail(error)
      } else {
        Outcome(state: .failed, error: error).tell(done, userData, asked, nil)
        userData.end()
      }
      throw error
    }
  }
}

@_cdecl("livery_fetch_brand_start") @implementation
public func livery_fetch_brand_start(
  _ store: OpaquePointer?, _ traits: UnsafePointer<livery_traits>?, _ options: UnsafePointer<livery_fetch_options>?,
  _ done: livery_fetch_brand_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ fetch: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  let started = Started()
  return boundary { () throws(StoreError) in
    var completion: Completion<Value>?
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      _ = try required(done, "done")
      let options = try structure(options, none: livery_fetch_options())
      let wish = try Wish(options)
      guard wish.kind == .image else { throw StoreError(.invalidArgument, "a brand has images") }
      // What cannot be swapped in is not fetched.
      try store.change(.bundle).discard()
      let fetcher = try Fetchers.find(store)
      let device = try Device(traits)
      let find: @Sendable () throws(StoreError) -> [RemoteImage] = { () throws(StoreError) in
        try device.withTraits { (traits) throws(StoreError) in try RemoteImage.all(in: store, for: traits) }
      }
      let progress = Progress(fetcher, isDispatched: wish.isDispatched, options.progress, userData)
      let ending: Completion<Value> = try fetcher.ending(of: started, dispatched: wish.isDispatched, progress) {
        (outcome) in
        outcome.tell(done, userData)
        userData.end()
      }
      completion = ending
      let work = BrandFetch(
        fetcher, find, wish, progressed: progress?.note, told: { (outcome) in ending.finish(outcome) })
      let handle = try started.open { work.abandon(StoreError(.cancelled, "the fetch of the brand was cancelled")) }
      try work.start()
      fetch?.pointee = handle
      ending.begin()
    } catch {
      if let completion {
        completion.fail(error)
      } else {
        Result<Value, StoreError>.failure(error).tell(done, userData)
        userData.end()
      }
      throw error
    }
  }
}

@_cdecl("livery_fetch_cancel") @implementation
public func livery_fetch_cancel(_ fetch: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard fetch != nil else { return }
    try Started.handles.find(fetch).stop()
  }
}

@_cdecl("livery_fetch_set_transport") @implementation
public func livery_fetch_set_transport(
  _ store: OpaquePointer?, _ transport: UnsafePointer<livery_fetch_transport>?, _ user_data: UnsafeMutableRawPointer?,
  _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let used =
      transport == nil
      ? Transport() : try Transport.of(try structure(transport, none: livery_fetch_transport()), userData)
    try Fetchers.find(store).use(used)
  }
}

@_cdecl("livery_fetch_answer") @implementation
public func livery_fetch_answer(
  _ exchange: OpaquePointer?, _ http_status: Int32, _ headers: UnsafePointer<livery_fetch_header>?, _ count: Int
) -> livery_status {
  boundary { () throws(StoreError) in
    let exchange = try Exchange.handles.find(exchange)
    guard (200...599).contains(http_status) else {
      throw StoreError(.invalidArgument, "\(http_status) is no status of an answer")
    }
    guard (0...1000).contains(count) else { throw StoreError(.invalidArgument, "there are more than 1,000 headers") }
    if count > 0 { _ = try required(headers, "headers") }
    var fields: [Head.Field] = []
    for header in UnsafeBufferPointer(start: headers, count: count) {
      let name = try bytes(header.name, "a header's name")
      let value = try bytes(header.value, "a header's value")
      fields.append(Head.Field(name: name.map { $0.lowercased }, value: value.trimmed))
    }
    try exchange.answer(Head(status: http_status, fields: fields))
  }
}

@_cdecl("livery_fetch_receive") @implementation
public func livery_fetch_receive(
  _ exchange: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int
) -> livery_status {
  boundary { () throws(StoreError) in
    let exchange = try Exchange.handles.find(exchange)
    guard length >= 0 else { throw StoreError(.invalidArgument, "no piece of a body is so long") }
    if length > 0 { _ = try required(bytes, "bytes") }
    try exchange.receive(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : length))
  }
}

@_cdecl("livery_fetch_finish") @implementation
public func livery_fetch_finish(
  _ exchange: OpaquePointer?, _ status: livery_status, _ message: UnsafePointer<CChar>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let exchange = try Exchange.handles.find(exchange)
    guard status <= 0 else { throw StoreError(.invalidArgument, "\(status) is no status") }
    if status == livery_status(LIVERY_OK) { return try exchange.finish(nil) }
    let code = StoreError.Code(rawValue: status)
    let text = message.map { (message) in
      // One line for people.
      let bytes = UnsafeRawBufferPointer(start: message, count: lvc_length(message, 1000))
      return bytes.map { $0 < 32 || $0 == 127 ? 32 : $0 }.text
    }
    try exchange.finish(StoreError(code, text ?? code.description))
  }
}

/// The bytes of a header, whatever they are.
private func bytes(_ text: UnsafePointer<CChar>?, _ name: StaticString) throws(StoreError) -> [UInt8] {
  let start = try required(text, name)
  return Array(UnsafeRawBufferPointer(start: start, count: lvc_length(start, 1 << 16)))
}
