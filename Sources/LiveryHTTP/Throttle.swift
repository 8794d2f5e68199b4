/// Slows down who guesses: some wrong guesses are free, each one more doubles the time until the next is looked at.
package struct Throttle: Sendable {
  package static let free = 3
  /// In seconds.
  package static let longestWait: Int64 = 300
  /// After so long without a guess the count begins anew, in milliseconds.
  package static let memory: Int64 = 3_600_000

  private var wrong = 0
  private var lastGuess: Int64 = 0
  private var opensAt: Int64 = 0

  package init() {}

  /// How many seconds until the next guess is looked at.
  package func wait(at now: Int64 = Clock.now) -> Int { Int((max(0, opensAt - now) + 999) / 1000) }

  /// Takes note of a guess that was looked at.
  ///
  /// - Returns: how many seconds the next has to wait.
  package mutating func note(isRight: Bool, at now: Int64 = Clock.now) -> Int {
    if now - lastGuess > Throttle.memory { wrong = 0 }
    lastGuess = now
    if isRight {
      wrong = 0
      return 0
    }
    wrong += 1
    guard wrong >= Throttle.free else { return 0 }
    let wait = min(Throttle.longestWait, 1 << Int64(min(wrong - Throttle.free + 1, 16)))
    opensAt = now + wait * 1000
    return Int(wait)
  }

  /// Whether nobody has guessed for so long that nothing is left to be remembered.
  package func isOver(at now: Int64 = Clock.now) -> Bool { now - lastGuess > Throttle.memory }
}
