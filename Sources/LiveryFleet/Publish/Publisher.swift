import LiveryClient

/// What a fleet is told: signs documents and manifests, and says which files a web server is to deliver. The other end of
/// `Device`, for consoles and tests; it knows neither files nor databases.
public struct Publisher: Sendable {
  /// What a web server delivers.
  public struct File: Sendable, Equatable {
    /// Beneath the fleet's URL.
    public var path: String
    public var bytes: [UInt8]
    /// Whether what has this path never changes.
    public var isImmutable: Bool

    public init(path: String, bytes: [UInt8], isImmutable: Bool) {
      self.path = path
      self.bytes = bytes
      self.isImmutable = isImmutable
    }
  }

  /// What a channel says.
  public struct Channel: Sendable {
    public var channel: LiveryFleet.Channel
    public var version: Int64
    public var groups: [String]
    public var documents: [Manifest.Entry]
    public var interval: Int64?
  }

  public private(set) var keys: KeyDocument
  private var roots: [SigningKey]
  /// Those of before, as long as the key document names them.
  private var formerRoots: [SigningKey] = []
  private var signers: [SigningKey]
  public private(set) var channels: [Channel] = []
  /// How long manifests hold, in seconds.
  public var lifetime: Int64 = 7 * 86_400

  /// A new fleet, with the first version of its key document.
  ///
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - keyLifetime: how long the key document and its signers hold, in seconds.
  public init(
    fleet: String, roots: [SigningKey], rootThreshold: Int = 1, signers: [SigningKey], threshold: Int = 1, now: Int64,
    keyLifetime: Int64 = 365 * 86_400
  ) {
    self.roots = roots
    self.signers = signers
    keys = KeyDocument(
      fleet: fleet, version: 1, issued: now, expires: min(now + keyLifetime, Limit.time),
      roots: KeyDocument.Roots(keys: roots.map { $0.publicKey }, threshold: rootThreshold),
      signers: signers.map {
        KeyDocument.Signer(key: $0.publicKey, from: max(0, now - 86_400), until: min(now + keyLifetime, Limit.time))
      }, threshold: threshold)
  }

  public var fleet: String { keys.fleet }

  /// What enrollment codes name.
  public var fingerprint: [UInt8] { keys.roots.fingerprint }

  /// Replaces signers, and roots if they are given. All channels have to be published again, as nothing that a former key has
  /// signed counts any more: which is what this gives. The former roots sign the change of roots.
  public mutating func rotate(
    signers: [SigningKey]? = nil, threshold: Int? = nil, roots: [SigningKey]? = nil, rootThreshold: Int? = nil,
    now: Int64, keyLifetime: Int64 = 365 * 86_400
  ) throws(FleetError) -> [File] {
    let before = self.roots
    if let signers { self.signers = signers }
    if let roots { self.roots = roots }
    let former = keys.roots
    keys.version += 1
    keys.issued = now
    keys.expires = min(now + keyLifetime, Limit.time)
    keys.roots = KeyDocument.Roots(
      keys: self.roots.map { $0.publicKey }, threshold: rootThreshold ?? former.threshold)
    keys.former = keys.roots == former ? nil : former
    formerRoots = keys.former == nil ? [] : before
    keys.signers = self.signers.map {
      KeyDocument.Signer(key: $0.publicKey, from: max(0, now - 86_400), until: min(now + keyLifetime, Limit.time))
    }.sorted { $0.key.precedes($1.key) }
    keys.threshold = threshold ?? keys.threshold
    var files = try keyFiles()
    files += try refresh(now: now)
    return files
  }

  /// The key document, by its version and as the latest.
  public func keyFiles() throws(FleetError) -> [File] {
    let bytes = try Envelope(.keys, keys.encoded(), signedBy: roots + formerRoots).encoded()
    return [
      File(path: "/v1/keys/" + keys.version.description, bytes: bytes, isImmutable: true),
      File(path: "/v1/keys/latest", bytes: bytes, isImmutable: false),
    ]
  }

  /// A document or an asset, by its hash.
  public static func blob(_ bytes: [UInt8]) -> File {
    File(path: "/v1/blobs/" + Crypto.hash(bytes).hexadecimal, bytes: bytes, isImmutable: true)
  }

  /// Has a channel say something else from now on.
  ///
  /// - Parameters:
  ///   - documents: the weakest first, each with its entry; hash and size of that are filled in.
  /// - Returns: in the order in which they are to be written: what is referred to comes first.
  public mutating func publish(
    _ channel: LiveryFleet.Channel, documents: [(entry: Manifest.Entry, document: Document)], groups: [String] = [],
    interval: Int64? = nil, now: Int64
  ) throws(FleetError) -> [File] {
    var files: [File] = []
    var entries: [Manifest.Entry] = []
    for (entry, document) in documents {
      let file = Self.blob(try document.encoded())
      var filled = entry
      filled.hash = Crypto.hash(file.bytes)
      filled.size = Int64(file.bytes.count)
      entries.append(filled)
      files.append(file)
    }
    if let index = channels.firstIndex(where: { $0.channel == channel }) {
      channels[index].version += 1
      channels[index].documents = entries
      channels[index].groups = groups
      channels[index].interval = interval
      files.append(try manifest(channels[index], now: now))
    } else {
      let made = Channel(channel: channel, version: 1, groups: groups, documents: entries, interval: interval)
      channels.append(made)
      files.append(try manifest(made, now: now))
    }
    return files
  }

  /// Takes up a channel as it was, so that its versions go on rising.
  public mutating func resume(_ channel: Channel) {
    channels.removeAll { $0.channel == channel.channel }
    channels.append(channel)
  }

  /// Publishes all channels anew, the fleet's last: before their time is over, and after keys have changed.
  public mutating func refresh(now: Int64) throws(FleetError) -> [File] {
    var files: [File] = []
    let ordered = channels.filter { $0.channel != .fleet } + channels.filter { $0.channel == .fleet }
    channels = ordered
    for index in channels.indices {
      channels[index].version += 1
      files.append(try manifest(channels[index], now: now))
    }
    return files
  }

  private func manifest(_ channel: Channel, now: Int64) throws(FleetError) -> File {
    var versions: [Manifest.GroupVersion] = []
    if channel.channel == .fleet {
      for other in channels {
        if case .group(let name) = other.channel {
          versions.append(Manifest.GroupVersion(group: name, version: other.version))
        }
      }
    }
    let manifest = Manifest(
      fleet: fleet, channel: channel.channel, version: channel.version, keys: keys.version, issued: now,
      expires: min(now + lifetime, Limit.time), groups: channel.groups, versions: versions,
      documents: channel.documents, interval: channel.interval)
    return File(
      path: "/v1/channels/" + channel.channel.name + "/manifest",
      bytes: try Envelope(.manifest, manifest.encoded(), signedBy: signers).encoded(), isImmutable: false)
  }
}
