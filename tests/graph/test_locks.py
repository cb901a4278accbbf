"""Locks and forks: every lock of the package is known to the fork, and so is every import at first use."""

from __future__ import annotations

import ast
import gc
import os
import re
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

import penstock as tf
from penstock.graph.common import locks
from penstock.graph.common.locks import LockKind, new_lock
from penstock.runtime.base.fp_context import collector_paused
from penstock.runtime.llvm import background, toolchain  # noqa: F401  # each has a lock

from ..helpers import exit_code_of_child, needs_fork
from ..interrupts import lines_of
from ..package_modules import package_modules

PACKAGE = Path(tf.__file__).parent
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in package_modules())
MAKERS = {"Lock", "RLock", "Condition", "Event", "Semaphore", "BoundedSemaphore", "Barrier", "allocate_lock",
          "cached_property", "register_at_fork", "Queue", "LifoQueue", "ThreadPoolExecutor"}  # fmt: skip
"""What is a lock or holds one; `cached_property` does before Python 3.12."""


def names_used(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


def read(module: str) -> str:
    return (PACKAGE / module).read_text("utf-8")


def imports_at_first_use(source: str, package: tuple[str, ...]) -> list[tuple[str, bool]]:
    """The modules that functions import, and whether `load` names them just before."""
    found = []
    functions = [f for f in ast.walk(ast.parse(source)) if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in dict.fromkeys(node for each in functions for node in ast.walk(each)):
        for body in (getattr(function, "body", ()), getattr(function, "orelse", ())):
            if isinstance(function, ast.ClassDef) or not isinstance(body, list):
                continue
            for i, node in enumerate(body):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    before = "\n".join(ast.unparse(each) for each in body[:i])
                    found += [(name, f"load({name!r})" in before) for name in modules_of(node, package)]
    return found


def modules_of(node: ast.Import | ast.ImportFrom, package: tuple[str, ...]) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    base = [*package[: len(package) - node.level + 1]] if node.level else []
    base += node.module.split(".") if node.module else []
    inside = PACKAGE.parent.joinpath(*base)
    return {
        ".".join([*base, alias.name])
        if (inside / f"{alias.name}.py").exists() or (inside / alias.name).is_dir()
        else ".".join(base)
        for alias in node.names
    }


def makers_in(source: str) -> set[str]:
    """The makers of locks that a module uses, without names that are the package's own, such as `tf.Event`."""
    if not any(maker in source for maker in MAKERS):
        return set()
    tree = ast.parse(source)
    ours = {a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level for a in n.names}
    return (names_used(tree) & MAKERS) - ours


OF_WORKERS = {"cluster/worker/worker_actor.py": {"ThreadPoolExecutor"}}
"""What runs only in a worker process of Dask, which is never forked."""


def test_every_lock_is_made_where_forks_are_known() -> None:
    found = {m: makers_in(read(m)) - OF_WORKERS.get(m, set()) for m in MODULES if m != "graph/common/locks.py"}
    lines = [f"{module} uses {', '.join(makers)}" for module, makers in found.items() if makers]
    assert not lines, "\n".join(lines)


def not_loaded(module: str) -> list[str]:
    """The modules that functions of a module import without `load` just before."""
    source = read(module).replace("if TYPE_CHECKING:", "class _Types:")
    if not re.search(r"(^[ \t]|[:;])[ \t]*(import\s+\w|from\s+[\w.]+\s+import\s)", source, re.MULTILINE):
        return []
    package = ("penstock", *Path(module).parts[:-1])
    return [name for name, is_loaded in imports_at_first_use(source, package) if not is_loaded]


def test_every_import_at_first_use_is_loaded_whole() -> None:
    found = {module: not_loaded(module) for module in MODULES if module != "graph/common/lazy_import.py"}
    lines = [f"{module} imports {', '.join(names)}" for module, names in found.items() if names]
    assert not lines, "\n".join(lines)


def test_a_check_of_locks_finds_one_and_lets_names_of_the_package_pass() -> None:
    assert makers_in("import threading\nx = threading.RLock()") == {"RLock"}
    assert makers_in("from .events import Event\nx = Event()") == makers_in("x = 1  # Lock") == set()


def test_a_check_of_imports_finds_one_that_is_not_loaded() -> None:
    source = 'def f():\n    load("a")\n    import a\n    if a:\n        from .b import c\n'
    assert imports_at_first_use(source, ("p", "q")) == [("a", True), ("p.q.b", False)]


def test_locks_are_counted_by_kind_and_forgotten_with_their_owner() -> None:
    gc.collect()
    before = locks.locks()
    graph = tf.Graph()
    assert locks.locks()[LockKind.GRAPH] == before[LockKind.GRAPH] + 1
    assert before[LockKind.COMPILER] == before[LockKind.IMPORTS] == before[LockKind.QUEUE] == 1
    del graph
    gc.collect()
    assert locks.locks() == before


class Holder:
    """A thread that holds a lock until it is told to let go."""

    def __init__(self, lock: threading.RLock) -> None:
        self.let_go = threading.Event()
        self.has_it = threading.Event()
        self.thread = threading.Thread(target=self._hold, args=(lock,))
        self.thread.start()
        assert self.has_it.wait(60)

    def _hold(self, lock: threading.RLock) -> None:
        with lock:
            self.has_it.set()
            self.let_go.wait(60)


def can_take(lock: object) -> bool:
    """Whether another thread can take it."""
    got: list[bool] = []
    thread = threading.Thread(target=lambda: got.append(lock.acquire(timeout=60)))  # type: ignore[attr-defined]
    thread.start()
    thread.join()
    return got == [True]


@needs_fork
@pytest.mark.share(3)
@pytest.mark.parametrize("kind", list(LockKind))
def test_a_fork_waits_for_who_holds_a_lock_and_the_child_finds_it_open(
    kind: LockKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = threading.RLock()
    holder = Holder(lock)
    waits = threading.Event()
    done: list[bool] = []

    class Noticed:
        """The lock, telling when the fork begins to wait."""

        def acquire(self, **options: float) -> bool:
            waits.set()
            return lock.acquire(**options)  # type: ignore[arg-type]

        def release(self) -> None:
            lock.release()

    with monkeypatch.context() as patched:
        patched.setattr(threading, "RLock", Noticed)
        noticed = new_lock(kind)  # which has to live until the fork

    def let_go_when_awaited() -> None:
        waits.wait(60)
        done.append(True)
        holder.let_go.set()

    other = threading.Thread(target=let_go_when_awaited)
    other.start()
    try:
        assert exit_code_of_child(lambda: 7 if done and can_take(lock) else 1) == 7
    finally:
        holder.let_go.set()
        other.join()
        holder.thread.join()
        del noticed
    assert can_take(lock)


@needs_fork
def test_a_graph_that_is_held_for_too_long_is_open_in_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "PATIENCE", 0.01)
    graph = tf.Graph()
    holder = Holder(graph.lock)

    def add() -> int:
        with graph.as_default():
            tf.constant(1.0)
        return 7

    try:
        assert exit_code_of_child(add) == 7
    finally:
        holder.let_go.set()
        holder.thread.join()


@needs_fork
def test_a_fork_while_its_own_thread_holds_locks_leaves_them_held_as_deep() -> None:
    lock = new_lock(LockKind.QUEUE)

    def release_once() -> int:
        lock.release()
        return 7 if can_take(lock) else 1

    with lock:
        assert exit_code_of_child(release_once) == 7
    assert can_take(lock)


@needs_fork
def test_a_child_forked_while_another_thread_plans_collects_garbage() -> None:
    begun, end = threading.Event(), threading.Event()

    def plan() -> None:
        with collector_paused():
            begun.set()
            end.wait(60)

    thread = threading.Thread(target=plan)
    thread.start()
    begun.wait(60)
    try:
        assert not gc.isenabled()
        assert exit_code_of_child(lambda: 7 if gc.isenabled() else 1) == 7
    finally:
        end.set()
        thread.join()
    assert gc.isenabled()


@needs_fork
def test_an_error_in_what_a_child_sets_right_leaves_no_lock_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("expected here, and printed by the interpreter")

    children: list[Callable[[], object]] = [fail]
    monkeypatch.setattr(locks, "_children", children)
    graph = tf.Graph()
    assert exit_code_of_child(lambda: 7 if can_take(graph.lock) else 1) == 7


@needs_fork
def test_forks_of_several_threads_take_their_turns() -> None:
    codes: list[int] = []
    lock = new_lock(LockKind.QUEUE)
    alive = weakref.ref(lock)

    def fork() -> None:
        for _ in range(2):
            codes.append(exit_code_of_child(lambda: 7 if can_take(new_lock(LockKind.QUEUE)) else 1))

    threads = [threading.Thread(target=fork) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [7] * 4
    del lock
    assert alive() is None  # no fork holds what it has taken
    assert os.getpid()


def test_a_lock_dies_without_a_line_of_python_where_an_interrupt_would_be_lost() -> None:
    before = locks.locks()
    made = [new_lock(LockKind.STATE) for _ in range(5)]
    assert lines_of(made.clear) == 0 and locks.locks() == before
