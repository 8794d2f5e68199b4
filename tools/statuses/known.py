"""What the sources do not tell by themselves.

Functions have the name of their file in front: `WriterGate.whileWriting(timeout:saying:_:)`. An entry that is of no use
any more is a finding, except for what calls of the system fail with.
"""
from __future__ import annotations

import re
from typing import Dict

from api import COMMON, OF_HANDLES, Interface

#: What calls of the system and of LMDB fail with, as far as a status is made of it: by their documentation, in the way in
#: which they are called here. What only programs get that call them wrongly, and interruptions, are left out.
FAILS = {
  # An environment of LMDB that is open
  "mdb_txn_begin": "MDB_PANIC MDB_MAP_RESIZED MDB_READERS_FULL ENOMEM",
  "mdb_txn_renew": "MDB_PANIC MDB_MAP_RESIZED",
  "mdb_txn_commit": "MDB_PANIC MDB_MAP_FULL MDB_CORRUPTED MDB_TXN_FULL EDQUOT EFBIG EIO ENOMEM ENOSPC",
  "mdb_get": "MDB_NOTFOUND MDB_CORRUPTED MDB_PAGE_NOTFOUND",
  "mdb_cursor_open": "ENOMEM",
  "mdb_cursor_get": "MDB_NOTFOUND MDB_CORRUPTED MDB_PAGE_NOTFOUND",
  "mdb_cursor_put": "MDB_MAP_FULL MDB_CORRUPTED MDB_PAGE_NOTFOUND MDB_CURSOR_FULL MDB_PAGE_FULL MDB_TXN_FULL ENOMEM",
  "mdb_put": "MDB_MAP_FULL MDB_CORRUPTED MDB_PAGE_NOTFOUND MDB_CURSOR_FULL MDB_PAGE_FULL MDB_TXN_FULL ENOMEM",
  "mdb_del": "MDB_NOTFOUND MDB_MAP_FULL MDB_CORRUPTED MDB_PAGE_NOTFOUND MDB_CURSOR_FULL MDB_TXN_FULL ENOMEM",
  "mdb_drop": "MDB_MAP_FULL MDB_CORRUPTED MDB_PAGE_NOTFOUND MDB_TXN_FULL ENOMEM",
  "mdb_stat": "",
  "mdb_dbi_open": "MDB_NOTFOUND MDB_CORRUPTED MDB_PAGE_NOTFOUND MDB_INCOMPATIBLE ENOMEM",
  "mdb_env_set_mapsize": "ENOMEM",
  "mdb_env_get_fd": "",
  "mdb_env_copyfd2": "MDB_CORRUPTED MDB_PAGE_NOTFOUND MDB_INCOMPATIBLE MDB_MAP_RESIZED EDQUOT EFBIG EIO ENOMEM ENOSPC",
  # Opening one
  "mdb_env_create": "ENOMEM",
  "mdb_env_open": "MDB_INVALID MDB_VERSION_MISMATCH EACCES EAGAIN EIO EMFILE ENOENT ENOMEM EROFS",
  # Also of what it calls, which opens the environment.
  "lvs_call_opening": "MDB_INVALID MDB_VERSION_MISMATCH EACCES EAGAIN EIO EMFILE ENOENT ENOMEM EROFS",
  # Files that are there
  "lvs_open": "EACCES EIO ELOOP EMFILE ENOENT ENOMEM EPERM EROFS",
  "lvs_open_at": "EACCES EIO EISDIR ELOOP EMFILE ENOENT ENOMEM ENOTDIR ENXIO EPERM EROFS",
  "lvs_open_directory": "EACCES EIO ELOOP EMFILE ENOENT ENOMEM ENOTDIR",
  "lvs_file_facts_of": "EACCES EIO ELOOP ENOENT ENOMEM ENOTDIR",
  "lvs_file_facts_in": "EACCES EIO ENOENT ENOMEM",
  "lvs_file_facts_at": "EIO",
  "lvs_directory_names": "EACCES EIO EMFILE ENOENT ENOMEM",
  "lvs_count_foreign_entries": "EACCES EIO EMFILE ENOENT ENOMEM",
  "lvs_read_beneath": "EACCES EFBIG EIO EISDIR ELOOP EMFILE ENOENT ENOMEM ENOTDIR",
  "realpath": "EACCES EIO ELOOP ENOENT ENOMEM ENOTDIR",
  # Files that are made, written and named
  "lvs_make_at": "EACCES EDQUOT EEXIST EIO EISDIR ELOOP EMFILE ENOENT ENOMEM ENOSPC ENXIO EPERM EROFS",
  "lvs_make_folder_at": "EACCES EDQUOT EIO EMFILE ENOENT ENOMEM ENOSPC EPERM EROFS",
  "mkdir": "EACCES EDQUOT EEXIST EIO ELOOP ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS",
  "lvs_rename_at": "EACCES EBUSY EDQUOT EIO EISDIR ENOENT ENOMEM ENOSPC EPERM EROFS",
  "lvs_unlink_at": "EACCES EBUSY EIO EISDIR ENOENT ENOMEM EPERM EROFS",
  "lvs_name_too": "EACCES EDQUOT EEXIST EIO ENOENT ENOMEM ENOSPC EPERM EROFS",
  "lvs_copy": "EDQUOT EFBIG EIO ENOMEM ENOSPC",
  "lvs_write_at": "EDQUOT EFBIG EIO ENOMEM ENOSPC",
  "lvs_reserve": "EDQUOT EFBIG EIO ENOMEM ENOSPC",
  "ftruncate": "EIO",
  "lseek": "EIO",
  "fsync": "EDQUOT EIO ENOSPC",
  "lvs_sync_folder": "EDQUOT EIO ENOSPC",
  "lvs_sync_names": "EDQUOT EIO EMFILE ENOENT ENOMEM ENOSPC",
  # Locks, memory, descriptors
  "lvs_lock_byte": "EACCES EAGAIN ENOLCK",
  "lvs_share_byte": "EACCES EAGAIN ENOLCK",
  "lvs_keep_byte": "EACCES EAGAIN ENOLCK",
  "lvs_lock_file_make": "ENOMEM",
  "lvs_page_map": "ENOMEM",
  "lvs_wake_open": "EDQUOT EFBIG EIO ENOMEM ENOSPC",
  "lvs_wake_make": "ENOMEM",
  "lvs_wake_part": "ENOMEM",
  "lvs_make_in_memory": "EMFILE ENOMEM",
  "lvs_open_again": "EMFILE ENOMEM",
  "lvs_duplicate": "EMFILE ENOMEM",
  "lvs_exchange": "EMFILE",
  "lvs_event_make": "EMFILE ENOMEM",
}

