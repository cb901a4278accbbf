"""Does the native pool hand out memory that nobody holds, take it back when nobody does, and count truly?"""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextvars import Context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock import config
from penstock.runtime.base import fp_context
from penstock.runtime.llvm import numpy_allocator, tier
from penstock.runtime.llvm.llvm_door import is_installed
from penstock.runtime.llvm.numpy_allocator import Allocator
from penstock.runtime.llvm.numpy_allocator_ir import SMALL
from penstock.runtime.memory.buffer_pool import Pool

from ...helpers import side_by_side

pytestmark = pytest.mark.skipif(
    not is_installed() or numpy_allocator.source() is None, reason="there is no llvmlite, or no aligned_alloc"
)
ROOT = Path(__file__).resolve().parents[3]
N = 3 * SMALL // 4


def new() -> Allocator:
    """One of its own: other IR is other code, with counters of its own."""
    source = numpy_allocator.source()
    assert source is not None
    new.count += 1  # type: ignore[attr-defined]  # a number for each
    ir = source.ir + f"\n; {new.count}"  # type: ignore[attr-defined]  # see above
    made = Allocator(tier.build_now(source._replace(ir=ir)))
    made.trim()
    made["cap"] = 1 << 30
    for counter in ("hits", "misses", "peak"):
        made[counter] = 0
    return made


new.count = 0  # type: ignore[attr-defined]  # see above


@pytest.fixture(scope="module", autouse=True)
def _on() -> Iterator[None]:
    config.jit.mode = "on"
    yield
    config.jit.mode = None


@pytest.fixture(scope="module")
def pool(_on: None) -> tuple[Allocator, Context]:
    made, context = new(), Context()
    context.run(made.enter)
    return made, context


def address(array: Any) -> int:
    return int(array.ctypes.data)


def _buffers(x: Any) -> list[Any]:
    found: list[Any] = []
    pickle.dumps(x, 5, buffer_callback=found.append)
    return found


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "view": lambda x: x[::2],
    "reshape": lambda x: x.reshape(2, -1),
    "memoryview": memoryview,
    "dlpack capsule": lambda x: x.__dlpack__(),
    "from_dlpack": np.from_dlpack,
    "frombuffer": lambda x: np.frombuffer(x, np.uint8),
    "ctypes": lambda x: x.ctypes,
    "nditer": np.nditer,
    "flat": lambda x: x.flat,
    "pickle buffers": _buffers,
}


@pytest.mark.parametrize("name", HOLDERS)
def test_memory_is_used_again_when_nobody_holds_it_and_not_before(
    pool: tuple[Allocator, Context], name: str
) -> None:
    _, context = pool
    x = context.run(np.empty, N, "f4")
    at = address(x)
    held = HOLDERS[name](x)
    del x
    y = context.run(np.empty, N, "f4")
    assert address(y) != at
    del y, held
    both = [context.run(np.empty, N, "f4") for _ in range(2)]
    assert at in map(address, both)


def test_arrays_own_their_data_are_aligned_and_may_be_resized(pool: tuple[Allocator, Context]) -> None:
    made, context = pool
    for size in (1, SMALL - 1, SMALL, SMALL + 1, 5 << 20):
        x = context.run(np.empty, size, np.uint8)
        assert x.flags.owndata
        assert x.base is None
        assert address(x) % (64 if size >= SMALL else 16) == 0
        x[:] = 7
        for new_size in (size + 3, SMALL + 100, 10, SMALL * 3, 1):
            kept = min(len(x), new_size)
            x.resize(new_size, refcheck=False)
            assert (x[: min(kept, 1)] == 7).all()
            assert len(x) == new_size
        assert made.owns(x)
    assert not made.owns(np.empty(N, "f4"))


def test_zeros_are_zeros_also_in_used_memory(pool: tuple[Allocator, Context]) -> None:
    _, context = pool
    for size in (100, N, 1 << 20):
        x = context.run(np.ones, size, "f4")
        del x
        assert not context.run(np.zeros, size, "f4").any()


