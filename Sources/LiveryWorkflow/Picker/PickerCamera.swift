import CWorkflow
import LiveryClient
import Synchronization

/// A camera that the program has brought along.
final class HostCamera: Sendable {
  let isAvailable: @Sendable () -> Bool
  /// Begins to take a picture of about that size; what it fails with.
  let take: @Sendable (PickerShot, UInt32, UInt32) -> StoreError?
  let cancel: @Sendable (PickerShot) -> Void

  init(
    isAvailable: @escaping @Sendable () -> Bool, take: @escaping @Sendable (PickerShot, UInt32, UInt32) -> StoreError?,
    cancel: @escaping @Sendable (PickerShot) -> Void
  ) {
    self.isAvailable = isAvailable
    self.take = take
    self.cancel = cancel
  }
}

/// A picture that the program's camera is to take. Corresponds to `livery_picker_shot` in C.
public final class PickerShot: @unchecked Sendable {
  static let handles = Handles<PickerShot>(kind: 0x72, noun: "shot")

  private let attempt: Int
  private let camera: HostCamera
  private let lock = Lock()
  // Guarded by `lock`.
  private var pick: Pick?
  private(set) var handle: OpaquePointer?
  /// Whether the camera has said that it is at it.
  private var isUnderWay = false
  private var isUnwanted = false

  init(_ pick: Pick, _ attempt: Int, _ camera: HostCamera) {
    self.pick = pick
    self.attempt = attempt
    self.camera = camera
  }

  func open() throws(StoreError) {
    let handle = try Self.handles.insert(self)
    lock.withLock { self.handle = handle }
  }

  /// The most bytes that it may have; 0 if it is wanted no longer.
  var limit: Int { lock.withLock { isUnwanted ? 0 : pick?.wish.maximumSize ?? 0 } }

  /// Hands over the picture, or why there is none. Corresponds to `livery_picker_taken` in C.
  ///
  /// - Throws: `.closed` if that was done before, or picking has ended.
  public func taken(_ picture: Result<[UInt8], StoreError>) throws(StoreError) {
    let (pick, handle) = lock.withLock { () -> (Pick?, OpaquePointer?) in
      if isUnwanted { return (nil, nil) }
      defer {
        self.pick = nil
        self.handle = nil
      }
      return (self.pick, self.handle)
    }
    guard let pick else { throw StoreError(.closed, "the picture was handed over, or is wanted no longer") }
    Self.handles.remove(handle)
    let attempt = attempt
    pick.desk.loop.post { pick.took(picture, attempt) }
  }

  /// The camera is at it.
  func isTaken() {
    let isUnwanted = lock.withLock { () -> Bool in
      isUnderWay = true
      return self.isUnwanted
    }
    if isUnwanted { end() }
  }

  /// The picture is wanted no longer.
  func cancel() {
    let isUnderWay = lock.withLock { () -> Bool in
      isUnwanted = true
      return self.isUnderWay
    }
    if isUnderWay { end() }
  }

  /// The camera has not begun.
  func close() {
    let handle = lock.withLock { () -> OpaquePointer? in
      defer {
        pick = nil
        self.handle = nil
      }
      return self.handle
    }
    Self.handles.remove(handle)
  }

  private func end() {
    guard lock.withLock({ pick != nil }) else { return }
    camera.cancel(self)
    close()
  }
}

/// A camera of the system's: Video4Linux.
enum CameraDevice {
  /// Whether there is one, also if this process may not use it, or somebody else does.
  static func isAvailable() -> Bool {
    var path = [CChar](repeating: 0, count: 256)
    let found = path.withUnsafeMutableBufferPointer { lvw_camera_find($0.baseAddress, $0.count) }
    return found > 0 || found == -EACCES || found == -EBUSY
  }

