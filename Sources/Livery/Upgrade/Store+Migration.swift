extension Store {
  /// Makes a function known that steps of migrations may call, until the store is closed. One of the same name that was
  /// registered through this handle before is replaced.
  ///
  /// It runs inside `applySchema` and `checkSchema`, once for each layer but `defaults` that holds anything, weakest first,
  /// and again if the store has to grow meanwhile. Other writers wait for it: it may read the store, as it is before the
  /// upgrade, and must not change it. What it throws makes the upgrade fail, with the store as it was. Corresponds to
  /// `livery_migration_register` in C.
  ///
  /// - Throws: `.invalidArgument` for a name that no setting could have.
  public func registerMigration(
    _ name: String, _ function: @escaping @Sendable (MigrationCall) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !name.isEmpty else { throw StoreError(.invalidArgument, "the name of a function of migrations is empty") }
    try checkName(name)
    try whileOpen { () throws(StoreError) in migrations.register(name, function) }
  }
}

#if !hasFeature(Embedded)
  extension Store {
    /// As the other, for a function that throws errors of any kind.
    @_disfavoredOverload
    public func registerMigration(
      _ name: String, _ function: @escaping @Sendable (MigrationCall) throws -> Void
    ) throws(StoreError) {
      try registerMigration(name) { (call) throws(StoreError) in
        do { try function(call) } catch {
          throw error as? StoreError ?? StoreError(.migration, "\(error)")
        }
      }
    }
  }
#endif
