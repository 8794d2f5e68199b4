"""Python under emulation: what tests start as `sys.executable` has to be emulated too."""
import os
import sys

sys.executable = os.environ.get("LIVERY_PYTHON", sys.executable)
