/// How large what travels may be. What is larger is refused before it is looked at; docs/sync-protocol.md has the same table.
public enum Limit {
  /// Bytes of a key document, with its signatures.
  public static let keys = 16 << 10
  /// Bytes of a manifest, with its signatures.
  public static let manifest = 256 << 10
  /// Bytes of a document.
  public static let document = 1 << 20
  /// Bytes of an asset.
  public static let asset = 64 << 20
  /// Bytes of a report, with its signature.
  public static let report = 1 << 20
  /// Bytes of a request for enrollment, with its signature.
  public static let enrollment = 1 << 10
  /// Characters of an enrollment code.
  public static let code = 250

  /// Root keys, and keys that sign manifests.
  public static let roots = 8
  public static let signers = 16
  /// Bytes of the names of fleets and groups, and of documents.
  public static let name = 32
  /// Bytes of who has published a document, and of what is said of it.
  public static let author = 64
  public static let comment = 200
  /// Groups of a device.
  public static let groups = 16
  /// Groups of a fleet whose versions its manifest names.
  public static let versions = 4096
  /// Documents of a channel, and those that a device holds.
  public static let documents = 256
  public static let documentsHeld = 64
  /// Bytes of what a trial is told from another one by: a time, and a check of each document.
  static let trial = 16 + documentsHeld * (name + 1)
  /// Settings of a document, and of all documents of a device together.
  public static let settings = 2048
  public static let settingsHeld = 3072
  /// Assets of a document.
  public static let assets = 256
  /// Bytes of a setting's name, as stores have it.
  public static let settingName = 255
  /// Nesting of values.
  public static let depth = 32
  /// The highest version of anything that has one: numbers in JSON are exact up to there.
  public static let version: Int64 = 1 << 53 - 1
  /// Seconds since 1970: the years 1970 to 9999.
  public static let time: Int64 = 253_402_300_799
  /// Bytes of a value that is told in a report.
  public static let reportedValue = 64 << 10
  /// Values, violations and verdicts that a report names.
  public static let reported = 3072
}
