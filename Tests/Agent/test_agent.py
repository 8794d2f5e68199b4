"""Page, fetch and sync in one process, configured by a store as it is changed."""

import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import livery
import livery.sync
import pytest
from conftest import BUILD, ROOT, free_port, wait

PNG = (ROOT / "Tests" / "Fixtures" / "images" / "rgba.png").read_bytes()
MEBIBYTE = 1 << 20


def opens(address):
  """Whether a browser gets the page; it keeps the session in a cookie."""
  browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
  try:
    with browser.open(address, timeout=10) as answer:
      return answer.status == 200
  except (urllib.error.URLError, ConnectionError):
    return False


def test_without_settings_nothing_runs(agent):
  agent.start()
  assert {name: part["state"] for name, part in agent.status()["parts"].items()} == {"page": "off", "fetch": "off", "sync": "off"}
  assert agent.status()["pid"] == agent.process.pid


def test_a_part_starts_moves_and_stops_as_its_settings_change(agent):
  agent.start()
  first, second = free_port(), free_port()
  agent.set(page_enabled=True, page_listen=f"127.0.0.1:{first}", page_title="This kiosk")
  wait(lambda: agent.part("page")["state"] == "running")
  address = agent.part("page")["address"]
  assert address.startswith(f"http://127.0.0.1:{first}/") and address != agent.part("page")["address"]
  assert opens(address)
  agent.set(page_listen=f"127.0.0.1:{second}")
  wait(lambda: agent.part("page").get("address", "").startswith(f"http://127.0.0.1:{second}/"))
  assert not opens(address)
  agent.set(page_enabled=False)
  wait(lambda: agent.part("page")["state"] == "off")
  assert not opens(address.replace(str(first), str(second)))


def test_other_parts_do_not_notice(agent):
  agent.start()
  agent.set(page_enabled=True, page_listen=f"127.0.0.1:{free_port()}")
  wait(lambda: agent.part("page")["state"] == "running")
  agent.set(sync_enabled=True)
  wait(lambda: agent.part("sync")["state"] == "running")
  agent.end()
  log = agent.log.read_text()
  assert log.count("page: runs") == 1 and log.count("page: is stopped") == 1


def test_what_cannot_run_says_why_and_runs_as_soon_as_it_can(agent):
  agent.start()
  with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    agent.set(page_enabled=True, page_listen=f"127.0.0.1:{taken.getsockname()[1]}")
    wait(lambda: agent.part("page")["state"] == "failed")
    assert "in use" in agent.part("page")["problem"]
  wait(lambda: agent.part("page")["state"] == "running", seconds=60)
  # The same reason again is no news.
  assert agent.log.read_text().count("cannot run") == 1


def test_settings_that_are_none_are_refused_by_the_schema(agent):
  agent.start()
  for name, value in (("sync_broker", "http://broker"), ("page_idle", 5), ("sync_app", "Not An App"), ("network_caFile", "relative.pem")):
    with pytest.raises(livery.InvalidValueError):
      agent.set(**{name: value})


def test_images_of_the_brand_are_fetched_when_it_changes(agent, console):
  console.answers["/logo.png"] = lambda handler: handler.give(200, PNG, {"ETag": '"1"'})
  agent.start()
  agent.set(fetch_enabled=True)
  with livery.open(agent.settings) as store:
    store.branding.apply_console({"images": {"logo": console.url + "/logo.png"}})
    wait(lambda: store.branding.image("logo")["state"] == "ready")
    assert store.assets.get(store.branding.image("logo")["image"]) == PNG
    wait(lambda: agent.part("fetch")["ready"] == 1)
    store.branding.apply_console({"images": {"logo": console.url + "/none.png"}})
    wait(lambda: agent.part("fetch")["failed"] == 1)
    assert "1 images cannot be had" in agent.part("fetch")["problem"]
    # It is asked for again without being told; SIGHUP has it asked for now.
    console.answers["/none.png"] = lambda handler: handler.give(200, PNG)
    agent.process.send_signal(signal.SIGHUP)
    wait(lambda: store.branding.image("logo")["state"] == "ready")


