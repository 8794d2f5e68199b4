import Foundation
import LiveryABI
import LiveryClient
import Synchronization
import Testing

@testable import LiveryWorkflow

/// Picking as apps written in Swift see it. Tests/Workflow has each way that it ends.
@Suite struct PickerTests {
  private static let folder: String = {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return tests.appending(path: "Fixtures/images").path
  }()

  private func made() throws -> Store {
    var options = Store.Options()
    options.inMemory = true
    let store = try Store(path: "", options: options)
    try store.set("usage.camera", to: .string("Your picture is your badge"), in: .user)
    return store
  }

  /// The code that picking fails with; nil if there is an image.
  private func failure(_ body: () async throws -> PickedImage) async -> StoreError.Code? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  /// Takes pictures as a script says, of which the last word holds for all that follow.
  private final class Booth: PickerCamera {
    enum Word { case picture, later, nothing, busy, locked, other }

    private let script: Mutex<[Word]>
    let shots = Mutex<[PickerShot]>([])
    let sizes = Mutex<[Int]>([])
    let cancelled = Atomic<Int>(0)
    let isThere = Atomic<Bool>(true)

    init(_ script: Word...) {
      self.script = Mutex(script)
    }

    static var picture: [UInt8] {
      (try? Array(Data(contentsOf: URL(filePath: PickerTests.folder + "/rgb.png")))) ?? []
    }

    var isAvailable: Bool { isThere.load(ordering: .relaxed) }

    func take(_ shot: PickerShot, width: Int, height: Int) throws(StoreError) {
      shots.withLock { $0.append(shot) }
      sizes.withLock { $0 += [width, height] }
      let word = script.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
      switch word {
      case .picture: try shot.taken(.success(Self.picture))
      case .later: Thread.detachNewThread { try? shot.taken(.success(Self.picture)) }
      case .busy: throw StoreError(.busy, "somebody is in it")
      case .locked: throw StoreError(.permission, "it is locked")
      case .other: try shot.taken(.failure(StoreError(.network, "it is far away")))
      case .nothing, nil: break
      }
    }

    func cancel(_ shot: PickerShot) { cancelled.add(1, ordering: .relaxed) }
  }

  @Test func anImageOfAFolderIsStoredWithItsSetting() async throws {
    let store = try made()
    var options = PickerOptions()
    options.setting = "badge"
    let picked = try await store.pick(.folder(Self.folder, file: "rgb.png"), options: options)
    #expect(try store.string("badge") == picked.asset)
    #expect(try store.assets.bytes(picked.asset) == Booth.picture)
    #expect(try picked.info == store.assets.info(picked.asset))
    #expect(try picked.revision == store.revision())
    #expect(picked.source.rawValue == PickerSource.folder.rawValue)
    let images = try Store.images(in: Self.folder)
    #expect(images.contains { $0["name"]?.text == "rgb.png" && $0["type"]?.text == "image/png" })
    _ = try Store.removableMedia()
  }

  @Test func whatIsWrongIsTold() async throws {
    let store = try made()
    let wrong: [(PickerOrigin, StoreError.Code)] = [
      (.folder(Self.folder, file: "none.png"), .notFound), (.folder("/no/such/folder", file: "a.png"), .unavailable),
      (.folder(Self.folder, file: ""), .invalidArgument), (.folder(Self.folder, file: "../a.png"), .invalidArgument),
      (.folder(Self.folder, file: "rgb.png\0.txt"), .invalidArgument),
      (.folder("/a\0", file: "rgb.png"), .invalidArgument),
      (.folder(Self.folder, file: String(repeating: "a", count: 256)), .invalidArgument),
      (.camera(width: -1), .invalidArgument), (.camera(height: 16_385), .invalidArgument), (.upload, .unavailable),
      (.camera(device: "/dev/null"), .unavailable), (.camera(device: "/no/such/device"), .unavailable),
    ]
    for (origin, code) in wrong {
      #expect(await failure { try await store.pick(origin) } == code, "\(origin)")
    }
    var options = PickerOptions()
    options.maximumSize = 10
    let file = PickerOrigin.folder(Self.folder, file: "rgb.png")
    #expect(await failure { try await store.pick(file, options: options) } == .invalidValue)
    options.maximumSize = 0
    #expect(await failure { try await store.pick(file, options: options) } == .invalidArgument)
    options = PickerOptions()
    options.timeout = .seconds(86_401)
    #expect(await failure { try await store.pick(file, options: options) } == .invalidArgument)
    #expect(throws: StoreError.self) { try Store.images(in: "/no/such/folder") }
    #expect(throws: StoreError.self) { try Store.images(in: "/a\0") }
    store.close()
    #expect(await failure { try await store.pick(file) } == .closed)
  }