#: What leaves errno alone, or that nobody asks for after it.
HARMLESS = "close free lvs_close lvs_errno lvs_page_unmap"

#: The codes that are made an error of in a function, or that it returns, where that cannot be followed.
CODES = {
  # What the cases of a switch leave, or a condition of several parts.
  "StoreFile.refusal(_:_:)": "EACCES EIO ELOOP EMFILE ENOENT ENOMEM EPERM",
  "Transaction.withValue(for:in:_:)": "MDB_CORRUPTED MDB_PAGE_NOTFOUND",
  "BundleFolder.read(_:in:)": "EACCES EIO EMFILE ENOMEM",
  "BrandDirectory.names(in:)": "EACCES EIO EMFILE ENOENT ENOMEM",
  "BackupCleaning.remove(_:_:)": "EACCES EBUSY EIO EISDIR ENOMEM EPERM EROFS",
  # Beside what its body returns: the deadline has passed, or a lock cannot be had at all.
  "LockFile.whileChangingReaders(until:_:)": "EBUSY ENOLCK",
  # A transaction that only reads: there is nothing to write.
  "Environment.prepare(_:_:_:)": "",
  "Environment.openDatabases(_:)": "",
  # A file in memory.
  "MemoryCopy.openCopy()": "ENOMEM ENOSPC",
  # In a member that another function sets.
  "ProcessEnvironment.own()": "ENOMEM",
  # Of a property that asked the system before.
  "MemoryCopy.openReadOnlyMedium()": "EMFILE",
  # Of the page of LMDB's lock file, in memory.
  "MemoryCopy.openCopy()": "ENOMEM",
}

#: Functions that make an error of a code, their first argument; others that hand one on to these are found.
MAKERS = ("Errors.system(_:_:)", "LMDBError.init(code:)", "LMDBError.check(_:)")
#: Those that say which code is which status: none arises in them.
CONVERTERS = ("Errors.system(_:_:)", "Errors.init(_:)", "LMDBError.init(code:)", "LMDBError.check(_:)")

#: Functions that hand a status back with their answer, and those callers that make an error of it.
ASKED = {"SettingValidator.validated(_:)": ("Committer.validate(_:_:_:_:_:_:)",)}

#: What runs on a thread of its own: nobody waits for it, or is told of its errors.
THREADS = ("lvs_thread_start", "lvs_thread_start_watched")

#: Functions that wait for others until a timeout, and for whom.
WAITS = {
  "WriterGate.whileWriting(timeout:saying:_:)": "writers",
  "WriterGate.alsoWriting(timeout:_:)": "writers",
  "WriterGate.whileOpening(timeout:_:)": "openings",
}
#: What takes a lock, and the locks that are held while somebody is waited for: whoever wants one waits as long.
LOCK = "Lock.withLock(_:)"
LOCKS = {
  "ChangeSet.lock": "calls on one change set",
  "Registry.opening": "openings",
}
#: By what a comment says that it waits for them. What it never waits for is not said by that.
SAID = {
  "writers": r"(?<!never )(?<!not )waits? for (?:a writer|writers|other writers)",
  "openings": r"(?<!never )(?<!not )waits? for .*openings",
  "calls on one change set": r"calls on one change set wait",
}

