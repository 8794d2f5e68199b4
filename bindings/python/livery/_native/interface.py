"""The structs, callbacks and functions of the C interface.

Made by tools/api from include/livery: change the headers, then run `python3 tools/api python`.
"""

from __future__ import annotations

from ctypes import (
  CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32,
  c_uint64, c_void_p
)
from typing import Any, Dict, Tuple


class CollectOptions(Structure):
  _fields_ = [("struct_size", c_size_t), ("flags", c_uint32), ("min_age_s", c_uint32)]


class Error(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("status", c_int32), ("system_error", c_int32), ("message", c_char_p),
    ("setting", c_char_p), ("line", c_uint32), ("column", c_uint32)
  ]


class Traits(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("idiom", c_int32), ("appearance", c_int32), ("orientation", c_int32),
    ("contrast", c_int32), ("scale", c_double), ("width", c_double), ("height", c_double), ("locale", c_char_p)
  ]


class Rect(Structure):
  _fields_ = [("x", c_double), ("y", c_double), ("width", c_double), ("height", c_double)]


class BrandingOptions(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("brand", c_char_p), ("bundle", c_char_p), ("origin", c_char_p), ("flags", c_uint32),
    ("reserved", c_uint32)
  ]


class FormOptions(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("layer", c_int32), ("has_layer", c_bool), ("hidden", c_bool), ("locale", c_char_p)
  ]


class SearchOptions(Structure):
  _fields_ = [("struct_size", c_size_t), ("limit", c_size_t), ("locale", c_char_p), ("hidden", c_bool)]


class HistoryOptions(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("pattern", c_char_p), ("layer", c_int32), ("has_layer", c_bool), ("origin", c_char_p),
    ("since", c_int64), ("until", c_int64), ("before_revision", c_uint64), ("limit", c_size_t)
  ]


class SchemaOptions(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("origin", c_char_p), ("declassify", POINTER(c_char_p)), ("declassify_count", c_size_t)
  ]


class SealPlace(Structure):
  _fields_ = [("name", c_char_p), ("layer", c_int32), ("context", c_void_p), ("context_length", c_size_t)]


class OpenOptions(Structure):
  _fields_ = [
    ("struct_size", c_size_t), ("flags", c_uint32), ("busy_timeout_ms", c_uint32), ("map_size", c_uint64),
    ("max_readers", c_uint32), ("log_entries", c_uint32), ("log_age_s", c_uint32), ("backups", c_uint32),
    ("cache_size", c_uint64), ("backup_commits", c_uint32), ("backup_age_s", c_uint32), ("orphan_versions", c_uint64),
    ("log_bytes", c_uint64)
  ]


class ListOptions(Structure):
  _fields_ = [("struct_size", c_size_t), ("after", c_char_p), ("limit", c_size_t)]


class Color(Structure):
  _fields_ = [("red", c_float), ("green", c_float), ("blue", c_float), ("alpha", c_float)]


class Event(Structure):
  _fields_ = [
    ("revision", c_uint64), ("time", c_int64), ("kind", c_int32), ("layer", c_int32), ("name", c_char_p),
    ("old_value", c_void_p), ("new_value", c_void_p), ("origin", c_char_p), ("writable", c_bool), ("secret", c_bool),
    ("unavailable", c_bool)
  ]


class WatchOptions(Structure):
  _fields_ = [("struct_size", c_size_t), ("flags", c_uint32), ("min_interval_ms", c_uint32)]


class Reading(Structure):
  _fields_ = [
    ("type", c_int32), ("as_bool", c_bool), ("as_int", c_int64), ("as_double", c_double), ("as_color", Color),
    ("length", c_size_t)
  ]


DestroyFunction = CFUNCTYPE(None, c_void_p)
LogFunction = CFUNCTYPE(None, c_int32, c_char_p, c_void_p)
EditFunction = CFUNCTYPE(c_int32, c_void_p, c_void_p)
ClaimFunction = CFUNCTYPE(c_int32, c_char_p, c_void_p, POINTER(c_void_p), c_void_p)
MigrationFunction = CFUNCTYPE(c_int32, c_void_p, c_void_p)
SealFunction = CFUNCTYPE(
  c_int32, POINTER(SealPlace), c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t), c_void_p
)
WatchFunction = CFUNCTYPE(None, POINTER(Event), c_size_t, c_void_p)
PostFunction = CFUNCTYPE(None, c_void_p)


