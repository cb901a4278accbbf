"""The memory of a result is reused when its last reference is gone, and never before."""

import copy
import ctypes
import gc
import pickle
import random
import subprocess
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.runtime.memory import buffer_pool
from penstock.runtime.memory.buffer_pool import ALIGNMENT, SMALL, MemoryStats, Pool, bytes_from, default_cap

from ...helpers import side_by_side
from ...warm_python import run_fresh

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.usefixtures("older_objects_are_not_walked")
COUNT = 300_000  # int32 elements, 1.2 MB: far from small


@pytest.fixture
def pool() -> Pool:
    return Pool(cap=1 << 30)


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """Each new block takes one entry; True lets the allocation fail. An empty list lets all succeed."""
    real, fail = buffer_pool._new_memory, list[bool]()

    def new_memory(size: int) -> Any:
        if fail and fail.pop(0):
            raise MemoryError("none left")
        return real(size)

    monkeypatch.setattr(buffer_pool, "_new_memory", new_memory)
    yield fail


def address(array: Any) -> int:
    return int(array.ctypes.data)


def patterned(pool: Pool) -> Any:
    array = pool.empty((COUNT,), np.int32)
    array[:] = np.arange(COUNT, dtype=np.int32)
    return array


def raised_with(array: Any) -> BaseException:
    try:
        raise ValueError(array)
    except ValueError as error:
        return error


def in_a_frame(array: Any) -> Any:
    def generator() -> Iterator[int]:
        yield 0
        yield int(array[0])

    running = generator()
    next(running)
    return running


def in_a_cycle(array: Any) -> Any:
    box = [array]
    box.append(box)
    return box


def pickled_out_of_band(array: Any) -> Any:
    parts: list[Any] = []
    return pickle.dumps(array, 5, buffer_callback=parts.append), parts


class Thread:
    """A thread that holds an array until it is let go."""

    def __init__(self, array: Any) -> None:
        self.go, self.ready = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.work, args=([array],))
        self.thread.start()
        self.ready.wait()

    def work(self, box: list[Any]) -> None:
        mine = box.pop()
        self.ready.set()
        self.go.wait()
        del mine

    def let_go(self) -> None:
        self.go.set()
        self.thread.join()


HOLDERS: dict[str, Callable[[Any], Any]] = {
    "view": lambda array: array[:],
    "slice": lambda array: array[5::7],
    "scalar view": lambda array: array[-1:].reshape(()),
    "other dtype": lambda array: array.view(np.float32).reshape(2, -1).T,
    "memoryview": memoryview,
    "part of a memoryview": lambda array: memoryview(array)[10:20],
    "frombuffer": lambda array: np.frombuffer(array, np.uint8),
    "frombuffer of the base": lambda array: np.frombuffer(array.base, np.uint8),
    "base": lambda array: array.base,
    "DLPack capsule": lambda array: array.__dlpack__(),
    "DLPack array": np.from_dlpack,
    "list": lambda array: [[array]],
    "cycle": in_a_cycle,
    "exception": raised_with,
    "generator": in_a_frame,
    "closure": lambda array: lambda: array,
    "nditer": np.nditer,
    "flat": lambda array: array.flat,
    "ctypes": lambda array: array.ctypes,
    "pickle out of band": pickled_out_of_band,
    "thread": Thread,
    "broadcast": lambda array: np.broadcast_to(array, (3, COUNT)),
    "subclass": lambda array: array.view(np.matrix),
    "attribute": lambda array: types.SimpleNamespace(array=array),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("kind", HOLDERS)
def test_memory_stays_away_while_it_is_held_and_comes_back_after(pool: Pool, kind: str) -> None:
    array = patterned(pool)
    at = address(array)
    raw: Any = (ctypes.c_int32 * COUNT).from_address(at)
    holder = HOLDERS[kind](array)
    del array
    gc.collect()
    others = [pool.empty((COUNT,), np.int32) for _ in range(3)]
    for other in others:
        other.fill(-1)
    assert at not in [address(other) for other in others]
    assert np.array_equal(np.frombuffer(raw, np.int32), np.arange(COUNT))
    if isinstance(holder, Thread):
        holder.let_go()
    del holder
    gc.collect()
    assert address(pool.empty((COUNT,), np.int32)) == at
    del others, other
    assert pool.stats().in_use == 0


@pytest.mark.parametrize(
    "duplicate", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, np.copy, lambda x: x + 0]
)
def test_a_copy_does_not_hold_the_memory(pool: Pool, duplicate: Callable[[Any], Any]) -> None:
    array = patterned(pool)
    at, other = address(array), duplicate(array)
    del array
    assert address(pool.empty((COUNT,), np.int32)) == at
    assert np.array_equal(other, np.arange(COUNT))
    assert not pool.owns(other)


