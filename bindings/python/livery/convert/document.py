"""What is converted: a schema of Livery in the making, its values, and what of the source it cannot say."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Set, Tuple

import livery

from .._command import printable
from . import fitting, spelling
from .place import Place, Refused

#: The keys of the items that stand for the entries of a map: a list of them, UniqueBy the first, is one.
MAP_KEY, MAP_VALUE = "key", "value"
#: Members that any format can lack without a word: they arrange, or are what the value is told by already.
SILENT = frozenset(("Type", "Key", "Class", "Options", "ItemTemplate", "Format", "Value", "Title"))

#: Members without which a setting is none.
NEEDED = frozenset(("Type", "Key", "Options", "ItemTemplate", "Settings", "Groups", "Version"))

#: How many parts of schemas are followed at most, references and what they refer to.
MOST_STEPS = 200_000
#: What messages have in the place of a secret.
HIDDEN = "••••••"


class Loss(NamedTuple):
  """Something of the source that the target cannot say."""

  place: Place
  #: The setting's name, or "" where no setting loses anything.
  setting: str
  message: str

  def __str__(self) -> str:
    return printable(f"{self.place}: {self.setting + ': ' if self.setting else ''}{self.message}")


class Element(Dict[str, Any]):
  """A group, pane, header or setting of a schema, with the place that it comes from."""

  def __init__(self, place: Place, **members: Any) -> None:
    super().__init__((name, value) for name, value in members.items() if value is not None)
    self.place = place


class Document:
  """A schema, its values, and the losses."""

  def __init__(self, title: str = "") -> None:
    self.title = title
    self.version = 1
    self.groups: List[Element] = []
    #: What the texts are in other languages, by the language's tag.
    self.texts: Dict[str, Dict[str, str]] = {}
    #: Members of the document besides those: of Livery's own alone.
    self.others: Dict[str, Any] = {}
    self.values: Dict[str, Any] = {}
    self.losses: List[Loss] = []
    self._told: Set[Loss] = set()
    self._steps = 0

  def lose(self, place: Place, setting: str, message: str) -> None:
    """Note a loss, once."""
    loss = Loss(place, setting, message)
    if not self.losses:
      self._told.clear()
    if loss not in self._told:
      self._told.add(loss)
      self.losses.append(loss)

  def bound(self, place: Place) -> None:
    """Refuse what grows beyond what any schema has, as references to references can."""
    self._steps += 1
    if self._steps > MOST_STEPS:
      raise Refused(place, "refers to too much")

  def group(self, place: Place, title: str, description: Optional[str] = None) -> Element:
    """A new group, to which settings are added."""
    made = Element(place, Title=title, Description=description or None, Settings=[])
    self.groups.append(made)
    return made

  def settings(self) -> Iterator[Element]:
    """All settings in their order, those of panes too, and not the members of lists."""
    for _, setting in self.placed():
      yield setting

  def placed(self) -> Iterator[Tuple[Tuple[Element, ...], Element]]:
    """All settings, each with the group and the panes that it lies in."""
    for group in self.groups:
      yield from within(group, (group,))

  @property
  def place(self) -> Place:
    """Its file; no file where nothing was read."""
    return Place(self.groups[0].place.file if self.groups else "")

  def find(self, name: str) -> Optional[Element]:
    return next((one for one in self.settings() if one["Key"] == name), None)

  def shown(self, name: str, value: Any) -> str:
    """What is said of a setting, as a message shows it: of a secret nothing."""
    setting = self.find(name)
    return HIDDEN if setting is not None and holds_secret(setting) else fitting.short(value)

  def settled(self) -> Iterator[Tuple[Element, Any]]:
    """Each value with its setting; those that the schema has no setting for are losses."""
    settings = {setting["Key"]: setting for setting in self.settings()}
    for name, value in self.values.items():
      if name in settings:
        yield settings[name], value
      else:
        self.lose(self.place, name, "no such setting")

  def schema(self) -> Dict[str, Any]:
    """The schema as Livery writes it."""
    made: Dict[str, Any] = {"Version": self.version}
    if self.title:
      made["Title"] = self.title
    made.update(self.others)
    made["Groups"] = [group for group in self.groups if group.get("Settings")]
    if self.texts:
      made["Texts"] = self.texts
    return made

  def unsaid(self, setting: Element, said: Iterable[str], target: str, owner: Optional[str] = None) -> None:
    """Note each member of a setting that the target has nothing for; `owner` is the list in whose items it is."""
    for member in setting:
      if member not in SILENT and member not in said and setting[member] is not False and setting[member] not in ("", None):
        where = "" if owner is None else f" of `{setting['Key']}` in its items" if setting.get("Key") else " of its items"
        self.lose(setting.place, str(setting.get("Key") or "") if owner is None else owner, f"{target} has nothing for `{member}`{where}")

  def flatten_items(self) -> None:
    """Have the items of lists consist of their members alone: what arranges these in a form is a loss."""
    for setting in self.settings():
      self._flatten(setting, setting["Key"])

  def _flatten(self, setting: Element, name: str) -> None:
    if setting.get("ItemTemplate"):
      setting["ItemTemplate"] = list(self._members(setting["ItemTemplate"], name))

  def _members(self, template: List[Element], name: str) -> Iterator[Element]:
    for one in template:
      if one["Type"] in ("Header", "Pane"):
        self.lose(one.place, name, f"the {one['Type'].lower()} `{title_of(one)}` in its items is not kept")
        yield from self._members(one.get("Settings") or [], name)
      else:
        self._flatten(one, name)
        yield one

  def panes_of(self, setting: Element, path: List[str], holders: Tuple[Element, ...], panes: Dict[str, Optional[Element]]) -> List[Optional[Element]]:
    """The pane that stands for each part of a name but the last; what no part stands for is a loss. `panes` are those of other settings."""
    found = [panes.setdefault(".".join(path[:index + 1]), holder_of(index, path, holders)) for index in range(len(path) - 1)]
    for pane in holders[1:]:
      if not any(one is pane for one in found):
        self.lose(setting.place, setting["Key"], f"its pane `{title_of(pane)}` is not kept")
    return found

  def reread(self, read: Callable[[str], str], target: str) -> None:
    """Note the texts that people read which are others where the target reads them again."""
    def note(one: Element, owner: str) -> None:
      for text in (one.get("Title"), one.get("Description"), *(option.get("Title") for option in one.get("Options") or [])):
        if isinstance(text, str) and read(text) != text:
          self.lose(one.place, owner, f"{target} has another form of {fitting.short(text)}: {fitting.short(read(text))}")

    for group in self.groups:
      note(group, "")
    for setting in self.settings():
      note(setting, setting["Key"])

  def translate(self, text: str, place: Place, name: str, target: str) -> Dict[str, str]:
    """A text in its languages; in English as it is, unless it has one of its own there, beside which a target keeps no other."""
    given = {language: texts[text] for language, texts in self.texts.items() if text in texts}
    if given.get("en", text) != text:
      self.lose(place, name, f"{target} has {fitting.short(text)} in English alone: {fitting.short(given['en'])}")
    return {"en": text, **given}

  def unheaded(self, kept: Callable[[Element], bool] = lambda group: True, described: bool = False) -> None:
    """Note the headers, the groups that are not kept, and the descriptions of groups unless they are."""
    for group in self.groups:
      if not kept(group):
        self.lose(group.place, "", f"the group `{title_of(group)}` is not kept")
      elif group.get("Description") and not described:
        self.lose(group.place, "", f"the description of `{title_of(group)}` is not kept")
      for header in headers(group):
        self.lose(header.place, "", f"the header `{title_of(header)}` is not kept")

  def mend(self) -> None:
    """Leave out what Livery refuses, each as a loss, so that the schema is one."""
    fitting.fit_json(self)
    for _ in range(1000):
      faults = _faults(json.dumps(self.schema()), self.place)
      if not faults:
        return spelling.settle(self)
      # From the back, so that places in lists stay what they are.
      for fault in sorted(faults, key=_order, reverse=True):
        self._leave_out(fault)
    raise Refused(self.place, "no schema can be made of it")

  def check_values(self) -> None:
    """Leave out the values that the schema does not take, each as a loss."""
    with livery.open("", memory=True) as store:
      store.apply_schema(json.dumps(self.schema()))
      fitting.fit_json(self)
      for name, value in list(self.values.items()):
        try:
          store.import_json(json.dumps({name: value}), "recommended")
        except livery.LiveryError as error:
          del self.values[name]
          setting = self.find(name)
          self.lose(setting.place if setting else self.place, name, f"its value {self.shown(name, value)} is left out: {error.message}")
      taken = json.loads(store.export_json(layers=True, reveal=True))["Layers"].get("recommended", {})
    for setting in self.settings():
      name = setting["Key"]
      if name in self.values and name in taken:
        self.values[name] = spelling.spelled(setting, self.values[name], taken[name]["value"])

  def _leave_out(self, fault: Dict[str, Any]) -> None:
    """Leave out the member that a fault is about where a setting can be without, or the setting, or the text."""
    holder: Any = self.schema()
    place, inside, step = self.place, None, ""
    containers = [holder]
    steps = _steps(fault["pointer"])
    for step in steps:
      try:
        holder = holder[int(step)] if isinstance(holder, list) else holder[step]
      except (KeyError, IndexError, TypeError, ValueError):
        break
      if isinstance(holder, Element):
        place, inside = holder.place, (containers[-1], int(step))
      containers.append(holder)
    setting, owner = str(fault.get("setting") or ""), containers[-2 if len(containers) == len(steps) + 1 else -1]
    if isinstance(owner, dict) and step in owner and step not in NEEDED:
      is_hidden = "Value" in steps and any(isinstance(one, Element) and holds_secret(one) for one in containers)
      was = fitting.short(owner.pop(step))
      self.lose(place, setting, f"`{step}` is left out, which was {HIDDEN if is_hidden else was}: {fault['message']}")
    elif inside is not None:
      self.lose(place, setting, f"the setting is left out: {fault['message']}")
      del inside[0][inside[1]]
    else:
      raise Refused(place, str(fault["message"]))


def within(element: Element, holders: Tuple[Element, ...]) -> Iterator[Tuple[Tuple[Element, ...], Element]]:
  """The settings in a group or pane, each with what it lies in."""
  for one in element.get("Settings") or []:
    if one.get("Type") == "Pane":
      yield from within(one, (*holders, one))
    elif one.get("Type") != "Header" and one.get("Key"):
      yield holders, one


def headers(element: Element) -> Iterator[Element]:
  """The headers in a group or pane."""
  for one in element.get("Settings") or []:
    if one.get("Type") == "Header":
      yield one
    elif one.get("Type") == "Pane":
      yield from headers(one)


def title_of(element: Dict[str, Any]) -> str:
  return str(element.get("Title") or "")


def holder_of(part: int, path: List[str], holders: Tuple[Element, ...]) -> Optional[Element]:
  """The pane that stands for a part of a name, where panes are as deep as names; for the last part the innermost one."""
  if len(holders) == len(path):
    return holders[part + 1]
  return holders[-1] if len(holders) > 1 and part == len(path) - 2 else None


def _faults(text: str, place: Place) -> List[Dict[str, Any]]:
  try:
    livery.check_schema(text)
    return []
  except livery.LiveryError as error:
    report = getattr(error, "report", None) or {}
    found = [one for one in report.get("diagnostics", []) if one["severity"] == "error" and one.get("pointer")]
    if not found:
      raise Refused(place, error.message) from None
    return found


def _steps(pointer: str) -> List[str]:
  """The steps of a JSON pointer (RFC 6901)."""
  return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def _order(fault: Dict[str, Any]) -> List[Tuple[int, str]]:
  return [(int(step) if step.isdigit() else -1, step) for step in _steps(fault["pointer"])]


def is_map(setting: Dict[str, Any]) -> bool:
  """Whether a list stands for a map: records of a key and a value, no key twice."""
  names = [one.get("Key") for one in setting.get("ItemTemplate") or []]
  return setting.get("Type") == "List" and names == [MAP_KEY, MAP_VALUE] and setting.get("UniqueBy") == MAP_KEY


def is_plain_list(setting: Dict[str, Any]) -> bool:
  template = setting.get("ItemTemplate") or []
  return setting.get("Type") == "List" and len(template) == 1 and not template[0].get("Key")


def option_values(setting: Dict[str, Any]) -> List[Any]:
  return [one["Value"] for one in setting.get("Options") or []]


def option_of(setting: Dict[str, Any], value: Any) -> Any:
  """The option that a value is, as the schema has it."""
  return next((one for one in option_values(setting) if one == value and isinstance(one, bool) == isinstance(value, bool)), value)


def is_multiple(setting: Dict[str, Any]) -> bool:
  return setting.get("Type") == "ComboBox" and "Multiple" in (setting.get("Class") or [])


def is_secret(setting: Dict[str, Any]) -> bool:
  return setting.get("Type") == "TextField" and "Password" in (setting.get("Class") or [])


def holds_secret(setting: Dict[str, Any]) -> bool:
  """Whether it or a member of its items is one."""
  return is_secret(setting) or any(holds_secret(one) for one in members_of(setting.get("ItemTemplate") or []))


def members_of(template: List[Element]) -> List[Element]:
  """The members of a list's items, those in panes of the template too."""
  found: List[Element] = []
  for one in template:
    if one["Type"] == "Pane":
      found += members_of(one.get("Settings") or [])
    elif one["Type"] != "Header":
      found.append(one)
  return found
