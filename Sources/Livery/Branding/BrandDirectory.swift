import CSystem

/// The branding property list that a directory has, and where its images are.
struct BrandDirectory {
  /// Its name, from the directory on.
  let file: String
  let bytes: [UInt8]
  let images: String

  private static let lists = ["skin.plist", "AWSDKDefaultSettings.plist", "Info.plist"]

  /// Where lists and images are: in the directory, and as bundles have them.
  private static let places = [("", ""), ("Resources/", "Resources/"), ("Contents/Resources/", "Contents/Resources/")]

  /// Errors: `.notFound` if there is no such directory, or none of the lists in it; `.invalidValue` for several variants, and
  /// what is no file; `.permission`, `.io`.
  init(_ directory: String) throws(StoreError) {
    var failure: StoreError?
    for list in Self.lists {
      let isInfo = list.sameBytes(as: "Info.plist")
      for (place, images) in Self.places + (isInfo ? [("Contents/", "Contents/Resources/")] : []) {
        let found =
          isInfo
          ? try Self.info(place + list, in: directory, &failure) : try Self.read(place + list, in: directory)
        guard let bytes = found else { continue }
        self.init(file: place + list, bytes: bytes, images: images.isEmpty ? directory : directory + "/" + images)
        return
      }
    }
    var variants: [(file: String, bytes: [UInt8])] = []
    for name in try Self.names(in: directory) where name.bytes.ends(with: "-Info.plist") {
      if let bytes = try Self.info(name, in: directory, &failure) { variants.append((name, bytes)) }
    }
    guard let first = variants.first else {
      if let failure { throw failure }
      throw StoreError(
        .notFound,
        "`\(truncated(directory, to: 200))` has no branding: no skin.plist, no AWSDKDefaultSettings.plist and no Info.plist with "
          + "CharacterVariantsConfiguration")
    }
    guard variants.count == 1 else {
      throw StoreError(
        .invalidValue,
        "`\(truncated(directory, to: 200))` has several variants, such as `\(truncated(first.file, to: 80))` and "
          + "`\(truncated(variants[1].file, to: 80))`: apply each by its own")
    }
    self.init(file: first.file, bytes: first.bytes, images: directory)
  }

  private init(file: String, bytes: [UInt8], images: String) {
    self.file = file
    self.bytes = bytes
    self.images = images
  }

  private static func read(_ name: String, in directory: String) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) { return try BundleFolder.read(name, in: directory) } catch {
      // A file where bundles have a directory.
      guard error.systemError == ENOTDIR, name.utf8.contains(UInt8(ascii: "/")) else { throw error }
      return nil
    }
  }

  /// A list that says something about branding; most of those named Info.plist do not.
  ///
  /// - Parameter failure: the first of what stood in the way. One that cannot be read is passed over: another may be the one.
  private static func info(
    _ name: String, in directory: String, _ failure: inout StoreError?
  ) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      guard let bytes = try read(name, in: directory) else { return nil }
      do throws(StoreError) {
        return BrandReader(propertyList: try PropertyList.parse(bytes)).dialect == nil ? nil : bytes
      } catch { throw error.prefixed("\(truncated(name, to: 200)): ") }
    } catch {
      if error.code == .noMemory { throw error }
      if failure == nil { failure = error }
      return nil
    }
  }

  private static func names(in directory: String) throws(StoreError) -> [String] {
    let descriptor = lvs_open_directory(directory)
    guard descriptor >= 0 else { throw .system(lvs_errno(), truncated(directory, to: 200)) }
    defer { close(descriptor) }
    var length = 0
    guard let names = lvs_directory_names(descriptor, &length) else {
      throw .system(lvs_errno(), truncated(directory, to: 200))
    }
    defer { free(names) }
    var found: [String] = []
    for name in UnsafeRawBufferPointer(start: names, count: length).split(separator: 0) {
      if let text = String(validating: name, as: UTF8.self) { found.append(text) }
    }
    return sortedOrder(of: found.count) { found[$0].precedesInBytes(found[$1]) }.map { found[$0] }
  }
}
