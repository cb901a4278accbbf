"""The GPU tests pass with CuPy itself on a machine without a GPU. See `host_cuda/README.md`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ENVIRONMENT = "PENSTOCK_HOST_CUPY"
PROJECT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(ENVIRONMENT not in os.environ, reason=f"{ENVIRONMENT} names no folder made by tests.cuda.host_cuda")
def test_the_gpus_tests_pass_with_cupy_on_the_stand_in_cuda() -> None:
    folder = Path(os.environ[ENVIRONMENT]).absolute()
    command = [str(folder / "bin/python"), "-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "tests/cuda"]
    env = os.environ | {"CUPY_CACHE_DIR": str(folder / "cache")}  # what it compiled the last time
    done = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
