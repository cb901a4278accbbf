"""What tests of several layers share: ops that exist for one test, kernels that count, calls in another thread."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import update_wrapper
from itertools import chain, groupby
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import pytest
from hypothesis import settings

import penstock as tf
from penstock.graph.declare.op_declaration import OPS, op
from penstock.graph.declare.signature import T
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.shape import TensorShape
from penstock.runtime.backends import registry
from penstock.runtime.backends.protocol import Backend

if TYPE_CHECKING:  # a test of forks needs modules that nothing has imported
    from penstock.runtime.session.plan_cache import PlanCache

ROOT = Path(__file__).parents[1]
R = TypeVar("R")
K = TypeVar("K")
Kernel = Callable[[Any], Any]


COMPILED = "PENSTOCK_TESTS_COMPILED"
"""The variable that names the folder of code that tests have compiled: see `conftest.py`."""

CASE = "PENSTOCK_TESTS_CASE"
"""The variable that holds what the option `--case` says; workers of xdist inherit it."""

EVERY = 10_000
"""More cases than anything has."""
LONGEST_CASE = 300
"""So much of a case is told, in characters, where it fails."""


def shares(most: int) -> pytest.MarkDecorator:
    """A parameter `most`: the usual run of a test takes so many cases of a thing, the slow one all: `at_most`."""
    return pytest.mark.parametrize("most", [most, pytest.param(EVERY, marks=pytest.mark.slow)], ids=["some", "all"])


def at_most(items: Iterable[R], most: int) -> list[R]:
    """At most `most` of the items, spread evenly, the first one among them."""
    every = list(items)
    return every[:: max(1, -(-len(every) // most))]


@contextmanager
def case(of: object) -> Iterator[None]:
    """One of the cases of a test; a failure in it says which."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in the case {of}")
        raise


Check: TypeAlias = Callable[..., None]


@contextmanager
def thread_switches(seconds: float) -> Iterator[None]:
    """Let the interpreter change threads so often; code that still is compiled sees to its own interval first."""
    from penstock.runtime.llvm import tier

    assert tier.wait(60)
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def examples(times: int) -> int:
    """So many times as many examples as property tests usually try."""
    assert settings.default is not None
    return times * settings.default.max_examples


def nightly(values: Iterable[Any]) -> list[Any]:
    """Values of a parameter that only the nightly run takes."""
    return [pytest.param(value, marks=pytest.mark.nightly) for value in values]


def some_nightly(values: Iterable[Any], kept: Iterable[Any]) -> list[Any]:
    """Values of a parameter in their order; those that are not among `kept` are for the nightly run."""
    stay = list(kept)
    return [value if value in stay else pytest.param(value, marks=pytest.mark.nightly) for value in values]


def slow(values: Iterable[Any]) -> list[Any]:
    """Values of a parameter that only the slow run takes."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def every_case(name: str, values: Iterable[Any], parts: int = 1, by_day: int | None = None) -> Callable[[Check], Check]:
    """Makes one test of a check with parameters, which tries all values and tells which of them fail.

    A test per value would cost more than the checks of small things do. Those of a file can be tried for some values
    alone: `python -m pytest tests/test_every_op.py --case Tanh`.

    Args:
        name: the parameter; of several, their names with commas between them.
        values: what it may be; of several, tuples.
        parts: so many tests share the values, so that workers share them too.
        by_day: so many of these tests are in every run, the others in the nightly one; by default all are in every run.
    """
    every = list(values)
    names = name.split(", ")

    def arguments(value: Any) -> dict[str, Any]:
        return dict(zip(names, value if len(names) > 1 else [value], strict=True))

    def decorate(check: Check) -> Check:
        def test(part: int = 0, **fixtures: Any) -> None:
            failures: list[Exception] = []
            for value in chosen(every)[part::parts]:
                try:
                    with case(str(value)[:LONGEST_CASE]):
                        check(**arguments(value), **fixtures)
                except Exception as error:
                    failures.append(error)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                told = [note for error in failures for note in error.__notes__[-1:]]
                raise ExceptionGroup(f"{len(failures)} of {len(every)} cases fail: {', '.join(told)}", failures)

        signature = inspect.signature(check)
        others = [each for each in signature.parameters.values() if each.name not in names]
        shared = [inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY)] if parts > 1 else []
        update_wrapper(test, check)
        del test.__wrapped__  # type: ignore[attr-defined]  # else pytest would ask for the parameter
        vars(test).update(__signature__=signature.replace(parameters=[*others, *shared]), check=check, cases=every)
        numbers = [*range(parts)[:by_day], *nightly(range(parts)[by_day:] if by_day else ())]
        return pytest.mark.parametrize("part", numbers)(test) if parts > 1 else test

    return decorate


def one_of_each(cases: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """One case of each call, in another dtype from call to call, for every run; and the others, for the nightly one.

    Args:
        cases: tuples that begin with the call; those of a call follow each other.
    """
    each = [list(group) for _, group in groupby(cases, key=lambda case: case[0])]
    by_day = [group.pop(place % len(group)) for place, group in enumerate(each)]
    return by_day, list(chain.from_iterable(each))


def of_new_kinds(cases: Iterable[R], kinds: Callable[[R], Iterable[Hashable]]) -> tuple[list[R], list[R]]:
    """The cases of which a kind was in none before, for every run; and the others, for the nightly one."""
    seen: set[Hashable] = set()
    by_day: list[R] = []
    at_night: list[R] = []
    for each in cases:
        own = set(kinds(each))
        (at_night if own <= seen else by_day).append(each)
        seen |= own
    return by_day, at_night


def chosen(values: Sequence[Any]) -> Sequence[Any]:
    """The values that the option `--case` leaves: those whose name holds its text."""
    text = os.environ.get(CASE, "")
    return [value for value in values if text in str(value)]


def side_by_side(work: Callable[[int], object], count: int = 4) -> None:
    """`work(0)`, `work(1)` ... at the same time, each in a thread, until all are done."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def op_of(kernel: Kernel, **facts: Any) -> Iterator[Callable[..., Tensor]]:
    """An op of one operand, of the operand's dtype and shape, that computes `kernel(array)`; it is gone afterwards."""
    type_ = "OnlyForThisTest"

    @op(type_, **facts)
    def only_for_this_test(x: T, name: str | None = None) -> Tensor:  # type: ignore[empty-body]  # a declaration
        """The operand, after a function that the test chooses."""

    @only_for_this_test.shape
    def _(x: Tensor) -> TensorShape:
        return x.shape

    @only_for_this_test.kernel
    def _(xp: Any, x: Any) -> Any:
        return kernel(x)

    try:
        yield only_for_this_test
    finally:
        del OPS[type_]


