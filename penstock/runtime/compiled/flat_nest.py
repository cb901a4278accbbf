"""The nest of a group that has no reductions, or only at its end: a value for each element, then the reductions.

    for i, j
    %0 = x0[i, j]  float32
    %1 = x1[i]  float32
    %2 = multiply(%0, %1)  float32
    %3 = reduce add over j: %2  float32
    y0[i, j] = %2
    y1[i] = %3

A row is the innermost dimension, or with reductions all dimensions that are reduced. Values are numbered as in the
scalar program of the elements, whose inputs are the loads. What makes a result of a total, such as the division of a
mean, is left to the launch, because a long row is reduced in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS
from ..ir.fused_ir import Body, Value
from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, Node, RowReduction, Store
from ..ir.scalar_ir import CannotLower, Literal, Scalar, ScalarStep, lower
from ..ir.strides import ShapedPattern
from ..numpy.writers import TailReduction, tail_of


@dataclass(frozen=True, slots=True)
class GroupParts:
    """The parts of a body.

    Attributes:
        made: the elementwise values that are results.
        tails: the reductions.
    """

    made: tuple[int, ...]
    tails: tuple[TailReduction, ...]

    @property
    def wanted(self) -> tuple[int, ...]:
        """The outputs of the elementwise part, in the order of the scalar program."""
        return (*self.made, *[t.operand for t in self.tails])


def parts_of(body: Body) -> GroupParts:
    """The two parts of a body.

    Raises:
        CannotLower: the body has no results, or reduces a value that no elementwise op of it computes.
    """
    first = len(body.inputs)
    ends = [i for i, n in enumerate(body.instructions) if OPS[n.op].reduction is not None]
    tails = tuple([t for t in (tail_of(body, i, body.instructions[i]) for i in ends) if t is not None])
    reduced = {t.value for t in tails}
    made = dict.fromkeys([int(o) for o in body.outputs if o >= first and o not in reduced])
    if not made and not tails:
        raise CannotLower("it computes nothing")
    if any(t.operand < first or t.operand in reduced for t in tails):
        raise CannotLower("a reduction reads a value that no elementwise op of the group computes")
    return GroupParts(tuple(made), tails)


def flat_nest(body: Body, parts: GroupParts) -> Nest:
    """The nest of a body whose inputs all have a number for each element.

    Raises:
        CannotLower: an op has no scalar form.
    """
    results = [(v, body.dtype_of(v)) for v in parts.made]
    ends = [(t.operand, t.rule.wide(body.dtype_of(t.operand))) for t in parts.tails]
    program = lower(body, results + ends, zeros_are_found=True)
    return nest_of_program(program, [t.rule.ufunc.__name__ for t in parts.tails])


def nest_of_program(program: Scalar, ufuncs: Sequence[str] = ()) -> Nest:
    """The nest that computes a program for each element, and reduces its last outputs by these functions of NumPy's.

    Raises:
        CannotLower: it reduces a constant.
    """
    made = len(program.outputs) - len(ufuncs)
    nodes: list[Node] = [Load(k, ROW + ELEMENT, dtype) for k, dtype in enumerate(program.inputs)]
    nodes += program.steps
    stores = [Store(k, ROW + ELEMENT, o) for k, o in enumerate(program.outputs[:made])]
    for ufunc, operand in zip(ufuncs, program.outputs[made:], strict=True):
        if isinstance(operand, Literal):
            raise CannotLower("it reduces a constant")
        nodes.append(RowReduction(ufunc, operand, ELEMENT, program.dtype_of(operand)))
        stores.append(Store(len(stores), ROW, Value(len(nodes) - 1)))
    return Nest(tuple(nodes), tuple(stores))


def for_pattern(nest: Nest, pattern: ShapedPattern) -> Nest:
    """The nest for inputs of which some hold one number for a whole row.

    Raises:
        CannotLower: it reduces a value that is the same for a whole row.
    """
    loads = [replace(node, axes=ROW) if one else node for node, one in zip(nest.nodes, pattern, strict=False)
             if isinstance(node, Load)]  # fmt: skip
    nest = Nest((*loads, *nest.nodes[len(loads) :]), nest.stores)
    axes = nest.axes()
    if any(ELEMENT not in axes[node.value] for node in reductions_of(nest)):
        raise CannotLower("it reduces a value that is the same for a whole row")
    return nest


def program_of(nest: Nest) -> Scalar:
    """The program of one element: its outputs are the elementwise results, then the operands of the reductions."""
    steps = tuple([node for node in nest.nodes if isinstance(node, ScalarStep)])
    made = [store.value for store in nest.stores if ELEMENT in store.axes]
    return Scalar(tuple([node.dtype for node in nest.nodes if isinstance(node, Load)]), steps,
                  (*made, *[node.value for node in reductions_of(nest)]))  # fmt: skip


def reductions_of(nest: Nest) -> list[RowReduction]:
    """The reductions, in the order of their results."""
    return [node for node in nest.nodes if isinstance(node, RowReduction)]


def divisors_of(body: Body) -> tuple[int, ...]:
    """The inputs that are divisors, in which a zero is an error.

    Raises:
        CannotLower: the group computes a divisor itself.
    """
    found: list[int] = []
    for instruction, divisor in body.failing():
        if divisor is not None and divisor >= len(body.inputs):
            raise CannotLower(f"the group computes the divisor of {instruction.op}, which must be checked for zeros")
        found += [] if divisor is None else [int(divisor)]
    return tuple(dict.fromkeys(found))
