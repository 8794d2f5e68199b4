import LiveryClient

/// An image on its way from a source into the store. What happens to it happens on the desk's loop.
final class Pick: @unchecked Sendable {
  static let handles = Handles<Pick>(kind: 0x70, noun: "picker")

  /// What to pick, and who is asked and told.
  struct Wish: Sendable {
    var source: PickerSource
    var folder: String?
    var file: String?
    var device: String?
    var width: UInt32 = 0
    var height: UInt32 = 0
    var maximumSize = 16_777_216
    /// Microseconds; 0 for the default of the source.
    var timeout: Int64 = 0
    var setting: String?
    var layer = Layer.user
    var isDispatched = false
    var permission: (@Sendable (PickerAsk, PickerSource, PickerPermission) -> Void)?
    var denied: (@Sendable (PickerAsk, PickerSource, PickerPermission, String) -> Void)?
    var done: @Sendable (Outcome) -> Void = { _ in }

    /// - Throws: what a source lacks.
    func check(_ source: PickerSource) throws(StoreError) {
      guard case .folder = source else { return }
      guard folder?.isEmpty == false, let file, !file.isEmpty else {
        throw StoreError(.invalidArgument, "a folder takes `folder` and `file`")
      }
      guard !file.utf8.contains(UInt8(ascii: "/")), !file.utf8.elementsEqual(".".utf8),
        !file.utf8.elementsEqual("..".utf8)
      else { throw StoreError(.invalidArgument, "`file` is a name, and no path") }
    }

    /// How long a source may take; 0 for as long as it needs.
    func patience(_ source: PickerSource) -> Int64 {
      guard timeout == 0 else { return timeout }
      return switch source {
      case .folder: 60_000_000
      case .camera: 10_000_000
      case .upload: 0
      }
    }
  }

  /// What came of it.
  struct Outcome: Sendable {
    var error: StoreError?
    var source: PickerSource
    var permission: PickerPermission
    var asset: String?
    var info: Value?
    var revision: UInt64 = 0
  }

  let desk: Desk
  let wish: Wish
  private let lock = Lock()
  // Guarded by `lock`.
  private(set) var handle: OpaquePointer?
  private var isOver = false
  private var isCancelled = false
  /// Whether it is too late to cancel.
  private var isStoring = false
  // Of the loop's thread alone.
  private var source: PickerSource
  private var permission = PickerPermission.notAsked
  private var asking: PickerAsk?
  /// Why the source may not be used, as long as that is being decided on.
  private var refusal: StoreError?
  /// Whether nobody is asked any more.
  private var isLastTry = false
  private var timer: Int?
  /// Tells what comes of a source from what came of those before.
  private var attempt = 0
  private var work: PickerWork?
  private var shot: PickerShot?
  private var request: Request?

  init(_ desk: Desk, _ wish: Wish) {
    self.desk = desk
    self.wish = wish
    source = wish.source
  }

  /// The handle to give out, before it is started.
  func begin() throws(StoreError) -> OpaquePointer {
    let handle = try Self.handles.insert(self)
    lock.withLock { self.handle = handle }
    do throws(StoreError) { try desk.add(self) } catch {
      Self.handles.remove(handle)
      throw error
    }
    return handle
  }

  func start() { desk.loop.post { self.use(self.wish.source) } }

  /// - Throws: `.closed` if it has ended, or is about to.
  func cancel() throws(StoreError) {
    let isLate = lock.withLock { () -> Bool in
      if isOver || isStoring { return true }
      isCancelled = true
      return false
    }
    if isLate { throw StoreError(.closed, "picker has ended") }
    desk.loop.post { self.fail(StoreError(.cancelled, "picking was cancelled")) }
  }

  // MARK: Permission

  private var hasEnded: Bool { lock.withLock { isOver || isCancelled } }

  private func use(_ source: PickerSource) {
    if hasEnded { return }
    self.source = source
    do throws(StoreError) {
      if case .camera = source, try !desk.store.tellsUsageOfCamera() {
        throw StoreError(
          .unavailable, "nobody is told what the camera is used for: the setting `usage.camera` takes a text",
          setting: PickerPermissions.usage)
      }
      try desk.claimPermissions()
      permission = try desk.store.pickerPermission(source)
    } catch { return fail(error) }
    switch permission {
    case .granted: take()
    case .notAsked: if wish.permission == nil { take() } else { askForPermission() }
    case .denied: refused(StoreError(.refused, "the permission to use the \(source.name) was denied"))
    case .restricted: refused(restricted)
    }
  }

  private var restricted: StoreError {
    StoreError(
      .refused, "the \(source.name) may not be used here: `\(PickerPermissions.setting(source))` or the program says so"
    )
  }

