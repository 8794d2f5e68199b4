import LiveryFleet

/// What befalls a device, and when: drawn before it happens.
struct Weather {
  enum Phase: Sendable, Equatable {
    /// Now and then something gets lost.
    case fair
    /// No network.
    case offline
    /// Who answers is a cache that does what it likes, and a broker that loses, doubles and invents hints.
    case hostile
    /// Power that goes and comes, and a network that does the same.
    case stormy
    /// Nothing can be written.
    case full
    /// The clock is wrong.
    case skewed
    /// All is well.
    case calm
  }

  enum Event: Sendable {
    case phase(Phase)
    /// How far the clock is ahead, in seconds.
    case clock(Int64)
    /// The operator chooses a value, or takes the choice back.
    case operate(index: Int, value: Int64?)
    case reboot
    /// Another version of the app, and of its schema.
    case upgrade
    /// All has been well for as long as it takes: the device has to be right.
    case check(isLast: Bool)
    /// The device's own channel says something else.
    case published
  }

  var events: [(time: Time, event: Event)] = []

  /// - Parameter enrolled: when the device joins the fleet.
  init(enrolled: Time, _ plan: Plan, own: [PlainManifest], _ dice: inout Dice) {
    phases(from: enrolled, plan, &dice)
    for _ in 0..<Int(plan.end / .day / 3) {
      let index = 1 + dice.below(Settings.count - 1)
      let isVolume = index == Settings.volume
      let value: Int64? =
        dice.chance(0.25) ? nil : isVolume ? Int64(dice.below(100)) : Settings.operators + Int64(dice.below(1_000_000))
      add(dice.number(in: enrolled...plan.end - Plan.calm), .operate(index: index, value: value))
    }
    for _ in 0..<dice.below(4) { add(dice.number(in: enrolled...plan.end - Plan.calm), .reboot) }
    if dice.chance(0.3) { add(dice.number(in: enrolled...plan.end - Plan.calm), .upgrade) }
    for manifest in own where manifest.time > enrolled { add(manifest.time, .published) }
    add(plan.end - 1, .check(isLast: true))
    events.sort { $0.time < $1.time }
  }

  private mutating func add(_ time: Time, _ event: Event) { events.append((time, event)) }

  private mutating func phases(from enrolled: Time, _ plan: Plan, _ dice: inout Dice) {
    let last = plan.end - Plan.calm
    var time = enrolled
    while time < last {
      var length: Time
      let phase: Phase
      switch dice.below(16) {
      case 0...5: (phase, length) = (.fair, dice.number(in: .day...3 * .day))
      case 6...8: (phase, length) = (.offline, dice.number(in: .hour...3 * .day))
      case 9: (phase, length) = (.offline, dice.number(in: 7 * .day...20 * .day))
      case 10...11: (phase, length) = (.hostile, dice.number(in: .hour...Time.day * 3 / 2))
      case 12: (phase, length) = (.stormy, dice.number(in: .hour...8 * .hour))
      case 13: (phase, length) = (.full, dice.number(in: .hour...12 * .hour))
      case 14: (phase, length) = (.skewed, dice.number(in: .hour...Time.day))
      default: (phase, length) = (.calm, Plan.calm)
      }
      length = min(length, last - time)
      add(time, .phase(phase))
      if phase == .skewed {
        add(time, .clock(dice.chance(0.5) ? dice.number(in: -7200...7200) : dice.number(in: -40_000_000...400_000_000)))
        add(time + length - 1, .clock(0))
      }
      time += length
      if phase == .calm, length == Plan.calm { add(time - 1, .check(isLast: false)) }
    }
    add(last, .phase(.calm))
  }
}
