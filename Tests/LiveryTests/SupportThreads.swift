import CSystem
import Glibc
import Livery
import Testing

/// Runs `body` on as many threads at once, each told its number, and waits for them.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  var threads: [pthread_t] = []
  for index in 0..<count {
    let start = Unmanaged.passRetained(ThreadStart(index, body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        start.body(start.index)
        return nil
      }, start.toOpaque())
    if code == 0 { threads.append(thread) } else { start.release() }
  }
  for thread in threads { pthread_join(thread, nil) }
  #expect(threads.count == count)
}

private final class ThreadStart: Sendable {
  let index: Int
  let body: @Sendable (Int) -> Void

  init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.index = index
    self.body = body
  }
}

/// What threads found wrong, each thing once.
final class Findings: @unchecked Sendable {
  private let lock = TestLock()
  private var found: [String] = []

  func add(_ finding: String) {
    lock.withLock { if found.count < 20, !found.contains(finding) { found.append(finding) } }
  }

  var all: [String] { lock.withLock { found } }
}

/// Another program, with its output as lines; it gets the end of its input at `finish`.
final class Child: @unchecked Sendable {
  private var input: Int32
  private let output: Int32
  let process: pid_t
  private var rest: [UInt8] = []

  init(_ arguments: [String]) {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    var started = pid_t()
    // One at a time, so that no child inherits another's pipes before they are marked.
    let code = Self.starting.withLock {
      guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { return errno }
      for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return Self.spawn(arguments, toChild[0], fromChild[1], &started)
    }
    input = toChild[1]
    output = fromChild[0]
    process = started
    close(toChild[0])
    close(fromChild[1])
    #expect(code == 0, "\(arguments[0]) does not start")
  }

  private static let starting = TestLock()

  private static func spawn(_ arguments: [String], _ input: Int32, _ output: Int32, _ process: inout pid_t) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    guard let program = words[0] else { return ENOMEM }
    return posix_spawnp(&process, program, &actions, nil, words, environ)
  }

  deinit {
    finish()
    close(output)
  }

  /// The next line of its output, or what there is at its end.
  func line() -> String {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[..<end]
        rest = Array(rest[(end + 1)...])
        return String(decoding: line, as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else {
        defer { rest = [] }
        return String(decoding: rest, as: UTF8.self)
      }
      rest += buffer[..<count]
    }
  }

  /// Closes its input and waits for its end; its exit status.
  @discardableResult
  func finish() -> Int32 {
    guard input >= 0 else { return 0 }
    close(input)
    input = -1
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status
  }
}

extension Child {
  /// A process that tries to hold a byte of a store's `livery.lock`, and says `held` or `refused`.
  static func holding(byte: Int, of store: String) -> Child {
    let program = """
      import fcntl, sys
      file = open(sys.argv[1] + "/livery.lock", "r+b")
      try:
          fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(sys.argv[2]))
          print("held", flush=True)
          sys.stdin.read()
      except OSError:
          print("refused", flush=True)
      """
    return Child(["python3", "-c", program, store, String(byte)])
  }

  /// The `livery` command of this build, on a store.
  static func command(_ arguments: [String], store: String) throws -> Child {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    try #require(count > 0)
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = own.split(separator: "/").dropLast().joined(separator: "/")
    return Child(["/\(folder)/livery-command", "--store", store] + arguments)
  }
}