  private func askForPermission() {
    guard let function = wish.permission else {
      // There is nobody to ask: what is known is looked at again, and that is the last word.
      isLastTry = true
      return use(source)
    }
    let (source, known) = (source, permission)
    ask(.permission) { function($0, source, known) }
  }

  /// - Parameter permission: what a person or the program has said.
  func permitted(_ said: PickerPermission, to ask: PickerAsk) {
    guard asking === ask else { return }
    asking = nil
    // Who has not decided has not granted it.
    permission = said == .notAsked ? .denied : said
    if said == .granted || said == .denied { keep(said) }
    switch permission {
    case .granted: take()
    case .restricted: refused(restricted)
    case .notAsked, .denied: refused(StoreError(.refused, "the permission to use the \(source.name) was denied"))
    }
  }

  /// Keeps what a person has said. What an administrator has enforced stays, and counts.
  private func keep(_ said: PickerPermission) {
    do throws(StoreError) {
      let change = try desk.store.change(.user)
      defer { change.discard() }
      try change.setOrigin("picker")
      try change.set(PickerPermissions.setting(source), to: .string(PickerPermissions.text(said)))
      try change.commit()
      if try desk.store.pickerPermission(source) == .restricted { permission = .restricted }
    } catch {
      guard let known = try? desk.store.pickerPermission(source), known != .notAsked else { return }
      if error.code == .locked || known == .restricted { permission = known }
    }
  }

  /// The source may not be used, for a reason that the program may do something about.
  private func refused(_ reason: StoreError) {
    guard let function = wish.denied, !isLastTry else { return fail(reason) }
    let (source, permission) = (source, permission)
    refusal = reason
    ask(.decision) { function($0, source, permission, reason.message) }
  }

  func decided(_ decision: PickerDecision, to ask: PickerAsk) {
    guard asking === ask else { return }
    asking = nil
    switch decision {
    case .stop: fail(refusal ?? restricted)
    case .again: askForPermission()
    case .other(let source): use(source)
    }
  }

  /// Asks the program something, in its turn.
  private func ask(_ question: PickerAsk.Question, _ body: @escaping @Sendable (PickerAsk) -> Void) {
    let ask = PickerAsk(self, question)
    do throws(StoreError) { try ask.open() } catch { return fail(error) }
    asking = ask
    desk.mailbox(dispatched: wish.isDispatched).add { if ask.isOpen { body(ask) } }
  }

  // MARK: The source

  private func take() {
    if hasEnded { return }
    attempt += 1
    let attempt = attempt
    let patience = wish.patience(source)
    if patience > 0 {
      timer = desk.loop.run(after: patience) {
        self.fail(StoreError(.timeout, "the \(self.source.name) took longer than \(patience / 1000) ms"))
      }
    }
    do throws(StoreError) {
      switch source {
      case .folder: try read(attempt)
      case .camera: try photograph(attempt)
      case .upload: try upload(attempt)
      }
    } catch { failed(error) }
  }

  private func read(_ attempt: Int) throws(StoreError) {
    let (folder, file, limit) = (wish.folder ?? "", wish.file ?? "", wish.maximumSize)
    try run(attempt) { (work) throws(StoreError) in
      try ImageFolder.read(file, in: folder, limit: limit) { work.isWanted }
    }
  }

  private func photograph(_ attempt: Int) throws(StoreError) {
    let wish = wish
    guard wish.device == nil, let camera = try desk.camera else {
      return try run(attempt) { (work) throws(StoreError) in
        try CameraDevice.capture(wish, patience: wish.patience(.camera)) { work.isWanted }
      }
    }
    guard camera.isAvailable() else { throw StoreError(.unavailable, "there is no camera at the moment") }
    // It may have closed the store, or cancelled.
    if hasEnded { return }
    let shot = PickerShot(self, attempt, camera)
    try shot.open()
    self.shot = shot
    if let error = camera.take(shot, wish.width, wish.height) {
      shot.close()
      throw error
    }
    shot.isTaken()
  }

  private func upload(_ attempt: Int) throws(StoreError) {
    var asked = Request.Wish(kind: "photo-upload")
    var subject: [Value.Member] = [.init("maxSize", .int(Int64(wish.maximumSize)))]
    if let setting = wish.setting { subject.append(.init("setting", .string(setting))) }
    asked.subject = .object(subject)
    asked.isDispatched = wish.isDispatched
    asked.answered = { (request, answer) in
      // It may have ended meanwhile.
      do throws(StoreError) {
        _ = try self.uploaded(answer)
        try request.accepted()
      } catch { try? request.rejected(error.message, retry: true) }
    }
    asked.done = { (outcome) in self.desk.loop.post { self.answered(outcome, attempt) } }
    let request = Request(desk, asked)
    _ = try request.begin()
    self.request = request
    request.start()
  }

