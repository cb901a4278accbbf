"""The settings of property tests, and what makes a run of the tests short.

Property tests search shortly by default; in CI they try the same examples on every run, at night ten times as many.

`python -m pytest -m nightly` takes more seeds, `-m slow` searches longer (tests/test_more_examples.py), and
`HYPOTHESIS_PROFILE=thorough python -m pytest` longest of all.
"""

import atexit
import faulthandler
import gc
import hashlib
import importlib
import inspect
import os
import random
import re
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

import penstock.every_op  # noqa: F401  # tests of every op look through the table of ops

from .combinations import FEWEST, beyond_a_share, combination
from .helpers import CASE, COMPILED

# No deadline and no check for slow examples: both measure the machine's load, not the code.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("default", UNTIMED, max_examples=6)
settings.register_profile("longer", UNTIMED, max_examples=60)
settings.register_profile("ci", UNTIMED, max_examples=6, derandomize=True, database=None, print_blob=True)
settings.register_profile("nightly", UNTIMED, max_examples=100, derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", UNTIMED, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default"))

if "HYPOTHESIS_PROFILE" not in os.environ:
    # Hypothesis parses each module of the package for constants to try: 10 s of each process that has no cache of it,
    # for a twentieth of the values of few examples.
    vars(providers).update(is_local_module_file=lambda path: False)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts jobs in the background with SIGINT ignored, which processes that tests start would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]

SLOW_SECONDS = 1500
"""The time that a slow test may take; others have the `timeout` of pyproject.toml."""


WATCHED_ANEW_AFTER = 60.0
"""Seconds after which the next test has its own watch for what hangs. One watch is a thread, and to start and end it
for each test took longer than many tests."""
NOTEWORTHY_SECONDS = 0.05
"""The setting up and clearing away of a test that takes as long is told to the process that counts the tests."""
LUCK = random.Random()
"""What the system draws for operations without seeds, the same in every run of a test."""

