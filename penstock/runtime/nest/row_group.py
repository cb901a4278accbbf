"""`RowGroup`: a fused group whose reductions are read within it, as the kernel of a step.

Until there is machine code the group runs in parts, which end in their reductions, interpreted as any group is. If it
is too small to gain from tiles, all its instructions run in one frame. What cannot be a nest stays in parts, each of
which may be compiled by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod
from typing import Any, Final

from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.op_declaration import OPS
from ..base import thread_pool
from ..base.thread_pool import threads_for
from ..compiled.promoted_group import PromotedGroup
from ..compiled.shaped_group import ShapedEntry, ShapedGroup
from ..ir.fused_ir import Body, shapes_of
from ..ir.nest_ir import Load, Nest
from ..ir.nest_of_body import nest_of
from ..ir.scalar_ir import CannotLower
from ..ir.shaped_rows import BodyPart, ShapedRows, columns_apart, parts_of_rows, shaped_rows
from ..ir.tiling import Shape
from ..kernels.kernel_choice import kernel_of
from ..llvm.promotion import Meter, Promotion
from ..memory.pooled_numpy import XP
from ..numpy.interpreter import SMALL, Interpreter
from ..numpy.writers import as_array, bound_of
from .block_writer import writer_for
from .row_launch import RowCode, RowLaunch

MOST_THREADS: Final = 2
"""Threads up to which rows are added to the totals of columns on one thread, while they are in its cache."""
_PER_STEP: Final = 0.05e-9
"""Estimated seconds that compiled code takes for one instruction on one element."""


@dataclass(slots=True, eq=False)
class _ShapedRowEntry(ShapedEntry):
    """One combination of input shapes.

    Attributes:
        form: what its values are; None if they are not about rows.
        parts: (function, values it reads, values it makes) of the parts; () if the group runs in one frame.
    """

    form: ShapedRows | None = None
    parts: list[tuple[Callable[..., list[Any]], tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)


class RowGroup(ShapedGroup[_ShapedRowEntry]):
    """Runs one body. Thread-safe."""

    def __init__(self, body: Body, is_op: bool = False, places: int | None = None) -> None:
        """The group of a body.

        Args:
            body: the body.
            is_op: whether it stands for one op, whose own kernel runs where there is no code.
            places: the number of the input that holds the places in a row; None if there is none.
        """
        super().__init__(body, Meter(len(body.instructions)))
        self._places = places
        self._is_op = is_op
        self._whole = Interpreter(body)
        self._parts: dict[Any, Any] = {}
        dtypes = [body.dtype_of(v) for v in range(len(body.inputs) + len(body.instructions))]
        self._cost = 1e-9 * sum([each.cost for each in bound_of(body, dtypes)])

    @property
    def ran(self) -> bool:
        """True if it has run."""
        return bool(self._entries)

    # ---- runs ---------------------------------------------------------------------------------

    def _interpreted(self, entry: _ShapedRowEntry, inputs: Sequence[Any], place: Any) -> list[Any]:
        if not entry.parts:
            return self._whole(*inputs) if place is None else [self._whole.into(place, *inputs)]
        values: dict[int, Any] = dict(enumerate(inputs))
        for call, reads, makes in entry.parts:
            values.update(zip(makes, call(*[values[v] for v in reads]), strict=True))
        results = [values[o] for o in self.body.outputs]
        if place is not None:
            result = place.reshape(results[0].shape)
            result[...] = results[0]
            return [result]
        return results

    def _give_up(self, entry: _ShapedRowEntry, reason: str, shapes: tuple[Shape, ...]) -> None:
        """Let the parts be compiled each by itself, since the whole cannot be."""
        if entry.parts:
            entry.parts = self._in_parts(shapes, compiled=True)
        entry.reason = reason

    # ---- computed once per combination of shapes ----------------------------------------------

    def _entered(self, inputs: Sequence[Any]) -> _ShapedRowEntry:
        shapes = tuple([x.shape for x in inputs])
        form = shaped_rows(self.body, shapes)
        seconds = self._cost * (prod(form.whole) if isinstance(form, ShapedRows) else max([x.size for x in inputs]))
        threads = threads_for(seconds)
        if seconds >= thread_pool.WORTH:
            seconds /= threads
        entry = _ShapedRowEntry(seconds)
        if isinstance(form, str):
            entry.reason = form
        else:
            entry.form = form
            if threads > MOST_THREADS and columns_apart(self.body, form):
                entry.reason = f"{threads} threads share its rows, and its columns are added by themselves"
                entry.parts = [self._apart(part) for part in columns_apart(self.body, form)]
        if not entry.parts and not self._is_op and max(map(prod, _shapes(self.body, shapes)), default=0) > SMALL:
            entry.parts = self._in_parts(shapes, compiled=bool(entry.reason))
        if self.promotions and not entry.reason:
            self._lowered(entry, shapes)
        return self._entries.keep(shapes, entry)

    def _apart(self, part: BodyPart) -> tuple[Callable[..., list[Any]], tuple[int, ...], tuple[int, ...]]:
        """Rows without the reductions over them, or one of these."""
        key = part.inputs, part.outputs, "apart"
        if key not in self._parts:
            is_column = len(part.body.instructions) == 1
            self._parts[key] = _part_call(part.body, compiled=True) if is_column else RowGroup(part.body)
        return self._parts[key], part.inputs, part.outputs

    def _in_parts(self, shapes: tuple[Shape, ...], compiled: bool) -> list[Any]:
        try:
            parts = parts_of_rows(self.body, shapes)
        except ValueError:  # the whole body says what does not broadcast
            return []
        found = []
        for part in parts:
            key = part.inputs, part.outputs, compiled
            if key not in self._parts:
                self._parts[key] = _part_call(part.body, compiled)
            found.append((self._parts[key], part.inputs, part.outputs))
        return found

    def _lowered(self, entry: _ShapedRowEntry, shapes: tuple[Shape, ...]) -> Promotion[RowCode] | None:
        """The promotion of the code for these shapes, entered; None if no code can serve them."""
        form = entry.form
        assert form is not None  # or the entry had a reason
        try:
            nest = nest_of(self.body, form, self._places)
        except CannotLower as error:
            self._give_up(entry, str(error), shapes)
            return None
        entry.launch, found = promotion_of_rows(self, form, nest)
        entry.promotion = found  # last: other threads look at it first
        return found


def promotion_of_rows(group: ShapedGroup[Any], form: ShapedRows, nest: Nest) -> tuple[RowLaunch, Promotion[RowCode]]:
    """How the code of a nest runs, and its promotion, which all nests of the group with the same code share."""
    writer = writer_for(nest, form.count)
    launch = RowLaunch(group.body, form, writer, prod(form.whole) * _PER_STEP * len(nest.nodes))
    key = (str(nest), form.count if writer.is_dense else 0)
    found = group.promotions.get(key)
    if found is None:
        arrays = sum([isinstance(node, Load) for node in nest.nodes]) + len(nest.stores) + 1
        made = Promotion(group.meter, writer.module, lambda library: RowCode(library, arrays))
        found = group.promotions.setdefault(key, made)
    return launch, found


def _part_call(body: Body, compiled: bool) -> Callable[..., list[Any]]:
    """The function that computes a part."""
    (first, *others) = body.instructions
    if OPS[first.op].reduction is not None and not others:
        kernel = kernel_of(OPS[first.op], "numpy")
        return lambda x: [as_array(kernel(XP, x, *first.args[1:]), first.dtype)]
    return PromotedGroup(body) if compiled else Interpreter(body)


def _shapes(body: Body, given: Sequence[Shape]) -> Sequence[Shape]:
    try:
        return shapes_of(body, given)
    except ValueError:
        return given
