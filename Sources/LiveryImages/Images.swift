import CLegibility
import CLivery
import LiveryClient

/// Images that text is shown on: they are decoded when they are stored, or later, and what legibility follows from is kept with
/// the asset. `livery/images.h` tells what is judged, and within which limits.
public struct Images: Sendable {
  let store: Store

  /// What became of a judgement of several images.
  public struct Report: Sendable {
    /// An image that was refused.
    public struct Refusal: Sendable {
      public var id: String
      public var reason: String
      /// Whether it will never be judged. False if it may be another time, as nothing drew SVG now, or the asset is damaged.
      public var isFinal: Bool
    }

    /// How many images were judged now, and how many had been before.
    public var judged = 0
    public var known = 0
    public var refused: [Refusal] = []
  }

  /// A part of an image that text lies on, in fractions of its sides as shown.
  public struct Area: Sendable {
    public var x, y, width, height: Double
    /// How much it counts for its size.
    public var weight: Double

    public init(x: Double, y: Double, width: Double, height: Double, weight: Double = 1) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
      self.weight = weight
    }
  }

  /// Stores an image and what legibility follows from, in one commit. Corresponds to `livery_images_put` in C.
  ///
  /// - Parameter allowsAny: store images, too, that cannot be judged.
  /// - Returns: the asset's id.
  /// - Throws: `.parse` with the reason, `.invalidValue`, `.imagesUnavailable`, `.noMemory`; as `ChangeSet.commit()`.
  @discardableResult
  public func put(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> String {
    let change = try store.change(.user)
    let id = try change.putImage(bytes, allowsAny: allowsAny)
    try change.commit()
    return id
  }

  /// Judges assets that were stored without it: one, or all. Corresponds to `livery_images_judge` in C.
  ///
  /// - Parameter again: also images that were judged before.
  /// - Throws: `.notFound`, `.invalidArgument`, `.corrupt` for the one, `.readOnly`; as `ChangeSet.commit()`.
  @discardableResult
  public func judge(_ id: String? = nil, again: Bool = false) throws(StoreError) -> Report {
    var report = Report()
    if let id {
      try judge(try store.assets.info(id), again, &report, isAlone: true)
    } else {
      for asset in try store.assets.list().items ?? [] {
        do throws(StoreError) { try judge(asset, again, &report, isAlone: false) } catch {
          // Somebody has removed it meanwhile.
          guard error.code == .notFound else { throw error }
        }
      }
    }
    return report
  }

  private func judge(_ asset: Value, _ again: Bool, _ report: inout Report, isAlone: Bool) throws(StoreError) {
    guard let id = asset["id"]?.text else { return }
    let isDamaged = asset["damaged"] != nil
    guard isDamaged || Judgement.isImage(asset) else { return }
    try checkMemory()
    let bytes: [UInt8]
    do throws(StoreError) {
      if !isDamaged, !again, try isKnown(id) {
        report.known += 1
        return
      }
      bytes = try store.assets.bytes(id)
    } catch {
      // Those behind it are judged all the same.
      guard error.code == .corrupt, !isAlone else { throw error }
      report.refused.append(Report.Refusal(id: id, reason: error.message, isFinal: false))
      return
    }
    let judgement = Judgement(of: bytes, asset)
    if let reason = judgement.refusal {
      report.refused.append(Report.Refusal(id: id, reason: reason, isFinal: !judgement.isTransient))
    } else {
      report.judged += 1
    }
    guard !judgement.isTransient else { return }
    let change = try store.change(.user)
    try change.putFact(Judgement.name, of: id, judgement.fact)
    try change.commit()
  }

  private func isKnown(_ id: String) throws(StoreError) -> Bool {
    guard let known = try store.assets.fact(Judgement.name, of: id) else { return false }
    return lvl_kind(known, known.count) >= 0
  }

  /// The share of an image on which a text has too little contrast, from 0 to 1; with areas, of these parts of it.
  ///
  /// Corresponds to `livery_images_legibility` in C.
  ///
  /// - Throws: `.notFound`; `.noValue` if the image was never judged, or cannot be; `.invalidValue` for a component of a color
  ///   that is not from 0 to 1, or areas of which none is in the image; `.invalidArgument`.
  public func illegibleShare(
    of id: String, text: Color, on background: Color, in areas: [Area] = [], required: Double = 4.5
  ) throws(StoreError) -> Double {
    guard required >= 1, required <= 21 else {
      throw StoreError(.invalidArgument, "a contrast is from 1 to 21, and not \(required)")
    }
    guard areas.count <= 1000 else { throw StoreError(.invalidArgument, "there are more than 1,000 areas") }
    let text = try lvl_color(checking: text)
    let background = try lvl_color(checking: background)
    var places: [lvl_area] = []
    for area in areas { places.append(try lvl_area(checking: area)) }
    guard let fact = try store.assets.fact(Judgement.name, of: id), lvl_kind(fact, fact.count) >= 0 else {
      throw StoreError(.noValue, "the image \(id) was never judged: run `livery images judge`")
    }
    if let reason = Judgement(fact).refusal {
      throw StoreError(.noValue, "the image \(id) cannot be judged: \(reason)")
    }
    let share = lvl_share(fact, fact.count, text, background, required, places, places.count)
    guard share >= 0 else { throw StoreError(.invalidValue, "no area is in the image") }
    return share
  }
}

extension Store {
  public var images: Images { Images(store: self) }
}

extension ChangeSet {
  /// Adds an image and what legibility follows from, to be stored by the same commit as the edits.
  ///
  /// Corresponds to `livery_images_put_into` in C.
  ///
  /// - Returns: the asset's id; `Value.image` of it is the value for settings that show it.
  /// - Throws: as `Images.put`, but for what the commit throws.
  @discardableResult
  public func putImage(_ bytes: [UInt8], allowsAny: Bool = false) throws(StoreError) -> String {
    try checkMemory()
    let described = try Assets.describe(bytes)
    let judgement = Judgement(of: bytes, described)
    if let reason = judgement.refusal {
      if judgement.isOutOfMemory { throw StoreError(.noMemory, reason) }
      guard allowsAny else { throw StoreError(judgement.isTransient ? .imagesUnavailable : .parse, reason) }
    }
    let id = try put(bytes)
    if !judgement.isTransient { try putFact(Judgement.name, of: id, judgement.fact) }
    return id
  }
}

extension StoreError.Code {
  /// The program that draws SVG is not there, or did not get to the end of the document.
  public static var imagesUnavailable: Self { Self(rawValue: -1101) }
}

extension lvl_color {
  fileprivate init(checking color: Color) throws(StoreError) {
    for component in [color.red, color.green, color.blue, color.alpha] {
      guard component >= 0, component <= 1 else {
        throw StoreError(.invalidValue, "the components of a color are from 0 to 1")
      }
    }
    self.init(
      red: Double(color.red), green: Double(color.green), blue: Double(color.blue), alpha: Double(color.alpha))
  }
}

extension lvl_area {
  fileprivate init(checking area: Images.Area) throws(StoreError) {
    for number in [area.x, area.y, area.width, area.height, area.weight] {
      guard number.magnitude <= 1_000_000 else {
        throw StoreError(.invalidValue, "an area is in fractions of the image")
      }
    }
    guard area.width >= 0, area.height >= 0, area.weight >= 0 else {
      throw StoreError(.invalidValue, "the size and the weight of an area are not negative")
    }
    self.init(x: area.x, y: area.y, width: area.width, height: area.height, weight: area.weight)
  }
}
