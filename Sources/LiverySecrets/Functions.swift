import CLivery
import CLiverySecrets
import CSecrets
import LiveryClient

// The C functions: take what came in, call, hand out.

private let handles = Handles<Secrets>(kind: 75, noun: "the secrets")

@_cdecl("livery_secrets_make_key") @implementation
public func livery_secrets_make_key(_ options: UnsafePointer<livery_secrets_options>?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let options = try structure(try required(options, "options"), none: livery_secrets_options())
    let userData = UserData(options.user_data, options.destroy)
    try Secrets.makeKey(source(options, userData))
  }
}

@_cdecl("livery_secrets_open") @implementation
public func livery_secrets_open(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_secrets_options>?,
  _ secrets: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let options = try structure(try required(options, "options"), none: livery_secrets_options())
    let userData = UserData(options.user_data, options.destroy)
    try checkMemory()
    let store = try Store(borrowing: store)
    let secrets = try required(secrets, "secrets")
    let made = try Secrets.open(store, source(options, userData))
    secrets.pointee = try handles.insert(made)
  }
}

@_cdecl("livery_secrets_close") @implementation
public func livery_secrets_close(_ secrets: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard let secrets else { return }
    let object = try handles.find(secrets)
    handles.remove(secrets)
    object.close()
  }
}

@_cdecl("livery_secrets_reload") @implementation
public func livery_secrets_reload(_ secrets: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    try handles.find(secrets).reload()
  }
}

@_cdecl("livery_secrets_rotate") @implementation
public func livery_secrets_rotate(
  _ secrets: OpaquePointer?, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let made = try handles.find(secrets).rotate().makeHandle()
    if let report { report.pointee = made } else { livery_value_release(made) }
  }
}

@_cdecl("livery_secrets_status") @implementation
public func livery_secrets_status(
  _ secrets: OpaquePointer?, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let object = try handles.find(secrets)
    let report = try required(report, "report")
    report.pointee = try object.status().makeHandle()
  }
}

/// What a function of the program's has failed with.
private func left(_ status: livery_status) -> StoreError {
  guard status < 0 else { return StoreError(.invalidArgument, "the function returned \(status), which is no status") }
  let last = livery_last_error()
  if let last, last.pointee.status == status, let message = last.pointee.message {
    return StoreError(StoreError.Code(rawValue: status), String(cString: message))
  }
  return StoreError(
    StoreError.Code(rawValue: status), "the function returned \(String(cString: livery_status_name(status)))")
}

/// The one place that options name.
private func source(_ options: livery_secrets_options, _ userData: UserData) throws(StoreError) -> KeySource {
  var found: [KeySource] = []
  if options.file != nil { found.append(.file(try argument(options.file, "file", limit: 4096))) }
  if options.keyring != nil { found.append(.keyring(try argument(options.keyring, "keyring", limit: 255))) }
  if options.credential != nil {
    let name = try argument(options.credential, "credential", limit: 255)
    guard !name.utf8.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), name.utf8.first != UInt8(ascii: ".") else {
      throw StoreError(.invalidArgument, "`credential` is the name of a file in $CREDENTIALS_DIRECTORY")
    }
    found.append(.credential(name))
  }
  if let function = options.function {
    found.append(
      .function { (buffer) throws(StoreError) in
        var length = 0
        let status = function(
          buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, &length, userData.pointer)
        guard status == livery_status(LIVERY_OK) else { throw left(status) }
        return length
      })
  }
  guard found.count == 1 else {
    throw StoreError(.invalidArgument, "one of `file`, `keyring`, `credential` and `function` is to be given")
  }
  return found[0]
}
