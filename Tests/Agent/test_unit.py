"""The unit of systemd: that it is one, how much it keeps the agent from, and that the agent needs nothing that it keeps it from."""

import re
import shutil
import subprocess

import livery
import livery.sync
import pytest
from conftest import BUILD, ROOT, free_port, wait

TEMPLATE = ROOT / "Sources" / "LiveryAgentCommand" / "livery-agent.service.in"
needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not there")


@pytest.fixture
def unit(tmp_path):
  made = tmp_path / "livery-agent.service"
  text = TEMPLATE.read_text().replace("@LIVERY_PROGRAM@", str(BUILD / "livery-agent"))
  # The manual page need not be installed yet.
  made.write_text(re.sub("Documentation=.*\n", "", text))
  return made


@needs_systemd
def test_systemd_finds_nothing_wrong(unit):
  done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
  assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
def test_it_is_kept_from_what_it_does_not_need(unit):
  done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=15", "--no-pager", unit], capture_output=True, text=True)
  assert done.returncode == 0, done.stdout[-2000:]


def allowed(group):
  """The system calls of a group, with those of groups in it."""
  done = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", group], capture_output=True, text=True, check=True)
  found = set()
  for line in done.stdout.splitlines()[1:]:
    word = line.strip()
    if word.startswith("@"):
      found |= allowed(word)
    elif word and not word.startswith("#"):
      found.add(word)
  return found


@needs_systemd
@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not there")
def test_each_system_call_of_it_is_allowed(agent, console, tmp_path):
  filters = re.findall(r"SystemCallFilter=(~?)(.*)", TEMPLATE.read_text())
  may = set()
  for sign, groups in filters:
    for group in groups.split():
      may = may - allowed(group) if sign else may | allowed(group)
  calls = tmp_path / "calls"
  with livery.open(agent.settings) as store:
    livery.sync.enroll(store, console.code()).result(20)
  traced = subprocess.Popen(
    ["strace", "-f", "-o", calls, BUILD / "livery-agent", "run", "--settings", agent.settings, "--config", agent.config], stderr=subprocess.DEVNULL)
  try:
    wait(lambda: agent.command("status").returncode == 0, seconds=60)
    agent.set(
      page_enabled=True, page_listen=f"127.0.0.1:{free_port()}", fetch_enabled=True, sync_enabled=True, sync_broker=f"mqtt://127.0.0.1:{free_port()}")
    wait(lambda: all(part["state"] == "running" for part in agent.status()["parts"].values()), seconds=60)
    wait(lambda: console.asked("/v1/channels"), seconds=60)
  finally:
    subprocess.run(["kill", str(agent.status()["pid"])], check=True)
    traced.wait(60)
  made = set(re.findall(r"^\d+ +(\w+)\(", calls.read_text(), re.M))
  # What is looked at before the unit's filter holds.
  assert made - may <= {"execve", "arch_prctl"}, sorted(made - may)
