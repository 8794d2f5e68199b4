import CSystem
import LMDB

/// One schema against one store, inside a transaction. A plan and the upgrade itself are the same run; the upgrade then
/// stores what came of it.
struct SchemaApplication {
  let view: View
  let schema: Schema
  let origin: String
  let functions: MigrationRun.Functions
  var report: SchemaReport
  var logLimits = LogLimits(entries: 0, age: 0)
  /// For how many versions orphaned values are kept; 0 for ever.
  var orphanVersions: UInt64?
  let now = Timestamp.now
  let validator: SchemaValidator
  private var difference = SchemaDifference.none
  private var layers: [MigrationLayer] = []
  /// What is to be stored in the layers, nil for what goes; later ones count.
  private var writes: [(place: LayerKey, record: Record?)] = []
  /// Names with values that the schema does not declare.
  private var undeclared = NameSet()
  /// Those of them whose values do not count.
  var orphans = Orphans()

  init(
    _ view: View, _ schema: Schema, _ origin: String, _ report: SchemaReport,
    _ functions: @escaping MigrationRun.Functions
  ) {
    self.view = view
    self.schema = schema
    self.origin = origin
    self.report = report
    self.functions = functions
    validator = SchemaValidator(schema)
  }

  /// Finds what applying the schema would do, without doing it.
  mutating func plan() throws(StoreError) -> SchemaReport {
    guard try isNewer() else { return report }
    difference = try SchemaDifference(of: schema, in: view)
    report.added = difference.added
    report.removed = difference.removed
    report.changed = difference.changed
    try findDeclassified()
    try migrate()
    try revalidate()
    refuseDeclassification()
    return report
  }

  /// What the rules of versions say.
  private mutating func isNewer() throws(StoreError) -> Bool {
    let facts = try view.schemaFacts()
    report.previousVersion = facts.version
    if report.version < facts.version {
      report.refusal = StoreError(
        .schemaNewer,
        "the store's schema has version \(facts.version), which is newer than version \(report.version) given")
    } else if report.version == facts.version {
      report.isDrift = facts.digest != schema.digest
    }
    return report.version > facts.version
  }

  /// Does it, after a backup of a store that had a schema before.
  mutating func apply(
    _ backup: () throws(StoreError) -> String?
  ) throws(StoreError) -> Environment.Outcome<SchemaReport> {
    // What has not been confirmed is not carried over.
    if try isNewer(), let trial = try view.pendingTrial() {
      _ = try view.end(trial, confirms: false, origin: origin, logLimits)
    }
    report = try plan()
    guard report.refusal == nil, report.version > report.previousVersion else { return .abort(report) }
    if report.previousVersion > 0 { report.backup = try backup() }
    let holdsSecrets = schema.settings.contains { $0.holdsSecret }
    if holdsSecrets { lvs_memory_wipe() }
    let revision = try view.revision() + 1
    let claims = try view.claims()
    let secretsBefore = try secrets(among: report.changed + report.removed + report.added, claims)
    let touched = touchedNames()
    try difference.store(schema, in: view)
    try view.putSchema(
      SchemaFacts(
        version: report.version, isOpen: schema.isOpen, holdsSecrets: holdsSecrets, digest: schema.digest),
      text: schema.text)
    try view.putOrphans(orphans)
    var entry = LogEntry(revision: revision, time: now, layer: .defaults, origin: origin)
    entry.isSchema = true
    let changes = SettingChanges(writes)
    let defaults = difference.newDefaults(of: schema)
    try view.settle(
      touched, &entry, logLimits,
      isSecret: { name in
        secretsBefore.contains(name) || validator.declared(name)?.holdsSecret == true || claims.isSecret(name)
      }
    ) { (setting) throws(StoreError) in
      if let fresh = defaults.value(setting.name) {
        if let value = fresh {
          try setting.put(Record(value, layer: .defaults, revision: revision, time: now, origin: origin), view)
        } else if try setting.stored(.defaults, view).isThere {
          try setting.remove(.defaults, view)
        }
      }
      for number in changes.numbers(of: setting.name) {
        guard var record = writes[number].record else {
          try setting.remove(writes[number].place.layer, view)
          continue
        }
        if record.revision == 0 {
          record.revision = revision
          record.time = now
          record.origin = origin
        }
        // By its revision a value is told from any other that its layer has held.
        let former = try setting.stored(record.layer, view).record
        if let former, former.revision == record.revision, former.value != record.value { record.revision = revision }
        try setting.put(record, view)
      }
    }
    try view.forget(noLongerSecret: secretsBefore, &entry)
    try view.finish(entry, logLimits)
    report.hasSealed = try view.reseal(anew: false).leavesPlain
    report.isApplied = true
    return .commit(report)
  }

