"""The backend works with CuPy itself: on a GPU, or on the stand-in for CUDA that `host_cuda` builds."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import find_backend, missing_reason
from penstock.runtime.cuda import cuda_source
from penstock.runtime.execution.device_program import DeviceProgram
from penstock.runtime.kernels import kernel_choice

from .. import random_graphs
from ..helpers import plans_of
from .random_nests import as_on_a_card
from .test_on_device import near

pytestmark = pytest.mark.gpu
GPU = tf.SessionConfig(device="gpu")


@pytest.fixture
def cupy() -> Any:
    """CuPy, where it can be used."""
    found = find_backend("gpu")
    if found is None:
        pytest.skip(missing_reason("gpu"))
    return found.xp


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def turned(x: Any) -> Any:
    return tf.reverse(x * 2.0 + 1.0, [True]) * 3.0


def test_devices_are_listed_with_what_they_are(cupy: Any) -> None:
    device = tf.list_devices()[1]
    assert (device.name, device.kind) == ("/gpu:0", "gpu")
    assert f"CuPy {cupy.__version__}" in device.description
    assert device.memory > 0


def test_a_feed_may_be_changed_as_soon_as_its_run_returns(cupy: Any, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [1 << 19])
    y = turned(x)
    fed = np.empty(1 << 19, "f4")
    with tf.Session(graph=graph, config=GPU) as session:
        kept = []
        for i in range(8):
            fed[...] = i
            kept.append(session.run(y, {x: fed}, as_device=True))
        assert all(type(k) is cupy.ndarray for k in kept)
        assert [float(k[7]) for k in kept] == [6 * i + 3 for i in range(8)]


def test_a_scalar_negative_zero_keeps_its_sign(cupy: Any, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [])
    fetches = [1.0 / x, x * 1.0, tf.fill([2], x)]
    for passes in ((), None):
        with tf.Session(graph=graph, config=tf.SessionConfig(device="gpu", passes=passes)) as session:
            for _ in range(4):
                quotient, same, filled = session.run(fetches, {x: -0.0})
                assert quotient == -np.inf
                assert np.signbit([same, *filled]).all()


def test_runs_in_streams_of_the_callers_are_in_order_with_their_replays(cupy: Any, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [50])
    y = turned(x)
    streams = [cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(), cupy.cuda.Stream.null]
    with streams[0], tf.Session(graph=graph, config=GPU) as session:
        early = session.run(y, {x: np.arange(50)}, as_device=True)  # constants go there, and nobody waits
        with streams[1]:
            assert float(session.run(y, {x: np.arange(50)}, as_device=True)[0]) == 297
        assert float(early[0]) == 297
    with tf.Session(graph=graph, config=GPU) as session:
        for stream in streams:
            with stream:
                for i in range(5):
                    got = session.run(y, {x: np.arange(50) + i})
                    assert np.array_equal(got, (np.arange(50, dtype="f4") + i)[::-1] * 6 + 3)
        kept = []
        for i in range(6):
            with streams[i % 3]:
                kept.append(session.run(y, {x: np.arange(50) + i}, as_device=True))
        for stream in streams:
            stream.synchronize()
        assert [float(k[0]) for k in kept] == [(49 + i) * 6 + 3 for i in range(6)]


def test_another_threads_work_during_a_capture_is_done_and_the_capture_too(
    cupy: Any, graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [50])
    y = turned(x)
    plain, found = cupy.cuda.Stream.begin_capture, []

    class Meanwhile(cupy.cuda.Stream):  # type: ignore[misc]  # CuPy has no types
        def begin_capture(self, mode: Any = None) -> None:
            plain(self, mode)
            thread = threading.Thread(target=lambda: found.append(float((cupy.arange(5.0) + 1).sum())))
            thread.start()
            thread.join()

    monkeypatch.setattr(cupy.cuda, "Stream", Meanwhile)
    with tf.Session(graph=graph, config=GPU) as session:
        for i in range(5):
            got = session.run(y, {x: np.arange(50) + i})
            assert np.array_equal(got, (np.arange(50, dtype="f4") + i)[::-1] * 6 + 3)
        program = plans_of(session).find(y, (x,))[0].program
        assert isinstance(program, DeviceProgram)
        assert program.replays == 3
    assert found == [15.0]


class _Interface:
    """Another library's array: it offers one protocol."""

    def __init__(self, array: Any) -> None:
        self.kept = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class _DLPack:
    def __init__(self, array: Any) -> None:
        self.kept = array

    def __dlpack__(self, **how: Any) -> Any:
        return self.kept.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.kept.__dlpack_device__()


