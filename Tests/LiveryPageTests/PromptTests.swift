import LiveryClient
import Testing

@testable import LiveryHTTP
@testable import LiveryPage

/// Prompts at the page. Tests/Page asks for them in a browser.
@Suite struct PromptTests {
  @Test func aPageShowsPromptsWhereTheirLibraryIs() throws {
    var memory = Store.Options()
    memory.inMemory = true
    let store = try Store(path: "", options: memory)
    defer { store.close() }
    var options = SettingsPage.Options()
    options.showsPrompts = true
    do throws(StoreError) {
      let page = try SettingsPage(store, options: options)
      #expect(try page.address().hasPrefix("http://127.0.0.1:"))
      page.stop()
    } catch {
      #expect(error.code == .unavailable)
      #expect(error.message.contains("liblivery-workflow.so"))
    }
  }

  private func element(_ kind: Element.Kind, _ name: String) -> Element {
    let element = Element(kind: kind)
    element.name = name
    return element
  }

  @Test func anAnswerHasWhatWasTyped() throws {
    let form = [
      element(.text, "user"), element(.secret, "password"), element(.url, "server"), element(.toggle, "stay"),
    ]
    var fields = Fields()
    fields.all = [("n:", "1"), ("m:0.0", ""), ("m:0.1", "secret"), ("m:0.2", ""), ("m:0.3", "1")].map {
      (name: $0.0, value: $0.1)
    }
    let entry = ListEntry(form, FieldTable(fields))
    #expect(entry.isWhole)
    #expect(
      entry.answer
        == .object([.init("user", .string("")), .init("password", .string("secret")), .init("stay", .bool(true))])
    )
    #expect(entry.withoutSecrets.answer == .object([.init("user", .string("")), .init("stay", .bool(true))]))
  }

  @Test func aKindWithoutFormTakesAText() {
    var fields = Fields()
    fields.all = [(name: "n:", value: "1"), (name: "m:0.0", value: "black")]
    #expect(ListEntry([element(.text, "")], FieldTable(fields)).answer == .string("black"))
  }
}
