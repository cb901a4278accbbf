"""`gather_tree`: the paths of a beam search, read back from the ids and parents of each step."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Operand, TensorLike, bits_of
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import dims_of, listed, merge_all, require_rank, require_shapes, same_size

_Int32 = Annotated[TensorLike, Operand("T", bits_of(int32), prefer=int32)]
_Lengths = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]


@op("GatherTree", graphdef="T=step_ids", host_only=True, no_gradient="ids have none")
def gather_tree(
    step_ids: _Int32, parent_ids: _Int32, max_sequence_lengths: _Lengths, end_token: _Int32, name: str | None = None
) -> Tensor:
    """The path to each beam of the last step, from what each step chose and which beam it continued.

    A path is read backwards from step max_sequence_lengths[b] - 1. After its first `end_token`, and after that step, it
    is `end_token`.

    Args:
        step_ids: int32 of shape [time, batch, beams]: the id that each beam was continued with.
        parent_ids: int32 of the same shape: the beam of the step before that it continues.
        max_sequence_lengths: int32 of shape [batch]: how many steps count.
        end_token: an int32 scalar.

    Returns:
        An int32 tensor of the shape of `step_ids`.

    Raises:
        TypeError: an argument is not int32.
        ValueError: ranks or shapes do not fit.
        InvalidArgumentError (when run): a parent is no number of a beam.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     ids, parents = [[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]]  # 3 continues beam 1, 4 continues beam 0
    ...     paths = tf.contrib.seq2seq.gather_tree(ids, parents, [2], 9)
    ...     print(session.run(paths)[:, 0].T.tolist())
    [[2, 3], [1, 4]]

    Source: TensorFlow 1.15, `tf.contrib.seq2seq.gather_tree`.
    """


@gather_tree.shape
def gather_tree_shape(step_ids: Tensor, parent_ids: Tensor, lengths: Tensor, end_token: Tensor) -> TensorShape:
    for place, (each, rank) in enumerate(((step_ids, 3), (parent_ids, 3), (lengths, 1), (end_token, 0))):
        require_rank(each, rank, place)
    both = merge_all([step_ids.shape, parent_ids.shape])
    batch = dims_of(step_ids, 3)[1]
    if batch is not None and lengths.shape.raw is not None:
        same_size(batch, lengths.shape.raw[0], 2, 0, "There is one length for each sequence.")
    return both


@gather_tree.kernel
def gather_tree_kernel(xp: Any, step_ids: Any, parent_ids: Any, lengths: Any, end_token: Any) -> Any:
    require_shapes(step_ids=(step_ids, "tbw"), end_token=(end_token, ""))
    steps, batch, width = step_ids.shape
    if parent_ids.shape != step_ids.shape or lengths.shape != (batch,):
        raise InvalidArgumentError(message=f"step_ids has shape {listed(step_ids.shape)}, parent_ids "
                                           f"{listed(parent_ids.shape)} and max_sequence_lengths "
                                           f"{listed(lengths.shape)}; the first two must be the same, and the last one "
                                           "must be (batch,)")  # fmt: skip
    paths = np.full_like(step_ids, end_token)
    beams = np.tile(np.arange(width), (batch, 1))
    for time in range(steps - 1, -1, -1):
        counts = (time < lengths)[:, None]
        paths[time] = np.where(counts, np.take_along_axis(step_ids[time], beams, 1), end_token)
        parents = np.where(counts, np.take_along_axis(parent_ids[time], beams, 1), beams)
        if time:
            _check_parents(parents, time)
            beams = parents
    has_ended = np.logical_or.accumulate(paths == end_token, 0)
    paths[1:][has_ended[:-1]] = end_token
    return paths


def _check_parents(parents: Any, time: int) -> None:
    wrong = (parents < 0) | (parents >= parents.shape[1])
    if wrong.any():
        row, beam = np.argwhere(wrong)[0].tolist()
        place = f"(batch, time, beam) == ({row}, {time - 1}, {beam})"
        raise InvalidArgumentError(
            message=f"Saw invalid parent id {parents[row, beam]} at {place}: there are {parents.shape[1]} beams"
        )


@gather_tree.samples
def gather_tree_samples(rng: np.random.Generator) -> Samples:
    ids, parents = (rng.integers(0, most, (4, 2, 3)).astype("i4") for most in (5, 3))
    yield sample(ids, parents, np.array([4, 2], "i4"), np.array(1, "i4"))
    yield sample(np.zeros((3, 0, 2), "i4"), np.zeros((3, 0, 2), "i4"), np.zeros(0, "i4"), np.array(1, "i4"))
