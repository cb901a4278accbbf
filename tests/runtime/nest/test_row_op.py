"""Ops that compute rows: with code and without, alone and in groups, the same bits and the same errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.declare.op_declaration import OPS
from penstock.runtime.llvm import tier
from penstock.runtime.nest import row_op
from penstock.runtime.nest.row_group import RowGroup

from ...fuzz.of_groups import same_bits
from ...helpers import nightly, some_nightly

compiled = pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")

SHAPES = [(1, 1), (3, 1), (50, 2), (7, 7), (130, 17), (3, 127), (3, 129), (2, 1000), (2, 4097), (1100, 3), (0, 4),
          (3, 1025), (1, 40000), (50, 10), (50, 8)]  # fmt: skip
ODD_SHAPES = [(1, 10), (33, 64), (10,), (3, 4, 5)]  # each width has code of its own
Mode: TypeAlias = Literal["off", "now"]
KINDS = ("finite", "infinite", "NaN", "zeros of both signs")


@pytest.fixture(autouse=True)
def _mode() -> Iterator[None]:
    before = jit.mode
    yield
    jit.mode = before


def numbers(shape: tuple[int, ...], dtype: str, kind: str) -> Any:
    rng = np.random.default_rng(shape[-1])
    x = rng.normal(size=shape) * 10
    if kind == "infinite" and x.size:
        x[rng.random(shape) < 0.2] = np.inf
        x[-1] = -np.inf
    if kind == "NaN":
        x[rng.random(shape) < 0.05] = np.nan
    if kind == "zeros of both signs":
        x = np.where(rng.random(shape) < 0.5, 0.0, -0.0)
    return x.astype(tf.as_dtype(dtype).as_numpy_dtype)


@lru_cache(maxsize=32)
def sessions_of(build: Any, shapes: tuple[Any, ...], dtypes: tuple[tf.DType, ...]) -> list[Any]:
    """Without code and with it: the mode, a session, placeholders of these shapes, and what is built on them."""
    found = []
    for mode, config in (("off", tf.SessionConfig(passes=())), ("now", tf.SessionConfig())):
        with tf.Graph().as_default() as graph:
            places = [tf.placeholder(dtype, shape) for dtype, shape in zip(dtypes, shapes, strict=True)]
            fetches = build(*places)
            fetches = list(fetches) if isinstance(fetches, (list, tuple)) else [fetches]
            found.append((mode, tf.Session(graph=graph, config=config), places, fetches))
    return found


@pytest.fixture(autouse=True, scope="module")
def _sessions_end_with_the_module() -> Iterator[None]:
    yield
    sessions_of.cache_clear()


def in_both_ways(build: Callable[..., Any], *arrays: Any, shapes: Any = None) -> tuple[list[Any], tf.RunMetadata]:
    """The results of a graph on arrays, after a comparison of those with code and without; the record of the former."""
    results: dict[str, list[Any]] = {}
    metadata = tf.RunMetadata()
    given = tuple(map(tuple, shapes or [[None] * x.ndim for x in arrays]))
    for mode, session, places, fetches in sessions_of(build, given, tuple([tf.as_dtype(x.dtype) for x in arrays])):
        jit.mode = mode
        with np.errstate(all="ignore"):
            results[mode] = session.run(fetches, dict(zip(places, arrays, strict=True)), run_metadata=metadata)
    for one, other in zip(results["now"], results["off"], strict=True):
        assert same_bits(np.asarray(one), np.asarray(other))
    return results["now"], metadata


def kernel_of(metadata: tf.RunMetadata, op: str) -> str:
    assert metadata.record is not None
    (step,) = [step for step in metadata.record.steps if step.op == op]
    return step.kernel


def entropy(x: Any, labels: Any) -> list[Any]:
    return list(tf.nn.softmax_cross_entropy_with_logits(x, labels).op.outputs)


def sparse_entropy(x: Any, labels: Any) -> list[Any]:
    return list(tf.nn.sparse_softmax_cross_entropy_with_logits(x, labels).op.outputs)


# ---- alone --------------------------------------------------------------------------------------


def test_every_op_with_row_instructions_is_tested_here() -> None:
    tested = {"Softmax", "LogSoftmax", "ArgMax", "ArgMin", "SoftmaxCrossEntropyWithLogits",
              "SparseSoftmaxCrossEntropyWithLogits"}  # fmt: skip
    assert {name for name, opdef in OPS.items() if opdef.row_rule is not None} == tested


@pytest.mark.share(4)
@compiled
@pytest.mark.parametrize("every", [False, *nightly([True])], ids=["ops in turns", "every op"])
@pytest.mark.parametrize("kind", some_nightly(KINDS, ["finite", "NaN"]))
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", *nightly(["float64", "float16"])])
def test_code_gives_the_bits_of_the_op(dtype: str, kind: str, every: bool) -> None:
    """Each op in each width has code of its own: by day an op takes a quarter of the widths."""
    step = (1 if every else 2) if kind == "finite" else 3
    shapes = SHAPES[::step] if dtype == "float32" else SHAPES[2:8:2]
    for number, shape in enumerate(shapes):
        x = numbers(shape, dtype, kind)
        if every or number % 2 == 0:
            classes = np.random.default_rng(1).integers(0, shape[1], shape[0])
            _, metadata = in_both_ways(tf.nn.softmax, x)
            if 1 < shape[1] < 1 << 15 and shape[0]:
                assert kernel_of(metadata, "Softmax") == "compiled"
            in_both_ways(sparse_entropy, x, classes.astype("i4" if dtype == "float32" else "i8"))
        if every or number % 2:
            in_both_ways(tf.nn.log_softmax, x)
            in_both_ways(entropy, x, numbers(shape, dtype, "finite"))


@pytest.mark.share(2)
@compiled
@pytest.mark.parametrize("odd", [ODD_SHAPES[:2], *nightly([ODD_SHAPES[2:]])], ids=["matrices", "other ranks"])
@pytest.mark.parametrize(
    "dtype", ["float32", "bfloat16", "int32", "bool", *nightly(["float64", "float16", "int64", "uint8"])]
)
def test_places_of_extremes_of_short_rows(dtype: str, odd: list[tuple[int, ...]]) -> None:
    def build(x: Any) -> Any:
        return [tf.argmax(x, -1), tf.argmin(x, -1, output_type=tf.int32)]

    for shape in [(50, 10), (20, 65), (4, 1), *(odd if dtype == "float32" else ())]:
        for kind in KINDS if dtype.startswith(("f", "bf")) else ("finite",):
            in_both_ways(build, numbers(shape, dtype, kind))
    in_both_ways(lambda x: tf.argmax(x, 0), numbers((10, 9), dtype, "finite"))


@compiled
def test_layouts_axes_and_ranks() -> None:
    wide = numbers((24, 36), "float32", "finite")  # of which all rows and columns are 12 long, and have one code
    x, gaps, other = wide[:12, :12].copy(), wide[::2, ::3], wide[12:, 4:28]

    def along_rows(t: Any) -> Any:
        return [tf.nn.softmax(t), tf.nn.log_softmax(t), tf.argmax(t, -1)]

    def along_the_first_axis(t: Any) -> Any:
        return [tf.nn.softmax(t, 0), tf.argmax(t, 0)]

    for each in (x, wide[::2, :12], gaps, np.asfortranarray(x), x[:, ::-1], x.astype(">f4"), x[0],
                 other.reshape(12, 2, 12)):  # fmt: skip
        in_both_ways(along_rows, each)
        if each.ndim > 1:
            in_both_ways(along_the_first_axis, each)
    in_both_ways(entropy, np.asfortranarray(x), x[:1])  # labels that are repeated
    in_both_ways(entropy, x, x[:, ::-1])
    in_both_ways(sparse_entropy, x[::-1], np.arange(12, dtype=">i4").repeat(2)[::2])


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("bad", [-1, 4])
def test_a_label_that_is_no_class_is_an_error(mode: Mode, bad: int) -> None:
    jit.mode = mode
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x, labels = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int64, [None])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(x, labels) * 2.0
        rows = numbers((3, 4), "float32", "finite")
        session.run(loss, {x: rows, labels: [0, 1, 2]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"label value of {bad} which is outside .*\[0, 4\)"):
            session.run(loss, {x: rows, labels: [0, bad, 2]})


@pytest.mark.parametrize("mode", ["off", "now"])
def test_labels_of_another_shape_are_an_error_of_the_op(mode: Mode) -> None:
    jit.mode = mode
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x, labels = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
        loss = tf.nn.softmax_cross_entropy_with_logits(x, labels) * 2.0
        session.run(loss, {x: np.ones((3, 4)), labels: np.ones((3, 4))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="broadcastable"):
            session.run(loss, {x: np.ones((3, 1)), labels: np.ones((3, 4))})


@compiled
def test_an_op_whose_kernel_takes_no_longer_than_a_call_of_code_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    jit.mode = "on"
    monkeypatch.setattr(row_op, "LAUNCH", 60.0)
    monkeypatch.setattr(RowGroup, "by_code", lambda *_: None)
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.nn.softmax(x)
        session.run(y, {x: np.ones((2, 4))})
        monkeypatch.setattr(RowGroup, "by_code", lambda *_: pytest.fail("code was asked for"))
        session.run(y, {x: np.ones((2, 4))})


# ---- in groups ----------------------------------------------------------------------------------


def steps_of(metadata: tf.RunMetadata) -> list[str]:
    assert metadata.record is not None
    return [step.op for step in metadata.record.steps]


@compiled
def test_an_op_joins_what_is_computed_before_and_after_it() -> None:
    x, mask = numbers((60, 33), "float32", "finite"), numbers((33,), "float32", "infinite")
    _, metadata = in_both_ways(lambda x, m: tf.nn.softmax(x * 0.125 + m) * 2.0, x, mask)
    assert steps_of(metadata) == ["Fused"]
    _, metadata = in_both_ways(lambda x: tf.reduce_sum(tf.nn.log_softmax(x) * x, 1), x)
    assert steps_of(metadata) == ["Fused"]
    results, metadata = in_both_ways(lambda x: [tf.nn.softmax(x) * 3.0, tf.nn.softmax(x)], x)
    assert same_bits(results[0], results[1] * np.float32(3))


@compiled
def test_a_cross_entropy_and_what_its_gradient_multiplies_are_one_group() -> None:
    def build(x: Any, labels: Any) -> list[Any]:
        losses = tf.nn.softmax_cross_entropy_with_logits(x * 2.0, labels)
        return [losses, tf.gradients(losses, x)[0]]

    x = numbers((60, 33), "float32", "finite")
    _, metadata = in_both_ways(build, x, np.abs(x), shapes=[(60, 33)] * 2)
    assert steps_of(metadata) == ["Fused"]
    _, metadata = in_both_ways(build, x, np.abs(x))  # that the shapes fit is known in the run only
    assert "SoftmaxCrossEntropyWithLogits" in steps_of(metadata)


@compiled
def test_labels_that_need_the_group_of_the_logits_close_no_cycle() -> None:
    def build(x: Any) -> list[Any]:
        scaled = x * 2.0
        labels = tf.matmul(tf.exp(scaled), tf.eye(9))
        return entropy(scaled + 1.0, labels)

    in_both_ways(build, numbers((40, 9), "float32", "finite"), shapes=[(40, 9)])


@compiled
def test_rows_that_are_too_wide_for_code_have_the_same_bits_in_a_group() -> None:
    x = numbers((2, 40000), "float32", "finite")
    in_both_ways(lambda x: tf.nn.softmax(x * 0.5) + 1.0, x)
    in_both_ways(lambda x: tf.nn.softmax(x * 0.5) + 1.0, x[:, :0], shapes=[(2, 0)])
