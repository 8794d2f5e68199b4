"""Android's and Apple's files in the shapes that apps have them: browsers, mail, VPN, kiosks, messengers, readers."""

from __future__ import annotations

import json
import pathlib
import plistlib
from typing import Any, Dict, List, Tuple

import pytest
from conftest import source, told

from livery.convert import android, apple_appconfig, apple_bundle
from livery.convert.document import Document
from livery.convert.place import Refused
from livery.convert.source import Source


def restrictions(*rows: str) -> str:
  return '<restrictions xmlns:android="http://schemas.android.com/apk/res/android">\n' + "\n".join(rows) + "\n</restrictions>"


def row(key: str, kind: str, inner: str = "", **attributes: str) -> str:
  said = "".join(f' android:{name}="{value}"' for name, value in attributes.items())
  head = f'<restriction android:key="{key}" android:restrictionType="{kind}" android:title="{key.title()}"{said}'
  return f"{head}>{inner}</restriction>" if inner else f"{head}/>"


ARRAYS = """<resources><string-array name="v"><item>0</item><item>1</item><item>2</item></string-array>
<string-array name="e"><item>Never</item><item>Wi-Fi</item><item>Always</item></string-array><string name="h">https://home.example</string>
<bool name="yes">true</bool><integer name="n">30</integer><array name="d"><item>1</item></array></resources>"""
CHOICE = {"entries": "@array/e", "entryValues": "@array/v"}
#: What each file has, values of it, and how many settings lose something.
ANDROID: List[Tuple[str, Dict[str, Any], int]] = [
  (restrictions(row("HomepageLocation", "string", defaultValue="@string/h"), row("URLBlocklist", "string"), row("IncognitoModeAvailability", "choice", **CHOICE)),
   {"HomepageLocation": "https://x", "IncognitoModeAvailability": "2"}, 0),
  (restrictions(row("email_address", "string"), row("exchange_host", "string", description="Server\\nname"), row("ssl", "bool", defaultValue="@bool/yes"),
                row("sync_days", "integer", defaultValue="@integer/n")), {"ssl": False, "sync_days": 7, "email_address": "a@b"}, 0),
  (restrictions(row("vpn", "bundle", row("server", "string") + row("port", "integer", defaultValue="443") + row("always_on", "bool", defaultValue="false"))),
   {"vpn": {"server": "s", "port": 1194, "always_on": True}}, 0),
  (restrictions(row("allowed", "bundle_array", row("app", "bundle", row("package", "string") + row("pinned", "bool")))),
   {"allowed": [{"package": "a.b", "pinned": True}, {"package": "c"}]}, 0),
  (restrictions(row("backup", "multi-select", defaultValue="@array/d", **CHOICE), row("license", "hidden", defaultValue="ABC")),
   {"backup": ["0", "2"], "license": "X"}, 0),
  (restrictions(row("a", "bundle", row("b", "bundle", row("c", "bundle", row("d", "string")))) + row("z", "bool")), {"a": {"b": {"c": {"d": "x"}}}, "z": True}, 0),
  (restrictions(row("kiosk-mode", "bool", defaultValue="true"), row("time.out", "integer", defaultValue="0x1E")), {"kiosk-mode": False}, 1),
  (restrictions(row("colour", "string", defaultValue="#336699"), row("gone", "string", defaultValue="@string/none")), {"colour": "#fff"}, 1),
  (restrictions(row("profiles", "bundle_array", row("p", "bundle", row("name", "string") + row("rules", "bundle_array", row("r", "bundle", row("url", "string")))))),
   {"profiles": [{"name": "n", "rules": [{"url": "u"}]}]}, 0),
  (restrictions(row("size", "choice", entries="@array/e", entryValues="@array/v", defaultValue="1"), row("weird", "float", defaultValue="1.5")),
   {"size": "0", "weird": "2"}, 1)]


@pytest.mark.parametrize("index", range(len(ANDROID)))
def test_android(index: int, tmp_path: pathlib.Path) -> None:
  text, values, losing = ANDROID[index]
  (tmp_path / "values").mkdir()
  (tmp_path / "values" / "res.xml").write_text(ARRAYS)
  (tmp_path / "xml").mkdir()
  (tmp_path / "xml" / "app_restrictions.xml").write_text(text)
  document = android.read([Source.open(str(tmp_path / "xml" / "app_restrictions.xml"))])
  assert len({loss.setting for loss in document.losses}) == losing, told(document)
  back_and_forth(android, document, json.dumps(values).encode(), values)


def back_and_forth(module: Any, document: Document, data: bytes, values: Dict[str, Any]) -> None:
  document.losses.clear()
  module.read_values(document, Source("values", data))
  document.check_values()
  assert not document.losses, told(document)
  back = module.write_values(document)
  assert (json.loads(back) if module is android else plistlib.loads(back)) == values


