"""Calls of the functions of TensorFlow 1.x's wider namespace, whose values, static shapes and gradients are recorded.

`nn_cases.evaluate` builds and runs them with the functions of a namespace: TensorFlow's when it records, Penstock's
when it is tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from .nn_cases import Case

WIDE = ("float32", "float64")
RNG = np.random.default_rng(20261128)
START = RNG.bit_generator.state


def cases() -> Iterator[Case]:
    """All of them, with the same operands each time."""
    RNG.bit_generator.state = START
    yield from _special()
    yield from _matrices()
    yield from _parts()
    yield from _spectra()
    yield from _counts()
    yield from _elements()
    yield from _strings()


def _named(name: str, *path: str) -> Any:
    def call(tf: Any, *operands: Any) -> Any:
        found = tf
        for each in path or (name,):
            found = getattr(found, each)
        return found(*operands)

    return call


def _special() -> Iterator[Case]:
    x = np.array([-5.5, -2.25, -0.5, 1e-3, 0.3, 0.99, 1.0, 1.5, 2.0, 3.7, 9.0, 25.0, 170.0])
    edges = np.array([-np.inf, -3.0, -1.0, 0.0, np.inf, np.nan])
    a = np.array([0.1, 0.5, 1.0, 2.5, 7.0, 30.0, 120.0])[:, None]
    p = np.array([0.05, 0.6, 1.0, 3.0, 8.0, 33.0, 118.0])
    for name in ("lgamma", "digamma"):
        yield Case(name, _named(name), (x,), WIDE, second=name == "lgamma")
    yield Case("lgamma-edges", lambda tf, x: tf.stop_gradient(tf.lgamma(x)), (edges,), WIDE)
    yield Case("digamma-edges", lambda tf, x: tf.stop_gradient(tf.digamma(x)), (edges[1:],), WIDE)
    for name in ("igamma", "igammac"):
        yield Case(name, _named(name), (a, p), WIDE, second=False)
        yield Case(f"{name}-edges", lambda tf, a, x, name=name: tf.stop_gradient(getattr(tf, name)(a, x)),
                   (np.array([1.0, 1.0, -1.0, 1.0, 0.5]), np.array([0.0, np.inf, 1.0, -1.0, np.nan])),
                   WIDE)  # fmt: skip
    yield Case("betainc", _named("betainc"), (np.array([0.5, 2.0, 40.0, 1.0]), np.array([1.5, 0.3, 20.0, 3.0]),
                                              np.array([0.01, 0.3, 0.6, 0.999])), WIDE, second=False)  # fmt: skip
    yield Case("zeta", _named("zeta"), (np.array([[1.5], [2.0], [6.0]]), np.array([0.3, 1.0, 5.0, 40.0])), WIDE,
               second=False)  # fmt: skip
    yield Case("polygamma", _named("polygamma"), (np.array([[0.0], [1.0], [2.0], [3.0]]),
                                                  np.array([0.3, 1.0, 5.0, 40.0])), WIDE, second=False)  # fmt: skip
    inner = np.array([-0.999, -0.5, -1e-3, 0.0, 0.2, 0.7, 0.9999])
    yield Case("erfinv", _named("", "math", "erfinv"), (inner,), WIDE)
    yield Case("ndtri", _named("", "math", "ndtri"), (np.array([1e-4, 0.1, 0.5, 0.7, 0.999]),), WIDE)
    yield Case("erfc", _named("erfc"), (np.array([-6.0, -1.5, -0.2, 0.0, 0.4, 1.0, 1.3, 3.0, 5.5, 9.0]),), WIDE)
    yield Case("lbeta", _named("lbeta"), (np.array([[1.0, 2.0, 0.5], [3.0, 0.2, 7.0]]),), WIDE)
    y = np.array([0.5, 2.0, 3.0, 0.1])
    for name in ("xlogy", "xdivy"):
        yield Case(name, _named("", "math", name), (np.array([0.0, 1.5, -2.0, 0.0]), y), WIDE)
    yield Case("reciprocal_no_nan", _named("", "math", "reciprocal_no_nan"), (np.array([0.0, 2.0, -4.0]),), WIDE)


def _positive(*shape: int) -> Any:
    root = RNG.normal(size=shape)
    return root @ np.swapaxes(root, -1, -2) + 3 * np.eye(shape[-1])


def _matrices() -> Iterator[Case]:
    square = RNG.normal(size=(2, 3, 3)) + 2 * np.eye(3)
    right = RNG.normal(size=(2, 3, 2))
    triangle = np.tril(RNG.normal(size=(3, 3))) + 2 * np.eye(3)
    yield Case("cholesky", _named("cholesky"), (_positive(2, 3, 3),), WIDE)
    yield Case("matrix_inverse", _named("matrix_inverse"), (square,), WIDE)
    yield Case("matrix_inverse-adjoint", lambda tf, a: tf.matrix_inverse(a, adjoint=True), (square,), WIDE)
    yield Case("matrix_determinant", _named("matrix_determinant"), (square,), WIDE)
    yield Case("slogdet", lambda tf, a: list(tf.linalg.slogdet(a)), (square,), WIDE)
    yield Case("logdet", _named("", "linalg", "logdet"), (_positive(2, 3, 3),), WIDE)
    yield Case("matrix_solve", _named("matrix_solve"), (square, right), WIDE)
    yield Case("matrix_solve-adjoint", lambda tf, a, b: tf.matrix_solve(a, b, adjoint=True), (square, right), WIDE)
    for lower in (True, False):
        for adjoint in (True, False):
            yield Case(
                f"matrix_triangular_solve-{lower}-{adjoint}",
                lambda tf, a, b, lower=lower, adjoint=adjoint: tf.matrix_triangular_solve(a, b, lower, adjoint),
                (triangle if lower else triangle.T, right[0]), WIDE)  # fmt: skip
    yield Case("cholesky_solve", _named("cholesky_solve"), (np.linalg.cholesky(_positive(3, 3)), right[0]), WIDE)
    tall, wide = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 5))
    for name, matrix, beside in (("tall", tall, RNG.normal(size=(4, 2))), ("wide", wide, right[0])):
        yield Case(f"matrix_solve_ls-{name}", lambda tf, a, b: tf.matrix_solve_ls(a, b, 0.1), (matrix, beside), WIDE,
                   second=False)  # fmt: skip
        yield Case(f"svd-{name}", lambda tf, a: tf.svd(a, compute_uv=False), (matrix,), WIDE, second=False)
        yield Case(f"svd-vectors-{name}", lambda tf, a: (lambda s, u, v: tf.matmul(u * tf.exp(-s), v, adjoint_b=True))(
            *tf.svd(a)), (matrix,), WIDE, second=False)  # fmt: skip
        yield Case(f"qr-{name}", lambda tf, a: (lambda q, r: [tf.square(q), tf.square(r)])(*tf.qr(a)), (matrix,), WIDE,
                   second=False)  # fmt: skip
    yield Case("self_adjoint_eigvals", _named("self_adjoint_eigvals"), (_positive(2, 3, 3),), WIDE, second=False)
    yield Case("self_adjoint_eig", lambda tf, a: (lambda e, v: tf.matmul(v * tf.exp(-e)[..., None, :], v,
               adjoint_b=True))(*tf.self_adjoint_eig(a)), (_positive(2, 3, 3),), WIDE, second=False)  # fmt: skip
    yield Case("trace", _named("trace"), (square,), WIDE)
    yield Case("matrix_transpose", _named("matrix_transpose"), (right,), WIDE)
    yield Case("matvec", _named("", "linalg", "matvec"), (square, right[..., 0]), WIDE)
    for order in ("euclidean", 1, 2, 3, np.inf):
        yield Case(f"norm-{order}", lambda tf, x, order=order: tf.norm(x, order), (tall,), WIDE, second=False)
        yield Case(f"norm-rows-{order}", lambda tf, x, order=order: tf.norm(x, order, axis=1, keepdims=True), (tall,),
                   WIDE, second=False)  # fmt: skip
    for matrix_order in ("fro", 1, 2, np.inf):
        yield Case(f"norm-matrix-{matrix_order}", lambda tf, x, order=matrix_order: tf.norm(x, order, axis=[-2, -1]),
                   (square,), WIDE, second=False)  # fmt: skip
    cube = RNG.normal(size=(2, 3, 4))
    axes: Any
    for axes in (1, 2, 0, [[0, 2], [2, 0]], [[1], [1]], [[], []], [[-1], [0]]):
        other = {"1": (4, 2), "2": (3, 4), "0": (2,)}.get(str(axes), (4, 3, 2))
        yield Case(f"tensordot-{axes}", lambda tf, a, b, axes=axes: tf.tensordot(a, b, axes),
                   (cube, RNG.normal(size=other)), WIDE)  # fmt: skip


def _parts() -> Iterator[Case]:
    x = RNG.normal(size=(2, 3, 4))
    for k in (0, 1, -2, (-1, 1), (0, 2)):
        yield Case(f"matrix_diag_part-{k}", lambda tf, x, k=k: tf.matrix_diag_part(x, k=k), (x,), WIDE)
    for k in (0, 2, -1):
        yield Case(f"matrix_diag-{k}", lambda tf, x, k=k: tf.matrix_diag(x, k=k), (x[0],), WIDE)
        size = min(3 + min(k, 0), 4 - max(k, 0))
        yield Case(f"matrix_set_diag-{k}", lambda tf, x, d, k=k: tf.matrix_set_diag(x, d, k=k), (x, x[:, 0, :size]),
                   WIDE)  # fmt: skip
    yield Case("matrix_diag-several", lambda tf, d: tf.matrix_diag(d, k=(-1, 1), num_rows=4, num_cols=4), (x[0],), WIDE)
    for lower, upper in ((0, 0), (1, -1), (-1, 0), (2, 1)):
        yield Case(f"matrix_band_part-{lower}-{upper}",
                   lambda tf, x, lower=lower, upper=upper: tf.matrix_band_part(x, lower, upper), (x,),
                   WIDE)  # fmt: skip
    yield replace(next(iter(_unknown(x))), name="matrix_diag_part-unknown")


def _unknown(x: Any) -> Iterator[Case]:
    yield Case("", _named("matrix_diag_part"), (x,), WIDE, unknown=True, second=False)


def _spectra() -> Iterator[Case]:
    x = RNG.normal(size=(2, 4, 6))

    def of_parts(name: str) -> Any:
        def call(tf: Any, a: Any, b: Any) -> Any:
            found = getattr(tf.spectral, name)(tf.complex(a, b))
            return [tf.real(found), tf.imag(found)]

        return call

    for name in ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"):
        yield Case(name, of_parts(name), (x, x[::-1].copy()), WIDE)
    for axes, suffix in ((1, ""), (2, "2d"), (3, "3d")):
        lengths: Any
        for lengths in (None, [3] * (axes - 1) + [4] if axes < 3 else [2, 3, 5]):

            def forward(tf: Any, a: Any, suffix: str = suffix, lengths: Any = lengths) -> Any:
                found = getattr(tf.spectral, f"rfft{suffix}")(a, lengths)
                return [tf.real(found), tf.imag(found)]

            def back(tf: Any, a: Any, b: Any, suffix: str = suffix, lengths: Any = lengths) -> Any:
                return getattr(tf.spectral, f"irfft{suffix}")(tf.complex(a, b), lengths)

            yield Case(f"rfft{suffix}-{lengths}", forward, (x,), WIDE, second=False)
            yield Case(f"irfft{suffix}-{lengths}", back, (x, x[::-1].copy()), WIDE, second=False)


def _counts() -> Iterator[Case]:
    ids = np.array([1, 0, 3, 3, 1], np.int32)
    weights = np.array([0.5, 1.0, 2.0, -1.0, 4.0])
    yield Case("bincount", _named("bincount"), (ids,), ("float32",))
    yield Case("bincount-lengths", lambda tf, i: tf.bincount(i, minlength=6, dtype=tf.int64), (ids,), ("float32",))
    yield Case("bincount-short", lambda tf, i: tf.bincount(i, maxlength=2), (ids,), ("float32",))
    yield Case("bincount-weights", lambda tf, i, w: tf.stop_gradient(tf.bincount(i, w)), (ids, weights), WIDE)
    yield Case("bincount-negative", _named("bincount"), (-ids,), ("float32",))
    yield Case("confusion_matrix", _named("confusion_matrix"), (ids, ids[::-1].copy()), ("float32",))
    yield Case("confusion_matrix-classes", lambda tf, a, b: tf.confusion_matrix(a, b, 5, dtype=tf.float32),
               (ids, ids[::-1].copy()), ("float32",))  # fmt: skip
    yield Case("confusion_matrix-few", lambda tf, a, b: tf.confusion_matrix(a, b, 3), (ids, ids), ("float32",))
    yield Case("count_nonzero", lambda tf, x: tf.count_nonzero(x, 1, keepdims=True), (np.eye(3) - 1,), WIDE)
    yield Case("unique_with_counts", _named("unique_with_counts"), (ids,), ("float32",))
    yield Case("setdiff1d", _named("setdiff1d"), (ids, ids[:1]), ("float32",))
    yield Case("invert_permutation", _named("invert_permutation"), (np.array([2, 0, 1], np.int32),), ("float32",))
    yield Case("invert_permutation-twice", _named("invert_permutation"), (np.array([0, 0, 1], np.int32),), ("float32",))
    yield Case("unravel_index", _named("unravel_index"), (np.array([22, 41, 37], np.int32), np.array([7, 6], np.int32)),
               ("float32",))  # fmt: skip
    yield Case("reduce_euclidean_norm", lambda tf, x: tf.math.reduce_euclidean_norm(x, 1), (RNG.normal(size=(2, 3)),),
               WIDE, second=False)  # fmt: skip


def _elements() -> Iterator[Case]:
    ints, divisors = np.array([7, -7, 8, -8, 0], np.int32), np.array([2, 2, -3, -3, 5], np.int32)
    yield Case("truncatediv", _named("truncatediv"), (ints, divisors), ("float32",))
    yield Case("truncatemod", _named("truncatemod"), (ints, divisors), ("float32",))
    yield Case("truncatemod-floats", lambda tf, x, y: tf.stop_gradient(tf.truncatemod(x, y)),
               (np.array([7.5, -7.5, 8.0]), np.array([2.0, 2.0, -3.0])), WIDE)  # fmt: skip
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        yield Case(name, _named("", "bitwise", name), (ints, np.array([1, 2, 3, 4, 5], np.int32)), ("float32",))
    x = np.array([-300.7, -1.5, 0.0, 99.9, 300.2, 1e12])
    for dtype in ("uint8", "int8", "int32", "float32"):
        yield Case(
            f"saturate_cast-{dtype}", lambda tf, x, d=dtype: tf.stop_gradient(tf.saturate_cast(x, d)), (x,), WIDE
        )
    yield Case("bitcast", lambda tf, x: tf.bitcast(x, tf.int32), (np.array([1.0, -2.5]),), ("float32",))
    yield Case("bitcast-smaller", lambda tf, x: tf.bitcast(x, tf.uint8), (np.array([1.0, -2.5]),), WIDE)
    yield Case("angle", lambda tf, a, b: tf.angle(tf.complex(a, b)), (np.array([1.0, -1.0, 0.5]),
                                                                     np.array([0.5, -2.0, 3.0])), WIDE)  # fmt: skip
    yield Case("scalar_mul", _named("scalar_mul"), (np.array(2.5), x), WIDE)
    yield Case("accumulate_n", lambda tf, a, b: tf.accumulate_n([a, b, a]), (x, x * 2), WIDE)
    yield Case("where_v2", lambda tf, a, b: tf.where_v2([[True], [False]], a, b), (x, np.array(0.5)), WIDE)
    cube = RNG.normal(size=(3, 2))
    places = np.array([[0], [2], [0]], np.int32)
    for kind in ("add", "sub", "min", "max"):
        yield Case(f"tensor_scatter_nd_{kind}", lambda tf, t, i, u, kind=kind: getattr(
            tf, f"tensor_scatter_nd_{kind}")(t, i, u), (cube, places, RNG.normal(size=(3, 2))), WIDE,
            second=False)  # fmt: skip
    yield Case("batch_gather", _named("batch_gather"), (cube, np.array([[0, 1], [1, 1], [0, 0]], np.int32)), WIDE)
    yield Case("broadcast_dynamic_shape", _named("broadcast_dynamic_shape"),
               (np.array([2, 1], np.int32), np.array([3], np.int32)), ("float32",))  # fmt: skip


def _strings() -> Iterator[Case]:
    def hashed(tf: Any, strings: Any) -> Any:
        return tf.string_to_hash_bucket_fast(strings, 1 << 30)

    texts = ["  Ab c ", "", "xyz1", "Ünï"]
    yield Case("string_strip", lambda tf: hashed(tf, tf.string_strip(texts)), (), ("float32",))
    yield Case("lower", lambda tf: hashed(tf, tf.strings.lower(texts)), (), ("float32",))
    yield Case("upper-utf8", lambda tf: hashed(tf, tf.strings.upper(texts, "utf-8")), (), ("float32",))
    yield Case("length", lambda tf: tf.strings.length(texts), (), ("float32",))
    yield Case("length-utf8", lambda tf: tf.strings.length(texts, unit="UTF8_CHAR"), (), ("float32",))
    yield Case("substr", lambda tf: hashed(tf, tf.substr(["hello", "world"], [1, -3], [3, 9])), (), ("float32",))
    yield Case("substr-far", lambda tf: hashed(tf, tf.substr(["hello", "a"], 3, 1)), (), ("float32",))
    yield Case("regex_replace", lambda tf: hashed(tf, tf.regex_replace(texts, "([a-z])([0-9 ])", r"\2<\1>")), (),
               ("float32",))  # fmt: skip
    yield Case("regex_full_match", lambda tf: tf.strings.regex_full_match(texts, "[a-z]+[0-9]"), (), ("float32",))
    rows = [["a", "b"], ["c", "d"]]
    yield Case("reduce_join", lambda tf: hashed(tf, tf.reduce_join(rows, [1, 0], separator="-")), (), ("float32",))
    yield Case("base64", lambda tf: hashed(tf, tf.decode_base64(tf.encode_base64(texts))), (), ("float32",))
