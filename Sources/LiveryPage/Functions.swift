import CLivery
import CLiveryPage
import CPage
import LiveryClient
import LiveryHTTP

// The C functions: take what came in, call, hand out.

@_cdecl("livery_page_start") @implementation
public func livery_page_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_page_options>?, _ finished: livery_page_finished_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?, _ page: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    do throws(StoreError) {
      try checkMemory()
      let place = try required(page, "page")
      let store = try Store(borrowing: store)
      let options = try Page.Options(try structure(options, none: livery_page_options()))
      let made = Page(store, options) { [isDispatched = options.isDispatched] ended in
        // Told exactly once, also if the store is closed before its turn.
        let completion = Completion<Void>(on: store, dispatched: isDispatched) { _ in ended.tell(finished, userData) }
        completion.begin()
        completion.finish(.success(()))
      }
      place.pointee = try made.start()
    } catch {
      userData.end()
      throw error
    }
  }
}

@_cdecl("livery_page_address") @implementation
public func livery_page_address(
  _ page: OpaquePointer?, _ address: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let place = try required(address, "address")
    let text = try Page.handles.find(page).address()
    try handOut(text, place, length)
  }
}

@_cdecl("livery_page_stop") @implementation
public func livery_page_stop(_ page: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard page != nil else { return }
    try Page.handles.find(page).stop()
  }
}

@_cdecl("livery_page_hash_pin") @implementation
public func livery_page_hash_pin(
  _ pin: UnsafePointer<CChar>?, _ hash: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let place = try required(hash, "hash")
    let pin = try argument(pin, "pin", limit: 128)
    try handOut(try PIN.hash(pin), place, length)
  }
}

@_cdecl("livery_page_brand") @implementation
public func livery_page_brand(
  _ store: OpaquePointer?, _ brand: UnsafePointer<CChar>?, _ locale: UnsafePointer<CChar>?,
  _ html: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let place = try required(html, "html")
    let store = try Store(borrowing: store)
    let brand = try brand.map { (brand) throws(StoreError) in try argument(brand, "brand", limit: 200) }
    let locale = try locale.map { (locale) throws(StoreError) in try argument(locale, "locale", limit: 35) }
    let document = try BrandDocument(store, brand, Words(try Languages.tag(of: locale ?? "en")))
    try handOut(String(decoding: document.html.bytes, as: UTF8.self), place, length)
  }
}

/// A copy of a text that ends with NUL, for the caller.
private func handOut(
  _ text: String, _ place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, _ length: UnsafeMutablePointer<Int>?
) throws(StoreError) {
  let count = text.utf8.count
  guard let copy = lvp_allocate(count + 1)?.assumingMemoryBound(to: CChar.self) else {
    throw StoreError(.noMemory, "there is no memory")
  }
  text.withCString { copy.update(from: $0, count: count + 1) }
  place.pointee = copy
  length?.pointee = count
}

extension Page.Finished {
  fileprivate func tell(_ function: livery_page_finished_fn?, _ userData: UserData) {
    guard let function else { return }
    var bytes: [CChar] = []
    var starts: [Int] = []
    for name in names {
      starts.append(bytes.count)
      bytes += name.utf8.map { CChar(bitPattern: $0) }
      bytes.append(0)
    }
    bytes.withUnsafeBufferPointer { (bytes) in
      let pointers = starts.map { (start) -> UnsafePointer<CChar>? in bytes.baseAddress.map { $0 + start } }
      pointers.withUnsafeBufferPointer { (pointers) in
        var finished = livery_page_finished(
          reason: reason, first_revision: first, last_revision: last, names: names.isEmpty ? nil : pointers.baseAddress,
          count: names.count)
        function(&finished, userData.pointer)
      }
    }
  }
}

extension Page.Options {
  fileprivate init(_ options: livery_page_options) throws(StoreError) {
    self.init()
    try checkFlags(
      options.flags, known: LIVERY_PAGE_DISPATCH, LIVERY_PAGE_HIDDEN, LIVERY_PAGE_READ_ONLY, LIVERY_PAGE_PROMPTS)
    func has(_ flag: Int) -> Bool { options.flags & UInt32(flag) != 0 }
    isDispatched = has(LIVERY_PAGE_DISPATCH)
    showsHidden = has(LIVERY_PAGE_HIDDEN)
    isReadOnly = has(LIVERY_PAGE_READ_ONLY)
    showsPrompts = has(LIVERY_PAGE_PROMPTS)
    if options.has_layer { layer = try Layer(number: options.layer) }
    if let locale = options.locale { self.locale = try Languages.tag(of: try argument(locale, "locale", limit: 35)) }
    if let title = options.title { self.title = try argument(title, "title", limit: 800) }
    if let setting = options.pin_setting {
      pinSetting = try argument(setting, "pin_setting", limit: Int(LIVERY_NAME_MAX))
    }
    if let listen = options.listen { server.listen = try argument(listen, "listen", limit: 255) }
    if let socket = options.unix_socket { server.unixSocket = try argument(socket, "unix_socket", limit: 107) }
    if let hosts = options.hosts {
      server.hosts = try argument(hosts, "hosts", limit: 4096).utf8.split(separator: 32).map {
        String(decoding: $0, as: UTF8.self)
      }
    }
    idle = options.idle_s == 0 ? 300 : Int(options.idle_s)
    try check()
  }
}
