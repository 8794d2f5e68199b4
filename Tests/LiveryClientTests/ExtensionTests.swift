import CLivery
import CTurn
import Foundation
import Livery
import LiveryClient
import Synchronization
import Testing

/// What extensions are made of, and one that is, in a process that has `import Livery` as well.
@Suite struct ExtensionTests {
  typealias StoreError = LiveryClient.StoreError
  let temporary = TemporaryStore()

  @Test func thereIsOneEngineInAProcess() throws {
    let client = try temporary.open()
    let events = Events()
    let watch = try client.observe { events.append($0) }
    // Two engines would exclude each other.
    let engine = try Livery.Store(path: temporary.path)
    try engine.set("x", to: .int(1), in: .user)
    #expect(try client.int("x") == 1)
    events.wait(1)
    try client.edit(.user) { (change) throws(StoreError) in try change.set("x", to: .int(2)) }
    #expect(try engine.int("x") == 2)
    // The check of the one holds for the other.
    try client.claim("kept.") { (_, _) throws(StoreError) in throw StoreError(.invalidValue, "never") }
    #expect(throws: Livery.StoreError.self) { try engine.set("kept.a", to: .int(1), in: .user) }
    watch.cancel()
    engine.close()
  }

  @Test func anErrorIsLeftWithAllThatIsKnownOfIt() throws {
    let store = try temporary.open(schema: kioskSchema)
    let status = boundary { () throws(StoreError) in _ = try store.int("idl") }
    #expect(status == StoreError.Code.notFound.rawValue)
    // The one of the store stays, with its setting.
    #expect(livery_last_error().pointee.setting.map { String(cString: $0) } == "idl")
    #expect(boundary { () throws(StoreError) in throw StoreError(.init(rawValue: -1001), "own\nline") } == -1001)
    #expect(String(cString: livery_last_error().pointee.message) == "own line")
    #expect(livery_last_error().pointee.setting == nil)
    #expect(boundary { () throws(StoreError) in } == 0)
    #expect(boundary { () throws(StoreError) in throw StoreError(.init(rawValue: 5), "none") } == -1)
  }

