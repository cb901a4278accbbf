"""Compiled groups stay inside their arrays; `guarded_groups.py` forbids the pages beside them."""

import sys

import pytest

from penstock.runtime.llvm import tier

from ...warm_python import run_warm


@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
@pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")
def test_compiled_groups_neither_read_nor_write_beside_their_arrays() -> None:
    run = run_warm(["-m", "tests.runtime.compiled.guarded_groups"], timeout=300)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) > 400
