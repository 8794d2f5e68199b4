// Follows the volume as an asynchronous sequence, until it is 0.
//
//     swift run watch STORE
import Glibc
import Livery

func follow(_ path: String) async throws {
  let store = try Store(path: path)
  var options = WatchOptions()
  options.initial = true
  for await event in try store.changes(matching: "volume", options: options) {
    guard event.kind != .resync else {
      print("changes were missed: read anew")
      continue
    }
    guard case .int(let now)? = event.newValue else { continue }
    if event.kind == .initial {
      print("volume is \(now)")
    } else if case .int(let before)? = event.oldValue {
      print("volume: \(before) -> \(now)")
    }
    fflush(nil)
    if now == 0 { return }
  }
}

guard CommandLine.arguments.count == 2 else {
  print("usage: watch STORE")
  exit(2)
}
do {
  try await follow(CommandLine.arguments[1])
} catch let error as StoreError {
  print("watch: \(error.message)")
  exit(1)
}
