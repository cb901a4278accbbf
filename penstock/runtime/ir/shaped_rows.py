"""`ShapedRows`: what each value is, for given input shapes, of a group whose reductions are read within it, or are over
the first axes.

Such a group is about rows: the elements (i, j) of a space, i along the first axes, j along the others. A value is

    "full"    one number for each element            reduce(full) is one of the following
    "kept"    one number for each row, with the axes of a row as axes of size 1
    "row"     the same without these axes
    "column"  one number for each place in a row, a result

Inputs broadcast to the kind of the value that reads them. A group for which this does not work out, with these shapes,
runs in its parts: groups that end in their reductions, as `parts_of_rows` cuts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Literal, TypeAlias

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS
from ...ops.declare.reduction_order import BLOCK, is_trailing
from .fused_ir import Body, Instruction, Value, shapes_of
from .tiling import Shape

RowKind: TypeAlias = Literal["full", "kept", "row", "column"]


@dataclass(frozen=True, slots=True)
class ShapedRows:
    """A body on inputs of given shapes.

    Attributes:
        whole: the shape of its full values.
        axes: how many of the last axes make a row.
        kinds: the kind of the value of each instruction.
        shapes: the shape of every value, inputs first.
    """

    whole: Shape
    axes: int
    kinds: tuple[RowKind, ...]
    shapes: tuple[Shape, ...]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return prod(self.whole[: len(self.whole) - self.axes])

    @property
    def count(self) -> int:
        """The elements of a row."""
        return prod(self.whole[len(self.whole) - self.axes :])

    def shape_of(self, kind: RowKind) -> Shape:
        """The shape of the values of a kind."""
        return _shape_of(kind, self.whole, self.axes)


def _shape_of(kind: RowKind, whole: Shape, axes: int) -> Shape:
    outer = whole[: len(whole) - axes]
    if kind == "column":
        return whole[len(whole) - axes :]
    return whole if kind == "full" else outer if kind == "row" else (*outer, *[1] * axes)


def shaped_rows(body: Body, given: Sequence[Shape]) -> ShapedRows | str:
    """The form of a body on inputs of these shapes, or why it has none."""
    try:
        shapes = shapes_of(body, given)
    except ValueError:
        return "its operands do not broadcast"
    found = _space(body, shapes)
    if found is None:
        return "its reductions are not over the last axes of one space"
    whole, axes = found
    count = prod(whole[len(whole) - axes :])
    if prod(whole) == 0 or count == 1:
        return "it has no rows of several elements"
    if count > BLOCK:
        return f"its rows have {count} elements, more than {BLOCK}"
    first = len(body.inputs)
    kinds: list[RowKind] = []
    for instruction, shape in zip(body.instructions, shapes[first:], strict=True):
        read = [kinds[v - first] for v in instruction.operands if v >= first]
        if OPS[instruction.op].reduction is not None:
            kind = _reduced_kind(instruction, shape, shapes, whole, axes)
        else:
            kind = _kind(shape, whole, axes)
            if any(r != kind and (kind, r) != ("full", "kept") for r in read):
                kind = None
        if kind is None:
            return "its values are not all about the same rows"
        kinds.append(kind)
    return ShapedRows(whole, axes, tuple(kinds), tuple(shapes))


def _space(body: Body, shapes: Sequence[Shape]) -> tuple[Shape, int] | None:
    """The shape of what the first reduction combines, and how many of its axes make a row."""
    for instruction in body.instructions:
        rule = OPS[instruction.op].reduction
        if rule is not None:
            whole = shapes[instruction.args[0]]
            axes = rule.axes(len(whole), *instruction.args[1:])
            if is_trailing(axes, len(whole)):
                return whole, len(axes)
            return (whole, len(whole) - len(axes)) if axes == tuple(range(len(axes))) else None
    return None


def _kind(shape: Shape, whole: Shape, axes: int) -> RowKind | None:
    kinds: tuple[RowKind, ...] = ("full", "kept", "row")
    for kind in kinds:
        if shape == _shape_of(kind, whole, axes):
            return kind
    return None


def _reduced_kind(
    instruction: Instruction, shape: Shape, shapes: Sequence[Shape], whole: Shape, axes: int
) -> RowKind | None:
    """What a reduction gives; None if it is not over the elements of a row, or over all rows."""
    rule, operand = OPS[instruction.op].reduction, shapes[instruction.args[0]]
    assert rule is not None  # the caller asked
    own = rule.axes(len(operand), *instruction.args[1:])
    of, outer = _kind(operand, whole, axes), len(whole) - axes
    if of == "full" and own == tuple(range(outer)):
        return "column"
    if of not in ("full", "kept") or own != tuple(range(outer, len(whole))):
        return None
    kind = _kind(shape, whole, axes)
    return kind if kind in ("kept", "row") else None


# ---- the parts ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BodyPart:
    """A part of a body that runs by itself.

    Attributes:
        body: its instructions.
        inputs: the values of the whole body that it reads, in the order of its inputs.
        outputs: the values of the whole body that it makes, in the order of its outputs.
    """

    body: Body
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def parts_of_rows(body: Body, given: Sequence[Shape]) -> list[BodyPart]:
    """The body in parts that run one after the other: elementwise values of one shape, and reductions of them.

    Raises:
        ValueError: some operands do not broadcast.
    """
    shapes = shapes_of(body, given)
    first = len(body.inputs)
    level = _levels(body)
    home: dict[int, _PartPlace] = {}
    chosen: dict[_PartPlace, list[int]] = {}
    for value, instruction in enumerate(body.instructions, first):
        place = _PartPlace(level[value], shapes[value])
        if OPS[instruction.op].reduction is not None:
            operand = int(instruction.args[0])
            place = home.get(operand, place)
            if place.level != level[value] or operand < first:  # of a reduction, or made outside
                place = _PartPlace(level[value], shapes[operand], value)
        home[value] = place
        chosen.setdefault(place, []).append(value)
    return [_part(body, values) for _, values in sorted(chosen.items(), key=lambda each: each[0].order)]


def columns_apart(body: Body, form: ShapedRows) -> list[BodyPart]:
    """The body without its reductions over the first axes, and each of these by itself; [] if it has nothing else."""
    first = len(body.inputs)
    columns = [v for v, kind in enumerate(form.kinds, first) if kind == "column"]
    rest = [v for v in range(first, first + len(form.kinds)) if v not in columns]
    if not columns or not any(_reduces(body, v) for v in rest):
        return []
    return [_part(body, values) for values in (rest, *[[v] for v in columns])]


def _levels(body: Body) -> list[int]:
    """For each value how many reductions are complete before it is computed: as few as possible.

    A value that is read only after further reductions is computed then, so that it need not be kept until then.
    """
    first = len(body.inputs)
    level = [0] * first
    for instruction in body.instructions:
        level.append(max([level[v] + (v >= first and _reduces(body, v)) for v in instruction.operands], default=0))
    readers: dict[int, list[int]] = {}
    for value, instruction in enumerate(body.instructions, first):
        for v in instruction.operands:
            readers.setdefault(v, []).append(value)
    for value in reversed(range(first, len(level))):
        if not _reduces(body, value) and value in readers and value not in body.outputs:
            level[value] = min([level[reader] for reader in readers[value]])
    return level


def _reduces(body: Body, value: int) -> bool:
    return OPS[body.instructions[value - len(body.inputs)].op].reduction is not None


@dataclass(frozen=True, slots=True)
class _PartPlace:
    """The part of a value: elementwise values behind as many reductions and of one shape, or a reduction alone."""

    level: int
    shape: Shape
    alone: int = -1

    @property
    def order(self) -> tuple[int, ...]:
        """Broadcasting only turns sizes of 1 into others and adds axes, so that parts are sorted by what they need."""
        wide = -1 if self.alone >= 0 else sum([size != 1 for size in self.shape])
        return self.level, wide, len(self.shape), self.alone


def _part(body: Body, values: Sequence[int]) -> BodyPart:
    first = len(body.inputs)
    own = set(values)
    instructions = {v: body.instructions[v - first] for v in values}
    inputs = tuple(dict.fromkeys([int(a) for each in instructions.values() for a in each.operands if a not in own]))
    later = {int(a) for i, each in enumerate(body.instructions, first) if i not in own for a in each.operands}
    outputs = tuple([v for v in values if v in later or v in body.outputs])
    number = {v: Value(i) for i, v in enumerate((*inputs, *values))}
    made = tuple([
        each._replace(args=tuple([number[a] if isinstance(a, Value) else a for a in each.args]))
        for each in instructions.values()
    ])  # fmt: skip
    dtypes = tuple([body.dtype_of(v) for v in inputs])
    return BodyPart(Body(dtypes, made, tuple([number[v] for v in outputs]), body.effects), inputs, outputs)
