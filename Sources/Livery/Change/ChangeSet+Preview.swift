extension ChangeSet {
  /// What would be there if a change set were committed now, as of one moment. Of use as long as the call that it is made for.
  final class Preview {
    private let change: ChangeSet
    let view: View
    private let edited: [String]
    /// What the commit would store.
    let assets: [NewAsset]
    let facts: [AssetFact]

    init(_ change: ChangeSet, _ view: View, edited: [String], _ assets: [NewAsset], _ facts: [AssetFact]) {
      self.change = change
      self.view = view
      self.edited = edited
      self.assets = assets
      self.facts = facts
    }

    func record(_ name: String, in layer: Layer) throws(StoreError) -> Record? {
      try change.record(name, in: layer, view)
    }

    func names(in layer: Layer, matching pattern: NamePattern?) throws(StoreError) -> [String] {
      try change.names(in: layer, matching: pattern, view)
    }

    /// The settings that would be in effect and begin with a prefix, in the order of their names.
    func values(_ prefix: String) throws(StoreError) -> [Value.Member] {
      var names = NameSet()
      try view.walkEffective(prefix: prefix) { (name, _) throws(StoreError) in
        _ = names.insert(name)
        return true
      }
      for name in edited where name.utf8.starts(with: prefix.utf8) { _ = names.insert(name) }
      let all = names.names
      var values: [Value.Member] = []
      for place in sortedOrder(of: all.count, { all[$0].precedesInBytes(all[$1]) }) {
        do throws(StoreError) { values.append(.init(all[place], try change.value(all[place], view))) } catch {
          guard error.code == .notFound || error.code == .noValue || error.code == .unavailable else { throw error }
        }
      }
      return values
    }
  }
}
