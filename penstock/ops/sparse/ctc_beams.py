"""Connectionist temporal classification: `tf.nn.ctc_beam_search_decoder`."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import Attr, Flag, Float, Operand, TensorLike, at_least, bits_of, output_count
from ...graph.model.nodes import Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import int32, int64
from ...graph.shapes.shape import TensorShape, shape_of
from ..declare.composite import reported_as_call
from ..declare.shape_checks import dims_of, same_size
from .ctc import checked_sizes
from .ctc_beam_search import best_paths

PUBLIC_NAMES = {"nn": "ctc_beam_search_decoder ctc_beam_search_decoder_v2"}

_Int32 = Annotated[TensorLike, Operand(None, bits_of(int32), prefer=int32)]
_Width = Annotated[int, Attr(at_least(1))]
_Paths = Annotated[int, Attr(output_count(1))]


def _dtypes(inputs: Tensor, sequence_length: Any, beam_width: int, top_paths: int, merge_repeated: bool) -> Any:
    return (*(int64,) * (3 * top_paths), inputs.dtype)


@op("CTCBeamSearchDecoder", graphdef="T=inputs beam_width top_paths merge_repeated", out=_dtypes, host_only=True,
    ranks={"inputs": 3, "sequence_length": 1}, no_gradient="as in TensorFlow, decoding has none")  # fmt: skip
def ctc_beam_search_decoder_op(
    inputs: Float, sequence_length: _Int32, beam_width: _Width, top_paths: _Paths, merge_repeated: Flag = True,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """The op behind `tf.nn.ctc_beam_search_decoder`: all indices, all values, all dense shapes, the scores."""


@ctc_beam_search_decoder_op.shape
def ctc_beam_search_decoder_shape(
    inputs: Tensor, sequence_length: Tensor, beam_width: int, top_paths: int, merge_repeated: bool
) -> list[TensorShape]:
    batch = dims_of(inputs, 3)[1]
    if batch is None:
        batch = unknown("the shape of the inputs is not known", inputs)
    if sequence_length.shape.raw is not None:
        batch = same_size(batch, sequence_length.shape.raw[0], 1, 0, "There is one length for each sequence.")
    counts = [unknown("only the run knows how many labels are decoded", inputs) for _ in range(top_paths)]
    return [
        *(shape_of((count, 2)) for count in counts),
        *(shape_of((count,)) for count in counts),
        *(shape_of((2,)) for _ in counts),
        shape_of((batch, top_paths)),
    ]


@ctc_beam_search_decoder_op.kernel
def ctc_beam_search_decoder_kernel(
    xp: Any, inputs: Any, sequence_length: Any, beam_width: int, top_paths: int, merge_repeated: bool
) -> Any:
    words = f"inputs must not be empty, and has shape {inputs.shape}"
    _, batch, _ = checked_sizes(inputs, sequence_length, words, may_lack_classes=False)
    if top_paths > beam_width:
        raise InvalidArgumentError(message=f"requested more paths than the beam width: {top_paths} > {beam_width}")
    paths = [
        best_paths(inputs[:length, row], beam_width, top_paths, merge_repeated)
        for row, length in enumerate(sequence_length.tolist())
    ]
    for row, best in enumerate(paths):
        if len(best) < top_paths:
            few = f"sequence {row} of length {sequence_length[row]} has {len(best)}, not {top_paths}"
            raise InvalidArgumentError(message=f"Less leaves in the beam search than requested: {few}")
    scores = np.array([[score for _, score in best] for best in paths], inputs.dtype).reshape(batch, top_paths)
    parts = [_as_sparse([best[i][0] for best in paths]) for i in range(top_paths)]
    return [*(part[kind] for kind in range(3) for part in parts), scores]


def _as_sparse(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    """Lists of labels as the parts of a sparse tensor."""
    places = [(row, column) for row, labels in enumerate(rows) for column in range(len(labels))]
    indices = np.array(places, np.int64).reshape(-1, 2)
    values = np.array([label for labels in rows for label in labels], np.int64)
    return indices, values, np.array([len(rows), max(map(len, rows), default=0)], np.int64)


@ctc_beam_search_decoder_op.samples
def ctc_beam_search_decoder_samples(rng: np.random.Generator) -> Samples:
    lengths = np.array([5, 3], "i4")
    for width, paths, merge in ((10, 1, True), (4, 3, False)):
        yield sample(rng.standard_normal((5, 2, 3)).astype("f4"), lengths, width, paths, merge)
    yield sample(rng.standard_normal((5, 2, 4)), lengths, 1, 1)
    yield sample(np.zeros((2, 0, 3), "f4"), np.zeros(0, "i4"), 3, 2)


@reported_as_call()
def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1,
    merge_repeated: bool = True, name: str | None = None,
) -> tuple[list[SparseTensor], Tensor]:  # fmt: skip
    """The most probable label sequences, summed over their alignments, as far as a beam of `beam_width` finds them.

    Args:
        inputs: logits, floats of shape (time, batch, classes); the last class is the blank.
        sequence_length: an int32 vector: the number of time steps of each sequence.
        beam_width: how many label sequences are kept after each time step, at least 1.
        top_paths: how many label sequences are returned, between 1 and `beam_width`.
        merge_repeated: whether equal labels that follow each other in a result are made one. It merges labels with a
            blank between them, too: (a, blank, a) gives a. Write False for the sequences themselves.

    Returns:
        (a list of `top_paths` int64 `SparseTensor`s of shape (batch, most labels), the most probable first;
        logarithms of the probabilities, of shape (batch, top_paths)).

    Raises:
        ValueError: ranks do not fit, or `beam_width` or `top_paths` is less than 1.
        InvalidArgumentError (when run): a length is out of range, or there are less than `top_paths` sequences.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     logits = tf.log([[[0.3, 0.7]], [[0.4, 0.6]]])  # the best single path is all blank: .7 * .6 = .42
    ...     decoded, scores = tf.nn.ctc_beam_search_decoder(logits, [2], top_paths=2)
    ...     print(session.run(decoded[0]).values, session.run(tf.exp(scores)).round(2))
    [0] [[0.58 0.42]]

    Source: TensorFlow 1.15, `tf.nn.ctc_beam_search_decoder`.
    """
    *parts, scores = ctc_beam_search_decoder_op(
        inputs, sequence_length, beam_width, top_paths, merge_repeated, name=name
    )
    return [SparseTensor(*parts[path::top_paths]) for path in range(top_paths)], scores


@reported_as_call()
def ctc_beam_search_decoder_v2(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1, name: str | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """`ctc_beam_search_decoder` without merging: the label sequences themselves.

    Args:
        inputs: logits, floats of shape (time, batch, classes); the last class is the blank.
        sequence_length: an int32 vector: the number of time steps of each sequence.
        beam_width: how many label sequences are kept after each time step, at least 1.
        top_paths: how many label sequences are returned, between 1 and `beam_width`.

    Returns:
        (a list of `top_paths` int64 `SparseTensor`s of shape (batch, most labels), the most probable first;
        logarithms of the probabilities, of shape (batch, top_paths)).

    Raises:
        ValueError: ranks do not fit, or `beam_width` or `top_paths` is less than 1.
        InvalidArgumentError (when run): a length is out of range, or there are less than `top_paths` sequences.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     logits = [[[5.0, 0.0, 0.0]], [[0.0, 0.0, 5.0]], [[5.0, 0.0, 0.0]]]
    ...     decoded, _ = tf.nn.ctc_beam_search_decoder_v2(logits, [3])
    ...     print(session.run(decoded[0]).values)
    [0 0]

    Source: TensorFlow 1.15, `tf.nn.ctc_beam_search_decoder_v2`.
    """
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False, name)
