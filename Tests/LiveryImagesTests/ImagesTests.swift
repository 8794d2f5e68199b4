import LiveryClient
import LiveryImages
import Testing

@Suite struct ImagesTests {
  private static let half = Array(
    ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="20" height="20" fill="#fff"/></svg>"##
      .utf8)
  private let white = Color(red: 1, green: 1, blue: 1)
  private let black = Color(red: 0, green: 0, blue: 0)

  private func store(_ name: String) throws -> Store {
    var options = Store.Options()
    options.create = true
    options.inMemory = true
    return try Store(path: "/images-tests/\(name)", options: options)
  }

  @Test func anImageIsJudgedWhenItIsPut() throws {
    let store = try store("put")
    let id = try store.images.put(Self.half)
    #expect(try store.images.illegibleShare(of: id, text: white, on: black) == 0.5)
    let left = Images.Area(x: 0, y: 0, width: 0.4, height: 1)
    #expect(try store.images.illegibleShare(of: id, text: white, on: black, in: [left]) == 1)
    #expect(try store.images.illegibleShare(of: id, text: white, on: black, required: 1) == 0)
  }

  @Test func anImageComesWithTheSettingThatShowsIt() throws {
    let store = try store("change")
    let change = try store.change(.bundle)
    let id = try change.putImage(Self.half)
    try change.set("branding.image.background", to: .image(id))
    try change.commit()
    #expect(try store.images.illegibleShare(of: id, text: black, on: white) == 0)
  }

  @Test func whatWasStoredWithoutItIsJudgedLater() throws {
    let store = try store("judge")
    let id = try store.assets.put(Self.half)
    #expect(throws: StoreError.self) { try store.images.illegibleShare(of: id, text: white, on: black) }
    #expect(try store.images.judge().judged == 1)
    #expect(try store.images.judge(id).known == 1)
    #expect(try store.images.judge(again: true).judged == 1)
  }

  @Test func whatIsRefusedSaysWhy() throws {
    let store = try store("refused")
    let broken = Array("<svg xmlns=\"http://www.w3.org/2000/svg\"><rect".utf8)
    do {
      try store.images.put(broken)
      Issue.record("it was stored")
    } catch {
      #expect(error.code == .parse)
    }
    let id = try store.images.put(broken, allowsAny: true)
    let report = try store.images.judge(again: true)
    #expect(report.refused.first?.id == id && report.refused.first?.isFinal == true)
  }
}