def test_what_a_console_publishes_is_applied_and_reported(agent, console):
  agent.start()
  agent.set(sync_enabled=True)
  wait(lambda: agent.part("sync")["state"] == "running")
  assert agent.part("sync")["fleet"]["enrolled"] is False
  assert "livery sync enroll" in agent.command("status").stdout
  with livery.open(agent.settings) as store:
    livery.sync.enroll(store, console.code(), name="till 4").result(20)
    console.publisher.settings("fleet", "loud", ("volume", "enforce", 77))
    livery.sync.pull(store).result(30)
    assert store["volume"] == 77
    wait(lambda: any(report.get("values") for report in console.reports()))
  told = agent.part("sync")["fleet"]
  assert told["enrolled"] and told["fleet"] == "kiosks" and told["name"] == "till 4"
  assert "kiosks" in agent.command("status").stdout


def test_a_store_that_seals_its_secrets_is_opened_with_the_key_also_when_that_comes_later(agent, console):
  secrets = pytest.importorskip("livery.secrets")
  key, away = agent.settings.parent / "settings.key", agent.settings.parent / "away"
  secrets.make_key(file=key)
  with livery.open(agent.settings) as store, secrets.open(store, file=key):
    livery.sync.enroll(store, console.code()).result(20)
    store.set("token", livery.page.hash_pin("4711") if hasattr(livery, "page") else "x")
  console.publisher.settings("fleet", "opening", ("volume", "enforce", 33), ("token", "enforce", "for the till alone"))
  key.rename(away)
  agent.start()
  agent.set(secrets_keyFile=str(key), sync_enabled=True)
  wait(lambda: agent.part("secrets")["state"] == "failed", "that the key is missed")
  assert str(key) in agent.part("secrets")["problem"]
  done = agent.command("check")
  assert done.returncode == 4 and f"secrets: {key}" in done.stdout
  assert agent.part("sync")["fleet"]["problem"]["reason"] == "sealed"
  away.rename(key)
  assert agent.command("check").returncode == 0
  with livery.open(agent.settings) as store:
    wait(lambda: store["volume"] == 33, "what is published")
    with pytest.raises(livery.UnavailableError), secrets.open(store, file=key) as opened:
      opened.close()
      store["token"]
  wait(lambda: agent.part("secrets") == {"state": "running"}, "that the key is taken")
  agent.set(secrets_keyFile="")
  wait(lambda: "secrets" not in agent.status()["parts"], "that it is let go")


def test_one_agent_has_the_store_and_its_death_frees_it(agent):
  agent.start()
  other = agent.command("run")
  assert other.returncode == 6 and "another agent" in other.stderr
  agent.end(signal.SIGKILL)
  asked = agent.command("status")
  assert asked.returncode == 3 and "no agent runs" in asked.stderr
  agent.start()
  assert agent.status()["pid"] == agent.process.pid


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_order(agent, how):
  agent.start()
  agent.set(page_enabled=True, page_listen=f"127.0.0.1:{free_port()}", fetch_enabled=True, sync_enabled=True)
  wait(lambda: all(part["state"] == "running" for part in agent.status()["parts"].values()))
  assert agent.end(how) == 0
  assert agent.log.read_text().count("is stopped") == 3
  assert not (agent.config / "agent.socket").exists()


def test_who_asks_and_does_not_read_holds_nobody_up(agent):
  agent.start()
  lazy = []
  for _ in range(200):
    taken = socket.socket(socket.AF_UNIX)
    taken.connect(str(agent.config / "agent.socket"))
    lazy.append(taken)
  agent.status()
  for taken in lazy:
    taken.close()
  agent.status()


def test_the_socket_is_its_users_alone(agent):
  agent.start()
  assert os.stat(agent.config / "agent.socket").st_mode & 0o777 == 0o600


