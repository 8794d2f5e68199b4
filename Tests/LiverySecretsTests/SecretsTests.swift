import CSecrets
import LiveryClient
import Testing

@testable import LiverySecrets

@Suite struct SecretsTests {
  private static let first = "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
  private static let schema = Array(
    #"""
    {"Version": 1, "Groups": [{"Title": "All", "Settings": [
      {"Type": "TextField", "Title": "Password", "Key": "password", "Class": ["Password"]},
      {"Type": "TextField", "Title": "Note", "Key": "note"}]}]}
    """#.utf8)

  private func store(_ name: String) throws -> Store {
    var options = Store.Options()
    options.create = true
    options.inMemory = true
    let store = try Store(path: "/secrets-tests/\(name)", options: options)
    let outcome = store.applySchema(Self.schema)
    if let error = outcome.error { throw error }
    return store
  }

  private func source(_ text: String) -> KeySource {
    .function { (buffer) throws(StoreError) in
      buffer.copyBytes(from: Array(text.utf8))
      return text.utf8.count
    }
  }

  private func keys(_ text: String) -> Result<[String], StoreError> {
    Array(text.utf8).withUnsafeBytes { bytes in
      do throws(StoreError) { return .success(try KeyText.keys(in: bytes).map { $0.name }) } catch {
        return .failure(error)
      }
    }
  }

  @Test func aSecretIsReadAndSetAsEverWithTheKey() throws {
    let store = try store("sealed")
    let secrets = try Secrets.open(store, source(Self.first))
    try set(store, "one")
    #expect(try store.value("password") == .string("one"))
    #expect(try secrets.status()["sealed"] == .int(1))
    #expect(try secrets.status()["source"] == .string("function"))
    #expect(try secrets.rotate()["unavailable"]?.count == 0)
    secrets.close()
    #expect(code { try store.value("password") } == .unavailable)
    #expect(code { try set(store, "two") } == .unavailable)
    #expect(code { try secrets.status() } == .closed)
    _ = try store.sealing()
  }

  @Test func theTextOfKeysComesBackAsItWas() throws {
    #expect(lvk_begin())
    let made = try [Key.random(), Key.random(), Key.random()]
    let text = try KeyText.text(of: made) { String(decoding: $0, as: UTF8.self) }
    #expect(text.utf8.filter { $0 == 0x0a }.count == 3)
    #expect(try keys(text).get() == made.map { $0.name })
    #expect(try keys("# a comment\r\n\n" + text).get().count == 3)
  }

  @Test(arguments: [
    "", "\n", "# nothing", "livery-key-1", "livery-key-1 AAECAwQ=",
    "livery-key-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
    "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= x",
    "livery-key-1  AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGx-dHh8=", String(repeating: first, count: 9),
    String(repeating: "#", count: 5000),
  ])
  func whatIsNoKeyIsRefused(_ text: String) {
    guard case .failure(let error) = keys(text) else {
      Issue.record("taken: \(text)")
      return
    }
    #expect(error.code == .parse)
  }

  private func set(_ store: Store, _ text: String) throws {
    let change = try store.change(.user)
    try change.set("password", to: .string(text))
    try change.commit()
  }

  private func code(_ body: () throws -> Any) -> StoreError.Code? {
    do {
      _ = try body()
      return nil
    } catch { return (error as? StoreError)?.code }
  }
}
