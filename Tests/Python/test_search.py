"""A search finds what a plain reading of its description finds, in the same order and at the same places.

$LIVERY_SEARCH_SETTINGS and $LIVERY_SEARCH_QUERIES set how many; the seed is printed and taken from $LIVERY_SEED.
"""

import os
import random
import time
import unicodedata

import livery
import pytest

SETTINGS = int(os.environ.get("LIVERY_SEARCH_SETTINGS", "1500"))
QUERIES = int(os.environ.get("LIVERY_SEARCH_QUERIES", "150"))
RANKS = {"title": 1, "name": 2, "alias": 2, "option": 3, "description": 4, "placeholder": 4, "unit": 4, "group": 4,
         "value": 5}

SYLLABLES = ["scr", "een", "Bright", "ness", "Über", "straße", "ΣΊΣΥΦΟΣ", "kühl", "한국", "Łódź", "e\u0301te", "ﬁ", "İstanbul", "дом",
             "ẞ", "ñ", "10", "x", "Media", "time", "out", "ά", "ǅ", "ק", "が", "a\u0308\u0323", "𝔘", "\u212b"]


def fold(character):
  decomposed = unicodedata.normalize("NFD", character.casefold())
  return "".join(each for each in decomposed if unicodedata.category(each) != "Mn")


FOLDED = {}


def folded(text):
  for character in text:
    if character not in FOLDED:
      FOLDED[character] = fold(character)
  return "".join(map(FOLDED.__getitem__, text))


def place(text, word):
  """Where a folded word is in a text, in bytes of UTF-8: whole characters with their marks."""
  start = folded(text).find(word)
  if start < 0:
    return None
  end, seen, first = start + len(word), 0, None
  offset = length = 0
  for character in text:
    made = len(folded(character))
    size = len(character.encode())
    if first is not None and seen >= end and made:
      break
    if first is None and seen + made > start:
      first = offset
    seen += made
    offset += size
    if first is not None:
      length = offset - first
  return first, length


class Reference:
  """What is searched, one setting after the other."""

  def __init__(self):
    self.rows = []

  def add(self, name, texts, secret=False):
    """Texts are pairs of field and text, in the order in which matches are told."""
    kept = [(field, text, folded(text)) for field, text in texts if not (secret and field == "value")]
    # What no field may contain parts them.
    whole = "\uffff".join(text for _, _, text in kept)
    self.rows.append((name, kept, whole))

  def search(self, query):
    words = list(dict.fromkeys(word for word in (folded(part) for part in query.split()) if word))
    found = []
    for name, texts, whole in self.rows:
      if not words or not all(word in whole for word in words):
        continue
      score = 0
      for word in words:
        ranks = [0 if field == "title" and text.startswith(word) else RANKS[field]
                 for field, _, text in texts if word in text]
        score += min(ranks)
      found.append((score, name, texts))
    found.sort(key=lambda row: row[0])
    return words, found


def words_of(generator, least, most):
  return " ".join("".join(generator.choices(SYLLABLES, k=generator.randint(1, 3)))
                  for _ in range(generator.randint(least, most)))


def make(generator, count):
  """A schema with so many settings, the values that are set, and the reference to both."""
  reference, groups, values = Reference(), [], {}
  number = 0
  while number < count:
    group = {"Title": words_of(generator, 1, 2), "Settings": []}
    groups.append(group)
    pane = None
    for _ in range(min(generator.randint(1, 40), count - number)):
      if generator.random() < 0.1:
        pane = {"Type": "Pane", "Title": words_of(generator, 1, 1), "Settings": []}
        group["Settings"].append(pane)
      setting, value, secret = element(generator, number)
      (pane or group)["Settings"].append(setting)
      name = setting["Key"]
      texts = [("title", setting["Title"]), ("name", name)]
      texts += [("alias", alias) for alias in setting.get("Aliases", ())]
      texts += [("option", option["Title"]) for option in setting.get("Options", ())]
      texts += [(field.lower(), setting[field]) for field in ("Description", "Placeholder", "Unit") if field in setting]
      texts += [("group", group["Title"])] + ([("group", pane["Title"])] if pane else [])
      if generator.random() < 0.5:
        values[name] = value
      shown = values.get(name, setting.get("Value"))
      if shown is not None:
        texts.append(("value", str(shown).lower() if isinstance(shown, bool) else str(shown)))
      reference.add(name, texts, secret)
      number += 1
  return {"Version": 1, "Groups": groups}, values, reference


