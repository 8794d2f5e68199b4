/// What the pages remember of a session.
final class SessionNotes: @unchecked Sendable {}
