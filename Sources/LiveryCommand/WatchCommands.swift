import CSystem
import Livery

/// `livery watch`
func watch(_ context: Context) throws(StoreError) {
  let count = try context.number("count")
  if count == 0 { throw StoreError(.usage, "--count takes a number from 1") }
  // Before there is another thread: it inherits what is blocked.
  let signals = lvs_signals_catch()
  guard signals >= 0 else { throw StoreError(.io, "signals cannot be caught", systemError: lvs_errno()) }

  // What expires meanwhile is over for everybody, which is a commit; where that is not allowed it is only told.
  let store: Store
  do throws(StoreError) { store = try context.open() } catch {
    guard error.code == .permission else { throw error }
    store = try context.open(readOnly: true)
  }
  let teller = ChangeTeller(context, store, signals, limit: count)
  try teller.learnSecrets()
  var options = WatchOptions()
  options.initial = context.arguments.has("initial")
  options.dispatched = true
  let observation = try store.observe(context.words.first, options: options) { teller.tell($0) }
  defer { observation.cancel() }
  let descriptor = try store.eventDescriptor()
  while !teller.isDone {
    let state = lvs_signals_wait(signals, descriptor)
    guard state >= 0 else { throw StoreError(.io, "waiting failed", systemError: lvs_errno()) }
    guard state > 0 else { return }
    if state == 2 { try store.requirePlace() } else { try store.dispatch() }
    if let failure = teller.failure { throw failure }
  }
}

/// Prints events, and runs a command for each. Used by the main thread alone.
private final class ChangeTeller: @unchecked Sendable {
  private let context: Context
  private let store: Store
  private let signals: Int32
  private var left: Int64?
  private var secrets: [String] = []
  private(set) var failure: StoreError?
  private(set) var isDone = false

  init(_ context: Context, _ store: Store, _ signals: Int32, limit: Int64?) {
    self.context = context
    self.store = store
    self.signals = signals
    left = limit
  }

  /// Which settings are secret now; they stay so when a later schema forgets them.
  func learnSecrets() throws(StoreError) {
    guard case .list(let items) = try store.list() else { return }
    for item in items where Masking.isSecret(item) { remember(item.text("name")) }
  }

  private func remember(_ name: String) {
    if !secrets.contains(where: { $0.sameBytes(as: name) }) { secrets.append(name) }
  }

  private func isSecret(_ event: Event) -> Bool {
    guard let name = event.name else { return false }
    if event.isSecret { remember(name) }
    return secrets.contains { $0.sameBytes(as: name) }
  }

  func tell(_ events: [Event]) {
    for event in events where !isDone {
      do throws(StoreError) {
        try tell(event)
      } catch {
        failure = error
        isDone = true
      }
    }
  }

  private func tell(_ event: Event) throws(StoreError) {
    if event.kind == .schema || event.kind == .resync { try learnSecrets() }
    let isHidden = isSecret(event) && !context.reveals
    let state = context.output.stream(line(event, isHidden), json: json(event, isHidden), unless: signals)
    guard state >= 0 else {
      throw StoreError(.io, "cannot write to standard output", systemError: lvs_errno())
    }
    if state == 0 {
      isDone = true
      return
    }
    if let command = context.arguments.value("exec") { try run(command, event, isHidden) }
    guard let left, event.kind != .initial else { return }
    self.left = left - 1
    if left <= 1 { isDone = true }
  }

  /// Time, name, from what to what, layer, origin.
  private func line(_ event: Event, _ isHidden: Bool) -> String {
    var parts = [context.output.style.dim(event.time.rfc3339)]
    if let name = event.name { parts.append(context.output.style.bold(truncated(name, to: 255))) }
    switch event.kind {
    case .schema: parts.append("a schema was applied")
    case .resync: parts.append("changes were missed")
    case .trial: parts.append("on trial")
    case .confirmed: parts.append("the trial was confirmed")
    case .reverted: parts.append("the trial went back")
    case .initial where isSealed(event): parts.append("sealed")
    case .initial: parts.append(shown(event.newValue, isHidden))
    case .writability: parts.append(event.isWritable ? "unlocked" : "locked")
    case .changed where isSealed(event), .expired where isSealed(event): parts.append("sealed")
    case .changed, .expired:
      parts.append("\(shown(event.oldValue, isHidden)) → \(shown(event.newValue, isHidden))")
    }
    if event.kind != .resync { parts.append(event.layer.description) }
    if event.kind == .expired { parts.append("expired") }
    if event.kind != .expired, !event.origin.isEmpty { parts.append(truncated(event.origin, to: 63)) }
    return parts.joined(separator: "  ")
  }