def element(generator, number):
  setting = {"Title": words_of(generator, 1, 3), "Key": f"{generator.choice(SYLLABLES)}.{generator.choice(SYLLABLES)}.{number}"}
  kind = generator.choice(["text", "text", "secret", "switch", "number", "choice"])
  value = None
  if kind in ("text", "secret"):
    setting.update(Type="TextField", Value=words_of(generator, 0, 2))
    value = words_of(generator, 1, 4)
    if kind == "secret":
      setting["Class"] = ["Password"]
    elif generator.random() < 0.2:
      setting["Placeholder"] = words_of(generator, 1, 1)
  elif kind == "switch":
    setting.update(Type="ToggleSwitch", Value=False)
    value = True
  elif kind == "number":
    setting.update(Type="Number", Format="integer", Value=generator.randint(0, 5000))
    value = generator.randint(-99, 99)
    if generator.random() < 0.5:
      setting["Unit"] = words_of(generator, 1, 1)
  else:
    setting.update(Type="ComboBox", Value="1", Class=["Single"],
                   Options=[{"Title": words_of(generator, 1, 1), "Value": str(option)} for option in range(1, 4)])
    value = "3"
  if generator.random() < 0.3:
    setting["Description"] = words_of(generator, 2, 6)
  if generator.random() < 0.1:
    setting["Aliases"] = [f"old.{generator.choice(SYLLABLES)}.{number}"]
  return setting, value, kind == "secret"


def a_query(generator):
  parts = []
  for _ in range(generator.choice([1, 1, 1, 2, 2, 3])):
    text = "".join(generator.choices(SYLLABLES, k=2))
    start = generator.randrange(len(text))
    part = text[start:start + generator.randint(1, 5)]
    parts.append(generator.choice([part, part.upper(), part.lower(), unicodedata.normalize("NFD", part)]))
  if generator.random() < 0.1:
    parts = [str(generator.randint(0, 99))]
  return " ".join(parts)


@pytest.fixture(scope="module")
def known(tmp_path_factory):
  seed = int(os.environ.get("LIVERY_SEED", "0")) or random.randrange(1 << 32)
  print(f"LIVERY_SEED={seed}")
  generator = random.Random(seed)
  schema, values, reference = make(generator, SETTINGS)
  with livery.open(tmp_path_factory.mktemp("search") / "store", create=True) as store:
    store.apply_schema(schema)
    with store.change("user") as change:
      for name, value in values.items():
        change[name] = value
    yield store, reference, generator


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="Python has other data of Unicode than the library")
def test_it_finds_what_a_plain_reading_finds(known):
  store, reference, generator = known
  total = 0
  for _ in range(QUERIES):
    query = a_query(generator)
    words, wanted = reference.search(query)
    found = store.search(query, limit=60)
    assert found["total"] == len(wanted), query
    assert [result["name"] for result in found["results"]] == [name for _, name, _ in wanted[:60]], query
    for result, (_, _, texts) in zip(found["results"][:20], wanted):
      matches = [(match["field"], match["text"], match["offset"], match["length"]) for match in result["matches"]]
      expected = [(field, text, *place(text, word)) for field, text, whole in texts for word in words if word in whole]
      assert matches == expected, query
    total += len(wanted)
  assert total > 0


def test_it_takes_little_time(known):
  store, _, generator = known
  queries = [a_query(generator) for _ in range(20)]
  took = []
  for query in queries:
    start = time.thread_time()
    store.search(query, limit=20)
    took.append(time.thread_time() - start)
  # Of the processor, and with the work of Python; scripts/bench has the figures.
  assert sorted(took)[len(took) // 2] < 0.05 * max(1, SETTINGS / 20_000)


def test_a_limit(known):
  store, _, _ = known
  assert store.search("e", limit=0) == store.search("e")
  assert len(store.search("e", limit=3)["results"]) == 3
  assert store.search("e", limit=3)["total"] == store.search("e")["total"] > 3
  with pytest.raises(livery.InvalidArgumentError):
    store.search("e", limit=-1)
  with pytest.raises(livery.InvalidArgumentError):
    store.search("e" * 1025)
  with pytest.raises(livery.InvalidArgumentError):
    store.search("a\0b")
