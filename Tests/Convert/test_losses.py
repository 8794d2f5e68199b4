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


def test_texts_of_android_are_read_once(tmp_path: pathlib.Path) -> None:
  (tmp_path / "values").mkdir()
  (tmp_path / "values-de").mkdir()
  (tmp_path / "xml").mkdir()
  texts = {"p": "C:\\\\new", "at": "\\@string/p", "again": " @string/p ", "spaces": '"a  b"'}
  for folder in ("values", "values-de"):
    rows = "".join(f'<string name="{name}">{one}{"s" if folder != "values" and name == "p" else ""}</string>' for name, one in texts.items())
    (tmp_path / folder / "strings.xml").write_text(f'<resources>{rows}<string-array name="all"><item>C:\\\\new</item><item>@string/p</item></string-array></resources>')
  rows = "".join(f'<restriction android:key="{name}" android:restrictionType="string" android:title="@string/p" android:defaultValue="@string/{name}"/>'
                 for name in texts)
  rows += '<restriction android:key="all" android:restrictionType="multi-select" android:title="All" android:entryValues="@array/all" android:entries="@array/all"/>'
  (tmp_path / "xml" / "app_restrictions.xml").write_text(f'<restrictions xmlns:android="http://schemas.android.com/apk/res/android">{rows}</restrictions>')
  document = android.read([Source.open(str(tmp_path / "xml" / "app_restrictions.xml"))])
  found = {one["Key"]: one.get("Value") for one in document.settings()}
  assert found == {"p": "C:\\new", "at": "@string/p", "again": "C:\\new", "spaces": "a  b", "all": None} and not document.losses
  options = document.find("all")
  assert options and [one["Value"] for one in options["Options"]] == ["C:\\new"] and document.texts == {"de": {"C:\\new": "C:\\news"}}


def test_texts_of_android_come_back(tmp_path: pathlib.Path) -> None:
  for number, one in enumerate(["C:\\new\n  two  spaces\\n", "\\", "@string/x", "?x", '"a"', "it's", "\ttab\r\n", " around ", "\\u0041"]):
    document = schema(text("told", Value=one, Description=one))
    again = written("android", document, tmp_path / str(number))
    found = next(again.settings())
    assert (found["Value"], found["Description"]) == (one, one) and not document.losses
