"""Index loops stay inside their buffers, also when reading; `guarded.py` forbids the pages beside them."""

import sys

import pytest

from ...warm_python import run_warm
from .fences import needs_the_tier


@needs_the_tier
@pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")
@pytest.mark.parametrize(("kinds", "calls"), [("some", 1224), pytest.param("every", 3180, marks=pytest.mark.nightly)])
def test_loops_neither_read_nor_write_beside_their_buffers(kinds: str, calls: int) -> None:
    run = run_warm(["-m", "tests.runtime.kernels.guarded", kinds], timeout=300)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == calls


@needs_the_tier
@pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")
def test_a_byte_read_beside_a_guarded_buffer_ends_the_process() -> None:
    code = "import ctypes, numpy as np; from tests.runtime.kernels.guarded import beside\n"
    for at_end, offset in ((True, 7), (False, -1)):
        read = f"ctypes.string_at(beside(np.zeros(7, np.uint8), {at_end}).ctypes.data + {offset}, 1); print('read')"
        run = run_warm(["-c", code + read], timeout=60)
        assert run.returncode < 0 and run.stdout == ""
