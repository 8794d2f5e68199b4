import LiveryClient
import LiveryFleet
import LiveryTransfer

/// A device that joins a fleet: it makes its key, and tells the console the public half.
final class Enrollment: @unchecked Sendable {
  /// A key, and what is kept of it.
  private struct Seed: Sendable {
    var bytes: [UInt8]
    var key: SigningKey
  }

  private let driver: Driver
  private let code: EnrollmentCode
  private let options: Options
  private let ended: @Sendable (Result<Void, StoreError>) -> Void
  // Of the queue's thread alone.
  private var transfer: Transfer?
  private var hasEnded = false

  /// - Parameter ended: runs once, on the queue's thread.
  /// - Throws: `.parse` for what is no code, `.refused` for one that has expired.
  convenience init(
    _ driver: Driver, _ text: String, _ options: Options, ended: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) throws(StoreError) {
    guard Crypto.isReady else { throw StoreError(.unavailable, "libsodium does not work here") }
    let code: EnrollmentCode
    do throws(FleetError) { code = try EnrollmentCode.decode(text) } catch {
      throw StoreError(.parse, error.message)
    }
    let now = Timestamp.now.microseconds / 1_000_000
    guard now < code.expires else {
      throw StoreError(
        .refused, "the enrollment code has expired, or the device's clock is wrong: have the console make another one")
    }
    self.init(driver, code, options, ended: ended)
  }

  private init(
    _ driver: Driver, _ code: EnrollmentCode, _ options: Options,
    ended: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    self.driver = driver
    self.code = code
    self.options = options
    self.ended = ended
  }

  /// Begins it, on the queue's thread.
  func start() {
    do throws(StoreError) {
      if let present = try Membership.of(driver.store) {
        throw StoreError(.conflict, "the device is of the fleet \(present.fleet) already: leave it first")
      }
      try driver.store.claimRecords()
      let seed = try makeKey()
      let request = EnrollmentRequest(
        fleet: code.fleet, token: code.token, device: seed.key.publicKey, name: options.name)
      guard let payload = try? request.encoded(),
        let signed = try? Envelope(.enrollment, payload, signedBy: [seed.key]).encoded()
      else { throw StoreError(.invalidArgument, "the request is larger than may be") }
      let ask = Ask(
        url: code.url + "/v1/enroll", fields: Driver.fields + [("Content-Type", "application/cbor")], body: signed,
        limit: 4096, certificates: options.certificates, proxy: options.proxy)
      let transfer = Transfer(ask) { (outcome) in
        self.driver.queue.run { self.answered(outcome, seed) }
      }
      self.transfer = transfer
      transfer.start()
      driver.queue.run(after: options.timeout) {
        self.end(.failure(StoreError(.timeout, "the server did not answer in time")))
      }
    } catch {
      end(.failure(error))
    }
  }

  /// Gives it up.
  func cancel() {
    driver.queue.run { self.end(.failure(StoreError(.cancelled, "the enrollment was cancelled"))) }
  }

  private func end(_ outcome: Result<Void, StoreError>) {
    guard !hasEnded else { return }
    hasEnded = true
    transfer?.cancel()
    transfer = nil
    ended(outcome)
  }

  /// The key is kept before it is shown to anybody: if the answer is lost, the same is shown again.
  /// Another process may make one at the same moment: that of the first one is the device's.
  private func makeKey() throws(StoreError) -> Seed {
    let seed = Crypto.random(SigningKey.seedSize)
    guard let key = SigningKey.make(seed: seed) else {
      throw StoreError(.unavailable, "libsodium does not make keys here")
    }
    var made = Seed(bytes: seed, key: key)
    try driver.store.edit(.bundle) { (edit) throws(StoreError) in
      let kept: Value?
      do throws(StoreError) { kept = try edit.value(Membership.key, in: .bundle) } catch {
        throw StoreError(error.code, "the device's key cannot be read: \(error.message)")
      }
      if case .data(let seed)? = kept, let key = SigningKey.make(seed: seed) {
        made = Seed(bytes: seed, key: key)
        return
      }
      made = Seed(bytes: seed, key: key)
      try edit.setOrigin("sync")
      try edit.set(Membership.key, to: .data(seed))
    }
    return made
  }

  private func answered(_ outcome: Result<Reply, StoreError>, _ seed: Seed) {
    guard !hasEnded else { return }
    transfer = nil
    do throws(StoreError) {
      let reply = try outcome.get()
      // A page that stands in the way, such as that of a network's portal, answers 200.
      guard reply.status == 204 else { throw refusal(reply) }
      try keep(seed)
      end(.success(()))
    } catch {
      end(.failure(error))
    }
  }

