/// The keys declared so far where they must be distinct: in a whole schema, or in the items of one list.
final class SchemaScope {
  struct Declaration {
    /// The place of the key.
    var path: [PathStep]
    /// The setting's position among those of the scope.
    var index: Int
  }

  /// A condition that can be checked only when all keys are known.
  struct PendingCondition {
    var path: [PathStep]
    var key: String
    var equals: Value
    /// The setting that has the condition, by position in the scope and by key.
    var index: Int
    var setting: String
  }

  private var numbers = ByteIndex()
  private var declarations: [Declaration] = []
  var conditions: [PendingCondition] = []
  let isItem: Bool
  /// The items of the list are values of the one setting that is declared here, which has no key.
  let isPlain: Bool

  init(isItem: Bool, isPlain: Bool = false) {
    self.isItem = isItem
    self.isPlain = isPlain
  }

  func declaration(of key: String) -> Declaration? {
    numbers.number(of: key).map { declarations[$0] }
  }

  /// Declares a key or alias; returns the earlier declaration, which stays, if there is one.
  func declare(_ key: String, _ declaration: Declaration) -> Declaration? {
    let (number, isNew) = numbers.insert(key)
    guard isNew else { return declarations[number] }
    declarations.append(declaration)
    return nil
  }
}