  @Test func aPersonIsAskedAndTheProgramDecides() async throws {
    let store = try made()
    let asked = Mutex<[PickerPermission]>([])
    let decided = Mutex<[String]>([])
    var options = PickerOptions()
    options.permission = { (ask, source, known) in
      asked.withLock { $0.append(known) }
      // Whoever answers twice is told so.
      #expect(throws: StoreError.self) { try ask.decide(.stop) }
      #expect(throws: Never.self) { try ask.permit(source == .folder ? .granted : .denied) }
      #expect(throws: StoreError.self) { try ask.permit(.granted) }
    }
    options.denied = { (ask, source, permission, message) in
      decided.withLock { $0.append(message) }
      #expect(permission == .denied)
      #expect(throws: Never.self) { try ask.decide(.other(.folder)) }
    }
    let picked = try await store.pick(
      .upload, options: options, alternative: .folder(Self.folder, file: "rgb.png"))
    #expect(picked.source == .folder)
    #expect(asked.withLock { $0 } == [.notAsked, .notAsked] && decided.withLock { $0.count } == 1)
    #expect(try store.pickerPermission(.upload) == .denied)
    #expect(try store.pickerPermission(.folder) == .granted)
    #expect(try store.pickerPermission(.camera) == .notAsked)
    // An alternative that nothing is known of cannot be decided for.
    options.denied = { (ask, _, _, _) in
      #expect(throws: StoreError.self) { try ask.decide(.other(.folder)) }
      #expect(throws: Never.self) { try ask.decide(.stop) }
    }
    let last = options
    #expect(await failure { try await store.pick(.upload, options: last) } == .refused)
    #expect(throws: StoreError.self) { try store.set("picker.folder", to: .string("tea"), in: .user) }
  }

  @Test func aCameraOfTheProgramsTakesThePicture() async throws {
    let store = try made()
    let booth = Booth(.picture, .later, .busy, .locked, .other, .locked, .picture)
    try store.setPickerCamera(booth)
    #expect(try store.isCameraAvailable())
    _ = try await store.pick(.camera(width: 640, height: 480))
    #expect(booth.sizes.withLock { $0 } == [640, 480])
    let first = try #require(booth.shots.withLock { $0.first })
    #expect(throws: StoreError.self) { try first.taken(.success([])) }
    _ = try await store.pick(.camera())
    #expect(await failure { try await store.pick(.camera()) } == .busy)
    #expect(await failure { try await store.pick(.camera()) } == .permission)
    #expect(await failure { try await store.pick(.camera()) } == .network)
    var options = PickerOptions()
    options.denied = { (ask, _, _, _) in try? ask.decide(.again) }
    _ = try await store.pick(.camera(), options: options)
    booth.isThere.store(false, ordering: .relaxed)
    #expect(try !store.isCameraAvailable())
    #expect(await failure { try await store.pick(.camera()) } == .unavailable)
    try store.set("usage.camera", to: .string(""), in: .user)
    #expect(await failure { try await store.pick(.camera()) } == .unavailable)
    try store.setPickerCamera(nil as Booth?)
    #expect(booth.cancelled.load(ordering: .relaxed) == 0)
  }

  @Test func pickingEndsWithItsTaskItsTimeAndTheStore() async throws {
    let store = try made()
    let booth = Booth(.nothing)
    try store.setPickerCamera(booth)
    let early = Task { try await store.pick(.camera()) }
    early.cancel()
    #expect(await failure { try await early.value } == .cancelled)
    let late = Task { try await store.pick(.camera()) }
    while booth.shots.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    late.cancel()
    #expect(await failure { try await late.value } == .cancelled)
    var options = PickerOptions()
    options.timeout = .milliseconds(20)
    let short = options
    #expect(await failure { try await store.pick(.camera(), options: short) } == .timeout)
    let count = booth.shots.withLock { $0.count }
    let closed = Task { try await store.pick(.camera()) }
    while booth.shots.withLock({ $0.count }) == count { try await Task.sleep(for: .milliseconds(1)) }
    store.close()
    #expect(await failure { try await closed.value } == .closed)
    #expect(booth.cancelled.load(ordering: .relaxed) == booth.shots.withLock { $0.count })
  }

