"""CUDA C of a sequential nest whose rounds may run side by side: rows and elements at places that only a run knows.

A sequential nest is an order: row after row, and the first index out of range ends it. On a GPU a thread takes one unit
of what the nest writes and works out from its number which round that is:

    take(out, rows, index, sizes, count, row)     unit t = 0, 1, 2 ...
    for i < count                                 u = t % units of a row, i = t / units of a row
      %8 = index[i*4]                             the same
      check %8 < %6, else i                       inside = 0 <= %8 < %6
      out[i*row] = row bytes of rows[%8*row]      out[i*row + u] = inside ? rows[%8*row + u] : 0

    row moves       go in units of up to 16 bytes; the rows of one round lie one behind the other, and a unit is of one
    checks          nothing is touched at a place behind a failed one: a read gives zeros, a write is left out
    out[p] = out[p] + x   is an atomic addition (or maximum): places may be equal
    other writes    to equal places stay in any order
    loops           all but those until a condition are spread over the threads

What stands before the loops and reads only memory of the host becomes arguments of the kernel. A thread takes several
units, a block apart, and reads all of them before it writes any.

Names in the source: v4 is value 4 of the nest, parameters of memory have their names, `to` and `value` are where a unit
goes and what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from ...graph.shapes.dtypes import DType, int64
from ..ir.fused_ir import Value
from ..ir.scalar_ir import Argument, CannotLower, Literal, ScalarStep
from ..nest.sequential.sequential_ir import (
    BoundCheck,
    For,
    Keep,
    Leave,
    LocalValue,
    LoopPosition,
    MemoryPlace,
    Parameter,
    Read,
    RepeatedBody,
    SequentialNest,
    Statement,
    When,
    Write,
    numbers_read,
    of_place,
)
from .c_primitives import Operand, constant_operand, declared, expression, kind_of, memory_kind
from .cuda_source import THREADS, UNITS

Binding: TypeAlias = tuple[str, ...]
"""For each parameter how it is given: "memory" of the device, "numbers" of the host, "arrays" of the device whose
addresses the nest reads, or a "number"."""

_KERNEL: Final = """
PS_KERNEL void __launch_bounds__({threads}) {name}({parameters}, i64 rounds@SIZES@) {{
  {before}
  const N total = (N)({count}), step = (N)gridDim.x * ({threads} * ITEMS);
  for (N first = (N)blockIdx.x * ({threads} * ITEMS) + threadIdx.x; first < total; first += step) {{
    {unit} value[ITEMS], *to[ITEMS];
    #pragma unroll
    for (int j = 0; j < ITEMS; j++) {{
      const N t = first + j * {threads};
      to[j] = 0;
      if (t < total) {{
        {load}
      }}
    }}
    #pragma unroll
    for (int j = 0; j < ITEMS; j++) if (to[j]) {store};
  }}
}}
"""
_OF_PLACES: Final = {"remainder": "%", "floor_divide": "/", "left_shift": "<<", "right_shift": ">>"}
"""For numbers that are not negative, divisors that are not 0, shifts below 64."""
_ATOMIC: Final = {"add": "atomicAdd", "subtract": "atomicAdd", "maximum": "atomicMax"}
_ATOMIC_KINDS: Final = {"f32": "f32", "f64": "f64", "i32": "i32", "u32": "u32", "i64": "u64", "u64": "u64"}
"""The types that a GPU adds at once; a sum wraps alike with and without a sign."""
FEWEST_OF_A_SWITCH: Final = 9
"""Rows of one size in a round from which the row of a unit is found by a division, not by comparing."""


@dataclass(frozen=True, slots=True)
class PlaceLoops:
    """A nest as threads go through it.

    Attributes:
        before: the values before the loops.
        loops: the loops, the outermost first.
        within: the statements inside, in order, without the writes.
        writes: what a round writes: rows, or one element.
        rows: the rows, one for each write; none if it writes an element.
        combined: the step by which the one element is combined with what lies there, if it is.
    """

    before: tuple[Value, ...]
    loops: tuple[For, ...]
    within: tuple[Statement, ...]
    writes: tuple[Write, ...]
    rows: tuple[Read, ...]
    combined: ScalarStep | None

    def sizes(self) -> list[Argument]:
        """The bytes of each row that a round moves."""
        return [row.size for row in self.rows if row.size is not None]

    def row_places(self) -> list[MemoryPlace]:
        """Where rows are read and written."""
        return [each.place for each in self.writes] + [row.place for row in self.rows] if self.rows else []


@cache
def loops_of(nest: SequentialNest) -> PlaceLoops:
    """The loops of a nest.

    Raises:
        CannotLower: rounds depend on each other, or do not have the form that is spread over threads.
    """
    before: list[Value] = []
    loops: list[For] = []
    within: list[Statement] = []
    statements: Sequence[Statement] = nest.body
    while True:
        inner = [each for each in statements if isinstance(each, For)]
        if not inner:
            break
        if len(inner) > 1 or statements[-1] is not inner[0]:
            raise CannotLower("its loops do not lie one in the other")
        (before if not loops else within).extend(statements[:-1])  # type: ignore[arg-type]  # checked below
        loops.append(inner[0])
        statements = inner[0].body
    within += [each for each in statements if not isinstance(each, Write)]
    writes = tuple([each for each in statements if isinstance(each, Write)])
    if not loops or not writes or not all(isinstance(each, Value) for each in before):
        raise CannotLower("it does more than write in loops")
    combined = _combined(nest, writes[0])
    values = [nest.nodes[each.value] for each in writes if isinstance(each.value, Value)]
    rows = tuple([node for node in values if isinstance(node, Read) and node.size is not None])
    if len(rows) < len(writes) > 1:
        raise CannotLower("a round writes several elements")
    if combined is not None:
        within = [each for each in within if each not in (combined.args[0], writes[0].value)]
    _check_rounds(nest, within, writes)
    return PlaceLoops(tuple(before), tuple(loops), tuple(within), writes, rows, combined)


@cache
def tables_of(nest: SequentialNest) -> frozenset[int]:
    """The parameters that a round reads, which must lie in memory of the device."""
    reads = [nest.nodes[each] for each in _values(loops_of(nest).within)]
    return frozenset([int(node.place.base) for node in reads if isinstance(node, Read)])


def _combined(nest: SequentialNest, write: Write) -> ScalarStep | None:
    """The step that combines what lies at a place with what is written there."""
    step = nest.nodes[write.value] if isinstance(write.value, Value) else None
    first = step.args[0] if isinstance(step, ScalarStep) and step.primitive in _ATOMIC else None
    node = nest.nodes[first] if isinstance(first, Value) else None
    return step if isinstance(step, ScalarStep) and isinstance(node, Read) and node.place == write.place else None


def _check_rounds(nest: SequentialNest, within: Sequence[Statement], writes: Sequence[Write]) -> None:
    """CannotLower where a round reads what another one writes or keeps."""
    own = set(_values(within))
    written = {each.place.base for each in writes}
    for each in _statements(within):
        if isinstance(each, Value):
            node = nest.nodes[each]
            if isinstance(node, Read) and node.place.base in written:
                raise CannotLower("a round reads what another one may write")
            if not isinstance(node, Read | ScalarStep | LocalValue):
                raise CannotLower("a round has memory of its own")
        elif isinstance(each, Keep) and each.kept not in own:
            raise CannotLower("a value is kept from round to round")
        elif not isinstance(each, Keep | BoundCheck | When | RepeatedBody | Leave):
            raise CannotLower(f"a {type(each).__name__} is no statement of a thread")


def _statements(statements: Sequence[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield each
        if isinstance(each, When | RepeatedBody):
            yield from _statements(each.body)


def _values(statements: Sequence[Statement]) -> Iterator[Value]:
    return (each for each in _statements(statements) if isinstance(each, Value))


@cache
def places_text(nest: SequentialNest, binding: Binding) -> str:
    """The text of `name(memory ..., what the nest reads before its loops ..., rounds, sizes)`.

    It takes the macros U, the type of a unit of a row, N, the type of the number of a unit, and ITEMS.

    Raises:
        CannotLower: the nest is no such loop, or a step has no expression in CUDA C.
    """
    return _PlaceCode(nest, binding).text()


class _PlaceCode:
    def __init__(self, nest: SequentialNest, binding: Binding) -> None:
        self._nest = nest
        self._loops = loops_of(nest)
        self._binding = dict(enumerate(binding))
        checked = {each.value for each in self._loops.within if isinstance(each, BoundCheck)}
        self._behind = {a for a in checked if isinstance(a, Value)}  # what a failed check leaves without meaning
        for each in _values(self._loops.within):
            if any(a in self._behind for a in numbers_read(nest.nodes[each])):
                self._behind.add(each)

    def text(self) -> str:
        nest, loops = self._nest, self._loops
        sizes = [self._size_in_units(size) for size in loops.sizes()]
        before = [self._before(value) for value in loops.before]
        rounds = loops.loops[0].size
        if isinstance(rounds, Value) and isinstance(nest.nodes[rounds], Parameter):
            before.insert(0, f"const i64 v{int(rounds)} = rounds;")
        count = ["rounds", *[self._number(each.size) for each in loops.loops[1:]]]
        load = ["N rest = t;"]
        if sizes:
            before += [f"const N per = (N)({' + '.join(sizes)});", "const U none = {0};"]
            count.append("(i64)per")
            load.append("N u = rest % per; rest /= per;")
        for each in reversed(loops.loops[1:]):
            size, position = self._number(each.size), int(each.position)
            load.append(f"const i64 v{position} = (i64)(rest % (N){size}); rest /= (N){size};")
        load.append(f"const i64 v{int(loops.loops[0].position)} = (i64)rest;")
        load += ["bool inside = true;"] if any(isinstance(each, BoundCheck) for each in loops.within) else []
        load += self._lines(loops.within)
        load += self._moves(sizes) if sizes else self._element()
        return _KERNEL.format(
            threads=THREADS, name=nest.name, parameters=", ".join(self._parameters()), before="\n  ".join(before),
            count=" * ".join(count), unit="U" if sizes else self._unit(), load="\n        ".join(load),
            store="*to[j] = value[j]" if loops.combined is None
            else f"{_ATOMIC[loops.combined.primitive]}(to[j], value[j])",
        )  # fmt: skip

    def _parameters(self) -> Iterator[str]:
        nest = self._nest
        written = {each.place.base for each in self._loops.writes}
        for k, node in enumerate(nest.nodes):
            if isinstance(node, Parameter) and self._binding[k] == "memory":
                yield f"{'' if k in written else 'const '}u8 *__restrict__ {node.name}"
        for value in self._loops.before:
            node = nest.nodes[value]
            if isinstance(node, Read):
                is_number = self._binding[int(node.place.base)] == "numbers"
                constant = "" if value in written else "const "
                yield f"i64 v{int(value)}" if is_number else f"{constant}u8 *v{int(value)}"

    def _before(self, value: Value) -> str:
        node = self._nest.nodes[value]
        if isinstance(node, ScalarStep):
            return self._step(value, node)
        if not isinstance(node, Read) or self._binding.get(int(node.place.base)) not in ("numbers", "arrays"):
            raise CannotLower("it reads memory of the device before its loops")
        return ""  # an argument

    # ---- statements -----------------------------------------------------------------------------

    def _lines(self, statements: Sequence[Statement]) -> Iterator[str]:
        for each in statements:
            if isinstance(each, Value):
                yield from self._value(each)
            elif isinstance(each, Keep):
                yield f"v{int(each.kept)} = {self._one(each.value)};"
            elif isinstance(each, BoundCheck):
                yield f"inside &= (u64){self._one(each.value)} < (u64){self._one(each.bound)};"
            elif isinstance(each, When | RepeatedBody):
                yield f"if ({self._one(each.condition)}) {{" if isinstance(each, When) else "for (;;) {"
                yield from [f"  {line}" for line in self._lines(each.body)]
                yield "}"
            elif isinstance(each, Leave):
                yield f"if ({self._one(each.condition)}) break;"

    def _value(self, value: Value) -> Iterator[str]:
        k, node = int(value), self._nest.nodes[value]
        if isinstance(node, ScalarStep):
            yield self._step(value, node)
        elif isinstance(node, LocalValue):
            yield f"{kind_of(node.dtype)} v{k} = {self._one(node.first)};"
        elif isinstance(node, Read) and node.size is None:
            dtype, place = node.dtype, self._address(node.place)
            guard = "inside" if self._is_behind(node.place) else ""
            if dtype.is_complex:
                vector = UNITS[dtype.size]
                yield f"union {{ {vector} all; {kind_of(dtype)} one[2]; }} q{k} = {{{{0}}}};"
                yield f"{f'if ({guard}) ' if guard else ''}q{k}.all = *(const {vector} *)({place});"
                yield declared(k, dtype, (f"q{k}.one[0]", f"q{k}.one[1]"))
            else:
                read = f"*(const {memory_kind(dtype)} *)({place}){' != 0' if dtype.is_bool else ''}"
                yield declared(k, dtype, f"{guard} ? {read} : 0" if guard else read)

    def _step(self, value: Value, node: ScalarStep) -> str:
        operands = tuple([self._operand(a) for a in node.args])
        sign = _OF_PLACES.get(node.primitive) if node.dtype is int64 else None
        if sign is not None:
            return declared(int(value), node.dtype, f"({operands[0]} {sign} {operands[1]})")
        result = expression(node, tuple([self._nest.dtype_of(a) for a in node.args]), operands)
        return declared(int(value), node.dtype, result)

    # ---- what is written ------------------------------------------------------------------------

    def _moves(self, sizes: Sequence[str]) -> list[str]:
        """The unit's place and value, out of the rows of a round."""
        moves = [self._move(*each) for each in zip(self._loops.writes, self._loops.rows, strict=True)]
        if len(moves) == 1:
            return moves
        if len(set(sizes)) == 1 and len(moves) >= FEWEST_OF_A_SWITCH:
            lines = [f"const N which = u / ({sizes[0]}); u -= which * ({sizes[0]});", "switch (which) {"]
            return [*lines, *[f"  case {m}: {move} break;" for m, move in enumerate(moves)], "}"]
        lines = [f"if (u < (N)({sizes[0]})) {{ {moves[0]} }}"]
        for before, size, move in zip(sizes[:-1], sizes[1:], moves[1:], strict=True):
            lines.append(f"else if ((u -= (N)({before})) < (N)({size})) {{ {move} }}")
        return lines

    def _move(self, write: Write, row: Read) -> str:
        unit = f"((const U *)({self._address(row.place)}))[u]"
        value = f"inside ? {unit} : none" if self._is_behind(row.place) else unit
        return f"value[j] = {value}; {self._to(write, 'U')} + u;"

    def _element(self) -> list[str]:
        write, combined = self._loops.writes[0], self._loops.combined
        value = self._operand(write.value if combined is None else combined.args[1])
        to = f"{self._to(write, self._unit())};"
        if isinstance(value, tuple):
            kind = kind_of(self._nest.dtype_of(write.value))
            packed = f"union {{ {self._unit()} all; {kind} one[2]; }} w;"
            return [packed, f"w.one[0] = {value[0]}; w.one[1] = {value[1]}; value[j] = w.all;", to]
        sign = "-" if combined is not None and combined.primitive == "subtract" else ""
        return [f"value[j] = {sign}({self._unit()}){value};", to]

    def _to(self, write: Write, kind: str) -> str:
        guard = "if (inside) " if self._is_behind(write.place) else ""
        return f"{guard}to[j] = ({kind} *)({self._address(write.place)})"

    def _unit(self) -> str:
        """The type of the element that a round writes."""
        dtype: DType = self._nest.dtype_of(self._loops.writes[0].value)
        if self._loops.combined is None:
            return UNITS[dtype.size] if dtype.is_complex else memory_kind(dtype)
        kind = "" if dtype.is_complex else _ATOMIC_KINDS.get(memory_kind(dtype), "")
        if not kind or (self._loops.combined.primitive == "maximum" and kind != "i32"):
            raise CannotLower(f"a GPU does not combine numbers of {dtype.name} at once")
        return kind

    # ---- words ----------------------------------------------------------------------------------

    def _is_behind(self, place: MemoryPlace) -> bool:
        return any(a in self._behind for a in of_place(place))

    def _address(self, place: MemoryPlace) -> str:
        node = self._nest.nodes[place.base]
        base = node.name if isinstance(node, Parameter) else f"(u8 *)v{int(place.base)}"
        terms = [" * ".join([self._number(a) for a in term if not _is_one(a)]) or "1" for term in place.terms]
        return " + ".join([base, *terms])

    def _size_in_units(self, size: Argument) -> str:
        return f"{self._number(size)} / (i64)sizeof(U)"

    def _number(self, argument: Argument) -> str:
        if isinstance(argument, Literal):
            return f"{int(argument.value)}LL"
        if isinstance(self._nest.nodes[argument], LoopPosition | Parameter | Read | ScalarStep | LocalValue):
            return f"v{int(argument)}"
        raise CannotLower("a place has no number")

    def _one(self, argument: Argument) -> str:
        operand = self._operand(argument)
        assert isinstance(operand, str)  # a complex number is neither kept nor checked
        return operand

    def _operand(self, argument: Argument) -> Operand:
        if isinstance(argument, Literal):
            return constant_operand(argument)
        name = f"v{int(argument)}"
        return (f"{name}r", f"{name}i") if self._nest.dtype_of(argument).is_complex else name


def _is_one(argument: Argument) -> bool:
    return isinstance(argument, Literal) and int(argument.value) == 1
