import LiveryClient
import Synchronization
import Testing

@testable import LiveryWorkflow

/// Answers with one password after the other.
private final class Door: LoginPrompt {
  private let left: Mutex<[String]>
  let dismissed = Mutex<[Bool]>([])

  init(_ passwords: String...) {
    left = Mutex(passwords)
  }

  func present(_ prompt: ShownPrompt) throws(StoreError) { try answer(prompt) }

  private func answer(_ prompt: ShownPrompt) throws(StoreError) {
    let password = left.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let password else { return try prompt.dismiss() }
    try prompt.answer(.object([.init("user", .string("ada")), .init("password", .string(password))])) { (_, retry) in
      if retry { try? self.answer(prompt) }
    }
  }

  func dismiss(_ prompt: ShownPrompt, reason: StoreError?) { dismissed.withLock { $0.append(reason == nil) } }
}

@Suite struct StoreTests {
  private func made() throws -> Store {
    var options = Store.Options()
    options.inMemory = true
    return try Store(path: "", options: options)
  }

  @Test func aPromptIsShownRejectedAndAnsweredAgain() async throws {
    let store = try made()
    let door = Door("wrong", "right")
    let provision = try store.provide(login: door)
    let answer = try await store.prompt("login") { (answer) in
      answer["password"]?.text == "right" ? .accept : .reject("The password is wrong")
    }
    #expect(answer["password"]?.text == "right" && !answer.isDefault)
    let missing = try store.missingPrompts()
    #expect(missing.count == 13)
    provision.cancel()
    store.close()
    #expect(door.dismissed.withLock { $0 } == [true])
  }

  @Test func whatNobodyShowsFailsOrIsTheDefault() async throws {
    let store = try made()
    await #expect(throws: StoreError.self) { try await store.prompt("login") }
    let answer = try await store.prompt("revoked")
    #expect(answer.isDefault)
    #expect(throws: StoreError.self) { try store.popPrompt() }
  }

  @Test func aRequestGoesWithItsTaskAndWithItsTime() async throws {
    let store = try made()
    final class Waiting: PasscodePrompt {
      func present(_ prompt: ShownPrompt) throws(StoreError) {}
      func dismiss(_ prompt: ShownPrompt, reason: StoreError?) {}
    }
    let provision = try store.provide(passcode: Waiting())
    let task = Task { try await store.prompt("passcode") }
    task.cancel()
    await #expect(throws: StoreError.self) { try await task.value }
    var options = PromptOptions()
    options.timeout = .milliseconds(20)
    await #expect(throws: StoreError.self) { try await store.prompt("passcode", options: options) }
    provision.cancel()
  }
}