@pytest.mark.parametrize("size", [SMALL, SMALL + 1, 9 * SMALL // 8, 9 * SMALL // 8 + 1, (1 << 22) - 1, 1 << 22])
def test_counters_tell_whole_blocks(size: int) -> None:
    made, context = new(), Context()
    context.run(made.enter)
    x = context.run(np.empty, size, np.uint8)
    block = made["live"]
    assert size <= block <= size * 9 // 8 + 1
    assert (made["idle"], made["hits"], made["misses"], made["peak"]) == (0, 0, 1, block)
    y = context.run(np.empty, size, np.uint8)
    del x
    assert (made["live"], made["idle"], made["peak"]) == (block, block, 2 * block)
    z = context.run(np.empty, size, np.uint8)
    assert (made["live"], made["idle"], made["hits"], made["misses"]) == (2 * block, 0, 1, 2)
    del y, z
    assert made.trim(block) == block
    assert made["idle"] == block
    assert made.trim() == block
    assert (made["live"], made["idle"]) == (0, 0)


def test_above_the_cap_the_size_used_longest_ago_goes_first() -> None:
    made, context = new(), Context()
    context.run(made.enter)
    sizes = [SMALL, 2 * SMALL, 4 * SMALL]
    arrays = [context.run(np.empty, size, np.uint8) for size in sizes]
    made["cap"] = 6 * SMALL
    del arrays[0]  # the smallest first: it is the oldest
    del arrays[0]
    assert made["idle"] == 3 * SMALL
    del arrays[0]
    assert made["idle"] == 6 * SMALL  # the smallest made room
    large = context.run(np.empty, 8 * SMALL, np.uint8)
    del large  # alone above the cap: it goes, the others stay
    assert made["idle"] == 6 * SMALL
    made["cap"] = 0
    again = context.run(np.empty, 4 * SMALL, np.uint8)
    del again
    assert made["idle"] == 2 * SMALL  # what waited already goes with the next that comes, or by `trim`
    assert made.trim() == 2 * SMALL


def test_more_than_there_is_is_a_memory_error_and_idle_memory_is_given_up_for_it() -> None:
    made, context = new(), Context()
    context.run(made.enter)
    x = context.run(np.empty, N, "f4")
    del x
    assert made["idle"]
    for count in (1 << 46, 1 << 60):
        with pytest.raises((MemoryError, ValueError)):
            context.run(np.empty, count, "u1")
    assert (made["idle"], made["live"]) == (0, 0)


def test_memory_that_is_not_to_be_had_is_not_counted() -> None:
    made, context = new(), Context()
    context.run(made.enter)
    x = context.run(np.empty, N, "f4")
    before = made["peak"], made["misses"], made["live"]
    with pytest.raises(MemoryError):
        context.run(np.empty, 1 << 46, "u1")
    assert (made["peak"], made["misses"], made["live"]) == before
    del x


def test_threads_never_share_a_block(pool: tuple[Allocator, Context]) -> None:
    made, _ = pool
    wrong: list[int] = []

    def work(k: int) -> None:
        context = Context()
        context.run(made.enter)
        for i in range(300):
            x = context.run(np.empty, N + k % 2, "f4")
            x[:] = k
            y = context.run(np.add, x, 1)
            if not ((x == k).all() and (y == k + 1).all()):
                wrong.append(i)

    side_by_side(work)
    assert wrong == []


# ---- behind the pool of results -----------------------------------------------------------------


@pytest.fixture
def own_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a pool of the test does to the contexts of runs ends with the test."""
    monkeypatch.setattr(fp_context, "_prepared", [])
    monkeypatch.setattr(fp_context, "_idle", deque[tuple[Context, Context]]())


def test_a_pool_that_gets_it_gives_back_its_own_memory_and_counts_both(own_contexts: None) -> None:
    made = new()
    given: list[Allocator | None] = [None]
    pool = Pool(cap=64 << 20, wanted=lambda _: given[0])
    first = pool.empty((N,), np.float32)
    other = pool.empty((N,), np.float32)
    block = pool.stats().in_use // 2
    del other
    assert pool.stats().idle == block
    given[0] = made
    x = pool.empty((N,), np.float32)
    assert x.flags.owndata
    assert pool.owns(x)
    assert pool.owns(first)
    assert not pool.owns(x[1:])
    assert not pool.owns(np.empty(N, np.float32))
    stats = pool.stats()
    assert (stats.in_use, stats.idle, stats.misses) == (2 * block, 0, 3)
    assert stats.peak == 2 * block
    del first, x
    stats = pool.stats()
    assert (stats.in_use, stats.idle) == (0, block)
    assert pool.trim() == block
    y = [pool.empty((N,), np.float32) for _ in range(5)]
    assert pool.stats().peak == 5 * block
    del y
    pool.cap = 2 * block
    assert pool.stats().idle == 2 * block
    assert made["cap"] == 2 * block


RUNS = """
import gc, os, sys
import numpy as np
import penstock as tf
from penstock.config import jit, memory
from penstock.runtime.llvm import numpy_allocator as allocator
from penstock.runtime.memory.buffer_pool import POOL
x = tf.placeholder(tf.float32, [None])
i = tf.placeholder(tf.int32, [None])
y = tf.gather(tf.exp(x) * 0.5 + x, i)
session = tf.Session()
a = np.random.default_rng(0).random(100_000, np.float32)
order = np.random.default_rng(1).permutation(100_000).astype(np.int32)
want = (np.exp(a) * np.float32(0.5) + a)[order]
"""


def in_a_process(program: str, **more: str) -> str:
    environment = os.environ | {"PENSTOCK_JIT": "on"} | more
    command = [sys.executable, "-X", "faulthandler", "-W", "error", "-c", RUNS + program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_process_takes_it_up_after_a_while_and_results_stay_the_same() -> None:
    program = """
kinds = set()
results = []
for k in range(6000):
    r = session.run(y, {x: a, i: order})
    if k % 500 == 0:
        jit.wait()
        assert np.array_equal(r, want)
        results.append(r)
    kinds.add(bool(r.flags.owndata))
    if kinds == {False, True} and k > 3000:
        break
assert all(np.array_equal(r, want) for r in results)
assert POOL._native is not None
stats = memory.stats()
held = sum(r.nbytes for r in results)
assert held <= stats.in_use <= 1.13 * (held + 3 * r.nbytes), (held, stats)
del r, results
session.close()
gc.collect()
assert memory.stats().in_use == 0, memory.stats()
assert memory.trim() > 0 and memory.stats().idle == 0
print("same")
"""
    assert in_a_process(program) == "same"


def test_arrays_outlive_everything_at_the_end_of_a_process() -> None:
    program = """
sys.kept = [session.run(y, {x: a, i: order}) for _ in range(60)]
assert POOL._native is not None and sys.kept[-1].flags.owndata
import builtins
builtins.also = sys.kept[-1][::3]
print("done")
"""
    assert in_a_process(program, PENSTOCK_JIT="now") == "done"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_goes_on_with_it() -> None:
    program = """
r = session.run(y, {x: a, i: order})
child = os.fork()
if child == 0:
    ok = all(np.array_equal(session.run(y, {x: a, i: order}), want) for _ in range(20)) and np.array_equal(r, want)
    del r
    memory.trim()
    os._exit(0 if ok else 1)
print(os.waitpid(child, 0)[1], np.array_equal(r, want), flush=True)
os._exit(0)
"""
    assert in_a_process(program, PENSTOCK_JIT="now", OMP_NUM_THREADS="1") == "0 True"


def test_results_of_a_session_pass_the_users_hands_as_before() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None])
        y = tf.cumsum(x)
    with tf.Session(graph=graph) as session:
        results = [session.run(y, {x: np.ones(100_000, np.float32)}) for _ in range(3)]
    assert all(r.flags.carray and r[-1] == 100_000 for r in results)
    assert not np.shares_memory(results[0], results[1])