  private func json(_ event: Event, _ isHidden: Bool) -> Value {
    var members: [Value.Member] = [
      .init("revision", .int(Int64(clamping: event.revision))), .init("time", .date(event.time)),
      .init("kind", .string(event.kind.description)),
    ]
    if event.kind != .resync {
      members.append(.init("layer", .string(event.layer.description)))
      members.append(.init("origin", .string(event.origin)))
    }
    guard let name = event.name else { return .object(members) }
    members.append(.init("name", .string(name)))
    if let old = event.oldValue { members.append(.init("old", isHidden ? .string(mask) : old)) }
    if let new = event.newValue { members.append(.init("new", isHidden ? .string(mask) : new)) }
    members.append(.init("writable", .bool(event.isWritable)))
    if event.isUnavailable { members.append(.init("unavailable", .bool(true))) }
    if isHidden { members.append(.init("secret", .bool(true))) }
    return .object(members)
  }

  /// Runs a command with the event in its environment. That it fails is told, and changes nothing.
  private func run(_ command: String, _ event: Event, _ isHidden: Bool) throws(StoreError) {
    guard let shell = lvs_shell_make() else { throw StoreError(.io, "there is no memory for the environment") }
    defer { lvs_shell_free(shell) }
    let isSet =
      set(shell, "LIVERY_STORE", context.storePath) && set(shell, "LIVERY_KIND", event.kind.description)
      && set(shell, "LIVERY_NAME", event.name) && set(shell, "LIVERY_OLD", isHidden ? nil : event.oldValue)
      && set(shell, "LIVERY_NEW", isHidden ? nil : event.newValue)
      && set(shell, "LIVERY_LAYER", event.kind == .resync ? nil : event.layer.description)
      && set(shell, "LIVERY_ORIGIN", event.kind == .resync ? nil : event.origin)
      && set(shell, "LIVERY_REVISION", "\(event.revision)")
    guard isSet else { throw StoreError(.io, "there is no memory for the environment") }
    var isEnded = false
    let status = lvs_shell_run(shell, command, signals, &isEnded)
    guard status >= 0 else { throw StoreError(.io, "cannot run /bin/sh", systemError: lvs_errno()) }
    if status > 0, !isEnded {
      _ = Files.write("livery: `\(truncated(command, to: 80))` ended with status \(status)\n".bytes, to: 2)
    }
    if isEnded { isDone = true }
  }

  /// A value as `livery get` prints it. A variable cannot hold a NUL: such a text comes as JSON, and another variable says so.
  private func set(_ shell: OpaquePointer, _ name: String, _ value: Value?) -> Bool {
    let plain = value?.plain
    let isJSON = plain?.utf8.contains(0) == true
    return set(shell, name, isJSON ? value?.json() : plain) && set(shell, name + "_ENCODING", isJSON ? "json" : nil)
  }

  /// The system limits what one variable can hold; a longer value is left out, as one that is not there.
  private func set(_ shell: OpaquePointer, _ name: String, _ value: String?) -> Bool {
    guard let value, value.utf8.count <= 64 << 10 else { return lvs_shell_set(shell, name, nil) }
    return lvs_shell_set(shell, name, value)
  }
}

/// Whether nothing can be told of its values.
private func isSealed(_ event: Event) -> Bool {
  event.isUnavailable && event.oldValue == nil && event.newValue == nil
}

private func shown(_ value: Value?, _ isHidden: Bool) -> String {
  guard let value else { return "–" }
  return isHidden ? mask : truncated(value.brief, to: 60)
}
