import LiveryClient
import LiveryHTTP

@testable import LiveryConsole

extension Fleet: ConsoleModel {
  var fleet: String { "Signage" }
  var generation: UInt64 { lock.withLock { generationNow } }

  func signIn(_ name: String, _ password: String, from address: String) throws(Refusal) -> SignIn {
    lock.withLock {
      let wait = throttle.wait()
      if wait > 0 { return .isTooSoon(wait: wait) }
      let admin = Fleet.admins.first { $0.name == name }
      // It takes the same time for names that are not known.
      let isRight = Password.isRight(password, hash: admin.flatMap { Password.hash($0.password) })
      let next = throttle.note(isRight: isRight)
      guard isRight, let admin else { return .isWrong(wait: next) }
      let cookie = String(decoding: Token.make(), as: UTF8.self)
      sessions.append(
        (cookie, Person(name: name, role: admin.role, csrf: String(decoding: Token.make(), as: UTF8.self))))
      return .isRight(cookie: cookie)
    }
  }

  func person(_ cookie: String) -> Person? { lock.withLock { sessions.first { $0.cookie == cookie }?.person } }

  func signOut(_ cookie: String) { lock.withLock { sessions.removeAll { $0.cookie == cookie } } }

  func changePassword(
    of person: Person, _ present: String, to new: String, keeping cookie: String?, from address: String
  ) throws(Refusal) -> PasswordVerdict {
    .isWrong(wait: 0)
  }

  // MARK: Devices

  func devices(_ filter: DeviceFilter) throws(Refusal) -> (lines: [DeviceLine], total: Int) {
    lock.withLock {
      let found = devices.indices.map { line($0) }.filter { line in
        holds(line.name + " " + line.id, filter.query)
          && filter.group.map { line.groups.contains($0) } ?? true && filter.state.map { line.state == $0 } ?? true
          && filter.schema.map { line.schema == $0 } ?? true
      }
      return (Array(found.dropFirst(filter.offset).prefix(filter.limit)), found.count)
    }
  }

  private func holds(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.lowercased().utf8), Array(part.lowercased().utf8))
    guard part.count <= text.count else { return false }
    return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
  }

  private func line(_ place: Int) -> DeviceLine {
    let device = devices[place]
    var line = DeviceLine()
    (line.id, line.name, line.groups, line.seen, line.schema) =
      (device.id, device.name, device.groups, device.seen, device.schema)
    let current = order(of: place).compactMap { published($0, for: place)?.line.number }
    if device.verdicts.last.map({ !$0.isApplied }) ?? false {
      line.state = .failing
      line.problem = "It has refused what was published."
    } else if device.seen == nil {
      line.state = .silent
    } else {
      line.state =
        current.allSatisfy { number in device.verdicts.contains { $0.publication == number } } ? .right : .behind
    }
    return line
  }

  func device(_ id: String) throws(Refusal) -> DeviceDetail {
    try lock.withLock { () throws(Refusal) in
      let place = try place(of: id)
      var detail = DeviceDetail()
      detail.line = line(place)
      detail.enrolled = 1_760_000_000
      for channel in order(of: place) {
        let publication = published(channel, for: place)
        let verdict = publication.flatMap { publication in
          devices[place].verdicts.first { $0.publication == publication.line.number }
        }
        detail.channels.append(
          .init(
            name: channel, has: verdict == nil ? nil : publication?.line.version, published: publication?.line.version))
        if let verdict {
          detail.verdicts.append(
            .init(
              publication: verdict.publication, channel: channel, verdict: verdict.isApplied ? "applied" : "refused"))
        }
      }
      if detail.line.problem != nil { detail.violations = [("volume", "is above the maximum of 100")] }
      for (setting, publication) in wanted(place) {
        let line = publication.line
        detail.settings.append(
          .init(
            name: setting.name, value: setting.value, layer: setting.verb == "enforce" ? "enforced" : "recommended",
            decidedBy: "publication \(line.number) of \(line.channel), \(setting.verb)", publication: line.number,
            time: line.time, author: line.author))
      }
      return detail
    }
  }

  func name(_ device: String, _ name: String, by person: Person) throws(Refusal) {
    try lock.withLock { () throws(Refusal) in
      devices[try place(of: device)].name = name
      note("Device named", name, person)
    }
  }

  func groups() throws(Refusal) -> [GroupLine] {
    lock.withLock {
      groupNames.map { name in
        GroupLine(name: name, members: devices.filter { $0.groups.contains(name) }.count)
      }
    }
  }

  func addGroup(_ name: String, by person: Person) throws(Refusal) {
    try lock.withLock { () throws(Refusal) in
      guard !name.isEmpty, name.utf8.count <= 32 else { throw Refusal(.invalid, "That is no name of a group.") }
      guard !groupNames.contains(name) else { throw Refusal(.conflict, "There is a group \(name).") }
      groupNames.append(name)
      note("Group added", name, person)
    }
  }

  func moveGroup(_ name: String, up: Bool, by person: Person) throws(Refusal) -> Bool {
    lock.withLock {
      guard let place = groupNames.firstIndex(of: name), groupNames.indices.contains(place + (up ? -1 : 1)) else {
        return false
      }
      groupNames.swapAt(place, place + (up ? -1 : 1))
      note("Group moved", name, person)
      return true
    }
  }

  func removeGroup(_ name: String, by person: Person) throws(Refusal) {
    lock.withLock {
      groupNames.removeAll { $0 == name }
      for place in devices.indices { devices[place].groups.removeAll { $0 == name } }
      note("Group removed", name, person)
    }
  }

  func changeGroups(
    of device: String, adding: [String], removing: [String], by person: Person
  ) throws(Refusal) {
    try lock.withLock { () throws(Refusal) in
      let place = try place(of: device)
      let former = devices[place].groups
      devices[place].groups = groupNames.filter {
        adding.contains($0) || former.contains($0) && !removing.contains($0)
      }
      note("Groups of a device", devices[place].name, person)
    }
  }
}
