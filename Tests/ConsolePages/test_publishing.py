"""From a value in a form to devices, and back."""

import json
import re

from conftest import Person


def text(page, selector="main"):
  return re.sub(r"\s+", " ", page.inner_text(selector))


def test_three_values_reach_two_devices(fleet, visit):
  served = fleet(2)
  page = visit(served, "/channels/fleet/form")
  page.fill("[name='v:volume']", "70")
  page.select_option("[name='w:volume']", "enforce")
  page.fill("[name='v:mediaUrl']", "https://media.example/tonight.mp4")
  page.select_option("[name='w:theme']", "replace")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  # The verb that nobody has chosen is the one that leaves the operator's choice.
  assert page.input_value("[name='w:mediaUrl']") == "recommend"
  assert served.device(0) == {}
  page.click("#banner a.button")
  page.wait_for_selector("#reach")
  assert "2 devices take this channel" in text(page)
  rows = page.locator("table tbody tr")
  assert rows.count() == 3 and "Enforce: 70" in text(page)
  page.fill("#comment", "Tonight's programme")
  page.fill("#steps", "100")
  page.click(".save button.main")
  page.wait_for_selector("#progress")
  for number in (0, 1):
    assert served.device(number) == {
      "volume": {"verb": "enforce", "value": 70}, "mediaUrl": {"verb": "recommend", "value": "https://media.example/tonight.mp4"},
      "theme": {"verb": "replace", "value": "light"}}
  assert "0 of 2" in text(page)
  served.report(0)
  page.wait_for_selector("progress[value='1']")
  served.report(1)
  page.wait_for_selector("progress[value='2']")
  page.goto(served.base + served.page(0))
  assert "publication 1" in text(page) and "Up to date" in text(page) and "alice" in text(page)


def test_a_rollout_is_stopped_by_hand(fleet, visit):
  served = fleet(20)
  alice = Person(served)
  assert alice.set(volume=("recommend", "60")).status == 303
  number = alice.publish(steps="50, 100", pause="60")
  assert 0 < sum(bool(served.device(device)) for device in range(20)) < 20
  page = visit(served, f"/publications/{number}")
  assert "Rolling out: 50 % of the devices are in." in text(page)
  page.click("text=Stop")
  page.wait_for_selector("text=Stopped: what was there before is back.")
  assert not any(served.device(device) for device in range(20))
  page.click("text=Go on")
  page.wait_for_selector("text=Rolling out")
  page.click("text=Go to the next step now")
  page.wait_for_selector("text=Complete")
  assert served.device(19)["volume"]["value"] == 60


def test_a_bad_rollout_stops_itself_in_sight(fleet, visit):
  served = fleet(40)
  alice = Person(served)
  alice.set(volume=("enforce", "90"))
  number = alice.publish(steps="50, 75, 100", bound="20", pause="60")
  page = visit(served, f"/publications/{number}")
  taken = [device for device in range(40) if served.device(device)]
  served.report(taken[0])
  for device in taken[1:8]:
    served.report(device, "refused")
  page.wait_for_selector("text=Stopped")
  shown = text(page)
  assert f"Display {taken[1]}" in shown and "above the maximum" in shown
  # Whoever cannot see is told, too.
  assert "Stopped" in page.inner_text("#live")
  assert all(served.device(device) == {} for device in range(40))


def test_undo_brings_back_what_was_there(fleet, visit):
  served = fleet(1)
  alice = Person(served)
  alice.set(volume=("enforce", "10"))
  alice.publish()
  alice.set(volume=("enforce", "20"))
  number = alice.publish()
  page = visit(served, f"/publications/{number}")
  page.click("text=Undo")
  page.wait_for_selector("text=Undone: what was there before is published again.")
  assert served.device(0) == {"volume": {"verb": "enforce", "value": 10}}
  page.goto(served.base + "/history")
  assert "ublished" in text(page) and "alice" in text(page)


def test_what_is_not_set_any_more_goes(fleet):
  served = fleet(1)
  alice = Person(served)
  alice.set(volume=("enforce", "10"), theme=("replace", "dark"))
  alice.publish()
  assert alice.set(volume=("",), theme=("release",)).status == 303
  alice.publish()
  assert served.device(0) == {}
  page = alice.get("/channels/fleet/form").text
  assert 'name="v:volume" value="50"' in page or 'value="50"' in page


