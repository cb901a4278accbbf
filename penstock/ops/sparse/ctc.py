"""Connectionist temporal classification: `tf.nn.ctc_loss` and `tf.nn.ctc_greedy_decoder`."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError, UnimplementedError, UseError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Flag, Float, Operand, TensorLike, bits_of
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..create.constant_and_placeholder import convert_to_tensor
from ..declare.composite import reported_as_call
from ..declare.shape_checks import dims_of, listed, require_rank, same_size
from ..move.reshaping import expand_dims
from ..move.transpose_reverse import transpose
from .ctc_alignments import loss_and_gradient
from .sparse_parts import Places, SparseLike, as_sparse, check_ranks, ranks

PUBLIC_NAMES = {"nn": "ctc_greedy_decoder ctc_loss"}

_Int32 = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]

# ---- ctc_loss -----------------------------------------------------------------------------------


@op(
    "CTCLoss",
    graphdef=(
        "T=inputs preprocess_collapse_repeated ctc_merge_repeated ignore_longer_outputs_than_inputs ->loss,gradient"
    ),
    out=("T", "T"),
    host_only=True,
    gradient_note="its second result is the derivative of the first, and has none itself, as in TensorFlow",
)
def ctc_loss_op(
    inputs: Float, labels_indices: Places, labels_values: _Int32, sequence_length: _Int32,
    preprocess_collapse_repeated: Flag = False, ctc_merge_repeated: Flag = True,
    ignore_longer_outputs_than_inputs: Flag = False, name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The op behind `tf.nn.ctc_loss`: (losses, their derivatives by the inputs)."""


def _sizes(inputs: Tensor) -> list[Any]:
    reason = "the shape of the inputs is not known"
    return [unknown(reason, inputs) if size is None else size for size in dims_of(inputs, 3)]


@ctc_loss_op.shape
def ctc_loss_shape(
    inputs: Tensor, labels_indices: Tensor, labels_values: Tensor, sequence_length: Tensor, *flags: bool
) -> list[TensorShape]:
    for place, (each, rank) in enumerate(((inputs, 3), (labels_indices, 2), (labels_values, 1), (sequence_length, 1))):
        require_rank(each, rank, place)
    steps, batch, classes = _sizes(inputs)
    if sequence_length.shape.raw is not None:
        batch = same_size(batch, sequence_length.shape.raw[0], 3, 0, "There is one length for each sequence.")
    return [shape_of((batch,)), shape_of((steps, batch, classes))]


@ctc_loss_op.kernel
def ctc_loss_kernel(
    xp: Any, inputs: Any, labels_indices: Any, labels_values: Any, sequence_length: Any, collapse: bool,
    merge_repeated: bool, ignore_longer: bool,
) -> Any:  # fmt: skip
    _, count, classes = checked_sizes(inputs, sequence_length, "Max time or first dimension of input cannot be 0.")
    check_ranks(labels_indices=(labels_indices, 2), labels_values=(labels_values, 1))
    if labels_indices.shape[1] != 2:
        _fail(f"labels_indices must have two columns, and has shape {listed(labels_indices.shape)}")
    if len(labels_indices) != len(labels_values):
        _fail(f"labels_indices and labels_values must contain the same number of rows, but saw shapes: "
              f"{listed(labels_indices.shape)} vs. {listed(labels_values.shape)}")  # fmt: skip
    labels = [
        _labels_of(row, given, int(sequence_length[row]), classes, collapse, ignore_longer)
        for row, given in enumerate(_rows_of_labels(labels_indices, labels_values, count))
    ]
    wide = inputs.astype(np.float32) if inputs.dtype.itemsize == 2 else inputs
    losses, gradient = loss_and_gradient(wide, labels, sequence_length, merge_repeated)
    return losses.astype(inputs.dtype, copy=False), gradient.astype(inputs.dtype, copy=False)


def _fail(message: str) -> None:
    raise InvalidArgumentError(message=message)


def checked_sizes(inputs: Any, lengths: Any, where_empty: str, may_lack_classes: bool = True) -> Any:
    """Steps, sequences and classes. where_empty: what is said if there is no step."""
    if inputs.ndim != 3:
        _fail("inputs is not a 3-Tensor")
    steps, count, classes = inputs.shape
    if not steps or not (classes or may_lack_classes):
        _fail(where_empty)
    if lengths.shape != (count,):
        _fail(f"len(sequence_length) != batch_size.  len(sequence_length):  {listed(lengths.shape)} "
              f"batch_size: {count}")  # fmt: skip
    for row, length in enumerate(lengths.tolist()):
        if length < 0:
            _fail(f"seq_len({row}) < 0")
        if length > steps:
            _fail(f"sequence_length({row}) <= {steps}")
    return steps, count, classes


