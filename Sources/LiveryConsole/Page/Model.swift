import LiveryClient
import LiveryHTTP

/// Who has signed in.
package struct Person: Sendable {
  package enum Role: Sendable {
    /// Sees everything, and changes nothing.
    case viewer
    case editor
  }

  package var name: String
  package var role: Role
  /// Belongs to the session: what forms have to send.
  package var csrf: String

  package init(name: String, role: Role, csrf: String) {
    self.name = name
    self.role = role
    self.csrf = csrf
  }

  var mayChange: Bool { role == .editor }
}

/// Why something was not done, in words for the person.
package struct Refusal: Error, Sendable {
  package enum Reason: Sendable {
    case notFound
    /// Somebody else was first.
    case conflict
    case invalid
    /// For the moment.
    case busy
  }

  package var reason: Reason
  /// For whoever has asked, by whatever way.
  package var message: String
  /// What else there is to say to those who run the console, such as where its database is.
  package var detail: String?
  /// The name of the field that is wrong, as the API has it; nil if there is none, or it is not one alone.
  package var field: String?

  package init(_ reason: Reason, _ message: String, at field: String? = nil) {
    self.reason = reason
    self.message = message
    self.field = field
  }

  /// For those who run the console.
  package var whole: String { detail.map { "\(message): \($0)" } ?? message }
}

/// What the pages show and do: the console, as they need it. Times are seconds since 1970.
package protocol ConsoleModel: AnyObject, Sendable {
  /// What does not fit the schema, without the values that another version of it calls secret.
  func shown(_ unfit: [Unfit]) throws(Refusal) -> [Unfit]
  /// What another version of the schema calls secret, and the present one does not.
  func baredSecrets() throws(Refusal) -> [String]
  /// How far publishing is, where it goes to a store that may be slow; nil where it does not.
  func publishing() throws(Refusal) -> PublishingState?
  /// What keeps the console from its work, or soon will, in lines: what each page tells.
  func warnings() throws(Refusal) -> [String]
  var fleet: String { get }
  /// Rises with every change.
  var generation: UInt64 { get }

  // Signing in.
  func signIn(_ name: String, _ password: String, from address: String) throws(Refusal) -> SignIn
  func person(_ cookie: String) -> Person?
  func signOut(_ cookie: String) throws(Refusal)
  /// Gives somebody another password, who has to say the present one. All other sessions of theirs end.
  func changePassword(
    of person: Person, _ present: String, to new: String, keeping cookie: String?, from address: String
  ) throws(Refusal) -> PasswordVerdict

  // Devices.
  func devices(_ filter: DeviceFilter) throws(Refusal) -> (lines: [DeviceLine], total: Int)
  func device(_ id: String) throws(Refusal) -> DeviceDetail
  func name(_ device: String, _ name: String, by person: Person) throws(Refusal)
  func groups() throws(Refusal) -> [GroupLine]
  func addGroup(_ name: String, by person: Person) throws(Refusal)
  /// - Returns: whether there is one to change places with.
  @discardableResult
  func moveGroup(_ name: String, up: Bool, by person: Person) throws(Refusal) -> Bool
  func removeGroup(_ name: String, by person: Person) throws(Refusal)
  /// Has a device be in some groups, and no more in others.
  func changeGroups(of device: String, adding: [String], removing: [String], by person: Person) throws(Refusal)

  // What is set.
  /// The fleet, then groups, then devices with settings of their own: so many from a place on, and how many there are in all.
  func channels(from: Int, limit: Int) throws(Refusal) -> (lines: [ChannelLine], total: Int)
  func channel(_ name: String) throws(Refusal) -> ChannelLine
  func draft(_ channel: String) throws(Refusal) -> ChannelDraft
  /// - Parameter revision: the one that was seen.
  func save(_ settings: [DraftSetting], in channel: String, at revision: UInt64, by person: Person) throws(Refusal)
  /// - Parameter revision: the one that was seen; nil for whichever is there.
  func discard(_ channel: String, at revision: UInt64?, by person: Person) throws(Refusal)
  func difference(_ channel: String) throws(Refusal) -> Difference
  func schema() throws(Refusal) -> [UInt8]?
  func asset(_ id: String) throws(Refusal) -> [UInt8]?
  func keep(_ asset: [UInt8], by person: Person) throws(Refusal)

  // Publishing.
  func publish(_ channel: String, _ plan: Plan, at revision: UInt64, by person: Person) throws(Refusal) -> Int64
  func publications(_ channel: String?, before: Int64?, limit: Int) throws(Refusal) -> [PublicationLine]
  func publication(_ number: Int64) throws(Refusal) -> PublicationDetail
  /// - Parameter share: the one that was seen: if it is another by now nothing is done. nil for whichever it is.
  func act(_ step: RolloutStep, on publication: Int64, at share: Int?, by person: Person) throws(Refusal) -> Int64
  func history(before: Int64?, limit: Int) throws(Refusal) -> [HistoryLine]

  // Joining, and schemas.
  func tokens(from: Int, limit: Int) throws(Refusal) -> (lines: [EnrollmentLine], total: Int)
  func token(_ id: String) throws(Refusal) -> EnrollmentLine
  func enroll(_ label: String, groups: [String], hours: Int, by person: Person) throws(Refusal) -> EnrollmentLine
  func withdraw(_ token: String, by person: Person) throws(Refusal)
  func schemas() throws(Refusal) -> [SchemaLine]
  func addSchema(_ json: [UInt8], by person: Person) throws(Refusal)
}

