// A kiosk with a login of its own: login STORE [--script]
//
// The person is asked at the terminal, in place of a dialog. The user is "ada", the password "lovelace": a wrong one is told, and
// asked for again. What she has set lies in the layer `session`, and goes when she logs out. With --script it answers itself.
import LiveryClient
import LiveryUserSession
import LiveryWorkflow
import Synchronization

struct User: Codable, Sendable { var name: String }

/// Shows the prompt.
final class Login: LoginPrompt {
  private let script: Mutex<[String]>

  init(_ script: [String]) {
    self.script = Mutex(script)
  }

  func present(_ prompt: ShownPrompt) throws(StoreError) { try ask(prompt) }

  private func ask(_ prompt: ShownPrompt) throws(StoreError) {
    guard let password = script.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) ?? typed() else {
      return try prompt.dismiss()
    }
    try prompt.answer(.object([.init("user", .string("ada")), .init("password", .string(password))])) {
      (error, retry) in
      if let error { print("told: \(error.message)") }
      if retry { try? self.ask(prompt) }
    }
  }

  private func typed() -> String? {
    print("password of ada: ", terminator: "")
    return readLine()
  }

  func dismiss(_ prompt: ShownPrompt, reason: StoreError?) {}
}

let words = CommandLine.arguments
guard words.count >= 2 else { fatalError("login STORE [--script]") }
var options = Store.Options()
options.create = true
let store = try Store(path: words[1], options: options)
let session = UserSession<User>(store)
try await session.bootstrap()

let provision = try store.provide(login: Login(words.contains("--script") ? ["byron", "lovelace"] : []))
// A real kiosk asks its server.
let answer = try await store.prompt("login") { (answer) in
  answer["password"]?.text == "lovelace" ? .accept : .reject("User or password is wrong")
}
provision.cancel()

try session.login(User(name: "Ada"), token: "eyJhZGEi")
try store.set("theme", to: .string("dark"), in: .session)
print("\(try session.current()?.name ?? "somebody") is logged in, the theme is \(try store.string("theme"))")
try session.logout()
print("nobody is logged in, and \(try store.valueIfAny("theme") == nil ? "there is no theme" : "the theme is left")")
store.close()