  @Test func anUploadIsTheAnswerToAPrompt() async throws {
    final class Person: PhotoUploadPrompt {
      let photo: String
      init(_ photo: String) {
        self.photo = photo
      }
      func present(_ prompt: ShownPrompt) throws(StoreError) {
        try prompt.answer(.object([.init("photo", .string(photo))]))
      }
      func dismiss(_ prompt: ShownPrompt, reason: StoreError?) {}
    }
    let store = try made()
    let id = try store.assets.put(Booth.picture)
    let provision = try store.provide(photoUpload: Person(id))
    var options = PickerOptions()
    options.setting = "badge"
    let picked = try await store.pick(.upload, options: options)
    #expect(picked.asset == id && picked.source == .upload)
    #expect(try store.string("badge") == id)
    provision.cancel()
  }
}

/// What the kernel tells of mounts, and what is found to be removable.
@Suite struct MediaTests {
  private static let table = """
    22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
    23 22 0:21 / /proc rw,nosuid - proc proc rw
    30 22 8:17 / /media/a\\040stick ro,noatime shared:5 master:1 - vfat /dev/sdb1 rw,errors=remount-ro
    31 22 8:17 /part /mnt rw - vfat /dev/sdb1 rw
    32 22 8:17 / /again rw - vfat /dev/sdb1 rw
    33 22 8:1 / /boot rw - vfat /dev/sda1 rw
    34 22 179:1 / /media/card rw - exfat /dev/mmcblk0p1 rw
    35 22 259:1 / /srv rw - ext4 /dev/nvme0n1p1 rw
    odd line
    36 22 8:x / /odd rw - vfat /dev/sdc1 rw
    37 22 8:33 / /unfinished rw shared:1

    """

  @Test func mountsAreReadAsTheKernelWritesThem() throws {
    let mounts = Mount.all(in: Array(Self.table.utf8))
    #expect(mounts.map { $0.path } == ["/", "/proc", "/media/a stick", "/again", "/boot", "/media/card", "/srv"])
    let stick = mounts[2]
    #expect(stick.major == 8 && stick.minor == 17 && stick.device == "/dev/sdb1" && stick.fileSystem == "vfat")
    #expect(stick.isReadOnly && !mounts[3].isReadOnly)
    #expect(stick.value["path"]?.text == "/media/a stick")
  }

  @Test func whatPeopleTakeAwayIsAMediumOnce() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "sysfs-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    func write(_ path: String, _ text: String) throws {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    func device(_ number: String, at path: String) throws {
      let folder = root.appending(path: "dev/block")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: folder.appending(path: number).path, withDestinationPath: "../../devices/" + path)
    }
    // The system's disk is attached by USB itself; its other parts are none of a medium.
    for (disk, removable) in [("usb1/sda", "0"), ("ata/sdb", "1"), ("mmc/mmcblk0", "0"), ("pci/nvme0n1", "0")] {
      try write("devices/\(disk)/removable", removable + "\n")
    }
    for part in ["usb1/sda/sda1", "usb1/sda/sda2", "ata/sdb/sdb1", "mmc/mmcblk0/mmcblk0p1", "pci/nvme0n1/nvme0n1p1"] {
      try write("devices/\(part)/partition", "1\n")
    }
    try write("devices/mmc/mmcblk0/device/type", "SD\n")
    try device("8:1", at: "usb1/sda/sda1")
    try device("8:2", at: "usb1/sda/sda2")
    try device("8:17", at: "ata/sdb/sdb1")
    try device("179:1", at: "mmc/mmcblk0/mmcblk0p1")
    try device("259:1", at: "pci/nvme0n1/nvme0n1p1")
    try write("mountinfo", Self.table)
    let table = root.appending(path: "mountinfo").path
    #expect(try Media.mounted(table, sysfs: root.path).map { $0.path } == ["/media/a stick", "/media/card"])
    #expect(throws: StoreError.self) { try Media.mounted(root.appending(path: "none").path, sysfs: root.path) }
  }

  @Test func theBeginningTellsTheType() throws {
    let types: [(String, String?)] = [
      ("GIF87a", "image/gif"), ("GIF89a", "image/gif"), ("GIF7", nil),
      ("RIFF1234WEBP", "image/webp"), ("RIFF1234WAVE", nil),
      ("<svg/>", "image/svg+xml"), ("\u{FEFF} \n<?xml?><svg:svg>", "image/svg+xml"),
      ("<html><p>svg", nil), ("tea <svg", nil),
      ("", nil), ("<", nil),
    ]
    for (text, type) in types {
      #expect(ImageFolder.type(ofHead: Array(text.utf8)[...]) == type, "\(text)")
    }
    #expect(ImageFolder.type(ofHead: [0xFF, 0xD8, 0xFF, 0xE0]) == "image/jpeg")
    #expect(ImageFolder.type(ofHead: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == "image/png")
    #expect(ImageFolder.type(ofHead: [0x89, 0x50][...]) == nil)
  }
}