def test_an_owner_raised_from_the_dead_keeps_its_memory(pool: Pool) -> None:
    saved: list[Any] = []

    class Lazarus:
        def __init__(self, owner: Any) -> None:
            self.owner, self.me = owner, self

        def __del__(self) -> None:
            saved.append(self.owner)

    array = patterned(pool)
    at, owner = address(array), Lazarus(array.base)
    del array, owner
    gc.collect()
    assert len(saved) == 1
    other = pool.empty((COUNT,), np.int32)
    assert address(other) != at
    other.fill(-1)
    back = np.frombuffer(saved.pop(), np.int32)[:COUNT]
    assert np.array_equal(back, np.arange(COUNT))
    del back
    stats = pool.stats()
    assert stats.in_use == stats.idle == stats.peak // 2  # it came back when the array died, not before


@given(
    shape=st.lists(st.integers(0, 90), max_size=4).map(tuple) | st.integers(0, 10**6),
    dtype=st.sampled_from(["f4", "f8", "c16", "?", "i1", ">i4", "S3", "U2", "O", "M8[s]", "(2,3)f4", "f4,i8", "V5",
                           ml_dtypes.bfloat16]),
)  # fmt: skip
def test_empty_makes_what_numpy_makes(shape: Any, dtype: Any) -> None:
    found, expected = Pool().empty(shape, dtype), np.empty(shape, dtype)
    assert (found.shape, found.dtype, found.strides) == (expected.shape, expected.dtype, expected.strides)
    assert found.flags.c_contiguous and found.flags.writeable and found.flags.aligned
    assert type(found) is np.ndarray


@pytest.mark.parametrize("shape", [(-1,), (-400_000, -3), (1 << 40, 1 << 40), "3", (2.5,), (None,), (1 << 61,)])
def test_empty_refuses_what_numpy_refuses(pool: Pool, shape: Any) -> None:
    with pytest.raises((ValueError, TypeError, MemoryError)) as expected:
        np.empty(shape, "f4")
    with pytest.raises(expected.type):
        pool.empty(shape, "f4")
    gc.collect()
    assert pool.stats().in_use == 0


def test_sizes_given_as_numpy_integers_do_not_wrap_around(pool: Pool) -> None:
    side = np.int8(100)
    assert pool.empty((side, side, side), np.int8).shape == (100, 100, 100)
    assert pool.stats().misses == 1


@given(st.integers(SMALL, 1 << 27))
def test_a_block_is_at_most_an_eighth_larger_than_its_array(size: int) -> None:
    pool = Pool()
    array = pool.empty((size,), np.uint8)
    assert size <= pool.stats().in_use <= size * 1.125
    assert address(array) % ALIGNMENT == 0
    array[-1] = 1  # the last byte is there


def test_small_arrays_and_arrays_of_objects_are_numpys_own(pool: Pool) -> None:
    small, objects = pool.empty((SMALL - 1,), np.uint8), pool.empty((SMALL,), object)
    assert small.flags.owndata and objects.flags.owndata
    assert not pool.owns(small) and not pool.owns(objects)
    assert pool.stats() == MemoryStats(0, 0, 0, 0, 0)


