"""Maxima that only their gradient would read are not computed; everything else happens as before."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf
from penstock.graph.model.nodes import Tensor

from ...op_samples import same
from .stages import after, run, stage_of, types

WINDOW = [1, 2, 2, 1]
X = np.random.default_rng(0).integers(-2, 3, (2, 8, 6, 3)).astype("f4")
X[0, :3, 2:4] = np.nan
X[1, 4:] = -np.inf
DY = np.random.default_rng(1).standard_normal((2, 4, 3, 3)).astype("f4")


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def pooled(x: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """The maxima of x, and their gradient by x."""
    y = tf.nn.max_pool(x, WINDOW, WINDOW, "VALID")
    return y, tf.gradients(y, x, dy)[0]


def placeholders(rows: int | str | None = "n") -> tuple[Tensor, Tensor]:
    """Images, and a gradient of their maxima."""
    return tf.placeholder(tf.float32, [rows, 8, 6, 3]), tf.placeholder(tf.float32, [rows, 4, 3, 3])


def test_a_gradient_alone_needs_no_maxima() -> None:
    x, dy = placeholders()
    _, dx = pooled(x, dy)
    stage, _ = after("simplify", stage_of(dx, [x, dy]))
    assert types(stage) == ["MaxPoolGrad"]
    assert same(run([dx], {x: X, dy: DY}, None)[0], run([dx], {x: X, dy: DY}, ())[0])


def test_maxima_that_are_fetched_or_read_stay_and_are_computed_once() -> None:
    x, dy = placeholders()
    y, dx = pooled(x, dy)
    for fetches in ([y, dx], [tf.exp(y), dx]):
        assert types(after("simplify", stage_of(fetches, [x, dy]))[0]).count("MaxPool") == 1
        got, want = (run(fetches, {x: X, dy: DY}, passes) for passes in (None, ()))
        assert all(same(a, b) for a, b in zip(got, want, strict=True))


def test_a_run_of_the_operation_needs_no_maxima_either() -> None:
    x, dy = placeholders()
    _, dx = pooled(x, dy)
    stage, _ = after("simplify", stage_of([], [x, dy], [dx.op]))
    assert types(stage) == ["MaxPoolGrad"] and [op.name for op in stage.targets] == [dx.op.name]
    with tf.Session() as session:
        session.run(dx.op, {x: X, dy: DY})
        assert "MaxPool(" not in str(session.plan(dx.op, {x: X, dy: DY}))


def test_memory_is_that_of_the_gradient() -> None:
    x, dy = placeholders(2)
    _, dx = pooled(x, dy)
    feeds = {x: X, dy: DY}
    with tf.Session() as session, tf.Session(config=tf.SessionConfig(passes=())) as plain:
        assert plain.memory(dx, feeds).peak - session.memory(dx, feeds).peak == DY.nbytes


def test_the_volumes_keep_their_maxima_which_their_gradient_reads() -> None:
    x, dy = tf.placeholder(tf.float32, [1, 4, 4, 4, 2]), tf.placeholder(tf.float32, [1, 2, 2, 2, 2])
    y = tf.nn.max_pool3d(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID")
    dx = tf.gradients(y, x, dy)[0]
    assert types(after("simplify", stage_of(dx, [x, dy]))[0]) == ["MaxPool3D", "MaxPool3DGrad"]


def test_second_derivatives_are_as_before() -> None:
    x, dy = placeholders(2)
    _, dx = pooled(x, dy)
    second = tf.gradients(dx * dx, dy)[0]
    feeds: dict[Tensor, Any] = {x: np.nan_to_num(X), dy: DY}
    assert same(run([second], feeds, None)[0], run([second], feeds, ())[0])


def test_the_debugger_shows_the_maxima_unless_it_runs_the_fused_plan() -> None:
    x, dy = placeholders()
    y, dx = pooled(x, dy)
    with tf.Session() as session:
        debugger = session.debug(dx, {x: X, dy: DY})
        assert debugger.step().node == dx.op.name
        assert same(debugger.value(y), run([y], {x: X}, ())[0])
        assert f"before step 1 of 1: {dx.op.name}" in str(session.debug(dx, {x: X, dy: DY}, fused=True))


def test_the_explanation_names_the_rule() -> None:
    x, dy = placeholders()
    _, dx = pooled(x, dy)
    with tf.Session() as session:
        assert "UnreadOperand, 1 time" in str(session.explain(dx, {x: X, dy: DY}))


# ---- order ---------------------------------------------------------------------------------------


def test_what_the_maxima_wait_for_still_runs() -> None:
    x, dy = placeholders()
    count = tf.Variable(0)
    with tf.control_dependencies([count.assign_add(1)]):
        y = tf.nn.max_pool(x, WINDOW, WINDOW, "VALID")
    dx = tf.gradients(y, x, dy)[0]
    for passes in (None, ()):
        with tf.Session(config=tf.SessionConfig(passes=passes, verify=True)) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(dx, {x: X, dy: DY})
            assert session.run(count) == 3


def test_who_waits_for_the_maxima_or_the_gradient_waits_for_them() -> None:
    x, dy = placeholders()
    y, dx = pooled(x, dy)
    count = tf.Variable(0)
    with tf.control_dependencies([dx.op]):
        after_gradient = count.assign_add(1)
    with tf.control_dependencies([y.op]), tf.control_dependencies([dx.op]):
        after_both = count.assign_add(10)
    stage, _ = after("simplify", stage_of([after_gradient], [x, dy]))
    assert "MaxPool" not in types(stage)
    assert {op.type for each in stage.operations for op in each.control_inputs} == {"MaxPoolGrad"}
    stage, _ = after("simplify", stage_of([after_both], [x, dy]))
    assert {op.type for each in stage.operations for op in each.control_inputs} == {"MaxPool", "MaxPoolGrad"}
    with tf.Session(config=tf.SessionConfig(verify=True)) as session:
        session.run(tf.global_variables_initializer())
        session.run([after_gradient, after_both], {x: X, dy: DY})
        assert session.run(count) == 11


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("statics", [(None, None), ([None] * 4, [None] * 4), ([None, 8, 6, 3], [None, 4, 3, 3])])
@pytest.mark.parametrize("sizes", [(2, 8, 6, 3), (2, 1, 6, 3), (2, 8, 6, 2), (2, 8, 6), (3, 8, 6, 3)])
def test_errors_of_unknown_sizes_are_as_before(statics: Any, sizes: tuple[int, ...]) -> None:
    x, dy = (tf.placeholder(tf.float32, static) for static in statics)
    _, dx = pooled(x, dy)
    outcomes = [outcome(dx, {x: np.zeros(sizes, "f4"), dy: DY}, passes) for passes in (None, ())]
    assert outcomes[0] == outcomes[1]


def test_a_claim_about_the_maxima_is_still_checked() -> None:
    x, dy = placeholders(None)
    y = tf.nn.max_pool(x, WINDOW, WINDOW, "VALID")
    y.set_shape([3, 4, 3, 3])
    dx = tf.gradients(y, x, dy)[0]
    got, want = (outcome(dx, {x: X, dy: DY}, passes) for passes in (None, ()))
    assert got == want and isinstance(got, str)


@pytest.mark.parametrize("seed", range(40))
def test_random_pools_have_the_gradients_and_errors_of_runs_without_passes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [int(rng.integers(1, most)) for most in (40, 14, 14, 34)]
    window, strides = ([1, *rng.integers(1, 4, 2).tolist(), 1] for _ in range(2))
    x = tf.placeholder(tf.float32, [None if rng.integers(4) == 0 else size for size in sizes])
    images = rng.integers(-3, 4, sizes).astype("f4")
    images[rng.random(sizes) < 0.1] = np.nan
    z = tf.nn.relu(x) if rng.integers(2) else x
    y = tf.nn.max_pool(z, window, strides, "SAME")
    dy = tf.placeholder(tf.float32, y.shape if rng.integers(4) else None)
    places = [sizes[0], *[-(-size // step) for size, step in zip(sizes[1:3], strides[1:3], strict=True)], sizes[3]]
    if rng.integers(5) == 0:
        places[int(rng.integers(4))] += 1
    feeds: dict[Tensor, Any] = {x: images, dy: rng.standard_normal(places).astype("f4")}
    dx = tf.gradients(y, x, dy)[0]
    assert outcome(dx, feeds, None) == outcome(dx, feeds, ())


def outcome(tensor: Tensor, feeds: dict[Tensor, Any], passes: tuple[str, ...] | None) -> str | bytes:
    """The bytes of a tensor, or the first line of the error."""
    with tf.Session(config=tf.SessionConfig(passes=passes, verify=True)) as session:
        try:
            array: Any = session.run(tensor, feeds)
        except (tf.errors.OpError, ValueError) as error:
            return str(error).splitlines()[0]
        return bytes(array.tobytes())
