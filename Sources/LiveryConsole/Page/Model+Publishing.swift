import LiveryClient
import LiveryHTTP

/// What becomes different when a draft is published.
package struct Difference: Sendable {
  package struct Setting: Sendable {
    package var name: String
    package var before: DraftSetting?
    package var after: DraftSetting?
    /// On how many devices another value will be in effect, as far as they have reported; nil if that is not known.
    package var devices: Int?
  }

  package var revision: UInt64 = 0
  package var settings: [Setting] = []
  /// How many devices take this channel.
  package var devices = 0
  /// On how many of them something becomes different.
  package var changed: Int?
  /// What holds above all of it, the weakest first.
  package var overlays: [PublicationLine] = []
  /// What devices with the present schema would refuse, all of it.
  package var unfit: [Unfit] = []
  /// What those with another version of it would refuse.
  package var elsewhere: [Elsewhere] = []
  /// The channel's publication, if what it changes was or is on trial; nil otherwise.
  package var trial: Int64?

  /// What is said of it.
  package static func words(onTrial publication: Int64) -> String {
    "Publication \(publication) was, or is, on trial: publishing anew ends that, and what it has changed holds for good, "
      + "also where it went back, unless the new one is on trial as well"
  }

  /// A version of the schema that devices of the channel have, other than the highest.
  package struct Elsewhere: Sendable {
    package var version: Int64
    package var devices: Int
    package var unfit: [Unfit]
  }

  package init() {}
}

/// How something reaches its devices.
package struct Plan: Sendable {
  package var comment = ""
  /// Shares in hundredths of a percent, rising; the last is 10,000.
  package var steps: [Int] = [10_000]
  /// How long each share is looked at before the next, in seconds.
  package var pause = 0
  /// The most failures, in hundredths of a percent of the devices that are in.
  package var bound = 200
  /// What devices call it; nil for its number.
  package var name: String?
  package var conditions = Conditions()

  package init() {}
}

package enum RolloutStep: Sendable {
  case stop
  case raise
  case resume
  case undo
}

package struct PublicationLine: Sendable {
  package enum State: Sendable {
    case rolling
    case complete
    case stopped
    case undone
    /// Its time is over.
    case over

    var title: String {
      switch self {
      case .rolling: "Rolling out"
      case .complete: "Complete"
      case .stopped: "Stopped"
      case .undone: "Undone"
      case .over: "Over"
      }
    }
  }

  package var number: Int64 = 0
  package var channel = ""
  package var author = ""
  package var comment = ""
  package var time: Int64 = 0
  package var version: Int64 = 0
  package var state = State.rolling
  /// In hundredths of a percent.
  package var share = 0
  package var name: String?
  package var conditions = Conditions()
  /// Whether it holds above what the channel says otherwise.
  package var isOverlay = false
  /// Whether there is no such channel any more: its group or its device was removed.
  package var isGone = false

  package init() {}
}

package struct PublicationDetail: Sendable {
  package var line = PublicationLine()
  package var plan = Plan()
  /// Whether devices are to have it: others may have followed it.
  package var holds = true
  /// Devices that are in by now.
  package var expected = 0
  package var applied = 0
  package var failed = 0
  /// Devices that wait for its time, or have it on trial.
  package var scheduled = 0
  /// Devices that it is not for: of another app, or with another version of the schema.
  package var passedOver = 0
  /// Why it was stopped, if it was.
  package var reason: String?
  package var next: Int64?
  package var failures: [(device: String, name: String, problem: String)] = []
  package var settings: [Difference.Setting] = []
  /// Whether nobody can tell what it has changed.
  package var isUnreadable = false
  /// Whether they are possible, as far as the schema takes what they bring.
  package var canUndo = false
  package var canResume = false

  package init() {}
}

package struct HistoryLine: Sendable {
  package var number: Int64 = 0
  package var time: Int64 = 0
  package var author = ""
  package var what = ""
  package var detail = ""

  package init() {}
}

package struct EnrollmentLine: Sendable {
  package var id = ""
  package var label = ""
  package var groups: [String] = []
  package var expires: Int64 = 0
  /// Of the device that it has let in.
  package var device: String?
  /// Whether that was removed.
  package var isRemoved = false
  /// The code, and as a picture; only right after it was made, since the console keeps no token.
  package var code: String?
  package var picture: [UInt8]?

  package init() {}
}

package struct SchemaLine: Sendable {
  package var version: Int64 = 0
  package var digest = ""
  package var title = ""
  /// Whether the console knows it.
  package var isKnown = false
  package var isCurrent = false
  package var devices = 0

  package init() {}
}