def test_only_whole_arrays_of_the_same_pool_are_owned(pool: Pool) -> None:
    array = pool.empty((4, COUNT), np.float32)
    assert pool.owns(array)
    assert not Pool().owns(array)
    assert not any(pool.owns(other) for other in (array[:], array[0], array.T, array.reshape(-1), array.copy()))
    assert not pool.owns(np.ndarray((9, 9), np.float32, array.base, strides=(4, 36)))
    foreign: Any = (ctypes.c_char * SMALL)()
    assert not pool.owns(np.frombuffer(foreign, np.uint8))


def test_hits_and_misses_and_the_peak_are_counted(pool: Pool) -> None:
    first, second = (pool.empty((1 << 20,), np.uint8) for _ in range(2))
    del first
    third = pool.empty((1 << 18,), np.float32)
    assert pool.stats() == MemoryStats(in_use=2 << 20, idle=0, peak=2 << 20, hits=1, misses=2)
    del second, third
    assert pool.trim() == 2 << 20
    assert pool.stats() == MemoryStats(in_use=0, idle=0, peak=2 << 20, hits=1, misses=2)


def test_idle_memory_stays_below_the_cap_and_the_size_used_longest_ago_goes_first() -> None:
    pool = Pool(cap=5 << 20)
    old, new = (
        [pool.empty((1 << 20,), np.uint8) for _ in range(4)],
        [pool.empty((2 << 20,), np.uint8) for _ in range(2)],
    )
    old.clear()
    assert pool.stats().idle == 1 << 20  # room for those used last is kept, which are in use
    new.clear()
    assert pool.stats() == MemoryStats(in_use=0, idle=5 << 20, peak=8 << 20, hits=0, misses=6)
    kept = [pool.empty((2 << 20,), np.uint8) for _ in range(2)]
    assert pool.stats().hits == 2
    pool.cap = 0
    assert pool.stats().idle == 0
    kept.clear()
    assert pool.stats() == MemoryStats(in_use=0, idle=0, peak=8 << 20, hits=2, misses=6)


def test_a_block_above_the_cap_does_not_drive_out_the_others() -> None:
    pool = Pool(cap=3 << 20)
    small, large = pool.empty((1 << 20,), np.uint8), pool.empty((4 << 20,), np.uint8)
    del small
    del large
    assert pool.stats().idle == 1 << 20


