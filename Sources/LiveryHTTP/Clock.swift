import CHTTP

/// A clock that never goes back, in milliseconds.
package enum Clock {
  package static var now: Int64 { lvh_now() }

  package static func sleep(_ milliseconds: Int64) { lvh_sleep(milliseconds) }
}
