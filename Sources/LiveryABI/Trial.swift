import CLivery
import Livery

@_cdecl("livery_change_trial") @implementation
public func livery_change_trial(_ change: OpaquePointer?, _ microseconds: Int64) -> livery_status {
  onChange(change) { (change) throws(StoreError) in
    try change.setTrial(microseconds == 0 ? nil : .microseconds(microseconds))
  }
}

@_cdecl("livery_trial_confirm") @implementation
public func livery_trial_confirm(
  _ store: OpaquePointer?, _ revision: UInt64, _ origin: UnsafePointer<CChar>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    try object.store.confirmTrial(revision, origin: optionalOrigin(origin))
  }
}

@_cdecl("livery_trial_revert") @implementation
public func livery_trial_revert(
  _ store: OpaquePointer?, _ revision: UInt64, _ origin: UnsafePointer<CChar>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    try object.store.revertTrial(revision, origin: optionalOrigin(origin))
  }
}

@_cdecl("livery_trial_status") @implementation
public func livery_trial_status(
  _ store: OpaquePointer?, _ value: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let value = try required(value, "value")
    try publish(object.store.trialStatus(), to: value)
  }
}

private func optionalOrigin(_ text: UnsafePointer<CChar>?) throws(StoreError) -> String {
  guard let text else { return "" }
  return try argument(text, limit: LIVERY_ORIGIN_MAX, "origin")
}
