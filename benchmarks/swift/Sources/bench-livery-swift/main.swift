import Driver
import Livery

struct LiverySubject: Subject {
  let store: Store

  func readByName(_ names: Names, _ range: Range<Int>) throws -> Int64 {
    var sum: Int64 = 0
    for index in range {
      let triple = names.triples[index]
      sum += try store.bool(triple.bool) ? 1 : 0
      sum += try store.int(triple.integer) & 0xFFFF_FFFF
      sum += Int64(try store.double(triple.number))
    }
    return sum
  }

  func openKeys(_ names: Names) throws -> ((Range<Int>) throws -> Int64)? {
    let keys = try names.triples.map {
      (
        try store.bound(Key<Bool>($0.bool)), try store.bound(Key<Int64>($0.integer)),
        try store.bound(Key<Double>($0.number))
      )
    }
    return { range in
      var sum: Int64 = 0
      for index in range {
        let (bool, integer, number) = keys[index]
        sum += try bool.value ? 1 : 0
        sum += try integer.value & 0xFFFF_FFFF
        sum += Int64(try number.value)
      }
      return sum
    }
  }

  func readTexts(_ names: Names) throws -> Int64 {
    var sum: Int64 = 0
    for name in names.texts { sum += Int64(try store.string(name).utf8.count) }
    return sum
  }

  func readInteger(_ name: String) throws -> Int64 { try store.int(name) }

  func commit(_ edits: [(name: String, value: Int64)]) throws {
    let change = try store.change(.user)
    for edit in edits { try change.set(edit.name, to: .int(edit.value)) }
    try change.commit()
  }
}

try run { path in LiverySubject(store: try Store(path: path)) }
