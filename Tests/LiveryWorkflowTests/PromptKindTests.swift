import LiveryClient
import Testing

@testable import LiveryWorkflow

@Suite struct PromptKindTests {
  @Test func nineKindsAreRequiredAndFiveHaveADefault() {
    #expect(PromptKind.all.filter { $0.fallback == nil }.count == 9)
    #expect(PromptKind.all.filter { $0.fallback != nil }.count == 5)
  }
}
