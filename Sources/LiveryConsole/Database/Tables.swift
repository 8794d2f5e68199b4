/// The tables, as migrations that follow one another: what is there already is not done again.
///
/// `stamp` is the generation in which a row that is published has changed, so that whoever publishes finds what is new.
enum Tables {
  /// Each is done once, in its own transaction.
  static var migrations: [String] {
    [
      """
      CREATE TABLE facts (name TEXT PRIMARY KEY, number BIGINT NOT NULL DEFAULT 0, content TEXT NOT NULL DEFAULT '');
      INSERT INTO facts (name) VALUES ('generation'), ('publication'), ('history'), ('schema'), ('rank'), ('token');
      CREATE TABLE signed_keys (version BIGINT PRIMARY KEY, content BYTEA NOT NULL, stamp BIGINT NOT NULL);
      CREATE TABLE admins (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, hash TEXT, created BIGINT NOT NULL);
      CREATE TABLE sessions (
        hash BYTEA PRIMARY KEY, admin TEXT NOT NULL REFERENCES admins (name) ON DELETE CASCADE, csrf TEXT NOT NULL,
        expires BIGINT NOT NULL);
      CREATE TABLE bearers (
        number BIGINT PRIMARY KEY, hash BYTEA NOT NULL UNIQUE,
        admin TEXT NOT NULL REFERENCES admins (name) ON DELETE CASCADE, label TEXT NOT NULL, created BIGINT NOT NULL,
        expires BIGINT NOT NULL);
      CREATE TABLE device_groups (name TEXT PRIMARY KEY, place BIGINT NOT NULL);
      CREATE TABLE devices (
        id TEXT PRIMARY KEY, public_key BYTEA NOT NULL, name TEXT NOT NULL, enrolled BIGINT NOT NULL, seen BIGINT,
        reported BIGINT, sequence BIGINT NOT NULL DEFAULT 0, schema_version BIGINT, keys BIGINT NOT NULL DEFAULT 0,
        problem TEXT, health TEXT, violations BYTEA, failing BIGINT NOT NULL DEFAULT 0,
        refused BIGINT NOT NULL DEFAULT 0);
      CREATE INDEX devices_by_name ON devices (name, id);
      CREATE TABLE members (
        device TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
        in_group TEXT NOT NULL REFERENCES device_groups (name) ON DELETE CASCADE, PRIMARY KEY (device, in_group));
      CREATE INDEX members_by_group ON members (in_group);
      CREATE TABLE device_channels (
        device TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, channel TEXT NOT NULL, version BIGINT NOT NULL,
        PRIMARY KEY (device, channel));
      CREATE TABLE device_verdicts (
        device TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, hash BYTEA NOT NULL, verdict TEXT NOT NULL,
        PRIMARY KEY (device, hash));
      CREATE INDEX verdicts_by_hash ON device_verdicts (hash);
      CREATE TABLE device_values (
        device TEXT NOT NULL REFERENCES devices (id) ON DELETE CASCADE, name TEXT NOT NULL, layer TEXT, content BYTEA,
        digest BYTEA NOT NULL, PRIMARY KEY (device, name));
      CREATE TABLE documents (hash BYTEA PRIMARY KEY, content BYTEA NOT NULL, stamp BIGINT NOT NULL);
      CREATE TABLE assets (hash BYTEA PRIMARY KEY, content BYTEA NOT NULL, size BIGINT NOT NULL, stamp BIGINT NOT NULL);
      CREATE TABLE channels (
        name TEXT PRIMARY KEY, version BIGINT NOT NULL, changed BIGINT NOT NULL, expires BIGINT NOT NULL,
        manifest BYTEA NOT NULL, stamp BIGINT NOT NULL);
      CREATE INDEX channels_by_stamp ON channels (stamp);
      CREATE TABLE drafts (channel TEXT PRIMARY KEY, revision BIGINT NOT NULL);
      CREATE TABLE draft_settings (
        channel TEXT NOT NULL REFERENCES drafts (channel) ON DELETE CASCADE, name TEXT NOT NULL, verb TEXT NOT NULL,
        content BYTEA, PRIMARY KEY (channel, name));
      CREATE TABLE publications (
        number BIGINT PRIMARY KEY, channel TEXT NOT NULL, author TEXT NOT NULL, comment TEXT NOT NULL,
        time BIGINT NOT NULL, version BIGINT NOT NULL, hash BYTEA NOT NULL REFERENCES documents (hash),
        rolling_hash BYTEA NOT NULL REFERENCES documents (hash), salt BYTEA NOT NULL, step BIGINT NOT NULL,
        steps TEXT NOT NULL, pause BIGINT NOT NULL, bound BIGINT NOT NULL, state TEXT NOT NULL, since BIGINT NOT NULL,
        reason TEXT, previous BIGINT);
      CREATE INDEX publications_by_channel ON publications (channel, number);
      CREATE TABLE standing (
        channel TEXT PRIMARY KEY, base BIGINT REFERENCES publications (number),
        rolling BIGINT REFERENCES publications (number));
      CREATE TABLE enrollments (
        id TEXT PRIMARY KEY, hash BYTEA NOT NULL UNIQUE, label TEXT NOT NULL, in_groups TEXT NOT NULL,
        expires BIGINT NOT NULL, device TEXT, public_key BYTEA, created BIGINT NOT NULL);
      CREATE TABLE schemas (
        number BIGINT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, version BIGINT NOT NULL, title TEXT NOT NULL,
        content BYTEA NOT NULL, created BIGINT NOT NULL);
      CREATE TABLE history (
        number BIGINT PRIMARY KEY, time BIGINT NOT NULL, author TEXT NOT NULL, what TEXT NOT NULL,
        detail TEXT NOT NULL)
      """,
      // Publications for a time, an app, versions of the schema, and on trial. `stands` says of one that holds above others
      // that its manifest names it; `ends_at` and `settles_at` when it is over, and has begun, everywhere.
      """
      ALTER TABLE publications ADD COLUMN name TEXT;
      ALTER TABLE publications ADD COLUMN begins TEXT;
      ALTER TABLE publications ADD COLUMN ends TEXT;
      ALTER TABLE publications ADD COLUMN trial BIGINT;
      ALTER TABLE publications ADD COLUMN trial_check TEXT;
      ALTER TABLE publications ADD COLUMN app TEXT;
      ALTER TABLE publications ADD COLUMN schema_least BIGINT;
      ALTER TABLE publications ADD COLUMN schema_most BIGINT;
      ALTER TABLE publications ADD COLUMN overlay BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE publications ADD COLUMN stands BIGINT NOT NULL DEFAULT 0;
      ALTER TABLE publications ADD COLUMN ends_at BIGINT;
      ALTER TABLE publications ADD COLUMN settles_at BIGINT;
      CREATE INDEX publications_that_stand ON publications (channel, number) WHERE stands = 1;
      ALTER TABLE devices ADD COLUMN trial BIGINT NOT NULL DEFAULT 0
      """,
      """
      CREATE TABLE places (
        name TEXT PRIMARY KEY, written BIGINT NOT NULL, problem TEXT, since BIGINT NOT NULL, holder TEXT,
        held_until BIGINT);
      CREATE INDEX channels_by_expiry ON channels (expires);
      CREATE INDEX documents_by_stamp ON documents (stamp);
      CREATE INDEX assets_by_stamp ON assets (stamp);
      CREATE INDEX publications_by_state ON publications (state);
      CREATE INDEX publications_by_hash ON publications (hash);
      CREATE INDEX publications_by_rolling_hash ON publications (rolling_hash);
      CREATE INDEX devices_by_schema ON devices (schema_version);
      CREATE INDEX values_by_name ON device_values (name)
      """,
      // What devices had told of a publication when it was stopped.
      "ALTER TABLE publications ADD COLUMN outcome BYTEA",
      // The version of the channel with which its present step began: what devices tell of older ones is of something else.
      "ALTER TABLE publications ADD COLUMN step_version BIGINT NOT NULL DEFAULT 0",
    ]
  }

  /// Brings the tables up to date.
  static func migrate(_ database: Database) throws(Refusal) {
    try database.change { () throws(Refusal) in
      try database.define("CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY)")
      let done = try database.number("SELECT MAX(number) FROM migrations") ?? 0
      guard done <= Int64(migrations.count) else {
        throw Refusal(.invalid, "the database is of a later version of the console")
      }
      for (index, migration) in migrations.enumerated() where Int64(index) >= done {
        try database.define(migration)
        try database.run("INSERT INTO migrations (number) VALUES (?)", [.int(Int64(index) + 1)])
      }
    }
  }
}
