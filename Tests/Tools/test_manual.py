"""Completion by bash, with the programs that are built."""

import os
import subprocess

import pytest
from conftest import ROOT

BUILD = ROOT / "build"
SCRIPT = ROOT / "docs" / "completion" / "livery.bash"

pytestmark = pytest.mark.skipif(not (BUILD / "livery").exists(), reason="the command is not built")


def complete(*words, **environment):
  """What bash offers for the last word."""
  script = f"""source {SCRIPT}; compopt() {{ :; }}
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _livery; printf '%s\\n' "${{COMPREPLY[@]}}" """
  path = f"{BUILD}:{os.environ['PATH']}"
  run = subprocess.run(["bash", "-c", script, "bash", *words], check=True, capture_output=True, text=True,
                       env={**os.environ, **environment, "PATH": path})
  return run.stdout.split()


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