def test_two_people_at_once_are_asked(fleet, visit):
  served = fleet(1)
  alice = Person(served)
  page = visit(served, "/channels/fleet/form")
  # What nobody has touched is drawn anew, and not in conflict.
  page.fill("[name='v:volume']", "40")
  assert alice.set(volume=("enforce", "30")).status == 303
  page.wait_for_selector(".meanwhile")
  page.click(".save button.main")
  page.wait_for_selector("#notice.bad")
  assert "somebody else has changed this" in text(page).lower()
  page.check("input[name='c:volume'][value=mine]")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  alice.publish()
  assert served.device(0)["volume"] == {"verb": "enforce", "value": 40}


def test_secrets_of_two_people_are_not_lost_in_silence(fleet):
  served = fleet(1)
  alice, bob = Person(served), Person(served)
  fields = bob.form("/channels/fleet/form/at/1")
  assert alice.set(page=1, password=("enforce", "of alice")).status == 303
  fields = {**fields, "v:password": "of bob", "op": "save"}
  answer = bob.post("/channels/fleet/form/at/1", fields)
  assert answer.status == 409 and "of alice" not in answer.text and "of bob" not in answer.text
  alice.publish()
  assert served.device(0)["password"] == {"verb": "enforce", "value": "of alice"}
  fields = {**bob.form("/channels/fleet/form/at/1"), "v:password": "of bob", "op": "save"}
  assert bob.post("/channels/fleet/form/at/1", fields).status == 303
  alice.publish()
  assert served.device(0)["password"] == {"verb": "enforce", "value": "of bob"}


def test_what_does_not_fit_is_said_beside_its_field(fleet, visit):
  served = fleet(1)
  page = visit(served, "/channels/fleet/form")
  page.fill("[name='v:volume']", "700")
  page.wait_for_selector(".row[data-name=volume] .error:not(:empty)")
  page.click(".save button.main")
  page.wait_for_selector("#notice.bad")
  assert page.input_value("[name='v:volume']") == "700"
  assert "All of it is published" in text(page)


def test_everything_works_without_a_script(fleet, visit):
  served = fleet(3)
  page = visit(served, "/channels/fleet/form", script=False)
  page.fill("[name='v:volume']", "15")
  page.select_option("[name='w:volume']", "replace")
  page.click(".save button.main")
  page.click("#banner a.button")
  page.fill("#steps", "50, 100")
  page.click(".save button.main")
  assert "Rolling out" in text(page)
  page.click("text=Go to the next step now")
  assert "Complete" in text(page) and served.device(2)["volume"]["value"] == 15
  page.click("nav >> text=Groups")
  page.fill("#group", "kiosks")
  page.click("text=Add")
  # A row is drawn once it is near what is seen, and has no text that is shown before.
  page.locator(".row", has_text="kiosks").wait_for()
  page.click("text=Sign out")
  assert page.url.endswith("/sign-in")


def test_lists_and_images_travel(fleet, tmp_path, visit):
  served = fleet(1)
  page = visit(served, "/channels/fleet/form/at/1")
  page.click("text=Edit the list")
  page.click("text=Add an item")
  page.fill("[name='m:0.0']", "first")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  assert page.input_value("[name='w:playlist']") == "recommend"
  picture = tmp_path / "picture.svg"
  picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8H0z"/></svg>')
  page.goto(served.base + "/channels/fleet/form/at/0")
  page.set_input_files("[name='f:picture']", picture)
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  assert page.locator("img.preview").count() == 1
  Person(served).publish()
  held = served.device(0)
  assert held["playlist"]["value"] in (["first"], [{"name": "first"}]) and "picture" in held
  # It is drawn from the database, not from what the browser has sent.
  page.reload()
  assert page.locator("img.preview").evaluate("image => image.naturalWidth") == 8


