/// Who stands behind a server: knows who asks, and answers.
///
/// Everything but `keep` and `release` is called on the server's one thread.
package protocol Site: AnyObject, Sendable {
  /// The head of a request has come: from whom it is, and what else may come.
  ///
  /// - Parameter cookies: what the browser has kept of the server's own cookie; more than one if somebody else has set such.
  func admit(_ head: Head, _ target: Target, cookies: [ArraySlice<UInt8>]) -> Admission
  /// All of it has come, and has passed every check.
  func answer(_ request: Request) -> Response
  /// What is said of a request that the server itself refuses.
  func refuse(_ status: Int, _ head: Head) -> Response
  /// A request of that visitor is over.
  ///
  /// - Returns: when `keep` is due, by the server's clock.
  func release(_ visitor: any Visitor) -> Int64
  /// What is to be done after a while, such as ending who gave no sign of life. On the server's second thread.
  ///
  /// - Returns: when it is due next, `.max` for never.
  func keep(at now: Int64) -> Int64
  /// A stream begins, of which the first event has not been asked for yet, or one is over.
  func listenersChanged()
}

extension Site {
  package func release(_ visitor: any Visitor) -> Int64 { .max }
  package func keep(at now: Int64) -> Int64 { .max }
  package func listenersChanged() {}
}

/// What may come after the head of a request.
package struct Admission {
  /// Who asks; nil for somebody who is not known. `release` is told of it once the request is over.
  package var visitor: (any Visitor)?
  /// The most bytes of a body.
  package var longestBody = 0
  /// Whether the body is a form, which is taken apart; else it is handed on as it came.
  package var isForm = true
  /// Whether what changes something has to carry the visitor's token: for who is known by what browsers send by themselves.
  package var needsToken = true
  /// What is answered whatever comes; nil if the site wants to see it.
  package var answer: Response?

  package init(_ visitor: (any Visitor)? = nil, longestBody: Int = 0) {
    self.visitor = visitor
    self.longestBody = longestBody
  }
}

/// Somebody who is known, for as long as that is so: an object of the site's.
package protocol Visitor: AnyObject, Sendable {
  /// What forms have to send as `csrf`, and the script as X-Livery-CSRF.
  var csrf: String { get }
}

extension Visitor {
  /// Whether a form was sent by a page that was drawn for this visitor.
  func isOwn(_ csrf: [UInt8]) -> Bool { Token.isSame(Array(self.csrf.utf8), csrf) }
}
