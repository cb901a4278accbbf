"""Compiled groups stay inside their arrays; `guarded_groups.py` forbids the pages beside them."""

import subprocess
import sys
from pathlib import Path

import pytest

from penstock.runtime.llvm import tier

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
@pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")
def test_compiled_groups_neither_read_nor_write_beside_their_arrays() -> None:
    program = [sys.executable, "-m", "tests.runtime.compiled.guarded_groups"]
    run = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 400
