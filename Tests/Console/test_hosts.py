"""Under which names a console may be asked: by itself, and behind a web server."""

import urllib.parse

import pytest
from conftest import Console, join
from servers import Nginx, program

NAME = "fleet.example.com"


class Named(Console):
  """One that is asked under the name of its fleet, as browsers and devices do."""

  def ask(self, method, path, body=None, headers=None, token=True):
    return super().ask(method, path, body, {"Host": NAME, **(headers or {})}, token)


@pytest.fixture
def console(tmp_path):
  console = Named(tmp_path, url="https://" + NAME).make().serve("--host", "kiosks.example.com")
  yield console
  console.stop()


def sign_in(console, **headers):
  body = urllib.parse.urlencode({"name": "eva", "password": "correct horse"}).encode()
  return console.ask("POST", "/sign-in", body, {"Content-Type": "application/x-www-form-urlencoded", **headers}, token=False)


def test_a_name_without_a_port_is_that_of_the_usual_one(console):
  own = console.port
  for host in (NAME, NAME.upper(), NAME + ":443", "kiosks.example.com", "kiosks.example.com:443", "kiosks.example.com:80",
               f"kiosks.example.com:{own}", f"127.0.0.1:{own}", f"localhost:{own}"):
    assert console.ask("GET", "/api/v1/status", headers={"Host": host}).status == 200, host
  for host in ("example.com", NAME + ":444", f"{NAME}:{own}", NAME + ".example.org", "kiosks.example.com:81", "localhost"):
    assert console.ask("GET", "/api/v1/status", headers={"Host": host}).status == 421, host
  assert sign_in(console, Origin="https://" + NAME).status == 303
  assert sign_in(console, Origin="https://example.com").status == 403


def test_behind_a_web_server(console, tmp_path):
  if program("nginx") is None:
    pytest.skip("nginx is not installed (nginx-light)")
  nginx = Nginx(tmp_path, console.published, f"http://127.0.0.1:{console.port}")
  try:
    console.port = nginx.port
    signed = sign_in(console, Origin="https://" + NAME, Referer=f"https://{NAME}/sign-in", **{"Sec-Fetch-Site": "same-origin"})
    assert signed.status == 303 and signed.headers["Set-Cookie"].startswith("__Host-")
    cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
    assert b"eva" in console.ask("GET", "/devices", headers=cookie, token=False).body
    device, = join(console)
    console.set("fleet", ("volume", "enforce", 7))
    assert device.pull() == {"volume": ("enforce", 7)} and device.report().status in (200, 204)
    assert console.api("GET", "devices")["items"][0]["state"] == "right"
  finally:
    nginx.stop()
