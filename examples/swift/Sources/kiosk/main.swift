// A kiosk in Swift: opens its settings, counts its starts, reads what it needs with fallbacks, and prints the rest.
//
//     swift run kiosk STORE
import Glibc
import Livery

enum Settings {
  static let starts = Key<Int64>("kiosk.starts")
  static let idle = Key<Int64>("idleResetSeconds")
  static let title = Key<String>("kiosk.title")
}

/// A setting, or a fallback if there is no value for it.
func read<T>(_ key: Key<T>, in store: Store, or fallback: T) throws(StoreError) -> T {
  do {
    return try store[key]
  } catch  where error.code == .notFound || error.code == .noValue {
    return fallback
  }
}

func run(_ path: String) throws(StoreError) {
  var options = Store.Options()
  options.create = true
  let store = try Store(path: path, options: options)

  let starts = try read(Settings.starts, in: store, or: 0) + 1
  let idle = try read(Settings.idle, in: store, or: 120)
  let revision = try store.update(.user, origin: "kiosk") {
    $0[Settings.starts] = starts
    $0[Settings.title] = "Kiosk, start \(starts)"
  }
  print("\(try store[Settings.title]), revision \(revision): back to the first page after \(idle) s.")

  // Several settings of one moment.
  let snapshot = try store.snapshot()
  var name = ""
  while let next = try snapshot.next(after: name) {
    print("  \(next.name): \(next.value.type)")
    name = next.name
  }
}

guard CommandLine.arguments.count == 2 else {
  print("usage: kiosk STORE")
  exit(2)
}
do {
  try run(CommandLine.arguments[1])
} catch {
  print("kiosk: \(error.message)")
  exit(1)
}