@pytest.mark.parametrize("is_abstract", [False, True])
def test_systemd_is_told(agent, tmp_path, is_abstract):
  name = f"livery-agent-{os.getpid()}"
  with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
    heard.bind("\0" + name if is_abstract else str(tmp_path / "notify"))
    heard.settimeout(30)
    agent.start(NOTIFY_SOCKET="@" + name if is_abstract else str(tmp_path / "notify"), WATCHDOG_USEC="200000")
    said = [heard.recv(4096).decode() for _ in range(5)]
    assert said[0] == "READY=1" and "STATUS=0 parts run, 0 cannot" in said
    assert said.count("WATCHDOG=1") >= 2
    agent.set(page_enabled=True, page_listen="192.0.2.1:1")
    while "STATUS=0 parts run, 1 cannot" not in said:
      said.append(heard.recv(4096).decode())
    agent.end()
    while "STOPPING=1" not in said:
      said.append(heard.recv(4096).decode())


def test_paths_come_from_the_state_directory_of_a_service(agent, tmp_path):
  environment = {**os.environ, "STATE_DIRECTORY": str(tmp_path)}
  environment.pop("LIVERY_STORE", None)
  process = subprocess.Popen([BUILD / "livery-agent", "run", "--group"], env=environment, stderr=subprocess.DEVNULL)
  try:
    wait(lambda: subprocess.run([BUILD / "livery-agent", "status"], env=environment, capture_output=True).returncode == 0)
  finally:
    process.terminate()
    assert process.wait(30) == 0
  assert os.stat(tmp_path / "agent").st_mode & 0o777 == 0o770


def test_check_misses_a_broker_for_who_the_device_is(agent):
  with livery.open(agent.config, create=True) as config:
    config.apply_schema(agent.command("schema").stdout)
  agent.set(sync_enabled=True, sync_brokerUser="till")
  done = agent.command("check")
  assert done.returncode == 4 and "agent.sync.broker\n" in done.stdout


@pytest.mark.parametrize("url, wrong", [("mqtt://broker:0", "port"), ("mqtts://broker:99999", "port"), ("mqtt://b!r", "more than"), ("mqtt://[::1", "bracket")])
def test_check_refuses_the_broker_that_run_refuses(agent, url, wrong):
  agent.start()
  agent.set(sync_enabled=True, sync_broker=url)
  wait(lambda: agent.part("sync")["state"] == "failed")
  assert wrong in agent.part("sync")["problem"]
  done = agent.command("check")
  assert done.returncode == 4 and wrong in done.stdout and done.stdout.split("\n")[0].endswith(": agent.sync.broker")


def test_a_password_is_of_a_user_also_for_check(agent, tmp_path):
  password = tmp_path / "password"
  password.write_text("secret\n")
  agent.start()
  agent.set(sync_enabled=True, sync_broker="mqtt://127.0.0.1:1", sync_brokerPasswordFile=str(password))
  wait(lambda: agent.part("sync")["state"] == "failed")
  done = agent.command("check")
  assert done.returncode == 4 and done.stdout.split("\n")[0].endswith(": agent.sync.brokerUser")


def test_status_says_why_the_broker_is_not_connected(agent, console):
  agent.start()
  with livery.open(agent.settings) as store:
    livery.sync.enroll(store, console.code()).result(20)
  agent.set(sync_enabled=True, sync_broker="mqtt://127.0.0.1:1", sync_brokerUser="till", sync_brokerPasswordFile="/nonexistent")
  wait(lambda: "/nonexistent" in agent.part("sync").get("fleet", {}).get("hintsProblem", ""))
  assert "No such file" in agent.command("status").stdout


def test_check_says_what_cannot_run_here(agent, tmp_path):
  missing = agent.command("check")
  assert missing.returncode == 3
  agent.start()
  agent.end()
  fine = agent.command("check", "--json")
  assert fine.returncode == 0 and '"problems":[]' in fine.stdout
  agent.set(page_enabled=True, page_pinSetting="pin", sync_enabled=True, sync_broker="mqtt://broker", sync_brokerPasswordFile="/nonexistent")
  wrong = agent.command("check")
  assert wrong.returncode == 4
  assert "sync: /nonexistent: No such file" in wrong.stdout and "page: nobody gets in without a PIN" in wrong.stdout
  assert "fetch: is off" in wrong.stdout
  agent.set(page_listen="0.0.0.0:8080", page_pinSetting="", sync_enabled=False)
  wrong = agent.command("check")
  assert wrong.returncode == 4 and "page: others reach 0.0.0.0:8080: it needs a PIN" in wrong.stdout
  agent.set(page_listen="127.0.0.1:99999")
  assert "page: 127.0.0.1:99999 is no address" in agent.command("check").stdout
  # As the page itself takes them.
  for own in ("localhost:8080", "[::1]:8080", "127.0.0.2:0"):
    agent.set(page_listen=own)
    assert agent.command("check").returncode == 0


