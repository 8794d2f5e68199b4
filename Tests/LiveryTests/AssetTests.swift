import LMDB
import Livery
import Testing

@Suite struct AssetTests {
  let temporary = TemporaryStore()
  let logo: [UInt8]
  let splash: [UInt8]

  init() throws {
    logo = try fixture("images/rgba.png")
    splash = try fixture("images/turned-6.jpg")
  }

  @Test func anAssetIsKeptUnderItsDigestWithItsFacts() throws {
    let store = try temporary.open()
    let asset = try store.assets.put(logo)
    #expect(asset.id == Hexadecimal.encode(SHA256.digest(logo)))
    #expect(asset.facts == ImageFacts(.png, width: 48, height: 64) && asset.size == logo.count)
    #expect(try store.assets.bytes(asset.id) == logo)
    #expect(try store.assets.info(asset.id) == asset)
    #expect(try store.assets.bytes(Hexadecimal.encode(SHA256.digest(logo), isUppercase: true)) == logo)
    let turned = try store.assets.put(splash).value
    #expect(turned["orientation"] == .int(6) && turned["width"] == .int(50) && turned["height"] == .int(34))
    #expect(turned.text("type") == "image/jpeg" && turned["bytes"] == .int(Int64(splash.count)))
    store.close()
    #expect(try temporary.open().assets.bytes(asset.id) == logo)
  }

