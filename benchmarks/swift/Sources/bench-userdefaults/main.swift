// Foundation's UserDefaults, which keeps its property list where the environment says that configuration lies.
import Driver
import Foundation

struct DefaultsSubject: Subject {
  let defaults: UserDefaults

  init() {
    guard let defaults = UserDefaults(suiteName: "bench") else { fail("there are no user defaults") }
    self.defaults = defaults
  }

  func make(_ count: Int) {
    for index in 0..<count {
      let name = settingName(index)
      switch index % types {
      case 1: defaults.set(boolValue(index), forKey: name)
      case 2: defaults.set(Int(integerValue(index)), forKey: name)
      case 3: defaults.set(numberValue(index), forKey: name)
      case 4: defaults.set(colorValue(index), forKey: name)
      case 5: defaults.set(urlValue(index), forKey: name)
      default: defaults.set(textValue(index), forKey: name)
      }
    }
    guard defaults.synchronize() else { fail("cannot write") }
  }

  func readByName(_ names: Names, _ range: Range<Int>) throws -> Int64 {
    var sum: Int64 = 0
    for index in range {
      let triple = names.triples[index]
      sum += defaults.bool(forKey: triple.bool) ? 1 : 0
      sum += Int64(defaults.integer(forKey: triple.integer)) & 0xFFFF_FFFF
      sum += Int64(defaults.double(forKey: triple.number))
    }
    return sum
  }

  func openKeys(_ names: Names) throws -> ((Range<Int>) throws -> Int64)? { nil }

  func readTexts(_ names: Names) throws -> Int64 {
    var sum: Int64 = 0
    for name in names.texts { sum += Int64(defaults.string(forKey: name)?.utf8.count ?? 0) }
    return sum
  }

  func readInteger(_ name: String) throws -> Int64 { Int64(defaults.integer(forKey: name)) }

  func commit(_ edits: [(name: String, value: Int64)]) throws {
    for edit in edits { defaults.set(Int(edit.value), forKey: edit.name) }
    guard defaults.synchronize() else { fail("cannot write") }
  }
}

if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "make" {
  DefaultsSubject().make(Int(CommandLine.arguments[3]) ?? 0)
} else {
  try run { _ in DefaultsSubject() }
}
