import LiveryFleet

extension PlainDocument {
  /// A document by chance.
  ///
  /// - Parameters:
  ///   - number: another one for each document: its values tell of which one they are.
  ///   - time: when it is made, if it is to hold at some times alone.
  ///   - trial: what is to prove it good.
  static func chance(
    _ name: String, _ number: Int64, _ badness: Badness, _ time: Time?, _ trial: Document.Trial?, _ dice: inout Dice
  ) throws(FleetError) -> PlainDocument {
    var settings: [Setting] = []
    for index in 1..<Settings.count - 1 where dice.chance(0.3) {
      let verb: Document.Verb =
        switch dice.below(8) {
        case 0...2: .recommend
        case 3...4: .replace
        case 5...6: .enforce
        default: .release
        }
      settings.append(
        Setting(index: index, verb: verb, value: number * 100 + Int64(index), serial: 1 + Int64(dice.below(2))))
    }
    if badness == .unwell {
      settings.append(Setting(index: Settings.mode, verb: .enforce, value: Settings.unwellMode))
    } else if dice.chance(0.2) {
      settings.append(Setting(index: Settings.mode, verb: .recommend, value: Int64(dice.below(10))))
    }
    switch badness {
    case .refused: settings.append(Setting(index: Settings.volume, verb: .enforce, value: 5000))
    case .refusedByNewSchema: settings.append(Setting(index: Settings.volume, verb: .enforce, value: 500))
    case .none where dice.chance(0.2):
      settings.append(Setting(index: Settings.volume, verb: .recommend, value: Int64(dice.below(100))))
    default: break
    }
    settings.sort { $0.index < $1.index }
    var (from, until): (Schedule?, Schedule?)
    if let time {
      let begin = time.clock + dice.number(in: -86_400...5 * 86_400)
      if dice.chance(0.7) { from = Schedule(seconds: begin, isWall: dice.chance(0.5)) }
      if dice.chance(0.7) {
        until = Schedule(seconds: begin + dice.number(in: 90_000...8 * 86_400), isWall: dice.chance(0.5))
      }
    }
    let schema: ClosedRange<Int64>? = badness == .none && dice.chance(0.15) ? (dice.chance(0.5) ? 1...1 : 2...9) : nil
    return try PlainDocument(
      name, settings, schema: schema, from: from, until: until, asset: dice.chance(0.2) ? dice.bytes(48) : nil,
      badness: badness, trial: trial)
  }
}