def _rows_of_labels(indices: Any, values: Any, count: int) -> list[Any]:
    """The labels of each sequence."""
    if len(indices):
        outside = (indices[:, 0] < 0) | (indices[:, 0] >= count) | (indices[:, 1] < 0)
        if outside.any():
            row = int(outside.argmax())
            _fail(f"label SparseTensor is not valid: indices[{row}] = {listed(indices[row].tolist())} is out of "
                  f"bounds: need 0 <= index < [{count},...]")  # fmt: skip
        keys = ranks(indices)
        wrong = keys[1:] <= keys[:-1]
        if wrong.any():
            row = int(wrong.argmax()) + 1
            words = "repeated" if keys[row] == keys[row - 1] else "out of order"
            _fail(f"label SparseTensor is not valid: indices[{row}] = {listed(indices[row].tolist())} is {words}")
    bounds = np.searchsorted(indices[:, 0], np.arange(count + 1))
    return [values[first:end] for first, end in pairwise(bounds)]


def _labels_of(row: int, labels: Any, time: int, classes: int, collapse: bool, ignore_longer: bool) -> Any:
    """The labels of a sequence up to the first null label; None if it is skipped because they need too many steps."""
    if not len(labels):
        _fail(f"Labels length is zero in batch {row}")
    if (labels < 0).any():
        _fail(f"All labels must be nonnegative integers, batch: {row} labels: {','.join(map(str, labels.tolist()))}")
    is_null = labels >= classes - 1
    count = int(is_null.argmax()) if is_null.any() else len(labels)
    if not is_null[count:].all():
        _fail("Saw a non-null label (index >= num_classes - 1) following a null label, batch: "
              f"{row} num_classes: {classes} labels: {','.join(map(str, labels.tolist()))}")  # fmt: skip
    kept = labels[:count]
    if collapse and len(kept):
        kept = kept[np.concatenate([[True], kept[1:] != kept[:-1]])]
    if len(labels) > time:  # TensorFlow counts null labels and those that collapse, too
        if ignore_longer:
            return None
        _fail(f"Not enough time for target transition sequence (required: {len(labels)}, available: {time}) in "
              f"sequence {row}. With ignore_longer_outputs_than_inputs=True such sequences have no loss")  # fmt: skip
    return kept


@ctc_loss_op.gradient("inputs: g * gradient")
def ctc_loss_gradient(ops: Any, op: Operation, g: Tensor | None, of_gradient: Tensor | None) -> list[Any]:
    if of_gradient is not None:
        raise UnimplementedError(
            message="ctc_loss has no second derivative, as in TensorFlow: the gradient of its gradient is not defined"
        )
    if g is None:
        return [None] * 4
    return [lambda: expand_dims(expand_dims(g, 0), 2) * op.outputs[1], None, None, None]


@ctc_loss_op.samples
def ctc_loss_samples(rng: np.random.Generator) -> Samples:
    places, lengths = np.array([[0, 0], [0, 1], [1, 0]], "i8"), np.array([4, 3], "i4")
    for dtype in ("f4", "f8"):
        logits = rng.standard_normal((4, 2, 4)).astype(dtype)
        yield sample(logits, places, np.array([1, 1, 2], "i4"), lengths)
        yield sample(logits, places, np.array([1, 1, 2], "i4"), lengths, True, False)
    yield sample(np.zeros((2, 0, 3), "f4"), np.zeros((0, 2), "i8"), np.zeros(0, "i4"), np.zeros(0, "i4"))


