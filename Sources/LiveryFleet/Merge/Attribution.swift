import LiveryClient

/// A document that holds, with what its manifest says of it: who the history names for a change.
public struct Attribution: Sendable, Equatable {
  public var hash: [UInt8]
  public var channel: Channel
  public var name: String
  public var author: String?
  public var comment: String?
  /// Whether its trial has not begun: stronger documents name all that it does.
  var isUntried = false
  /// Whether it began to hold with a change that is, or was, on trial.
  var isOnTrial = false

  init(_ entry: Manifest.Entry, of channel: Channel) {
    hash = entry.hash
    self.channel = channel
    name = entry.name
    author = entry.author
    comment = entry.comment
  }

  /// "p7 by eva".
  var text: String { author.map { name + " by " + $0 } ?? name }

  /// What is kept with a value that it has set.
  public var origin: String { ChangeOrigin.line([text], comment) }

  // MARK: Kept

  var value: Value {
    var made = Making()
    made.add("hash", hash)
    made.add("channel", channel.name)
    made.add("name", name)
    made.add("author", ifAny: author)
    made.add("comment", ifAny: comment)
    made.add("untried", ifSo: isUntried)
    made.add("trial", ifSo: isOnTrial)
    return made.value
  }

  init(_ value: Value) throws(FleetError) {
    var members = try Members(value, of: "what holds")
    hash = try members.data("hash", Crypto.hashSize)
    guard let channel = Channel(name: try members.text("channel", limit: 64)) else {
      throw FleetError(.malformed, "what holds is of no channel")
    }
    self.channel = channel
    name = try members.name("name")
    author = try members.lineIfAny("author", limit: Limit.author)
    comment = try members.lineIfAny("comment", limit: Limit.comment)
    isUntried = try members.flag("untried")
    isOnTrial = try members.flag("trial")
    try members.end()
  }
}

/// What a history says of who has made a change.
enum ChangeOrigin {
  /// Bytes of an origin.
  static let limit = 63

  /// What the history says of a change.
  ///
  /// It names the documents that hold since then, the strongest first; after them those that hold no more and that no other one of
  /// their channel follows: withdrawn, or ended by themselves. Where nothing has come or gone it names all that hold.
  ///
  /// - Parameters:
  ///   - holding: what holds from then on, the weakest first.
  ///   - before: what held before.
  ///   - isPublished: whether a document is still one that the device takes, at its time.
  static func of(
    _ holding: [Attribution], since before: [Attribution], isPublished: (_ hash: [UInt8]) -> Bool
  ) -> String {
    let came = holding.filter { one in !before.contains { $0.hash == one.hash } }
    let gone = before.filter { one in
      !holding.contains { $0.hash == one.hash } && !came.contains { $0.channel == one.channel }
    }
    let parts =
      came.reversed().map { $0.text }
      + gone.reversed().map { (isPublished($0.hash) ? "ended " : "withdrawn ") + $0.text }
    if parts.isEmpty { return line(holding.reversed().map { $0.text }, nil) }
    return line(parts, came.count == 1 && gone.isEmpty ? came[0].comment : nil)
  }

  /// As many parts as there is room for, and of one the beginning of its comment.
  static func line(_ parts: [String], _ comment: String?) -> String {
    guard let first = parts.first else { return "sync" }
    let more = ", …"
    var line = ("sync: " + first).shortened(limit - (parts.count > 1 ? more.utf8.count : 0))
    for (index, part) in parts.enumerated().dropFirst() {
      let room = limit - (index + 1 < parts.count ? more.utf8.count : 0)
      guard line.utf8.count + 2 + part.utf8.count <= room else { return line + more }
      line += ", " + part
    }
    // Less than a word of it tells nothing.
    if let comment, line.utf8.count + 10 <= limit { line = (line + ": " + comment).shortened(limit) }
    return line
  }
}

extension Change {
  /// What the origin of the end of a trial begins with that another change ends.
  public static let superseding = "sync: superseded"

  /// What the history says of the end of a trial that this change ends.
  public var endOfTrial: String {
    (Self.superseding + String(decoding: origin.utf8.dropFirst("sync".utf8.count), as: UTF8.self)).shortened(
      ChangeOrigin.limit)
  }
}
