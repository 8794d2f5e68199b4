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
    Self.add(path, [.init("setting", .string(setting))], to: &read, &dropped)
  }

  /// A part that was written in another way than it is kept.
  mutating func converted(_ path: String, _ message: String) {
    Self.add(path, [.init("message", .string(message))], to: &converted, &dropped)
  }

  /// A part that means nothing here.
  public mutating func ignored(_ path: String, _ message: String) {
    Self.add(path, [.init("message", .string(message))], to: &ignored, &dropped)
  }

  /// A part for which the whole is refused.
  ///
  /// - Parameter code: the kind, in kebab case.
  public mutating func problem(
    _ path: String, _ code: String, _ message: String, status: StoreError.Code = .invalidValue
  ) {
    if failure == nil {
      let place = path.isEmpty ? "" : "at \(truncated(path, to: 200)): "
      failure = StoreError(status, place + message)
    }
    Self.add(path, [.init("code", .string(code)), .init("message", .string(message))], to: &problems, &dropped)
  }

  private static func add(_ path: String, _ rest: [Value.Member], to list: inout [Value], _ dropped: inout Int) {
    guard list.count < limit else {
      dropped += 1
      return
    }
    list.append(.object([.init("path", .string(path))] + rest))
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
