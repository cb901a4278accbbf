"""A captured plan gives what the plan gives: segments, replays, and results that do not change later."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.runtime.backends import register_backend
from penstock.runtime.base.launch_count import LAUNCHES
from penstock.runtime.execution import device_program
from penstock.runtime.execution.device_program import DeviceProgram
from penstock.runtime.session.planned_call import PlannedCall

from ..helpers import own_backends, plans_of
from .fake_cupy import Capture, FakeGpu, Graph, Stream

GPU = tf.SessionConfig(device="gpu")


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGpu]:
    """The played GPU, known as "gpu" for one test."""
    own_backends(monkeypatch)
    made = FakeGpu()
    register_backend(made)
    yield made
    assert Capture.work is None


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as g:
        yield g


def program_of(session: tf.Session, fetches: Any, feeds: list[Any], as_device: bool = False) -> DeviceProgram:
    program = plans_of(session).find(fetches, tuple(feeds), kind="as device" if as_device else "")[0].program
    assert isinstance(program, DeviceProgram)
    return program


def mixed(x: Any) -> Any:
    """Fused groups with index ops between them: all of it may be captured."""
    y = tf.transpose(x * 2.0 + 1.0)
    y = tf.concat(0, [y, tf.gather(y, [1, 0])])
    return tf.reduce_sum(y * y - 3.0, 1)


def test_steps_are_captured_after_two_runs_and_replayed_with_other_values(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n", 4], name="x")
    y = mixed(x)
    feeds = [np.random.default_rng(i).random((3, 4)).astype("f4") for i in range(6)]
    with tf.Session(graph=graph) as session:
        want = [session.run(y, {x: f}) for f in feeds]
    with tf.Session(graph=graph, config=replace(GPU, specialise_after=0)) as session:
        found = [session.run(y, {x: f}) for f in feeds]
        program = program_of(session, y, [x])
        assert program.replays == 4
        assert all(len(c) == 1 for c in program.captures.values())
    for got, right in zip(found, want, strict=True):
        assert np.allclose(got, right, rtol=1e-6)
    assert len({f.tobytes() for f in found}) == 6


def test_a_run_that_captures_draws_random_numbers_once(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [3, 4], name="x")
    noise = tf.cast(tf.random_uniform([3, 4], 0, 1000, tf.int32, seed=5), tf.float32)
    y = tf.transpose(tf.transpose(x * 2.0 + 1.0) * 3.0) + noise  # both sides of the noise are segments
    z = tf.transpose(tf.transpose(y * 2.0) - 1.0)
    feed = {x: np.arange(12, dtype="f4").reshape(3, 4)}
    with tf.Session(graph=graph, config=GPU) as session, tf.Session(graph=graph) as host:
        for _ in range(5):
            assert np.array_equal(session.run(z, feed), host.run(z, feed))
            assert session.random_state() == host.random_state()
        assert program_of(session, z, [x]).replays >= 3


def test_a_capture_that_finds_no_memory_leaves_the_run_its_results(
    graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [3, 4], name="x")
    y = mixed(x)

    def full(self: Stream) -> None:
        raise MemoryError("Out of memory allocating 512 bytes (allocated so far: 0 bytes).")

    with tf.Session(graph=graph, config=GPU) as session, tf.Session(graph=graph) as host:
        monkeypatch.setattr(Stream, "__enter__", full)
        for _ in range(4):
            assert np.array_equal(session.run(y, {x: np.ones((3, 4))}), host.run(y, {x: np.ones((3, 4))}))
        assert program_of(session, y, [x]).replays == 0


def test_a_replay_starts_no_kernel_by_itself(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [3, 4], name="x")
    y = mixed(x)
    with tf.Session(graph=graph, config=GPU) as session:
        for _ in range(2):
            session.run(y, {x: np.ones((3, 4), "f4")})
        before = LAUNCHES.count
        session.run(y, {x: np.ones((3, 4), "f4")})
        assert LAUNCHES.count == before


def test_each_combination_of_shapes_has_a_capture_of_its_own(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n", 4], name="x")
    y = mixed(x)
    with tf.Session(graph=graph, config=GPU) as session:
        for n in (3, 3, 3, 5, 5, 5, 3):
            assert session.run(y, {x: np.ones((n, 4), "f4")}).shape == (6,)
        assert len(program_of(session, y, [x]).captures) == 2


def test_sizes_that_depend_on_values_split_a_plan(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, ["n", 4], name="x")
    p = tf.placeholder(tf.int32, ["n"], name="p")
    before = tf.transpose(tf.transpose(x * 2.0) + 1.0)
    parts = tf.dynamic_partition(before, p, 2)
    after = [tf.transpose(tf.transpose(q - 1.0) * 2.0) for q in parts]
    rng = np.random.default_rng(0)
    with tf.Session(graph=graph, config=GPU) as session, tf.Session(graph=graph) as host:
        for _ in range(5):
            feed = {x: rng.random((7, 4)).astype("f4"), p: rng.integers(0, 2, 7).astype("i4")}
            for got, want in zip(session.run(after, feed), host.run(after, feed), strict=True):
                assert np.array_equal(got, want)
        program = program_of(session, after, [x, p])
        [captured] = program.captures.values()
        assert len(captured) == 1
        ops = [s.op for s in program.plan.steps]
        assert captured[0].segment.stop <= ops.index("DynamicPartition")


def test_results_of_replays_do_not_change_under_the_caller(graph: tf.Graph, gpu: FakeGpu) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    y = tf.transpose(tf.transpose(x + 1.0) * 2.0)
    with tf.Session(graph=graph, config=GPU) as session:
        kept = [session.run(y, {x: np.full((2, 3), i, "f4")}, as_device=True) for i in range(6)]
    assert [float(gpu.to_host(k)[0, 0]) for k in kept] == [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]


def test_what_a_host_operand_says_is_not_captured_if_it_may_change(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    perm = tf.placeholder(tf.int32, [2], name="perm")
    y = tf.transpose(tf.transpose(x + 1.0, perm) * 2.0)
    with tf.Session(graph=graph, config=GPU) as session:
        for order in ([0, 1], [1, 0], [0, 1], [1, 0], [1, 0]):
            want = (np.arange(6, dtype="f4").reshape(2, 3) + 1).transpose(order).T * 2
            assert np.array_equal(session.run(y, {x: np.arange(6).reshape(2, 3), perm: order}), want)


def test_what_the_host_reads_may_differ_from_run_to_run_where_sizes_do_not(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    flags = tf.placeholder(tf.bool, [2], name="flags")
    y = tf.transpose(tf.reverse(tf.transpose(x + 1.0), flags) * 2.0)
    fed = np.arange(6, dtype="f4").reshape(2, 3)
    with tf.Session(graph=graph, config=GPU) as session:
        for down, across in ((False, True), (True, False), (False, True), (True, True), (True, False)):
            want = (fed[:: -1 if across else 1, :: -1 if down else 1] + 1) * 2
            assert np.array_equal(session.run(y, {x: fed, flags: [down, across]}), want)


def test_a_group_that_divides_ints_is_replayed_if_its_divisors_are_constants(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.int32, [4], name="x")
    y = tf.placeholder(tf.int32, [4], name="y")
    for divisor, replays in ((np.array([1, 2, 3, 4], "i4"), 3), (y, 0)):
        z = tf.reverse(tf.floordiv(x * 2, divisor) + tf.mod(x, divisor), [True])
        feed = {x: [5, -6, 7, 8], y: [2, -3, 4, 5]}
        with tf.Session(graph=graph, config=GPU) as session, tf.Session(graph=graph) as host:
            want = host.run(z, feed)
            for _ in range(5):
                assert np.array_equal(session.run(z, feed), want)
            assert program_of(session, z, [x, y]).replays == replays
            if divisor is y:
                with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
                    session.run(z, {x: [1, 1, 1, 1], y: [1, 0, 1, 1]})
                assert np.array_equal(session.run(z, feed), want)


def test_a_zero_among_constant_divisors_is_an_error(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.int32, [3], name="x")
    z = tf.reverse(tf.floordiv(x * 2, np.array([2, 0, 1], "i4")) + x, [True])
    with tf.Session(graph=graph, config=GPU) as session:
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
                session.run(z, {x: [1, 2, 3]})


def test_eight_threads_share_a_session_with_one_capture(graph: tf.Graph) -> None:
    x = tf.placeholder(tf.float32, [50], name="x")
    y = tf.reverse(x * 2.0 + 1.0, [True]) * 3.0
    wrong: list[int] = []
    with tf.Session(graph=graph, config=GPU) as session:
        for _ in range(3):
            session.run(y, {x: np.ones(50, "f4")})
        lock = threading.Lock()

        def work(k: int) -> None:
            for i in range(10):
                fed = np.arange(50, dtype="f4") + 100 * k + i
                with lock:  # the player runs one kernel at a time
                    got = session.run(y, {x: fed})
                if not np.array_equal(got, (fed * 2 + 1)[::-1] * 3):
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong


def test_what_another_thread_starts_meanwhile_does_not_end_a_capture(
    graph: tf.Graph, gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.reverse(x * 2.0, [True]) + 1.0
    found: list[Any] = []
    plain = Stream.begin_capture

    def begin(self: Stream) -> None:
        plain(self)

        def other() -> None:
            with tf.Session(graph=graph, config=GPU) as session:
                found.append(session.run(y, {x: [0, 1, 2, 3]}).tolist())

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()

    monkeypatch.setattr(Stream, "begin_capture", begin)
    with tf.Session(graph=graph, config=GPU) as session:
        for _ in range(4):
            assert session.run(y, {x: [1, 2, 3, 4]}).tolist() == [9, 7, 5, 3]
        assert program_of(session, y, [x]).replays == 2
    assert found == [[7, 5, 3, 1]]


def test_a_replay_goes_to_the_stream_in_force_after_what_the_last_one_went_to(
    graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.reverse(x * 2.0, [True]) + 1.0
    events: list[tuple[str, Any]] = []
    launch, wait = Graph.launch, Stream.synchronize
    with tf.Session(graph=graph, config=GPU) as session:
        for _ in range(2):
            session.run(y, {x: [1, 2, 3, 4]})

        def go(self: Graph, stream: Any) -> None:
            events.append(("go", stream))
            launch(self, stream)

        def waits(self: Stream) -> None:
            events.append(("wait", self))
            wait(self)

        monkeypatch.setattr(Graph, "launch", go)
        monkeypatch.setattr(Stream, "synchronize", waits)
        one, other = Stream(), Stream(non_blocking=True)
        for stream in (one, one, other):
            with stream:
                assert session.run(y, {x: [1, 2, 3, 4]}).tolist() == [9, 7, 5, 3]
    went = [stream for what, stream in events if what == "go"]
    assert went == [one, one, other]
    second = [i for i, event in enumerate(events) if event == ("go", one)][1]
    assert ("wait", one) in events[second : events.index(("go", other))]


def test_constants_are_there_before_a_run_can_be_in_another_stream(
    graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[Stream] = []
    plain = Stream.synchronize

    def waits(self: Stream) -> None:
        waited.append(self)
        plain(self)

    monkeypatch.setattr(Stream, "synchronize", waits)
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.cumsum(x) + np.array([1, 2], "f4")
    stream = Stream(non_blocking=True)
    with stream, tf.Session(graph=graph, config=GPU) as session:
        session.run(y, {x: [1, 1]}, as_device=True)
        assert waited == [stream]
        session.run(y, {x: [1, 1]}, as_device=True)
        assert waited == [stream]


def test_captures_beyond_the_most_that_are_kept_make_room(graph: tf.Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 3  # kernels of each size are compiled anew
    monkeypatch.setattr(device_program, "KEPT", most)
    x = tf.placeholder(tf.float32, ["n", 4], name="x")
    y = mixed(x)
    with tf.Session(graph=graph, config=GPU) as session:
        for n in range(1, most + 3):
            for _ in range(3):
                assert session.run(y, {x: np.ones((n, 4), "f4")}).shape == (6,)
            program = program_of(session, y, [x])
            assert 0 < len(program.captures) <= most
        assert program.replays == most + 2


def test_a_plan_serves_the_gpu_that_it_was_made_ready_on(graph: tf.Graph, gpu: FakeGpu) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    y = x + np.array([1, 2], "f4")
    with tf.Session(graph=graph, config=GPU) as session:
        assert session.run(y, {x: [1, 1]}).tolist() == [2, 3]
        gpu.in_force = 1
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"/gpu:1 as the current device, .* are on /gpu:0"):
            session.run(y, {x: [1, 1]})
        gpu.in_force = 0
        assert session.run(y, {x: [1, 1]}).tolist() == [2, 3]


def test_a_capture_that_cuda_refuses_leaves_the_plan_as_it_was(
    graph: tf.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [4], name="x")
    y = tf.reverse(x * 2.0, [True]) + 1.0

    def refused(self: Any) -> None:
        Capture.work = None
        raise RuntimeError("cudaErrorStreamCaptureUnsupported")

    monkeypatch.setattr(Stream, "end_capture", refused)
    with tf.Session(graph=graph, config=GPU) as session:
        for _ in range(4):
            assert session.run(y, {x: [1, 2, 3, 4]}).tolist() == [9, 7, 5, 3]
        assert program_of(session, y, [x]).replays == 0


def test_constants_go_to_the_gpu_once(graph: tf.Graph, gpu: FakeGpu) -> None:
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.cumsum(x) + np.array([1, 2, 3], "f4")
    with tf.Session(graph=graph, config=GPU) as session:
        session.run(y, {x: [1, 1, 1]})
        before = gpu.copies
        for _ in range(3):
            session.run(y, {x: [1, 1, 1]})
        assert gpu.copies - before == 6  # the feed there and the result back, three times


def test_a_view_of_what_was_captured_is_the_callers_before_another_run_begins(
    graph: tf.Graph, gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    shape = tf.placeholder(tf.int32, [None], name="shape")
    whole = tf.transpose(tf.transpose(x + 1.0) * 2.0)
    y = tf.reshape(whole, shape)  # a view, of a size that only the run knows
    left = PlannedCall.owned_device_results
    between: list[float] = []

    def late(self: PlannedCall, *args: Any) -> Any:
        if between:
            value = between.pop()
            session.run([y, whole], {x: np.full((2, 3), value, "f4"), shape: [3, 2]}, as_device=True)
        return left(self, *args)

    monkeypatch.setattr(PlannedCall, "owned_device_results", late)
    with tf.Session(graph=graph, config=GPU) as session:
        for i in range(6):
            between.append(-100.0)
            fed = {x: np.full((2, 3), i, "f4"), shape: [3, 2]}
            found = [gpu.to_host(each) for each in session.run([y, whole], fed, as_device=True)]
            assert [each.tolist() for each in found] == [[[2.0 * i + 2] * 2] * 3, [[2.0 * i + 2] * 3] * 2]
        assert program_of(session, [y, whole], [x, shape], as_device=True).replays


def test_a_constant_that_a_run_hands_out_on_the_device_is_the_callers(graph: tf.Graph, gpu: FakeGpu) -> None:
    x = tf.placeholder(tf.float32, [2], name="x")
    table = tf.identity(tf.constant([1.0, 2.0]))  # the constant's own array
    y = tf.reverse(tf.exp(x) * 0.0 + table, [True])
    with tf.Session(graph=graph, config=tf.SessionConfig(device="gpu", passes=())) as session:
        for _ in range(4):
            found, again, _ = session.run([table, table, y], {x: [0.0, 0.0]}, as_device=True)
            assert not isinstance(found, np.ndarray)
            found[...] = 7.0
            assert gpu.to_host(again).tolist() == [1.0, 2.0]
            assert gpu.to_host(session.run(y, {x: [0.0, 0.0]}, as_device=True)).tolist() == [2.0, 1.0]
