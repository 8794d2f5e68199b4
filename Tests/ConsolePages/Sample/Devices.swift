import LiveryClient
import LiveryFleet

@testable import LiveryConsole

/// What tests have of a fleet's devices, whoever keeps the fleet.
protocol Devices: AnyObject, Sendable {
  var count: Int { get }
  func id(_ number: Int) -> String
  /// What a device would hold now.
  func held(_ number: Int) -> [DraftSetting]
  func report(_ number: Int, _ verdict: Report.Verdict)
}

/// Devices of a real console: keys of their own, that take what manifests name and say so in signed reports.
final class RealDevices: Devices, @unchecked Sendable {
  private let console: Console
  private let keys: [SigningKey]
  private var sequences: [Int64]

  init(_ console: Console, _ count: Int) throws {
    self.console = console
    sequences = [Int64](repeating: 0, count: count)
    keys = (0..<count).compactMap { number in
      var seed = [UInt8](repeating: 7, count: SigningKey.seedSize)
      (seed[0], seed[1]) = (UInt8(number & 255), UInt8(number >> 8))
      return SigningKey.make(seed: seed)
    }
    for (number, key) in keys.enumerated() {
      let line = try console.enroll(
        "Display \(number)", groups: number % 4 == 0 ? ["lobby"] : [], hours: 1, by: Console.itself)
      let code = try EnrollmentCode.decode(line.code ?? "")
      let request = EnrollmentRequest(fleet: code.fleet, token: code.token, device: key.publicKey)
      _ = try console.take(enrollment: try Envelope(.enrollment, try request.encoded(), signedBy: [key]).encoded())
    }
  }

  var count: Int { keys.count }
  func id(_ number: Int) -> String { DeviceID.of(keys[number].publicKey) }

  private func manifest(_ channel: String) -> Manifest? {
    let bytes = try? console.database.first("SELECT manifest FROM channels WHERE name = ?", [.text(channel)]) {
      (row) throws(Refusal) in row.bytes(0)
    }
    guard let bytes, let envelope = try? Envelope.decode(bytes, as: .manifest) else { return nil }
    return try? Manifest.decode(envelope.payload)
  }

  /// The manifests of a device, the weakest first, and the documents of them that are for it.
  private func taken(_ number: Int) -> [(manifest: Manifest, documents: [[UInt8]])] {
    let id = id(number)
    let groups = manifest("device.\(id)")?.groups ?? []
    return (["fleet"] + groups.map { "group.\($0)" } + ["device.\(id)"]).compactMap { name in
      manifest(name).map { manifest in
        // They are of no app.
        (manifest, manifest.documents.filter { $0.scope == nil && $0.rollout?.includes(id) ?? true }.map { $0.hash })
      }
    }
  }

  func held(_ number: Int) -> [DraftSetting] {
    var all: [DraftSetting] = []
    for hash in taken(number).flatMap({ $0.documents }) {
      guard let bytes = try? console.document(hash), let document = try? Document.decode(bytes),
        document.holds(at: Console.now, { _ in 0 }).holds
      else { continue }
      for setting in document.settings {
        all.removeAll { $0.name == setting.name }
        if setting.verb != .release {
          all.append(DraftSetting(name: setting.name, verb: setting.verb.name, value: setting.value))
        }
      }
    }
    return all
  }

  func report(_ number: Int, _ verdict: Report.Verdict) {
    let isRefused = verdict == .refused
    let taken = taken(number)
    sequences[number] += 1
    let values = held(number).sorted { $0.name < $1.name }.filter { !$0.name.hasPrefix("password") }.map { setting in
      Report.Effective(setting.name, setting.verb == "enforce" ? .enforced : .recommended, setting.value)
    }
    let digest = Report.digest(values.compactMap { try? $0.digest() })
    let report = Report(
      fleet: console.fleet, device: keys[number].publicKey, sequence: sequences[number], time: Console.now, schema: 1,
      keys: 1, channels: taken.map { .init(channel: $0.manifest.channel, version: $0.manifest.version) },
      documents: taken.flatMap { $0.documents }.map { .init(hash: $0, verdict: verdict) },
      violations: !isRefused ? [] : [.init(name: "volume", message: "is above the maximum of 100")], values: values,
      digest: digest)
    guard let payload = try? report.encoded(),
      let bytes = try? Envelope(.report, payload, signedBy: [keys[number]]).encoded()
    else { return }
    _ = console.take(reports: [bytes])
    try? console.look()
  }
}

extension Fleet: Devices {
  var count: Int { lock.withLock { devices.count } }
  func id(_ number: Int) -> String { lock.withLock { devices[number].id } }
  func held(_ number: Int) -> [DraftSetting] { lock.withLock { wanted(number).map { $0.setting } } }
  func report(_ number: Int, _ verdict: Report.Verdict) { try? report(id(number), isApplied: verdict == .applied) }
}