def test_check_looks_at_the_pin(agent):
  agent.start()
  agent.end()
  with livery.open(agent.settings) as store:
    store.set("title", "4711")
  agent.set(page_enabled=True, page_pinSetting="title")
  wrong = agent.command("check")
  assert wrong.returncode == 4 and "title holds is no PIN's hash" in wrong.stdout and "page: cannot run" in wrong.stdout
  subprocess.run([BUILD / "livery-page", "pin", "title", "--store", agent.settings], input=b"4711\n", check=True, capture_output=True)
  done = agent.command("check")
  assert done.returncode == 0 and "page: is to run" in done.stdout


def test_an_agent_whose_own_store_is_another_one_ends(agent, tmp_path):
  """Its lock and its socket are those of the former one."""
  agent.start()
  agent.config.rename(tmp_path / "former")
  shutil.copytree(tmp_path / "former", agent.config, ignore=shutil.ignore_patterns("agent.socket"))
  assert agent.process.wait(30) == 8
  assert "another store is in the place of the agent's own" in agent.log.read_text()
  agent.start()
  agent.set(page_enabled=True, page_listen="127.0.0.1:0")
  wait(lambda: agent.part("page")["state"] == "running")


def test_what_it_does_not_know_is_told(agent):
  assert agent.command("dance").returncode == 2
  assert agent.command("run", "more").returncode == 2
  bare = {key: value for key, value in os.environ.items() if not key.startswith("LIVERY_")}
  done = subprocess.run([BUILD / "livery-agent", "status"], capture_output=True, text=True, env=bare)
  assert done.returncode == 2 and "--config" in done.stderr


@pytest.mark.parametrize("name, good, bad", [
  ("hosts", ["", "kiosk", "kiosk.local:8080 192.0.2.1", "[2001:db8::1]:443  kiosk_2 "], ["http://kiosk", "kiosk:", "kiosk,shop", "[kiosk]"]),
  ("locale", ["", "de", "de-AT", "de_AT.UTF-8", "zh-Hant-TW", "C"], ["de AT", "Deutsch (AT)", "-de", "de--AT"]),
])
def test_what_the_page_would_refuse_is_not_set(agent, name, good, bad):
  agent.start()
  agent.set(page_enabled=True, page_listen="127.0.0.1:0")
  for text in good:
    agent.set(**{"page_" + name: text})
    wait(lambda: agent.part("page")["state"] == "running")
  for text in bad:
    with pytest.raises(livery.InvalidValueError):
      agent.set(**{"page_" + name: text})


def test_the_store_of_a_later_agent_is_used_as_far_as_it_is_known(agent):
  agent.start()
  agent.end()
  with livery.open(agent.config) as config:
    config.apply_schema(re.sub(r'"Version":3', '"Version":4', subprocess.run([BUILD / "livery-agent", "schema"], capture_output=True, text=True).stdout))
  agent.start()
  assert agent.part("page")["state"] == "off"


def test_all_parts_together_take_at_most_12_mebibytes(agent, console):
  agent.start()
  with livery.open(agent.settings) as store:
    livery.sync.enroll(store, console.code()).result(20)
  agent.set(page_enabled=True, page_listen=f"127.0.0.1:{free_port()}", fetch_enabled=True, sync_enabled=True, sync_broker="mqtt://127.0.0.1:1")
  wait(lambda: all(part["state"] == "running" for part in agent.status()["parts"].values()))
  assert opens(agent.part("page")["address"])
  wait(lambda: console.asked("/v1/channels"))
  with open(f"/proc/{agent.process.pid}/smaps_rollup") as file:
    taken = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in file if line.rstrip().endswith("kB")}
  assert taken["Pss"] <= 12 * MEBIBYTE


