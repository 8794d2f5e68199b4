"""A kiosk that needs a login, and shows nothing itself: the page asks for it in a browser."""

import queue
import subprocess
import threading

import livery
import pytest

from conftest import BUILD

KIOSK = BUILD / "examples" / "kiosk-login"


class Kiosk:
  """examples/kiosk-login/kiosk.c, and what it says."""

  def __init__(self, path):
    self.program = subprocess.Popen([str(KIOSK), str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    self.lines = queue.Queue()
    threading.Thread(target=lambda: [self.lines.put(line.strip()) for line in self.program.stdout], daemon=True).start()

  def says(self, text):
    assert text in self.lines.get(timeout=20)

  def close(self):
    self.program.kill()
    self.program.wait()


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_somebody_logs_in_at_the_page(serve, visit, script):
  served = serve(None, "--prompts")
  kiosk = Kiosk(served.path)
  try:
    kiosk.says("nobody is logged in, the theme is light")
    page = visit(served.link(), script)
    while not script and not page.locator("#prompts a").count():
      page.reload()
    page.locator("#prompts a").click()
    for password in ("byron", "lovelace"):
      page.locator("[name='m:0.0']").fill("ada")
      page.locator("[name='m:0.1']").fill(password)
      page.locator("button.main").click()
      if password == "byron":
        page.wait_for_selector("#notice.bad >> text=User or password is wrong")
        assert page.locator("[name='m:0.0']").input_value() == "ada" and page.locator("[name='m:0.1']").input_value() == ""
    page.wait_for_selector("main >> text=Answered.")
    kiosk.says("logged in, the theme is")
    for _ in range(3):
      if served.store.get("theme") == "dark":
        break
      kiosk.says("logged in, the theme is")
    layers = served.store.inspect("theme")["layers"]
    assert [layer["layer"] for layer in layers if layer["state"] == "wins"] == ["session"]
    page.goto(served.base + "/at/0")
    row = page.locator(".row[data-name=theme]")
    assert row.locator(":checked").get_attribute("value") == "dark" and "From the session" in row.inner_text()
    # Nothing of it is left when she logs out, and the next one is asked.
    assert subprocess.run([str(BUILD / "livery-session"), "logout", "--store", str(served.path)]).returncode == 0
    if script:
      page.wait_for_selector(".row[data-name=theme] [value=light]:checked")
      page.wait_for_selector("#prompts a")
    else:
      while not page.locator("#prompts a").count():
        page.reload()
    page.goto(served.base + "/at/0")
    assert page.locator(".row[data-name=theme] :checked").get_attribute("value") == "light"
    assert served.store.get("theme") == "light"
  finally:
    kiosk.close()