  private func secrets(among names: [String], _ claims: Claims) throws(StoreError) -> NameSet {
    var secrets = NameSet()
    for name in names where try view.isSecret(asDeclared: name, nil, claims) { secrets.insert(name) }
    return secrets
  }

  /// The names for which something else may be in effect afterwards.
  private func touchedNames() -> NameSet {
    var touched = NameSet()
    for names in [difference.removed, difference.oldAliases, difference.added, difference.changed] {
      for name in names { touched.insert(name) }
    }
    for setting in schema.settings {
      for alias in setting.aliases { touched.insert(alias) }
    }
    for write in writes { touched.insert(write.place.name) }
    for name in undeclared.names { touched.insert(name) }
    return touched
  }
}

/// Which of the values to be stored are of a setting, in their order.
private struct SettingChanges {
  private var names = ByteIndex()
  /// By the number of a name.
  private var all: [[Int]] = []

  init(_ writes: [(place: LayerKey, record: Record?)]) {
    for (index, write) in writes.enumerated() {
      let (number, isNew) = names.insert(write.place.name)
      if isNew { all.append([]) }
      all[number].append(index)
    }
  }

  func numbers(of name: String) -> [Int] { names.number(of: name).map { all[$0] } ?? [] }
}

// MARK: Values

extension SchemaApplication {
  /// Carries the migrations' steps out, beside the store.
  private mutating func migrate() throws(StoreError) {
    // What is set before the first schema has no version to come from.
    guard report.previousVersion > 0 else { return }
    var steps: [MigrationStep] = []
    for migration in schema.migrations where UInt64(clamping: migration.version) > report.previousVersion {
      steps += migration.steps
    }
    guard !steps.isEmpty else { return }
    let secrets = SecretNames(view, validator, try view.orphans(), try view.claims())
    for layer in Layer.allCases where layer != .defaults {
      layers.append(MigrationLayer(layer, source(layer, secrets)))
    }
    var run = MigrationRun(
      steps, on: layers, defaultValue: { [validator] path in validator.defaultValue(path) }, functions: functions)
    try run.run()
    report.steps = run.entries
    report.droppedSteps = run.dropped
    guard let failure = run.failure else { return }
    let more = run.failures > 1 ? " (and \(run.failures - 1) more)" : ""
    report.refusal = StoreError(.migration, failure.message + more, setting: failure.name)
  }

  /// A layer's values for the steps: what has expired does not count.
  private func source(_ layer: Layer, _ secrets: SecretNames) -> MigrationLayer.Source {
    let view = view
    let now = now
    return MigrationLayer.Source(
      record: { (name) throws(StoreError) in
        guard let record = try view.record(LayerKey(layer, name)), !record.hasExpired(at: now) else { return nil }
        if let value = record.value { _ = try view.requireOpen(value, name) }
        return record
      },
      isSecret: { (name) throws(StoreError) in try secrets.contains(name) },
      names: { () throws(StoreError) in
        var names: [String] = []
        try view.walkLayers(layer) { (place, record) throws(StoreError) in
          if !record.hasExpired(at: now) { names.append(place.name) }
        }
        return names
      })
  }