#: Words of livery.h that tell once for all functions what may come to them.
REPLACED = "opens the new one first"
SEALED = "Where secrets are sealed"
MEDDLING = "what comes of others who meddle with the store's directory"
#: Where that comes from, and what it is.
TOLD = {
  "SharedEnvironment.reopen()": ("IO, PERMISSION, BUSY", REPLACED),
  "SharedEnvironment.follow()": ("writers, openings", REPLACED),
  "Environment.read(_:)": ("IO, BUSY", REPLACED),
  "Environment.snapshot()": ("IO", REPLACED),
  "BackupFolder.entries()": ("NOT_FOUND", MEDDLING),
  "Sealing.open(_:_:)": ("UNAVAILABLE", SEALED),
  "Sealing.seal(_:_:_:_:)": ("UNAVAILABLE", SEALED),
  "Committer.check(_:_:_:)": ("UNAVAILABLE", SEALED),
  "Recovery.compact(_:)": ("NOT_FOUND, NOT_A_STORE", MEDDLING),
  "BackupCleaning.cleaned(_:_:)": ("NOT_FOUND, NOT_A_STORE", MEDDLING),
}

#: What a function never comes to, though it looks so; and why.
NEVER = {
  "Store+Trial.end(_:_:)": ("INVALID_VALUE, LOCKED, PARSE, TYPE_MISMATCH", "the request has no edits: it only ends a trial"),
  # Of the store's file
  "SharedEnvironment.reopen()": ("NOT_A_STORE, NOT_FOUND", "what is no store, or nothing, in the file's place is GONE"),
  "Environment+Copy.copyApart(_:_:_:)": ("NOT_A_STORE, NOT_FOUND", "it opens the file that is open"),
  "SharedEnvironment+Copy.copy(in:mode:_:allowsDamagedRecords:name:)": (
    "FORMAT_NEWER", "it looks at the copy of a store that is open"),
  "Recovery.compact(_:)": ("FORMAT_NEWER", "the same"),
  "MemoryStore.compact(_:)": ("FORMAT_NEWER, NOT_A_STORE, NOT_FOUND", "the files are this process's, and were just written"),
  "Store+Sealer.sealFirst()": ("READ_ONLY", "a handle for reading alone seals nothing"),
  # Of handles and buffers
  "Value.releaseValue(_:)": ("INVALID_ARGUMENT", "who calls it has a handle"),
  "Handles.publish(_:to:)": ("CLOSED", "a value belongs to no store"),
  "Store.livery_open(_:_:_:)": ("CLOSED", "a new store belongs to none"),
  "Asset.livery_asset_put(_:_:_:_:_:)": ("BUFFER_TOO_SMALL", "a caller's buffer has the size of an identifier"),
  "Asset.livery_change_put_asset(_:_:_:_:_:)": ("BUFFER_TOO_SMALL", "a caller's buffer has the size of an identifier"),
  "Snapshot.livery_snapshot_next(_:_:_:_:)": ("BUFFER_TOO_SMALL", "a caller's buffer has the size of the longest name"),
  "Change+Edit.livery_edit(_:_:_:_:_:_:)": ("calls on one change set", "nobody can use it any more when it is asked"),
  # Of what several functions share
  "Store+Read.livery_get_value(_:_:_:)": ("TYPE_MISMATCH", "no type is asked for"),
  "Store+Read.livery_read(_:_:_:_:_:)": ("TYPE_MISMATCH", "no type is asked for"),
  "Value+Make.livery_value_make_bool(_:_:)": ("INVALID_VALUE", "a setting can hold each"),
  "Value+Make.livery_value_make_int(_:_:)": ("INVALID_VALUE", "a setting can hold each"),
  "MigrationCall.remove(_:)": ("INVALID_VALUE", "no value is set"),
  "MigrationRun.set(_:from:to:_:_:)": ("INVALID_VALUE", "the schema's values were checked, and what is in override expires"),
  "Migration.livery_migration_register(_:_:_:_:_:)": ("MIGRATION", "an upgrade calls the function"),
  # Of what a commit refuses: that depends on what is asked of it
  "ChangeSet.init(refusing:)": ("INVALID_VALUE", "there is a refusal, which has a status of its own"),
  "ChangeSet.commit()": ("PARSE", "names were looked at when the edits were added"),
  "ChangeSet.edit(_:_:)": ("PARSE, calls on one change set", "the same; and the change set is the function's own"),
  "ChangeSet.set(_:to:in:)": ("CONFLICT, calls on one change set", "nothing is expected, and nobody else has it"),
  "ChangeSet.reset(_:in:)": ("CONFLICT, INVALID_VALUE, TYPE_MISMATCH, calls on one change set",
                                   "the same, and no value is set"),
  "Assets.put(_:allowsAny:)": ("CONFLICT, LOCKED, NOT_FOUND, TYPE_MISMATCH", "there are no edits"),
  "Store+Import.importDocument(into:_:_:_:_:)": ("CONFLICT", "nothing is expected"),
  "Store+Undo.undo(_:force:)": ("PARSE", "the names are of settings"),
  "StoreBranding.set(_:to:in:)": ("CONFLICT, NOT_FOUND, calls on one change set", "nothing is expected; names of branding need no declaration"),
  "StoreBranding+Sources.commit(_:_:)": ("CONFLICT, LOCKED, NOT_FOUND, calls on one change set", "the same; and locks do not count"),
  "StoreBranding+Sources.edit(_:_:_:)": ("CONFLICT, LOCKED, NOT_FOUND, calls on one change set", "the same; and locks do not count"),
  "StoreBranding+Sources.document(origin:_:)": ("calls on one change set", "the change set is the function's own"),
  "BrandSource.init(_:_:origin:ignoresLocks:)": ("calls on one change set", "the same"),
  "BrandSource.install(_:as:waits:past:)": ("calls on one change set", "the same"),
  "BrandSource.set(_:_:)": ("calls on one change set", "the same"),
  "BrandSource.replace(_:_:)": ("calls on one change set", "the same"),
  "BrandSource.moving(_:_:)": ("calls on one change set", "the same"),
  "BrandSource.reset(_:)": ("calls on one change set", "the same"),
  "StoreBranding+Brands.brand(for:)": ("READ_ONLY", "the namespace is the store's own"),
  "StoreBranding+Sources.wipe()": ("CONFLICT, LOCKED, NOT_FOUND, calls on one change set", "nothing is expected, and locks do not count"),
  "StoreBranding+Brands.remove(_:)": ("INVALID_VALUE, TYPE_MISMATCH", "values are only removed"),
  "StoreBranding+Sources.applyConsole(_:origin:isWhole:replaces:)": ("NOT_FOUND, PERMISSION", "no bundle is read"),
}


