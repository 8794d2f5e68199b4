import CSync
import LiveryClient
import LiveryFleet

extension Store {
  /// What is known of the device and its fleet, from any process.
  func syncStatus() throws(StoreError) -> Value {
    let membership: Membership?
    do throws(StoreError) { membership = try Membership.of(self) } catch {
      guard error.code == .corrupt else { throw error }
      return .object([
        .init("enrolled", .bool(true)), .init("state", .string("damaged")),
        .init("problem", Self.problem("damaged", error.message, "leave the fleet, and enroll anew")),
      ])
    }
    guard let membership else {
      return .object([.init("enrolled", .bool(false)), .init("state", .string("none"))])
    }
    let id = DeviceID.of(membership.device)
    var members = [
      Value.Member("enrolled", .bool(true)), .init("fleet", .string(membership.fleet)),
      .init("url", .string(membership.url)), .init("device", .string(id)), .init("key", .data(membership.device)),
      .init("since", .date(membership.since)),
    ]
    if let name = membership.name { members.append(.init("name", .string(name))) }
    var note = try syncNote()
    note.forget(unlessOf: membership)
    members.append(.init("state", .string(note.process != 0 ? "running" : "stopped")))
    if note.process != 0 {
      members.append(.init("process", .int(note.process)))
      members.append(.init("hints", .string(note.hints == 2 ? "connected" : note.hints == 1 ? "disconnected" : "off")))
      let hintsProblem = note.hintsProblemText
      if note.hints == 1, !hintsProblem.utf8.isEmpty { members.append(.init("hintsProblem", .string(hintsProblem))) }
    }
    for (name, seconds) in [("asked", note.asked), ("taken", note.taken), ("next", note.next)] where seconds > 0 {
      members.append(.init(name, .date(Timestamp(seconds: seconds))))
    }
    try describe(membership, note, &members)
    return .object(members)
  }

  private func describe(_ membership: Membership, _ note: lvy_note, _ members: inout [Value.Member]) throws(StoreError)
  {
    var problem = note.reasonText.utf8.isEmpty ? nil : (note.reasonText, note.messageText)
    let kept = try keptForSync()
    do throws(FleetError) {
      let device = try Device(
        membership.configuration(note.process != 0 ? note.app : (try? self.kept(Membership.scope))?.text),
        records: kept.get(), seed: 0)
      let moment = Device.Moment(uptime: 0, clock: max(0, Timestamp.now.microseconds / 1_000_000))
      let overview = device.overview(at: moment, Driver.world(of: self))
      let trial = pendingTrial()
      if let keys = overview.keys {
        members.append(.init("keys", .int(keys.version)))
        members.append(.init("keysExpire", .date(Timestamp(seconds: keys.expires))))
      }
      members.append(
        .init(
          "channels",
          .list(
            overview.channels.map {
              .object([
                .init("name", .string($0.channel.name)), .init("version", .int($0.version)),
                .init("expires", .date(Timestamp(seconds: $0.expires))),
              ])
            })))
      members.append(.init("documents", .list(overview.documents.map { $0.value(isOnTrial: trial != nil) })))
      if !overview.violations.isEmpty {
        members.append(
          .init(
            "violations",
            .list(
              overview.violations.map {
                .object([.init("name", .string($0.name)), .init("message", .string($0.message))])
              })))
      }
      if let reported = overview.reported { members.append(.init("reported", .int(reported))) }
      members.append(.init("outbox", .int(overview.isReportDue ? 1 : 0)))
      if let trial { members.append(.init("trial", trial)) }
    } catch {
      if error.reason != .unavailable {
        problem = ("damaged", error.message)
      } else if problem == nil {
        problem = ("sealed", error.message)
      }
    }
    if let problem { members.append(.init("problem", Self.problem(problem.0, problem.1, Self.advice(problem.0)))) }
  }

