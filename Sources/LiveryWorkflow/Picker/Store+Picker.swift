import LiveryClient

extension Store {
  /// Whether there is a camera that can be used, and people are told what for. Corresponds to `livery_picker_camera_available`
  /// in C.
  public func isCameraAvailable() throws(StoreError) -> Bool {
    guard try tellsUsageOfCamera() else { return false }
    if let camera = try Desks.find(self).camera { return camera.isAvailable() }
    return CameraDevice.isAvailable()
  }
}

#if !hasFeature(Embedded)
  /// A camera of the program's. Corresponds to `livery_picker_camera` in C.
  public protocol PickerCamera: Sendable {
    /// Whether there is a camera at the moment.
    var isAvailable: Bool { get }

    /// Begins to take a picture of about that size, 0 for nothing in particular; `PickerShot.taken` hands it over.
    ///
    /// - Throws: what picking is to fail with; `.permission` counts as denied.
    func take(_ shot: PickerShot, width: Int, height: Int) throws(StoreError)

    /// The picture is wanted no longer.
    func cancel(_ shot: PickerShot)
  }

  extension PickerCamera {
    public var isAvailable: Bool { true }
    public func cancel(_ shot: PickerShot) {}
  }

  /// Where from, with what it takes.
  public enum PickerOrigin: Sendable {
    case folder(String, file: String)
    /// The program's camera, or the first device, unless one is named.
    case camera(device: String? = nil, width: Int = 0, height: Int = 0)
    case upload

    var source: PickerSource {
      switch self {
      case .folder: .folder
      case .camera: .camera
      case .upload: .upload
      }
    }
  }

  /// How to pick. Corresponds to `livery_picker_options` in C.
  public struct PickerOptions: Sendable {
    /// The setting that is to show the image; nil for none.
    public var setting: String?
    public var layer = Layer.user
    /// The most bytes that the image may have.
    public var maximumSize = 16_777_216
    /// How long the source may take; nil for its default.
    public var timeout: Duration?
    /// Asks for permission, and answers with `PickerAsk.permit`, on the store's watcher thread.
    public var permission: (@Sendable (PickerAsk, PickerSource, PickerPermission) -> Void)?
    /// Decides what comes where there is none, with `PickerAsk.decide`.
    public var denied: (@Sendable (PickerAsk, PickerSource, PickerPermission, String) -> Void)?

    public init() {}
  }

  /// An image that was picked. Corresponds to `livery_picker_result` in C.
  public struct PickedImage: Sendable {
    /// The asset's id.
    public let asset: String
    /// What is known of the asset.
    public let info: Value
    public let source: PickerSource
    /// The revision of the commit that stored asset and setting.
    public let revision: UInt64
  }

  extension Store {
    /// Picks an image, and commits it together with the setting that shows it. Cancelling the task cancels picking. Corresponds to
    /// `livery_picker_start` in C.
    ///
    /// - Parameter alternative: what to use where `options.denied` decides for another source.
    /// - Throws: `StoreError`, as the header lists them.
    public func pick(
      _ origin: PickerOrigin, options: PickerOptions = PickerOptions(), alternative: PickerOrigin? = nil
    ) async throws -> PickedImage {
      let picking = Picking()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<PickedImage, any Error>) in
          do throws(StoreError) {
            picking.keep(
              try self.start(origin, options, alternative) {
                continuation.resume(with: $0.mapError { $0 as any Error })
              })
          } catch { continuation.resume(throwing: error) }
        }
      } onCancel: {
        picking.cancel()
      }
    }

    /// Lets picking use a camera of the program's; nil for devices again. Corresponds to `livery_picker_set_camera` in C.
    public func setPickerCamera(_ camera: (some PickerCamera)?) throws(StoreError) {
      guard let camera else { return try Desks.find(self).setCamera(nil) }
      try Desks.find(self).setCamera(
        HostCamera(
          isAvailable: { camera.isAvailable },
          take: { (shot, width, height) in
            do throws(StoreError) {
              try camera.take(shot, width: Int(width), height: Int(height))
              return nil
            } catch { return error }
          },
          cancel: { camera.cancel($0) }))
    }

    /// The images in a folder. Waits for the medium. Corresponds to `livery_picker_list` in C.
    public static func images(in folder: String) throws(StoreError) -> [Value] {
      guard folder.utf8.count <= 4096, !folder.utf8.contains(0) else {
        throw StoreError(.invalidArgument, "the folder is longer than 4,096 bytes, or has a NUL within")
      }
      return try ImageFolder.list(folder)
    }

    /// The removable media that are mounted. Corresponds to `livery_picker_media` in C.
    public static func removableMedia() throws(StoreError) -> [Value] { try Media.mounted().map { $0.value } }

    private func start(
      _ origin: PickerOrigin, _ options: PickerOptions, _ alternative: PickerOrigin?,
      _ done: @escaping @Sendable (Result<PickedImage, StoreError>) -> Void
    ) throws(StoreError) -> Pick {
      var wish = Pick.Wish(source: origin.source)
      if let alternative { try wish.take(alternative) }
      try wish.take(origin)
      wish.setting = options.setting
      wish.layer = options.layer
      guard (1...Assets.maximumSize).contains(options.maximumSize) else {
        throw StoreError(.invalidArgument, "maximumSize is from 1 to \(Assets.maximumSize)")
      }
      wish.maximumSize = options.maximumSize
      wish.timeout = options.timeout.map { max(1, $0.wholeMicroseconds) } ?? 0
      guard wish.timeout <= 86_400_000_000 else { throw StoreError(.invalidArgument, "a time is longer than a day") }
      wish.permission = options.permission
      wish.denied = options.denied
      wish.done = { (outcome) in
        guard let asset = outcome.asset, let info = outcome.info, outcome.error == nil else {
          return done(.failure(outcome.error ?? Desk.closed))
        }
        done(
          .success(PickedImage(asset: asset, info: info, source: outcome.source, revision: outcome.revision)))
      }
      try wish.checkTexts()
      try wish.check(origin.source)
      let pick = Pick(try Desks.find(self), wish)
      _ = try pick.begin()
      pick.start()
      return pick
    }
  }

  extension Pick.Wish {
    fileprivate mutating func take(_ origin: PickerOrigin) throws(StoreError) {
      switch origin {
      case .folder(let path, let file): (folder, self.file) = (path, file)
      case .camera(let device, let width, let height):
        guard (0...16_384).contains(width), (0...16_384).contains(height) else {
          throw StoreError(.invalidArgument, "a picture is at most 16,384 pixels wide and high")
        }
        self.device = device
        (self.width, self.height) = (UInt32(width), UInt32(height))
      case .upload: break
      }
    }

    /// - Throws: `.invalidArgument` for texts that C would not take, or not as a whole.
    fileprivate func checkTexts() throws(StoreError) {
      for (text, limit) in [(folder, 4096), (file, 255), (device, 255), (setting, 255)] {
        guard let text, text.utf8.count > limit || text.utf8.contains(0) else { continue }
        throw StoreError(.invalidArgument, "a name or a path is longer than \(limit) bytes, or has a NUL within")
      }
    }
  }

  /// Picking that may be cancelled before it is there.
  private final class Picking: @unchecked Sendable {
    private let lock = Lock()
    // Guarded by `lock`.
    private var pick: Pick?
    private var isCancelled = false

    func keep(_ pick: Pick) {
      let isCancelled = lock.withLock { () -> Bool in
        self.pick = pick
        return self.isCancelled
      }
      if isCancelled { try? pick.cancel() }
    }

    func cancel() {
      let pick = lock.withLock { () -> Pick? in
        isCancelled = true
        return self.pick
      }
      try? pick?.cancel()
    }
  }
#endif