  /// Takes a picture.
  ///
  /// - Parameter isWanted: asked all the time.
  static func capture(
    _ wish: Pick.Wish, patience: Int64, while isWanted: @escaping () -> Bool
  ) throws(StoreError) -> [UInt8] {
    let device: String
    if let named = wish.device { device = named } else { device = try first() }
    var start: UnsafeMutableRawPointer?
    var length = 0
    let asked = Wanted(isWanted)
    let status = device.withCString {
      lvw_camera_capture(
        $0, wish.width, wish.height, Int32(clamping: patience / 1000), wish.maximumSize,
        { (context) in
          guard let context else { return true }
          return !Unmanaged<Wanted>.fromOpaque(context).takeUnretainedValue().body()
        }, Unmanaged.passUnretained(asked).toOpaque(), &start, &length)
    }
    withExtendedLifetime(asked) {}
    defer { lvw_free(start) }
    if status < 0 { throw failure(-status, device) }
    guard lvw_memory_can_have(length) else { throw failure(ENOMEM, device) }
    return Array(UnsafeRawBufferPointer(start: start, count: length))
  }

  private static func first() throws(StoreError) -> String {
    var path = [CChar](repeating: 0, count: 256)
    let length = path.withUnsafeMutableBufferPointer { lvw_camera_find($0.baseAddress, $0.count) }
    guard length > 0 else {
      throw length == -ENODEV
        ? StoreError(.unavailable, "there is no camera", systemError: ENODEV) : failure(-length, "/dev/video*")
    }
    return path.withUnsafeBytes { String(decoding: $0.prefix(Int(length)), as: UTF8.self) }
  }

  private static func failure(_ error: Int32, _ device: String) -> StoreError {
    switch error {
    case EBUSY: StoreError(.busy, "\(device): somebody else uses the camera", systemError: error)
    case EACCES, EPERM: StoreError(.permission, "\(device): this process may not use the camera", systemError: error)
    case ENODEV, ENOENT, ENXIO, ENOTDIR:
      StoreError(.unavailable, "\(device): there is no camera, or it was pulled out", systemError: error)
    case ENOTTY, ENOTSUP:
      StoreError(.unavailable, "\(device) is no camera whose pictures are understood here", systemError: error)
    case ETIMEDOUT: StoreError(.timeout, "\(device): no picture came in time", systemError: error)
    case ECANCELED: StoreError(.cancelled, "picking was cancelled")
    case EFBIG: StoreError(.invalidValue, "\(device): the picture has more bytes than are taken")
    case ENOMEM: StoreError(.noMemory, "\(device): there is no memory for the picture", systemError: error)
    default: StoreError(.io, "\(device): the camera does not work", systemError: error)
    }
  }
}

/// What C asks while it is at it.
private final class Wanted {
  let body: () -> Bool

  init(_ body: @escaping () -> Bool) {
    self.body = body
  }
}

/// Something that is done on a thread of its own, since it may wait for a medium or a device.
final class PickerWork: @unchecked Sendable {
  /// How many there are, also of those that nobody wants any more and whose medium never answers.
  private static let running = Atomic<Int>(0)
  private static let most = 32

  private let body: @Sendable (PickerWork) -> Void
  private let isGivenUp = Atomic<Bool>(false)

  private init(_ body: @escaping @Sendable (PickerWork) -> Void) {
    self.body = body
  }

  /// - Throws: `.busy` if no thread can be had, or too many of them wait for their media.
  static func start(_ body: @escaping @Sendable (PickerWork) -> Void) throws(StoreError) -> PickerWork {
    guard running.add(1, ordering: .relaxed).newValue <= most else {
      running.subtract(1, ordering: .relaxed)
      throw StoreError(.busy, "\(most) media or cameras have not answered yet")
    }
    let work = PickerWork(body)
    let context = Unmanaged.passRetained(work)
    let hasStarted = lvw_thread_start(
      { (context) in
        guard let context else { return nil }
        let work = Unmanaged<PickerWork>.fromOpaque(context).takeRetainedValue()
        work.body(work)
        PickerWork.running.subtract(1, ordering: .relaxed)
        return nil
      }, context.toOpaque())
    guard hasStarted else {
      context.release()
      running.subtract(1, ordering: .relaxed)
      throw StoreError(.busy, "no thread to read from the source can be had")
    }
    return work
  }

  var isWanted: Bool { !isGivenUp.load(ordering: .relaxed) }
  func giveUp() { isGivenUp.store(true, ordering: .relaxed) }
}
