"""Kernels of the ops that move elements on a GPU; `kernels.fast_kernels` lists them by op.

Each is a function of the array module and of the op's arguments. It gives the result, or None where the plain kernel
does the work with CuPy's own functions (indices of a dtype or depth that the CUDA kernels do not read).

They differ from NumPy where TensorFlow's GPU kernels do. An index outside of its range reads zeros and writes nothing.
A label outside of its range belongs to no partition. Of equal indices any update may stay, and their sum has any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ops.index import dynamic_partition as partitions_of
from ...ops.index import gathering, scatter_checks
from ...ops.index.multiplex import check_candidates
from ...ops.index.row_indexing import as_rows
from ...ops.move import concat_stack, tile_pad, transpose_reverse
from . import join_kernels, row_kernels, strided_moves
from .cuda_source import contiguous
from .partition_kernel import partition

# ---- rows at given places -----------------------------------------------------------------------


def gather(xp: Any, params: Any, indices: Any) -> Any:
    """params[indices[i...], :]."""
    if params.ndim < 1 or not row_kernels.can_index(indices, params.shape[:1]):
        return None
    flat = contiguous(xp, indices.reshape(-1))
    return row_kernels.take_rows(xp, params, flat, 1).reshape(indices.shape + params.shape[1:])


def gather_nd(xp: Any, params: Any, indices: Any) -> Any:
    """params[indices[b..., 0], ..., indices[b..., K-1], :]."""
    gathering.check_gather_nd(params, indices)
    depth = indices.shape[-1]
    if not row_kernels.can_index(indices, params.shape[:depth]):
        return None
    found = row_kernels.take_rows(xp, params, contiguous(xp, indices.reshape(-1)), depth)
    return found.reshape(indices.shape[:-1] + params.shape[depth:])


def tensor_scatter_nd_update(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    """A copy of `tensor` with `updates` at the places that `indices` name."""
    scatter_checks.check_update(tensor.shape, indices, updates)
    depth = indices.shape[-1]
    if not row_kernels.can_index(indices, tensor.shape[:depth]):
        return None
    out = tensor.copy(order="C")
    row_kernels.put_rows(xp, out, contiguous(xp, indices.reshape(-1)), contiguous(xp, updates), depth)
    return out


def scatter_nd(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    """Zeros with `updates` added at the places that `indices` name."""
    sizes, dtype = scatter_checks.sizes_from(shape), updates.dtype
    scatter_checks.check_add(sizes, indices, updates)
    if not row_kernels.can_index(indices, sizes[: indices.shape[-1]]):
        return None
    if dtype.kind == "c":  # no GPU adds both parts at once, and none need it
        parts = contiguous(xp, updates).reshape(-1).view(f"f{dtype.itemsize // 2}")
        both = _added(xp, indices, parts.reshape((*updates.shape, 2)), (*sizes, 2))
        return both.reshape(-1).view(dtype).reshape(sizes)
    wide = row_kernels.ADDED_AS.get(dtype, dtype)
    return _added(xp, indices, updates.astype(wide, copy=False), sizes).astype(dtype, copy=False)


def _added(xp: Any, indices: Any, updates: Any, sizes: tuple[int, ...]) -> Any:
    out = xp.zeros(sizes, updates.dtype)
    index = contiguous(xp, indices.reshape(-1))
    row_kernels.add_rows(xp, out, index, contiguous(xp, updates), indices.shape[-1])
    return out


def dynamic_partition(xp: Any, data: Any, partitions: Any, num_partitions: int) -> list[Any]:
    """For each label the rows of `data` whose label it is, in order."""
    partitions_of.check_starts(data, partitions)
    rows, labels = as_rows(data, partitions.ndim), partitions.reshape(-1)
    return partition(xp, contiguous(xp, rows), contiguous(xp, labels), num_partitions)


def dynamic_stitch(xp: Any, indices: list[Any], data: list[Any]) -> Any:
    """merged[indices[m][i...], ...] = data[m][i..., ...], in order."""
    shape = partitions_of.stitched_shape(indices, data)
    rows = [contiguous(xp, as_rows(v, i.ndim)) for i, v in zip(indices, data, strict=True)]
    return row_kernels.stitch(xp, [contiguous(xp, i.reshape(-1)) for i in indices], rows, shape)


def multiplex(xp: Any, inputs: list[Any], index: Any) -> Any:
    """Row i of the array that index[i] names."""
    check_candidates(inputs, index)
    rows = len(index)
    return join_kernels.multiplex(xp, [x[:rows] for x in inputs], index.reshape(-1).astype(np.int32))


# ---- arrays beside each other -------------------------------------------------------------------


def concat(xp: Any, concat_dim: Any, values: Sequence[Any]) -> Any:
    """The arrays one after the other along a dimension, in one launch."""
    return join_kernels.concat(xp, values, concat_stack.joined_axis(concat_dim, values))


def pack(xp: Any, values: Sequence[Any]) -> Any:
    """The arrays as rows of one."""
    concat_stack.check_equal(values)
    return join_kernels.stack(xp, values, 0)


def stack(xp: Any, x: Sequence[Any], axis: int) -> Any:
    """The arrays along a new dimension."""
    concat_stack.check_stack(x, axis)
    return join_kernels.stack(xp, x, axis % (x[0].ndim + 1))


def tile(xp: Any, input: Any, multiples: Any) -> Any:
    """The array repeated along each dimension, in one launch."""
    return strided_moves.tile(xp, input, tile_pad.checked_factors(input.shape, multiples, input.itemsize))


def pad(xp: Any, input: Any, paddings: Any) -> Any:
    """The array with zeros around it, in one launch."""
    return strided_moves.pad(xp, input, [(a, b) for a, b in tile_pad.checked_paddings(input, paddings)])


# ---- another order ------------------------------------------------------------------------------


def transpose(xp: Any, a: Any, perm: Any) -> Any:
    """The array with its dimensions permuted: reading across rows later costs more than moving blocks now."""
    return strided_moves.transpose(xp, a, transpose_reverse.axes_order(a.ndim, perm))


def reverse(xp: Any, tensor: Any, dims: Any) -> Any:
    """The array with some dimensions reversed."""
    transpose_reverse.check_flags(tensor, dims)
    return strided_moves.reverse(xp, tensor, dims.tolist())


def reverse_sequence(xp: Any, input: Any, seq_lengths: Any, seq_dim: int) -> Any:
    """The first seq_lengths[i] elements of slice i reversed along dimension `seq_dim`."""
    transpose_reverse.check_sequences(input, seq_lengths, seq_dim)
    return strided_moves.reverse_sequence(xp, input, xp.asarray(seq_lengths), seq_dim)
