// The operator's settings view of the demo: sets two settings as one commit.
//
//     swift run operator STORE
import Livery

enum Settings {
  static let media = Key<String>("mediaUrl")
  static let progress = Key<Bool>("ProgressIndicator")
  static let minutes = Key<Int>("duration")
}

do throws(StoreError) {
  let store = try Store(path: CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "")
  print("  before: media \(try store[Settings.media]), idle reset after \(try store[Settings.minutes]) min")
  let revision = try store.update(.user, origin: "settings-view") {
    $0[Settings.media] = "https://local.example/today.mp4"
    $0[Settings.progress] = false
  }
  print("  set two settings as one commit, revision \(revision); media is now \(try store[Settings.media])")
} catch {
  print("operator: \(error.message)")
}
