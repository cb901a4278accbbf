"""The settings of property tests: a short search by default; in CI the same examples on every run.

`python -m pytest -m slow` searches longer (tests/test_more_examples.py), `HYPOTHESIS_PROFILE=thorough python -m pytest`
longest of all.
"""

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

# No deadline and no check for slow examples: both measure the machine's load, not the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("default", UNTIMED, max_examples=15)
settings.register_profile("longer", UNTIMED, max_examples=60)
settings.register_profile("ci", UNTIMED, max_examples=50, derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", UNTIMED, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts jobs in the background with SIGINT ignored, which processes that tests start would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)

SLOW_SECONDS = 1500
"""The time that a slow test may take; others have the `timeout` of pyproject.toml."""

BYTECODE = "PENSTOCK_TESTS_BYTECODE"
"""Names the folder of this run for modules that Python compiled; the workers of xdist inherit it."""

if BYTECODE not in os.environ:
    os.environ[BYTECODE] = tempfile.mkdtemp(prefix="penstock-tests-")
    atexit.register(shutil.rmtree, os.environ[BYTECODE], ignore_errors=True)

# Compiled code is kept for this run of the tests, and for the processes it starts, not in the user's own folder.
if "PENSTOCK_CACHE_DIR" not in os.environ:
    os.environ["PENSTOCK_CACHE_DIR"] = tempfile.mkdtemp(prefix="penstock-tests-")
    atexit.register(shutil.rmtree, os.environ["PENSTOCK_CACHE_DIR"], ignore_errors=True)


import penstock.every_op  # noqa: E402, F401  # tests of every op look through the table of ops


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Collect no garbage while tests are collected: of all that is made then, nearly nothing is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests more time, those apart that say how much they need."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collection: many tests collect, and would walk 30,000 tests each time."""
    gc.collect()
    gc.freeze()
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        # Still nothing is written beside the sources, but the processes that tests start compile no module twice.
        os.environ["PYTHONPYCACHEPREFIX"] = os.environ[BYTECODE]


@pytest.fixture(scope="module")
def older_objects_are_not_walked() -> None:
    """Leave what other tests hold out of collections: a module of many collections would spend its time there."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Nothing is compiled in this test: it looks into the interpreter."""
    from penstock import config

    config.jit.mode = "off"
    yield
    config.jit.mode = None
