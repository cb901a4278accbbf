"""Ops that write slices into a tensor at places that another tensor names.

    tensor_scatter_nd_update   out = tensor, then out[indices[b..., :]] = updates[b..., ...]: the last one wins
    scatter_nd                 out = zeros,  then out[indices[b..., :]] += updates[b..., ...]

An index vector of length K points into the first K dimensions; an update fills the rest.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import ShapeError
from ...graph.building.constant_evaluation import known_shape
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.distribution import Distributed, Refused, State
from ...graph.declare.effects import PreparedWrite
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INDICES, INT32_64, HostIndex, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import bool_, int32, uint16
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import listed, possible
from .row_indexing import as_rows, copied, dims_at_least, flat_index, prepared_rows, written, zero_rows
from .scatter_checks import check_add, check_static, check_update, sizes_from

PUBLIC_NAMES = {"start manip": "scatter_nd", "start": "tensor_scatter_nd_update tensor_scatter_update"}

_UpdateIndices = Annotated[TensorLike, Operand("Tindices", INDICES | uint16.bit, prefer=int32)]
_AddIndices = Annotated[TensorLike, Operand("Tindices", INT32_64, prefer=int32)]

# ---- tensor_scatter_nd_update -------------------------------------------------------------------


@op("TensorScatterUpdate", graphdef="T=tensor Tindices=indices", replayable=True,
    gradient_note="where indices repeat, TensorFlow gives each update its row of g")  # fmt: skip
def tensor_scatter_nd_update(tensor: T, indices: _UpdateIndices, updates: T, name: str | None = None) -> Tensor:
    """A copy of `tensor` with `updates` at the places that `indices` name: out[indices[b..., :]] = updates[b..., ...].

    Of updates at equal index vectors the last one stays. Where nothing else reads `tensor`, a run updates it in place.

    Args:
        tensor: any dtype, rank 1 or higher.
        indices: int16, uint16, int32 or int64 of shape batch + [K], with 1 <= K <= rank of `tensor` and at least one
            batch dimension; each vector of K indices lies inside tensor.shape[:K].
        updates: the dtype of `tensor`, shape batch + tensor.shape[K:].

    Returns:
        A tensor with the shape and dtype of `tensor`.

    Raises:
        TypeError: `indices` has another dtype, or `updates` not that of `tensor`.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor, indices = tf.zeros([6, 3]), tf.constant([[2], [4]])
    ...     updates = tf.constant([[1., 2., 3.], [4., 5., 6.]])
    ...     index_depth = indices.shape[-1]
    ...     batch_shape = indices.shape[:-1]
    ...     assert indices.shape.ndims >= 2 and index_depth <= tensor.shape.ndims
    ...     outer_shape = tensor.shape[:index_depth]
    ...     inner_shape = tensor.shape[index_depth:]
    ...     assert updates.shape == batch_shape + inner_shape
    ...     print(outer_shape, inner_shape, batch_shape)
    (6,) (3,) (2,)

    Scalar updates: the vectors are as long as the rank of `tensor`.

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = [0, 0, 0, 0, 0, 0, 0, 0]    # rank 1
    ...     indices = [[1], [3], [4], [7]]       # num_updates == 4, index_depth == 1
    ...     updates = [9, 10, 11, 12]            # num_updates == 4
    ...     print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())
    ...     tensor = [[1, 1], [1, 1], [1, 1]]    # rank 2
    ...     indices = [[0, 1], [2, 0]]           # num_updates == 2, index_depth == 2
    ...     updates = [5, 10]                    # num_updates == 2
    ...     print(tf.tensor_scatter_nd_update(tensor, indices, updates).eval())
    [ 0  9  0 10 11  0  0 12]
    [[ 1  5]
     [ 1  1]
     [10  1]]

    Slice updates: shorter vectors point at slices.

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = tf.zeros([6, 3], dtype=tf.int32)
    ...     indices = tf.constant([[2], [4]])
    ...     num_updates, index_depth = indices.shape.as_list()
    ...     outer_shape = tensor.shape[:index_depth]
    ...     inner_shape = tensor.shape[index_depth:]
    ...     updates = tf.constant([[1, 2, 3],
    ...                            [4, 5, 6]])
    ...     assert updates.shape == [num_updates] + inner_shape
    ...     tf.tensor_scatter_nd_update(tensor, indices, updates).eval()
    array([[0, 0, 0],
           [0, 0, 0],
           [1, 2, 3],
           [0, 0, 0],
           [4, 5, 6],
           [0, 0, 0]], dtype=int32)

    In a batch of video clips of 5 axes, whole clips (depth 1), then single frames (depth 2):

    >>> with tf.Graph().as_default(), tf.Session():
    ...     batch_size, time, width, height, channels = 13, 11, 7, 5, 3
    ...     video_batch = tf.zeros([batch_size, time, width, height, channels])
    ...     indices = [[0], [1]]
    ...     new_clips = tf.ones([2, time, width, height, channels])
    ...     clips = tf.tensor_scatter_nd_update(video_batch, indices, new_clips)
    ...     indices = [[0, 0], [1, 0], [2, 0]]  # num_updates == 3, index_depth == 2
    ...     new_images = tf.ones([
    ...         # num_updates == 3, inner_shape == (width, height, channels)
    ...         3, width, height, channels])
    ...     frames = tf.tensor_scatter_nd_update(video_batch, indices, new_images)
    ...     print(clips.shape, int(clips.eval().sum()), frames.shape, int(frames.eval().sum()))
    (13, 11, 7, 5, 3) 2310 (13, 11, 7, 5, 3) 315

    Folded indices: the batch may have several axes. An X on a matrix:

    >>> with tf.Graph().as_default(), tf.Session():
    ...     tensor = tf.zeros([5, 5])
    ...     indices = tf.constant([
    ...         [[0, 0],
    ...          [1, 1],
    ...          [2, 2],
    ...          [3, 3],
    ...          [4, 4]],
    ...         [[0, 4],
    ...          [1, 3],
    ...          [2, 2],
    ...          [3, 1],
    ...          [4, 0]],
    ...     ])
    ...     print(indices.shape.as_list())  # batch_shape == [2, 5], index_depth == 2
    ...     updates = [
    ...         [1, 1, 1, 1, 1],
    ...         [1, 1, 1, 1, 1],
    ...     ]
    ...     tf.tensor_scatter_nd_update(tensor, indices, updates).eval()
    [2, 5, 2]
    array([[1., 0., 0., 0., 1.],
           [0., 1., 0., 1., 0.],
           [0., 0., 1., 0., 0.],
           [0., 1., 0., 1., 0.],
           [1., 0., 0., 0., 1.]], dtype=float32)

    Source: TensorFlow 2.4, `tf.tensor_scatter_nd_update`.
    """


tensor_scatter_update = tensor_scatter_nd_update


@tensor_scatter_nd_update.shape
def tensor_scatter_nd_update_shape(tensor: Tensor, indices: Tensor, updates: Tensor) -> TensorShape:
    dims_at_least(tensor, 1, 0)
    dims_at_least(indices, 1, 1)
    check_static(tensor.shape, indices, updates, indices_at=1, updates_at=2)
    return tensor.shape


@tensor_scatter_nd_update.kernel
def tensor_scatter_nd_update_kernel(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
    return written(copied(xp, tensor), lambda whole: _update(xp, whole, indices, updates))


@tensor_scatter_nd_update.prepares("tensor")  # 1e5 updates of 1e7 floats: the copy is nine tenths of the work
def _update(xp: Any, tensor: Any, indices: Any, updates: Any) -> PreparedWrite | None:
    """The updates of `tensor`, which is contiguous."""
    check_update(tensor.shape, indices, updates)
    if not updates.size:
        return None
    depth = indices.shape[-1]
    flat = flat_index(xp, indices, tensor.shape[:depth], f"shape {listed(tensor.shape)}")
    return prepared_rows(xp, as_rows(tensor, depth), flat, updates.reshape((len(flat), *tensor.shape[depth:])))


@tensor_scatter_nd_update.gradient("tensor: g, 0 at the indices; updates: gather_nd(g, indices)")
def tensor_scatter_nd_update_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    _, indices, updates = op.inputs
    return [
        lambda: ops.tensor_scatter_nd_update(g, indices, ops.zeros_like(updates)),
        None,
        lambda: ops.gather_nd(g, indices),
    ]


@tensor_scatter_nd_update.samples
def tensor_scatter_nd_update_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.zeros(8, "i4"), np.array([[4], [3], [1], [7]], "i4"), np.array([9, 10, 11, 12], "i4"))
    yield sample(rng.random((4, 3)).astype("f4"), np.array([[2], [0], [2]], "i8"), rng.random((3, 3)).astype("f4"))
    yield sample(rng.random((2, 3, 2)), np.array([[[0, 1]], [[1, 2]]], "i4"), rng.random((2, 1, 2)))
    yield sample(np.array([b"a", b"b"], object), np.array([[1]], "i4"), np.array([b"c"], object))
    yield sample(np.ones((0, 2)), np.zeros((0, 1), "i4"), np.zeros((0, 2)))


# ---- scatter_nd ---------------------------------------------------------------------------------


@op("ScatterNd", graphdef="T=updates Tindices=indices", replayable=True, reads_rows="updates")
def scatter_nd(indices: _AddIndices, updates: T, shape: HostIndex, name: str | None = None) -> Tensor:
    """Zeros with `updates` added at the places that `indices` name: out[indices[b..., :]] += updates[b..., ...].

    Updates at equal index vectors are added up in the order of `indices`. Ints wrap around, strings are joined, bools
    are combined by "or".

    Args:
        indices: int32 or int64 of shape batch + [K]; each vector of K indices lies inside shape[:K].
        updates: any dtype, of shape batch + shape[K:].
        shape: the shape of the result, a vector of the dtype of `indices`.

    Returns:
        A tensor of shape `shape` with the dtype of `updates`.

    Raises:
        TypeError: `indices` and `shape` differ in dtype, or have another one.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): the shapes do not fit, a size is negative, or an index vector is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.scatter_nd([[4], [3], [1], [7], [1]], [9, 10, 11, 12, 1], [8])))
    [ 0 12  0 10  9  0  0 12]

    Source: TensorFlow 1.x, `tf.scatter_nd`.
    """


@scatter_nd.shape
def scatter_nd_shape(indices: Tensor, updates: Tensor, shape: Tensor) -> TensorShape:
    dims_at_least(indices, 1, 0)
    dims_at_least(updates, 1, 1)
    if shape.shape.ndims not in (None, 1):
        raise ShapeError(f"Shape must be rank 1 but is rank {shape.shape.ndims}", operand=2)
    target = known_shape(shape)
    check_static(target, indices, updates, indices_at=0, updates_at=1)
    return target


@scatter_nd.kernel
def scatter_nd_kernel(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    sizes = sizes_from(shape)
    check_add(sizes, indices, updates)
    out = zero_rows(xp, possible(sizes, updates.dtype.itemsize), updates.dtype)
    if updates.size:
        index = flat_index(xp, indices, sizes[: indices.shape[-1]], f"shape {listed(sizes)}")
        width = updates.size // len(index)
        if width > 1:  # `add.at` is fast over flat arrays only: 1e6 float32 in rows of 8 take 5 ms instead of 17
            index = (index[:, None].astype(np.intp) * width + xp.arange(width)).reshape(-1)
        xp.add.at(out.reshape(-1), index, updates.reshape(-1))
    return out


@scatter_nd.distributes
def scatter_nd_distributes(operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
    updates = operation.inputs[1]
    if updates.dtype.is_string:
        return Refused("it joins strings in the order of their indices")
    return labelled(_axes_added, "any" if updates.dtype is bool_ else "sum")(operation, states, name)


def _axes_added(indices: Tensor, updates: Tensor, shape: Tensor) -> Axes | None:
    rank, depth = updates.shape.ndims, indices.shape.ndims
    if rank is None or depth is None:
        return None
    batch = range(depth - 1)
    return [[*batch, None], [*batch, *[None] * (rank - depth + 1)]], [[]]


@scatter_nd.gradient("updates: gather_nd(g, indices)")
def scatter_nd_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    return [None, lambda: ops.gather_nd(g, op.inputs[0]), None]


@scatter_nd.samples
def scatter_nd_samples(rng: np.random.Generator) -> Samples:
    yield sample(
        np.array([[4], [3], [1], [4]], "i4"), np.array([9, 10, 11, 12], "i4"), np.array([8], "i4"), fixed=("shape",)
    )
    yield sample(np.array([[2], [0], [2]], "i8"), rng.random((3, 3)).astype("f4"), np.array([4, 3], "i8"))
    yield sample(np.array([[[0, 1]], [[1, 2]]], "i4"), rng.random((2, 1, 2)), np.array([2, 3, 2], "i4"))
    yield sample(np.array([[1], [1]], "i4"), np.array([b"a", b"b"], object), np.array([2], "i4"))
    yield sample(np.array([[1], [1]], "i4"), np.array([True, False]), np.array([2], "i4"))
    yield sample(np.zeros((0, 1), "i4"), np.zeros((0, 2)), np.array([3, 2], "i4"))
