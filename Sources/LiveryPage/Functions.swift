import CLivery
import CPage
import LiveryClient

// The C functions: take what came in, call, hand out.

@_cdecl("livery_page_start") @implementation
public func livery_page_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_page_options>?, _ finished: livery_page_finished_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?, _ page: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  // Its destroy is called when starting fails, too.
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let place = try required(page, "page")
    let content = try structure(options, none: livery_page_options())
    try checkFlags(content.flags, known: LIVERY_PAGE_DISPATCH, LIVERY_PAGE_HIDDEN, LIVERY_PAGE_READ_ONLY)
    var options = Server.Options()
    if let listen = content.listen { options.listen = try argument(listen, "listen", limit: 64) }
    if let path = content.unix_socket { options.unixSocket = try argument(path, "unix_socket", limit: 107) }
    if let hosts = content.hosts {
      for name in try argument(hosts, "hosts", limit: 1024).utf8.split(separator: 0x20) {
        options.hosts.append(String(decoding: name, as: UTF8.self))
      }
    }
    if content.idle_s != 0 {
      guard (10...86_400).contains(content.idle_s) else { throw StoreError(.invalidArgument, "idle_s is out of range") }
      options.idle = Int(content.idle_s)
    }
    let pin = try content.pin_setting.map { (name) throws(StoreError) in try argument(name, "pin_setting", limit: 255) }
    place.pointee = try Page(store, pin: pin, content.flags & UInt32(LIVERY_PAGE_DISPATCH) != 0, finished, userData)
      .start(options)
  }
}

@_cdecl("livery_page_address") @implementation
public func livery_page_address(
  _ page: OpaquePointer?, _ address: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ length: UnsafeMutablePointer<Int>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let place = try required(address, "address")
    try handOut(try Page.handles.find(page).link(), place, length)
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
    guard PIN.lengths.contains(pin.utf8.count) else { throw StoreError(.invalidArgument, "a PIN has 4 to 128 bytes") }
    guard let text = PIN.hash(pin) else { throw StoreError(.noMemory, "there is no memory for a hash") }
    try handOut(text, place, length)
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
