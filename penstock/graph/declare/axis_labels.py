"""Rules of distribution from labels of axes: which axis of a result is cut if an axis of an operand is.

An op names the axes of its operands and results, as einsum does. Axes with one label belong together:

    matmul        [i, k], [k, j] -> [i, j]     k: "sum"
    x + bias      [0, 1], [1] -> [0, 1]
    softmax       [0, None] -> [0, None]       None: the op needs the whole axis

A cut along a label that a result has cuts the result there. A label that is not in the results is combined over, and
the shards give parts of the whole. All operands with the label have to be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeAlias

from ..building.constant_evaluation import known_entries
from ..common.quick_dataclass import dataclass
from ..model.nodes import Operation, Tensor
from ..shapes.dimension import Dim, Dimension, Symbol
from .distribution import (
    SIZES,
    WHOLE,
    Along,
    Distributed,
    How,
    Partial,
    Refused,
    Sizes,
    State,
    Whole,
)
from .parameters import operand_names

Labels: TypeAlias = Sequence[Hashable]
"""A label for each axis of a tensor; None for an axis that the op needs as a whole."""
Axes: TypeAlias = tuple[Sequence[Labels | None], Sequence[Labels | None]]
"""The labels of the inputs and those of the outputs."""


def by_labels(
    operation: Operation,
    states: Sequence[State],
    name: str,
    inputs: Sequence[Labels | None],
    outputs: Sequence[Labels | None],
    combined: How | None = None,
) -> Distributed | Refused:
    """What an op with labelled axes gives.

    Args:
        operation: the operation.
        states: the state of each of its inputs.
        name: the dimension.
        inputs: the labels of each input; None for one that the op needs as a whole.
        outputs: those of each output; None for one that is the same in every shard.
        combined: how shards are combined over a label that an output lacks.
    """
    cut = [(place, state.axis) for place, state in enumerate(states) if isinstance(state, Along)]
    if not cut:
        return without_cut(operation, states, name)
    label = common_label(operation, cut, inputs)
    if isinstance(label, Refused):
        return label
    for place, state in enumerate(states):
        if not isinstance(state, Along) and label in (inputs[place] or ()):
            axis = list(inputs[place] or ()).index(label)
            return Refused(f"{called(operation, cut[0][0])} is cut and {called(operation, place)} is not, which has "
                           f"{_size_words(operation.inputs[place], axis)} there")  # fmt: skip
    return _results(label, outputs, combined, operation, cut[0])


@dataclass(frozen=True, slots=True)
class LabelledRule:
    """A rule of distribution that follows from labels of axes; `labelled` makes it."""

    axes: Callable[..., Axes | None]
    combined: How | None

    def __call__(self, operation: Operation, states: tuple[State, ...], name: str) -> Distributed | Refused:
        found = self.axes(*operation.args)
        if found is None:
            return cut_of_unknown_rank(operation, states, name)
        inputs, outputs = found
        padded = [*inputs, *[None] * (len(states) - len(inputs))]
        return by_labels(operation, states, name, padded, outputs, self.combined)


def labelled(axes: Callable[..., Axes | None], combined: How | None = None) -> LabelledRule:
    """The rule that says how an op works on shards, from labels of the axes of its operands and results.

    Axes with the same label belong together: a shard has a part of all of them or of none. The label None is for an
    axis that the op needs as a whole.

    Args:
        axes: (bound arguments) -> the labels of each input and those of each output; None where ranks or axes are not
            known. Inputs that are left out at the end are needed as a whole.
        combined: how results of shards are combined over a label that an output lacks: "sum", "prod", "max", "min",
            "all" or "any"; None if they cannot be.

    Returns:
        A rule for `OpDef.distributes`.

    >>> import penstock as tf
    >>> from penstock.extend import WHOLE, Along, distribute, labelled
    >>> tf.matmul.distribution_rule.combined
    'sum'
    >>> outer = labelled(lambda a, b, *_: ([["rows", "n"], ["n", "columns"]], [["rows", "columns"]]), "sum")
    >>> with tf.Graph().as_default():
    ...     product = tf.matmul(tf.placeholder("float32", [4, "n"]), tf.placeholder("float32", ["n", 2])).op
    ...     print(outer(product, (Along(1), Along(0)), "n").results)
    (Partial(how='sum'),)
    """
    return LabelledRule(axes, combined)


def common_label(
    operation: Operation, cut: Sequence[tuple[int, int]], inputs: Sequence[Labels | None]
) -> Hashable | Refused:
    """The label of the axes that are cut, (input, axis) each."""
    label: Hashable = None
    for place, axis in cut:
        labels = inputs[place]
        if labels is None or labels[axis] is None:
            return needs_all(operation, place, axis)
        if label is None:
            label = labels[axis]
        if labels[axis] != label:
            return Refused(f"{called(operation, cut[0][0])} is cut along axis {cut[0][1]}, {called(operation, place)} "
                           f"along axis {axis}, and these do not belong together")  # fmt: skip
        if list(labels).count(label) > 1:
            return Refused(f"it takes the diagonal of {called(operation, place)}")
        if size_along(operation, place, axis) != size_along(operation, *cut[0]):
            return Refused(f"{called(operation, cut[0][0])} and {called(operation, place)} are not known to be cut at "
                           "the same places")  # fmt: skip
    return label


def _results(
    label: Hashable, outputs: Sequence[Labels | None], combined: How | None, operation: Operation, cut: tuple[int, int]
) -> Distributed | Refused:
    results: list[Along | Partial | Whole | Sizes] = []
    for labels in outputs:
        if labels is None:
            results.append(WHOLE)
        elif label in labels:
            results.append(Along(list(labels).index(label)))
        elif combined is not None:
            results.append(Partial(combined))
        else:
            return needs_all(operation, *cut)
    return Distributed(tuple(results))


# ---- labels of usual ops ------------------------------------------------------------------------


def elementwise(operation: Operation, states: Sequence[State], name: str) -> Distributed | Refused:
    """The rule of ops that work element by element on operands that broadcast."""
    if len(operation.inputs) == 1:
        return same_axes(operation, states, name)
    labels = broadcast_labels(operation.inputs)
    if labels is None:
        return cut_of_unknown_rank(operation, states, name)
    inputs, output = labels
    return by_labels(operation, states, name, inputs, [output] * len(operation.outputs))


def same_axes(operation: Operation, states: Sequence[State], name: str) -> Distributed | Refused:
    """The rule of ops whose outputs have the axes of their first input, and which need no other as a whole."""
    first = states[0]
    if isinstance(first, Along) and all(not isinstance(state, Along) for state in states[1:]):
        return Distributed((first,) * len(operation.outputs))
    return by_labels(operation, states, name, [None] * len(states), ())


def all_but(tensor: Tensor, *needed: int | None, outputs: int = 1) -> Axes | None:
    """The labels of ops whose outputs have the axes of one operand, and which need all of some axes: softmax, cumsum.

    Args:
        tensor: the operand.
        needed: the axes; negative ones count from the end; None for one that is not known.
        outputs: the number of outputs.
    """
    rank = tensor.shape.ndims
    axes = [axis for axis in needed if axis is not None]
    if rank is None or len(axes) < len(needed) or (axes and not rank):
        return None
    whole = {axis % rank for axis in axes}
    labels = [None if axis in whole else axis for axis in range(rank)]
    return [labels], [labels] * outputs




def broadcast_labels(tensors: Sequence[Tensor]) -> tuple[list[list[Hashable]], list[Hashable]] | None:
    """The labels of operands that broadcast as in NumPy, and of the result; None where a rank is not known.

    Axes are counted from the end. An axis of size 1 is repeated: it belongs to no other.
    """
    inputs = [broadcast_axes(each.shape.raw) for each in tensors]
    if any(each is None for each in inputs):
        return None
    known = [each for each in inputs if each is not None]
    return known, [*range(-max(map(len, known)), 0)]


def broadcast_axes(dims: Sequence[Dim] | None) -> list[Hashable] | None:
    """The labels of one operand that broadcasts."""
    return None if dims is None else [None if dim == 1 else axis - len(dims) for axis, dim in enumerate(dims)]


# ---- sizes --------------------------------------------------------------------------------------


def without_cut(operation: Operation, states: Sequence[State], name: str) -> Distributed:
    """What an op gives whose inputs are whole or computed from sizes.

    Ints that are computed from sizes are sizes; so is what is computed from them and constants. All else takes the
    whole's sizes.
    """
    others = [tensor for tensor, state in zip(operation.inputs, states, strict=True) if state is not SIZES]
    from_sizes = len(others) < len(states)
    constant = all(tensor.op.opdef.facts.is_constant for tensor in others)
    return Distributed(tuple([
        SIZES if from_sizes and (constant or out.dtype.is_integer) and may_depend_on(out, name) else WHOLE
        for out in operation.outputs
    ]))  # fmt: skip


def may_depend_on(sizes: Tensor, name: str) -> bool:
    """False if the entries of a tensor that is computed from sizes are known not to depend on a dimension."""
    entries = known_entries(sizes)
    flat = entries if isinstance(entries, tuple) else (entries,)
    return any(entry is None or not is_fixed(entry, name) for entry in flat)


def is_fixed(dim: Dim, name: str) -> bool:
    """Whether a size is known not to depend on the dimension `name`."""
    return isinstance(dim, int) or all(each.name not in (None, name) for each in symbols_of(dim))


def symbols_of(dim: Dimension) -> list[Symbol]:
    """The symbols in a size, products written out."""
    return [factor for symbol, _ in dim.terms for factor in symbol.factors()]


def is_share(dim: Dim | None, name: str) -> bool:
    """Whether a size is `name` times something that does not depend on it: a shard has its share of such a size."""
    if dim is None or isinstance(dim, int) or dim.const or len(dim.terms) != 1 or dim.terms[0][1] < 0:
        return False
    return [each.name for each in symbols_of(dim)].count(name) == 1


def size_along(operation: Operation, place: int, axis: int) -> Dim | None:
    """The static size of an axis of an input; None where the rank is not known."""
    dims = operation.inputs[place].shape.raw
    return None if dims is None else dims[axis]


def depends_on(dim: Dim, name: str) -> bool:
    """Whether a size is an expression in `name`."""
    return isinstance(dim, Dimension) and any(each.name == name for each in symbols_of(dim))


# ---- words --------------------------------------------------------------------------------------


def called(operation: Operation, place: int) -> str:
    """An input in a phrase: "`a`"."""
    return f"`{operand_names(operation.opdef.operands, operation.args)[place]}`"


def needs_all(operation: Operation, place: int, axis: int) -> Refused:
    """The op cannot work on parts of an axis."""
    return Refused(f"it needs all of axis {axis} of {called(operation, place)} at once")


def cut_of_unknown_rank(operation: Operation, states: Sequence[State], name: str) -> Distributed | Refused:
    """Refused where something is cut and the ranks or axes that decide are not known."""
    if any(isinstance(state, Along) for state in states):
        return Refused("the ranks and axes of its inputs are not known before a run")
    return without_cut(operation, states, name)


def _size_words(tensor: Tensor, axis: int) -> str:
    dims = tensor.shape.raw
    return f"size {dims[axis]}" if dims is not None else "a size"
