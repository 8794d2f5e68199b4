import LiverySimulator

#if canImport(Glibc)
  import Glibc
#endif

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print(Options.usage, terminator: "")
  exit(2)
}

do {
  let began = ContinuousClock.now
  let summary = try await Fleet(options).run { (done) in
    guard done % 10_000 < 500, done >= 10_000 else { return }
    print("\(done) devices are done after \(ContinuousClock.now - began)")
    // As it happens, also into a file.
    fflush(nil)
  }
  for line in summary.lines { print(line) }
  print(summary.cost)
  print("took \(ContinuousClock.now - began)")
  exit(summary.wrongs == 0 ? 0 : 1)
} catch {
  print("livery-simulate: \(error)")
  exit(2)
}