ERRORS = pytest.StashKey[int]()
FOLDER_OF_OBJECTS = pytest.StashKey[Path]()
"""The folder of tests that began last."""
WATCHED_SINCE = pytest.StashKey[float]()
AT_OTHER_TIMES = frozenset(("slow", "nightly", "gpu"))
"""The marks of tests that not every run takes."""
LEFT_OUT = pytest.StashKey[frozenset[str]]()
"""The marks of tests that are not collected."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option for tests that try many cases in one, and when a process that hangs ends."""
    parser.addoption("--case", default="", help="of tests with many cases try those of this name")
    parser.addini("hang_seconds", "a process whose test takes longer tells where it is, and ends", default="1800")


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled code in pytest's cache: a later run compiles only what has another source by then.

    Not in the user's own folder. Files are named by what they are made from, but not by the modules that make them;
    those have another folder once they change.
    """
    if config.getoption("--case"):
        os.environ[CASE] = config.getoption("--case")
    os.environ.pop("COLUMNS", None)  # tables are as wide as in the files that tests compare them with
    if COMPILED not in os.environ:
        os.environ[COMPILED] = _folder_of_compiled(config)
    os.environ.setdefault("PENSTOCK_CACHE_DIR", os.environ[COMPILED])
    # Operations without seeds draw theirs from here: a test that depends on luck fails on every run, or on none.
    vars(secrets).update(randbits=LUCK.getrandbits, randbelow=LUCK.randrange)
    os.register_at_fork(after_in_child=LUCK.seed)
    config.stash[ERRORS] = os.dup(2)  # not what pytest puts there to read what tests print
    config.stash[WATCHED_SINCE] = -WATCHED_ANEW_AFTER


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the watch for tests that hang."""
    faulthandler.cancel_dump_traceback_later()
    os.close(config.stash[ERRORS])


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Watch for a test that waits where Python answers no signal; a worker of xdist tells the result of a test alone.

    It told six things of each: that it begins and ends, and what became of each of its three parts. That took as long
    as the test, and as long again in the process that counts them.
    """
    if item.config.stash.get(FOLDER_OF_OBJECTS, item.path.parent) != item.path.parent:
        _leave_older_objects()
    item.config.stash[FOLDER_OF_OBJECTS] = item.path.parent
    LUCK.seed(item.nodeid)
    now = time.monotonic()
    if now - item.config.stash[WATCHED_SINCE] >= WATCHED_ANEW_AFTER:
        item.config.stash[WATCHED_SINCE] = now
        seconds = float(item.config.getini("hang_seconds"))
        faulthandler.dump_traceback_later(seconds, file=item.config.stash[ERRORS], exit=True)
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration >= NOTEWORTHY_SECONDS:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def _folder_of_compiled(config: pytest.Config) -> str:
    makers = sorted([*(ROOT / "penstock/runtime/llvm").glob("*.py"), *(ROOT / "tests/cuda/host_cuda").glob("*.[ch]")])
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in makers)).hexdigest()
    cache = getattr(config, "cache", None)  # missing with `-p no:cacheprovider`
    with suppress(OSError):
        if cache is not None:
            folder: Path = cache.mkdir("compiled") / digest
            for other in folder.parent.iterdir():
                if other != folder:
                    shutil.rmtree(other, ignore_errors=True)
            folder.mkdir(exist_ok=True)
            return str(folder)
    folder = Path(tempfile.mkdtemp(prefix="penstock-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return str(folder)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None]:
    """Collect no garbage while tests are collected: of all that is made then, nearly nothing is garbage."""
    gc.disable()
    try:
        _import_own_part(session.config)
        return (yield)
    finally:
        gc.enable()


def _import_own_part(config: pytest.Config) -> None:
    """Import the modules of tests from another place on than other workers do.

    pytest compiles their assertions, which takes half of the time to collect them. What it has compiled is on the disk
    then, so each of two workers compiles half of the modules.
    """
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if not number or config.args != config.getini("testpaths"):
        return
    modules = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py"))
    count = int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for path in modules[len(modules) * number // count : len(modules) * (number + 1) // count]:
        with suppress(Exception, pytest.skip.Exception):  # when the module is collected, its error is told
            importlib.import_module(".".join(path.with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """The tests are collected, and no doctests among them."""
    return [collector for collector in (yield) if type(collector) is pytest.Module]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Item] | None:
    """Make no items of a function that the run leaves out: each takes 0.2 ms until it is deselected."""
    if not name.startswith("test_") or not inspect.isfunction(obj):
        return None
    marks: Iterable[pytest.Mark] = getattr(obj, "pytestmark", ())
    return [] if any(mark.name in _marks_left_out(collector.config) for mark in marks) else None


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Generator[None]:
    """Leave some combinations of a test's parameters to the night; make no items of those that the run leaves out."""
    yield
    marks = list(metafunc.definition.iter_markers())
    by_day = [
        call for call in metafunc._calls if AT_OTHER_TIMES.isdisjoint(mark.name for mark in (*marks, *call.marks))
    ]
    share = metafunc.definition.get_closest_marker("share")
    if len(by_day) >= (2 if share else min(FEWEST.values())):
        combinations = [combination(call.params, marks) for call in by_day]
        for call in beyond_a_share(combinations, by_day, share.args[0] if share else 0):
            call.marks.append(pytest.mark.nightly.mark)
    without = _marks_left_out(metafunc.config)
    if without:
        kept = [call for call in metafunc._calls if all(mark.name not in without for mark in call.marks)]
        metafunc._calls[:] = kept or metafunc._calls[:1]  # without any it would be a test without parameters


def _marks_left_out(config: pytest.Config) -> frozenset[str]:
    """The marks without which each test must be that runs; none if `-m` says more, or a test is asked for by name."""
    if LEFT_OUT not in config.stash:
        terms = config.getoption("-m").split(" and ")
        are_plain = all(re.fullmatch(r"not \w+", term) for term in terms) and "::" not in "".join(config.args)
        config.stash[LEFT_OUT] = frozenset(term.removeprefix("not ") for term in terms) if are_plain else frozenset()
    return config.stash[LEFT_OUT]


@pytest.hookimpl(tryfirst=True)  # before those that are not selected go
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give slow tests more time."""
    if _marks_left_out(config).issuperset(("slow", "nightly")):
        return
    for item in items:
        names = {mark.name for mark in item.iter_markers()}
        if not names.isdisjoint(("slow", "nightly")) and "timeout" not in names:
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collection: many tests collect, and would walk all tests each time."""
    gc.freeze()


def _leave_older_objects() -> None:
    """Leave what modules and caches hold by now out of collections, once for each folder: each would walk them all."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def older_objects_are_not_walked() -> None:
    """Leave what other tests hold out of collections: a module of many collections would spend its time there."""
    _leave_older_objects()


@pytest.fixture
def no_collector_callbacks() -> Iterator[None]:
    """Hypothesis measures collections in Python code, in which Ctrl-C is lost: not beside tests that send it."""
    before = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = before


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Nothing is compiled in this test: it looks into the interpreter."""
    from penstock import config

    config.jit.mode = "off"
    yield
    config.jit.mode = None
