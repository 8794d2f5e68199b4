import CClient
import CLivery
import CLiveryWorkflow
import LiveryClient

// The C functions: take what came in, call, hand out.

@_cdecl("livery_session_bootstrap") @implementation
public func livery_session_bootstrap(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_session_options>?, _ fetcher: livery_session_fetch_fn?,
  _ done: livery_session_fn?, _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    var starting: SessionKeeper.Bootstrap?
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      _ = try required(done, "done")
      let options = try structure(options, none: livery_session_options())
      try checkFlags(options.flags, known: LIVERY_SESSION_DISPATCH)
      let isDispatched = options.flags & UInt32(LIVERY_SESSION_DISPATCH) != 0
      let keeper = try SessionKeepers.find(store)
      var fetching: SessionKeeper.Fetching?
      if let fetcher {
        fetching = SessionKeeper.Fetching(isDispatched: isDispatched) { (request, facts, token) in
          ask(fetcher, request, facts, token, userData)
        }
      }
      let made = SessionKeeper.Bootstrap(on: store, dispatched: isDispatched) { outcome in
        outcome.tell(done, userData)
      }
      starting = made
      try keeper.bootstrap(fetching, made)
      made.begin()
    } catch {
      if let starting { starting.fail(error) } else { Result.failure(error).tell(done, userData) }
      throw error
    }
  }
}

@_cdecl("livery_session_answer") @implementation
public func livery_session_answer(
  _ fetch: OpaquePointer?, _ status: livery_status, _ user: OpaquePointer?
) -> livery_status {
  boundary { () throws(StoreError) in
    let request = try SessionRequest.handles.find(fetch)
    guard status <= 0 else { throw StoreError(.invalidArgument, "\(status) is no status") }
    if status == livery_status(LIVERY_OK) {
      let user = try Value(reading: try required(user, "user"))
      return try request.answer(.success(user))
    }
    // With what whoever answers has left of it.
    do throws(StoreError) { try check(status) } catch {
      try request.answer(.failure(StoreError(error.code, "the user could not be fetched: \(error.message)")))
    }
  }
}

@_cdecl("livery_session_login") @implementation
public func livery_session_login(
  _ store: OpaquePointer?, _ user: OpaquePointer?, _ options: UnsafePointer<livery_session_login_options>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let user = try Value(reading: try required(user, "user"))
    let wish = try SessionWish(options, known: LIVERY_SESSION_REPLACE)
    try SessionKeepers.ready(store).login(user, wish)
  }
}

@_cdecl("livery_session_update") @implementation
public func livery_session_update(
  _ store: OpaquePointer?, _ user: OpaquePointer?, _ options: UnsafePointer<livery_session_login_options>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    var value: Value?
    if let user { value = try Value(reading: user) }
    let wish = try SessionWish(options, known: 0)
    try SessionKeepers.ready(store).update(value, wish)
  }
}

@_cdecl("livery_session_logout") @implementation
public func livery_session_logout(_ store: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in try SessionKeepers.ready(try Store(borrowing: store)).end(.logout) }
}

@_cdecl("livery_session_expire") @implementation
public func livery_session_expire(_ store: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in try SessionKeepers.ready(try Store(borrowing: store)).end(.expire) }
}

@_cdecl("livery_session_current") @implementation
public func livery_session_current(
  _ store: OpaquePointer?, _ user: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let place = try required(user, "user")
    let keeper = try SessionKeepers.known(store)
    guard let user = try keeper?.report().user else {
      throw StoreError(.noValue, "nobody is logged in, or this process does not know who")
    }
    place.pointee = try user.makeHandle()
  }
}

@_cdecl("livery_session_state") @implementation
public func livery_session_state(
  _ store: OpaquePointer?, _ info: UnsafeMutablePointer<livery_session_info>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let store = try Store(borrowing: store)
    let place = try required(info, "info")
    let given = try structure(UnsafePointer(place), none: livery_session_info())
    let size = given.struct_size
    var told = livery_session_info(try SessionKeepers.known(store)?.report() ?? SessionReport())
    told.struct_size = size
    let known = min(size, MemoryLayout<livery_session_info>.size)
    withUnsafeBytes(of: &told) { (bytes) in
      UnsafeMutableRawPointer(place).copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: known)
    }
  }
}

