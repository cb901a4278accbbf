"""What holds for every test: paths that pytest ignores, and where Python keeps the bytecode of a run.

Ignored are the links at the root, which would import each module under a second name, the programs of lessons, and what
Dask runs as a script. The package is imported before anything is collected: else the doctests of a module would import
it a second time.
"""

import atexit
import linecache
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    # Still nothing is written beside the sources. But no process of this run, and no worker of xdist, compiles a module
    # that another one has compiled; where pytest keeps its cache, a later run neither.
    cache = Path(__file__).parent / ".pytest_cache"
    if cache.is_dir():
        folder = str(cache / "bytecode")
        for ended in Path(folder, *Path(tempfile.gettempdir()).parts[1:]).glob("pytest-of-*"):
            shutil.rmtree(ended, ignore_errors=True)  # of modules that tests wrote and imported
    else:
        folder = tempfile.mkdtemp(prefix="penstock-tests-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = folder
    sys.dont_write_bytecode = False

import pytest

if "PYTEST_XDIST_WORKER" in os.environ and "OPENBLAS_NUM_THREADS" not in os.environ:
    # Each core has a worker: more threads of NumPy's BLAS would wait for each other in loops, a sixth of the time of a
    # run on a busy machine. Processes that tests start have as many as a user's, and so has a run without workers.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    import numpy  # noqa: F401  # reads it

    del os.environ["OPENBLAS_NUM_THREADS"]

import penstock  # noqa: F401  # imported for its effect, see above

collect_ignore = ["graph", "ops", "runtime", "build", "penstock/cluster/access/local_child.py"]
collect_ignore_glob = ["penstock/lessons/[0-9]*"]


EXAMPLES = re.compile(rb">>>|documented_like|elementwise_decl")
"""What a module with doctests holds: an example, or that of a sibling, or what writes the examples of a family."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of two thirds of the modules, which have no example, no doctests are made, unless the command names them."""
    is_module = collection_path.suffix == ".py" and "penstock" in collection_path.relative_to(config.rootpath).parts
    if not is_module or config.args != config.getini("testpaths"):
        return None
    return None if EXAMPLES.search(collection_path.read_bytes()) else True


def _checked(filename: str | None = None) -> None:
    """What `linecache.checkcache` does for one file, and nothing for all."""
    if filename is not None:
        CHECKCACHE(filename)


CHECKCACHE = linecache.checkcache


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """A doctest makes a debugger, which asks the system for each of the hundreds of files of which lines were read.

    That took a third of the time of doctests.
    """
    if not isinstance(item, pytest.DoctestItem):
        return (yield)
    vars(linecache).update(checkcache=_checked)
    try:
        return (yield)
    finally:
        vars(linecache).update(checkcache=CHECKCACHE)
