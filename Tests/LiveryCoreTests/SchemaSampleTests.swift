import LiveryCore
import Testing

@Suite struct SchemaSampleTests {
  @Test(arguments: [1, 2, 3]) func sampleSchemasCompileWithoutDiagnostics(version: Int) throws {
    let compilation = try compileSchema(fixture("asm/SettingsSchema.v\(version).json"))
    #expect(compilation.diagnostics.map { "\($0.code) \($0.pointer) \($0.message)" } == [])
    let schema = try #require(compilation.schema)
    #expect(schema.version == Int64(version))
    #expect(schema.isOpen == false)
    #expect(schema.digest.count == 16)
    #expect(schema.migrations.map { $0.version } == [2, 3].filter { $0 <= version })
  }

  @Test func settingsComeInTheOrderOfTheDocument() throws {
    let schema = try schema(fixture("asm/SettingsSchema.v3.json"))
    #expect(
      schema.settings.map { $0.key } == [
        "adminPassword", "progressIndicator", "idleResetSeconds", "mediaUrl", "cacheKey", "screensaverPlaylist",
      ])
    #expect(schema.settings.map { $0.kind.description } == ["string", "bool", "int", "url", "bool", "list"])
    #expect(schema.settings[0].isSecret)
    #expect(schema.settings[3].group == "Home Screen › Media Settings")
    #expect(schema.settings[2].defaultValue == .int(120))
    #expect(schema.settings[5].defaultValue == .list([]))
    #expect(schema.settings[5].template.map { $0.key } == ["content", "cacheKey", "seconds"])
  }

  @Test func comboBoxIsAChoice() throws {
    let schema = try schema(fixture("asm/SettingsSchema.v1.json"))
    let duration = try #require(schema.settings.first { $0.key == "duration" })
    #expect(duration.kind == .choice)
    #expect(
      duration.options == [
        .init(title: "1 Minute", value: .string("1")), .init(title: "2 Minutes", value: .string("2")),
      ])
  }
}
