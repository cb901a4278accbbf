"""The property tests of the whole suite, with more examples than by default."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_every_property_holds_for_more_examples() -> None:
    selected = "hypothesis and not slow and not nightly and not gpu"
    command = [sys.executable, "-m", "pytest", "-q", "-m", selected, "-p", "no:cacheprovider"]
    environment = os.environ | {"HYPOTHESIS_PROFILE": "longer"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
