"""Logits of the true classes and of some sampled ones, and the losses of them: what `nce_loss` and
`sampled_softmax_loss` compute. Functions that check and order arguments are in `sampled_losses` and `compat`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import DTypeError, ValueRuleError
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.signature import TensorLike
from ...graph.model.nodes import Tensor
from ...graph.shapes.dtypes import int32, int64
from ...graph.shapes.shape import merge_shapes
from ..control.control import stop_gradient
from ..create.constant_and_placeholder import convert_to_tensor
from ..create.creation import fill, ones_like, zeros_like
from ..create.shape_size_rank import shape as shape_op
from ..create.shape_size_rank import size as size_op
from ..elementwise.arithmetic import add, multiply, subtract, truediv
from ..elementwise.casting import cast
from ..elementwise.transcendental import log
from ..index.scatter import tensor_scatter_update
from ..linalg.matmul import matmul
from ..move.concat_stack import concat, pack
from ..move.reshaping import expand_dims, reshape
from ..nn.cross_entropies import sigmoid_entropy, softmax_entropy
from ..nn.embedding import Tables, embedding_lookup
from ..reduce.reductions import reduce_sum
from .candidate_samplers import compute_accidental_hits, log_uniform_candidate_sampler


@dataclass(frozen=True, slots=True)
class SampledClasses:
    """The arguments that both losses share; see `nce_loss`."""

    weights: Tables
    biases: Tables
    labels: TensorLike
    inputs: TensorLike
    num_sampled: int
    num_classes: int
    num_true: int
    sampled_values: Sequence[TensorLike] | None
    remove_accidental_hits: bool
    partition_strategy: str
    seed: int | None = None


def nce_losses(given: SampledClasses) -> Tensor:
    """For each example the sum of the sigmoid cross entropies of its true classes and of the sampled ones."""
    logits, labels = _logits_and_labels(given)
    return reduce_sum(sigmoid_entropy(logits, labels, "sampled_losses"), [1])


def softmax_losses(given: SampledClasses) -> Tensor:
    """For each example the softmax cross entropy over its true classes and the sampled ones."""
    logits, labels = _logits_and_labels(given)
    return softmax_entropy(logits, stop_gradient(labels, name="labels_stop_gradient"), None, "sampled_losses")


def _logits_and_labels(classes: SampledClasses) -> tuple[Tensor, Tensor]:
    """Matrices with a row for each example: columns of its true classes, then those of the sampled ones."""
    labels, inputs = _labels(classes.labels), convert_to_tensor(classes.inputs)
    if not inputs.dtype.is_floating:
        raise DTypeError(f"inputs must be floats, not {inputs.dtype}, and labels numbers of classes. "
                         "TensorFlow 0.x has the order (weights, biases, inputs, labels, ...), 1.x (weights, biases, "
                         "labels, inputs, ...); write labels=..., inputs=...")  # fmt: skip
    sampled, true_counts, counts = _sampled_values(classes, labels)
    flat = reshape(labels, [-1])
    ids = concat(0, [flat, sampled])
    rows, biases = [
        _like(embedding_lookup(tables, ids, classes.partition_strategy), inputs)
        for tables in (classes.weights, classes.biases)
    ]
    count = size_op(flat)
    true_logits = _true_logits(inputs, rows[:count], biases[:count], classes.num_true, labels)
    sampled_logits = add(matmul(inputs, rows[count:], transpose_b=True), biases[count:])
    if classes.remove_accidental_hits:
        hits = _hits(labels, sampled, classes.num_true, sampled_logits)
        sampled_logits = add(sampled_logits, hits)
    true_logits = subtract(true_logits, log(_like(true_counts, inputs)))
    sampled_logits = subtract(sampled_logits, log(_like(counts, inputs)))
    targets = truediv(ones_like(true_logits), float(classes.num_true))  # they sum to 1
    return concat(1, [true_logits, sampled_logits]), concat(1, [targets, zeros_like(sampled_logits)])


def _labels(value: TensorLike) -> Tensor:
    labels = convert_to_tensor(value)
    if labels.dtype.is_floating:
        raise DTypeError(f"labels must be the numbers of classes, ints (batch, num_true), not {labels.dtype}. "
                         "TensorFlow 0.x has the order (weights, biases, inputs, labels, ...), 1.x (weights, biases, "
                         "labels, inputs, ...); write labels=..., inputs=...")  # fmt: skip
    return labels if labels.dtype is int64 else cast(labels, int64)


def _sampled_values(given: SampledClasses, labels: Tensor) -> list[Tensor]:
    values: Any = given.sampled_values
    if values is None:
        values = log_uniform_candidate_sampler(
            labels, given.num_true, given.num_sampled, True, given.num_classes, seed=given.seed
        )
    if not isinstance(values, (list, tuple)) or len(values) != 3:
        raise ValueRuleError("sampled_values must be the three tensors (sampled_candidates, true_expected_count, "
                             "sampled_expected_count) that a candidate sampler gives")  # fmt: skip
    sampled, *counts = [stop_gradient(each) for each in values]
    return [sampled if sampled.dtype is int64 else cast(sampled, int64), *counts]


def _true_logits(inputs: Tensor, rows: Tensor, biases: Tensor, num_true: int, labels: Tensor) -> Tensor:
    """inputs[i] . rows[i * num_true + j] + biases[i * num_true + j], of shape (batch, num_true)."""
    width = rows.shape.with_rank(2)[1].value
    shape = [-1, num_true, shape_op(rows)[1] if width is None else width]
    dots = reduce_sum(multiply(expand_dims(inputs, 1), reshape(rows, pack(shape) if width is None else shape)), [2])
    logits = add(dots, reshape(biases, [-1, num_true]))
    if labels.shape.ndims == 2:
        logits.set_shape(merge_shapes(logits.shape, labels.shape))
    return logits


def _hits(labels: Tensor, sampled: Tensor, num_true: int, logits: Tensor) -> Tensor:
    """The lowest number where a sampled class is a true one of the example, else 0."""
    examples, places, weights = compute_accidental_hits(labels, sampled, num_true)
    columns = [expand_dims(examples, 1), expand_dims(cast(places, int32), 1)]
    nothing = fill(shape_op(logits), convert_to_tensor(0.0, logits.dtype))
    return tensor_scatter_update(nothing, concat(1, columns), _like(weights, logits))


def _like(x: Tensor, other: Tensor) -> Tensor:
    return x if x.dtype is other.dtype else cast(x, other.dtype)