  /// Looks at every value that the layers will hold: those that do not satisfy their declaration are set aside, those that
  /// do again come back. A value of a type that changed stays as it was set; it is in effect converted, if nothing is lost
  /// by that.
  private mutating func revalidate() throws(StoreError) {
    let layers = layers
    var fresh: [(place: LayerKey, record: Record?)] = []
    var rejected: [Value] = []
    var undeclared = NameSet()
    let known = try view.orphans()
    let claims = try view.claims()
    var doomed: [LayerKey] = []
    var aliases = ByteIndex()
    for setting in schema.settings {
      for alias in setting.aliases { _ = aliases.insert(alias) }
    }
    func judge(_ record: Record, _ place: LayerKey, _ slot: MigrationLayer.Slot?) throws(StoreError) -> Record {
      var judged = record
      judged.isRejected = false
      // What has ended stays so.
      if !record.hasEndedWithBoot {
        let isVolatile = validator.declared(place.name)?.isVolatile == true
        if isVolatile != (record.boot != 0) { judged.boot = isVolatile ? Boot.present : 0 }
      }
      guard let value = record.value else { return judged }
      let isExposed = try declassifies(place.name, slot, known, claims)
      // Nobody here can tell whether it satisfies its declaration.
      if value.isSealed, validator.declared(place.name) != nil { return record }
      switch isExposed ? masked(place.name, value) : validator.validated(place.name, value) {
      case nil:
        undeclared.insert(place.name)
        let counts = schema.isOpen || claims.covers(place.name)
        if counts, aliases.number(of: place.name) == nil { break }
        // Who set it is known by the revision.
        let isNew = slot.map { $0.stored?.revision != $0.record?.revision } ?? false
        if try drops(value, place, known, isNew: isNew, slot?.isSecret == true) {
          doomed.append(place)
        }
      case .valid: break
      case .invalid(let violations):
        judged.isRejected = true
        rejected.append(
          .object([
            .init("name", .string(place.name)), .init("layer", .string(place.layer.description)),
            .init("message", .string(violations.first?.message ?? "")),
          ]))
      }
      return judged
    }
    try view.walkLayers(from: .bundle) { (place, record) throws(StoreError) in
      // The layers but `defaults`, in their order.
      let number = Int(place.layer.rawValue) - 1
      if layers.indices.contains(number), layers[number].slot(place.name)?.isChanged == true { return }
      let judged = try judge(record, place, nil)
      if judged.isRejected != record.isRejected || judged.boot != record.boot { fresh.append((place, judged)) }
    }
    for layer in layers {
      for slot in layer.slots where slot.isChanged {
        let place = LayerKey(layer.layer, slot.name)
        guard let record = slot.record else {
          if slot.stored != nil { fresh.append((place, nil)) }
          continue
        }
        let judged = try judge(record, place, slot)
        if judged != slot.stored || judged.expires != slot.stored?.expires { fresh.append((place, judged)) }
      }
    }
    for place in doomed { fresh.append((place, nil)) }
    self.undeclared = undeclared
    writes = fresh
    report.rejected = rejected
  }
}

/// Which names are declared secret, before or after, by a schema or by who has claimed them, or were when they were declared;
/// each is looked up once.
private final class SecretNames {
  private let view: View
  private let validator: SchemaValidator
  private let orphans: Orphans
  private let claims: Claims
  private var numbers = ByteIndex()
  private var flags: [Bool] = []

  init(_ view: View, _ validator: SchemaValidator, _ orphans: Orphans, _ claims: Claims) {
    self.view = view
    self.validator = validator
    self.orphans = orphans
    self.claims = claims
  }

  func contains(_ name: String) throws(StoreError) -> Bool {
    if let known = numbers.number(of: name) { return flags[known] }
    var isSecret = validator.declared(name)?.holdsSecret == true
    if !isSecret {
      if let descriptor = try view.descriptor(name) {
        isSecret = descriptor.holdsSecret
      } else {
        isSecret = claims.isSecret(name)
        if !isSecret { isSecret = try view.orphan(name, among: orphans)?.isSecret == true }
      }
    }
    _ = numbers.insert(name)
    flags.append(isSecret)
    return isSecret
  }
}