/// Whether a password is the one.
package enum PasswordVerdict: Sendable {
  case isRight
  /// The next is looked at in so many seconds.
  case isWrong(wait: Int)
  case isTooSoon(wait: Int)
}

package enum SignIn: Sendable {
  case isRight(cookie: String)
  /// The next is looked at in so many seconds.
  case isWrong(wait: Int)
  case isTooSoon(wait: Int)
}

package struct DeviceFilter: Sendable {
  /// The largest offset.
  static let farthest = 1_000_000_000

  package var query = ""
  package var group: String?
  package var state: DeviceState?
  package var schema: Int64?
  package var offset = 0
  package var limit = 100
}

package enum DeviceState: Sendable, CaseIterable {
  /// It has what is published.
  case right
  /// It has not told of what is published last.
  case behind
  /// What it has goes back by itself unless it is confirmed.
  case trial
  /// It has refused something, or something is wrong with it.
  case failing
  /// It was not heard of for long.
  case silent

  var name: String {
    switch self {
    case .right: "right"
    case .behind: "behind"
    case .trial: "trial"
    case .failing: "failing"
    case .silent: "silent"
    }
  }

  var title: String {
    switch self {
    case .right: "Up to date"
    case .behind: "Behind"
    case .trial: "On trial"
    case .failing: "Failing"
    case .silent: "Silent"
    }
  }
}

package struct DeviceLine: Sendable {
  package var id = ""
  package var name = ""
  package var groups: [String] = []
  package var state = DeviceState.behind
  /// nil if it has never reported.
  package var seen: Int64?
  package var schema: Int64?
  /// In words; nil if there is none.
  package var problem: String?

  package init() {}
}

package struct DeviceDetail: Sendable {
  package struct ChannelState: Sendable {
    package var name: String
    package var has: Int64?
    package var published: Int64?
  }

  package struct Verdict: Sendable {
    package var publication: Int64?
    package var channel: String
    package var verdict: String
  }

  /// A publication that is for the device, with what becomes of it there.
  package struct Holding: Sendable {
    package enum State: Sendable {
      case holds, trial, scheduled, over, passedOver, refused, untold

      var word: String {
        switch self {
        case .holds: "holds"
        case .trial: "trial"
        case .scheduled: "scheduled"
        case .over: "over"
        case .passedOver: "passed-over"
        case .refused: "refused"
        case .untold: "untold"
        }
      }
    }

    package var publication: Int64
    package var channel: String
    package var name: String?
    package var state: State
    /// In words, such as "from 2026-12-24 18:00 UTC on".
    package var about: String
  }

  /// What a setting is going to be, by a publication whose time has not come.
  package struct Later: Sendable {
    package var publication: Int64
    package var setting: DraftSetting
    package var about: String
  }

  package struct Setting: Sendable {
    package var name: String
    package var value: Value?
    /// nil if it is not known any more.
    package var layer: String?
    /// What decides in words, such as "enforced by publication 12 of fleet".
    package var decidedBy: String
    package var publication: Int64?
    package var time: Int64?
    package var author: String?
    package var later: [Later] = []
    /// Whether nobody is shown the value.
    package var isSecret = false
  }

  package var line = DeviceLine()
  package var enrolled: Int64?
  package var reported: Int64?
  package var health: String?
  package var channels: [ChannelState] = []
  package var verdicts: [Verdict] = []
  /// The publications that are for it, the weakest first.
  package var holdings: [Holding] = []
  package var violations: [(name: String, message: String)] = []
  package var settings: [Setting] = []

  package init() {}
}

package struct GroupLine: Sendable {
  package var name: String
  package var members: Int

  package init(name: String, members: Int) {
    self.name = name
    self.members = members
  }
}

package struct ChannelLine: Sendable {
  package var name = ""
  /// How many settings of the draft differ from what is published.
  package var changes = 0
  package var settings = 0
  package var version: Int64?
  package var publication: Int64?
  package var published: Int64?
  package var isRolling = false
  /// The numbers of what holds above it for a time or for some, the weakest first.
  package var overlays: [Int64] = []

  package init() {}
}

package struct ChannelDraft: Sendable {
  package var revision: UInt64
  package var settings: [DraftSetting]

  package init(revision: UInt64, settings: [DraftSetting]) {
    self.revision = revision
    self.settings = settings
  }
}

package struct DraftSetting: Sendable {
  package var name: String
  /// "" takes it out of the draft.
  package var verb: String
  package var value: Value?
  /// How it is written where that is not its name; nil where it is.
  package var alias: String?
  /// Whether nobody is shown the value.
  package var isSecret = false

  /// How documents have it.
  package var written: String { alias ?? name }

  package init(name: String, verb: String, value: Value?) {
    self.name = name
    self.verb = verb
    self.value = value
  }
}

extension ConsoleModel {
  package func shown(_ unfit: [Unfit]) throws(Refusal) -> [Unfit] { unfit }
  package func baredSecrets() throws(Refusal) -> [String] { [] }
  package func publishing() throws(Refusal) -> PublishingState? { nil }
  package func warnings() throws(Refusal) -> [String] { [] }
}