class Known:
  """The tables above, with the statuses of the headers and how codes become these."""

  fails = {name: set(codes.split()) for name, codes in FAILS.items()}
  codes = {title: set(codes.split()) for title, codes in CODES.items()}
  harmless, threads = set(HARMLESS.split()), set(THREADS)
  makers, converters, asked = set(MAKERS), set(CONVERTERS), ASKED
  waits, lock, locks = WAITS, LOCK, LOCKS
  common = set(COMMON)
  #: What no comment lists.
  not_listed = {*COMMON, *OF_HANDLES}

  def __init__(self, interface: Interface, texts: Dict[str, str]) -> None:
    """What is told of codes is read from the files that say it, by their names."""
    names = {value: name for name, value in interface.constants.items() if name.startswith("LIVERY_ERROR_")}
    declared = re.findall(r"static let (\w+) = Code\(rawValue: (-\d+)\)", texts["StoreError.swift"])
    #: The statuses as Swift has them, and as the headers do, without LIVERY_ERROR_.
    self.statuses = {name: names[int(number)].removeprefix("LIVERY_ERROR_") for name, number in declared}
    self.short = {"LIVERY_ERROR_" + long: name for name, long in self.statuses.items()}
    errors = texts["Errors.swift"]
    kinds = dict(re.findall(r"case \.(\w+):\s+self\.init\(\s*\.(\w+),", errors))
    self.by_code = {code: status for codes, status in re.findall(r"case ([A-Z][A-Z, ]+): \.(\w+)\n", errors)
                    for code in codes.split(", ")}
    self.by_code.update({code: kinds[kind] for codes, kind in
                         re.findall(r"case ((?:MDB_|E)[A-Z_, ]+): \.(\w+)\n", texts["LMDBError.swift"])
                         for code in codes.split(", ")})
    self.all_codes = set().union(*self.fails.values(), *self.codes.values(), self.by_code)
    #: What the tables name beside exceptions, which has to be there.
    self.named = {*CODES, *MAKERS, *CONVERTERS, *ASKED, *WAITS, LOCK, *(each for some in ASKED.values() for each in some)}
    self.told = {(title, name): words for title, (names, words) in TOLD.items() for name in names.split(", ")}
    self.never = {(title, name): reason for title, (names, reason) in NEVER.items() for name in names.split(", ")}

  def status(self, name: str) -> str:
    """The status that a code becomes; a status is one."""
    return name if name in self.statuses else self.by_code.get(name, "io")

  def label(self, name: str) -> str:
    return self.statuses[self.status(name)]
