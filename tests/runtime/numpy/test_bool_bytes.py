"""A byte of a bool array is zero or not zero in every tier: views of uint8 as bool hold other bytes than 1."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.model.nodes import Tensor
from penstock.graph.shapes.literal import normal_bools
from penstock.runtime.llvm import tier

from ...helpers import every_case, op_of
from ...op_samples import USERS_OPS, Call, calls, run, runnable, same, shown

SIZES = (3, 300, 3000, 16_384, 40_000)


@pytest.fixture(params=["off", "now"])
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    before = jit.mode
    jit.mode = request.param if tier.on() else "off"
    yield request.param
    jit.mode = before


def masks(size: int) -> tuple[Any, Any]:
    """Bools with odd bytes, and the same ones with bytes of 0 and 1."""
    bits = np.random.default_rng(size).choice(np.array([0, 1, 2, 96, 128, 255], np.uint8), size)
    return bits.view(np.bool_), bits != 0


def programs(mask: Tensor, x: Tensor) -> list[Tensor]:
    """What reads a mask: choices, counts, casts, logic, masks of rows, labels; alone and in groups."""
    y = x * 2.0 + 1.0
    return [
        tf.select(mask, x, y),
        tf.select(mask, x + 5.0, x),
        tf.select(mask, tf.cast(x, tf.int16), tf.cast(y, tf.int16)) * tf.cast(3, tf.int16),
        tf.select(mask, mask, tf.logical_not(mask)),
        tf.cast(mask, tf.float32) * x,
        tf.cast(mask, tf.int8),
        tf.reduce_sum(tf.cast(mask, tf.int32)),
        tf.reduce_any(mask),
        tf.reduce_all(mask),
        tf.equal(mask, tf.less(x, 0.5)),
        tf.logical_xor(mask, tf.greater(y, 2.0)),
        tf.boolean_mask(x, mask),
        tf.where(mask),
        tf.dynamic_partition(x, tf.cast(mask, tf.int32), 2)[1],
        tf.identity(mask),
        tf.concat(0, [mask, mask]),
        tf.reverse(mask, [True]),
    ]


@pytest.mark.parametrize("size", SIZES)
def test_a_fed_mask_with_other_true_bytes_than_one_gives_what_numpys_own_does(size: int, mode: str) -> None:
    odd, plain = masks(size)
    x = np.random.default_rng(1).random(size, np.float32)
    for static in ([size], ["n"], None):
        with tf.Graph().as_default() as graph:
            mask, fed = tf.placeholder(tf.bool, static), tf.placeholder(tf.float32, static and [size])
            fetches = programs(tf.reshape(mask, [size]) if static is None else mask, tf.reshape(fed, [size]))
            with tf.Session(graph=graph) as session:
                want = [np.copy(v) for v in session.run(fetches, {mask: plain, fed: x})]
                for _ in range(3):
                    got = session.run(fetches, {mask: odd, fed: x})
                    assert [t.name for t, a, b in zip(fetches, got, want, strict=True) if not same(a, b)] == []
                call = session.make_callable(fetches, [mask, fed])
                assert all(map(same, call(odd, x), want))


def test_a_constant_made_of_a_mask_with_odd_bytes_is_normal() -> None:
    odd, plain = masks(100)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        found = session.run([tf.constant(odd), tf.constant([odd, odd]), tf.identity(odd[::2])])
    assert [f.tobytes() for f in found] == [plain.tobytes(), np.array([plain, plain]).tobytes(), plain[::2].tobytes()]


@pytest.mark.parametrize("elementwise", [False, True])
def test_what_an_extensions_kernel_returns_is_made_normal(elementwise: bool) -> None:
    odd, plain = masks(20_000)
    x = np.arange(20_000, dtype=np.float32)
    with op_of(lambda mask: odd.reshape(mask.shape), elementwise=elementwise) as strange:
        with tf.Graph().as_default() as graph:
            mask, fed = tf.placeholder(tf.bool, [20_000]), tf.placeholder(tf.float32, [20_000])
            chosen = tf.select(tf.logical_and(strange(mask), tf.constant(True)), fed + 2.0, fed)
            direct = strange(mask)
        with tf.Session(graph=graph) as session:
            got = session.run([chosen, direct], {mask: plain, fed: x})
    assert same(got[0], np.where(plain, x + 2, x))
    assert got[1].tobytes() == plain.tobytes()


@every_case("type", sorted(t for t, op in USERS_OPS.items() if not op.facts.must_feed and op.operands))
def test_every_op_takes_bools_with_odd_bytes_as_true(type: str) -> None:
    lines = [line for call in calls(USERS_OPS[type]) if runnable(call) for line in unlike(call)]
    assert lines == []


def unlike(call: Call) -> Iterator[str]:
    for place in call.free:
        array = call.array(place)
        if array.dtype != np.bool_:
            continue
        odd = (array.view(np.uint8) * np.uint8(2)).view(np.bool_)
        with tf.Graph().as_default():
            fed = tf.placeholder(tf.bool, list(array.shape))
            try:
                tensors = call.build({place: fed})
            except ValueError:
                continue  # an op that has to know the value
            want, got = run(tensors, {fed: array}), run(tensors, {fed: odd})
        if not all(map(same, got, want)):
            yield f"{call} gives {shown(got)} instead of {shown(want)}"


@pytest.mark.parametrize("size", [0, 1, 2048, 2049])
def test_an_array_that_is_normal_is_taken_as_it_is(size: int) -> None:
    _, plain = masks(size)
    assert normal_bools(plain) is plain
    assert normal_bools(plain[::-2]).base is plain
