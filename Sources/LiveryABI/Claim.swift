import CLivery
import Livery

// Namespaces whose values one owner checks.

@_cdecl("livery_claim") @implementation
public func livery_claim(
  _ store: OpaquePointer?, _ prefix: UnsafePointer<CChar>?, _ function: livery_claim_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return onStore(store, .schemas, handing: userData) { (object) throws(StoreError) in
    let function = try required(function, "function")
    try object.store.claim(settingName(prefix)) { (value, name) throws(StoreError) in
      try check(value, name, function, userData)
    }
  }
}

private func check(
  _ value: Value, _ name: String, _ function: livery_claim_fn, _ userData: UserData
) throws(StoreError) -> Value {
  var given: OpaquePointer?
  try publish(value, to: &given)
  defer { if let given { try? releaseValue(given) } }
  var checked: OpaquePointer?
  let status = name.withCString { function($0, given, &checked, userData.pointer) }
  defer { if let checked { try? releaseValue(checked) } }
  guard status == livery_status(LIVERY_OK) else { throw StoreError(returned: status) }
  return checked == nil ? value : try content(checked, "checked")
}

@_cdecl("livery_claim_secret") @implementation
public func livery_claim_secret(_ store: OpaquePointer?, _ name: UnsafePointer<CChar>?) -> livery_status {
  onStore(store, .schemas) { (object) throws(StoreError) in try object.store.claimSecret(settingName(name)) }
}
