"""Ops that move rows: with compiled loops and without, the same bits, the same errors; and the loops really run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock as tf
from penstock.config import jit
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.kernels.loops import native_loops

from ...helpers import examples
from .buffers import random_bits, same_bits, times
from .fences import loop, loops_at_once, needs_the_tier, run

pytestmark = needs_the_tier

SIZE = 1 << 14  # elements from which loops are asked for
DTYPES = ["?", "u1", "f2", "f4", "f8", "c16"]


@pytest.fixture(autouse=True, params=[1, 3], ids=["one share", "three shares"])
def _shares(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(native_loops, "threads_for", lambda seconds: request.param)


TEMPLATES = {"zip", "join", "select", "pick", "reverse_starts"}


def both(template: str | None, op: Any, *args: Any) -> Any:
    """What the op's kernel gives, by a loop of the template (by none) and by NumPy."""
    with loops_at_once() as handed:
        one = run(op, *args)
    assert TEMPLATES & set(handed.names) == ({template} if template else set())
    with loops_at_once(on=False):
        other = run(op, *args)
    assert same_bits(one, other)
    return one


def errors_of(op: Any, *args: Any) -> list[str]:
    """The words of the kernel's error, with loops and without."""
    told = []
    for on in (True, False):
        with loops_at_once(on), pytest.raises(tf.errors.InvalidArgumentError) as caught:
            run(op, *args)
        told.append(caught.value.message)
    return told


def made(rng: np.random.Generator, shape: Any, dtype: str) -> Any:
    return rng.integers(0, 2, shape).astype("?") if dtype == "?" else random_bits(rng, shape, dtype)


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("widths", "axis"), [((1, 1), 1), ((3, 1, 2), 1), ((1,) * 8, 1), ((2, 0, 1), 1), ((1, 2), 0)])
def test_concat(dtype: str, widths: tuple[int, ...], axis: int) -> None:
    rng = np.random.default_rng(sum(widths))
    count = SIZE // sum(widths) + 5
    values = [made(rng, (count, w) if axis else (w * SIZE, 2), dtype) for w in widths]
    even = len(set(widths)) == 1 and np.dtype(dtype).itemsize <= 8
    both(("zip" if even else "join") if axis else None, tf.concat, np.array(axis), values)


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", DTYPES)
@given(st.sampled_from([2, 3, 8, 9, 16, 17]), st.sampled_from([(), (1,), (2,), (3, 2)]), st.integers(0, 2**32))
@settings(max_examples=max(3, examples(1) // 2), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_stack_behind_the_first_axis(dtype: str, count: int, inner: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    width = int(np.prod(inner))
    rows = SIZE // (count * width) + 3
    values = [made(rng, (rows, *inner), dtype) for _ in range(count)]
    size = width * np.dtype(dtype).itemsize
    template = "zip" if size in (1, 2, 4, 8) and count <= 8 else "join" if count <= 16 else None
    got = both(template, tf.stack, values, 1)
    assert same_bits(got, np.stack(values, 1))


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [1, 3, 4])
def test_parts_that_have_gaps_or_run_backwards_are_woven_too(dtype: str, columns: int) -> None:
    rng = np.random.default_rng(columns)
    wide = made(rng, (SIZE, 9), dtype)
    values = [wide[:, :columns], wide[::-1, 5 : 5 + columns]]
    template = "zip" if columns * wide.itemsize in (1, 2, 4, 8) else "join"
    assert same_bits(both(template, tf.concat, np.array(1), values), np.concatenate(values, 1))


@pytest.mark.share(6)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("columns", "times_"), [(1, 2), (1, 7), (4, 3), (16, 2)])
def test_columns_tiled(dtype: str, columns: int, times_: int) -> None:
    x = made(np.random.default_rng(columns), (SIZE, columns), dtype)
    size = columns * x.itemsize
    template = ("zip" if size in (1, 2, 4, 8) else "join") if size <= 128 else None
    assert same_bits(both(template, tf.tile, x, np.array([1, times_])), np.tile(x, (1, times_)))


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", DTYPES)
def test_select_by_elements_and_by_rows(dtype: str) -> None:
    rng = np.random.default_rng(0)
    t, e = (made(rng, (SIZE, 3), dtype) for _ in range(2))
    for mask in (rng.random((SIZE, 3)) < 0.5, np.sort(rng.random((SIZE, 3)) < 0.5), np.ones((SIZE, 3), bool)):
        assert same_bits(both("select", tf.select, mask, t, e), np.where(mask, t, e))
    rows = rng.random(SIZE) < 0.5
    assert same_bits(both("pick", tf.select, rows, t, e), np.where(rows[:, None], t, e))
    both(None, tf.select, rows[::-1], t, e)
    both(None, tf.select, np.array(True), t, e)
    both(None, tf.select, rng.random((3, SIZE)).T < 0.5, t, e)


