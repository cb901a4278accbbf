"""Python's and NumPy's syntax on tensors: what builds a node builds the right one, and the rest says what to write."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.errors import UseError
from penstock.graph.model.nodes import Tensor

from .elementwise import run, same

Act = Callable[[Tensor], Any]

X = np.array([7, -7, 3], np.int32)
Y = np.array([2, 3, -2], np.int32)
P, Q = np.array([True, True, False]), np.array([True, False, False])

ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
}
BITWISE = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
COMPARING = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def value_of(build: Callable[[], Tensor]) -> Any:
    """What the tensor that `build` makes has as its value."""
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        return session.run(build())


# ---- operators ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARITHMETIC | BITWISE | COMPARING)
def test_an_operator_between_tensors_means_what_it_means_in_numpy(name: str) -> None:
    act = (ARITHMETIC | BITWISE | COMPARING)[name]
    y = abs(Y) if name == "pow" else Y
    assert same(run(act, X, y), act(X, y))


@pytest.mark.parametrize("name", ARITHMETIC | BITWISE | COMPARING)
@pytest.mark.parametrize(
    "other", [2, [2, 1, 3], np.array([2, 1, 3]), np.int32(2), np.int64(2), np.array(2, np.int32)],
    ids=["int", "list", "array", "int32 scalar", "int64 scalar", "array of rank 0"],
)  # fmt: skip
def test_the_dtype_of_the_tensor_wins_on_both_sides(name: str, other: Any) -> None:
    act = (ARITHMETIC | BITWISE | COMPARING)[name]
    x = abs(X)
    as_int32 = np.asarray(other, np.int32)
    assert same(run(lambda t: act(t, other), x), act(x, as_int32))
    assert same(run(lambda t: act(other, t), x), act(as_int32, x))


@pytest.mark.parametrize("name", ARITHMETIC)
@pytest.mark.parametrize("other", [2.0, np.float64(2.0), np.array([2.0, 1.0, 4.0]), 3, True], ids=repr)
def test_a_number_beside_floats_becomes_one_of_them(name: str, other: Any) -> None:
    x = np.array([1.5, 2.0, 0.5], np.float32)
    as_float32 = np.asarray(other, np.float32)
    assert same(run(lambda t: ARITHMETIC[name](t, other), x), ARITHMETIC[name](x, as_float32))
    assert same(run(lambda t: ARITHMETIC[name](other, t), x), ARITHMETIC[name](as_float32, x))


@pytest.mark.parametrize("name", ARITHMETIC)
def test_a_float_beside_ints_is_refused_on_both_sides(name: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([1, 2])
        before = graph.get_operations()
        for operands in ((x, 1.5), (1.5, x)):
            with pytest.raises(TypeError):
                ARITHMETIC[name](*operands)
        assert graph.get_operations() == before


def test_signs_and_inversion() -> None:
    assert same(run(operator.neg, X), -X)
    assert same(run(abs, X), abs(X))
    assert same(run(operator.invert, X), ~X)
    assert same(run(operator.invert, P), ~P)
    with tf.Graph().as_default():
        x = tf.constant(1)
        assert +x is x


@pytest.mark.parametrize("name", BITWISE)
def test_between_bools_the_bitwise_operators_are_the_logical_ones(name: str) -> None:
    act = BITWISE[name]
    assert same(run(act, P, Q), act(P, Q))
    assert same(run(lambda t: act(True, t), P), act(True, P))
    with tf.Graph().as_default():
        assert act(tf.constant(P), Q).op.type == f"Logical{name.capitalize()}"
        with pytest.raises(TypeError):
            act(tf.constant(1.0), 1.0)
        with pytest.raises(TypeError):
            act(tf.constant(P), tf.constant(X))


def test_the_product_of_bools_is_their_conjunction() -> None:
    assert same(run(operator.mul, P, Q), P & Q)
    assert same(run(np.multiply, P, Q), P & Q)
    with tf.Graph().as_default(), pytest.raises(TypeError):
        _ = tf.constant(P) + tf.constant(Q)


def test_nodes_made_by_operators_are_called_after_them() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [2], "x")
        built = [x + 1, x - 1, x * 2, x / 2, x // 2, x % 2, x**2, x & 1, x | 1, x ^ 1, x + 1]
        names = [t.op.name for t in built]
    assert names == ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "add_1"]


def test_equality_is_identity() -> None:
    with tf.Graph().as_default():
        x, y = tf.constant(1), tf.constant(1)
        with pytest.warns(tf.MistakeWarning, match="tf.not_equal"):
            assert x == x and x != y
        assert len({x, y, x}) == 2


def test_a_chain_of_comparisons_is_told_how_to_be_written() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1, 2])
        with pytest.raises(UseError, match="logical_and"):
            _ = 0 < x < 3


# ---- NumPy --------------------------------------------------------------------------------------

UNARY_UFUNCS = (np.exp, np.expm1, np.log, np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh,
                np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.sqrt, np.square, np.reciprocal, np.negative,
                np.absolute, np.sign, np.floor, np.ceil, np.rint, np.isnan, np.isinf, np.isfinite)  # fmt: skip
BINARY_UFUNCS = (np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.mod, np.power, np.maximum, np.minimum,
                 np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.arctan2)  # fmt: skip


@pytest.mark.parametrize("ufunc", UNARY_UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_a_ufunc_of_a_tensor_builds_the_op_of_that_name(ufunc: Any) -> None:
    x = np.array([0.25, 0.5, 1.0])
    with np.errstate(all="ignore"):
        assert same(run(ufunc, x), ufunc(x), ulps=1)


@pytest.mark.parametrize("ufunc", BINARY_UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_a_ufunc_of_two_operands_takes_arrays_on_either_side(ufunc: Any) -> None:
    x, y = np.array([0.5, 1.5, 2.0], np.float32), np.array([2.0, 1.5, 1.0], np.float32)
    builds: tuple[Callable[..., Tensor], ...] = (
        ufunc, lambda a, b: ufunc(a, y), lambda a, b: ufunc(x, b), lambda a, b: ufunc(x.astype(np.float64), b),
    )  # fmt: skip
    for build in builds:
        assert same(run(build, x, y), ufunc(x, y), ulps=1)


@pytest.mark.parametrize("ufunc", [np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and, np.bitwise_or])
def test_ufuncs_of_truth_values(ufunc: Any) -> None:
    assert same(run(ufunc, P, Q), ufunc(P, Q))
    assert same(run(np.logical_not, P), ~P)
    assert same(run(np.invert, P), ~P)


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (lambda t: np.add.reduce(t), "np.add.reduce"),
        (lambda t: np.add.outer(t, t), "np.add.outer"),
        (lambda t: np.add(t, 1.0, dtype="f8"), "with dtype="),
        (lambda t: np.hypot(t, t), "np.hypot"),
        (lambda t: np.modf(t), "np.modf"),
        (lambda t: np.linalg.inv(t), "np.inv"),
    ],
)
def test_what_numpy_has_and_we_have_not_is_refused(act: Act, named: str) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 2])
        with pytest.raises(UseError, match="on a symbolic tensor") as caught:
            act(x)
    assert named in str(caught.value)


# ---- what needs a value -------------------------------------------------------------------------


def assigned(t: Tensor) -> None:
    t[0] = 1.0


def deleted(t: Tensor) -> None:
    del t[0]


MISTAKES: tuple[tuple[str, Act, str], ...] = (
    ("if t", lambda t: 1 if t else 2, "tf.where"),
    ("not t", lambda t: not t, "logical_and/or/not"),
    ("t and t", lambda t: t and t, "session.run(t)"),
    ("float(t)", float, "tf.cast(t, tf.float32)"),
    ("int(t)", int, "tf.cast(t, tf.int32)"),
    ("complex(t)", complex, "tf.cast(t, tf.complex64)"),
    ("np.asarray(t)", np.asarray, "session.run(t)"),
    ("np.array(t)", np.array, "session.run(t)"),
    ("range(t)", range, "must be a Python int"),
    ("[..][t]", lambda t: [1, 2][t], "must be a Python int"),
    ("1 in t", lambda t: 1.0 in t, "tf.reduce_any"),
    ("t[0] = 1", assigned, "tensor_scatter_nd_update"),
    ("del t[0]", deleted, "concat"),
    ("t.numpy()", lambda t: t.numpy(), "t.eval()"),
    ("t.item()", lambda t: t.item(), "session.run(t).item()"),
    ("t.tolist()", lambda t: t.tolist(), "session.run(t).tolist()"),
)


@pytest.mark.parametrize(("act", "cure"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_asking_for_a_value_before_the_run_is_answered_with_the_cure(act: Act, cure: str) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        with pytest.raises(TypeError) as caught:
            act(x)
        assert len(graph.get_operations()) == 1
    assert "x:0" in str(caught.value)
    assert cure in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "act", "cure"),
    [
        ([], len, "tf.size(t)"),
        ([None], len, "tf.shape(t)[0]"),
        (None, len, "tf.shape(t)[0]"),
        ([None], iter, "tf.unpack(t, num=...)"),
        ([], list, "tf.unpack"),
    ],
)
def test_a_length_that_is_not_known_is_answered_with_the_cure(shape: Any, act: Act, cure: str) -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, shape)
        with pytest.raises(UseError) as caught:
            act(x)
    assert cure in str(caught.value)


def test_a_known_length_can_be_asked_for_and_walked_along() -> None:
    with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        x = tf.constant([[1, 2], [3, 4], [5, 6]])
        assert len(x) == 3
        assert [row.tolist() for row in session.run(list(x))] == [[1, 2], [3, 4], [5, 6]]
        first, second, third = x
        assert session.run(first + second + third).tolist() == [9, 12]


def test_a_scalar_of_numpy_on_the_left_does_not_swallow_the_tensor() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        for built in (np.float64(2) * x, np.float32(2) - x, np.array([1.0, 2.0]) / x, np.int64(1) < x):
            assert isinstance(built, Tensor)
        assert value_of(lambda: np.float64(2) - tf.constant([1.0, 2.0])).tolist() == [1.0, 0.0]
