"""Completion by bash, with the programs that are built."""

import os
import pty
import re
import select
import subprocess
import time

import pytest
from conftest import ROOT

BUILD = ROOT / "build"
SCRIPT = ROOT / "docs" / "completion" / "livery.bash"

pytestmark = pytest.mark.skipif(not (BUILD / "livery").exists(), reason="the command is not built")


def complete(*words, **environment):
  """What bash offers for the last word."""
  script = f"""source {SCRIPT}; compopt() {{ :; }}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}; _livery; printf '%s\\n' "${{COMPREPLY[@]}}" """
  path = f"{BUILD}:{os.environ['PATH']}"
  run = subprocess.run(["bash", "-c", script, "bash", *words], check=True, capture_output=True, text=True,
                       env={**os.environ, **environment, "PATH": path})
  return run.stdout.split()


def typed(line, folder, before="", **environment):
  """What a tab makes of a line, in a bash that somebody sits at and has typed something before."""
  child, terminal = pty.fork()
  if child == 0:
    os.chdir(folder)
    os.execvpe("bash", ["bash", "--noprofile", "--norc", "-i"], {
      **os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}", "TERM": "dumb", "PS1": "", **environment})
  found, end = b"", time.monotonic() + 30
  try:
    # Ctrl-G tells what stands in the line.
    os.write(terminal, f"{before}source {SCRIPT}; bind -x '\"\\C-g\": printf \"<<%s>>\" \"$READLINE_LINE\"'; echo re''ady\n".encode())
    while b"ready" not in found and time.monotonic() < end:
      found += os.read(terminal, 4096)
    found = b""
    os.write(terminal, line.encode() + b"\t\x07")
    while b">>" not in found and time.monotonic() < end:
      if select.select([terminal], [], [], 0.1)[0]:
        found += os.read(terminal, 4096)
  finally:
    os.close(terminal)
    os.waitpid(child, 0)
  return re.search(r"<<(.*)>>", found.decode(), re.DOTALL)[1]


def test_commands():
  assert complete("livery", "se") == ["set", "search", "secrets", "session"]
  assert "page" in complete("livery", "")


def test_options_are_those_of_the_command():
  assert complete("livery", "set", "--la") == ["--layer"]
  assert complete("livery", "compact", "--la") == []
  assert "--prompts" in complete("livery", "page", "--")


def test_layers_and_words():
  assert complete("livery", "set", "--layer", "e") == ["enforced"]
  assert complete("livery", "session", "log") == ["login", "logout"]
  assert complete("livery", "asset", "in") == ["info"]


def test_settings_of_the_store(tmp_path):
  store = str(tmp_path / "store")
  subprocess.run([BUILD / "livery", "init", "--store", store], check=True, capture_output=True)
  subprocess.run([BUILD / "livery", "set", "volume", "3", "--store", store], check=True, capture_output=True)
  assert complete("livery", "get", "", LIVERY_STORE=store) == ["volume"]
  assert complete("livery", "--store", store, "get", "vo") == ["volume"]
  assert complete("livery", "get", "", LIVERY_STORE="") == []


def test_what_takes_files_and_folders(tmp_path):
  (tmp_path / "one.json").touch()
  (tmp_path / "folder").mkdir()
  assert typed("livery apply on", tmp_path) == "livery apply one.json "
  assert typed("livery get --store fo", tmp_path) == "livery get --store folder/"
  assert typed("livery get --store=fo", tmp_path) == "livery get --store=folder/"
  assert typed("livery picker camera --device on", tmp_path) == "livery picker camera --device one.json "
  assert "livery" not in complete("livery", "fetch", "")


def test_layers_are_those_that_the_command_takes(tmp_path):
  assert complete("livery", "page", "--layer", "") == ["bundle", "recommended", "user", "session", "enforced"]
  assert complete("livery", "set", "--layer", "o") == ["override"]
  assert typed("livery set --layer=o", tmp_path) == "livery set --layer=override "


@pytest.fixture
def odd(tmp_path):
  """A store, in a folder with a space, whose names a shell would make something of."""
  (tmp_path / "my folder").mkdir()
  store = str(tmp_path / "my folder" / "store")
  subprocess.run([BUILD / "livery", "init", "--store", store], check=True, capture_output=True)
  names = ["title text", "run$(touch${IFS}ran)", "run`touch ran`", "it's", "say\"so\"", "back\\slash", "wild*", "time:now", "a=b", "grün",
           "user@host", "two  spaces", "bang!x"]
  pairs = [part for name in names for part in (name, "1")]
  subprocess.run([BUILD / "livery", "set", "--store", store, "--", *pairs], check=True, capture_output=True)
  return tmp_path, store


@pytest.mark.parametrize("line, becomes", [
  ("livery get ti", "livery get ti"),
  ("livery get tit", r"livery get title\ text "),
  ("livery get 'tit", r"livery get 'title text' "),
  ('livery get "tit', r'livery get "title text" '),
  ("livery get it", r"livery get it\'s "),
  ("livery get say", 'livery get say\\"so\\" '),
  ("livery get 'say", "livery get 'say\"so\"' "),
  ('livery get "say', 'livery get "say\\"so\\"" '),
  ("livery get back", r"livery get back\\slash "),
  ("livery get wi", r"livery get wild\* "),
  ("livery get time", "livery get time:now "),
  ("livery get time:", "livery get time:now "),
  ("livery get a=", "livery get a=b "),
  ("livery get gr", "livery get grün "),
  ("livery get user@", "livery get user@host "),
  ("livery get two", r"livery get two\ \ spaces "),
  ("livery get bang", r"livery get bang\!x "),
  ("livery get 'bang", "livery get 'bang!x' "),
  # History would have its way with it.
  ('livery get "bang', 'livery get "bang'),
  (r"livery get run\$", r"livery get run\$\(touch\$\{IFS\}ran\) "),
  ("livery get 'run$", "livery get 'run$(touch${IFS}ran)' "),
  ('livery get "run\\$', 'livery get "run\\$(touch\\${IFS}ran)" '),
  ("livery get 'run`", "livery get 'run`touch ran`' "),
  ('livery get "run\\`', 'livery get "run\\`touch ran\\`" '),
])
def test_names_are_never_run(odd, line, becomes):
  folder, store = odd
  assert typed(line, folder, LIVERY_STORE=store, LC_ALL="C.UTF-8") == becomes
  assert not (folder / "ran").exists()


@pytest.mark.parametrize("named", ["--store my\\ folder/store", "--store 'my folder/store'", '--store "my folder/store"',
                                   "--store=my\\ folder/store", "--store '~'/store", "--store ~/store"])
def test_the_store_is_found_however_it_is_written(odd, named):
  folder, store = odd
  environment = {"HOME": str(folder / "my folder"), "LIVERY_STORE": ""}
  becomes = "livery get {} wi" if "'~'" in named else r"livery get {} wild\* "
  assert typed(f"livery get {named} wi", folder, **environment) == becomes.format(named)
  before = "livery {} get wi" if "'~'" in named else r"livery {} get wild\* "
  assert typed(f"livery {named} get wi", folder, **environment) == before.format(named)


@pytest.mark.parametrize("line, becomes", [
  ("livery get time:", "livery get time:now "), ("livery get a=", "livery get a=b "), (r"livery get time\:", r"livery get time:now "),
  ("livery set --layer=o", "livery set --layer=override "), ("livery get --store=my", "livery get --store=my\\ folder/"),
])
@pytest.mark.parametrize("breaks", ["", "=", ":", "=:@"])
def test_whatever_ends_words(odd, line, becomes, breaks):
  folder, store = odd
  before = f"COMP_WORDBREAKS=$' \\t\\n{breaks}'; "
  assert typed(line, folder, before, LIVERY_STORE=store, LC_ALL="C.UTF-8") == becomes


def test_a_shell_that_wants_variables_to_be_set(odd):
  folder, store = odd
  assert typed(f"livery get --store 'my folder/store' wi", folder, "unset LIVERY_STORE; set -u; ") == (
    r"livery get --store 'my folder/store' wild\* ")
