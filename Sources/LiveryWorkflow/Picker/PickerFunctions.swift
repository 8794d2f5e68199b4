import CLivery
import CLiveryWorkflow
import CWorkflow
import LiveryClient

// The C functions of picker.h: take what came in, call, hand out.

@_cdecl("livery_picker_start") @implementation
public func livery_picker_start(
  _ store: OpaquePointer?, _ options: UnsafePointer<livery_picker_options>?, _ done: livery_picker_done_fn?,
  _ user_data: UnsafeMutableRawPointer?, _ destroy: livery_destroy_fn?, _ picker: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    var source = PickerSource.folder
    do throws(StoreError) {
      try checkMemory()
      let store = try Store(borrowing: store)
      let options = try structure(try required(options, "options"), none: livery_picker_options())
      _ = try required(done, "done")
      source = try pickerSource(options.source)
      var wish = Pick.Wish(source: source)
      try wish.take(options, userData)
      try wish.check(source)
      wish.done = { (outcome) in
        outcome.tell(done, userData)
        userData.end()
      }
      let made = Pick(try Desks.find(store), wish)
      let handle = try made.begin()
      picker?.pointee = handle
      made.start()
    } catch {
      var outcome = Pick.Outcome(source: source, permission: .notAsked)
      outcome.error = error
      outcome.tell(done, userData)
      userData.end()
      throw error
    }
  }
}

@_cdecl("livery_picker_cancel") @implementation
public func livery_picker_cancel(_ picker: OpaquePointer?) -> livery_status {
  boundary { () throws(StoreError) in
    guard picker != nil else { return }
    try Pick.handles.find(picker).cancel()
  }
}

@_cdecl("livery_picker_permit") @implementation
public func livery_picker_permit(_ ask: OpaquePointer?, _ permission: livery_picker_permission) -> livery_status {
  boundary { () throws(StoreError) in
    let found = try PickerAsk.handles.find(ask)
    guard let permission = PickerPermission(rawValue: permission) else {
      throw StoreError(.invalidArgument, "\(permission) is no permission")
    }
    try found.permit(permission)
  }
}

@_cdecl("livery_picker_decide") @implementation
public func livery_picker_decide(
  _ ask: OpaquePointer?, _ decision: livery_picker_decision, _ source: livery_picker_source
) -> livery_status {
  boundary { () throws(StoreError) in
    let found = try PickerAsk.handles.find(ask)
    switch Int(decision) {
    case LIVERY_PICKER_STOP where source == 0: try found.decide(.stop)
    case LIVERY_PICKER_AGAIN where source == 0: try found.decide(.again)
    case LIVERY_PICKER_OTHER: try found.decide(.other(try pickerSource(source)))
    default: throw StoreError(.invalidArgument, "\(decision) with the source \(source) is no decision")
    }
  }
}

@_cdecl("livery_picker_known_permission") @implementation
public func livery_picker_known_permission(
  _ store: OpaquePointer?, _ source: livery_picker_source, _ permission: UnsafeMutablePointer<livery_picker_permission>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let store = try Store(borrowing: store)
    let place = try required(permission, "permission")
    place.pointee = try store.pickerPermission(try pickerSource(source)).rawValue
  }
}

@_cdecl("livery_picker_camera_available") @implementation
public func livery_picker_camera_available(
  _ store: OpaquePointer?, _ available: UnsafeMutablePointer<Bool>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let place = try required(available, "available")
    place.pointee = try store.isCameraAvailable()
  }
}

@_cdecl("livery_picker_set_camera") @implementation
public func livery_picker_set_camera(
  _ store: OpaquePointer?, _ camera: UnsafePointer<livery_picker_camera>?, _ user_data: UnsafeMutableRawPointer?,
  _ destroy: livery_destroy_fn?
) -> livery_status {
  let userData = UserData(user_data, destroy)
  return boundary { () throws(StoreError) in
    // Whoever holds the camera last lets go of it.
    try checkMemory()
    let desk = try Desks.find(try Store(borrowing: store))
    guard let camera else { return try desk.setCamera(nil) }
    let given = try structure(camera, none: livery_picker_camera())
    try checkFlags(given.flags)
    let take = try required(given.take, "take")
    let (available, cancel) = (given.available, given.cancel)
    try desk.setCamera(
      HostCamera(
        isAvailable: { available?(userData.pointer) ?? true },
        take: { (shot, width, height) in begin(take, shot, width, height, userData) },
        cancel: { (shot) in cancel?(shot.handle, userData.pointer) }))
  }
}

