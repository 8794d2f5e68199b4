/// What people had set that went in one commit in favour of a value in a layer beneath.
struct Replacements {
  private var names = ByteIndex()
  /// By the number of a name: what was taken away from people, and the layers beneath that were set.
  private var removed: [[LogEntry.Edit]] = []
  private var set: [LayerSet] = []

  init(_ entry: LogEntry) {
    for edit in entry.edits where edit.left == 0 && edit.layer.isOfPeople {
      // What expires in a commit is not replaced by it.
      guard edit.oldExpires.map({ $0 > entry.time }) ?? true else { continue }
      let (number, isNew) = names.insert(edit.name)
      if isNew {
        removed.append([])
        set.append(.none)
      }
      removed[number].append(edit)
    }
    guard !removed.isEmpty else { return }
    for edit in entry.edits where edit.left != 0 && edit.layer < .user {
      if let number = names.number(of: edit.name) { set[number].insert(edit.layer) }
    }
  }

  /// - Parameter layer: the one whose value came in their place.
  func edits(of name: String, by layer: Layer) -> [LogEntry.Edit] {
    guard let number = names.number(of: name), set[number].contains(layer) else { return [] }
    return removed[number]
  }
}
