"""tools/rooms finds rooms that stand on each other, and draws the others above what they stand on."""
import pathlib
import xml.etree.ElementTree

import pytest
from conftest import ROOT
from rooms import graph, picture
from statuses.index import Index, NoIndex, Occurrence


class Sources:
  """An index of what was told: in which file something is declared, and where it is used."""

  def __init__(self, folder):
    self.folder, self.told = folder, []

  def declare(self, file, name):
    self.add(file, name, is_definition=True)

  def use(self, file, name):
    self.add(file, name, is_definition=False)

  def add(self, file, name, is_definition):
    path = self.folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    self.told.append(Occurrence(path, 7, 1, "symbol of " + name, name, is_definition, None, ()))

  def occurrences(self, files):
    return [each for each in self.told if each.file in files]


@pytest.fixture
def sources(tmp_path):
  made = Sources(tmp_path / "House")
  for room, name in (("Ground", "Stone"), ("Hall", "Door"), ("Attic", "Roof")):
    made.declare(f"{room}/{name}.swift", name)
  made.use("Hall/Door.swift", "Stone")
  made.use("Attic/Roof.swift", "Door")
  made.use("Attic/Roof.swift", "Stone")
  return made


def read(sources):
  return graph.read(sources, sources.folder)


def test_a_room_stands_on_what_declares_what_it_names(sources):
  target = read(sources)
  assert target.rooms == ["Attic", "Ground", "Hall"]
  assert target.levels() == [["Ground"], ["Hall"], ["Attic"]]
  assert target.uses["Hall", "Ground"] == {graph.Use("Door.swift", 7, "Stone", "Stone.swift")}


def test_an_arrow_that_follows_from_others_is_left_out(sources):
  assert read(sources).arrows() == [("Attic", "Hall"), ("Hall", "Ground")]


def test_names_of_a_room_s_own_and_of_others_make_no_arrow(sources):
  sources.use("Ground/Stone.swift", "Stone")
  sources.use("Ground/Stone.swift", "print")
  assert read(sources).below("Ground") == []


def test_rooms_that_stand_on_each_other_are_found_also_through_a_third(sources):
  assert read(sources).circles() == []
  sources.use("Ground/Stone.swift", "Roof")
  assert read(sources).circles() == [["Attic", "Ground", "Hall"]]


def test_each_room_is_drawn_above_what_it_stands_on(sources):
  target = read(sources)
  drawn = xml.etree.ElementTree.fromstring(picture.draw([target]))
  space = {"svg": "http://www.w3.org/2000/svg"}
  height = {text.text: float(text.get("y")) for text in drawn.findall("svg:text", space)}
  assert height["House"] < height["Attic"] < height["Hall"] < height["Ground"]
  assert len(drawn.findall("svg:path", space)) == len(target.arrows())


@pytest.mark.parametrize("name", ["LiveryCore", "Livery"])
def test_no_two_rooms_of_this_repository_stand_on_each_other(name):
  try:
    target = graph.read(Index(ROOT / ".build/debug/index/store"), ROOT / "Sources" / name)
  except NoIndex as error:
    pytest.skip(str(error))
  assert target.circles() == []


def test_the_picture_shows_every_room():
  drawn = (ROOT / "docs/internals/rooms.svg").read_text(encoding="utf-8")
  for name in ("LiveryCore", "Livery"):
    for room in pathlib.Path(ROOT / "Sources" / name).iterdir():
      assert f">{room.name}</text>" in drawn
