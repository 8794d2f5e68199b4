"""A kiosk with a login of its own: kiosk.py STORE [--script]

The person is asked at the terminal, in place of a dialog. The user is "ada", the password "lovelace": a wrong one is told, and asked
for again. What she has set lies in the layer `session`, and goes when she logs out. With --script it answers itself.
"""

import getpass
import sys

import livery
import livery.prompt
import livery.session

SCHEMA = {
  "Version": 1,
  "Groups": [{"Title": "Look", "Settings": [
    {"Title": "Theme", "Key": "theme", "Type": "ComboBox", "Class": ["Single"], "Value": "light",
     "Options": [{"Title": "Light", "Value": "light"}, {"Title": "Dark", "Value": "dark"}]}]}],
}


class Login(livery.prompt.Provider):
  """Shows the prompt."""

  def __init__(self, script):
    self.script = script

  def present(self, prompt, request):
    self.ask(prompt)

  def ask(self, prompt):
    user, password = self.script.pop(0) if self.script else (input("user: "), getpass.getpass("password: "))
    prompt.answer({"user": user, "password": password}, lambda error, retry: self.told(prompt, error, retry))

  def told(self, prompt, error, retry):
    if error:
      print("told:", error)
    if retry:
      self.ask(prompt)

  def dismiss(self, prompt, error):
    pass


def judge(request, answer):
  """A real kiosk asks its server, and decides when that has answered."""
  if (answer["user"], answer["password"]) == ("ada", "lovelace"):
    request.accept()
  else:
    request.reject("User or password is wrong")


def main():
  script = [("ada", "byron"), ("ada", "lovelace")] if "--script" in sys.argv else []
  with livery.open(sys.argv[1], create=True) as store:
    store.apply_schema(SCHEMA)
    livery.session.bootstrap(store).result()
    with livery.prompt.provide(store, "login", Login(script)):
      livery.prompt.request(store, "login", answered=judge).result()
    livery.session.login(store, {"name": "Ada"}, token="eyJhZGEi")
    store.set("theme", "dark", layer="session")
    print(f"{livery.session.current(store)['name']} is logged in, the theme is {store['theme']}")
    livery.session.logout(store)
    print(f"nobody is logged in, the theme is {store['theme']}")


if __name__ == "__main__":
  main()
