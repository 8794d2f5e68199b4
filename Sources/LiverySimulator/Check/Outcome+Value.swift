import LiveryClient
import LiveryFleet

// What came of devices, to be kept.

extension Outcome {
  /// The sums, each with its name.
  private static var sums: [(name: String, path: WritableKeyPath<Outcome, Int>)] {
    [
      ("devices", \.devices), ("events", \.events), ("pulls", \.pulls), ("commits", \.commits),
      ("refusals", \.refusals), ("reports", \.reports), ("starts", \.starts), ("hostile", \.hostile),
      ("checks", \.checks), ("operated", \.operated), ("asked", \.asked), ("verified", \.verified),
      ("processor", \.processor), ("trials", \.trials), ("confirmed", \.confirmed), ("wentBack", \.wentBack),
      ("cuts", \.cuts),
    ]
  }

  var value: Value {
    .object(
      Self.sums.filter { self[keyPath: $0.path] != 0 }.map { .init($0.name, .int(Int64(self[keyPath: $0.path]))) } + [
        .init("counts", .list(counts.map { .int(Int64($0)) })),
        .init("findings", .list(findings.map { $0.value })),
        .init(
          "tallies",
          .list(
            tallies.flatMap { [$0.expected, $0.told, $0.failed, $0.schemas, $0.schemasTold] }.map { .int(Int64($0)) })),
        .init("reached", .list(reached.map { .int(Int64($0)) })),
      ])
  }

  /// - Throws: `.malformed` for what `value` does not give.
  init(_ value: Value) throws(FleetError) {
    for (name, path) in Self.sums {
      // What is not there is zero.
      guard case .int(let number) = value[name] ?? .int(0) else {
        throw FleetError(.malformed, "\(name) is no number")
      }
      self[keyPath: path] = Int(number)
    }
    let counted = try Self.numbers(value, "counts")
    let tallied = try Self.numbers(value, "tallies")
    reached = try Self.numbers(value, "reached")
    guard counted.count == counts.count, tallied.count % 5 == 0, case .list(let items) = value["findings"] else {
      throw FleetError(.malformed, "there are other sums than there should be")
    }
    counts = counted
    tallies = stride(from: 0, to: tallied.count, by: 5).map {
      Tally(
        expected: tallied[$0], told: tallied[$0 + 1], failed: tallied[$0 + 2], schemas: tallied[$0 + 3],
        schemasTold: tallied[$0 + 4])
    }
    for item in items { findings.append(try Finding(item)) }
  }

  private static func numbers(_ value: Value, _ name: String) throws(FleetError) -> [Int] {
    guard case .list(let items) = value[name] else { throw FleetError(.malformed, "there are no \(name)") }
    var numbers: [Int] = []
    for case .int(let number) in items { numbers.append(Int(number)) }
    return numbers
  }
}

extension Outcome.Finding {
  fileprivate var value: Value {
    .list([.string(wrong.rawValue), .int(Int64(device)), .int(time), .string(what)])
  }

  fileprivate init(_ value: Value) throws(FleetError) {
    guard case .list(let parts) = value, parts.count == 4, case .string(let word) = parts[0],
      let wrong = Outcome.Wrong(rawValue: word), case .int(let device) = parts[1], case .int(let time) = parts[2],
      case .string(let what) = parts[3]
    else { throw FleetError(.malformed, "a finding is none") }
    self.init(wrong: wrong, device: Int(device), time: time, what: what)
  }
}
