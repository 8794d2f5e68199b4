"""GSettings: types, enumerations, defaults and ranges; keyfiles; and the way back."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from conftest import SAMPLES, never_raises, source, told

from livery.convert import gsettings, gvariant, gvariant_settings, own
from livery.convert.document import Document
from livery.convert.place import Refused
from livery.convert.source import Source

SAMPLE = SAMPLES / "example.gschema.xml"
VALUES = """# of the keyfile backend
[org/example]
pace='fast'
days=['tue', 'mon']
n=7
m={'x': 2, '': 3}
pair=(4, -5)
pairs=[('xkb', '')]
maybe='it\\'s'
bytes=[0x01, 0x02]
lists=[@as []]
"""


def read(path: Any = SAMPLE) -> Document:
  return gsettings.read([Source.open(str(path))])


def one(keys: str, more: str = "") -> Document:
  return gsettings.read([source(f'<schemalist>{more}<schema id="a.b" path="/a/b/">{keys}</schema></schemalist>')])


def again(document: Document) -> Document:
  schema = own.write(document)["schema.json"]
  return own.read([Source("schema.json", schema)])


def test_every_type() -> None:
  found = {setting["Key"].rpartition(".")[2]: setting for setting in read().settings()}
  assert found["pace"]["Type"] == "ComboBox" and found["pace"]["Class"] == ["Single"] and found["pace"]["Value"] == "slow"
  assert found["pace"]["Title"] == "Pace" and found["pace"]["Description"] == "How fast"
  assert found["days"]["Class"] == ["Multiple"] and found["days"]["Value"] == ["mon"]
  assert (found["n"]["Minimum"], found["n"]["Maximum"], found["n"]["Value"]) == (1, 10, 5)
  assert found["m"]["Value"] == [{"key": "a", "value": 1}] and found["m"]["UniqueBy"] == "key"
  assert found["pair"]["Value"] == [{"1": 1, "2": 2}] and found["pair"]["MaxItems"] == 1
  assert found["pairs"]["Value"] == [{"1": "xkb", "2": "us"}]
  assert found["maybe"]["Value"] == [] and found["bytes"]["Value"] == "aGkA"
  assert found["lists"]["Value"] == [["a"], []] and found["o"]["Value"] == "/a"


def test_losses_have_their_lines() -> None:
  assert told(read()) == [
    "7 org.example.n: of the type `u` only the range is kept",
    "8 org.example.any: Livery has no type for `a{sv}`: the value is kept as text and not checked",
    "14 org.example.big: numbers above 9223372036854775807 are not taken",
    "17 org.example.l: its default differs by language (time): that of the file is taken"]


def test_values_come_and_go_back() -> None:
  document = read()
  document.losses.clear()
  gsettings.read_values(document, source(VALUES))
  document.check_values()
  assert not document.losses
  text = gsettings.write_values(document).decode()
  assert [line for line in VALUES.splitlines()[1:] if line] == [line for line in text.splitlines() if line]


def test_values_that_are_none() -> None:
  document = read()
  document.losses.clear()
  gsettings.read_values(document, source("[org/example]\nn=99\nzz=1\npair=(1)\npace='warp'\n[other]\nn=1\n", "user.ini"))
  document.check_values()
  assert document.values == {}
  assert "3 org.example.zz: no such setting" in told(document)
  assert "4 org.example.pair: (1) is not its value: character 3: `,` is expected" in told(document)
  assert "7 other.n: no such setting" in told(document)
  assert any(loss.setting == "org.example.n" and "99 is greater than Maximum 10" in loss.message for loss in document.losses)
  assert any(loss.setting == "org.example.pace" for loss in document.losses)
  with pytest.raises(Refused, match="user.ini:1"):
    gsettings.read_values(document, source("what is this\n", "user.ini"))


def test_the_way_back_is_the_same_schema() -> None:
  first = again(read())
  written = gsettings.write(first)
  assert list(written) == ["org.example.gschema.xml"]
  second = gsettings.read([Source("again", next(iter(written.values())))])
  before, after = first.schema(), second.schema()
  assert json.loads(json.dumps(before)) == json.loads(json.dumps(after))


def test_what_gsettings_cannot_say_is_told() -> None:
  schema = {"Version": 1, "Title": "Kiosk App", "Groups": [{"Title": "A", "Settings": [
    {"Type": "TextField", "Key": "welcomeText", "Title": "Text", "Value": "a", "MaxLength": 9, "Pattern": "^a"},
    {"Type": "TextField", "Key": "pin", "Title": "Pin", "Class": ["Password"], "Value": ""},
    {"Type": "Color", "Key": "look.color", "Title": "Color"},
    {"Type": "ComboBox", "Key": "count", "Title": "Count", "Value": 1,
     "Options": [{"Title": "One", "Value": 1}, {"Title": "Two", "Value": 2}]},
    {"Type": "List", "Key": "list", "Title": "List", "ItemTemplate": [{"Type": "URL", "Key": "content", "Title": "Content"}],
     "Value": [{"content": "https://a.example/"}]}]}]}
  document = own.read([source(json.dumps(schema, indent=1), "kiosk.json")])
  text = gsettings.write(document)["Kiosk-App.gschema.xml"].decode()
  assert '<schema id="kiosk-app" path="/kiosk-app/">' in text and '<key name="welcome-text" type="s">' in text
  assert '<key name="color" type="s">' in text and "<default>1</default>" in text
  messages = [f"{loss.setting}: {loss.message}" for loss in document.losses]
  for expected in ("welcomeText: it is called `welcome-text` in `kiosk-app`", "welcomeText: GSettings has nothing for `MaxLength`",
                   "welcomeText: GSettings has nothing for `Pattern`", "pin: GSettings knows no secrets: it is a text",
                   "look.color: GSettings has no Color: it is a text",
                   "look.color: GSettings has no settings without a default: it has an empty one",
                   "count: its options are no texts: any value of the type is taken",
                   "list: GSettings has no type for it: it is a text with JSON"):
    assert expected in messages
  assert all(loss.place.file == "kiosk.json" and loss.place.line > 1 for loss in document.losses)


def test_children_and_numbers_of_their_own_are_told() -> None:
  more = ('<enum id="E"><value nick="a" value="10"/><value nick="b" value="20"/></enum><enum id="F"><value nick="a" value="0x0"/><value nick="b" value="1"/></enum>'
          '<flags id="G"><value nick="a" value="1"/><value nick="b" value="4"/></flags>')
  keys = '<child name="sub" schema="a.c"/>' + "".join(f'<key name="{name}" {kind}="{name.upper()}"><default>{default}</default></key>'
                                                      for name, kind, default in (("e", "enum", "'a'"), ("f", "enum", "'a'"), ("g", "flags", "['b']")))
  assert told(one(keys, more)) == ["1 : the child `sub` of `a.b` is not kept", "1 a.b.e: the numbers of the enum `E` are not kept",
                                   "1 a.b.g: the numbers of the flags `G` are not kept"]


def test_enumerations_of_another_file(tmp_path: Any) -> None:
  (tmp_path / "a.enums.xml").write_text('<schemalist><enum id="a.E"><value nick="one" value="0"/></enum></schemalist>')
  (tmp_path / "a.gschema.xml").write_text(
    '<schemalist><schema id="a" path="/a/"><key name="k" enum="a.E"><default>"one"</default></key>\n'
    '<key name="l" enum="a.F"><default>"one"</default></key></schema></schemalist>')
  document = read(tmp_path / "a.gschema.xml")
  assert document.find("a.k")["Options"] == [{"Title": "one", "Value": "one"}]  # type: ignore[index]
  assert told(document) == ["2 a.l: the enum `a.F` is not among the files: any text is taken"]


def test_a_schema_that_extends_another() -> None:
  document = gsettings.read([source(
    '<schemalist><schema id="base"><key name="k" type="i"><default>1</default></key></schema>'
    '<schema id="more" path="/m/" extends="base"><override name="k">2</override>'
    '<key name="j" type="b"><default>true</default></key></schema></schemalist>')])
  assert {setting["Key"]: setting["Value"] for setting in document.settings()} == {"base.k": 1, "more.j": True, "more.k": 2}
  assert told(document) == ["1 : `base` has no path and may be used at many: its settings are there once"]


@pytest.mark.parametrize("text, message", [
  ("<schemalist>", "no element found|unclosed"),
  ("<other/>", "<schemalist> is expected, not <other>"),
  ('<!DOCTYPE a [<!ENTITY b "c">]><schemalist>&b;</schemalist>', "declares the entity `b`"),
  ('<schemalist><schema><key/></schema></schemalist>', "a schema without `id`"),
  ('<schemalist><schema id="a"/><schema id="a"/></schemalist>', "the schema `a` is there twice"),
  ('<schemalist><schema id="a">\n<key name="k" type="z"><default>1</default></key></schema></schemalist>', "file:2: the key `a.k`: `z` is not a type"),
  ('<schemalist><schema id="a">\n<key name="k" type="i"/></schema></schemalist>', "file:2: the key `a.k` has no default"),
  ("<a>" * 200, "nested too deep")])
def test_files_that_are_none(text: str, message: str) -> None:
  with pytest.raises(Refused, match=message):
    gsettings.read([source(text)])


def test_a_default_that_is_none_is_left_out() -> None:
  document = one('<key name="k" type="i">\n<default>"text"</default></key>')
  assert "Value" not in next(document.settings())
  assert told(document) == ['2 a.b.k: no default, since "text" is not one: character 1: a number is expected']
  document = one('<key name="k" type="d"><range min="-1.5" max="1e308"/><default>1e308</default></key>')
  made = next(document.settings())
  assert (made["Minimum"], made["Maximum"], told(document)) == (-1.5, 1e308, [])
  document = one('<key name="k" type="i"><range min="5" max="9"/><default>1</default></key>')
  assert told(document)[-1].startswith("1 a.b.k: `Value` is left out, which was 1")


def test_mangled_files() -> None:
  data = SAMPLE.read_bytes()
  never_raises(lambda file: gsettings.read([file]), data, "a.gschema.xml")
  document = read()
  never_raises(lambda file: gsettings.read_values(document, file), VALUES.encode(), "user.ini")


SIMPLE = "bynqiuxdso"


def random_type(dice: random.Random, depth: int = 0) -> str:
  what = dice.randrange(8 if depth < 3 else 3)
  if what < 3:
    return dice.choice(SIMPLE)
  if what < 5:
    return "a" + random_type(dice, depth + 1)
  if what == 5:
    return "m" + random_type(dice, depth + 1)
  if what == 6:
    return "a{" + dice.choice("sib") + random_type(dice, depth + 1) + "}"
  return "(" + "".join(random_type(dice, depth + 1) for _ in range(dice.randint(1, 3))) + ")"


def random_value(dice: random.Random, signature: str) -> Any:
  letter = signature[0]
  if letter in gvariant.RANGES:
    low, high = gvariant.RANGES[letter]
    return dice.choice([low, high, 0, dice.randint(low, high)]) if low <= 0 else low
  if letter == "b":
    return dice.random() < 0.5
  if letter == "d":
    return dice.choice([0.0, -1.5, 1e300, 5e-324, dice.uniform(-9, 9)])
  if letter == "o":
    return dice.choice(["/", "/a/b_1"])
  if letter == "s":
    return "".join(dice.choice("aä☃'\"\\\n\t {}[]()<>,:=\x01\u2028😀") for _ in range(dice.randint(0, 6)))
  if signature == "ay":
    return bytes(dice.randrange(256) for _ in range(dice.randint(0, 4)))
  if letter == "(":
    return tuple(random_value(dice, member) for member in gvariant.parts(signature))
  count = dice.randint(0, 1 if letter == "m" else 3)
  if signature[:2] == "a{":
    key, member = gvariant.parts(signature[1:])
    return {random_value(dice, key): random_value(dice, member) for _ in range(count)}
  return [random_value(dice, signature[1:]) for _ in range(count)]


def test_random_values_of_random_types() -> None:
  dice = random.Random(4)
  for _ in range(3000):
    signature = random_type(dice)
    value = random_value(dice, signature)
    text = gvariant.text_of(value, signature)
    assert gvariant.parse(text, signature) == value, (signature, text)
    if "mm" not in signature:
      assert gvariant_settings.from_livery(json.loads(json.dumps(gvariant_settings.to_livery(value, signature))), signature) == value, (signature, text)


@pytest.mark.parametrize("text, signature, value", [
  ("uint32 5", "u", 5), ("0x1F", "y", 31), ("010", "i", 8), ("-0", "i", 0), ("@as []", "as", []), ("b'a\\x62'", "ay", b"ax62\0"),
  ("[{'a', 1}]", "a{si}", {"a": 1}), ("just 'a'", "ms", ["a"]), ("nothing", "ms", []), ("(1,)", "(i)", (1,)), ("1e3", "d", 1000.0),
  ("'\\u00e4\\U0001f600\\n'", "s", "ä😀\n"), ('"it\'s"', "s", "it's"), ("objectpath '/a'", "o", "/a"), ("inf", "d", math.inf)])
def test_texts(text: str, signature: str, value: Any) -> None:
  assert gvariant.parse(text, signature) == value


@pytest.mark.parametrize("text, signature", [
  ("", "i"), ("256", "y"), ("1.5", "i"), ("'a", "s"), ("[1", "ai"), ("[1 2]", "ai"), ("(1, 2", "(ii)"), ("{'a' 1}", "a{si}"), ("tru", "b"),
  ("1 2", "i"), ("@zz 1", "i")])
def test_texts_that_are_none(text: str, signature: str) -> None:
  with pytest.raises(ValueError):
    gvariant.parse(text, signature)


def test_values_stay_in_one_line() -> None:
  """A value with lines of its own would be read as other keys."""
  document = one("<key name='v' type='a{sv}'><default>{\n 'a': &lt;'x\ny'&gt;,\n 'b': &lt;1&gt;}</default></key><key name='s' type='s'><default>''</default></key>")
  assert document.find("a.b.v")["Value"] == "{ 'a': <'x\\ny'>, 'b': <1>}"  # type: ignore[index]
  document.values = {"a.b.v": "{'a': <1>}\ns='injected'", "a.b.s": "u\u2028v\nw"}
  text = gsettings.write_values(document)
  document.values = {}
  gsettings.read_values(document, Source("v", text))
  assert document.values == {"a.b.v": "{'a': <1>} s='injected'", "a.b.s": "u\u2028v\nw"}


def test_schemas_that_share_a_path() -> None:
  key = "<key name='{}' type='i'><default>0</default></key>"
  document = gsettings.read([source(f"<schemalist><schema id='a.b' path='/p/q/'>{key.format('x')}</schema><schema id='a.c' path='/p/q/'>{key.format('y')}</schema>"
                                    f"<schema id='p.q'>{key.format('z')}{key.format('x')}</schema></schemalist>")])
  document.values = {"a.b.x": 1, "a.c.y": 2, "p.q.z": 3, "p.q.x": 4}
  text = gsettings.write_values(document)
  document.values = {}
  gsettings.read_values(document, Source("v", text))
  assert document.values == {"a.b.x": 1, "a.c.y": 2, "p.q.z": 3, "p.q.x": 4}


def test_a_key_that_is_there_twice_is_refused() -> None:
  with pytest.raises(Refused, match="the key `n` is there twice"):
    one('<key name="n" type="s"><default>"one"</default></key><key name="n" type="i"><default>2</default></key>')


def test_a_circle_of_schemas_is_refused() -> None:
  both = "".join(f'<schema id="{name}" extends="{other}"><key name="k" type="i"><default>1</default></key></schema>' for name, other in ("ab", "ba"))
  with pytest.raises(Refused, match="the schema `a` extends itself, by way of `b`"):
    gsettings.read([source(f"<schemalist>{both}</schemalist>")])
