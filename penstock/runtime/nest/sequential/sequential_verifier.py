"""The rules of sequential nests, checked on each one that is made: what breaks them is a defect here."""

from __future__ import annotations

from collections.abc import Sequence

from ....graph.shapes.dtypes import int64
from ...ir.fused_ir import Value
from ...ir.nest_verifier import InvalidNest
from ...ir.scalar_ir import Argument, Literal
from .sequential_ir import (
    BoundCheck,
    Fetch,
    For,
    FunctionCall,
    Keep,
    Leave,
    LocalValue,
    MemoryPlace,
    Parameter,
    Read,
    RepeatedBody,
    SequentialNest,
    Statement,
    When,
    Write,
    arguments_of,
    numbers_read,
    of_place,
)


def verify_sequential(nest: SequentialNest) -> None:
    """Do nothing if the nest is sound.

    Raises:
        InvalidNest: a value is read where it is not there; a place, a number of rounds or a bound is not an int64; what
            is kept is no kept value, or of another dtype; a row is more than moved; what goes past the caches is no row
            of 64 bytes; there is nothing to leave; a check or a condition differs between rounds that are computed at
            once, or a function is called in them.
    """
    _Verifier(nest).body(nest.body, {Value(k) for k, node in enumerate(nest.nodes) if isinstance(node, Parameter)}, ())


class _Verifier:
    def __init__(self, nest: SequentialNest) -> None:
        self.nest = nest
        self.repeats = 0  # loops without an end around a statement
        self.varying: set[Value] = set()  # what differs between rounds that are computed at once

    def body(self, statements: Sequence[Statement], known: set[Value], at_once: tuple[Value, ...]) -> None:
        known = set(known)
        for each in statements:
            self.statement(each, known, at_once)

    def statement(self, each: Statement, known: set[Value], at_once: tuple[Value, ...]) -> None:
        nest = self.nest
        if isinstance(each, Value):
            node = nest.nodes[each]
            self.are_known(f"{each}", numbers_read(node), known)
            if isinstance(node, Read):
                self.is_place(node.place)
            else:
                self.are_numbers(numbers_read(node))
            if any(a in self.varying for a in numbers_read(node)) or (isinstance(node, LocalValue) and at_once):
                self.varying.add(each)
            known.add(each)
            return
        self.are_known(type(each).__name__, arguments_of(each), known)
        if isinstance(each, Write | Fetch):
            self.is_place(each.place)
            if isinstance(each, Write) and each.past_caches and not self.is_line(each.value):
                raise InvalidNest(f"{each.value} is no row of 64 bytes, which alone goes past the caches")
        elif isinstance(each, Keep):
            if not isinstance(nest.nodes[each.kept], LocalValue):
                raise InvalidNest(f"{each.kept} is not kept")
            if nest.dtype_of(each.value) is not nest.dtype_of(each.kept):
                raise InvalidNest(f"{each.kept} is kept as {nest.dtype_of(each.value).name}")
            if self.varies(each.value) and each.kept not in self.varying:
                raise InvalidNest(f"{each.kept} is one value, kept in rounds that are computed at once")
        elif isinstance(each, BoundCheck):
            self.are_places("a check", (each.value, each.bound, each.otherwise))
            if self.varies(each.value) or self.varies(each.otherwise):
                raise InvalidNest(f"the check of {each.value} differs between rounds that are computed at once")
        elif isinstance(each, FunctionCall):
            if at_once:
                raise InvalidNest(f"{each.function} is called in rounds that are computed at once")
            for a in each.arguments:
                if isinstance(a, MemoryPlace):
                    self.is_place(a)
                else:
                    self.are_places("a call", (a,))
        elif isinstance(each, When | Leave):
            if self.varies(each.condition) or not nest.dtype_of(each.condition).is_bool:
                raise InvalidNest(f"{each.condition} is no condition, or differs between rounds computed at once")
            if isinstance(each, When):
                self.body(each.body, known, at_once)
            elif not self.repeats:
                raise InvalidNest("there is nothing to leave")
        elif isinstance(each, RepeatedBody):
            self.repeats += 1
            self.body(each.body, known, at_once)
            self.repeats -= 1
        else:
            self.loop(each, known, at_once)

    def loop(self, each: For, known: set[Value], at_once: tuple[Value, ...]) -> None:
        self.are_places("a loop", (each.size,))
        if self.varies(each.size):
            raise InvalidNest(f"the rounds of {each.position} differ between rounds that are computed at once")
        if each.lanes or each.together:
            if at_once or (each.lanes and each.together):
                raise InvalidNest(f"{each.position} is computed at once inside another such axis")
            if 1 not in (*each.lanes, *each.together) and isinstance(each.size, Value):
                raise InvalidNest(f"{each.position} does not end with single rounds")
            self.varying.add(each.position)
            at_once = (each.position,)
        self.body(each.body, known | {each.position}, at_once)

    # ---- single rules -------------------------------------------------------------------------

    def is_line(self, value: Argument) -> bool:
        node = self.nest.nodes[value] if isinstance(value, Value) else None
        return isinstance(node, Read) and isinstance(node.size, Literal) and int(node.size.value) == 64

    def varies(self, argument: Argument) -> bool:
        return isinstance(argument, Value) and argument in self.varying

    def are_known(self, reader: str, arguments: Sequence[Argument], known: set[Value]) -> None:
        for a in arguments:
            if isinstance(a, Value) and a not in known:
                raise InvalidNest(f"{reader} reads {a}, which is not there")

    def are_numbers(self, arguments: Sequence[Argument]) -> None:
        for a in arguments:
            node = self.nest.nodes[a] if isinstance(a, Value) else None
            if isinstance(node, Read) and node.size is not None:
                raise InvalidNest(f"{a} is a row, which is only moved")
            if isinstance(node, Parameter) and not node.is_number:
                raise InvalidNest(f"{node} is memory, not a number")

    def are_places(self, reader: str, arguments: Sequence[Argument]) -> None:
        self.are_numbers(arguments)
        for a in arguments:
            if self.nest.dtype_of(a) is not int64:
                raise InvalidNest(f"{reader} has {a}, of {self.nest.dtype_of(a).name}")

    def is_place(self, place: MemoryPlace) -> None:
        node = self.nest.nodes[place.base]
        if isinstance(node, Parameter) and node.is_number:
            raise InvalidNest(f"{node} is a number, not memory")
        if self.nest.dtype_of(place.base) is not int64:
            raise InvalidNest(f"{place.base} is no address")
        self.are_places("a place", of_place(place)[1:])
