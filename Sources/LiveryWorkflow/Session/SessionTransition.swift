import LiveryClient

/// What a session is given.
struct SessionWish: Sendable {
  static let endless = Int64.max

  var replaces = false
  var token: String?
  /// Microseconds since 1970; 0 for nothing that is said.
  var expires: Int64 = 0
}

// The commits that make a session what it is. What each comes to is decided inside its transaction.
extension SessionKeeper {
  private static var origin: String { "session" }

  func login(_ user: Value, _ wish: SessionWish) throws(StoreError) {
    try requireReady()
    var generator = SystemRandomNumberGenerator()
    let id = hexadecimal(generator.next()) + hexadecimal(generator.next())
    var hadToken = false
    try transition(adopting: user) { (change, former) throws(StoreError) in
      guard former.state != .active || wish.replaces else {
        throw StoreError(.conflict, "a session is active: log out first, or replace it")
      }
      var facts = SessionFacts()
      facts.state = .active
      facts.reason = .login
      facts.id = id
      facts.since = Timestamp.now.microseconds
      facts.hasToken = wish.token != nil
      if wish.expires != SessionWish.endless { facts.expires = wish.expires }
      // What is left of one that is replaced, or whose end nobody has cleaned up after.
      hadToken = former.forgets != nil
      facts.forgets = hadToken ? facts.since : facts.hasToken ? 0 : nil
      try clearLayer(change)
      try change.use(.session)
      try change.sessionEnds(facts.expires == 0 ? nil : Timestamp(microseconds: facts.expires))
      try change.set(SessionFacts.current, to: facts.storedCurrent)
      if let token = wish.token { try change.set(SessionFacts.token, to: .string(token)) }
      return facts
    }
    if hadToken { forget() }
  }

  func update(_ user: Value?, _ wish: SessionWish) throws(StoreError) {
    try requireReady()
    var hadToken = false
    try transition(adopting: user) { (change, former) throws(StoreError) in
      guard former.state == .active else { throw StoreError(.conflict, "no session is active") }
      var facts = former
      if let token = wish.token {
        hadToken = former.hasToken
        facts.hasToken = true
        facts.forgets = hadToken ? Timestamp.now.microseconds : facts.forgets ?? 0
        try change.set(SessionFacts.token, to: .string(token))
      }
      if user != nil || wish.token != nil { facts.count &+= 1 }
      if wish.expires != 0 {
        facts.expires = wish.expires == SessionWish.endless ? 0 : wish.expires
        try change.sessionEnds(facts.expires == 0 ? nil : Timestamp(microseconds: facts.expires))
      }
      try change.set(SessionFacts.current, to: facts.storedCurrent)
      return facts
    }
    if hadToken { forget() }
  }

  /// Ends the session.
  ///
  /// - Parameters:
  ///   - reason: `.logout`, `.expire` or `.refused`.
  ///   - key: the one that is meant; nil for whichever it is.
  func end(_ reason: SessionReason, of key: SessionFacts.Key? = nil) throws(StoreError) {
    try requireReady()
    var isOver = false
    try transition(adopting: nil) { (change, former) throws(StoreError) in
      isOver = false
      if let key, former.key != key { return nil }
      switch former.state {
      case .unknown, .none:
        guard reason == .logout else { throw StoreError(.conflict, "nobody is logged in") }
        return nil
      case .expired: if reason != .logout { return nil }
      case .active: break
      }
      isOver = true
      var facts = former
      facts.state = reason == .logout ? .none : .expired
      facts.reason = reason
      facts.hasToken = false
      if facts.forgets != nil { facts.forgets = Timestamp.now.microseconds }
      try clearLayer(change)
      try change.use(.session)
      try change.sessionEnds(nil)
      return facts
    }
    if isOver { forget() }
  }

