import CLivery
import CLiveryImages
import LiveryClient

// The C functions: take what came in, call, hand out.

@_cdecl("livery_images_put") @implementation
public func livery_images_put(
  _ store: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int, _ flags: UInt32,
  _ id: UnsafeMutablePointer<CChar>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let store = try Store(borrowing: store)
    let stored = try store.images.put(content(bytes, length), allowsAny: allowsAny(flags))
    if let id { fill(id, with: stored) }
  }
}

@_cdecl("livery_images_put_into") @implementation
public func livery_images_put_into(
  _ change: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ length: Int, _ flags: UInt32,
  _ id: UnsafeMutablePointer<CChar>?
) -> livery_status {
  boundary { () throws(StoreError) in
    let change = try ChangeSet(borrowing: change)
    let stored = try change.putImage(content(bytes, length), allowsAny: allowsAny(flags))
    if let id { fill(id, with: stored) }
  }
}

@_cdecl("livery_images_judge") @implementation
public func livery_images_judge(
  _ store: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ flags: UInt32, _ report: UnsafeMutablePointer<OpaquePointer?>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    try checkFlags(flags, known: LIVERY_IMAGES_AGAIN)
    let id = id == nil ? nil : try argument(id, "id", limit: 1024)
    let made = try store.images.judge(id, again: flags != 0).value.makeHandle()
    if let report { report.pointee = made } else { livery_value_release(made) }
  }
}

@_cdecl("livery_images_legibility") @implementation
public func livery_images_legibility(
  _ store: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ text: livery_color, _ background: livery_color,
  _ options: UnsafePointer<livery_images_options>?, _ share: UnsafeMutablePointer<Double>?
) -> livery_status {
  boundary { () throws(StoreError) in
    try checkMemory()
    let store = try Store(borrowing: store)
    let share = try required(share, "share")
    let id = try argument(id, "id", limit: 1024)
    let options = try structure(options, none: livery_images_options())
    share.pointee = try store.images.illegibleShare(
      of: id, text: Color(text), on: Color(background), in: areas(options),
      required: options.required == 0 ? 4.5 : options.required)
  }
}

/// The bytes of an image that a caller passes in.
private func content(_ pointer: UnsafeRawPointer?, _ length: Int) throws(StoreError) -> [UInt8] {
  let start = try required(pointer, "bytes")
  guard length > 0, length <= Assets.maximumSize else {
    throw StoreError(.invalidValue, "an asset has 1 to \(Assets.maximumSize) bytes")
  }
  try checkMemory()
  return [UInt8](UnsafeRawBufferPointer(start: start, count: length))
}

private func allowsAny(_ flags: UInt32) throws(StoreError) -> Bool {
  try checkFlags(flags, known: LIVERY_IMAGES_ANY)
  return flags != 0
}

private func areas(_ options: livery_images_options) throws(StoreError) -> [Images.Area] {
  guard options.area_count > 0 else { return [] }
  guard options.area_count <= 1000 else { throw StoreError(.invalidArgument, "there are more than 1,000 areas") }
  let start = try required(options.areas, "areas")
  return UnsafeBufferPointer(start: start, count: options.area_count).map {
    Images.Area(x: $0.x, y: $0.y, width: $0.width, height: $0.height, weight: $0.weight)
  }
}

/// Writes an id and a NUL to where there is room for it.
private func fill(_ buffer: UnsafeMutablePointer<CChar>, with id: String) {
  var place = 0
  for byte in id.utf8.prefix(Int(LIVERY_ASSET_ID_SIZE) - 1) {
    buffer[place] = CChar(bitPattern: byte)
    place += 1
  }
  buffer[place] = 0
}

extension Images.Report {
  var value: Value {
    let refused = refused.map { refusal in
      Value.object([
        .init("id", .string(refusal.id)), .init("reason", .string(refusal.reason)),
        .init("final", .bool(refusal.isFinal)),
      ])
    }
    return .object([
      .init("judged", .int(Int64(judged))), .init("known", .int(Int64(known))), .init("refused", .list(refused)),
    ])
  }
}