  @Test func whatComesFromCIsChecked() {
    #expect(code { () throws(StoreError) in _ = try required(nil as Int?, "x") } == .invalidArgument)
    #expect(code { () throws(StoreError) in _ = try argument(nil, "x", limit: 3) } == .invalidArgument)
    #expect(
      "abcd".withCString { text in code { () throws(StoreError) in _ = try argument(text, "x", limit: 3) } } != nil)
    #expect("abc".withCString { text in (try? argument(text, "x", limit: 3)) } == "abc")
    #expect(code { () throws(StoreError) in try checkFlags(5, known: 1, 2) } == .invalidArgument)
    #expect(code { () throws(StoreError) in try checkFlags(3, known: 1, 2) } == nil)
    var options = livery_turn_options()
    #expect((try? structure(nil, none: options))?.flags == 0)
    #expect(code { () throws(StoreError) in _ = try structure(&options, none: livery_turn_options()) } != nil)
    options.struct_size = MemoryLayout<livery_turn_options>.size
    options.flags = 1
    #expect((try? structure(&options, none: livery_turn_options()))?.flags == 1)
  }

  @Test func userDataIsLetGoOnce() {
    nonisolated(unsafe) var count = 0
    withUnsafeMutablePointer(to: &count) { place in
      let destroy: livery_destroy_fn = { $0?.assumingMemoryBound(to: Int.self).pointee += 1 }
      do {
        let data = UserData(place, destroy)
        #expect(data.pointer == UnsafeMutableRawPointer(place))
      }
      #expect(place.pointee == 1)
      let data = UserData(place, destroy)
      data.end()
      data.end()
    }
    #expect(count == 2)
  }

  @Test func handlesTellStaleAndForeignOnes() throws {
    final class Thing: Sendable {}
    let handles = Handles<Thing>(kind: 65, noun: "thing")
    let others = Handles<Thing>(kind: 66, noun: "other")
    let thing = Thing()
    let handle = try handles.insert(thing)
    #expect(try handles.find(handle) === thing)
    #expect(code { () throws(StoreError) in _ = try others.find(handle) } == .closed)
    #expect(code { () throws(StoreError) in _ = try handles.find(nil) } == .invalidArgument)
    handles.remove(handle)
    handles.remove(handle)
    handles.remove(nil)
    let stale = failure { () throws(StoreError) in _ = try handles.find(handle) }
    #expect(stale?.code == .closed && stale?.message.contains("thing") == true)
    // Its place is used again, under another number.
    let next = try handles.insert(Thing())
    #expect(next != handle)
    #expect(code { () throws(StoreError) in _ = try handles.find(handle) } == .closed)
    #expect(code { () throws(StoreError) in _ = try handles.find(OpaquePointer(bitPattern: 64)) } == .closed)
  }

  @Test func aCompletionRunsOnceWhoeverFinishes() throws {
    let store = try temporary.open()
    let told = Told()
    let completion = Completion<Int>(on: store) { told.append($0) }
    // Nothing is told before the caller has its handle.
    #expect(completion.finish(.success(1)))
    #expect(!completion.finish(.success(2)) && completion.isFinished)
    #expect(told.all.isEmpty)
    completion.begin()
    told.wait(1)
    #expect(try told.all[0].get() == 1)
    completion.fail(StoreError(.busy, "late"))

    let failed = Completion<Int>(on: store) { told.append($0) }
    failed.finish(.success(3))
    failed.fail(StoreError(.busy, "not started"))
    #expect(told.all.count == 2)
    #expect(code { () throws(StoreError) in _ = try told.all[1].get() } == .busy)

    let dispatched = Completion<Int>(on: store, dispatched: true) { told.append($0) }
    dispatched.begin()
    dispatched.finish(.success(4))
    #expect(told.all.count == 2)
    try store.dispatch()
    #expect(told.all.count == 3)

    // What is on its way when the store closes is told all the same, and so is what comes later.
    let closing = Completion<Int>(on: store, dispatched: true) { told.append($0) }
    closing.begin()
    closing.finish(.success(5))
    store.close()
    #expect(try told.all.count == 4 && told.all[3].get() == 5)
    let late = Completion<Int>(on: store) { told.append($0) }
    late.begin()
    late.finish(.success(6))
    #expect(try told.all.count == 5 && told.all[4].get() == 6)
  }

  @Test func aCompletionIsSettledByWhoeverCloses() throws {
    let store = try temporary.open()
    let told = Told()
    let over = Counter()
    func made() -> Completion<Int> {
      Completion(on: store, dispatched: true, over: { over.increase() }) { told.append($0) }
    }
    let early = made()
    early.settle(.success(1))
    #expect(told.all.isEmpty && early.isFinished)
    early.begin()
    try store.dispatch()
    #expect(try told.all.count == 1 && told.all[0].get() == 1)

    // What is under way ends here and now, what is on its way does not wait for its turn; both once.
    let open = made()
    open.begin()
    open.settle(.success(2))
    #expect(try told.all.count == 2 && told.all[1].get() == 2)
    #expect(!open.finish(.success(3)))
    let posted = made()
    posted.begin()
    posted.finish(.success(4))
    posted.settle(.success(5))
    #expect(try told.all.count == 3 && told.all[2].get() == 4)
    try store.dispatch()
    posted.settle(.success(6))
    #expect(told.all.count == 3)

    let dropped = made()
    dropped.drop()
    dropped.drop()
    dropped.begin()
    store.close()
    #expect(told.all.count == 3 && over.value == 4)
  }

  @Test func anExtensionOfThePackageStandsOnTheSameEngine() throws {
    let store = try Livery.Store(path: temporary.path, options: creating)
    let client = try temporary.open()
    let told = Counter()
    let done: livery_turn_fn = { _, _, data in Unmanaged<Counter>.fromOpaque(data!).takeUnretainedValue().increase() }
    let destroy: livery_destroy_fn = { data in Unmanaged<Counter>.fromOpaque(data!).release() }
    var turn: OpaquePointer?
    let status = livery_turn_start(
      client.handle, "till", "ada", nil, done, Unmanaged.passRetained(told).toOpaque(), destroy, &turn)
    #expect(status == 0)
    told.wait(1)
    #expect(try store.value("turn.till") == .list([.string("ada")]))
    #expect(livery_turn_cancel(turn) == 0)
    #expect(livery_turn_cancel(turn) == StoreError.Code.closed.rawValue)
    #expect(told.value == 1)
  }

  private var creating: Livery.Store.Options {
    var options = Livery.Store.Options()
    options.create = true
    return options
  }
}

private final class Told: Sendable {
  private let outcomes = Mutex<[Result<Int, LiveryClient.StoreError>]>([])

  var all: [Result<Int, LiveryClient.StoreError>] { outcomes.withLock { $0 } }

  func append(_ outcome: Result<Int, LiveryClient.StoreError>) { outcomes.withLock { $0.append(outcome) } }

  func wait(_ count: Int) {
    for _ in 0..<5000 where all.count < count { usleep(1000) }
  }
}
