import CLivery
import CLiveryWorkflow
import LiveryClient

// The C functions of prompt.h: take what came in, call, hand out.

@_cdecl("livery_prompt_kinds") @implementation
public func livery_prompt_kinds(_ kinds: UnsafeMutablePointer<OpaquePointer?>?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let place = try required(kinds, "kinds")
    place.pointee = try Value.list(PromptKind.all.map { $0.value }).makeHandle()
  }
}

@_cdecl("livery_prompt_form") @implementation
public func livery_prompt_form(
  _ kind: UnsafePointer<CChar>?, _ form: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let name = try kindName(kind)
    let place = try required(form, "form")
    guard let kind = PromptKind.named(name) else {
      throw StoreError(.notFound, "\"\(name)\" is no pinned kind of prompts")
    }
    place.pointee = try kind.form.drawn().makeHandle()
  }
}

@_cdecl("livery_prompt_missing") @implementation
public func livery_prompt_missing(
  _ store: OpaquePointer?, _ missing: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let desk = try Desks.find(try Store(borrowing: store))
    let place = try required(missing, "missing")
    place.pointee = try Value.list(desk.missing()).makeHandle()
  }
}

@_cdecl("livery_prompt_provide") @implementation
public func livery_prompt_provide(
  _ store: OpaquePointer?, _ kind: UnsafePointer<CChar>?, _ functions: UnsafePointer<livery_prompt_functions>?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ provider: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      let kind = try kindName(kind, orAny: true)
      let given = try structure(try required(functions, "functions"), none: livery_prompt_functions())
      try checkFlags(given.flags, known: LIVERY_PROMPT_DISPATCH)
      let present = try required(given.present, "present")
      let dismiss = try required(given.dismiss, "dismiss")
      let desk = try Desks.find(store)
      let made = Provider(
        kind, desk,
        Provider.Functions(
          present: { (prompt) in prompt.present(present, userData) },
          dismiss: { (prompt, reason) in
            tell(reason) { dismiss(prompt.handle, $0, $1, userData.pointer) }
          },
          end: { userData.end() }),
        dispatched: given.flags != 0)
      let handle = try made.open()
      do throws(StoreError) { try desk.add(made) } catch {
        Provider.handles.remove(handle)
        throw error
      }
      provider?.pointee = handle
    } catch {
      userData.end()
      throw error
    }
  }
}

@_cdecl("livery_prompt_withdraw") @implementation
public func livery_prompt_withdraw(_ provider: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard provider != nil else { return }
    let found = try Provider.handles.find(provider)
    found.desk.withdraw(found)
  }
}

@_cdecl("livery_prompt_request_start") @implementation
public func livery_prompt_request_start(
  _ store: OpaquePointer?, _ kind: UnsafePointer<CChar>?, _ subject: OpaquePointer?,
  _ options: UnsafePointer<livery_prompt_options>?, _ done: livery_prompt_done_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?,
  _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      let options = try structure(options, none: livery_prompt_options())
      var wish = Request.Wish(kind: try kindName(kind))
      _ = try required(done, "done")
      try wish.take(options)
      if subject != nil { wish.subject = try Value(reading: subject) }
      try wish.check()
      if let answered = options.answered {
        wish.answered = { (request, answer) in
          let handle = try? answer.makeHandle()
          answered(request.handle, handle, userData.pointer)
          livery_value_release(handle)
        }
      }
      wish.done = { (outcome) in
        outcome.tell(done, userData)
        userData.end()
      }
      let made = Request(try Desks.find(store), wish)
      let handle = try made.begin()
      request?.pointee = handle
      made.desk.loop.post { made.start() }
    } catch {
      PromptMachine.Outcome.failed(error).tell(done, userData)
      userData.end()
      throw error
    }
  }
}

@_cdecl("livery_prompt_accept") @implementation
public func livery_prompt_accept(_ request: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in try Request.handles.find(request).accepted() }
}

@_cdecl("livery_prompt_reject") @implementation
public func livery_prompt_reject(
  _ request: OpaquePointer?, _ message: UnsafePointer<CChar>?, _ retry: Bool
) -> livery_status {
  boundary { () throws(StoreError) in
    let found = try Request.handles.find(request)
    try found.rejected(try argument(message, "message", limit: 1024), retry: retry)
  }
}

