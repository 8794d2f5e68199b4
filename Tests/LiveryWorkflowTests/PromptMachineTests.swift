import Glibc
import LiveryClient
import Testing

@testable import LiveryWorkflow

/// A small generator of numbers with a seed (SplitMix64).
private struct Chance {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(bound))
  }
}

/// A request, its requester and its providers, whose messages a scheduler delivers in any order that connections allow: those of
/// one connection stay in theirs.
private struct World {
  enum Letter {
    case ask, verdict(isGood: Bool, retry: Bool), end
    case took, declined, failed, answer, dismissed, eof
  }

  struct Provider {
    var inbox: [Letter] = []
    /// On its way to the requester.
    var outbox: [Letter] = []
    var isAlive = true
    var isAsked = false
    var isShown = false
    var hasAnswer = false
    var hasEnded = false
    var asks = 0
    var ends = 0
    var answers = 0
    var verdicts = 0
  }

  private static let answer = Value.string("x")
  private static let error = StoreError(.refused, "no")

  var machine: PromptMachine
  var providers: [Provider]
  var chance: Chance
  let isOptional: Bool
  var finishes: [PromptMachine.Outcome] = []
  var isDeciding = false
  var delivered = 0
  var accepted = 0
  var hasStarted = false
  var problems: [String] = []

  init(seed: UInt64) {
    chance = Chance(state: seed)
    let count = chance.next(4)
    isOptional = chance.next(2) == 0
    providers = Array(repeating: Provider(), count: count)
    machine = PromptMachine(
      count: count, fallback: isOptional ? Self.answer : nil, unavailable: StoreError(.unavailable, "nobody"))
  }

  mutating func check(_ condition: Bool, _ what: String) {
    if !condition { problems.append(what) }
  }

  mutating func feed(_ event: PromptMachine.Event) {
    for action in machine.handle(event) {
      check(finishes.isEmpty, "nothing happens after the end")
      switch action {
      case .ask(let place):
        providers[place].asks += 1
        if providers[place].isAlive {
          providers[place].inbox.append(.ask)
        } else {
          providers[place].outbox.append(.eof)
        }
      case .deliver:
        delivered += 1
        isDeciding = true
      case .tell(let place, let error, let retry):
        check(providers[place].ends == 0, "who has ended is told nothing")
        providers[place].inbox.append(.verdict(isGood: error == nil, retry: retry))
      case .end(let place, _):
        providers[place].ends += 1
        providers[place].inbox.append(.end)
        // The connection is closed: what is on its way is not read.
        providers[place].outbox = []
      case .finish(let outcome):
        isDeciding = false
        finishes.append(outcome)
      }
    }
  }

  /// One step of somebody; false if nobody can do anything but wait.
  mutating func step() -> Bool {
    var choices: [Int] = []
    if !hasStarted { choices.append(0) }
    if isDeciding { choices += [1, 1] }
    for place in providers.indices {
      if !providers[place].inbox.isEmpty { choices += [10 + place, 10 + place] }
      if !providers[place].outbox.isEmpty { choices += [20 + place, 20 + place] }
      if providers[place].isShown && !providers[place].hasEnded && providers[place].isAlive {
        choices.append(30 + place)
      }
    }
    let isStuck = choices.isEmpty
    // Rare: cancel, time out, close, death, impatience.
    if isStuck || chance.next(12) == 0 {
      choices = [2, 3, 4] + providers.indices.map { 40 + $0 } + providers.indices.map { 50 + $0 }
    }
    let choice = choices[chance.next(choices.count)]
    let place = choice % 10
    switch choice {
    case 0:
      hasStarted = true
      feed(.started)
    case 1:
      isDeciding = false
      let way = chance.next(3)
      if way == 0 { accepted += 1 }
      feed(way == 0 ? .accepted : .rejected(Self.error, retry: way == 1))
    case 2: feed(.cancelled(Self.error))
    case 3: feed(.timedOut)
    case 4: feed(.closed)
    case 10..<20: receive(place)
    case 20..<30:
      switch providers[place].outbox.removeFirst() {
      case .took: feed(.took(place))
      case .declined: feed(.declined(place))
      case .failed: feed(.failed(place, Self.error))
      case .answer: feed(.answered(place, Self.answer))
      case .dismissed: feed(.dismissed(place))
      default: feed(.lost(place, Self.error))
      }
    case 30..<40: act(place)
    case 40..<50:
      guard providers[place].isAlive else { break }
      providers[place].isAlive = false
      providers[place].inbox = []
      if providers[place].isAsked, providers[place].ends == 0 { providers[place].outbox.append(.eof) }
      if providers[place].asks > 0, !providers[place].isAsked, providers[place].ends == 0 {
        providers[place].outbox = [.eof]
      }
    default: if providers[place].asks > 0 { feed(.lost(place, Self.error)) }
    }
    return finishes.isEmpty || !isStuck
  }

