"""Records and search, without a screen."""

import json

import pytest
import serve
from model import Character, RecordsError, arrange, fold, parse, search

ADDRESS = "http://127.0.0.1:1/?q=lighthouse+characters&format=json"


def people(name="lighthouse", count=0):
  return parse(json.dumps(serve.answer(name, count)).encode(), ADDRESS)


@pytest.mark.parametrize("name", serve.SETS)
def test_recorded_answers(name):
  found = people(name)
  assert len(found) == 24
  assert all(each.title and each.description and each.page for each in found)
  assert sum(each.image is None for each in found) == 3
  assert all(each.image is None or each.image.startswith("http://127.0.0.1:1/i/") for each in found)


@pytest.mark.parametrize("count", [1, 24, 25, 1000])
def test_a_set_has_as_many_as_wanted(count):
  assert len({each.title for each in people("orchard", count)}) == count


def test_search_folds():
  assert fold("ÅKESSON") == fold("åkesson") == "akesson"
  assert [each.title for each in search(people(), "  FOGHORN Åke ")] == ["Ingrid Åkesson"]
  # A letter with a stroke is a letter of its own, and no accent.
  assert fold("Ø") == "ø" and [each.title for each in search(people(), "søren")] == ["Søren Dahl"] and search(people(), "soren") == []
  assert len(search(people(), "")) == 24
  assert search(people(), "keeper quill zoe") == []


def test_orders():
  names = [each.title for each in arrange(people(), "name")]
  assert names.index("Élodie Marchand") == names.index("Dorian Fitch") + 1
  assert [each.title for each in arrange(people(), "backwards")] == names[::-1]
  assert arrange(people(), "served") == people()


@pytest.mark.parametrize("data", [b"", b"<html>", b"[]", b"{}", b'{"RelatedTopics": 5}', b"\xff\xfe"])
def test_what_is_no_answer_is_told(data):
  with pytest.raises(RecordsError, match="127.0.0.1"):
    parse(data, ADDRESS)


def test_what_is_odd_in_an_answer_is_left_out():
  topics = [None, 3, {}, {"Text": ""}, {"Text": 5}, {"Topics": [7, {"Text": "A - b - c"}]}, {"Text": "Alone"},
            {"Text": "X - y", "Icon": "none", "FirstURL": "javascript:alert(1)"}, {"Text": "Z", "Icon": {"URL": "file:///etc/passwd"}}]
  assert parse(json.dumps({"RelatedTopics": topics}).encode(), ADDRESS) == [
    Character("A", "b - c", None, None), Character("Alone", "", None, None), Character("X", "y", None, None),
    Character("Z", "", None, None)]
