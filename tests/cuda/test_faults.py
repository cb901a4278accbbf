"""Faults of a GPU become errors in words, and the session stays usable. The GPU is played."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import register_backend
from penstock.runtime.backends.cupy_backend import CupyBackend, check_device_of
from penstock.runtime.backends.cupy_import import cupy_or_reason
from penstock.runtime.cuda import cuda_source
from penstock.runtime.kernels import kernel_choice

from ..helpers import own_backends
from .fake_cupy import FakeCupy, FakeGpu

GPU = tf.SessionConfig(device="gpu")


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpu]:
    """The played GPU, known as "gpu" for one test."""
    own_backends(monkeypatch)
    monkeypatch.setattr(kernel_choice, "_warned", [])
    cuda_source.compiled_functions.cache_clear()
    made = FakeGpu()
    register_backend(made)
    yield made
    cuda_source.compiled_functions.cache_clear()


def test_a_kernel_that_does_not_compile_gives_way_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, code: str, options: Any = ()) -> Any:
        raise RuntimeError("nvrtc: error: invalid value for --gpu-architecture\nand more")

    monkeypatch.setattr(FakeCupy, "RawModule", refuse)
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4])
        y = tf.reverse(tf.gather(x, [3, 2, 1, 0]), [True])
        z = tf.tile(x, [2])
    with tf.Session(graph=graph, config=GPU) as session:
        with pytest.warns(UserWarning, match="cannot be compiled for this GPU") as caught:
            got = session.run([y, z], {x: [1, 2, 3, 4]})
        assert len(caught) == 1
        assert "invalid value for --gpu-architecture" in str(caught[0].message)
        assert "and more" not in str(caught[0].message)
        assert [g.tolist() for g in got] == [[1, 2, 3, 4], [1, 2, 3, 4, 1, 2, 3, 4]]
        assert session.run(z, {x: [1, 2, 3, 4]}).tolist() == [1, 2, 3, 4, 1, 2, 3, 4]


def test_no_memory_on_the_gpu_names_the_step_and_the_session_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        y = tf.tile(x, [2, 1], name="twice")
    with tf.Session(graph=graph, config=GPU) as session:
        plain = FakeCupy.__getattr__

        def full(self: Any, name: str) -> Any:
            if name == "empty":
                raise MemoryError("Out of memory allocating 2,400 bytes (allocated so far: 0 bytes).")
            return plain(self, name)

        monkeypatch.setattr(FakeCupy, "__getattr__", full)
        with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
            session.run(y, {x: np.ones((100, 3))})
        assert '"twice"' in str(caught.value)
        assert "2,400 bytes" in str(caught.value)
        monkeypatch.setattr(FakeCupy, "__getattr__", plain)
        assert session.run(y, {x: np.ones((1, 3))}).shape == (2, 3)


def test_a_run_may_go_on_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["n", 3], name="x")
        y = tf.tile(x * 2.0 + 1.0, [2, 1], name="twice")
    config = tf.SessionConfig(device="gpu", fallback_to_cpu=True)
    with tf.Session(graph=graph, config=config) as session:

        def full(self: Any, name: str) -> Any:
            raise MemoryError("Out of memory allocating 2,400 bytes (allocated so far: 0 bytes).")

        monkeypatch.setattr(FakeCupy, "__getattr__", full)
        with pytest.warns(UserWarning, match="The run continues on the CPU") as caught:
            assert session.run(y, {x: [[1, 2, 3]]}).tolist() == [[3, 5, 7], [3, 5, 7]]
        assert "2,400 bytes" in str(caught[0].message)


class _Memory:
    class OutOfMemoryError(MemoryError):
        pass


class _Runtime:
    @staticmethod
    def memGetInfo() -> tuple[int, int]:  # CUDA's name
        return 1000, 80_000


class _FullGpu:
    """CuPy where no copy finds memory."""

    ndarray = tuple

    class cuda:  # CuPy's name
        memory = _Memory
        runtime = _Runtime

    freed = 0

    def get_default_memory_pool(self) -> Any:
        return self

    def free_all_blocks(self) -> None:
        self.freed += 1

    def asarray(self, array: Any) -> Any:
        raise _Memory.OutOfMemoryError

    def asnumpy(self, array: Any) -> Any:
        return array


def test_a_feed_that_does_not_fit_the_gpu_says_what_is_free() -> None:
    cupy = _FullGpu()
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"copying 400 bytes to the GPU: 1,000 of 80,000 bytes"):
        CupyBackend(cupy).from_host(np.ones(100, "f4"))
    assert cupy.freed == 1


def test_a_gpu_without_cudas_compiler_is_none_and_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise RuntimeError('Failure finding "libnvrtc.so.12": No such file\nand more')

    cuda = SimpleNamespace(
        runtime=SimpleNamespace(getDeviceCount=lambda: 1, CUDARuntimeError=RuntimeError),
        nvrtc=SimpleNamespace(getVersion=absent),
    )
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    found, reason = cupy_or_reason.__wrapped__()
    assert found is None
    assert reason == (
        'CuPy is installed but finds no NVRTC, CUDA\'s compiler (Failure finding "libnvrtc.so.12": No such file); '
        "pip install 'penstock[gpu]' brings it"
    )
    cuda.nvrtc.getVersion = lambda: (12, 9)
    assert cupy_or_reason.__wrapped__() == (sys.modules["cupy"], "")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_scalar_negative_zero_keeps_its_sign_on_its_way(dtype: str) -> None:
    backend = CupyBackend(FakeCupy())
    there = backend.from_host(np.array(-0.0, dtype))
    assert there.shape == ()
    assert np.signbit(backend.to_host(there))


def test_a_child_forked_after_cuda_started_is_told_so() -> None:
    backend = CupyBackend(_FullGpu())
    backend._process = os.getpid() + 1
    for move in (backend.from_host, backend.to_host):
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"forked after CUDA had started.*'spawn'"):
            move(np.ones(3))
    with pytest.raises(tf.errors.FailedPreconditionError, match="'spawn'"):
        backend.device()


def test_an_array_of_another_gpu_is_refused() -> None:
    class _There:
        class device:  # CuPy's name
            id = 1

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"lies on /gpu:1, but the run is on /gpu:0"):
        check_device_of(_There(), 0)


def test_the_number_of_another_gpu_is_told_and_strict_placement_refuses_it(gpu: FakeGpu) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4], name="x")
        with tf.device("/gpu:1"):
            y = tf.sqrt(x, name="y")
        with tf.device("/job:worker/device:GPU:0"):
            z = tf.negative(y, name="z")
        tf.exp(z, name="w")
    with tf.Session(graph=graph) as session:
        report = session.placement("z:0", {x: np.ones(4)})
        assert [node.node for node in report.moved] == ["y"]
        told = '"y" (Sqrt) asked for gpu:1, runs on gpu: a run uses one GPU, the current one, which is /gpu:0; '
        cure = "for the other one, make the session and run it inside `with cupy.cuda.Device(1):`"
        assert told + cure in " ".join(str(report).split())
        assert session.run("z:0", {x: np.ones(4)}).tolist() == [-1, -1, -1, -1]
    strict = tf.SessionConfig(allow_soft_placement=False)
    refused = tf.errors.InvalidArgumentError
    with (
        tf.Session(graph=graph, config=strict) as session,
        pytest.raises(refused, match="'y': it asks for '/device:GPU:1', but a run uses one GPU"),
    ):
        session.run("z:0", {x: np.ones(4)})
    gpu.in_force = 1
    with tf.Session(graph=graph, config=strict) as session:
        assert session.run(y, {x: np.ones(4)}).tolist() == [1, 1, 1, 1]
        with pytest.raises(refused, match="'z': it asks for '/job:worker/device:GPU:0', but"):
            session.run(z, {x: np.ones(4)})
    first = tf.SessionConfig(device="gpu:0", allow_soft_placement=False)
    with (
        tf.Session(graph=graph, config=first) as session,
        pytest.raises(refused, match="the session's device is 'gpu:0', but a run uses one"),
    ):
        session.run("w:0", {"z:0": np.ones(4)})