  /// Makes one commit of what `body` says the session is to be; nil for as it is.
  private func transition(
    adopting user: Value?, _ body: (ChangeSet, SessionFacts) throws(StoreError) -> SessionFacts?
  ) throws(StoreError) {
    SessionKeepers.beginChange()
    defer { SessionKeepers.endChange() }
    let number = beginAdopting()
    do throws(StoreError) {
      let revision = try store.edit(.session) { (change) throws(StoreError) in
        abandonAdopted(number)
        try change.setOrigin(Self.origin)
        try change.ignoreLocks()
        let former = try change.sessionFacts()
        guard let facts = try body(change, former) else { return }
        // Whoever hears of the commit is to know the user already.
        adopt(user, number, from: former.key, to: facts.key)
        try change.use(.user)
        try change.set(SessionFacts.last, to: facts.storedLast)
      }
      committedAdopted(number, revision)
    } catch {
      abandonAdopted(number)
      throw error
    }
    refresh()
  }

  /// Removes what the layer holds, but for what survives.
  private func clearLayer(_ change: ChangeSet) throws(StoreError) {
    try change.use(.session)
    var names = try change.names(in: .session)
    // What a trial has taken away is not to come back for somebody else.
    for place in try store.trialStatus().placesOnTrial where place.layer == .session { names.append(place.name) }
    for name in names where try !survives(name) { try change.reset(name) }
  }

  private func survives(_ name: String) throws(StoreError) -> Bool {
    do throws(StoreError) {
      for case .string(let word) in try store.inspect(name)["survives"]?.items ?? []
      where word.utf8.elementsEqual("logout".utf8) {
        return true
      }
    } catch {
      // What cannot be told goes.
      guard error.code == .notFound || error.code == .corrupt else { throw error }
    }
    return false
  }

  // MARK: Forgetting

  /// Forgets the tokens of sessions that are over, wherever the store may hold them still; what fails is left to the next.
  private func forget() {
    do throws(StoreError) {
      let seen = try store.sessionFacts().forgets
      guard seen != nil else { return }
      try store.forget(SessionFacts.token, inBackups: true)
      try mark { (facts) in
        // What has ended meanwhile is for who is at that: should he die, it has to be seen that something is left.
        guard facts.forgets == seen else { return }
        // A token that has come meanwhile will have to be forgotten in its turn.
        facts.forgets = facts.state == .active && facts.hasToken ? 0 : nil
      }
    } catch {
      // The next transition, or the next process that begins, tries again.
    }
  }

  /// The same if nobody else is at it.
  ///
  /// - Parameters:
  ///   - facts: what the session is now.
  ///   - takesOver: whether somebody who is at it may have died.
  func forgetSoon(of facts: SessionFacts, takesOver: Bool = false) {
    let now = Timestamp.now.microseconds
    guard facts.isLeft(now, takesOver) else { return }
    do throws(StoreError) {
      var isMine = false
      try mark { (facts) in
        isMine = facts.isLeft(now, takesOver)
        if isMine { facts.forgets = now }
      }
      if isMine { forget() }
    } catch {
      // Whoever may not write leaves it to others.
    }
  }

  private func mark(_ body: (inout SessionFacts) -> Void) throws(StoreError) {
    SessionKeepers.beginChange()
    defer { SessionKeepers.endChange() }
    try store.edit(.user) { (change) throws(StoreError) in
      try change.setOrigin(Self.origin)
      try change.ignoreLocks()
      let former = try change.sessionFacts()
      var facts = former
      body(&facts)
      guard facts.forgets != former.forgets else { return }
      var stored = facts
      // One that has ended by itself stays as it was found.
      if former.state == .expired, former.reason == .time || former.reason == .removed { stored.state = .active }
      try change.set(SessionFacts.last, to: stored.storedLast)
    }
  }
}

extension SessionFacts {
  /// For how long one process may be at forgetting a token before another does it.
  private static var patience: Int64 { 60_000_000 }

  /// Whether a token is to be forgotten that is none any more, and nobody is at it.
  fileprivate func isLeft(_ now: Int64, _ takesOver: Bool) -> Bool {
    guard let since = forgets else { return false }
    // That of the present session is so when that ends.
    if state == .active ? since == 0 : holdsToken { return false }
    return takesOver || since == 0 || now < since || now - since > Self.patience
  }
}

private func hexadecimal(_ number: UInt64) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for place in 0..<16 { text.append(digits[Int(number >> UInt64(60 - 4 * place) & 15)]) }
  return String(decoding: text, as: UTF8.self)
}
