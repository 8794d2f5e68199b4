import CLivery
import Livery

/// What a build of the core alone has not (`LIVERY_CORE_ONLY`): its functions are there, and say `UNAVAILABLE`.
enum Part {
  case assets
  case branding
  case exchange
  case forms
  case maintenance
  case schemas

  private var name: StaticString {
    switch self {
    case .assets: "assets"
    case .branding: "branding"
    case .exchange: "import and export"
    case .forms: "forms and searching"
    case .maintenance: "maintenance"
    case .schemas: "schemas and migrations"
    }
  }

  var unavailable: StoreError {
    StoreError(.unavailable, "this build of Livery has the core alone, without \(name)")
  }
}

// Calls of a part. Always inlined, so that nothing refers to `body` where there is no such part.

#if LIVERY_CORE_ONLY
  @inline(__always)
  func boundary(_ part: Part, _ body: () throws(StoreError) -> Void) -> livery_status { refused(part) }

  @inline(__always)
  func onStore(
    _ store: OpaquePointer?, _ part: Part, _ body: (StoreObject) throws(StoreError) -> Void
  ) -> livery_status { refused(part) }

  @inline(__always)
  func onStore(
    _ store: OpaquePointer?, _ part: Part, handing userData: UserData, _ body: (StoreObject) throws(StoreError) -> Void
  ) -> livery_status {
    userData.end()
    return refused(part)
  }

  @inline(__always)
  func onChange(
    _ change: OpaquePointer?, _ part: Part, _ body: (ChangeSet) throws(StoreError) -> Void
  ) -> livery_status { refused(part) }

  @inline(__always)
  func onSnapshot(
    _ snapshot: OpaquePointer?, _ part: Part, _ body: (Snapshot) throws(StoreError) -> Void
  ) -> livery_status { refused(part) }

  @inline(__always)
  func onMigration(
    _ migration: OpaquePointer?, _ part: Part, _ body: (MigrationCall) throws(StoreError) -> Void
  ) -> livery_status { refused(part) }

  @inline(__always)
  func onValue(
    _ value: OpaquePointer?, _ part: Part, _ body: (ValueObject) throws(StoreError) -> Void
  ) -> livery_status { refused(part) }

  @inline(never)
  private func refused(_ part: Part) -> livery_status {
    ending { () throws(StoreError) in throw part.unavailable }
  }
#else
  @inline(__always)
  func boundary(_ part: Part, _ body: () throws(StoreError) -> Void) -> livery_status { boundary(body) }

  @inline(__always)
  func onStore(
    _ store: OpaquePointer?, _ part: Part, _ body: (StoreObject) throws(StoreError) -> Void
  ) -> livery_status { onStore(store, body) }

  @inline(__always)
  func onStore(
    _ store: OpaquePointer?, _ part: Part, handing userData: UserData, _ body: (StoreObject) throws(StoreError) -> Void
  ) -> livery_status { onStore(store, handing: userData, body) }

  @inline(__always)
  func onChange(
    _ change: OpaquePointer?, _ part: Part, _ body: (ChangeSet) throws(StoreError) -> Void
  ) -> livery_status { onChange(change, body) }

  @inline(__always)
  func onSnapshot(
    _ snapshot: OpaquePointer?, _ part: Part, _ body: (Snapshot) throws(StoreError) -> Void
  ) -> livery_status { onSnapshot(snapshot, body) }

  @inline(__always)
  func onMigration(
    _ migration: OpaquePointer?, _ part: Part, _ body: (MigrationCall) throws(StoreError) -> Void
  ) -> livery_status { onMigration(migration, body) }

  @inline(__always)
  func onValue(
    _ value: OpaquePointer?, _ part: Part, _ body: (ValueObject) throws(StoreError) -> Void
  ) -> livery_status { onValue(value, body) }
#endif
