"""What a format has no place for is told: what arranges settings, and what is said of them by halves."""

from __future__ import annotations

import datetime
import json
import pathlib
import plistlib
from typing import Any, Dict

import pytest
from conftest import convert, source, told
from test_formats import module, plain, written

from livery.convert import android, apple_appconfig, apple_bundle, chromium, jsonschema, own, vscode
from livery.convert.document import Document
from livery.convert.source import Source


def schema(*settings: Dict[str, Any], **group: Any) -> Document:
  return own.read([source(json.dumps({"Version": 1, "Groups": [{"Title": "Settings", "Settings": list(settings), **group}]}), "a.json")])


def text(key: str, **members: Any) -> Dict[str, Any]:
  return {"Type": "TextField", "Key": key, "Title": key, "Value": "", **members}


def properties(**given: Any) -> Document:
  return jsonschema.read([source(json.dumps({"properties": given}))])


@pytest.mark.parametrize("name", ["apple-bundle", "apple-config"])
def test_moments_and_carriage_returns_of_apple(name: str) -> None:
  document = schema({"Type": "Date", "Key": "until", "Title": "Until"}, text("note", Value="a\r\nb", Description="c\rd"))
  document.values = {"until": "2026-01-02T03:04:05.25Z", "note": "x\ry"}
  values = plistlib.loads(module(name).write_values(document))
  assert values["note"] == "x\ny" and values["until"].second == 5
  messages = [loss.message for loss in document.losses if loss.setting == "until"]
  assert messages == ["property lists have no fractions of seconds"]
  assert sum("carriage return" in loss.message for loss in document.losses if loss.setting == "note") == 3
  document.losses.clear()
  document.values = {"until": "2026-01-02T03:04:05Z"}
  module(name).write_values(document)
  assert not document.losses


def test_fractions_of_seconds_of_binary_lists_are_read() -> None:
  document = schema({"Type": "Date", "Key": "until", "Title": "Until"})
  moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 250000)
  apple_bundle.read_values(document, Source("v", plistlib.dumps({"until": moment}, fmt=plistlib.FMT_BINARY)))
  assert document.values == {"until": "2026-01-02T03:04:05.250000Z"}