  private func refusal(_ reply: Reply) -> StoreError {
    switch reply.status {
    case 408, 429, 500...599:
      StoreError(.unavailable, "the server cannot answer now (\(reply.status))\(reply.saying)")
    case 403:
      StoreError(.refused, "the console refuses the enrollment code\(reply.saying)")
    default:
      StoreError(
        .refused, "the server answered \(reply.status)\(reply.saying): look whether \(code.url) is that of a console")
    }
  }

  private func keep(_ seed: Seed) throws(StoreError) {
    let membership = Membership(
      url: code.url, fleet: code.fleet, device: seed.key.publicKey, name: options.name, since: .now,
      certificates: options.certificates, proxy: options.proxy)
    // Whom it trusts is known from the beginning.
    let trust: Value
    do throws(FleetError) { trust = try Trust(fleet: code.fleet, fingerprint: code.fingerprint).value } catch {
      throw StoreError(.invalidArgument, error.message)
    }
    try driver.store.edit(.bundle) { (edit) throws(StoreError) in
      if try edit.value(Membership.setting, in: .bundle) != nil {
        throw StoreError(.conflict, "the device has joined a fleet meanwhile")
      }
      try edit.setOrigin("sync: joined \(code.fleet)")
      for name in try edit.names(in: .bundle, matching: Membership.records + "**") { try edit.reset(name) }
      // Somebody may have left, and made another key meanwhile: the console knows this one.
      if let scope = options.scope { try edit.set(Membership.scope, to: .string(scope)) }
      if let proxy = options.proxy { try edit.set(Membership.proxy, to: .string(proxy)) }
      let present = (try? edit.value(Membership.key, in: .bundle)) ?? nil
      if present != .data(seed.bytes) { try edit.set(Membership.key, to: .data(seed.bytes)) }
      try edit.set(Membership.setting, to: membership.value)
      try edit.set(Membership.records + "trust", to: trust)
    }
  }
}

extension Store {
  /// Takes back what a console has set, and forgets the fleet, in one commit.
  func leaveFleet() throws(StoreError) {
    // Whether there is a key is known without opening it: it may be sealed for good.
    let snapshot = try snapshot()
    let names = try snapshot.names(in: .bundle, matching: "sync.**")
    snapshot.close()
    // What the app says of itself is nobody's but the app's.
    guard names.contains(where: { $0.sameBytes(as: Membership.setting) || $0.sameBytes(as: Membership.key) }) else {
      return
    }
    // The time of a trial may be over while the edit is made.
    let before = try placesOnTrial()
    let trialBefore = try trialStatus()["revision"]
    try edit(.bundle) { (edit) throws(StoreError) in
      try edit.setOrigin("sync: left")
      try edit.ignoreLocks()
      // Without the store's key it is told by who has set them alone.
      let owned = (try? edit.value(Driver.ownedSetting, in: .bundle)) ?? nil
      var places = Owned.places(owned?["settings"])
      // What a trial has taken away was the console's, too: it is not to come back.
      let trial = try edit.value(Membership.trial, in: .bundle).flatMap { Trial($0) }
      if trial?.isInEffect(owned) ?? false { places += try before + self.placesOnTrial() }
      for layer in [Layer.recommended, .enforced] {
        try edit.use(layer)
        for name in try self.namesOfConsole(in: layer, of: edit) { try edit.takeBack(name, in: layer) }
        for place in places where place.layer == layer { try edit.takeBack(place.name, in: layer) }
      }
      try edit.use(.bundle)
      for name in try edit.names(in: .bundle, matching: Membership.prefix + "**") {
        // Who waits is told that there is no fleet any more, by whoever takes part.
        let isAsked = [Membership.requests, Membership.answers].contains { name.utf8.starts(with: $0.utf8) }
        if !isAsked, !name.sameBytes(as: Membership.health) { try edit.reset(name) }
      }
    }
    guard !before.isEmpty, case .int(let number)? = trialBefore else { return }
    // What is left of the trial holds nothing, and would keep others from beginning one.
    do throws(StoreError) { try revertTrial(UInt64(clamping: number), origin: "sync: left") } catch {
      guard error.code == .notFound || error.code == .conflict else { throw error }
    }
  }
}

extension Owned {
  /// What is set, and where.
  fileprivate static func places(_ value: Value?) -> [(name: String, layer: Layer)] {
    guard let value, let owned = try? Owned(value) else { return [] }
    return owned.entries.map { ($0.name, $0.verb == .enforce ? .enforced : .recommended) }
  }
}
