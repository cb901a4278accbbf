"""matmul is the sum of products, for every dtype, batch and flag."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock as tf

from .index_cases import Array, laid_out, message_of, run, same

f4 = np.float32
SMALL = {"f2": 4, "bfloat16": 4, "f4": 50, "f8": 50, "c8": 20, "c16": 20, "i4": 50, "i8": 50, "u1": 9, "u4": 50}
"""dtype -> how large entries may be so that every sum is exact in it."""


def product(a: Array, b: Array) -> Array:
    """The definition, in Python numbers."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = np.broadcast_to(a, batch + a.shape[-2:])
    b = np.broadcast_to(b, batch + b.shape[-2:])
    out = np.zeros((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    for place in np.ndindex(*out.shape):
        *front, i, j = place
        terms = [x * y for x, y in zip(a[(*front, i)].tolist(), b[(*front, slice(None), j)].tolist(), strict=True)]
        out[place] = sum(terms)
    return out


@st.composite
def whole_numbers(draw: st.DrawFn, shape: list[int], dtype: str) -> Array:
    low = 0 if dtype.startswith("u") else -SMALL[dtype]
    count = int(np.prod(shape))
    entries = np.array(draw(st.lists(st.integers(low, SMALL[dtype]), min_size=count, max_size=count)), "f8")
    if dtype.startswith("c"):
        entries = entries + 1j * entries[::-1]
    kind = tf.bfloat16.np if dtype == "bfloat16" else np.dtype(dtype)
    return draw(laid_out(entries.astype(kind).reshape(shape)))


@given(st.data(), st.sampled_from(sorted(SMALL)), st.booleans(), st.booleans(), st.booleans())
def test_matmul_is_the_sum_of_products(data: Any, dtype: str, flip_a: bool, flip_b: bool, known: bool) -> None:
    n, k, m = (data.draw(st.integers(0, 3)) for _ in range(3))
    batch = data.draw(st.lists(st.integers(0, 3), max_size=2))
    stretched = [1 if data.draw(st.booleans()) else size for size in batch]
    a = data.draw(whole_numbers([*batch, n, k], dtype))
    b = data.draw(whole_numbers([*stretched, k, m], dtype))
    want = product(a, b)
    feed_a, feed_b = a.swapaxes(-1, -2) if flip_a else a, b.swapaxes(-1, -2) if flip_b else b

    def call(x: Any, y: Any) -> Any:
        return tf.matmul(x, y, transpose_a=flip_a, transpose_b=flip_b)

    # Sums may give either zero: the sign of a zero is no part of the promise.
    assert same(run(call, feed_a, feed_b, known=known) + np.zeros((), want.dtype), want + np.zeros((), want.dtype))


def test_adjoint_conjugates() -> None:
    a = np.array([[1 + 2j, 3 - 1j]], "c8")
    assert run(lambda x: tf.matmul(x, x, adjoint_b=True), a).tolist() == [[15 + 0j]]
    assert run(lambda x: tf.matmul(x, x, transpose_b=True), a).tolist() == [[(1 + 2j) ** 2 + (3 - 1j) ** 2]]


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4"])
def test_ints_wrap_in_small_and_large_products(dtype: str) -> None:
    large = np.iinfo(dtype).max
    a = np.array([[large, 1]], dtype)
    assert run(tf.matmul, a, np.array([[2], [1]], dtype)).item() == np.array([large], dtype)[0] * 0 + np.array(
        (2 * large + 1) % (1 << np.iinfo(dtype).bits), f"u{np.dtype(dtype).itemsize}").astype(dtype)  # fmt: skip


@pytest.mark.parametrize("top", [9, 2**20, 2**31 - 1])
def test_large_int_products_are_exact_whichever_way_is_taken(top: int) -> None:
    rng = np.random.default_rng(top)
    a, b = (rng.integers(-top, top, (70, 70)) for _ in range(2))
    want = np.array([[sum(x * y for x, y in zip(r, c, strict=True)) for c in b.T.tolist()] for r in a.tolist()], object)
    for dtype in ("i4", "i8"):
        half = 1 << (np.iinfo(dtype).bits - 1)
        wrapped = np.array([[(v + half) % (2 * half) - half for v in row] for row in want], dtype)
        assert same(run(tf.matmul, a.astype(dtype), b.astype(dtype)), wrapped)


@pytest.mark.parametrize("dtype", [np.dtype("f2"), tf.bfloat16.np])
def test_16_bit_floats_are_summed_in_float32_and_rounded_once(dtype: Any) -> None:
    ones = np.ones((1, 3000), dtype)
    got = run(tf.matmul, ones, ones.reshape(-1, 1))
    assert got.dtype == dtype
    assert got[0, 0] == np.array(3000, f4).astype(dtype)


def test_the_bits_do_not_depend_on_the_layout_of_the_operands() -> None:
    rng = np.random.default_rng(0)
    for shape_a, shape_b in (((2, 1, 2, 3), (5, 3, 1)), ((40, 50), (50, 30)), ((3, 40, 7), (7, 1))):
        a, b = rng.random(shape_a), rng.random(shape_b)
        want = run(tf.matmul, a, b)
        for x in (np.asfortranarray(a), np.repeat(a, 2, -1)[..., ::2], a[..., ::-1].copy()[..., ::-1]):
            for y in (np.asfortranarray(b), np.repeat(b, 2, 0)[::2], b):
                assert run(tf.matmul, x, y).tobytes() == want.tobytes()


def test_special_values_pass_through() -> None:
    a = np.array([[np.nan, 0], [np.inf, 1]], f4)
    got = run(tf.matmul, a, np.array([[1], [2]], f4))
    assert np.isnan(got[0, 0])
    assert got[1, 0] == np.inf


def test_an_inner_size_of_zero_gives_zeros() -> None:
    assert run(tf.matmul, np.zeros((2, 0), f4), np.zeros((0, 3), f4)).tolist() == [[0] * 3] * 2


def test_what_does_not_fit_is_an_error_of_the_run() -> None:
    def zeros(*shape: int) -> Array:
        return np.zeros(shape, f4)

    assert message_of(tf.matmul, zeros(2), zeros(2, 3)) == "In[0] ndims must be >= 2: 1"
    assert message_of(tf.matmul, zeros(2, 3), zeros(3)) == "In[1] ndims must be >= 2: 1"
    assert message_of(tf.matmul, zeros(2, 3), zeros(2, 3)).startswith(
        "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"
    )
    assert message_of(tf.matmul, zeros(2, 2, 3), zeros(3, 3, 1)) == (
        "In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. [3,3,1]"
    )


def test_what_cannot_fit_is_refused_at_build_with_the_operand() -> None:
    with tf.Graph().as_default():
        a = tf.zeros([2, 3])
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2") as caught:
            tf.matmul(a, a)
        assert (getattr(caught.value, "operand", None), getattr(caught.value, "dim", None)) == (1, -2)
        with pytest.raises(ValueError, match="Shape must be rank 2 but is rank 1"):
            tf.matmul([1.0, 2.0], a)
        with pytest.raises(ValueError, match="Shape must be at least rank 2 but is rank 1"):
            tf.matmul(tf.zeros([2, 2, 2]), [1.0, 2.0])
        with pytest.raises(ValueError, match="Only one of `transpose_a` and `adjoint_a` can be True"):
            tf.matmul(a, a, transpose_a=True, adjoint_a=True)
        with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
            tf.matmul(tf.zeros([2, 1, 1]), tf.zeros([3, 1, 1]))
        with pytest.raises(TypeError):
            tf.matmul([[True]], [[True]])


def test_names_of_dimensions_survive() -> None:
    with tf.Graph().as_default():
        x, w = tf.placeholder(f4, ["batch", "n", 3]), tf.placeholder(f4, [3, "m"])
        assert str(tf.matmul(x, w).shape) == "(batch, n, m)"
        assert str((x @ w).shape) == "(batch, n, m)"
        assert str(np.matmul(x, w).shape) == "(batch, n, m)"


def test_an_inner_name_that_meets_a_number_is_checked_when_fed() -> None:
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        x, w = tf.placeholder(f4, [2, "k"]), tf.placeholder(f4, [3, 4])
        y = tf.matmul(x, w)
        assert session.run(y, {x: np.ones((2, 3)), w: np.ones((3, 4))}).shape == (2, 4)
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            session.run(y, {x: np.ones((2, 5)), w: np.ones((3, 4))})


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("inner", [64, 200])
def test_products_of_large_ints_wrap_around_whatever_their_sums_need(dtype: str, inner: int) -> None:
    """About the ends up to which products of many ints are computed as float64: those of the dtype, and 2 ** 53."""
    rng = np.random.default_rng(inner)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(dtype, [64, inner]), tf.placeholder(dtype, [inner, 65])
        product = tf.matmul(x, y)
        for bits in (3, 10, 12, 13, 15, 22, 24, 26, 30):
            most = 2**bits
            a, b = rng.integers(most // 2, most + 1, [64, inner]), rng.integers(most // 2, most + 1, [inner, 65])
            a, b = a.astype(dtype), b.astype(dtype)
            wrapped = (a.astype("u8") @ b.astype("u8")).astype(dtype)  # NumPy sums ints modulo 2 ** 64
            got = session.run(product, {x: a, y: b})
            assert got.dtype == wrapped.dtype and (got == wrapped).all(), bits
