"""A child that is forked in the middle of what other threads do can do all of it itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.llvm import tier

from ..helpers import HANGS, exit_code_of_child, needs_fork, thread_switches
from ..warm_python import run_fresh

pytestmark = needs_fork
THREADS = 4
several_forks = pytest.mark.parametrize("forks", [2, pytest.param(10, marks=pytest.mark.nightly)])


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    """So that forks come in the middle of most things."""
    with thread_switches(5e-6):
        yield


@contextmanager
def meanwhile(work: Callable[[], object]) -> Iterator[None]:
    """`work`, again and again, in several threads, all of which have done it once when the block begins."""
    end, errors = threading.Event(), list[BaseException]()
    begun = threading.Barrier(THREADS + 1, timeout=60)

    def again() -> None:
        try:
            work()
            begun.wait()
            while not end.is_set():
                work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=again) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    try:
        begun.wait()
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()
    assert not errors


def graph_of_five() -> tuple[tf.Graph, tf.Tensor, list[tf.Tensor]]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        fetches = [tf.reverse(tf.exp(x * float(i)) + x, [True]) for i in range(5)]
    return graph, x, fetches


@pytest.mark.parametrize("size", [0, 128], ids=["planning", "running"])
@several_forks
def test_a_child_forked_while_other_threads_run_can_run(size: int, forks: int) -> None:
    graph, x, fetches = graph_of_five()
    arrays = [np.ones(n, np.float32) for n in (3, 70_000)]
    with tf.Session(graph=graph, config=tf.SessionConfig(plan_cache_size=size)) as session:
        want = [session.run(f, {x: arrays[1]}) for f in fetches]

        def work() -> None:
            for fetch in fetches:
                for array in arrays:
                    session.run(fetch, {x: array})

        def right() -> int:
            work()
            got = [session.run(f, {x: arrays[1]}) for f in fetches]
            return 7 if all(map(np.array_equal, got, want)) else 1

        with meanwhile(work):
            assert [exit_code_of_child(right) for _ in range(forks)] == [7] * forks


@pytest.mark.filterwarnings("ignore::penstock.runtime.session.graph_growth.GrowthWarning")
@several_forks
def test_a_child_forked_while_other_threads_build_can_build_on(forks: int) -> None:
    graph = tf.Graph()

    def build() -> None:
        with graph.as_default(), tf.name_scope("part"):
            tf.reduce_sum(tf.constant([1.0, 2.0]) * 3.0, name="sum")

    def right() -> int:
        build()
        operations = graph.get_operations()
        names = {op.name for op in operations}
        whole = [op.index for op in operations] == list(range(len(operations))) and len(names) == len(operations)
        return 7 if whole and tf.Session(graph=graph).run(operations[-1].outputs[0]) == 9.0 else 1

    with meanwhile(build):
        assert [exit_code_of_child(right) for _ in range(forks)] == [7] * forks


def test_a_child_forked_while_code_is_compiled_can_compile() -> None:
    numbers = iter(range(1_000_000))

    def build() -> None:
        number = next(numbers)
        source = tier.ModuleSource(f"define i64 @f() {{\n ret i64 {number}\n}}", ("f",))
        if tier.on():
            tier.build_now(source)

    def right() -> int:
        build()
        return 7

    with meanwhile(build):
        assert [exit_code_of_child(right) for _ in range(2)] == [7] * 2


@several_forks
def test_a_child_forked_while_other_threads_share_work_has_helpers_of_its_own(forks: int) -> None:
    from penstock.runtime.base.thread_pool import parallel_for, thread_limit

    def work() -> int:
        done: list[int] = []
        with thread_limit(3):
            parallel_for(6, done.append)
        return 7 if sorted(done) == list(range(6)) else 1

    with meanwhile(work):
        assert [exit_code_of_child(work) for _ in range(forks)] == [7] * forks


LAZY = """
import importlib.abc, os, signal, sys, threading, warnings
from penstock.graph.common.lazy_import import load
warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
begun, forked = threading.Event(), threading.Event()

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "{inner}" and not begun.is_set():
            begun.set()
            forked.wait(0.2)  # a fork that does not wait finds the import in its middle

sys.meta_path.insert(0, Slow())
importer = threading.Thread(target=load, args=("{module}",))
importer.start()
assert begun.wait(60), "nothing imports the module"
os.register_at_fork(after_in_parent=forked.set)
child = os.fork()
if not child:
    signal.alarm({hangs})
    load("{module}")
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
importer.join()
"""


@pytest.mark.parametrize(
    ("module", "inner"),
    [
        ("penstock.runtime.kernels.loops.loop_cache", "penstock.runtime.kernels.loops.loop_cache"),
        ("penstock.runtime.kernels.loops.loop_cache", "penstock.runtime.kernels.loops.nest_loops"),
        pytest.param("penstock.runtime.observe.explain", "penstock.runtime.observe.explain", marks=pytest.mark.nightly),
    ],
)
def test_a_fork_waits_for_an_import_at_first_use(module: str, inner: str) -> None:
    done = run_fresh(LAZY.format(module=module, inner=inner, hangs=int(HANGS)))
    assert done.stdout == "7\n", done.stderr