@pytest.mark.share(8)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c16"])
@pytest.mark.parametrize("kind", ["i4", "i8"])
@pytest.mark.parametrize("inner", [(3,), (1,), (70,), (2, 5)])
def test_multiplex(dtype: str, kind: str, inner: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    inputs = [made(rng, (SIZE + 7, *inner), dtype) for _ in range(3)]
    index = rng.integers(0, 3, (SIZE, 1)).astype(kind)
    got = both("pick", tf.multiplex, inputs, index)
    assert same_bits(got, np.stack(inputs)[index[:, 0], np.arange(len(index))])
    both(None, tf.multiplex, [x[::-1] for x in inputs], index)


@pytest.mark.share(3)
@pytest.mark.parametrize(("at", "value"), [(0, 3), (SIZE - 1, -1), (77, 10**6)])
def test_a_bad_index_of_multiplex_is_told_in_the_same_words(at: int, value: int) -> None:
    inputs = [np.zeros((SIZE, 2), "f4")] * 3
    index = np.zeros((SIZE, 1), "i4")
    index[at] = value
    told = errors_of(tf.multiplex, inputs, index)
    assert told[0] == told[1]
    assert str(value) in told[0]


@pytest.mark.share(8)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(SIZE // 16, 16), (SIZE // 100, 200), (SIZE // 8, 10, 3), (40, 5, 400)])
def test_reverse_sequence(dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    x = made(rng, shape, dtype)
    lengths = rng.integers(0, shape[1] + 1, shape[0])
    for kind in ("i4", "i8"):
        both("reverse_starts", tf.reverse_sequence, x, lengths.astype(kind), 1)
    both(None, tf.reverse_sequence, x[::-1], lengths, 1)


@pytest.mark.parametrize(("at", "value"), [(0, 17), (SIZE // 16 - 1, -1)])
def test_a_bad_length_of_reverse_sequence_is_told_in_the_same_words(at: int, value: int) -> None:
    lengths = np.zeros(SIZE // 16, "i8")
    lengths[at] = value
    told = errors_of(tf.reverse_sequence, np.zeros((SIZE // 16, 16), "f4"), lengths, 1)
    assert told[0] == told[1]
    assert f"seq_lens({at})" in told[0]


def test_python_objects_are_never_given_to_a_loop() -> None:
    x = np.full((SIZE, 2), b"a", object)
    with loops_at_once() as handed:
        run(OPS["Concat"], np.array(1), [x, x])
        run(OPS["Stack"], [x, x], 1)
        run(OPS["Tile"], x, np.array([1, 2]))
        run(OPS["Select"], np.ones((SIZE, 2), bool), x, x)
        run(OPS["ReverseSequence"], x, np.ones(SIZE, "i8"), 1)
    assert not handed.names


def test_a_session_runs_the_loops_and_off_it_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, lengths = rng.random((SIZE, 16), np.float32), rng.integers(0, 17, SIZE)
    loop("reverse_starts", 4, "i8", 16)
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        fed = tf.placeholder(tf.float32, [None, 16])
        turned = tf.reverse_sequence(fed, lengths, 1)
        before = times("reverse_starts")
        got = session.run(turned, {fed: x})
        assert times("reverse_starts") == before + 1
        monkeypatch.setattr(jit, "mode", "off")
        assert same_bits(session.run(turned, {fed: x}), got)
        assert times("reverse_starts") == before + 1
