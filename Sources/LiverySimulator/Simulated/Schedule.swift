import LiveryFleet

/// What is to happen next to a device: a handful at a time.
struct Schedule {
  enum Item: Sendable {
    case event(Device.Event)
    /// The console hears of a report.
    case report([UInt8])
    /// The console hears of a report that somebody has sent once more, and who is answered.
    case copy([UInt8])
    case boot
    /// The app is asked whether what is on trial is well.
    case asked(Int)
    /// The time of a trial is over.
    case over
    /// The process is ended, or the power goes.
    case cut(isPower: Bool)
    /// What befalls the device from outside.
    case befall(Weather.Event)
  }

  private var items: [(time: Time, order: UInt64, item: Item)] = []
  private var order: UInt64 = 0
  /// When the device wants to be asked again.
  var wake: Time?

  var next: Time? {
    var least = wake
    for item in items where item.time < least ?? .max { least = item.time }
    return least
  }

  mutating func add(_ item: Item, at time: Time) {
    order += 1
    items.append((time, order, item))
  }

  /// Takes what comes next, by its time and the order in which it was added; nil for a wake.
  mutating func take() -> Item? {
    guard let least = items.indices.min(by: { (items[$0].time, items[$0].order) < (items[$1].time, items[$1].order) }),
      items[least].time <= wake ?? .max
    else {
      wake = nil
      return nil
    }
    return items.remove(at: least).item
  }

  /// The process is gone, and what was on its way to it.
  mutating func clear() {
    items = []
    wake = nil
  }
}
