// Several brands in one store, one of them active.

extension StoreBranding {
  /// The identifier of the brand that is active; nil if none is.
  ///
  /// Corresponds to `livery_branding_active` in C.
  public func active() throws(StoreError) -> String? {
    try store.reading { (snapshot) throws(StoreError) in try SourceState(snapshot, .bundle).active }
  }

  /// Makes another brand the active one, as one commit: every reader sees all of the old one or all of the new one.
  ///
  /// Corresponds to `livery_branding_use` in C.
  ///
  /// - Parameter trial: how long it is on trial: see `ChangeSet.setTrial(_:)`.
  /// - Throws: `.notFound` with the nearest names if there is no such brand; and as `ChangeSet.commit`.
  public func use(_ brand: String, trial: Duration? = nil) throws(StoreError) {
    try checkBrand(brand)
    try edit(.bundle, trial) { (editor) throws(StoreError) in
      if editor.state.isActive(brand) { return }
      let next = try editor.state.found(brand)
      let past = try editor.state.past(brand)
      try editor.setAside()
      try editor.install(next, as: brand, past: past)
    }
  }

  /// Removes a brand, and commits; if it is the active one no brand is active afterwards.
  ///
  /// Corresponds to `livery_branding_remove` in C.
  ///
  /// - Throws: as `use(_:)`.
  public func remove(_ brand: String) throws(StoreError) {
    try checkBrand(brand)
    try edit(.bundle) { (editor) throws(StoreError) in
      guard editor.state.isActive(brand) else {
        _ = try editor.state.found(brand)
        return try editor.reset(BrandNames.kept + brand)
      }
      for name in try editor.state.names(Branding.prefix) { try editor.reset(name) }
      for name in [BrandNames.kept + brand, BrandNames.active, BrandNames.enabled(.bundle), BrandNames.dialect] {
        try editor.reset(name)
      }
    }
  }

  /// All brands in the order of their identifiers: a list of objects `id`, `active`, `enabled`, `name` and `identifier` if
  /// they have them, and `twins` if others are like them in what tells brands apart: a list of objects `brand`, `part`.
  ///
  /// Corresponds to `livery_branding_list` in C.
  public func list() throws(StoreError) -> Value {
    try store.reading { (snapshot) throws(StoreError) in
      let state = try SourceState(snapshot, .bundle)
      var items: [Value] = []
      let twins = try BrandTwins(state)
      for id in try state.ids() {
        let isActive = state.isActive(id)
        guard let brand = isActive ? try state.current() : try state.kept(id) else { continue }
        var members: [Value.Member] = [
          .init("id", .string(id)), .init("active", .bool(isActive)), .init("enabled", .bool(brand.isEnabled)),
        ]
        for name in ["name", "identifier"] {
          if let value = brand[name] { members.append(.init(name, value)) }
        }
        let others = twins.all(of: id).map { twin in
          Value.object([.init("brand", .string(twin.other)), .init("part", .string(twin.part))])
        }
        if !others.isEmpty { members.append(.init("twins", .list(others))) }
        items.append(.object(members))
      }
      return .list(items)
    }
  }

  /// One brand whole, whether it is active or not: an object `id`, `active`, `enabled`, `name`, `identifier`, `dialect`, and
  /// the objects `colors`, `images`, `urls`, `files`, `options` and `gradients`.
  ///
  /// Corresponds to `livery_branding_get` in C.
  ///
  /// - Parameter brand: nil for what is in effect, of all sources; there are then no `id`, `active` and `enabled`.
  /// - Throws: `.notFound` with the nearest names if there is no such brand.
  public func show(_ brand: String? = nil) throws(StoreError) -> Value {
    guard let brand else {
      let effective = try store.reading { (snapshot) throws(StoreError) in try snapshot.effectiveBrand() }
      return .object(effective.description(withSwitch: false))
    }
    try checkBrand(brand)
    return try store.reading { (snapshot) throws(StoreError) in
      let state = try SourceState(snapshot, .bundle)
      let found = try state.found(brand)
      return .object(
        [.init("id", .string(brand)), .init("active", .bool(state.isActive(brand)))]
          + found.description(withSwitch: true))
    }
  }

