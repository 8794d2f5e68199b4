"""What the network is: certificates, redirects, sizes, transfers that break off."""

import ssl
import subprocess

import livery
import livery.sync
import pytest
from conftest import Console


@pytest.fixture
def certificate(tmp_path):
  subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem",
     "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
  return tmp_path


@pytest.fixture
def secure(certificate, tmp_path):
  context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
  context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
  made = Console(tmp_path / "secure", context)
  yield made
  made.close()


def test_a_certificate_of_one_s_own_authority_is_kept_with_the_enrollment(store, secure, certificate):
  livery.sync.enroll(store, secure.code(), ca_file=certificate / "cert.pem").result(20)
  secure.publisher.settings("fleet", "opening", ("volume", "recommend", 40))
  assert livery.sync.pull(store).result(20)["Values"]["volume"] == 40


def test_a_certificate_that_nobody_vouches_for_is_refused(store, secure):
  with pytest.raises(livery.RefusedError, match=f"{secure.url} is not trusted, by the system's certificates: "):
    livery.sync.enroll(store, secure.code()).result(20)
  assert not secure.publisher.devices


def test_a_certificate_of_another_authority_is_refused_by_the_name_of_the_file(store, secure, tmp_path):
  other = tmp_path / "other.pem"
  subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null",
                  "-out", other, "-days", "2", "-subj", "/CN=another"], check=True, capture_output=True)
  with pytest.raises(livery.RefusedError, match=f"{secure.url} is not trusted, by those in {other}: "):
    livery.sync.enroll(store, secure.code(), ca_file=other).result(20)


def test_a_redirect_from_https_to_http_is_not_followed(store, secure, console, certificate):
  livery.sync.enroll(store, secure.code(), ca_file=certificate / "cert.pem").result(20)
  secure.answers["/v1/channels/fleet/manifest"] = lambda handler: handler.give(
    302, b"", {"Location": console.url + "/v1/channels/fleet/manifest"})
  with pytest.raises(livery.RefusedError, match="https to http"):
    livery.sync.pull(store).result(20)
  assert not console.requests


def test_redirects_without_an_end_are_given_up(device, console):
  console.answers["/v1/channels/fleet/manifest"] = lambda handler: handler.give(
    302, b"", {"Location": "/v1/channels/fleet/manifest"})
  with pytest.raises(livery.RefusedError, match="too often"):
    livery.sync.pull(device).result(20)
  assert len([path for path in console.asked("fleet/manifest")]) <= 13
  assert "too often" in livery.sync.status(device)["problem"]["message"]


def test_what_is_sent_is_not_redirected(store, console):
  console.answers["/v1/enroll"] = lambda handler: handler.give(302, b"", {"Location": "/elsewhere"})
  with pytest.raises(livery.RefusedError, match="redirects"):
    livery.sync.enroll(store, console.code()).result(20)
  assert not console.asked("/elsewhere")


def test_a_body_without_an_end_is_cut_off(device, console):
  sent = []

  def pour(handler):
    handler.send_response_only(200)
    handler.send_header("ETag", '"x"')
    handler.end_headers()
    handler.close_connection = True
    try:
      while len(sent) < 4096:
        handler.wfile.write(b"x" * 65536)
        sent.append(1)
    except OSError:
      pass

  console.answers["/v1/channels/fleet/manifest"] = pour
  with pytest.raises(livery.LiveryError):
    livery.sync.pull(device).result(20)
  # 256 KiB are the most of a manifest; some more is on its way by then.
  assert len(sent) < 1024


def test_a_proxy_is_asked(store, console, monkeypatch):
  for name in ("no_proxy", "NO_PROXY"):
    monkeypatch.delenv(name)
  text = console.publisher.code("http://fleet.invalid")
  seen = []
  console.answers["http://fleet.invalid/v1/enroll"] = lambda handler: (seen.append(1), handler.give(403, b"used: it was"))
  with pytest.raises(livery.RefusedError, match="used: it was"):
    livery.sync.enroll(store, text, proxy=console.url).result(20)
  assert seen


def test_no_cache_is_asked_for_once_a_cache_has_lied(device, console):
  publisher = console.publisher
  publisher.settings("fleet", "old", ("volume", "recommend", 1))
  old = publisher.contents["fleet"]
  publisher.settings("fleet", "new", ("volume", "recommend", 2))
  livery.sync.pull(device).result(20)
  publisher.settings("fleet", "newer", ("volume", "recommend", 3))
  newer, asked = publisher.contents["fleet"], []

  def cached(handler):
    fresh = handler.headers.get("Cache-Control") == "no-cache"
    asked.append((fresh, handler.headers.get("If-None-Match")))
    handler.give(200, newer if fresh else old, {"ETag": '"c"'})

  console.answers["/v1/channels/fleet/manifest"] = cached
  livery.sync.pull(device).result(20)
  assert device.get("volume") == 3
  assert [fresh for fresh, _ in asked] == [False, True] and asked[1][1] is None


def test_control_characters_of_a_server_do_not_get_through(store, console):
  console.answers["/v1/enroll"] = lambda handler: handler.give(403, b"\x1b[31mused\x07\nmore")
  with pytest.raises(livery.RefusedError) as error:
    livery.sync.enroll(store, console.code()).result(20)
  assert "\x1b" not in str(error.value) and "used" in str(error.value) and "more" not in str(error.value)