  private mutating func receive(_ place: Int) {
    let letter = providers[place].inbox.removeFirst()
    guard providers[place].isAlive else { return }
    switch letter {
    case .ask:
      providers[place].isAsked = true
      let way = chance.next(6)
      if way == 0 { return send(.declined, place) }
      if way == 1 { return send(.failed, place) }
      providers[place].isShown = true
      // It may answer before it says that it is shown.
      if way == 2 { act(place) }
      send(.took, place)
    case .verdict(_, let retry):
      providers[place].verdicts += 1
      check(providers[place].verdicts <= providers[place].answers, "an answer has one verdict")
      providers[place].hasAnswer = false
      if !retry { providers[place].isShown = false }
    case .end:
      check(!providers[place].hasEnded, "it ends once")
      providers[place].hasEnded = true
    default: break
    }
  }

  private mutating func act(_ place: Int) {
    if chance.next(4) == 0 { return send(.dismissed, place) }
    guard !providers[place].hasAnswer else { return }
    providers[place].hasAnswer = true
    providers[place].answers += 1
    send(.answer, place)
  }

  private mutating func send(_ letter: Letter, _ place: Int) {
    if providers[place].ends == 0 { providers[place].outbox.append(letter) }
  }

  mutating func run() {
    var steps = 0
    while step() {
      steps += 1
      if steps > 400 { break }
    }
    if finishes.isEmpty { feed(.timedOut) }
    // Whatever comes late changes nothing.
    for place in providers.indices {
      feed(.answered(place, Self.answer))
      feed(.took(place))
      feed(.dismissed(place))
      feed(.lost(place, Self.error))
    }
    feed(.accepted)
    feed(.cancelled(Self.error))
    check(finishes.count == 1, "there is one end: \(finishes.count)")
    for provider in providers {
      check(provider.asks <= 1, "each is asked once at most")
      check(provider.ends == provider.asks, "who is asked is ended once")
    }
    switch finishes.first {
    case .completed(_, let byDefault)?:
      check(byDefault ? isOptional : accepted > 0, "an answer is somebody's, or the default")
    default: break
    }
  }
}

@Suite struct PromptMachineTests {
  /// `LIVERY_PROMPT_SEEDS` has more of them.
  @Test func whateverTheOrderThereIsOneEndAndEachProviderIsEndedOnce() {
    let count = getenv("LIVERY_PROMPT_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 20_000
    let first = getenv("LIVERY_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    var ends = [0, 0, 0, 0, 0]
    for seed in first..<(first + count) {
      var world = World(seed: seed &* 0x2545_F491_4F6C_DD1D)
      world.run()
      for problem in world.problems { Issue.record("seed \(seed): \(problem)") }
      if !world.problems.isEmpty { return }
      switch world.finishes.first {
      case .completed(_, false)?: ends[0] += 1
      case .completed(_, true)?: ends[1] += 1
      case .failed?: ends[2] += 1
      case .dismissed?: ends[3] += 1
      default: ends[4] += 1
      }
    }
    // The scheduler reaches all of them.
    for end in ends { #expect(end > Int(count) / 200) }
  }

  private func machine(_ count: Int, fallback: Value? = nil) -> PromptMachine {
    PromptMachine(count: count, fallback: fallback, unavailable: StoreError(.unavailable, "nobody"))
  }

  @Test func anAnswerCountsThatCameBeforeItWasSaidToBeShown() {
    var machine = machine(1)
    _ = machine.handle(.started)
    #expect(machine.handle(.answered(0, .bool(true))).count == 1)
    #expect(machine.handle(.took(0)).isEmpty)
    #expect(machine.handle(.accepted).count == 3)
    #expect(machine.isOver)
  }

  @Test func anAnswerCountsWhoseProviderHasEnded() {
    var machine = machine(1)
    _ = machine.handle(.started)
    _ = machine.handle(.took(0))
    _ = machine.handle(.answered(0, .int(1)))
    _ = machine.handle(.lost(0, StoreError(.unavailable, "gone")))
    guard case .finish(.completed(.int(1), byDefault: false))? = machine.handle(.accepted).last else {
      Issue.record("it is not completed")
      return
    }
  }

  @Test func whoIsLostBeforeItShowsItLeavesTheDefault() {
    var machine = machine(1, fallback: .int(7))
    _ = machine.handle(.started)
    guard
      case .finish(.completed(.int(7), byDefault: true))? = machine.handle(.lost(0, StoreError(.unavailable, "gone")))
        .last
    else {
      Issue.record("it is not the default")
      return
    }
  }
}