@_cdecl("livery_picker_taken") @implementation
public func livery_picker_taken(
  _ shot: OpaquePointer?, _ status: livery_status, _ bytes: UnsafeRawPointer?, _ length: Int
) -> livery_status {
  boundary { () throws(StoreError) in
    let found = try PickerShot.handles.find(shot)
    guard status <= 0 else { throw StoreError(.invalidArgument, "\(status) is no status") }
    guard status == livery_status(LIVERY_OK) else {
      return try found.taken(.failure(StoreError(reported: status, "the camera has no picture")))
    }
    let start = try required(bytes, "bytes")
    let limit = found.limit
    guard length >= 0, length <= limit else {
      return try found.taken(.failure(ImageFolder.tooLarge(Int64(length), limit, "the picture")))
    }
    try checkMemory()
    guard lvw_memory_can_have(length) else { throw StoreError(.noMemory, "there is no memory for the picture") }
    try found.taken(.success(Array(UnsafeRawBufferPointer(start: start, count: length))))
  }
}

@_cdecl("livery_picker_list") @implementation
public func livery_picker_list(
  _ folder: UnsafePointer<CChar>?, _ images: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let path = try argument(folder, "folder", limit: 4096)
    let place = try required(images, "images")
    place.pointee = try Value.list(try ImageFolder.list(path)).makeHandle()
  }
}

@_cdecl("livery_picker_media") @implementation
public func livery_picker_media(_ media: UnsafeMutablePointer<OpaquePointer?>?) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let place = try required(media, "media")
    place.pointee = try Value.list(try Media.mounted().map { $0.value }).makeHandle()
  }
}

private func pickerSource(_ number: livery_picker_source) throws(StoreError) -> PickerSource {
  guard let source = PickerSource(rawValue: number) else {
    throw StoreError(.invalidArgument, "\(number) is no source of images")
  }
  return source
}

/// Calls a function of C that takes a picture; what it fails with.
private func begin(
  _ take: (OpaquePointer?, UInt32, UInt32, UnsafeMutableRawPointer?) -> livery_status, _ shot: PickerShot,
  _ width: UInt32, _ height: UInt32, _ userData: UserData
) -> StoreError? {
  let status = take(shot.handle, width, height, userData.pointer)
  guard status != livery_status(LIVERY_OK) else { return nil }
  return StoreError(reported: status, "the camera does not take a picture")
}

extension StoreError {
  /// What a function of the program's has returned, with what it has left.
  init(reported status: livery_status, _ what: String) {
    let code = Code(rawValue: min(status, -1))
    guard let last = livery_last_error(), last.pointee.status == status, let message = last.pointee.message else {
      self.init(code, "\(what): \(code)")
      return
    }
    self.init(code, String(cString: message))
  }
}

extension Pick.Outcome {
  fileprivate func tell(_ done: livery_picker_done_fn?, _ userData: UserData) {
    guard let done else { return }
    var result = livery_picker_result()
    result.struct_size = MemoryLayout<livery_picker_result>.size
    result.source = source.rawValue
    result.permission = permission.rawValue
    result.revision = revision
    var error = error
    if let info, error == nil {
      do throws(StoreError) { result.info = try info.makeHandle() } catch let failure { error = failure }
    }
    result.status = error?.code.rawValue ?? livery_status(LIVERY_OK)
    (error?.message ?? "").withCString { (message) in
      result.message = message
      guard let asset, error == nil else { return done(&result, userData.pointer) }
      asset.withCString { (id) in
        result.asset = id
        done(&result, userData.pointer)
      }
    }
    livery_value_release(result.info)
  }
}

extension Pick.Wish {
  fileprivate mutating func take(_ options: livery_picker_options, _ userData: UserData) throws(StoreError) {
    try checkFlags(options.flags, known: LIVERY_PICKER_DISPATCH)
    isDispatched = options.flags != 0
    if options.folder != nil { folder = try argument(options.folder, "folder", limit: 4096) }
    if options.file != nil { file = try argument(options.file, "file", limit: 255) }
    if options.device != nil { device = try argument(options.device, "device", limit: 255) }
    if options.setting != nil { setting = try argument(options.setting, "setting", limit: 255) }
    guard options.width <= 16_384, options.height <= 16_384 else {
      throw StoreError(.invalidArgument, "a picture is at most 16,384 pixels wide and high")
    }
    (width, height) = (options.width, options.height)
    guard options.max_size <= UInt32(LIVERY_ASSET_MAX) else {
      throw StoreError(.invalidArgument, "max_size is larger than \(LIVERY_ASSET_MAX)")
    }
    if options.max_size > 0 { maximumSize = Int(options.max_size) }
    guard options.timeout_ms <= 86_400_000 else { throw StoreError(.invalidArgument, "a time is longer than a day") }
    timeout = Int64(options.timeout_ms) * 1000
    if options.layer != 0 { layer = try Layer(number: options.layer) }
    if let function = options.permission {
      permission = { (ask, source, known) in
        function(ask.handle, source.rawValue, known.rawValue, userData.pointer)
      }
    }
    if let function = options.denied {
      denied = { (ask, source, permission, message) in
        message.withCString { function(ask.handle, source.rawValue, permission.rawValue, $0, userData.pointer) }
      }
    }
  }
}