class Counter:
    """A kernel that passes its operand on and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return x


def plans_of(session: tf.Session) -> PlanCache:
    """The plans that a session keeps, for tests of what it plans and how that runs."""
    return session._plans


PARTS_OF_PROGRAMS = (type, ModuleType, FunctionType)
"""What belongs to all objects alike."""


def held_by(holder: object, kind: type[K]) -> K:
    """The nearest object of a kind that a holder refers to, itself or through others."""
    seen: dict[int, object] = {}
    near = [holder]
    while near:
        for each in near:
            if isinstance(each, kind):
                return each
        seen.update({id(each): each for each in near})
        behind = {id(each): each for each in gc.get_referents(*near)}
        near = [each for key, each in behind.items() if key not in seen and not isinstance(each, PARTS_OF_PROGRAMS)]
    raise AssertionError(f"nothing is a {kind.__name__}")


def moves_of(session: Any, operation: Any) -> Callable[[], int]:
    """What makes runs of an operation together that need not wait, as queue runners ask for it."""
    moves: Callable[[], int] = session._moves(operation)
    return moves


def frames_of(dbg: Any) -> Any:
    """The bodies in which a debugger stands, the plan first, with their places and values."""
    return dbg._now.frames


def cluster_of(session: Any) -> Any:
    """What runs the graphs of a session whose target is a cluster."""
    return session._cluster


def own_backends(monkeypatch: pytest.MonkeyPatch, *only: Backend) -> None:
    """What a test registers is gone afterwards; with `only` there are no others before."""
    present = {each.name: each for each in only} or dict(registry._registered)
    monkeypatch.setattr(registry, "_registered", present)


def in_thread(function: Callable[[], R]) -> R:
    """What `function` returns when another thread calls it."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result(60)


def names(operations: Any) -> list[str]:
    """The names of operations or tensors."""
    return [element.name for element in operations]


def placeholders(count: int, *dims: int | str | None, dtype: Any = None) -> list[tf.Tensor]:
    """`count` placeholders of one shape, called p0, p1 ..."""
    return [tf.placeholder(dtype or tf.float32, list(dims), name=f"p{i}") for i in range(count)]


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
HANGS = 60.0
"""Seconds after which what has not ended is taken to hang for ever: only a test that fails waits so long."""


def exit_code_of_child(work: Callable[[], int]) -> int:
    """What a forked child ends with that does `work` alone: its result, 99 if it raises, -9 if it hangs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
        child = os.fork()
    if child == 0:
        try:
            os._exit(work())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(99)
    return code_of(child)


def code_of(child: int) -> int:
    """The exit code of a child process; one that hangs is killed, which gives -9."""
    alarm = threading.Timer(HANGS, os.kill, (child, signal.SIGKILL))
    alarm.daemon = True
    alarm.start()
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        alarm.cancel()


def output_of(code: str, **names: object) -> str:
    """What a program prints in a process of its own; `{path!r}` in it is where modules are found."""
    done = subprocess.run(
        [sys.executable, "-c", code.format(path=[str(ROOT)], **names)],
        capture_output=True, text=True, timeout=3 * HANGS, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def second_derivatives() -> tuple[tf.Graph, list[tf.Tensor], dict[tf.Tensor, Any]]:
    """A graph with bodies in which several operations have one name, what to fetch, and what to feed."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [], name="x")
        rows = tf.placeholder(tf.float64, [None], name="rows")
        chosen = tf.placeholder(tf.bool, [], name="chosen")

        def loop(a: tf.Tensor, r: tf.Tensor) -> tf.Tensor:
            found: list[tf.Tensor] = tf.while_loop(
                lambda i, v: i < 3, lambda i, v: (i + 1, tf.square(tf.tanh(v)) * r), [0, a]
            )
            return found[1]

        summed = tf.scan(lambda a, r: tf.cond(chosen, lambda: loop(a, r), lambda: a), rows, initializer=x)
        fetches = [tf.gradients(first, [rows])[0] for first in tf.gradients(summed, [x, rows])]
    return graph, fetches, {x: 0.5, rows: [0.3, -0.2, 0.9], chosen: True}