@reported_as_call()
def ctc_loss(
    labels: SparseLike, inputs: TensorLike | None = None, sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True, logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The CTC losses of sequences: minus the logarithm of the probability of their labels, over all alignments.

    The last class is the blank.

    Args:
        labels: a `SparseTensor` of int32: labels[b, i] is the i-th label of sequence b.
        inputs: logits, floats of shape (time, batch, classes).
        sequence_length: an int32 vector: the number of time steps of each sequence.
        preprocess_collapse_repeated: whether equal labels that follow each other are made one first.
        ctc_merge_repeated: whether equal classes that follow each other on a path are one label.
        ignore_longer_outputs_than_inputs: sequences with more labels than time steps have the loss 0; otherwise they
            are an error.
        time_major: False if the logits have shape (batch, time, classes).
        logits: another name of `inputs`.

    Returns:
        A float32 vector with a loss for each sequence; inf where no alignment is possible.

    Raises:
        TypeError: `labels` is no sparse tensor of int32, or an argument is missing.
        ValueError: ranks do not fit.
        InvalidArgumentError (when run): a label or a length is out of range, or a sequence has no labels.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     labels = tf.SparseTensor([[0, 0]], [1], [1, 1])
    ...     print(session.run(tf.nn.ctc_loss(labels, tf.zeros([1, 1, 3]), [1])).round(3))
    [1.099]

    Source: TensorFlow 1.15, `tf.nn.ctc_loss`.
    """
    scores = inputs if logits is None else logits
    if scores is None or sequence_length is None or (inputs is not None and logits is not None):
        raise UseError("ctc_loss: write ctc_loss(labels, inputs, sequence_length); logits is another name of inputs")
    s, tensor = as_sparse(labels, "labels"), convert_to_tensor(scores)
    if not time_major:
        tensor = transpose(tensor, [1, 0, 2])
    losses, _ = ctc_loss_op(
        tensor, s.indices, s.values, sequence_length, preprocess_collapse_repeated, ctc_merge_repeated,
        ignore_longer_outputs_than_inputs, name=name,
    )  # fmt: skip
    return losses


# ---- ctc_greedy_decoder -------------------------------------------------------------------------


@op("CTCGreedyDecoder",
    graphdef="T=inputs merge_repeated ->decoded_indices,decoded_values,decoded_shape,log_probability",
    out=(int64, int64, int64, "T"), host_only=True,
    ranks={"inputs": 3, "sequence_length": 1}, no_gradient="as in TensorFlow, decoding has none")  # fmt: skip
def ctc_greedy_decoder_op(
    inputs: Float, sequence_length: _Int32, merge_repeated: Flag = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The op behind `tf.nn.ctc_greedy_decoder`: (indices, values, dense shape, minus the largest logits)."""


@ctc_greedy_decoder_op.shape
def ctc_greedy_decoder_shape(inputs: Tensor, sequence_length: Tensor, merge_repeated: bool) -> list[TensorShape]:
    count = unknown("only the run knows how many labels are decoded", inputs)
    batch = _sizes(inputs)[1]
    if sequence_length.shape.raw is not None:
        batch = same_size(batch, sequence_length.shape.raw[0], 1, 0, "There is one length for each sequence.")
    return [shape_of((count, 2)), shape_of((count,)), shape_of((2,)), shape_of((batch, 1))]


@ctc_greedy_decoder_op.kernel
def ctc_greedy_decoder_kernel(xp: Any, inputs: Any, sequence_length: Any, merge_repeated: bool) -> Any:
    steps, count, classes = checked_sizes(inputs, sequence_length, "max_time is 0")
    best = inputs.argmax(2) if classes else np.zeros((steps, count), np.int64)
    is_inside = np.arange(steps)[:, None] < sequence_length
    most = np.where(is_inside, np.take_along_axis(inputs, best[:, :, None], 2)[:, :, 0], 0)
    keep = is_inside & (best != classes - 1)
    if merge_repeated:
        keep[1:] &= best[1:] != best[:-1]
    rows, times = np.nonzero(keep.T)
    counts = keep.sum(0)
    starts = np.cumsum(counts) - counts
    columns = np.arange(len(rows)) - np.repeat(starts, counts)
    indices = np.stack([rows, columns], 1).astype(np.int64)
    shape = np.array([count, counts.max(initial=0)], np.int64)
    total = -most.sum(0, dtype=np.float64).astype(inputs.dtype).reshape(count, 1)
    return indices, best[times, rows].astype(np.int64), shape, total


@ctc_greedy_decoder_op.samples
def ctc_greedy_decoder_samples(rng: np.random.Generator) -> Samples:
    for merge in (True, False):
        yield sample(rng.standard_normal((5, 2, 3)).astype("f4"), np.array([5, 3], "i4"), merge)
    yield sample(np.zeros((2, 0, 3), "f4"), np.zeros(0, "i4"))


@reported_as_call()
def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True, name: str | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the most probable path: the largest logit of each time step, without blanks.

    Args:
        inputs: logits, floats of shape (time, batch, classes); the last class is the blank.
        sequence_length: an int32 vector: the number of time steps of each sequence.
        merge_repeated: whether equal classes that follow each other are one label.

    Returns:
        ([sparse tensor], sums): an int64 `SparseTensor` of shape (batch, most labels), and of shape (batch, 1) minus
        the sum of the largest logits.

    Raises:
        ValueError: ranks do not fit.
        InvalidArgumentError (when run): a length is out of range.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     logits = [[[5.0, 0.0, 0.0]], [[5.0, 0.0, 0.0]], [[0.0, 5.0, 0.0]]]
    ...     decoded, total = tf.nn.ctc_greedy_decoder(logits, [3])
    ...     print(session.run(decoded[0]).values, session.run(total))
    [0 1] [[-15.]]

    Source: TensorFlow 1.15, `tf.nn.ctc_greedy_decoder`.
    """
    *parts, total = ctc_greedy_decoder_op(inputs, sequence_length, merge_repeated, name=name)
    return [SparseTensor(*parts)], total