  /// Looks for what makes a brand hard to read or incomplete.
  ///
  /// Corresponds to `livery_branding_check` in C, where the members of the report are described.
  ///
  /// - Parameters:
  ///   - brand: nil for what is in effect.
  ///   - device: one that images have to be large enough for.
  /// - Throws: `.notFound` if there is no such brand, `.corrupt`.
  public func check(_ brand: String? = nil, for device: Traits? = nil) throws(StoreError) -> Value {
    try device?.check()
    if let brand { try checkBrand(brand) }
    return try store.reading { (snapshot) throws(StoreError) in
      let state = try SourceState(snapshot, .bundle)
      let twins = try BrandTwins(state)
      let subject = if let brand { try state.found(brand) } else { try snapshot.effectiveBrand() }
      let shipped = brand == nil && state.now.counts ? try state.current() : nil
      return BrandCheck(
        subject, shipped: shipped, for: device, images: try snapshot.images(BrandCheck.references(subject)),
        twins: brand.map { twins.all(of: $0) } ?? twins.all
      ).report
    }
  }
}

extension Snapshot {
  /// What is in effect, of all sources.
  fileprivate func effectiveBrand() throws(StoreError) -> Brand {
    var brand = Brand()
    let skipped = Branding.prefix.utf8.count
    try read { (view) throws(StoreError) in
      try view.walkEffective(prefix: Branding.prefix) { (name, record) throws(StoreError) in
        let record = try view.current(record, name, at: time)
        guard Branding.has(Branding.prefix, name), let value = record.value, !value.isSealed,
          try view.admission(name).counts
        else {
          return true
        }
        brand.values.append(.init(String(decoding: name.utf8.dropFirst(skipped), as: UTF8.self), value))
        return true
      }
    }
    return brand
  }

  /// Those of some images that the store holds, each once.
  fileprivate func images(_ references: [String]) throws(StoreError) -> [StoredImage] {
    try read { (view) throws(StoreError) in try view.images(references, [], []) }
  }
}

extension View {
  /// Those of some images that the store holds, or is about to hold, each once.
  fileprivate func images(
    _ references: [String], _ assets: [NewAsset], _ facts: [AssetFact]
  ) throws(StoreError) -> [StoredImage] {
    var known = NameSet()
    var images: [StoredImage] = []
    for reference in references where known.insert(reference).isNew {
      guard BrandCheck.isAsset(reference), let key = try? Asset.requiredKey(of: reference) else { continue }
      var found = assets.first { $0.key == key }?.facts
      if found == nil { found = (try? asset(key))?.facts }
      guard let found else { continue }
      var kept = facts.last { $0.key == key && $0.name.sameBytes(as: Legibility.name) }?.bytes
      if kept == nil { kept = try? fact(key, Legibility.name) }
      images.append(
        StoredImage(
          id: reference, width: Int(found.width), height: Int(found.height), legibility: kept.flatMap { Legibility($0) }
        ))
    }
    return images
  }
}

extension ChangeSet {
  /// What the brand in effect would be if this were committed now, as `StoreBranding.show` tells of it, and what
  /// `StoreBranding.check` would find. Corresponds to `livery_branding_preview` in C.
  ///
  /// - Parameter device: one that images have to be large enough for.
  /// - Throws: `.typeMismatch`, `.invalidValue` if a value that was set does not fit; `.corrupt`.
  public func brand(for device: Traits? = nil) throws(StoreError) -> (brand: Value, report: Value) {
    try device?.check()
    return try preview { (preview) throws(StoreError) in
      var brand = Brand()
      for member in try preview.values(Branding.prefix) where Branding.has(Branding.prefix, member.key) {
        brand.values.append(
          .init(String(decoding: member.key.utf8.dropFirst(Branding.prefix.utf8.count), as: UTF8.self), member.value))
      }
      let state = try SourceState(preview, .bundle)
      let images = try preview.view.images(BrandCheck.references(brand), preview.assets, preview.facts)
      let check = BrandCheck(
        brand, shipped: state.now.counts ? try state.current() : nil, for: device, images: images,
        twins: try BrandTwins(state).all)
      return (.object(brand.description(withSwitch: false)), check.report)
    }
  }
}
