"""Imports at first use, safe beside signals and forks.

`import penstock` leaves out what few programs need; the function that needs a module loads it. A fork in the middle
of an import would leave the child a module that never becomes ready, so a fork waits (graph.locks). A signal handler in
the middle of one would find half a module, so an import for the main thread, where handlers run, is done by a thread of
its own: to the handler it is then another thread's import, which can be waited for.

    load("penstock.runtime.observe.explain")
    from .explain import explain

A module of public names whose own names wait says which (`import_later`). Type checkers and editors read import lines:
those of its stub, which `docs/make_stubs.py` writes.

    import_later("penstock.train", {"train.checkpoints.saver": "Saver", "queues.batches": "batch batch_join"})
"""

from __future__ import annotations

import _imp
import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from .locks import LockKind, collector_paused, new_lock

_LOCK = new_lock(LockKind.IMPORTS)
_PACKAGE = __name__.partition(".")[0]
_loaded: set[str] = set()


def load(module: str) -> None:
    """Import `module`, so that an import statement finds all of it.

    Raises:
        ImportError, or whatever else the import raises.
    """
    if module in _loaded:
        return
    if threading.current_thread() is not threading.main_thread() or _may_be_importing(module):
        _load_here(module)
    else:
        _load_aside(module)
    _loaded.add(module)


def _may_be_importing(module: str) -> bool:
    """Whether this thread may hold a lock that an import of `module` by another thread would wait for.

    It holds one where a signal handler, or what a module does while it is imported, leads here.
    """
    return _imp.lock_held() or _is_begun(_PACKAGE) or _is_begun(module)


def _is_begun(module: str) -> bool:
    """Whether an import of `module` is under way."""
    return bool(getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False))


def _load_here(module: str) -> None:
    with _LOCK, collector_paused():  # a module is objects that stay
        import_module(module)


def _load_aside(module: str) -> None:
    """Import in a thread of its own, and wait for that."""
    errors: list[BaseException] = []

    def work() -> None:
        try:
            _load_here(module)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work, name="penstock-import", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no thread can be started, or the interpreter is ending
        _load_here(module)
        return
    thread.join()
    if errors:
        raise errors.pop()


# ---- names of modules ---------------------------------------------------------------------------

LATER: Final[dict[str, dict[str, str]]] = {}
"""Of each module that calls `import_later` the names, and the module of each."""


def import_later(module: str, names: Mapping[str, str]) -> None:
    """Let a module import some of its names at their first use.

    Args:
        module: the module's `__name__`.
        names: modules of the package, without the package's name, and the names of each, separated by spaces.
    """
    package = module.partition(".")[0]
    LATER[module] = {name: f"{package}.{path}" for path, each in names.items() for name in each.split()}

    def missing(name: str) -> Any:
        found = later_name(module, name)
        if found is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return found

    # Set at run time: with a function in the module's text type checkers would accept every name.
    names_now = vars(sys.modules[module])
    names_now["__getattr__"] = missing
    names_now["__dir__"] = lambda: sorted({*names_now, *LATER[module]})


def later_name(module: str, name: str) -> Any:
    """A name of a module, imported and made its attribute; None if it is none of those that wait.

    >>> later_name("penstock.train", "add") is None
    True
    """
    path = LATER.get(module, {}).get(name)
    if path is None:
        return None
    load(path)
    found = getattr(sys.modules[path], name)
    setattr(sys.modules[module], name, found)
    return found
