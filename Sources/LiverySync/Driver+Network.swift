import LiveryClient
import LiveryFleet
import LiveryTransfer

// Requests, and reports.

extension Driver {
  func ask(_ request: Device.Request) {
    guard let membership else { return }
    var fields = Self.fields
    if let tag = request.entityTag { fields.append(("If-None-Match", tag)) }
    if request.isFresh { fields.append(("Cache-Control", "no-cache")) }
    noteAsked()
    storingError = nil
    let ask = self.ask(membership, request.path, fields, limit: request.limit)
    transfer(ask) { (driver, outcome) in
      switch outcome {
      case .success(let reply):
        driver.networkError = nil
        driver.handle(
          .answer(
            Device.Answer(
              status: reply.status, body: reply.body, entityTag: reply.entityTag, retryAfter: reply.retryAfter)))
      case .failure(let error) where error.code == .invalidValue:
        // It was there, and had more than was asked for.
        driver.networkError = nil
        var answer = Device.Answer(status: 200)
        answer.isTooLarge = true
        driver.handle(.answer(answer))
      case .failure(let error):
        driver.networkError = error
        driver.handle(.failure(retryAfter: nil))
      }
    }
  }

  func send(_ payload: [UInt8]) {
    guard let membership, let key else { return }
    guard let signed = try? Envelope(.report, payload, signedBy: [key]).encoded() else {
      return later(.reportFailed(retryAfter: nil))
    }
    var ask = ask(membership, "/v1/reports", Self.fields + [("Content-Type", "application/cbor")], limit: 4096)
    ask.body = signed
    for index in waiters.indices where waiters[index].kind == .push { waiters[index].isIncluded = true }
    transfer(ask) { (driver, outcome) in
      switch outcome {
      case .success(let reply) where reply.status == 200 || reply.status == 204:
        let isFull = reply.body.split(separator: UInt8(ascii: "\n")).first.map { $0.elementsEqual("full".utf8) }
        driver.refusal = nil
        driver.hasReported = true
        driver.isOutnumbered = false
        driver.handle(.reported(full: isFull ?? false))
        driver.finishPushes(nil)
      case .success(let reply):
        let isBusy = reply.status >= 500 || reply.status == 429
        // Whoever is busy has not said what it thinks of the device.
        if !isBusy {
          driver.hasReported = true
          driver.refusal = reply.status == 403 ? "the console refuses reports of this device" + reply.saying : nil
        }
        // Those who wait for it wait for the one that takes its place, once.
        let isReplaced = reply.status == 409 && !driver.isOutnumbered
        if isReplaced {
          for index in driver.waiters.indices { driver.waiters[index].isIncluded = false }
        }
        driver.isOutnumbered = isReplaced
        driver.handle(reply.status == 409 ? .reportOutnumbered : .reportFailed(retryAfter: reply.retryAfter))
        if isReplaced { return }
        driver.finishPushes(
          StoreError(
            isBusy ? .unavailable : .refused,
            "the server answered \(reply.status) to the report\(reply.saying)"))
      case .failure(let error):
        driver.handle(.reportFailed(retryAfter: nil))
        driver.finishPushes(error)
      }
    }
  }

  static var fields: [(name: String, value: String)] {
    // Nothing is asked for packed: how much it may be is known.
    [("User-Agent", "livery-sync/0.1"), ("Expect", "")]
  }

  func ask(
    _ membership: Membership, _ path: String, _ fields: [(name: String, value: String)], limit: Int
  ) -> Ask {
    Ask(
      url: membership.url + path, fields: fields, limit: limit,
      certificates: options.certificates ?? membership.certificates, proxy: options.proxy ?? membership.proxy)
  }

  /// Makes a request for the machine that is there now: for no other one `done` runs.
  private func transfer(_ ask: Ask, _ done: @escaping @Sendable (Driver, Result<Reply, StoreError>) -> Void) {
    transferCount += 1
    let (number, generation) = (transferCount, generation)
    let transfer = Transfer(ask) { (outcome) in
      self.queue.run {
        self.transfers.removeValue(forKey: number)
        guard generation == self.generation, self.machine != nil else { return }
        done(self, outcome)
      }
    }
    transfers[number] = transfer
    transfer.start()
  }

  // MARK: Hints

  func subscribe(_ channels: [Channel]) {
    self.channels = channels
    guard let membership, let broker = options.broker else { return }
    if hints == nil {
      do throws(StoreError) {
        hints = try open(broker, membership)
        hintsError = nil
      } catch {
        hintsError = error
        tell()
      }
    }
    hints?.subscribe(channels.map { Self.topic(membership.fleet, $0) })
  }

  private func open(_ broker: String, _ membership: Membership) throws(StoreError) -> Hints {
    let generation = generation
    (hintsBegan, connectionsSeen) = (now, 0)
    return try Hints.open(
      broker, user: options.brokerUser, passwordFile: options.brokerPasswordFile,
      certificates: options.certificates ?? membership.certificates,
      heard: { (topic, version) in
        self.queue.run { if generation == self.generation { self.hear(hint: topic, version) } }
      },
      changed: { self.queue.run { if generation == self.generation { self.lookAtHints() } } })
  }

  /// Whoever was not connected has missed what was said meanwhile, and a broker that was killed has forgotten it.
  private func lookAtHints() {
    tell()
    let connections = hints?.connections ?? 0
    guard connections > connectionsSeen else { return }
    // The first one comes with the pull of the beginning.
    let isLate = connections > 1 || now - hintsBegan > Self.firstConnection
    connectionsSeen = connections
    if isLate { handle(.reached) }
  }

  private static func topic(_ fleet: String, _ channel: Channel) -> String { "livery/" + fleet + "/" + channel.name }

  private func hear(hint topic: String, _ version: Int64) {
    guard let membership else { return }
    for channel in channels where Self.topic(membership.fleet, channel).sameBytes(as: topic) {
      handle(.hint(channel, version: version))
    }
  }
}

extension Reply {
  /// What its body says, as far as it is a line of text.
  var saying: String {
    guard let text = String(validating: body.prefix(1024), as: UTF8.self) else { return "" }
    let line = text.split(separator: "\n").first.map { String($0).line(200) } ?? ""
    return line.utf8.isEmpty ? "" : ": " + line
  }
}
