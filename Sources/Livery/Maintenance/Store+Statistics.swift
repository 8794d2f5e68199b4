import CSystem
import LMDB

extension Store {
  /// Figures about the store: an object `path`, `id`, `format`, `revision`, `schemaVersion`, `settings`, `values` (an object
  /// by layer), `assets`, `fileBytes`, `usedBytes`, `mapBytes`, `readers`, `maxReaders`, `logBytes`, `maxLogBytes` (by the limits of
  /// this handle), `lmdb`, `databases` (by name an object `entries` and `bytes`), and if there are any `lastBackup` (as in `backups()`) and `recovery`: what is told of the
  /// last time that a damaged file was replaced. Corresponds to `livery_stats` in C.
  public func statistics() throws(StoreError) -> Value {
    try read { (view) throws(StoreError) in
      var counts = [Int64](repeating: 0, count: Layer.allCases.count)
      let settings = try view.walkPlaces { counts[Int($0.layer.rawValue)] += 1 }
      var layers: [Value.Member] = []
      for layer in Layer.allCases where counts[Int(layer.rawValue)] > 0 {
        layers.append(.init(layer.description, .int(counts[Int(layer.rawValue)])))
      }
      var assets = 0
      try view.walkAssets { (_, _, _) in assets += 1 }
      let facts = try shared.dataFacts()
      let information = shared.environment.information()
      let pageSize = try view.pageSize()
      func int(_ number: UInt64) -> Value { .int(Int64(clamping: number)) }
      var members: [Value.Member] = [
        .init("path", .string(shared.directory.path)), .init("id", .string(Hexadecimal.encode(try view.identifier()))),
        .init("format", int(try view.format() ?? 0)), .init("revision", int(try view.revision())),
        .init("schemaVersion", int(try view.schemaFacts().version)), .init("settings", .int(Int64(settings))),
        .init("values", .object(layers)), .init("assets", .int(Int64(assets))),
        .init("fileBytes", int(facts.allocated)),
        .init("usedBytes", int((information.lastPage + 1) * UInt64(pageSize))),
        .init("mapBytes", int(information.mapSize)), .init("readers", int(UInt64(information.readers))),
        .init("maxReaders", int(UInt64(information.maximumReaders))),
        .init("logBytes", .int(Int64(try view.statistics(view.databases.log).bytes) + Int64(try view.logTail().bytes))),
        .init("maxLogBytes", .int(Int64(try view.mostBytes(of: logLimits)))),
        .init("lmdb", .string(Environment.version)),
        .init("databases", try view.databaseFigures()),
      ]
      if case .list(let all) = try backups(), let last = all.first { members.append(.init("lastBackup", last)) }
      if let recovery = try view.recovery() { members.append(.init("recovery", recovery)) }
      return .object(members)
    }
  }
}

extension View {
  fileprivate func databaseFigures() throws(StoreError) -> Value {
    var members: [Value.Member] = []
    for (name, database) in databases.named {
      let figures = try statistics(database)
      members.append(
        .init(
          name,
          .object([
            .init("entries", .int(Int64(figures.entries))),
            .init("bytes", .int(Int64(figures.bytes))),
          ])))
    }
    return .object(members)
  }
}