  @Test func theSameBytesAreStoredOnce() throws {
    let store = try temporary.open()
    let large = logo + [UInt8](repeating: 7, count: 300_000)
    let first = try store.assets.put(large)
    let pages = try store.statistics()["usedBytes"]
    for _ in 0..<5 { #expect(try store.assets.put(large) == first) }
    #expect(try store.statistics()["usedBytes"] == pages)
    #expect(try store.assets.list().count == 1)
  }

  @Test func anAssetByItselfMakesNoRevisionAndNoEvent() throws {
    let store = try temporary.open()
    try store.set("a", to: .int(1), in: .user)
    try store.assets.put(logo)
    #expect(try store.revision() == 1)
    #expect(try store.history().count == 1)
  }

  @Test func whatIsNoImageIsRefusedUnlessAskedFor() throws {
    let store = try temporary.open()
    #expect(code { () throws(StoreError) in try store.assets.put("<html/>".bytes) } == .parse)
    #expect(code { () throws(StoreError) in try store.assets.put([]) } == .invalidValue)
    #expect(code { () throws(StoreError) in try store.assets.put([], allowsAny: true) } == .invalidValue)
    #expect(code { () throws(StoreError) in try store.assets.put(Array(logo[..<20])) } == .parse)
    // Known, and damaged: no option makes it sound.
    #expect(code { () throws(StoreError) in try store.assets.put(Array(logo[..<20]), allowsAny: true) } == .parse)
    let large = [UInt8](repeating: 1, count: Asset.maximumSize + 1)
    #expect(code { () throws(StoreError) in try store.assets.put(large, allowsAny: true) } == .invalidValue)
    #expect(try store.assets.list().count == 0)
    let font = try store.assets.put("not an image".bytes, allowsAny: true)
    #expect(font.value.text("type") == "application/octet-stream" && font.value["width"] == nil)
  }

  @Test func imagesAndColorsChangeInOneCommit() throws {
    let store = try temporary.open()
    let change = try store.change(.bundle)
    let asset = try change.put(logo)
    try change.put(logo)
    try change.set("branding.image.logo", to: asset.reference)
    try change.set("branding.color.Toolbar", to: .color(Color(red8: 1, green8: 2, blue8: 3)))
    #expect(code { () throws(StoreError) in _ = try store.assets.info(asset.id) } == .notFound)
    #expect(try change.commit() == 1)
    #expect(try store.value("branding.image.logo") == .image(asset.id))
    #expect(try store.assets.bytes(asset.id) == logo)
  }

  @Test func aRefusedCommitStoresNoAsset() throws {
    let store = try temporary.open(schema: kioskSchema)
    let change = try store.change(.user)
    let asset = try change.put(logo)
    try change.set("idle", to: .int(1))
    #expect(code { () throws(StoreError) in try change.commit() } == .invalidValue)
    #expect(code { () throws(StoreError) in _ = try store.assets.info(asset.id) } == .notFound)
    try change.set("idle", to: .int(100))
    try change.commit()
    #expect(try store.assets.bytes(asset.id) == logo)
    let discarded = try store.change(.user)
    let other = try discarded.put(splash)
    discarded.discard()
    #expect(code { () throws(StoreError) in _ = try store.assets.info(other.id) } == .notFound)
  }

  @Test func aSnapshotKeepsWhatIsRemovedMeanwhile() throws {
    let store = try temporary.open()
    let asset = try store.assets.put(logo)
    let snapshot = try store.snapshot()
    try store.assets.remove(asset.id)
    #expect(code { () throws(StoreError) in _ = try store.assets.bytes(asset.id) } == .notFound)
    for _ in 0..<20 { try store.assets.put(splash + [UInt8.random(in: 0...255)]) }
    #expect(try snapshot.withAsset(asset.id) { $0.withUnsafeBytes { Array($0) } } == logo)
    #expect(try snapshot.asset(asset.id).size == logo.count)
    snapshot.close()
    #expect(code { () throws(StoreError) in _ = try snapshot.asset(asset.id) } == .closed)
  }

  @Test func whatASettingRefersToIsNotRemoved() throws {
    let store = try temporary.open { $0.allowOverride = true }
    let asset = try store.assets.put(logo)
    try store.set("branding.logo", to: .list([.object([.init("image", .image(asset.id))])]), in: .recommended)
    do throws(StoreError) {
      try store.assets.remove(asset.id)
      Issue.record("removed")
    } catch {
      #expect(error.code == .conflict && error.setting == "branding.logo" && error.message.contains("recommended"))
    }
    let uses = try store.assets.list().items.first?["uses"]
    #expect(uses == .list([.string("branding.logo")]))
    try store.assets.remove(asset.id, force: true)
    #expect(code { () throws(StoreError) in try store.assets.remove(asset.id) } == .notFound)
    #expect(code { () throws(StoreError) in try store.assets.remove("logo.png") } == .invalidArgument)
  }

  @Test func collectingTakesWhatNothingRefersTo() throws {
    let store = try temporary.open()
    let used = try store.assets.put(logo)
    let text = try store.assets.put(splash)
    let undone = try store.assets.put(try fixture("images/still.gif"))
    let loose = try store.assets.put(try fixture("images/lossy.webp"))
    try store.set("image", to: used.reference, in: .bundle)
    try store.set("text", to: .string(text.id), in: .user)
    try store.set("undone", to: undone.reference, in: .user)
    try store.reset("undone", in: .user)

    var options = Assets.CollectOptions()
    options.dryRun = true
    let foreseen = try store.assets.collect(options)
    #expect(foreseen["removed"] == .list([.string(loose.id)]) && foreseen["kept"] == .int(3))
    options.dryRun = false
    options.minimumAge = 3600
    #expect(try store.assets.collect(options)["removed"]?.count == 0)
    #expect(try store.assets.collect() == foreseen)
    #expect(try store.assets.list().count == 3)
    // Undoing brings the value back, and its image is there.
    try store.undo(try store.revision())
    #expect(try store.value("undone") == undone.reference)
    try store.reset("undone", in: .user)
    options = Assets.CollectOptions()
    options.ignoresLog = true
    #expect(try store.assets.collect(options)["removed"] == .list([.string(undone.id)]))
    #expect(try store.assets.bytes(used.id) == logo)
    #expect(try store.assets.bytes(text.id) == splash)
  }

  @Test func valuesThatDoNotCountStillRefer() throws {
    let store = try temporary.open()
    let asset = try store.assets.put(logo)
    try store.set("gone", to: asset.reference, in: .user)
    let outcome = store.applySchema(kioskSchema.bytes)
    #expect(outcome.error == nil)
    var options = Assets.CollectOptions()
    options.ignoresLog = true
    #expect(try store.assets.collect(options)["removed"]?.count == 0)
  }

  @Test func aStoreGrowsBeyondItsMapWithItsAssets() throws {
    let store = try temporary.open { $0.mapSize = 1 << 20 }
    var ids: [String] = []
    for number in 0..<20 {
      ids.append(try store.assets.put(logo + [UInt8](repeating: UInt8(number), count: 200_000)).id)
    }
    for (number, id) in ids.enumerated() { #expect(try store.assets.bytes(id).last == UInt8(number)) }
    #expect(try store.assets.put([UInt8](repeating: 3, count: Asset.maximumSize), allowsAny: true).size == 1 << 26)
  }

  @Test(.onDisk) func aDamagedAssetIsCorruptAndIsMendedByTheSameBytes() throws {
    let asset: Asset
    do {
      let store = try temporary.open()
      asset = try store.assets.put(logo)
      store.close()
    }
    for place in [3, 9, 17, 45, 60] {
      try damage(asset, place)
      let store = try temporary.open()
      #expect(code { () throws(StoreError) in _ = try store.assets.bytes(asset.id) } == .corrupt)
      let isHeader = place < AssetHeader.length
      #expect(code { () throws(StoreError) in _ = try store.assets.info(asset.id) } == (isHeader ? .corrupt : nil))
      #expect(try store.assets.list().items.first?["damaged"] == (isHeader ? .bool(true) : nil))
      try store.assets.put(logo)
      #expect(try store.assets.bytes(asset.id) == logo)
      store.close()
    }
  }

  private func damage(_ asset: Asset, _ place: Int) throws {
    let environment = try Environment(path: temporary.path)
    defer { environment.close() }
    let key = try #require(Hexadecimal.decode(asset.id))
    try environment.write { (transaction) throws(StoreError) -> Environment.Outcome<Void> in
      do throws(LMDBError) {
        guard let assets = try transaction.database(named: "assets", create: false) else { return .abort(()) }
        var bytes = try transaction.withValue(for: key, in: assets) { stored -> [UInt8] in
          guard let stored else { return [] }
          return stored.array
        }
        bytes[place] ^= 0x10
        try transaction.put(bytes, for: key, in: assets)
      } catch { throw StoreError(error) }
      return .commit(())
    }
  }
}
