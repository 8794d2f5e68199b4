import LiveryClient
import LiveryFleet
import LiveryHTTP

/// Where files go that a web server delivers: a folder, or a bucket of an S3-like store.
enum PublishedPlace: Sendable {
  case folder(PublishedFolder, path: String)
  case bucket(Bucket)

  /// nil if there is none.
  ///
  /// - Parameter waits: whether a folder that is not there is waited for.
  static func make(_ place: Console.Place, waits: Bool = false) throws(Refusal) -> PublishedPlace? {
    guard let published = place.published else { return nil }
    if Bucket.isBucket(published) { return .bucket(try Bucket.open(published, place.bucket)) }
    do throws(StoreError) { return .folder(try PublishedFolder(path: published, waits: waits), path: published) } catch
    {
      throw Refusal(.notFound, error.message)
    }
  }

  /// Whether it may take long to put something there.
  var isFar: Bool {
    switch self {
    case .folder: false
    case .bucket: true
    }
  }

  /// The path of a folder that was not there.
  var missing: String? {
    guard case .folder(let folder, let path) = self, !folder.wasThere else { return nil }
    return path
  }

  /// Makes files appear, each of them whole. They are independent of each other.
  ///
  /// - Parameter isFirst: most of it may be there already.
  func put(_ files: [Publisher.File], isFirst: Bool) throws(Refusal) {
    switch self {
    case .folder(let folder, let path):
      for file in files {
        if isFirst, !file.isImmutable, let there = try? Files.read(path + file.path, most: Limit.manifest),
          there == file.bytes
        {
          continue
        }
        do throws(StoreError) { try folder.write([file]) } catch { throw Refusal(.busy, error.message) }
      }
    case .bucket(let bucket): try bucket.put(files)
    }
  }

  /// All that was to appear is there.
  func endRound() {
    if case .bucket(let bucket) = self { bucket.endRound() }
  }
}
