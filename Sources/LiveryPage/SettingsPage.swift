import LiveryClient
import LiveryHTTP

/// Every setting of a store in a browser, for as long as it lives: for Swift programs, as `livery/page.h` is for C.
public final class SettingsPage: @unchecked Sendable {
  /// How to serve a page. Corresponds to `livery_page_options` in C.
  public struct Options: Sendable {
    /// The layer that is edited.
    public var layer = Layer.user
    /// An address and a port; 0 is a port that is free. Addresses that others reach need a PIN.
    public var listen = "127.0.0.1:0"
    /// The path of a Unix socket to listen at instead.
    public var unixSocket: String?
    /// Names under which browsers may ask for it besides the address.
    public var hosts: [String] = []
    /// The setting that holds the hash of a PIN; see `hash(pin:)`.
    public var pinSetting: String?
    /// After how long without a sign of life a session ends: 10 seconds to a day, in whole seconds.
    public var idle = Duration.seconds(300)
    /// The language of texts; what the browser prefers if nil.
    public var locale: String?
    /// What the page is called; the schema's title if nil.
    public var title: String?
    /// Show settings that the schema hides, too.
    public var showsHidden = false
    /// Show everything, and change nothing.
    public var isReadOnly = false
    /// Show prompts that no program provides by their kind. Needs the product LiveryWorkflow, or its library.
    public var showsPrompts = false

    public init() {}
  }

  /// The end of an editing session.
  public struct Finished: Sendable {
    public enum Reason: Int32, Sendable {
      case done = 1
      case idle
      case stopped
    }

    public var reason: Reason
    /// Those of its first and last commit; nil if it changed nothing.
    public var revisions: ClosedRange<UInt64>?
    /// The settings that it changed, in the order of their names.
    public var names: [String]
  }

  private let page: Page

  /// Starts to serve the settings of a store, which has to stay open.
  ///
  /// - Parameter finished: is told of the end of each session, once, on the store's watcher thread.
  /// - Throws: `.busy` if the address is in use, `.invalidArgument` for an option, `.io`, `.permission`, `.readOnly`,
  ///   `.unavailable` for prompts without LiveryWorkflow.
  public convenience init(
    _ store: Store, options: Options = Options(), finished: @escaping @Sendable (Finished) -> Void = { _ in }
  ) throws(StoreError) {
    let page = Page(store, try Page.Options(options)) { ended in
      let completion = Completion<Int>(on: store) { _ in
        finished(
          Finished(
            reason: Finished.Reason(rawValue: ended.reason) ?? .stopped,
            revisions: ended.first == 0 ? nil : ended.first...max(ended.first, ended.last), names: ended.names))
      }
      completion.begin()
      completion.finish(.success(0))
    }
    _ = try page.start()
    self.init(page)
  }

  private init(_ page: Page) {
    self.page = page
  }

  deinit { page.stop() }

  /// A new address, which opens one session, once and within ten minutes.
  public func address() throws(StoreError) -> String { try page.address() }

  /// Ends it: sessions that are open end with `.stopped`. Twice is fine.
  public func stop() { page.stop() }

  /// A brand as one HTML document that needs nothing else; what is in effect if no identifier is given. Corresponds to
  /// `livery_page_brand` in C.
  ///
  /// - Throws: `.notFound` if there is no such brand, `.invalidArgument` for the locale, `.corrupt`.
  public static func html(
    ofBrand brand: String? = nil, in store: Store, locale: String = "en"
  ) throws(StoreError) -> String {
    let document = try BrandDocument(store, brand, Words(try Languages.tag(of: locale)))
    return String(decoding: document.html.bytes, as: UTF8.self)
  }

  /// What a setting has to hold for a page to ask for this PIN. Corresponds to `livery_page_hash_pin` in C.
  public static func hash(pin: String) throws(StoreError) -> String {
    guard PIN.lengths.contains(pin.utf8.count), !pin.utf8.contains(0) else {
      throw StoreError(.invalidArgument, "a PIN has 4 to 128 bytes")
    }
    guard let hash = Password.hash(pin) else { throw StoreError(.noMemory, "there is no memory for a hash") }
    return hash
  }
}

extension Page.Options {
  fileprivate init(_ options: SettingsPage.Options) throws(StoreError) {
    self.init()
    layer = options.layer
    showsHidden = options.showsHidden
    isReadOnly = options.isReadOnly
    showsPrompts = options.showsPrompts
    locale = try options.locale.map { (locale) throws(StoreError) in try Languages.tag(of: locale) }
    title = options.title
    pinSetting = options.pinSetting
    server.listen = options.listen
    server.unixSocket = options.unixSocket
    server.hosts = options.hosts
    idle = Int(clamping: options.idle.components.seconds)
    try check()
  }
}
