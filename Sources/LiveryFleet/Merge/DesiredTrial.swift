import LiveryClient

extension Desired {
  /// What a change is on trial for: what the trials of all documents come to that begin to hold with it.
  public struct Trial: Sendable, Equatable {
    /// What has to come true before it stays.
    public enum Condition: Sendable, Equatable {
      /// The server is reached after the change: of a document that names no check.
      case reached
      /// The check of that name says yes.
      case check(String)

      /// To be kept; no check has the name of the first.
      public var text: String {
        switch self {
        case .reached: "-"
        case .check(let name): name
        }
      }

      public init(_ text: String) { self = text.sameBytes(as: "-") ? .reached : .check(text) }

      public static func == (left: Self, right: Self) -> Bool { left.text.sameBytes(as: right.text) }
    }

    /// How long it may take, in seconds: the shortest of them.
    public private(set) var seconds: Int64
    /// All of them have to come true: each once, in the order of their texts' bytes.
    public private(set) var conditions: [Condition]

    public init(seconds: Int64, _ conditions: [Condition]) {
      self.seconds = seconds
      self.conditions = []
      for condition in conditions { require(condition) }
    }

    init(_ trial: Document.Trial) { self.init(seconds: trial.seconds, [Self.condition(of: trial)]) }

    mutating func add(_ trial: Document.Trial) {
      seconds = min(seconds, trial.seconds)
      require(Self.condition(of: trial))
    }

    private static func condition(of trial: Document.Trial) -> Condition { trial.check.map { .check($0) } ?? .reached }

    private mutating func require(_ condition: Condition) {
      guard !conditions.contains(condition) else { return }
      let place = conditions.firstIndex { condition.text.precedes($0.text) } ?? conditions.endIndex
      conditions.insert(condition, at: place)
    }

    /// To be kept: two that are alike have the same.
    var text: String { conditions.reduce("\(seconds)") { $0 + " " + $1.text } }
  }
}
