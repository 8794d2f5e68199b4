/// What became of each part of a branding document; paths are JSON pointers into it.
public struct BrandReport: Sendable {
  /// More than these of a kind are counted only.
  static let limit = 1_000

  private var read: [Value] = []
  private var converted: [Value] = []
  private var ignored: [Value] = []
  private var problems: [Value] = []
  private var dropped = 0
  /// The first problem, for the error.
  public private(set) var failure: StoreError?

  public init() {}

  /// A part that became a setting.
  mutating func read(_ path: String, _ setting: String) {
    if let item = item(path, nil, "setting", setting, read.count) { read.append(item) }
  }

  /// A part that was written in another way than it is kept.
  public mutating func converted(_ path: String, _ message: String) {
    if let item = item(path, nil, "message", message, converted.count) { converted.append(item) }
  }

  /// A part that means nothing here.
  public mutating func ignored(_ path: String, _ message: String) {
    if let item = item(path, nil, "message", message, ignored.count) { ignored.append(item) }
  }

  /// A part for which the whole is refused.
  ///
  /// - Parameters:
  ///   - code: the kind, in kebab case.
  ///   - isFatal: false for a part that is merely left out.
  public mutating func problem(
    _ path: String, _ code: String, _ message: String, status: StoreError.Code = .invalidValue, isFatal: Bool = true
  ) {
    if isFatal, failure == nil {
      let place = path.isEmpty ? "" : "at \(truncated(path, to: 200)): "
      failure = StoreError(status, place + message)
    }
    if let item = item(path, code, "message", message, problems.count) { problems.append(item) }
  }

  @inline(never)
  private mutating func item(_ path: String, _ code: String?, _ key: String, _ text: String, _ count: Int) -> Value? {
    guard count < Self.limit else {
      dropped += 1
      return nil
    }
    var members = [Value.Member("path", .string(path))]
    if let code { members.append(.init("code", .string(code))) }
    members.append(.init(key, .string(text)))
    return .object(members)
  }

  /// The lists, as members of a report.
  public var members: [Value.Member] {
    var members: [Value.Member] = [
      .init("read", .list(read)), .init("converted", .list(converted)), .init("ignored", .list(ignored)),
      .init("problems", .list(problems)),
    ]
    if dropped > 0 { members.append(.init("dropped", .int(Int64(dropped)))) }
    return members
  }
}
