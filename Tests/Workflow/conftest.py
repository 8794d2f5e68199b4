"""A store, and the package beside the build."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))
os.environ.setdefault("LIVERY_LIBRARY", str(BUILD / "liblivery.so"))
sys.path[:0] = [str(ROOT / "bindings" / "python")]

import livery  # noqa: E402


@pytest.fixture
def store(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    yield opened