@_cdecl("livery_session_watch_start") @implementation
public func livery_session_watch_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_session_options>?, _ function: livery_session_watch_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?, _ watch: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let function = try required(function, "function")
    let options = try structure(options, none: livery_session_options())
    try checkFlags(options.flags, known: LIVERY_SESSION_DISPATCH, LIVERY_SESSION_INITIAL)
    let keeper = try SessionKeepers.find(store)
    let made = SessionWatch(keeper, isDispatched: options.flags & UInt32(LIVERY_SESSION_DISPATCH) != 0) { (report) in
      report.passing { (info, user) in function(info, user, userData.pointer) }
    }
    let handle = try made.start(initial: options.flags & UInt32(LIVERY_SESSION_INITIAL) != 0)
    watch?.pointee = handle
  }
}

@_cdecl("livery_session_watch_stop") @implementation
public func livery_session_watch_stop(_ watch: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard watch != nil else { return }
    try SessionWatch.handles.find(watch).stop()
  }
}

extension SessionKeepers {
  /// The keeper of a store for a transition.
  static func ready(_ store: Store) throws(StoreError) -> SessionKeeper {
    guard let keeper = try known(store) else { throw StoreError(.conflict, "livery_session_bootstrap() comes first") }
    return keeper
  }
}

private func ask(
  _ fetcher: livery_session_fetch_fn, _ request: SessionRequest, _ facts: SessionFacts, _ token: String?,
  _ userData: UserData
) {
  guard let handle = request.handle else { return }
  var info = livery_session_info(SessionReport(facts: facts, isKnown: true, user: nil))
  let length = token?.utf8.count ?? 0
  guard let token else { return fetcher(handle, &info, nil, 0, userData.pointer) }
  token.withCString { fetcher(handle, &info, $0, length, userData.pointer) }
}

extension Result where Success == SessionReport, Failure == StoreError {
  fileprivate func tell(_ done: livery_session_fn?, _ userData: UserData) {
    guard let done else { return }
    switch self {
    case .success(let report):
      report.passing { (info, user) in
        (report.failure?.message ?? "").withCString {
          done(report.failure?.code.rawValue ?? livery_status(LIVERY_OK), info, user, $0, userData.pointer)
        }
      }
    case .failure(let error):
      SessionReport().passing { (info, _) in
        error.message.withCString { done(error.code.rawValue, info, nil, $0, userData.pointer) }
      }
    }
  }
}

extension SessionReport {
  /// Calls a function of C with what is told.
  fileprivate func passing(_ body: (UnsafePointer<livery_session_info>, OpaquePointer?) -> Void) {
    var info = livery_session_info(self)
    let handle = user.flatMap { try? $0.makeHandle() }
    defer { if handle != nil { livery_value_release(handle) } }
    body(&info, handle ?? nil)
  }
}

extension livery_session_info {
  init(_ report: SessionReport) {
    self.init()
    struct_size = MemoryLayout<livery_session_info>.size
    guard report.isKnown else { return }
    let facts = report.facts
    state = facts.state.rawValue
    reason = facts.reason.rawValue
    has_token = facts.state == .active && facts.hasToken
    has_user = report.user != nil
    since = facts.since
    expires = facts.expires
    withUnsafeMutableBytes(of: &id) { (place) in
      var index = 0
      for byte in facts.id.utf8 where index < Int(LIVERY_SESSION_ID_SIZE) {
        place[index] = byte
        index += 1
      }
    }
  }
}

extension SessionWish {
  fileprivate init(_ options: UnsafePointer<livery_session_login_options>?, known: Int) throws(StoreError) {
    let options = try structure(options, none: livery_session_login_options())
    try checkFlags(options.flags, known: known)
    replaces = options.flags & UInt32(LIVERY_SESSION_REPLACE) != 0
    expires = options.expires
    guard expires >= 0 else { throw StoreError(.invalidArgument, "expires is negative") }
    guard let start = options.token else { return }
    let most = Int(LIVERY_SESSION_TOKEN_MAX)
    var length = options.token_length
    // LIVERY_ZERO_TERMINATED
    if length == -1 { length = lvc_length(start, most + 1) }
    guard (0...most).contains(length) else {
      throw StoreError(.invalidValue, "the token is longer than \(most) bytes")
    }
    let bytes = UnsafeRawBufferPointer(start: start, count: length)
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw StoreError(.invalidArgument, "the token is no UTF-8, or has a NUL")
    }
    token = text
  }
}