  /// - Throws: what keeps it from being read for now.
  private func keptForSync() throws(StoreError) -> Result<[Device.Record], FleetError> {
    do throws(StoreError) { return .success(try Membership.records(of: self)) } catch {
      switch error.code {
      case .unavailable: return .failure(FleetError(.unavailable, error.message))
      case .corrupt: return .failure(FleetError(.malformed, error.message))
      default: throw error
      }
    }
  }

  private static func advice(_ reason: String) -> String {
    if reason.sameBytes(as: "barred") { return "give sync.lock, beside data.mdb, the owner and the mode of that" }
    if reason.sameBytes(as: "sealed") {
      return "give this process the store's key, or have one take part that has it; "
        + "if it is lost for good, leave the fleet, and enroll anew"
    }
    if reason.sameBytes(as: "postponed") { return "look at what keeps it from being made: it is tried again" }
    for known in FleetError.Reason.allCases where known.name.sameBytes(as: reason) {
      return FleetError(known, "").advice
    }
    return "leave the fleet, and enroll anew"
  }

  private static func problem(_ reason: String, _ message: String, _ advice: String) -> Value {
    .object([
      .init("reason", .string(reason)), .init("message", .string(message)), .init("advice", .string(advice)),
    ])
  }

  /// What whoever takes part has told.
  private func syncNote() throws(StoreError) -> lvy_note {
    let driver = Drivers.ifAny(self)
    if let told = driver?.toldNote, told.process != 0 { return told }
    var note = lvy_note()
    guard let folder = try statistics()["path"]?.text else { return note }
    if !folder.withCString({ lvy_note_read($0, &note) }) { note = lvy_note() }
    if note.process == 0, driver?.lease.isBarred ?? false || folder.withCString({ lvy_note_is_barred($0) }) {
      note.fail("barred", "sync.lock, by which processes agree who takes part, cannot be opened: this one does not")
    }
    return note
  }

  /// nil unless a change of the console's is on trial.
  private func pendingTrial() -> Value? {
    guard let trial = (try? Trial.of(self)) ?? nil, case .pending? = try? trial.state(in: self),
      let status = try? trialStatus(), let until = status["until"]
    else { return nil }
    var members = [Value.Member("until", until)]
    let checks = trial.open.compactMap { (condition) -> Value? in
      if case .check(let name) = condition { .string(name) } else { nil }
    }
    if !checks.isEmpty { members.append(.init("checks", .list(checks))) }
    return .object(members)
  }

  /// What the done functions are given of values: all but what this library keeps.
  func settingsForSync() throws(StoreError) -> Value {
    let settings = try settings()
    guard case .object(let members) = settings else { return settings }
    return .object(
      members.map { (member) -> Value.Member in
        guard member.key.sameBytes(as: "Values"), case .object(let values) = member.value else { return member }
        return Value.Member(
          member.key, .object(values.filter { !$0.key.utf8.starts(with: Membership.prefix.utf8) }))
      })
  }
}

extension lvy_note {
  /// What is of a fleet that the device was in before says nothing.
  fileprivate mutating func forget(unlessOf membership: Membership) {
    guard device != membership.number else { return }
    (asked, taken) = (0, 0)
    // Why the lease cannot be taken is of no fleet.
    if process == 0, !reasonText.sameBytes(as: "barred") { (reason.0, message.0, next) = (0, 0, 0) }
  }
}

extension Device.DocumentState {
  fileprivate func value(isOnTrial: Bool) -> Value {
    let word = isOnTrial && self.isOnTrial && verdict == .applied ? "trial" : verdict.name
    var members = [
      Value.Member("name", .string(name)), .init("hash", .string(hash.hexadecimal)),
      .init("channel", .string(channel.name)), .init("verdict", .string(word)),
    ]
    if let author { members.append(.init("author", .string(author))) }
    if let comment { members.append(.init("comment", .string(comment))) }
    return .object(members)
  }
}

extension Timestamp {
  fileprivate init(seconds: Int64) { self.init(microseconds: min(max(seconds, 0), 253_402_300_799) * 1_000_000) }
}
