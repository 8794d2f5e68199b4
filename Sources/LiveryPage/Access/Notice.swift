import LiveryHTTP

/// What the server has to say by itself, outside of sessions.
enum Notice: Sendable {
  /// There is no session, and no link opens one here.
  case needsLink
  /// The form with the field `pin`, sent to `/pin`; the next is looked at in so many seconds.
  case asksPIN(isWrong: Bool, wait: Int)
  /// The session is open; the browser goes on by itself.
  case opens
  /// Nothing came of the request; the status says why.
  case fails(Int)
}
