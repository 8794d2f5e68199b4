/// The host functions that a store's migrations may call, by name.
final class MigrationFunctions: @unchecked Sendable {
  typealias Function = MigrationRun.Function

  private let lock = Lock()
  // Guarded by `lock`.
  private var numbers = ByteIndex()
  private var functions: [Function?] = []

  func register(_ name: String, _ function: @escaping Function) {
    // Letting go of the former one may run code of the caller's: outside the lock.
    let former = lock.withLock { () -> Function? in
      let (number, isNew) = numbers.insert(name)
      if isNew { functions.append(nil) }
      let former = functions[number]
      functions[number] = function
      return former
    }
    withExtendedLifetime(former) {}
  }

  func named(_ name: String) -> Function? {
    lock.withLock { numbers.number(of: name).flatMap { functions[$0] } }
  }

  func removeAll() {
    let former = lock.withLock { () -> [Function?] in
      let former = functions
      functions = []
      numbers = ByteIndex()
      return former
    }
    withExtendedLifetime(former) {}
  }
}