def test_texts_of_any_script_are_taken_whole(agent, tmp_path):
  """The schema counts characters, which may have four bytes."""
  agent.start()
  title = "設" * 200
  agent.set(page_enabled=True, page_listen=f"127.0.0.1:{free_port()}", page_title=title)
  wait(lambda: agent.part("page")["state"] == "running")
  browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
  with browser.open(agent.part("page")["address"], timeout=10) as answer:
    assert title in answer.read().decode()
  missing = f"{tmp_path}/" + "設" * (999 - len(str(tmp_path)))
  agent.set(network_caFile=missing, fetch_enabled=True)
  done = agent.command("check")
  assert done.returncode != 0 and "設設" in done.stdout + done.stderr


def test_a_part_that_asks_servers_says_which_certificates_are_missing(agent, tmp_path):
  agent.start()
  file = tmp_path / "ca.pem"
  agent.set(network_caFile=str(file), fetch_enabled=True)
  wait(lambda: agent.part("fetch")["state"] == "failed")
  message = f"agent.network.caFile: No such file or directory: {file}"
  assert agent.part("fetch")["problem"] == message and f"fetch: cannot run: {message}" in agent.log.read_text()
  file.write_text("")
  wait(lambda: agent.part("fetch")["state"] == "running")


def test_the_store_of_an_app_is_not_taken_for_the_agents(agent):
  with livery.open(agent.settings) as store:
    store.set("volume", 33)
    revision = store.revision
  words = {"same": ["--settings", agent.settings], "other": ["--settings", agent.settings.parent / "other"]}
  for verb in ("run", "check"):
    for which, more in words.items():
      done = subprocess.run([BUILD / "livery-agent", verb, "--config", agent.settings, *more], capture_output=True, text=True, timeout=30)
      assert done.returncode == 2 and ("same store" if which == "same" else "app's schema") in done.stderr, (verb, which, done)
  with livery.open(agent.settings) as store:
    assert store["volume"] == 33 and store.revision == revision


def test_the_status_tells_what_is_wrong_with_the_fleet(agent, console):
  agent.start()
  with livery.open(agent.settings) as store:
    livery.sync.enroll(store, console.code()).result(20)
  console.is_down = True
  agent.set(sync_enabled=True)
  wait(lambda: agent.part("sync").get("fleet", {}).get("problem"), "a problem")
  told = agent.command("status").stdout
  problem = agent.part("sync")["fleet"]["problem"]
  assert problem["message"] in told and problem["advice"] in told


def test_the_unit_leaves_room_for_the_largest_asset(agent, console):
  asset = console.publisher.asset(os.urandom(64 * MEBIBYTE))
  console.publisher.settings("fleet", "large", ("volume", "enforce", 77), assets=[asset])
  with livery.open(agent.settings) as store:
    livery.sync.enroll(store, console.code()).result(20)
  agent.start()
  agent.set(sync_enabled=True)
  with livery.open(agent.settings) as store:
    wait(lambda: store["volume"] == 77, "the asset", 60)
  peak = int(re.search(r"VmHWM:\s*(\d+) kB", open(f"/proc/{agent.process.pid}/status").read()).group(1)) // 1024
  limit = int(re.search(r"MemoryMax=(\d+)M", (ROOT / "Sources/LiveryAgentCommand/livery-agent.service.in").read_text()).group(1))
  assert peak < limit, (peak, limit)


def test_settings_that_were_made_anew_are_taken_up(agent, console):
  agent.start()
  agent.set(sync_enabled=True)
  wait(lambda: agent.part("sync")["state"] == "running")
  shutil.rmtree(agent.settings)
  with livery.open(agent.settings, create=True) as store:
    livery.sync.enroll(store, console.code()).result(20)
    wait(lambda: agent.part("sync").get("fleet", {}).get("enrolled"), "the enrollment", 60)
    wait(lambda: livery.sync.status(store).get("process") == agent.process.pid, "its part")


def test_what_was_brought_back_from_a_copy_is_told(agent):
  with livery.open(agent.settings, create=True) as store:
    store.set("volume", 77)
    store.backup()
    store.set("volume", 78)
  with open(agent.settings / "data.mdb", "r+b") as file:
    file.write(b"\xff" * 12288)
  agent.start()
  agent.end()
  told = agent.log.read_text()
  assert "livery agent: " in told and "copy" in told
