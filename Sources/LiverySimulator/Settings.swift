import LiveryClient

/// The settings of the simulated app, by their indices. All of them are integers.
enum Settings {
  /// `app.mode`, by which the app is well or not.
  static let mode = 0
  /// `limit.volume`, whose highest value depends on the version of the schema.
  static let volume = count - 1
  static let count = 16

  /// In the order of their bytes.
  static let names: [String] =
    ["app.mode"] + (1..<count - 1).map { "app.s" + ($0 < 10 ? "0" : "") + $0.description } + ["limit.volume"]

  private static let indices = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })

  static func index(of name: String) -> Int? { indices[name] }

  /// What `app.mode` is when the app is unwell.
  static let unwellMode: Int64 = 13

  /// Values from here on are the operator's, and from `planted` on an attacker's.
  static let operators: Int64 = 1_000_000_000
  static let planted: Int64 = 666_000_000_000

  static func volumeLimit(_ schema: Int64) -> Int64 { schema >= 2 ? 100 : 1000 }
}

/// What a layer holds.
struct LayerValues: Sendable, Equatable {
  private static let none = Int64.min
  private var values = [Int64](repeating: none, count: Settings.count)

  subscript(index: Int) -> Int64? {
    get { values[index] == Self.none ? nil : values[index] }
    set { values[index] = newValue ?? Self.none }
  }
}
