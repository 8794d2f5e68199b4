import LiveryClient
import LiveryHTTP

/// What a person has changed in an editing session.
package final class SessionNotes: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private var names: [String] = []
  private var language = "en"
  private var tried: BrandDraft?
  private var page = "/"

  package init() {}

  /// In which its pages were drawn last.
  var locale: String {
    get { lock.withLock { language } }
    set { lock.withLock { language = newValue } }
  }

  /// The page of settings that was shown last.
  var place: String {
    get { lock.withLock { page } }
    set { lock.withLock { page = newValue } }
  }

  /// What is tried on the brand, and not saved.
  var draft: BrandDraft? {
    get { lock.withLock { tried } }
    set { lock.withLock { tried = newValue } }
  }

  func add(_ revision: UInt64, _ changed: [String]) {
    lock.withLock {
      if first == 0 { first = revision }
      last = max(last, revision)
      for name in changed where !names.contains(where: { $0.sameBytes(as: name) }) { names.append(name) }
    }
  }

  /// The revisions of its first and last commit, 0 for none, and the settings in the order of their names.
  var summary: (first: UInt64, last: UInt64, names: [String]) {
    lock.withLock { (first, last, names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }) }
  }
}