@pytest.mark.parametrize("wrapped", [lambda a: a, _Interface, _DLPack], ids=["cupy", "interface", "dlpack"])
def test_what_lies_on_the_gpu_is_taken_as_it_is(cupy: Any, graph: tf.Graph, wrapped: Callable[[Any], Any]) -> None:
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.transpose(x) * 2.0 + 1.0
    whole = np.random.default_rng(0).random((8, 6)).astype("f4")
    with tf.Session(graph=graph, config=GPU) as session:
        for part in (np.s_[:], np.s_[::2, ::-1], np.s_[1:3, 2:]):
            for _ in range(4):
                got = session.run(y, {x: wrapped(cupy.asarray(whole)[part])})
                assert np.array_equal(got, whole[part].T * 2 + 1)


def test_no_memory_names_the_step_and_the_session_goes_on(cupy: Any, graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n"])
    y = tf.tile(x * 2.0 + 1.0, [4], name="four")
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.used_bytes() + (8 << 20))
    try:
        with tf.Session(graph=graph, config=GPU) as session:
            assert session.run(y, {x: np.ones(1000)}).shape == (4000,)
            with pytest.raises(tf.errors.ResourceExhaustedError, match="four"):
                session.run(y, {x: np.ones(500_000)})
            with pytest.raises(tf.errors.ResourceExhaustedError, match="copying 12,000,000 bytes to the GPU"):
                session.run(y, {x: np.ones(3_000_000)})
            assert session.run(y, {x: np.ones(1000)}).shape == (4000,)
        config = tf.SessionConfig(device="gpu", fallback_to_cpu=True)
        with tf.Session(graph=graph, config=config) as session, pytest.warns(UserWarning, match="continues on the CPU"):
            assert session.run(y, {x: np.ones(3_000_000)}).shape == (12_000_000,)
    finally:
        pool.set_limit(size=0)


def test_a_kernel_that_does_not_compile_gives_way_to_cupys_functions(
    cupy: Any, graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [4])
    p = tf.dynamic_partition(x, [0, 1, 0, 1], 2)
    fetches = [
        tf.reverse(x * 2.0 + 1.0, [True]), tf.gather(x, [3, 0]), tf.scatter_nd([[1], [1]], x[:2], [4]), *p,
        tf.dynamic_stitch([[0, 2], [1, 3]], p), tf.pad(x, [[1, 1]]), tf.transpose(tf.reshape(x, [2, 2])),
        tf.reduce_sum(x * x), tf.tile(x, [2]), tf.concat(0, [x, x]),
    ]  # fmt: skip
    plain = cupy.RawModule
    monkeypatch.setattr(kernel_choice, "_warned", [])
    monkeypatch.setattr(cupy, "RawModule", lambda code, **how: plain(code=f"{code}\nnonsense", **how))
    cuda_source.compiled_functions.cache_clear()
    try:
        with tf.Session(graph=graph) as host, tf.Session(graph=graph, config=GPU) as session:
            want = host.run(fetches, {x: [1, 2, 3, 4]})
            with pytest.warns(UserWarning, match="cannot be compiled for this GPU") as caught:
                for _ in range(4):
                    for a, b in zip(session.run(fetches, {x: [1, 2, 3, 4]}), want, strict=True):
                        assert np.array_equal(a, b)
            assert len(caught) == 1
    finally:
        cuda_source.compiled_functions.cache_clear()


FORKED = """
import os, sys, penstock as tf
x = tf.placeholder(tf.float32, [3])
y = tf.reverse(x * 2.0, [True])
with tf.Session(config=tf.SessionConfig(device="gpu")) as session:
    session.run(y, {x: [1, 2, 3]})
    if os.fork():
        sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
    try:
        session.run(y, {x: [1, 2, 3]})
    except tf.errors.FailedPreconditionError as error:
        os._exit(42 if "'spawn'" in str(error) else 1)
    os._exit(2)
"""


def test_a_forked_child_is_told_to_be_spawned(cupy: Any) -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 42


PROGRAMS = (random_graphs.random_program, random_graphs.elementwise_program, random_graphs.view_program)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("seed", range(3))
def test_random_graphs_give_what_they_give_on_the_cpu(cupy: Any, program: Callable[[int], Any], seed: int) -> None:
    made = program(seed)
    made.arrays = {name: array if array.dtype == object else as_on_a_card(array) for name, array in made.arrays.items()}
    graph, fetches, feeds = made.build()
    with warnings.catch_warnings(), tf.Session(graph=graph) as host, tf.Session(graph=graph, config=GPU) as session:
        warnings.simplefilter("ignore", RuntimeWarning)
        want = host.run(fetches, feeds)
        for _ in range(4):
            for tensor, a, b in zip(fetches, session.run(fetches, feeds), want, strict=True):
                assert tensor.dtype.is_string or tensor.dtype.is_complex or near(a, b), tensor
