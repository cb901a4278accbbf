"""How do the property tests search? A short search by default; in CI the same examples on every run.

`HYPOTHESIS_PROFILE=thorough python -m pytest` searches longer.
"""

import atexit
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Iterator
from contextvars import Context

import pytest
from hypothesis import HealthCheck, settings

# No deadline and no check for slow examples: both measure the machine's load, not the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("default", UNTIMED, max_examples=50)
settings.register_profile("ci", UNTIMED, max_examples=50, derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", UNTIMED, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))

# Compiled code is kept for this run of the tests, and for the processes it starts, not in the user's own folder.
if "PENSTOCK_CACHE_DIR" not in os.environ:
    os.environ["PENSTOCK_CACHE_DIR"] = tempfile.mkdtemp(prefix="penstock-tests-")
    atexit.register(shutil.rmtree, os.environ["PENSTOCK_CACHE_DIR"], ignore_errors=True)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is compiled in this test, and memory is Python's: it looks into the interpreter."""
    from penstock import config
    from penstock.runtime.base import fp_context
    from penstock.runtime.memory.buffer_pool import POOL

    for name in ("_native", "_wanted"):
        monkeypatch.setattr(POOL, name, None)
    monkeypatch.setattr(fp_context, "_prepared", [])
    monkeypatch.setattr(fp_context, "_idle", deque[tuple[Context, Context]](maxlen=64))
    config.jit.mode = "off"
    yield
    config.jit.mode = None