def test_a_brand_is_looked_at_before_it_travels(fleet, visit):
  served = fleet(1)
  page = visit(served, "/channels/fleet/form")
  page.click("nav >> text=Brand")
  page.click("text=Try changes")
  page.fill("[name='v:branding.color.Toolbar']", "#0B2A35")
  page.select_option("[name='w:branding.color.Toolbar']", "enforce")
  page.click("text=Show")
  page.wait_for_selector("svg [fill='#0B2A35FF'], svg [fill='#0b2a35'], svg [fill='#0B2A35']", state="attached")
  assert served.device(0) == {} and "All of it is published" in text(page)
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  Person(served).publish()
  assert served.device(0)["branding.color.Toolbar"]["verb"] == "enforce"


def test_images_in_lists_travel(fleet, tmp_path, visit):
  schema = tmp_path / "albums.json"
  schema.write_text(json.dumps({"Version": 1, "Groups": [{"Title": "Album", "Settings": [
    {"Type": "List", "Title": "Pages", "Key": "pages", "ItemTemplate": [
      {"Type": "Image", "Title": "Picture", "Key": "picture"}, {"Type": "TextField", "Title": "Name", "Key": "name"}]}]}]}))
  served = fleet(1, schema)
  page = visit(served, "/channels/fleet/form/at/0")
  page.click("text=Edit the list")
  page.click("text=Add an item")
  picture = tmp_path / "picture.svg"
  picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8H0z"/></svg>')
  page.set_input_files("[name='f:0.0']", picture)
  page.fill("[name='m:0.1']", "first")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  # It is drawn from the database, not from what the browser has sent.
  page.reload()
  assert page.locator("img.preview").evaluate("image => image.naturalWidth") == 8
  Person(served).publish()
  assert "first" in json.dumps(served.device(0)["pages"])


def test_what_is_pressed_twice_begins_one_step(fleet):
  served = fleet(8)
  alice = Person(served)
  alice.set(volume=("enforce", "30"))
  number = alice.publish(steps="10, 50, 100", pause="60")
  share = re.search(r'name="share" value="(\d+)"', alice.get(f"/publications/{number}").text)[1]
  assert share == "1000"
  assert alice.post(f"/publications/{number}/raise", {"share": share}).status == 303
  assert alice.post(f"/publications/{number}/raise", {"share": share}).status == 409
  assert 'name="share" value="5000"' in alice.get(f"/publications/{number}").text


def test_a_group_is_removed_after_a_question(fleet):
  served = fleet(3)
  alice = Person(served)
  alice.post("/groups", {"op": "add", "name": "hall"})
  assert "/groups/hall/remove" in alice.get("/groups").text
  asked = alice.get("/groups/hall/remove")
  assert asked.status == 200 and 'value="remove"' in asked.text and "0 devices" in asked.text
  assert "/channels/group.hall" in alice.get("/groups").text
  assert Person(served, "vera").get("/groups/hall/remove").status == 404
  assert alice.post("/groups/hall", {"op": "remove"}).status == 303
  assert "/channels/group.hall" not in alice.get("/groups").text and alice.get("/groups/hall/remove").status == 404


def test_groups_that_somebody_else_chose_meanwhile_stay(fleet):
  served = fleet(3)
  alice = Person(served)
  for name in ("east", "west", "hall"):
    alice.post("/groups", {"op": "add", "name": name})
  device = served.page(2)
  assert alice.post(device + "/groups", [("group", "east")]).status == 303
  # Of two pages that both show it in one group.
  assert alice.post(device + "/groups", [("seen", "east"), ("group", "east"), ("group", "west")]).status == 303
  assert alice.post(device + "/groups", [("seen", "east"), ("group", "hall")]).status == 303
  chosen = re.findall(r'name="seen" value="(\w+)"', alice.get(device).text)
  assert [name for name in chosen if name in ("east", "west", "hall")] == ["west", "hall"]


def test_what_another_has_followed_waits_for_no_reports(fleet):
  served = fleet(3)
  alice = Person(served)
  for value in ("30", "31"):
    alice.set(volume=("enforce", value))
    alice.publish()
  first, second = (alice.get(f"/publications/{number}").text for number in (1, 2))
  assert "Complete: it does not hold any more." in first and "Not reported yet" not in first
  assert "Complete: all devices are in." in second and "<dt>Not reported yet</dt><dd>3</dd>" in second
