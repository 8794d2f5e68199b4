import CLivery
import CTurn
import LiveryClient

// The C functions: take what came in, call, hand out.

@_cdecl("livery_turn_start") @implementation
public func livery_turn_start(
  _ store: OpaquePointer?, _ line: UnsafePointer<CChar>?, _ who: UnsafePointer<CChar>?,
  _ options: UnsafePointer<livery_turn_options>?, _ done: livery_turn_fn?, _ user_data: UnsafeMutableRawPointer?,
  _ destroy: livery_destroy_fn?, _ turn: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  let tell: @Sendable (livery_status, UInt64) -> Void = { status, revision in
    done?(status, revision, userData.pointer)
    userData.end()
  }
  return boundary { () throws(StoreError) in
    var completion: Completion<UInt64>?
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      _ = try required(done, "done")
      let place = try required(turn, "turn")
      let line = try argument(line, "line", limit: 64)
      let who = try argument(who, "who", limit: 64)
      guard !line.isEmpty, !who.isEmpty else { throw StoreError(.invalidArgument, "line or who is empty") }
      let options = try structure(options, none: livery_turn_options())
      try checkFlags(options.flags, known: LIVERY_TURN_DISPATCH)
      let isDispatched = options.flags & UInt32(LIVERY_TURN_DISPATCH) != 0
      let ending = Completion<UInt64>(on: store, dispatched: isDispatched) { outcome in
        switch outcome {
        case .success(let revision): tell(livery_status(LIVERY_OK), revision)
        case .failure(let error): tell(error.code.rawValue, 0)
        }
      }
      completion = ending
      place.pointee = try Turn(store, Line(line), who, ending).start(dispatched: isDispatched)
      ending.begin()
    } catch {
      if let completion { completion.fail(error) } else { tell(error.code.rawValue, 0) }
      throw error
    }
  }
}

@_cdecl("livery_turn_cancel") @implementation
public func livery_turn_cancel(_ turn: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard turn != nil else { return }
    try Turn.handles.find(turn).cancel()
  }
}