@_cdecl("livery_prompt_request_cancel") @implementation
public func livery_prompt_request_cancel(_ request: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard request != nil else { return }
    try Request.handles.find(request).cancel("the request was taken back")
  }
}

@_cdecl("livery_prompt_pop") @implementation
public func livery_prompt_pop(_ store: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in try Desks.find(try Store(borrowing: store)).pop() }
}

@_cdecl("livery_prompt_answer") @implementation
public func livery_prompt_answer(
  _ prompt: OpaquePointer?, _ answer: OpaquePointer?, _ verdict: livery_prompt_verdict_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    do throws(StoreError) {
      try checkMemory()
      let found = try Prompt.handles.find(prompt)
      let value = try Value(reading: try required(answer, "answer"))
      try found.answer(value) { (error, retry) in
        tell(error) { verdict?($0, $1, retry, userData.pointer) }
        userData.end()
      }
    } catch {
      userData.end()
      throw error
    }
  }
}

@_cdecl("livery_prompt_dismiss") @implementation
public func livery_prompt_dismiss(_ prompt: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard prompt != nil else { return }
    try Prompt.handles.find(prompt).dismiss()
  }
}

private func kindName(_ kind: UnsafePointer<CChar>?, orAny: Bool = false) throws(StoreError) -> String {
  let name = try argument(kind, "kind", limit: 255)
  try PromptKind.checkName(name, orAny: orAny)
  return name
}

/// Calls a function of C with a status and a message.
private func tell(_ error: StoreError?, _ body: (livery_status, UnsafePointer<CChar>) -> Void) {
  (error?.message ?? "").withCString { body(error?.code.rawValue ?? livery_status(LIVERY_OK), $0) }
}

extension PromptMachine.Outcome {
  fileprivate func tell(_ done: livery_prompt_done_fn?, _ userData: UserData) {
    var result = livery_prompt_result()
    result.struct_size = MemoryLayout<livery_prompt_result>.size
    var error: StoreError?
    switch self {
    case .completed(let answer, let byDefault):
      result.outcome = livery_prompt_outcome(LIVERY_PROMPT_COMPLETED)
      result.is_default = byDefault
      do throws(StoreError) { result.answer = try answer.makeHandle() } catch let failure {
        result.outcome = livery_prompt_outcome(LIVERY_PROMPT_FAILED)
        error = failure
      }
    case .failed(let failure):
      result.outcome = livery_prompt_outcome(LIVERY_PROMPT_FAILED)
      error = failure
    case .dismissed(let failure):
      result.outcome = livery_prompt_outcome(LIVERY_PROMPT_DISMISSED)
      error = failure
    case .timedOut(let failure):
      result.outcome = livery_prompt_outcome(LIVERY_PROMPT_TIMED_OUT)
      error = failure
    }
    LiveryWorkflow.tell(error) {
      result.status = $0
      result.message = $1
      done?(&result, userData.pointer)
    }
    livery_value_release(result.answer)
  }
}

extension Prompt {
  /// Calls a function of C that shows it; what it fails with.
  fileprivate func present(_ function: livery_prompt_present_fn, _ userData: UserData) -> StoreError? {
    let request: OpaquePointer?
    do throws(StoreError) { request = try shown.makeHandle() } catch { return error }
    let status = function(handle, request, userData.pointer)
    livery_value_release(request)
    guard status != livery_status(LIVERY_OK) else { return nil }
    return StoreError(reported: status, "the prompt could not be shown")
  }
}

extension Request.Wish {
  fileprivate mutating func take(_ options: livery_prompt_options) throws(StoreError) {
    try checkFlags(options.flags, known: LIVERY_PROMPT_DISPATCH, LIVERY_PROMPT_REPLACE)
    isDispatched = options.flags & UInt32(LIVERY_PROMPT_DISPATCH) != 0
    replaces = options.flags & UInt32(LIVERY_PROMPT_REPLACE) != 0
    timeout = Int64(options.timeout_ms) * 1000
    if options.patience_ms > 0 { patience = Int64(options.patience_ms) * 1000 }
    if options.schema != nil { schema = try argument(options.schema, "schema", limit: Message.limit) }
  }
}