def test_what_may_come_back_never_exceeds_the_cap_whatever_dies_and_is_used_again() -> None:
    pool, random_numbers = Pool(cap=9 << 20), random.Random(5)
    held: list[Any] = []
    for step in range(600):
        if held and random_numbers.random() < 0.5:
            held.pop(random_numbers.randrange(len(held)))
        else:
            held.append(pool.empty((random_numbers.choice((1, 2, 3)) << 20,), np.uint8))
        if step % 100 == 99:
            held.clear()
            pool.cap = (9 - step // 200) << 20
        stats = pool.stats()
        assert stats.idle <= pool.cap
        assert stats.in_use == sum(array.nbytes for array in held)
    assert pool.stats().hits > 100


def test_no_python_code_runs_when_arrays_die() -> None:
    """Python ignores what finalizers raise, so Ctrl-C that arrives in one would be lost."""
    pool = Pool(cap=3 << 20)
    kept = [pool.empty((1 << 20,), np.uint8) for _ in range(5)]
    called: list[str] = []
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        kept.clear()
    finally:
        sys.setprofile(before)
    assert called == []
    assert pool.stats().idle == 3 << 20


def test_trim_keeps_as_much_as_it_is_told(pool: Pool) -> None:
    arrays = [pool.empty((1 << 20,), np.uint8) for _ in range(6)]
    arrays.clear()
    assert pool.trim(to=5 << 19) == 4 << 20
    assert pool.stats().idle == 2 << 20
    assert pool.trim(to=5 << 20) == 0


def test_when_memory_runs_out_the_idle_blocks_are_dropped_and_it_is_tried_again(pool: Pool, no_memory: Any) -> None:
    pool.empty((1 << 20,), np.uint8)
    no_memory.append(True)
    array = pool.empty((2 << 20,), np.uint8)
    assert pool.stats() == MemoryStats(in_use=2 << 20, idle=0, peak=2 << 20, hits=0, misses=2)
    assert pool.owns(array)


def test_idle_blocks_are_dropped_for_an_array_of_numpys_own_too(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.empty((1 << 20,), np.uint8)
    idle: list[int] = []

    def empty(*given: Any) -> Any:
        idle.append(pool.stats().idle)
        if idle[-1]:
            raise MemoryError("none left")
        return np.empty(*given)

    monkeypatch.setattr(buffer_pool, "_empty", empty)
    assert pool.empty((SMALL,), object).dtype == object
    assert idle == [1 << 20, 0]


@pytest.mark.parametrize("at", range(6))
def test_an_allocation_that_fails_leaves_the_books_in_order(pool: Pool, no_memory: Any, at: int) -> None:
    no_memory.extend([False] * at + [True, True])
    held: list[Any] = []
    with pytest.raises(MemoryError, match="none left"):
        held.extend(pool.empty(((i + 1) << 20,), np.uint8) for i in range(6))
    held = [None for _ in held]
    gc.collect()
    assert pool.stats().in_use == 0
    held = [pool.empty(((i + 1) << 20,), np.uint8) for i in range(6)]
    assert pool.stats().in_use == 21 << 20
    assert pool.stats().idle == 0


def test_an_interrupt_at_any_line_of_empty_loses_no_memory(pool: Pool) -> None:
    def interrupt_after(lines: int) -> Callable[..., Any]:
        left = lines

        def trace(frame: Any, event: str, _: Any) -> Any:
            nonlocal left
            if frame.f_code.co_filename != buffer_pool.__file__ or frame.f_code.co_name not in ("empty", "_new_block"):
                return None
            left -= event == "line"
            if left < 0:
                raise KeyboardInterrupt
            return trace

        return trace

    before = sys.gettrace()
    interrupted = 0
    for fresh in (True, False):
        for lines in range(40):
            if fresh:
                pool.trim()
            sys.settrace(interrupt_after(lines))
            try:
                pool.empty((COUNT,), np.int32)
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                sys.settrace(before)
            assert pool.stats().in_use == 0
    assert interrupted > 15


def test_eight_threads_never_share_memory(pool: Pool) -> None:
    pool.cap = 4 << 20
    failures: list[str] = []

    def work(me: int) -> None:
        random = np.random.default_rng(me)
        held: list[tuple[Any, int]] = []
        for turn in range(150):
            count = int(random.choice([40_000, 70_000, 200_000]))
            array = pool.empty((count,), np.int64)
            array.fill(me * 1000 + turn)
            held.append((array, me * 1000 + turn))
            if len(held) > 3:
                old, value = held.pop(int(random.integers(len(held))))
                if not (old == value).all():
                    failures.append(f"thread {me}, turn {turn}")

    side_by_side(work, 8)
    assert failures == []
    stats = pool.stats()
    assert stats.in_use == 0
    assert stats.idle <= pool.cap
    assert stats.hits + stats.misses == 8 * 150


def test_arrays_that_die_in_the_middle_of_empty_do_not_block_it(pool: Pool) -> None:
    """The collector finalizes cycles whenever it likes, so also there."""

    def cycle() -> None:
        box: list[Any] = [pool.empty((COUNT,), np.int32)]
        box.append(box)

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(50):
            cycle()
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert pool.stats().in_use == 0
    assert pool.stats().hits > 0


def test_arrays_outlive_their_pool() -> None:
    array = patterned(Pool())
    gc.collect()
    assert np.array_equal(array, np.arange(COUNT))
    del array
    gc.collect()


def in_a_process(program: str) -> str:
    command = [sys.executable, "-X", "dev", "-c", program]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_arrays_that_live_to_the_end_of_the_process_die_quietly() -> None:
    in_a_process("""
import sys, threading, builtins
from penstock.runtime.memory.buffer_pool import POOL
make = lambda: POOL.empty((300_000,), "f4")
kept, sys.kept, builtins.kept = make(), make(), make()
box = [make()]
box.append(box)
class Late:
    def __del__(self, make=make):
        self.array = make()
late = sys.late = Late()
threading.Thread(target=lambda array=make(): array.fill(1)).start()
""")


def test_a_forked_child_has_a_working_pool() -> None:
    if not hasattr(__import__("os"), "fork"):
        return  # this system has no fork that could go wrong
    done = run_fresh("""
import os, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # the threads are the point
import numpy as np
from penstock.runtime.memory.buffer_pool import POOL
stop = threading.Event()
def churn():
    while not stop.is_set():
        POOL.empty((300_000,), "f4").fill(1)
threads = [threading.Thread(target=churn) for _ in range(3)]
for thread in threads: thread.start()
kept = POOL.empty((300_000,), "i4"); kept.fill(7)
codes = []
for _ in range(5):
    child = os.fork()
    if not child:
        for _ in range(20): POOL.empty((300_000,), "f4").fill(2)
        POOL.trim()
        os._exit(0 if (kept == 7).all() and POOL.stats().idle == 0 else 1)
    codes.append(os.waitpid(child, 0)[1])
stop.set()
print(codes, (kept == 7).all())
""")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["[0,", "0,", "0,", "0,", "0]", "True"]


@pytest.mark.parametrize(
    ("text", "size"),
    [(0, 0), (12, 12), (np.int32(7), 7), ("512", 512), ("512MiB", 512 << 20), (" 1.5 gib ", 3 << 29), ("2 kB", 2000),
     ("10B", 10), ("1TiB", 1 << 40), ("9007199254740993 B", 9007199254740993)],
)  # fmt: skip
def test_a_size_is_read(text: Any, size: int) -> None:
    assert bytes_from(text, "cap") == size


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1.5", "1.5B", "1e9", "12 apples", "0x10", "1 2", "½GiB", -1])
def test_a_bad_size_is_refused_with_the_rule_and_an_example(text: Any) -> None:
    with pytest.raises(ValueError, match=r"^cap is .*; a size is .*; units are .*cap=512MiB$"):
        bytes_from(text, "cap")


@pytest.mark.parametrize("value", [None, 1.5, True, b"12", [1]])
def test_a_size_of_another_type_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=f"of type {type(value).__name__}; a size is"):
        bytes_from(value, "cap")


def test_the_default_cap_is_a_quarter_of_memory_or_a_gibibyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PENSTOCK_MEMORY_CAP", raising=False)
    monkeypatch.setattr(buffer_pool, "_memory_of_the_machine", lambda: 2 << 30)
    assert default_cap() == 1 << 29
    monkeypatch.setattr(buffer_pool, "_memory_of_the_machine", lambda: 64 << 30)
    assert default_cap() == 1 << 30


def test_a_cap_in_the_environment_is_read_at_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool()
    monkeypatch.setenv("PENSTOCK_MEMORY_CAP", "lots")
    with pytest.raises(ValueError, match="PENSTOCK_MEMORY_CAP is 'lots'; a size is"):
        pool.empty((COUNT,), np.int32)
    assert pool.stats() == MemoryStats(0, 0, 0, 0, 0)
    assert pool.empty((3,), np.int32).shape == (3,)  # needs no cap
    monkeypatch.setenv("PENSTOCK_MEMORY_CAP", "1MiB")
    pool.empty((COUNT,), np.int32)
    assert pool.cap == 1 << 20
    assert pool.stats().idle == 0


def test_memory_that_is_not_to_be_had_is_not_counted(pool: Pool) -> None:
    kept = pool.empty((COUNT,), np.float32)
    before = pool.stats()
    with pytest.raises(MemoryError):
        pool.empty((1 << 46,), np.uint8)
    assert pool.stats() == before
    del kept
