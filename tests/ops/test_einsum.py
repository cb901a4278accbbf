"""einsum: results of NumPy's einsum, dtypes and errors of TensorFlow 2.21, and names of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.graph.shapes.dtypes import ALL, DType

SIZES = {"i": 2, "j": 3, "k": 4, "l": 5, "a": 2, "b": 3, "c": 4}
PLAIN = [
    "ij,jk->ik", "ij,jk->ki", "ij,kj->ik", "ji,jk->ik", "ij,jk", "ba,ac", "ij->", "ij->ji", "ba", "i,j->ij",
    "i,j->ji", "ij,ij->ij", "ij,ij->i", "bij,bjk->bik", "bij,bjk->ikb", "ijk,jl->ilk", "ijkl,jlb->kib",
    "ij,k->jki", ",i->i", "i,i->", "ij,j->", "ijk->kij", "ab,bc,ca->", "ij,jk,kl->il", "ij,jk,kl->li",
    "i,j,k->kji", "bij,bj->bi", " ij , jk -> ik ", "->", "",
]  # fmt: skip
OTHERS: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ii", [(3, 3)]), ("ii->i", [(3, 3)]), ("iij->j", [(2, 2, 3)]), ("iii->i", [(3, 3, 3)]),
    ("ii,i->i", [(3, 3), (3,)]),
    ("ijij->ij", [(2, 3, 2, 3)]), ("...ij,...jk->...ik", [(2, 1, 2, 3), (5, 3, 2)]), ("...i->...", [(2, 3)]),
    ("i...j->ij...", [(2, 3, 4)]), ("...,i->...i", [(2, 3), (4,)]), ("...ii->i...", [(2, 3, 3)]),
    ("...ij,jk", [(5, 2, 3), (3, 4)]), ("...a,...a->...", [(2, 3), (3,)]), ("a...,b...->ab...", [(2, 3), (4, 1)]),
    ("ij,jk->ik", [(2, 0), (0, 3)]), ("ij->i", [(2, 0)]), ("ij,jk->ik", [(0, 2), (2, 3)]), ("i,j->ij", [(0,), (3,)]),
    ("...i,...i,...j->...j", [(2, 3), (3,), (2, 4)]), ("Ij->jI", [(2, 3)]),
]  # fmt: skip
TAKEN = [tf.bfloat16, tf.float16, tf.float32, tf.float64, tf.int32, tf.int64, tf.complex64, tf.complex128]


def shapes(equation: str) -> list[tuple[int, ...]]:
    left = equation.replace(" ", "").partition("->")[0]
    return [tuple(SIZES[letter] for letter in term) for term in left.split(",")]


def run(tensor: Any, feeds: Any = None) -> Any:
    return tf.Session(graph=tf.get_default_graph()).run(tensor, feeds)


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("equation", "given"), [(each, shapes(each)) for each in PLAIN] + OTHERS)
def test_results_are_those_of_numpy(equation: str, given: list[tuple[int, ...]], order: Any) -> None:
    rng = np.random.default_rng(0)
    arrays = [np.array(rng.normal(size=shape), order=order) for shape in given]
    want = np.einsum(equation or "->", *arrays)
    known = tf.einsum(equation, *arrays)
    fed = [tf.placeholder(tf.float64) for _ in arrays]
    found = run(known)
    assert known.shape.as_list() == list(want.shape) == list(np.shape(found))
    assert np.allclose(found, want)
    assert np.allclose(run(tf.einsum(equation, *fed), dict(zip(fed, arrays, strict=True))), want)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_dtypes_are_those_of_tensorflow(dtype: DType) -> None:
    if dtype not in TAKEN:
        with pytest.raises(TypeError, match="not in list of allowed values"):
            tf.einsum("ij,jk->ik", tf.zeros([2, 2], dtype), tf.zeros([2, 2], dtype))
        return
    a = np.arange(6).reshape(2, 3).astype(dtype.np)
    for equation, arrays in (("ij,kj->ik", (a, a)), ("ij->j", (a,)), ("ij->ji", (a,)), ("ij,ij->ij", (a, a))):
        found = run(tf.einsum(equation, *arrays))
        want = np.einsum(equation, *[each.astype("c16") for each in arrays])
        assert found.dtype == dtype.np and (found.astype("c16") == want).all()


def test_ints_wrap_around() -> None:
    assert run(tf.einsum("i,i->", np.array([2**30, 2**30], "i4"), np.array([4, 4], "i4"))) == 0


def test_sums_of_16_bit_floats_are_rounded_once() -> None:
    ones = np.ones(3000, "f2")
    assert run(tf.einsum("i,i->", ones, ones)) == 3000


def test_nan_and_infinity_pass_through_sums_and_nothing_else() -> None:
    assert np.isnan(run(tf.einsum("ij,jk->ik", [[float("nan"), 1.0]], [[1.0], [0.0]]))).all()
    assert run(tf.einsum("ii->i", [[1.0, float("nan")], [float("inf"), -0.0]])).tolist() == [1.0, -0.0]


def test_a_result_owns_its_memory() -> None:
    x, given = tf.placeholder(tf.float32, [2, 3]), np.ones((2, 3), "f4")
    for equation in ("ij->ij", "ij->ji"):
        run(tf.einsum(equation, x), {x: given})[:] = 5.0
    assert (given == 1.0).all()


def test_names_of_sizes_stay() -> None:
    x, w = tf.placeholder(tf.float32, ["batch", "time", 3]), tf.placeholder(tf.float32, [3, "units"])
    assert str(tf.einsum("btf,fu->but", x, w).shape) == "(batch, units, time)"
    assert str(tf.einsum("...f,fu->...u", x, w).shape) == "(batch, time, units)"
    assert str(tf.einsum("ij->ji", tf.placeholder(tf.float32)).shape) == "(?, ?)"
    assert tf.einsum("...j->j...", tf.placeholder(tf.float32)).shape.ndims is None


def test_an_unknown_size_of_an_ellipsis_may_be_1() -> None:
    x = tf.placeholder(tf.float32, ["n", 2])
    made = tf.einsum("...i,...i->...", x, np.ones((3, 2), "f4"))
    assert made.shape.as_list() == [3] and str(x.shape) == "(n, 2)"
    assert run(made, {x: [[1.0, 2.0]]}).tolist() == [3.0] * 3


def test_nodes_have_the_names_of_tensorflow() -> None:
    assert tf.einsum("ij->ji", [[1.0]]).name == "einsum/Einsum:0"
    assert tf.einsum("ij->ji", [[1.0]], name="turned").name == "turned/Einsum:0"


def test_of_three_factors_the_small_product_comes_first() -> None:
    a, b, c = tf.zeros([1000, 1000]), tf.zeros([1000, 1000]), tf.zeros([1000, 1])
    tf.einsum("ij,jk,kl->il", a, b, c)
    shapes = [str(op.outputs[0].shape) for op in tf.get_default_graph().get_operations() if op.type == "Einsum"]
    assert shapes == ["(1000, 1)"] * 2


A, B = np.zeros((2, 3), "f4"), np.zeros((3, 4), "f4")


@pytest.mark.parametrize(
    ("equation", "arrays", "message"),
    [
        ("ijk,jk->ik", (A, B), "Shape must be rank 3 but is rank 2"),
        ("...ijk->", (A,), "Shape must be at least rank 3 but is rank 2"),
        ("ij,ik->jk", (A, B), "Dimensions must be equal, but are 2 and 3"),
        ("ij,jk->ik", (np.zeros((2, 1), "f4"), B), "Dimensions must be equal, but are 1 and 3"),
        ("ii->i", (A,), "Dimensions must be equal, but are 2 and 3"),
        ("ij->ik", (A,), "Output subscripts contain the label k not present in the input subscripts"),
        ("ij->iij", (A,), "Output subscripts contain a label appearing more than once: ij->iij"),
        ("ij,jk->ik", (A,), 'Got 1 inputs for equation "ij,jk->ik", expecting 2'),
        ("ij->ij", (A, B), 'Got 2 inputs for equation "ij->ij", expecting 1'),
        ("i1->i", (A,), "Subscripts have incorrect format: i1->i"),
        ("i.j->ij", (A,), "Subscripts have incorrect format: i.j->ij"),
        ("......->", (A,), "Subscripts have incorrect format"),
        ("ij->j->i", (A,), "Subscripts have incorrect format: ij->j->i"),
        ("...i->i", (A,), "Shape must be at most rank 0 but is rank 1"),
    ],
)
def test_equations_that_do_not_fit_are_refused(equation: str, arrays: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.einsum(equation, *arrays)


def test_dtypes_must_agree_and_the_equation_is_a_string() -> None:
    with pytest.raises(TypeError):
        tf.einsum("ij,jk->ik", A, B.astype("f8"))
    with pytest.raises(TypeError, match="equation must be a Python string"):
        tf.einsum(3, A)  # type: ignore[arg-type]  # the error under test


@pytest.mark.parametrize(
    ("equation", "arrays", "message"),
    [
        ("ij,jk->ik", (A, A), "Expected dimension 3 for label j of the input shaped [2,3] but got dimension 2"),
        ("ij,jk->ik", (np.zeros((2, 1), "f4"), B), "Expected dimension 1 for label j"),
        ("ii->i", (A,), "Expected dimension 2 for label i"),
        ("ijk->i", (A,), "an input of shape [2,3] does not fit the labels 'ijk'"),
        ("...i->i", (A,), "the result of ...i->i has no place for the dimensions of ..."),
    ],
)
def test_the_run_refuses_what_does_not_fit(equation: str, arrays: Any, message: str) -> None:
    fed = [tf.placeholder(tf.float32) for _ in arrays]
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(tf.einsum(equation, *fed), dict(zip(fed, arrays, strict=True)))
    assert message in caught.value.message