class Sealer(Structure):
  _fields_ = [("struct_size", c_size_t), ("seal", SealFunction), ("open", SealFunction)]


#: The result and the parameters of each function, under its name without the prefix.
FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {
  # livery/asset.h
  "asset_describe": (c_int32, (c_char_p, c_size_t, c_uint32, POINTER(c_void_p))),
  "asset_put": (c_int32, (c_void_p, c_char_p, c_size_t, c_uint32, c_void_p)),
  "change_put_asset": (c_int32, (c_void_p, c_char_p, c_size_t, c_uint32, c_void_p)),
  "change_put_fact": (c_int32, (c_void_p, c_char_p, c_char_p, c_char_p, c_size_t)),
  "asset_fact": (c_int32, (c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t))),
  "asset_get": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t))),
  "snapshot_asset": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t))),
  "asset_info": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "asset_list": (c_int32, (c_void_p, POINTER(c_void_p))),
  "asset_remove": (c_int32, (c_void_p, c_char_p, c_uint32)),
  "asset_collect": (c_int32, (c_void_p, POINTER(CollectOptions), POINTER(c_void_p))),
  # livery/base.h
  "version": (c_uint32, ()),
  "version_string": (c_char_p, ()),
  "features": (c_uint64, ()),
  "free": (None, (c_void_p,)),
  "status_name": (c_char_p, (c_int32,)),
  "last_error": (POINTER(Error), ()),
  "error_leave": (None, (c_int32, c_char_p)),
  "set_log_handler": (c_int32, (LogFunction, c_void_p, DestroyFunction)),
  # livery/branding.h
  "color_parse": (c_int32, (c_char_p, c_size_t, POINTER(Color))),
  "color_format": (c_int32, (Color, c_int32, c_void_p, c_size_t, POINTER(c_size_t))),
  "color_contrast": (c_int32, (Color, Color, POINTER(c_double))),
  "color_legible_on": (c_int32, (Color, POINTER(Color))),
  "color_nearest_passing": (c_int32, (Color, Color, c_double, POINTER(Color))),
  "aspect_fit": (c_int32, (c_double, c_double, c_double, c_double, POINTER(Rect))),
  "branding_match": (c_int32, (c_void_p, POINTER(Traits), POINTER(c_void_p))),
  "branding_color": (c_int32, (c_void_p, c_char_p, POINTER(Color))),
  "branding_shown_color": (c_int32, (c_void_p, c_char_p, POINTER(Color), POINTER(c_bool))),
  "branding_gradient": (c_int32, (c_void_p, c_char_p, POINTER(Color), POINTER(Color))),
  "branding_set_color": (c_int32, (c_void_p, c_int32, c_char_p, Color)),
  "branding_set_image": (c_int32, (c_void_p, c_int32, c_char_p, c_void_p)),
  "branding_image": (c_int32, (c_void_p, c_char_p, POINTER(Traits), POINTER(c_void_p))),
  "branding_explain": (c_int32, (c_void_p, c_char_p, POINTER(Traits), POINTER(c_void_p))),
  "branding_apply_plist": (c_int32, (c_void_p, c_char_p, c_size_t, POINTER(BrandingOptions), POINTER(c_void_p))),
  "branding_apply_directory": (c_int32, (c_void_p, c_char_p, POINTER(BrandingOptions), POINTER(c_void_p))),
  "branding_apply_console": (c_int32, (c_void_p, c_void_p, c_char_p, POINTER(c_void_p))),
  "branding_enabled": (c_int32, (c_void_p, c_int32, POINTER(c_bool))),
  "branding_set_enabled": (c_int32, (c_void_p, c_int32, c_bool)),
  "branding_wipe": (c_int32, (c_void_p,)),
  "branding_use": (c_int32, (c_void_p, c_char_p)),
  "branding_remove": (c_int32, (c_void_p, c_char_p)),
  "branding_list": (c_int32, (c_void_p, POINTER(c_void_p))),
  "branding_get": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "branding_check": (c_int32, (c_void_p, c_char_p, POINTER(Traits), POINTER(c_void_p))),
  "branding_preview": (c_int32, (c_void_p, POINTER(Traits), POINTER(c_void_p), POINTER(c_void_p))),
  # livery/change.h
  "set_bool": (c_int32, (c_void_p, c_int32, c_char_p, c_bool)),
  "set_int": (c_int32, (c_void_p, c_int32, c_char_p, c_int64)),
  "set_double": (c_int32, (c_void_p, c_int32, c_char_p, c_double)),
  "set_string": (c_int32, (c_void_p, c_int32, c_char_p, c_char_p, c_size_t)),
  "set_data": (c_int32, (c_void_p, c_int32, c_char_p, c_char_p, c_size_t)),
  "set_color": (c_int32, (c_void_p, c_int32, c_char_p, Color)),
  "set_value": (c_int32, (c_void_p, c_int32, c_char_p, c_void_p)),
  "reset": (c_int32, (c_void_p, c_int32, c_char_p)),
  "change_begin": (c_int32, (c_void_p, c_int32, POINTER(c_void_p))),
  "change_set_bool": (c_int32, (c_void_p, c_char_p, c_bool)),
  "change_set_int": (c_int32, (c_void_p, c_char_p, c_int64)),
  "change_set_double": (c_int32, (c_void_p, c_char_p, c_double)),
  "change_set_string": (c_int32, (c_void_p, c_char_p, c_char_p, c_size_t)),
  "change_set_data": (c_int32, (c_void_p, c_char_p, c_char_p, c_size_t)),
  "change_set_color": (c_int32, (c_void_p, c_char_p, Color)),
  "change_set_value": (c_int32, (c_void_p, c_char_p, c_void_p)),
  "change_replace": (c_int32, (c_void_p, c_char_p, c_void_p)),
  "change_layer": (c_int32, (c_void_p, c_int32)),
  "change_get": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "change_get_layer": (c_int32, (c_void_p, c_int32, c_char_p, POINTER(c_void_p))),
  "change_list": (c_int32, (c_void_p, c_int32, c_char_p, POINTER(c_void_p))),
  "change_reset": (c_int32, (c_void_p, c_char_p)),
  "change_reset_all": (c_int32, (c_void_p,)),
  "change_expires": (c_int32, (c_void_p, c_int64)),
  "change_session_ends": (c_int32, (c_void_p, c_int64)),
  "change_expect": (c_int32, (c_void_p, c_char_p, c_uint64)),
  "change_origin": (c_int32, (c_void_p, c_char_p)),
  "change_attribute": (c_int32, (c_void_p, c_char_p)),
  "change_ignore_locks": (c_int32, (c_void_p,)),
  "change_commit": (c_int32, (c_void_p, POINTER(c_uint64))),
  "change_violations": (c_int32, (c_void_p, POINTER(c_void_p))),
  "change_discard": (c_int32, (c_void_p,)),
  "edit": (c_int32, (c_void_p, c_int32, EditFunction, c_void_p, POINTER(c_uint64), POINTER(c_void_p))),
  "claim": (c_int32, (c_void_p, c_char_p, ClaimFunction, c_void_p, DestroyFunction)),
  "claim_secret": (c_int32, (c_void_p, c_char_p)),
  # livery/exchange.h
  "import_json": (c_int32, (c_void_p, c_int32, c_char_p, c_size_t, c_uint32, POINTER(c_void_p))),
  "import_plist": (c_int32, (c_void_p, c_int32, c_char_p, c_size_t, c_uint32, POINTER(c_void_p))),
  "export_json": (c_int32, (c_void_p, c_uint32, POINTER(c_void_p), POINTER(c_size_t))),
  # livery/form.h
  "form": (c_int32, (c_void_p, POINTER(FormOptions), POINTER(c_void_p))),
  "search": (c_int32, (c_void_p, c_char_p, POINTER(SearchOptions), POINTER(c_void_p))),
  # livery/history.h
  "history": (c_int32, (c_void_p, POINTER(HistoryOptions), POINTER(c_void_p))),
  "undo": (c_int32, (c_void_p, c_uint64, c_uint32, POINTER(c_uint64))),
  # livery/key.h
  "key_open": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "key_close": (c_int32, (c_void_p,)),
  "key_get_bool": (c_int32, (c_void_p, POINTER(c_bool))),
  "key_get_int": (c_int32, (c_void_p, POINTER(c_int64))),
  "key_get_double": (c_int32, (c_void_p, POINTER(c_double))),
  "key_get_string": (c_int32, (c_void_p, c_void_p, c_size_t, POINTER(c_size_t))),
  # livery/maintenance.h
  "check": (c_int32, (c_char_p, POINTER(c_void_p))),
  "backup": (c_int32, (c_void_p, c_char_p)),
  "backups": (c_int32, (c_void_p, POINTER(c_void_p))),
  "restore": (c_int32, (c_void_p, c_char_p, c_char_p, POINTER(c_uint64))),
  "compact": (c_int32, (c_void_p,)),
  "forget": (c_int32, (c_void_p, c_char_p, c_uint32, POINTER(c_void_p))),
  "stats": (c_int32, (c_void_p, POINTER(c_void_p))),
  # livery/migration.h
  "migration_register": (c_int32, (c_void_p, c_char_p, MigrationFunction, c_void_p, DestroyFunction)),
  "migration_layer": (c_int32, (c_void_p, POINTER(c_int32))),
  "migration_version": (c_int32, (c_void_p, POINTER(c_uint64))),
  "migration_get": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "migration_set": (c_int32, (c_void_p, c_char_p, c_void_p)),
  "migration_remove": (c_int32, (c_void_p, c_char_p)),
  "migration_names": (c_int32, (c_void_p, POINTER(c_void_p))),
  "migration_fail": (c_int32, (c_void_p, c_char_p)),
  # livery/schema.h
  "schema_apply": (c_int32, (c_void_p, c_char_p, c_size_t, POINTER(SchemaOptions), POINTER(c_void_p))),
  "schema_check": (c_int32, (c_void_p, c_char_p, c_size_t, POINTER(c_void_p))),
  "schema_compare": (c_int32, (c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_void_p))),
  "schema_version": (c_int32, (c_void_p, POINTER(c_uint64))),
  "schema_copy_json": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_size_t))),
  "schema_copy_digest": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_size_t))),
  "settings": (c_int32, (c_void_p, POINTER(c_void_p))),
  # livery/sealer.h
  "set_sealer": (c_int32, (c_void_p, POINTER(Sealer), c_void_p, DestroyFunction)),
  "reseal": (c_int32, (c_void_p, c_uint32, POINTER(c_void_p))),
  "sealing": (c_int32, (c_void_p, POINTER(c_void_p))),
  # livery/snapshot.h
  "snapshot_open": (c_int32, (c_void_p, POINTER(c_void_p))),
  "snapshot_close": (c_int32, (c_void_p,)),
  "snapshot_revision": (c_int32, (c_void_p, POINTER(c_uint64))),
  "snapshot_get": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "snapshot_get_layer": (c_int32, (c_void_p, c_int32, c_char_p, POINTER(c_void_p))),
  "snapshot_list": (c_int32, (c_void_p, c_int32, c_char_p, POINTER(c_void_p))),
  "snapshot_next": (c_int32, (c_void_p, c_char_p, c_void_p, POINTER(c_void_p))),
  # livery/store.h
  "open": (c_int32, (c_char_p, POINTER(OpenOptions), POINTER(c_void_p))),
  "close": (c_int32, (c_void_p,)),
  "revision": (c_int32, (c_void_p, POINTER(c_uint64))),
  "get_bool": (c_int32, (c_void_p, c_char_p, POINTER(c_bool))),
  "get_int": (c_int32, (c_void_p, c_char_p, POINTER(c_int64))),
  "get_float": (c_int32, (c_void_p, c_char_p, POINTER(c_float))),
  "get_double": (c_int32, (c_void_p, c_char_p, POINTER(c_double))),
  "get_string": (c_int32, (c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_size_t))),
  "get_data": (c_int32, (c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_size_t))),
  "get_url": (c_int32, (c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_size_t))),
  "get_date": (c_int32, (c_void_p, c_char_p, POINTER(c_int64))),
  "get_color": (c_int32, (c_void_p, c_char_p, POINTER(Color))),
  "get_list": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "get_object": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "get_value": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "read": (c_int32, (c_void_p, c_char_p, c_void_p, c_size_t, POINTER(Reading))),
  "copy_string": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t))),
  "copy_data": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p), POINTER(c_size_t))),
  "list": (c_int32, (c_void_p, c_char_p, POINTER(ListOptions), POINTER(c_void_p))),
  "inspect": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  # livery/trial.h
  "change_trial": (c_int32, (c_void_p, c_int64)),
  "trial_confirm": (c_int32, (c_void_p, c_uint64, c_char_p)),
  "trial_revert": (c_int32, (c_void_p, c_uint64, c_char_p)),
  "trial_status": (c_int32, (c_void_p, POINTER(c_void_p))),
  # livery/value.h
  "value_retain": (c_int32, (c_void_p,)),
  "value_release": (c_int32, (c_void_p,)),
  "value_type": (c_int32, (c_void_p, POINTER(c_int32))),
  "value_as_bool": (c_int32, (c_void_p, POINTER(c_bool))),
  "value_as_int": (c_int32, (c_void_p, POINTER(c_int64))),
  "value_as_double": (c_int32, (c_void_p, POINTER(c_double))),
  "value_as_string": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_size_t))),
  "value_as_data": (c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_size_t))),
  "value_as_color": (c_int32, (c_void_p, POINTER(Color))),
  "value_as_date": (c_int32, (c_void_p, POINTER(c_int64))),
  "value_count": (c_int32, (c_void_p, POINTER(c_size_t))),
  "value_at": (c_int32, (c_void_p, c_size_t, POINTER(c_void_p))),
  "value_member": (c_int32, (c_void_p, c_char_p, POINTER(c_void_p))),
  "value_key_at": (c_int32, (c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_size_t))),
  "value_equal": (c_int32, (c_void_p, c_void_p, POINTER(c_bool))),
  "value_make_bool": (c_int32, (c_bool, POINTER(c_void_p))),
  "value_make_int": (c_int32, (c_int64, POINTER(c_void_p))),
  "value_make_double": (c_int32, (c_double, POINTER(c_void_p))),
  "value_make_string": (c_int32, (c_char_p, c_size_t, POINTER(c_void_p))),
  "value_make_data": (c_int32, (c_char_p, c_size_t, POINTER(c_void_p))),
  "value_make_url": (c_int32, (c_char_p, c_size_t, POINTER(c_void_p))),
  "value_make_date": (c_int32, (c_int64, POINTER(c_void_p))),
  "value_make_color": (c_int32, (Color, POINTER(c_void_p))),
  "value_make_image": (c_int32, (c_char_p, c_size_t, POINTER(c_void_p))),
  "value_make_list": (c_int32, (POINTER(c_void_p), c_size_t, POINTER(c_void_p))),
  "value_make_object": (c_int32, (POINTER(c_char_p), POINTER(c_void_p), c_size_t, POINTER(c_void_p))),
  "value_from_json": (c_int32, (c_char_p, c_size_t, POINTER(c_void_p))),
  "value_to_json": (c_int32, (c_void_p, c_uint32, POINTER(c_void_p), POINTER(c_size_t))),
  # livery/watch.h
  "watch_start": (c_int32, (
    c_void_p, c_char_p, POINTER(WatchOptions), WatchFunction, c_void_p, DestroyFunction, POINTER(c_void_p)
  )),
  "watch_stop": (c_int32, (c_void_p,)),
  "watch_pause": (c_int32, (c_void_p, c_bool)),
  "event_fd": (c_int32, (c_void_p, POINTER(c_int))),
  "dispatch": (c_int32, (c_void_p, POINTER(c_size_t))),
  "post": (c_int32, (c_void_p, c_uint32, PostFunction, c_void_p, DestroyFunction)),
}
