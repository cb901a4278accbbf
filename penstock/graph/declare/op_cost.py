"""The cost of one use of an op: how many operations it computes, how many bytes it reads and writes.

Counts of operations follow from what the op declares and from shapes, and are the same on every machine:

- an elementwise op counts 1 for each element of its result, or the number it declares (`flops=` of `op`);
- a reduction counts 1 for each element that it combines;
- an op with a rule (`@matmul.flops`) counts what the rule says of the operands' shapes: 2*m*n*k for a product;
- everything else moves data and counts nothing.

An operation is an addition, a product, a comparison, a quotient, a root. A function that no processor has as one
instruction (exp, log, sin ...) counts `TRANSCENDENTAL`.

Bytes are those of the operands and results, each once. A view moves none, an op that reads shapes alone neither, and an
op that picks (`gather`) reads as many bytes of its data as it gives. A string counts as the 8 bytes of its reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from ..common.quick_dataclass import dataclass
from ..shapes.dimension import Dim, Symbol
from ..shapes.dtypes import DType
from .op_declaration import OpDef

TRANSCENDENTAL = 20
"""Operations of exp, log, sin and their kind: a polynomial of about 8 terms at 2 each, and 4 to reduce the argument."""


@dataclass(frozen=True, slots=True)
class OfResult:
    """A rule for `flops` that gets the shape of the result before the arguments.

    Attributes:
        rule: the function.
    """

    rule: Callable[..., int]

    def __call__(self, result: tuple[int, ...], *args: Any) -> int:
        return self.rule(result, *args)


Sizes = Mapping[Symbol, int]
Known: TypeAlias = tuple[int, ...] | None
"""A shape of which every size is known, or None."""

Typed: TypeAlias = tuple[DType, Known]
"""The dtype and the shape of a value."""


def sized(dims: Sequence[Dim] | None, sizes: Sizes) -> Known:
    """The shape with the sizes of its symbols put in; None where one has no size.

    Raises:
        ValueError: a dimension such as n-3 would be below zero.
    """
    if dims is None:
        return None
    found: list[int] = []
    for dim in dims:
        size = dim if isinstance(dim, int) else dim.at(sizes)
        if size is None:
            return None
        if size < 0:
            named = ", ".join(f"{s}={sizes[s]}" for s, _ in getattr(dim, "terms", ()))
            raise ValueError(f"the dimension {dim} would be {size} with {named}; a dimension must be >= 0")
        found.append(size)
    return tuple(found)


def bytes_of(dtype: DType, shape: Known) -> int | None:
    """The bytes of an array; None where its shape is not known."""
    return None if shape is None else dtype.size * prod(shape)


def cost_of_use(
    opdef: OpDef[Any, Any], args: Sequence[Any], inputs: Mapping[Any, Typed], outputs: Sequence[Typed]
) -> tuple[int | None, int | None, int | None]:
    """Operations, bytes read and bytes written of one use of `opdef`; None where a size that matters is not known.

    Args:
        opdef: the op.
        args: in the order of the signature, with keys of `inputs` (tensors, slots of a plan) where operands are.
        inputs: what is known of each operand.
        outputs: what is known of each result.
    """
    sizes = [bytes_of(dtype, shape) for dtype, shape in outputs]
    written = None if None in sizes else sum(size for size in sizes if size is not None)
    written = 0 if opdef.facts.sharing.is_view else written
    shapes = list(args)
    operands: dict[Any, tuple[DType, Known, bool]] = {}
    for position, _, operand in opdef.operands:
        arg = args[position]
        if arg is None:
            continue
        for each in arg if operand.many else (arg,):
            operands.setdefault(each, (*inputs[each], _is_data(opdef, operand.var)))
        shapes[position] = tuple([inputs[each][1] for each in arg]) if operand.many else inputs[arg][1]
    flops = flops_of(opdef, shapes, [shape for _, shape in outputs])
    return flops, traffic_of(opdef, list(operands.values()), written), written


def flops_of(opdef: OpDef[Any, Any], args: Sequence[Any], outputs: Sequence[Known]) -> int | None:
    """Operations of one use of `opdef`.

    Args:
        opdef: the op.
        args: in the order of the signature, with a shape (a tuple of shapes) for each operand.
        outputs: the shapes of the results.

    Returns:
        The number, or None where a size that matters is not known.
    """
    if opdef.flops_rule is not None:
        if any(shape is None for shape in _shapes(opdef, args)):
            return None
        if not isinstance(opdef.flops_rule, OfResult):
            return int(opdef.flops_rule(*args))
        return None if outputs[0] is None else opdef.flops_rule(outputs[0], *args)
    if opdef.reduction is not None:
        shape = args[opdef.operands[0][0]]
        return None if shape is None else prod(shape)
    each = opdef.facts.flops
    if each == 0:
        return 0
    return None if None in outputs else each * sum(prod(shape) for shape in outputs if shape is not None)


def traffic_of(
    opdef: OpDef[Any, Any], operands: Sequence[tuple[DType, Known, bool]], written: int | None
) -> int | None:
    """Bytes read by one use of `opdef`, None where not known.

    Args:
        opdef: the op.
        operands: (dtype, shape, is it data that the op may pick from?), each tensor once.
        written: the bytes of the results.
    """
    if opdef.facts.sharing.is_view or opdef.facts.reads_shape_only:
        return 0
    data = other = 0
    for dtype, shape, is_data in operands:
        size = bytes_of(dtype, shape)
        if opdef.facts.picks and is_data:
            if written is None:
                return None
            data += written if size is None else size
        elif size is None:
            return None
        else:
            other += size
    return other + (data if written is None else min(data, written))


def _is_data(opdef: OpDef[Any, Any], var: str | None) -> bool:
    """Whether an operand has the dtype of the result: it holds data that is moved, not indices."""
    return isinstance(opdef.out, str) and var == opdef.out


def _shapes(opdef: OpDef[Any, Any], args: Sequence[Any]) -> list[Known]:
    """The operands' shapes; operands that are not given or are read as plain numbers on the host do not matter."""
    found: list[Known] = []
    for position, _, operand in opdef.operands:
        arg = args[position]
        if operand.host or (operand.optional and arg is None):
            continue
        found.extend(arg if operand.many else (arg,))
    return found
