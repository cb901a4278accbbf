"""The gradient of `einsum`: again sums of products, of the gradient and the other operand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from ...graph.model.nodes import Tensor

_DOTS = "..."


def gradient_of_operand(
    ops: Any, inputs: Sequence[Tensor], terms: Sequence[str], result: str, place: int, g: Tensor
) -> Tensor:
    """The gradient of operand number `place` of einsum("terms -> result").

    It is the sum of products of `g` and the other operand over the labels that this one has not. A label that only this
    operand has was summed: its gradient repeats. A label that it has twice took a diagonal: its gradient has only that.
    """
    if _DOTS not in result:  # then the ellipses of the operands have no dimensions
        terms = [term.replace(_DOTS, "") for term in terms]
    term = terms[place]
    others = [(inputs[i], terms[i]) for i in range(len(terms)) if i != place]
    around = set(result).union(*[set(other) for _, other in others])
    counts = Counter(term.replace(_DOTS, ""))
    kept = [label for label in counts if label in around]
    dots = _DOTS if _DOTS in result else ""
    left = ",".join([result, *[other for _, other in others]])
    value = ops.einsum(f"{left}->{dots}{''.join(kept)}", g, *[ops.conj(other) for other, _ in others])
    before, _, after = term.partition(_DOTS) if _DOTS in term else (term, "", "")
    shape, rank = ops.shape(inputs[place]), ops.rank(inputs[place])
    value, labels = _completed(ops, value, dots, kept, before + after, _Sizes(shape, rank, len(before), len(after)))
    if dots and _DOTS not in term:
        return ops.reduce_sum(value, ops.range(0, ops.rank(value) - len(labels)))
    if not dots:
        return value
    inner = ops.concat(0, [shape[len(before) : rank - len(after)], shape[: len(before)], shape[rank - len(after) :]])
    repeated, _ = ops.broadcast_gradient_args(inner, ops.shape(value))
    summed = ops.reshape(ops.reduce_sum(value, repeated), inner)
    names = ascii_letters[: len(labels)]
    order = f"{names[: len(before)]}{_DOTS}{names[len(before) :]}"
    return ops.einsum(f"{_DOTS}{names}->{order}", summed)


class _Sizes:
    """The sizes of the labelled dimensions of an operand, which may have an ellipsis among them."""

    def __init__(self, shape: Tensor, rank: Tensor, before: int, after: int) -> None:
        self._shape, self._rank, self._before, self._after = shape, rank, before, after

    def of(self, number: int) -> Any:
        """The size of label number `number`."""
        if number < self._before:
            return self._shape[number]
        return self._shape[self._rank - (self._before + self._after - number)]


def _completed(
    ops: Any, value: Tensor, dots: str, kept: Sequence[str], wanted: str, sizes: _Sizes
) -> tuple[Tensor, str]:
    """`value`, whose labels are `kept`, with a dimension for each label of `wanted`, in its order."""
    names = dict(zip(kept, kept, strict=True))  # label -> its name in `value`
    free = (letter for letter in ascii_letters if letter not in wanted)
    have, labels = list(kept), ""
    for number, label in enumerate(wanted):
        if label not in names:  # only this operand has it
            ones = ops.fill([sizes.of(number)], ops.constant(1, value.dtype))
            value = ops.einsum(f"{dots}{''.join(have)},{label}->{dots}{''.join(have)}{label}", value, ones)
            have.append(label)
            names[label] = label
        elif label in labels:  # a second time: the diagonal of two dimensions
            twin = next(free)
            eye = ops.eye(sizes.of(number), dtype=value.dtype)
            value = ops.einsum(f"{dots}{''.join(have)},{label}{twin}->{dots}{''.join(have)}{twin}", value, eye)
            have.append(twin)
            labels += twin
            continue
        labels += label
    if "".join(have) != labels:
        value = ops.einsum(f"{dots}{''.join(have)}->{dots}{labels}", value)
    return value, labels
