"""Random calls that move elements, solve and factor matrices, and transform signals, with derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call_operands import Operands
from .elementwise_calls import function, with_gradients

ANY = ("float32", "float64", "int32", "int64", "uint8", "bool", "complex64", "float16", "int8")


def movements(o: Operands) -> list[Any]:
    """Reshapes, pads, rolls, reversals, tiles, blocks and batches."""
    tf, rng = o.tf, o.rng
    dtype = o.pick(*ANY[:5])
    sizes = o.sizes(1)
    rank = len(sizes)
    x = o.draw(sizes, dtype)
    kind = rng.randint(11)
    if kind == 0:
        pads = rng.randint(0, 3, (rank, 2))
        mode = o.pick("CONSTANT", "REFLECT", "SYMMETRIC")
        keywords = {"constant_values": 3} if mode == "CONSTANT" and o.chance(0.3) else {}
        return with_gradients(o, tf.pad(x, o.operand(pads.astype(o.pick("i4", "i8"))), mode, **keywords), [x])
    if kind == 1:
        axes = [o.axis(rank) for _ in range(rng.randint(1, 3))]
        return with_gradients(o, tf.roll(x, o.operand(rng.randint(-9, 9, len(axes)).astype("i4")), axes), [x])
    if kind == 2:
        axes = [o.axis(rank) for _ in range(rng.randint(0, 3))]
        return with_gradients(o, tf.reverse(x, axes), [x])
    if kind == 3:
        return with_gradients(o, tf.tile(x, o.operand(rng.randint(0, 4, rank).astype(o.pick("i4", "i8")))), [x])
    if kind == 4:
        target = [-1, *o.pick([], [1], [2])] if o.chance(0.7) else [int(np.prod(sizes)), 1]
        return with_gradients(o, tf.reshape(x, o.operand(np.array(target, o.pick("i4", "i8")))), [x])
    if kind == 5:
        sizes = [int(rng.randint(1, 4)), int(rng.randint(1, 5)), *o.sizes(0, 1)]
        x = o.draw(sizes, dtype)
        lengths = rng.randint(0, sizes[1] + 1 + o.chance(0.05), sizes[0])
        return with_gradients(
            o, tf.reverse_sequence(x, o.operand(lengths.astype(o.pick("i4", "i8"))), 1, batch_axis=0), [x]
        )
    if kind == 6:
        batch, block = int(rng.randint(1, 3)), o.pick([2], [2, 1], [2, 2])
        inner = [int(rng.randint(1, 3)) * size for size in block]
        x = o.draw([batch, *inner, *o.sizes(0, 1)], dtype)
        borders = [[o.pick(0, 0, size), o.pick(0, 0, size)] for size in block]
        return with_gradients(o, tf.space_to_batch_nd(x, block, o.operand(np.array(borders, "i4"))), [x])
    if kind == 7:
        block = o.pick([2], [2, 1], [1, 2])
        x = o.draw([2 * int(rng.randint(1, 3)), *rng.randint(1, 4, len(block)), *o.sizes(0, 1)], dtype)
        crops = [[o.pick(0, 0, 1), o.pick(0, 0, 1)] for _ in block]
        return with_gradients(o, tf.batch_to_space_nd(x, block, o.operand(np.array(crops, "i4"))), [x])
    if kind == 8:
        target = [*rng.randint(0, 3, rng.randint(0, 2)), *(int(rng.randint(1, 4)) if s == 1 else s for s in sizes)]
        return with_gradients(o, tf.broadcast_to(x, o.operand(np.array(target, o.pick("i4", "i8")))), [x])
    if kind == 9:
        axis = o.axis(rank)
        return [tf.expand_dims(x, axis), tf.unstack(tf.zeros_like(x), num=sizes[0])[0] if sizes[0] else x]
    parts = [o.draw([int(rng.randint(0, 3)), *sizes[1:]], dtype) for _ in range(rng.randint(1, 4))]
    return with_gradients(o, tf.concat(parts, o.pick(0, -rank)), parts)


def slices(o: Operands) -> list[Any]:
    """Slices with masks, steps and new axes, from operands of any shape."""
    sizes = o.sizes(1, 4)
    x = o.draw(sizes, o.pick(*ANY), unusual=0.1)
    if not hasattr(x, "op"):
        x = o.tf.constant(x)
    index: list[Any] = []

    def bound() -> Any:
        return o.pick(None, int(o.rng.randint(-6, 7)), 2**31 - 1, -(2**31))

    used = 0
    while used < len(sizes) and not o.chance(0.15):
        way = o.rng.randint(6)
        if way == 0 and Ellipsis not in index:
            index.append(Ellipsis)
            break
        if way == 1:
            index.append(o.tf.newaxis)
            continue
        used += 1
        if way == 2:
            index.append(int(o.rng.randint(-3, 3)))
        elif way == 3:
            index.append(slice(bound(), bound(), o.pick(None, 1, -1, 2, -3)))
        elif way == 4:
            index.append(slice(o.operand(np.int32(o.rng.randint(-3, 3)), False), None))
        else:
            index.append(slice(bound(), bound()))
    sliced = x[tuple(index)]
    begin = [int(o.rng.randint(0, size + 1)) for size in sizes]
    count = [int(o.rng.randint(-1, size - start + 1)) for start, size in zip(begin, sizes, strict=True)]
    return [*with_gradients(o, sliced, [x]), o.tf.slice(x, o.operand(np.array(begin, "i4")), count)]


def gathers(o: Operands) -> list[Any]:
    """Gathers by rows, by coordinates and in batches, scatters, one-hot rows, masks."""
    tf, rng = o.tf, o.rng
    sizes = [max(size, 1) for size in o.sizes(1)] if o.chance(0.9) else o.sizes(1)
    x = o.draw(sizes, o.pick(*ANY[:7]))
    wrong = 1 if o.chance(0.05) else 0
    kind = rng.randint(8)
    integers = o.pick("i4", "i8")
    if kind == 0:
        axis = o.axis(len(sizes))
        size = sizes[axis] if -len(sizes) <= axis < len(sizes) else 1
        ids = rng.randint(0, size + wrong or 1, o.sizes(0, 2)) if size else np.zeros([0], "i4")
        return with_gradients(o, tf.gather(x, o.operand(np.asarray(ids, integers)), axis=axis), [x])
    if kind == 1:
        depth = int(rng.randint(0, len(sizes) + 1))
        outer = o.sizes(0, 2)
        columns = [rng.randint(0, max(size, 1) + wrong, outer) for size in sizes[:depth]]
        ids = np.stack(columns, -1) if depth else np.zeros([*outer, 0], integers)
        return with_gradients(o, tf.gather_nd(x, o.operand(ids.astype(integers))), [x])
    if kind == 2:
        sizes = [2, 3, *o.sizes(0, 1)]
        x = o.draw(sizes, "float32")
        ids = rng.randint(0, 3 + wrong, [2, *o.sizes(0, 2)])
        return with_gradients(o, tf.gather(x, o.operand(ids.astype(integers), known=True), batch_dims=1), [x])
    if kind == 3:
        count = int(rng.randint(0, 5))
        shape = [4, *o.sizes(0, 1)]
        ids = rng.randint(0, 4 + wrong, [count, 1]).astype(integers)
        updates = o.draw([count, *shape[1:]], o.pick("float32", "float64", "int32", "complex64"))
        return with_gradients(o, tf.scatter_nd(o.operand(ids), updates, np.array(shape, integers)), [updates])
    if kind == 4:
        ids = rng.randint(-1, 5, o.sizes(0, 2))
        dtype = o.pick("float32", "int64", "bool", "float16", "complex64")
        if dtype == "bool":
            return [
                tf.one_hot(
                    o.operand(np.asarray(ids, integers)), 4, True, False, o.axis(ids.ndim + 1) if o.chance(0.3) else -1
                )
            ]
        return [tf.one_hot(o.operand(np.asarray(ids, integers)), 4, dtype=getattr(tf, dtype), axis=o.pick(-1, 0, None))]
    if kind == 5:
        mask = rng.rand(*sizes[: rng.randint(1, len(sizes) + 1)]) < 0.5
        return with_gradients(o, tf.boolean_mask(x, mask), [x])
    if kind == 6:
        mask = rng.rand(*sizes) < 0.5
        y = o.draw(sizes, "float32")
        z = o.draw(sizes, "float32")
        return [tf.where(o.operand(mask)), *with_gradients(o, tf.where(o.operand(mask), y, z), [y, z])]
    dims = rng.randint(1, 5, rng.randint(1, 4))
    places = rng.randint(0, int(np.prod(dims)) + wrong, o.sizes(1, 1))
    lengths = rng.randint(-1, 5, o.sizes(0, 2))
    most = o.pick(None, 3, 6)
    return [
        tf.unravel_index(o.operand(places.astype(integers)), o.operand(dims.astype(integers))),
        tf.sequence_mask(o.operand(np.asarray(lengths, integers)), most, o.pick(tf.bool, tf.float32)),
    ]


def diagonals(o: Operands) -> list[Any]:
    """Diagonals of matrices and tensors, bands, traces, and bits that are read as another dtype."""
    tf = o.tf
    kind = o.rng.randint(8)
    dtype = o.pick(*ANY[:4], "complex64")
    x = o.draw([*o.sizes(0, 1), *o.rng.randint(0 if o.chance(0.1) else 1, 4, 2)], dtype)
    if kind == 0:
        return with_gradients(o, tf.matrix_diag(o.draw(o.sizes(1), dtype)), [])
    if kind == 1:
        return with_gradients(o, tf.matrix_diag_part(x), [x])
    if kind == 2:
        sizes = [*o.sizes(0, 1), 3, int(o.rng.randint(1, 5))]
        x, diagonal = o.draw(sizes, dtype), o.draw([*sizes[:-2], min(sizes[-2:])], dtype)
        return with_gradients(o, tf.matrix_set_diag(x, diagonal), [x, diagonal])
    if kind == 3:
        return with_gradients(o, tf.matrix_band_part(x, int(o.rng.randint(-1, 4)), int(o.rng.randint(-1, 4))), [x])
    if kind == 4:
        y = o.draw(o.pick([3], [2, 2], [0], [2, 3, 2, 3], [2, 2, 3, 3]), dtype)
        return [tf.diag(y)] if o.chance(0.5) else [tf.diag_part(y)]
    if kind == 5:
        return with_gradients(o, tf.trace(x), [x])
    if kind == 6:
        source, target = o.pick(
            ("float32", "int32"), ("int64", "float64"), ("float64", "int32"), ("uint8", "int32"), ("int16", "uint8")
        )
        y = o.draw([*o.sizes(0, 1), 4], source, unusual=0.3)
        return [tf.bitcast(y, getattr(tf, target))]
    source, target = o.pick(*ANY), o.pick(*ANY)
    y = o.draw(o.sizes(), source, 0, 100)
    return [
        tf.cast(y, getattr(tf, target)),
        tf.saturate_cast(o.draw(o.sizes(), "int32", -999, 999), o.pick(tf.uint8, tf.int8, tf.int16)),
    ]


def matrices(o: Operands) -> list[Any]:
    """Factors, solutions, inverses and products of batches of matrices, a few of which are singular."""
    tf, rng = o.tf, o.rng
    dtype = o.pick("float32", "float64", "float64", "complex128")
    batch, size = o.sizes(0, 1, 0.15), int(rng.randint(0 if o.chance(0.1) else 1, 4))
    square = o.array([*batch, size, size], dtype) + 5 * np.eye(size, dtype=dtype)
    if o.chance(0.04):
        square = square * 0
    positive = square @ np.conj(np.swapaxes(square, -1, -2)) + np.eye(size, dtype=dtype)
    right = o.draw([*batch, size, int(rng.randint(0 if o.chance(0.1) else 1, 4))], dtype)
    kind = rng.randint(13)
    if kind == 0:
        x = o.operand(positive)
        return with_gradients(o, tf.cholesky(x), [x])
    if kind == 1:
        x = o.operand(square)
        return with_gradients(o, tf.matrix_solve(x, right, adjoint=o.chance(0.3)), [x, right])
    if kind == 2:
        x = o.operand(square)
        return with_gradients(
            o, tf.matrix_triangular_solve(x, right, lower=o.chance(0.5), adjoint=o.chance(0.3)), [x, right]
        )
    if kind == 3:
        x = o.operand(square)
        return with_gradients(o, tf.matrix_inverse(x, adjoint=o.chance(0.3)), [x])
    if kind == 4:
        x = o.operand(square)
        return with_gradients(o, tf.matrix_determinant(x), [x])
    if kind == 5:
        return list(tf.linalg.slogdet(o.operand(square)))
    if kind == 6:
        x = o.operand(positive)
        return with_gradients(o, tf.linalg.logdet(x), [x])
    if kind == 7:
        x = o.operand(positive)
        return [tf.self_adjoint_eigvals(x)]
    if kind == 8:
        x = o.draw([*batch, int(rng.randint(1, 4)), int(rng.randint(1, 4))], dtype)
        return [tf.svd(x, compute_uv=False)]
    if kind == 9:
        x = o.draw([*batch, int(rng.randint(1, 4)), int(rng.randint(1, 4))], dtype)
        q, r = tf.qr(x, full_matrices=o.chance(0.5))
        return [tf.abs(r), tf.matmul(q, r)]
    if kind == 10:
        rows, dtype = int(rng.randint(2, 5)), o.pick("float32", "float64")
        a, b = o.draw([*batch, rows, 2], dtype, known=True), o.draw([*batch, rows, 1], dtype, known=True)
        return [tf.matrix_solve_ls(a, b, o.pick(0.1, 0.5), fast=True)]
    if kind == 11:
        x = o.draw([*batch, int(rng.randint(0, 4)), size], dtype)
        y = o.draw([*o.pick(batch, []), size, 2], dtype)
        if o.chance(0.3):
            return with_gradients(o, tf.linalg.matvec(x, o.draw([*batch, size], dtype)), [x])
        return with_gradients(o, tf.matmul(x, y), [x, y])
    x, y = o.draw([2, 3, size], dtype), o.draw([size, 3, 2], dtype)
    axes = o.pick(0, 1, [[2], [0]], [[1, 2], [1, 0]], [[0], [-1]])
    result = (
        tf.tensordot(x, y, axes)
        if o.chance(0.5)
        else tf.einsum(o.pick("ijk,kjl->il", "ijk,kjl->jil", "aij,jib->ab"), x, y)
    )
    norms = [tf.norm(o.draw(o.sizes(1), "float32"), o.pick("euclidean", 1, 2, np.inf, 3), o.pick(None, -1, 0))]
    return [*with_gradients(o, result, [x, y]), *norms, tf.cross(o.draw([2, 3], "float32"), o.draw([2, 3], "float32"))]


def signals(o: Operands) -> list[Any]:
    """Fourier transforms with lengths, frames, windows, filters of mel."""
    tf, rng = o.tf, o.rng
    kind = rng.randint(6)
    if kind == 0:
        name = o.pick("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d")
        sizes = [int(rng.randint(1, 5)) for _ in range(3)]
        x = o.draw([*o.sizes(0, 1, 0), *sizes], o.pick("complex64", "complex128"))
        return [getattr(tf.signal, name)(x)]
    if kind == 1:
        name, rank = o.pick(("rfft", 1), ("rfft2d", 2))
        x = o.draw([*o.sizes(0, 1, 0), *(int(rng.randint(1, 6)) for _ in range(rank))], "float32")
        length = [int(rng.randint(1, 8)) for _ in range(rank)] if o.chance(0.5) else None
        return [getattr(tf.signal, name)(x, length)]
    if kind == 2:
        name, rank = o.pick(("irfft", 1), ("irfft2d", 2))
        x = o.draw([*o.sizes(0, 1, 0), *(int(rng.randint(2, 6)) for _ in range(rank))], "complex64")
        length = [int(rng.randint(1, 8)) for _ in range(rank)] if o.chance(0.5) else None
        return with_gradients(o, getattr(tf.signal, name)(x, length), [])
    if kind == 3:
        x = o.draw([*o.sizes(0, 1, 0), int(rng.randint(0, 20))], "float32", known=True)
        frame = tf.signal.frame(x, int(rng.randint(1, 6)), int(rng.randint(1, 6)), o.chance(0.5), 2.0, -1)
        return with_gradients(o, frame, [x])
    if kind == 4:
        x = o.draw([*o.sizes(0, 1, 0), int(rng.randint(8, 30))], "float32", known=True)
        size = int(rng.randint(2, 8))
        stft = tf.signal.stft(x, size, int(rng.randint(1, size + 1)), o.pick(None, 8, 16), pad_end=o.chance(0.5))
        return [
            stft,
            tf.signal.overlap_and_add(o.draw([*o.sizes(0, 1, 0), 3, 4], "float32", known=True), int(rng.randint(1, 5))),
        ]
    window = function(tf.signal, o.pick("hann_window", "hamming_window"))(int(rng.randint(1, 9)), o.chance(0.5))
    mel = tf.signal.linear_to_mel_weight_matrix(int(rng.randint(1, 6)), int(rng.randint(3, 9)), 8000, 20.0, 3800.0)
    return [
        window,
        mel,
        tf.signal.mfccs_from_log_mel_spectrograms(o.draw([*o.sizes(0, 1, 0), 5], "float32", known=True)),
    ]
