"""A fused group that is interpreted at first and compiled later.

A `PromotedGroup` starts with the interpreter and asks its promotion (llvm.promotion) before each run whether there is
code. The switch is one attribute that the next run reads. Both give the same bits, so the caller cannot tell.

Code is made for a pattern: which inputs hold one number along the innermost dimension. Runs that it does not serve (no
elements, results of several shapes, some reductions) stay with the interpreter; `PromotedGroup.why` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from time import perf_counter
from typing import Any, Final

from ...ops.declare.reduction_order import is_trailing
from ..base.pending_writes import PendingWrites
from ..base.shape_cache import ShapeCache
from ..ir.fused_ir import Body, Value, shapes_of
from ..ir.kernel_protocol import Kernel
from ..ir.nest_ir import Nest
from ..ir.nest_verifier import verify_nest
from ..ir.scalar_ir import CannotLower, ScalarStep
from ..ir.strides import pattern_of
from ..ir.tiling import Shape
from ..llvm.jit_settings import SETTINGS
from ..llvm.promotion import Meter, Promotion
from ..numpy.group_layout import stand_ins
from ..numpy.interpreter import Interpreter
from .compiled_code import CompiledCode
from .emit_llvm import calls_numpy, generate
from .flat_launch import FlatLaunch
from .flat_nest import GroupParts, divisors_of, flat_nest, parts_of, program_of
from .shaped_group import ShapedEntry, ShapedGroup
from .shaped_nest import ShapedNest
from .strided_results import RowRange, row_range
from .tile_passes import Over
from .tiny_groups import TinyGroup

ONE_ELEMENT: Final = "it has one element or none"


class PromotedGroup(ShapedGroup[ShapedEntry]):
    """Runs one body, interpreted at first and compiled later. Thread-safe."""

    _direct: tuple[FlatLaunch, CompiledCode] | None

    def __init__(self, body: Body, meter: Meter | None = None, over: Over = ()) -> None:
        """A group of one body.

        Args:
            body: the body.
            meter: the cost of the work before it became a group.
            over: for each result the inputs in whose memory a call may ask for it; () if no call does.
        """
        super().__init__(body, meter or Meter(len(body.instructions)))
        self._over = over
        self.interpreter = Interpreter(body)
        self._parts: GroupParts | None = None
        self._nest: Nest | None = None
        self._shaped_nests: ShapeCache[ShapedNest | str] = ShapeCache()
        self._calls = False
        self._refused = ""
        self._tiny: TinyGroup | None = None

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, each an array of its own; the caller copies a result that is an input."""
        direct = self._direct
        if direct is not None and not SETTINGS.why_off:
            results = direct[0].direct(direct[1], inputs, None)
            if results is not None:
                return results
        return self._run(inputs, None)

    def only(self, *inputs: Any) -> Any:
        """The single result; of one element from the native driver, in 0.8 us instead of 4."""
        if self._tiny is not None:
            for x in inputs:  # `_are_single`, of which the call takes 40 ns
                if x.size > 1:
                    break
            else:
                return self._tiny.only(*inputs)
        return self(*inputs)[0]

    def into(self, place: Any, *inputs: Any) -> Any:
        """The single result, in `place`: flat memory of its dtype and size, apart from that of all inputs or of those
        that the group was made for.
        """
        direct = self._direct
        if direct is not None and not SETTINGS.why_off:
            results = direct[0].direct(direct[1], inputs, place)
            if results is not None:
                return results[0]
        if self._tiny is not None and _are_single(inputs):
            return self._tiny.into(place, *inputs)
        return self._run(inputs, place)[0]

    def write(self, places: Sequence[Any], *inputs: Any) -> None:
        """Write the results, all computed element by element, to `places`: arrays of their shapes and any strides."""
        entry = self.entry(inputs)
        if self._in_place(FlatLaunch.write, entry, places, inputs):
            return
        start = perf_counter()
        self.interpreter.write(places, *inputs)
        self.note(entry, perf_counter() - start)

    def row_range(self, places: Sequence[Any], *inputs: Any) -> RowRange | None:
        """What `write` would do, in parts; None if it takes more than calls of code for rows."""
        found: RowRange | None = self._in_place(row_range, self.entry(inputs), places, inputs)
        return found

    def _in_place(self, how: Any, entry: ShapedEntry, places: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """`how` applied to the code and the places; None if there is no code for them."""
        code = self._code(entry, inputs)
        if code is None or not isinstance(entry.launch, FlatLaunch) or self._divisors:
            return None
        of_value = dict(zip(map(int, self.body.outputs), places, strict=True))
        return how(entry.launch, code, inputs, [of_value[v] for v in entry.launch.common.parts.made])

    def over(self, writes: PendingWrites, places: Sequence[Any], *inputs: Any) -> list[Any]:
        """The results; one with a place, the memory of an input that the group knows of, is to be written there, but
        only by compiled code.
        """
        direct = self._direct
        if direct is not None and not SETTINGS.why_off:
            results = direct[0].over(writes, direct[1], inputs, places)
            if results is not None:
                return results
        entry = self.entry(inputs)
        code = self._code(entry, inputs)
        if code is not None and isinstance(entry.launch, FlatLaunch) and not self._has_zeros(inputs):
            if entry.launch.is_direct and not self._divisors:
                self._direct = entry.launch, code
            results = entry.launch.over(writes, code, inputs, places)
            if results is not None:
                return results
        return self(*inputs)

    def _interpreted(self, entry: ShapedEntry, inputs: Sequence[Any], place: Any) -> list[Any]:
        return self.interpreter(*inputs) if place is None else [self.interpreter.into(place, *inputs)]

    # ---- state for reports ------------------------------------------------------------------

    @property
    def kernel(self) -> Kernel:
        """The kernel of a fused step."""
        return replace(super().kernel, over=self.over if any(self._over) else None, writer=self)

    # ---- promotion --------------------------------------------------------------------------

    def _expected(self, entry: ShapedEntry, inputs: Sequence[Any]) -> float:
        if not entry.seconds:
            entry.seconds = self.interpreter.seconds(inputs)
        return super()._expected(entry, inputs)

    def _promotion(self, shaped_nest: ShapedNest) -> Promotion[CompiledCode]:
        """The promotion of the code for the pattern of `shaped_nest`; all shapes with that pattern share it."""
        promotion = self.promotions.get(shaped_nest.pattern)
        if promotion is None:
            nest, scalar, count = shaped_nest.own_nest, shaped_nest.scalar, len(shaped_nest.parts.tails)
            over = self._over_in(shaped_nest)
            fresh = Promotion(
                self.meter,
                lambda: generate(nest, over),
                lambda library: CompiledCode(library, scalar, count),
            )
            promotion = self.promotions.setdefault(shaped_nest.pattern, fresh)
        return promotion

    def _over_in(self, shaped_nest: ShapedNest) -> Over:
        """For each output of the scalar program the inputs in whose memory it may lie."""
        of_value = dict(zip(map(int, self.body.outputs), self._over, strict=False))
        found = tuple([of_value.get(v, ()) for v in shaped_nest.parts.made])
        return (*found, *[()] * (len(shaped_nest.scalar.outputs) - len(found)))

    # ---- computed once per combination of shapes --------------------------------------------

    def _entered(self, inputs: Sequence[Any]) -> ShapedEntry:
        shapes = tuple([x.shape for x in inputs])
        entry = ShapedEntry()
        if self._nest is not None or self.promotions:  # it is lowered already, so there may be code
            self._lowered(entry, shapes)
        return self._entries.keep(shapes, entry)

    def _lowered(self, entry: ShapedEntry, shapes: tuple[Shape, ...]) -> Promotion[Any] | None:
        given, sizes = stand_ins(shapes)
        shaped_nest = self._shaped_nests.get(given)
        if shaped_nest is None:
            shaped_nest = self._shaped_nest_or_reason(given)
        if isinstance(shaped_nest, str):
            entry.reason = shaped_nest
            return None
        launch = FlatLaunch(shaped_nest, sizes)
        if launch.wants_expansion:
            shaped_nest = shaped_nest.expanded
            launch = FlatLaunch(shaped_nest, sizes)
        entry.launch = launch
        entry.reason = launch.too_short
        if entry.reason:
            return None
        entry.promotion = self._promotion(shaped_nest)  # last: other threads look at it first
        return entry.promotion

    def _shaped_nest_or_reason(self, input_shapes: tuple[Shape, ...]) -> ShapedNest | str:
        try:
            if self._refused:
                raise CannotLower(self._refused)
            shaped_nest: ShapedNest | str = self._shaped_nest(input_shapes)
        except CannotLower as error:
            shaped_nest = str(error)
            if shaped_nest == ONE_ELEMENT and len(self.body.outputs) == 1:
                self._tiny = TinyGroup(self.body, None, self.interpreter)
        return self._shaped_nests.keep(input_shapes, shaped_nest)

    def _shaped_nest(self, input_shapes: tuple[Shape, ...]) -> ShapedNest:
        """The shape class of inputs of such shapes, in stand-ins.

        Raises:
            CannotLower: code does not serve them.
        """
        body = self.body
        shapes = shapes_of(body, input_shapes)
        parts = self._parts = self._parts or parts_of(body)
        whole = shapes[parts.wanted[0]]
        if prod(whole) <= 1:
            raise CannotLower(ONE_ELEMENT)
        if any(shapes[v] != whole for v in parts.wanted):
            raise CannotLower("its results have several shapes")
        if self._nest is None:
            try:
                self._divisors = divisors_of(body)
                nest = flat_nest(body, parts)
                self._calls = calls_numpy(program_of(nest))
                self._nest = nest
            except CannotLower as error:
                self._refused = str(error)
                raise
        if not _powers_are_even(self._nest, input_shapes):
            raise CannotLower("NumPy's power gives other last bits for one exponent than for many")
        axes = {tail.rule.axes(len(whole), *tail.args) for tail in parts.tails}
        if len(axes) > 1 or not all(is_trailing(own, len(whole)) for own in axes):
            raise CannotLower("its reductions are not over the same last axes")
        kept = len(whole) - len(axes.pop()) if axes else 0
        pattern = pattern_of(input_shapes, whole)
        made = ShapedNest(body, parts, self._nest, pattern, whole, tuple(shapes), kept, self._calls)
        verify_nest(made.own_nest)
        return made


def _are_single(inputs: Sequence[Any]) -> bool:
    for x in inputs:  # noqa: SIM110  # a generator takes 0.3 us more
        if x.size > 1:
            return False
    return True


def _powers_are_even(nest: Nest, given: Sequence[Shape]) -> bool:
    """True if each exponent is one number; only then NumPy's result does not depend on how the work is divided."""
    exponents = [node.args[1] for node in nest.nodes if isinstance(node, ScalarStep) and node.primitive == "power"]
    return all(isinstance(e, Value) and e < len(given) and prod(given[e]) == 1 for e in exponents)