def bundle(*specifiers: Dict[str, Any]) -> bytes:
  return plistlib.dumps({"PreferenceSpecifiers": list(specifiers)})


def specifier(kind: str, key: str = "", **members: Any) -> Dict[str, Any]:
  return {"Type": f"PS{kind}Specifier", **({"Key": key} if key else {}), **members}


BUNDLES: List[Tuple[bytes, Dict[str, Any], int]] = [
  (bundle(specifier("Group", Title="Account"), specifier("TextField", "user", Title="User"), specifier("TextField", "password", Title="Password", IsSecure=True)),
   {"user": "u", "password": "p"}, 0),
  (bundle(specifier("ToggleSwitch", "analytics", Title="Send", DefaultValue=False), specifier("Slider", "brightness", DefaultValue=0.5, MinimumValue=0.0, MaximumValue=1.0)),
   {"analytics": True, "brightness": 0.75}, 0),
  (bundle(specifier("MultiValue", "theme", Title="Theme", DefaultValue="auto", Titles=["Auto", "Dark"], Values=["auto", "dark"])), {"theme": "dark"}, 0),
  (bundle(specifier("RadioGroup", "unit", Title="Unit", DefaultValue=0, Titles=["km", "mi"], Values=[0, 1], FooterText="Of length")), {"unit": 1}, 0),
  (bundle(specifier("TitleValue", "version", Title="Version", DefaultValue="1.0"), specifier("TitleValue", "build", Title="Build", DefaultValue=7)),
   {"version": "2.0", "build": 8}, 0),
  (bundle(specifier("TextField", "server", Title="Server", KeyboardType="URL", AutocorrectionType="No", DefaultValue="https://a")), {"server": "b"}, 1),
  (plistlib.dumps({"PreferenceSpecifiers": [specifier("ToggleSwitch", "on", Title="On", DefaultValue=True)]}, fmt=plistlib.FMT_BINARY), {"on": False}, 0)]
CONFIGS: List[Tuple[str, Dict[str, Any], int]] = [
  ('<string keyName="url"><constraint nullable="false"/></string><integer keyName="timeout"><defaultValue><value>30</value></defaultValue></integer>',
   {"url": "u", "timeout": 5}, 0),
  ('<boolean keyName="sso"/><stringArray keyName="domains"><defaultValue><value>a</value><value>b</value></defaultValue></stringArray>',
   {"sso": True, "domains": ["c"]}, 0),
  ('<dict keyName="mail"><string keyName="host"/><integer keyName="port"><constraint min="1" max="65535"/></integer></dict>', {"mail": {"host": "h", "port": 25}}, 0)]


@pytest.mark.parametrize("index", range(len(BUNDLES)))
def test_apple_bundles(index: int) -> None:
  data, values, losing = BUNDLES[index]
  document = apple_bundle.read([Source("Root.plist", data)])
  assert len({loss.setting for loss in document.losses}) == losing, told(document)
  back_and_forth(apple_bundle, document, plistlib.dumps(values), values)


@pytest.mark.parametrize("index", range(len(CONFIGS)))
def test_apple_configurations(index: int) -> None:
  inner, values, losing = CONFIGS[index]
  document = apple_appconfig.read([source(f"<managedAppConfiguration><bundleId>a.b</bundleId><dict>{inner}</dict></managedAppConfiguration>")])
  assert len({loss.setting for loss in document.losses}) == losing, told(document)
  back_and_forth(apple_appconfig, document, plistlib.dumps(values), values)


@pytest.mark.parametrize("text, message", [
  ("<resources/>", "<restrictions> is expected"), (restrictions('<restriction android:restrictionType="bool"/>'), "file:2: a restriction without"),
  (restrictions(row("c", "choice")), "the choice `c` has no `android:entryValues`")])
def test_android_files_that_are_none(text: str, message: str) -> None:
  with pytest.raises(Refused, match=message):
    android.read([source(text)])


@pytest.mark.parametrize("data, message", [
  (b"bplist00nonsense", "not a property list"), (b"<plist><dict><key>a</key></dict></plist>", "a key without a value"),
  (b"<plist><dict><integer>1</integer><integer>1</integer></dict></plist>", "<key> is expected"), (b"<plist><string/></plist>", "no PreferenceSpecifiers"),
  (b"<plist><dict><key>PreferenceSpecifiers</key><array><string>x</string></array></dict></plist>", "a specifier is a dictionary"),
  (bundle(specifier("MultiValue", "m", Titles=["a"])), "`m` has no Values")])
def test_apple_files_that_are_none(data: bytes, message: str) -> None:
  with pytest.raises(Refused, match=message):
    apple_bundle.read([Source("Root.plist", data)])