  /// What is known of an asset that a person has uploaded.
  private func uploaded(_ answer: Value) throws(StoreError) -> (id: String, info: Value) {
    guard let id = answer["photo"]?.text, !id.isEmpty else { throw StoreError(.notFound, "there is no photo") }
    let info = try desk.store.assets.info(id)
    if case .int(let size)? = info["bytes"], size > Int64(wish.maximumSize) {
      throw ImageFolder.tooLarge(size, wish.maximumSize, "the photo")
    }
    guard info["type"]?.text?.utf8.starts(with: "image/".utf8) == true else {
      throw StoreError(.parse, "what was uploaded is no image")
    }
    return (id, info)
  }

  private func answered(_ outcome: PromptMachine.Outcome, _ attempt: Int) {
    guard attempt == self.attempt, !hasEnded else { return }
    request = nil
    switch outcome {
    case .completed(let answer, _):
      do throws(StoreError) {
        let photo = try uploaded(answer)
        store(photo.id, photo.info, bytes: nil)
      } catch { failed(error) }
    case .failed(let error), .dismissed(let error), .timedOut(let error): failed(error)
    }
  }

  /// Has something done on a thread that may wait.
  private func run(
    _ attempt: Int, _ body: @escaping @Sendable (PickerWork) throws(StoreError) -> [UInt8]
  ) throws(StoreError) {
    work = try PickerWork.start { (work) in
      let result: Result<[UInt8], StoreError>
      do throws(StoreError) { result = .success(try body(work)) } catch { result = .failure(error) }
      self.desk.loop.post { self.took(result, attempt) }
    }
  }

  /// What a source has come to; from any thread by way of the loop.
  func took(_ result: Result<[UInt8], StoreError>, _ attempt: Int) {
    guard attempt == self.attempt, !hasEnded else { return }
    work = nil
    shot = nil
    switch result {
    case .failure(let error): failed(error)
    case .success(let bytes):
      if bytes.isEmpty { return failed(StoreError(.parse, "the picture is empty")) }
      if bytes.count > wish.maximumSize {
        return failed(ImageFolder.tooLarge(Int64(bytes.count), wish.maximumSize, "the picture"))
      }
      do throws(StoreError) { store(nil, try Assets.describe(bytes), bytes: bytes) } catch { failed(error) }
    }
  }

  private func failed(_ error: StoreError) {
    letGoOfSource()
    guard error.code == .permission else { return fail(error) }
    permission = .denied
    refused(error)
  }

  private func letGoOfSource() {
    // What it comes to from here on is of a former attempt.
    attempt += 1
    desk.loop.cancel(timer)
    timer = nil
    work?.giveUp()
    work = nil
    shot?.cancel()
    shot = nil
    try? request?.cancel("the picture is wanted no longer")
    request = nil
  }

  // MARK: The end

  /// Commits the asset together with the setting that shows it.
  private func store(_ known: String?, _ info: Value, bytes: [UInt8]?) {
    letGoOfSource()
    var outcome = Outcome(source: source, permission: permission)
    var id = known ?? ""
    do throws(StoreError) {
      let isCancelled = lock.withLock { () -> Bool in
        isStoring = !self.isCancelled
        return self.isCancelled
      }
      if isCancelled { return }
      outcome.revision = try desk.store.edit(wish.layer) { (change) throws(StoreError) in
        try change.setOrigin("picker")
        if let bytes { id = try change.put(bytes) }
        if let setting = wish.setting { try change.set(setting, to: .image(id)) }
      }
      // It is committed, whatever has become of it since.
      outcome.info = (try? desk.store.assets.info(id)) ?? info
      outcome.asset = id
    } catch { outcome.error = error }
    finish(outcome)
  }

  private func fail(_ error: StoreError) {
    var outcome = Outcome(source: source, permission: permission)
    outcome.error = error
    finish(outcome)
  }

  /// The store is closed. On the loop's thread.
  func close() { fail(Desk.closed) }

  private func finish(_ outcome: Outcome) {
    let isFirst = lock.withLock { () -> Bool in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { return }
    asking?.close()
    asking = nil
    desk.letGo(self)
    let mailbox = desk.mailbox(dispatched: wish.isDispatched)
    mailbox.keep {
      Self.handles.remove(self.handle)
      self.wish.done(outcome)
    }
    // A camera of the program's may close the store when it is told.
    letGoOfSource()
    mailbox.post()
  }
}
