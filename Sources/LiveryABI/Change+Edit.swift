import CLivery
import CSystem
import Livery

// Reading and changing in one transaction.

@_cdecl("livery_edit") @implementation
public func livery_edit(
  _ store: OpaquePointer?, _ number: livery_layer, _ function: livery_edit_fn?, _ user_data: UnsafeMutableRawPointer?,
  _ revision: UnsafeMutablePointer<UInt64>?, _ violations: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  onStore(store) { (object) throws(StoreError) in
    let function = try required(function, "function")
    var edited: ChangeSet?
    do throws(StoreError) {
      let committed = try object.store.edit(layer(number)) { (change) throws(StoreError) in
        edited = change
        try call(function, change, user_data, object)
      }
      revision?.pointee = committed
    } catch {
      if let violations, case .list(let all)? = edited?.violations(), !all.isEmpty {
        try publish(.list(all), to: violations)
      }
      throw error
    }
  }
}

private func call(
  _ function: livery_edit_fn, _ change: ChangeSet, _ userData: UnsafeMutableRawPointer?, _ owner: StoreObject
) throws(StoreError) {
  var handle: OpaquePointer?
  try publish(ChangeObject(change, owner: owner), .change, to: &handle)
  let status = function(handle, userData)
  let wasKept = HandleTable.shared.closeIfOpen(handleNumber(handle), .change)
  guard status == livery_status(LIVERY_OK) else { throw StoreError(returned: status) }
  if !wasKept { change.discard() }
}

extension StoreError {
  /// A status that a function of the caller's returned: with the thread's last error, if it is of that.
  init(returned status: livery_status) {
    let code = Code(rawValue: status)
    guard status < 0 else {
      self.init(.invalidArgument, "the function returned \(status), which is no status")
      return
    }
    guard let left = Self.left(of: status) else {
      self.init(code, "the function returned \(String(cString: livery_status_name(status)))")
      return
    }
    self.init(code, left.message, setting: left.setting)
  }

  /// The thread's last error, if it is of a status.
  static func left(of status: livery_status) -> (message: String, setting: String?)? {
    let last = lvs_thread_error_view().pointee
    guard last.status == status, let message = last.message else { return nil }
    return (String(cString: message), last.setting.map { String(cString: $0) })
  }
}
