import LiveryClient
import LiveryHTTP

/// A setting of a draft whose value the schema does not take, and why.
package struct Unfit: Sendable {
  package let name, problem: String
}

extension Layer {
  /// Which layer of a copy has what is set: one of the console's, for what the schema leaves to nobody else.
  static var ofDrafts: Layer { .recommended }
}

extension Store {
  /// Has a layer hold the values of a draft, and nothing else: but for what the schema does not take.
  ///
  /// - Parameter asset: the bytes of an image; nil if it is not there.
  func fill(_ settings: [DraftSetting], asset: (String) -> [UInt8]?) throws(StoreError) -> [Unfit] {
    var left: [Unfit] = []
    var open = settings
    while true {
      var set: ChangeSet?
      var refused: [Unfit] = []
      do throws(StoreError) {
        _ = try edit(.ofDrafts) { (change) throws(StoreError) in
          (set, refused) = (change, [])
          try change.resetAll()
          for setting in open {
            guard let value = setting.value else { continue }
            do throws(StoreError) {
              for id in value.images { if let bytes = asset(id) { _ = try change.put(bytes) } }
              try change.set(setting.name, to: value)
            } catch {
              guard error.isOfValue else { throw error }
              refused.append(Unfit(name: setting.name, problem: error.message))
            }
          }
          if let first = refused.first { throw StoreError(.invalidValue, first.problem, setting: first.name) }
        }
        return left.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      } catch {
        // All that is refused goes at once: what only comes up without that takes another turn.
        if refused.isEmpty { refused = set.map { Store.violations($0, error) } ?? [] }
        let names = refused.map { $0.name }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let rest = open.filter { !names.containsSorted($0.name) }
        guard error.isOfValue, rest.count < open.count else { throw error }
        left += refused.filter { (one) in open.contains { $0.name.sameBytes(as: one.name) } }
        open = rest
      }
    }
  }

  /// What is wrong with a change set that was refused, each setting once.
  private static func violations(_ change: ChangeSet, _ error: StoreError) -> [Unfit] {
    var violations: [Unfit] = []
    for item in change.violations().items ?? [] {
      guard let name = item["name"]?.text, let problem = item["message"]?.text,
        !(violations.last?.name.sameBytes(as: name) ?? false)
      else { continue }
      violations.append(Unfit(name: name, problem: problem))
    }
    if violations.isEmpty, let name = error.setting { violations.append(Unfit(name: name, problem: error.message)) }
    return violations
  }
}

extension StoreError {
  /// Whether it is about a setting or its value, and not about the store.
  fileprivate var isOfValue: Bool {
    switch code {
    case .notFound, .typeMismatch, .invalidValue, .locked, .readOnly, .invalidArgument, .parse, .noValue: true
    default: false
    }
  }
}

extension Value {
  /// Images that it names.
  var images: [String] {
    switch self {
    case .image(let id): [id]
    case .list(let items): items.flatMap { $0.images }
    case .object(let members): members.flatMap { $0.value.images }
    default: []
    }
  }
}
