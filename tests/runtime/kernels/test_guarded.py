"""Index loops stay inside their buffers, also when reading; `guarded.py` forbids the pages beside them."""

import subprocess
import sys
from pathlib import Path

import pytest

from .fences import needs_the_tier

ROOT = Path(__file__).resolve().parents[3]


@needs_the_tier
@pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")
def test_loops_neither_read_nor_write_beside_their_buffers() -> None:
    program = [sys.executable, "-m", "tests.runtime.kernels.guarded"]
    run = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == 3180


@needs_the_tier
@pytest.mark.skipif(sys.platform == "win32", reason="pages are forbidden by mprotect")
def test_a_byte_read_beside_a_guarded_buffer_ends_the_process() -> None:
    code = "import ctypes, numpy as np; from tests.runtime.kernels.guarded import beside\n"
    for at_end, offset in ((True, 7), (False, -1)):
        read = f"ctypes.string_at(beside(np.zeros(7, np.uint8), {at_end}).ctypes.data + {offset}, 1); print('read')"
        program = [sys.executable, "-c", code + read]
        run = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert run.returncode < 0 and run.stdout == ""
