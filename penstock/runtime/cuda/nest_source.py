"""CUDA C of a nest: loops over its elements, or over its rows, with its steps as expressions.

A nest without reductions is a loop over elements. A nest with reductions goes through each row once for every level of
reductions, and computes values of elements again rather than keep them:

    softmax      m = max over j of x          loop over j, then the lanes of the row exchange their totals
                 s = sum over j of exp(x - m)                the same
                 y = exp(x - m) / s           loop over j

    short rows   some lanes of a warp for each row: no shared memory, no waiting
    long rows    a block for each row
    few rows     of one level of reductions: blocks for pieces of a row; the block that finishes a row last combines the
                 totals of its pieces, in order

The last block is found by counting finished pieces; a fence before the counting makes the totals of a block visible to
the block that counts last. The order of combination depends on sizes and layout alone, so that the same operands give
the same bits on every card.

Names in the source: v4 is value 4 of the nest, p0 the memory of load 0, b0 the offset of a row in it and o0 of an
element, q0 what was read; r1 the memory of result 1 and w1 what is written there; m4 the total of reduction 4 that a
thread has. Row `row` begins with element `start`, and element t is number j of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ..ir.fused_ir import Value
from ..ir.nest_ir import ELEMENT, ROW, Load, Nest, RowReduction, Store
from ..ir.scalar_ir import Argument, CannotLower, Literal, ScalarStep
from .c_primitives import Operand, constant_operand, declared, expression, kind_of, memory_kind
from .cuda_source import THREADS, UNITS
from .nest_facts import first_total, may_fail, may_fail_at, reductions_of, used_loads
from .nest_layout import NestLayout, OperandWalk

FAILED: Final = "i32 *failed_at"
"""The parameter behind the operands of a kernel that may fail; it becomes 1."""

_ELEMENTS: Final = """
PS_KERNEL void __launch_bounds__({threads}) fused({parameters}, i64 n@SIZES@) {{
  const i64 step = (i64)gridDim.x * {threads}, me = (i64)blockIdx.x * {threads} + threadIdx.x, pieces = n / {width};
  {begin}{unroll}for (i64 k = me; k < pieces; k += step) {{
    const i64 t = k * {width}, j = t;
    {piece}
  }}
  {rest}{end}
}}
"""
_REST: Final = """for (i64 t = pieces * {width} + me; t < n; t += step) {{
    const i64 j = t;
    {piece}
  }}
  """
_ROWS: Final = """
PS_KERNEL void __launch_bounds__({threads}) fused({parameters}, i64 rows, i64 count@SIZES@) {{
  const int lane = threadIdx.x % {lanes}, first = threadIdx.x % 32 / {lanes};
  const i64 step = (i64)gridDim.x * ({threads} / {lanes}), own = (i64)blockIdx.x * ({threads} / {lanes});
  {begin}for (i64 at = own + threadIdx.x / {lanes}; at - first < rows; at += step) {{
    const i64 row = at < rows ? at : rows - 1, start = row * count, from = 0, stop = at < rows ? count : 0;
    {body}
    if (lane == 0 && at < rows) {{ {stores} }}
  }}
  {end}
}}
"""
_PIECES: Final = """
PS_KERNEL void __launch_bounds__({threads}) fused({parameters}, {parts}, i32 *done, i64 count, i64 pieces@SIZES@) {{
  __shared__ i32 last;
  const int lane = threadIdx.x;
  const i64 row = blockIdx.x / pieces, start = row * count;
  /* Pieces of so many whole rounds of the block. */
  const i64 round = {threads} * {width}, span = (count + round * pieces - 1) / (round * pieces) * round;
  const i64 from = blockIdx.x % pieces * span, stop = from + span < count ? from + span : count;
  {begin}{body}
  {end}
  if (lane == 0) {{
    {publish}
    __threadfence();
    last = atomicAdd(&done[row], 1) == pieces - 1;
    __threadfence();
  }}
  __syncthreads();
  if (!last) return;
  {again}
  if (lane == 0) {{ {stores} }}
}}
"""
_COMBINE: Final = """
PS_INLINE {kind} combine{r}({kind} a, {kind} b) {{ return {made}; }}
PS_INLINE {kind} total{r}({kind} mine) {{
  #pragma unroll
  for (int by = {lanes} / 2; by; by /= 2) mine = combine{r}(mine, __shfl_down_sync(0xffffffffu, mine, by));
  {last}
  return mine;
}}
"""
_OF_LANES: Final = "mine = __shfl_sync(0xffffffffu, mine, threadIdx.x % 32 / {lanes} * {lanes});"
_OF_BLOCK: Final = """__shared__ {kind} warps[{threads} / 32];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = warps[0];
  for (int w = 1; w < {threads} / 32; w++) mine = combine{r}(mine, warps[w]);"""


@lru_cache(maxsize=1024)
def elements_text(nest: Nest, layout: NestLayout, safe: frozenset[int] = frozenset()) -> str:
    """The text of `fused(results ..., operands ..., [failed,] n, sizes)` of a nest without reductions.

    Raises:
        CannotLower: a step has no expression in CUDA C.
    """
    code = CudaNestCode(nest, layout, safe, None)
    rest = ""
    if layout.width > 1 and layout.elements.is_flat:  # the elements behind the last whole piece
        one = CudaNestCode(nest, replace(layout, width=1), safe, None)
        rest = _REST.format(width=layout.width, piece=one.piece(0, []))
    steps = sum([isinstance(node, ScalarStep) for node in nest.nodes])
    # Several small loads are in flight in short programs that take one element at a time.
    unroll = "#pragma unroll 4\n  " if layout.width == 1 and steps <= 16 else ""
    return _ELEMENTS.format(piece=code.piece(0, []), rest=rest, unroll=unroll, **code.fields())


@lru_cache(maxsize=1024)
def rows_text(
    nest: Nest, layout: NestLayout, lanes: int, safe: frozenset[int] = frozenset(), places: int | None = None
) -> str:
    """The text of a nest with reductions.

    It is `fused(results ..., operands ..., [failed,] rows, count, sizes)`, with so many lanes for a row. If `lanes` is
    0 it is `fused(results ..., operands ..., [failed,] totals of pieces for each reduction ..., done, count, pieces,
    sizes)` with a block for each piece of each row and a zero in `done` for each row. Rows are of a multiple of the
    layout's width. places: the number of the operand that holds 0, 1, 2 ..., which is computed instead.

    Raises:
        CannotLower: it reduces over rows, or a step has no expression in CUDA C.
    """
    return CudaNestCode(nest, layout, safe, places).rows(lanes)


class CudaNestCode:
    """Writes the source of a nest: loops over elements or rows here; `tile_source` adds tiles."""

    def __init__(self, nest: Nest, layout: NestLayout, safe: frozenset[int], places: int | None) -> None:
        self._nest = nest
        self._layout = layout
        self._safe = safe
        self._places = places
        self._reductions = reductions_of(nest)
        # Without rows, what depends on nothing is computed with each element, too.
        self._axes = nest.axes() if self._reductions else [ELEMENT] * len(nest.nodes)
        self._level = nest.levels()
        self._loads = used_loads(nest, places)
        if any(node.axis == ROW for node in nest.nodes if isinstance(node, RowReduction)):
            raise CannotLower("it combines rows")

    def fields(self) -> dict[str, str | int]:
        """What all texts contain."""
        nest, fails = self._nest, may_fail(self._nest, self._safe)
        found = [f"{memory_kind(nest.dtype_of(s.value))} *__restrict__ r{s.result}" for s in nest.stores]
        found += [f"const {memory_kind(nest.dtype_of_number(k))} *__restrict__ p{k}" for k in self._loads]
        return {"threads": THREADS, "width": self._layout.width, "parameters": ", ".join(found + [FAILED] * fails),
                "begin": "bool failed = false;\n  " if fails else "",
                "end": "if (failed) *(volatile i32 *)failed_at = 1;" if fails else ""}  # fmt: skip

    def rows(self, lanes: int) -> str:
        """The text of `rows_text`."""
        start = self._offsets(self._layout.rows, "row", "R", "Q", "a", self._row_offset)
        start += [self._row_load(k) for k in self._loads if ELEMENT not in self._axes[k]]
        levels = [
            self._steps([v for v in range(len(self._level)) if self._level[v] == k and ELEMENT not in self._axes[v]])
            + self._pass(k, lanes or THREADS)
            for k in range(max(self._level) + 1)
        ]
        stores = " ".join([self._row_store(s) for s in self._nest.stores if ELEMENT not in s.axes])
        text = "".join([self._combining(r, lanes or THREADS) for r in self._reductions])
        if lanes:
            body = "\n    ".join([*start, *[line for lines in levels for line in lines]])
            return text + _ROWS.format(body=body, stores=stores, lanes=lanes, **self.fields())
        kinds = {r: kind_of(self._nest.dtype_of_number(r)) for r in self._reductions}
        return text + _PIECES.format(
            parts=", ".join([f"{kind} *parts{r}" for r, kind in kinds.items()]), body="\n  ".join(start + levels[0]),
            publish=" ".join([f"parts{r}[blockIdx.x] = v{r};" for r in kinds]),
            again="\n  ".join([self._of_pieces(r, kind) for r, kind in kinds.items()] + levels[1]),
            stores=stores, **self.fields(),
        )  # fmt: skip

    def _combining(self, r: int, lanes: int) -> str:
        """The functions that combine two totals of a reduction, and those of all lanes of a row."""
        node = self._nest.nodes[r]
        assert isinstance(node, RowReduction)  # the caller asked
        kind = kind_of(node.dtype)
        step = ScalarStep(node.ufunc, (Value(0), Value(1)), node.dtype)
        made = expression(step, (node.dtype, node.dtype), ("a", "b"))
        last = _OF_LANES if lanes <= 32 else _OF_BLOCK
        return _COMBINE.format(kind=kind, r=r, made=made, lanes=min(32, lanes),
                               last=last.format(kind=kind, r=r, lanes=lanes, threads=THREADS))  # fmt: skip

    def _of_pieces(self, r: int, kind: str) -> str:
        """The total of a row from those of its pieces."""
        loop = f"for (i64 k = lane; k < pieces; k += {THREADS})"
        part = f"((volatile {kind} *)parts{r})[row * pieces + k]"
        return f"m{r} = {self._first_total(r)}; {loop} m{r} = combine{r}(m{r}, {part}); v{r} = total{r}(m{r});"

    def _first_total(self, r: int) -> str:
        node = self._nest.nodes[r]
        assert isinstance(node, RowReduction)  # the caller asked
        return first_total(node.ufunc, node.dtype)

    def _pass(self, level: int, lanes: int) -> list[str]:
        """The loop over the elements of a row that computes what has so many reductions behind it."""
        totals = [r for r in self._reductions if self._level[r] == level + 1]
        piece = self.piece(level, totals)
        if not piece:
            return []
        kinds = {r: kind_of(self._nest.dtype_of_number(r)) for r in totals}
        width = self._layout.width
        lines = [f"{kind} m{r} = {self._first_total(r)};" for r, kind in kinds.items()]
        lines.append("#pragma unroll 4" if len(self._nest.nodes) <= 16 else "")
        lines.append(f"for (i64 j = from + lane * {width}; j < stop; j += {lanes * width}) {{")
        lines += ["  const i64 t = start + j;", f"  {piece}".replace("\n    ", "\n      "), "}"]
        return lines + [f"{kind} v{r} = total{r}(m{r});" for r, kind in kinds.items()]

    def piece(self, level: int, totals: Sequence[int]) -> str:
        """The code for a piece of elements, number j of its row and t of all; "" if nothing is computed there.

        It stores the results that have so many reductions behind them, and adds to the totals of these reductions.
        """
        stores = [s for s in self._nest.stores if ELEMENT in s.axes and self._level_of(s.value) == level]
        operands = [a for r in totals for a in self._nest.operands_of(r)]
        if not stores and not totals:
            return ""
        values = self._elements_behind([*[s.value for s in stores], *operands])
        loads = [k for k in self._loads if k in values]
        read = [self._load(k) for k in loads]
        written = [self._store(s) for s in stores]
        lines = self._offsets(self._layout.elements, "j", "S", "T", "c", self._element_offset, loads)
        lines += [before for before, _ in read if before] + [before for before, _, _ in written if before]
        lines += ["#pragma unroll"] if self._layout.width > 1 else []
        lines.append(f"for (int e = 0; e < {self._layout.width}; e++) {{")
        lines += [f"  i32 v{k} = (i32)(j + e);" for k in values if self._is_place(k)]
        lines += [f"  {within}" for _, within in read] + [f"  {line}" for line in self._steps(values)]
        lines += [f"  {within}" for _, within, _ in written]
        lines += [f"  m{r} = combine{r}(m{r}, {self._name(a)});" for r, a in zip(totals, operands, strict=True)]
        return "\n    ".join([*lines, "}", *[after for _, _, after in written if after]])

    # ---- values ---------------------------------------------------------------------------------

    def _level_of(self, argument: Argument) -> int:
        return self._level[argument] if isinstance(argument, Value) else 0

    def _is_place(self, value: int) -> bool:
        node = self._nest.nodes[value]
        return isinstance(node, Load) and node.operand == self._places

    def _elements_behind(self, roots: Iterable[Argument]) -> list[int]:
        """The values of elements from which others are computed, these included, in order."""
        found: set[int] = set()
        waiting = [a for a in roots if isinstance(a, Value)]
        while waiting:
            value = int(waiting.pop())
            if value not in found and ELEMENT in self._axes[value]:
                found.add(value)
                waiting += [a for a in self._nest.operands_of(value) if isinstance(a, Value)]
        return sorted(found)

    def _name(self, argument: Argument) -> Operand:
        """A value's variable, two for a complex number, or a constant."""
        if isinstance(argument, Literal):
            return constant_operand(argument)
        name = f"v{int(argument)}"
        return (f"{name}r", f"{name}i") if self._nest.dtype_of(argument).is_complex else name

    def _steps(self, values: Iterable[int]) -> list[str]:
        """A declaration for each step; `failed` is set where an int is divided by zero."""
        lines = []
        for value in values:
            node = self._nest.nodes[value]
            if isinstance(node, ScalarStep):
                operands = tuple([self._name(a) for a in node.args])
                made = expression(node, tuple([self._nest.dtype_of(a) for a in node.args]), operands)
                lines.append(declared(value, node.dtype, made))
                if may_fail_at(self._nest, node, self._safe):
                    lines.append(f"failed |= {operands[1]} == 0;")
        return lines

    # ---- memory ---------------------------------------------------------------------------------

    def _offsets(
        self, walk: OperandWalk, position: str, size: str, step: str, letter: str,
        name: Callable[[int, str, str], str], loads: Sequence[int] | None = None,
    ) -> list[str]:  # fmt: skip
        """The coordinates of a position along a walk, and the offset there of each load.

        Args:
            walk: the axes.
            position: the variable that is the position.
            size, step, letter: what the names of sizes, of steps and of coordinates begin with.
            name: from a load, the type and the sum of its terms to the declaration of the offset.
            loads: the loads; None for all.
        """
        kind, last = "i32" if walk.is_short else "i64", len(walk.sizes)
        lines = [f"N {letter} = (N){position};"] if last else [f"const {kind} {letter}0 = ({kind}){position};"]
        for d in range(last, 0, -1):
            lines.append(f"const {kind} {letter}{d} = ({kind})({letter} % (N){size}{d}); {letter} /= (N){size}{d};")
        lines += [f"const {kind} {letter}0 = ({kind}){letter};"] if last else []
        for k in self._loads if loads is None else loads:
            terms = [f"{letter}{d}" if s == 1 else f"{letter}{d} * ({kind}){step}{k}_{d}"
                     for d, s in enumerate(walk.steps[k]) if s]  # fmt: skip
            lines.append(name(k, kind, " + ".join(terms) or "0"))
        return lines

    def _row_offset(self, k: int, kind: str, terms: str) -> str:
        return f"const i64 b{k} = {'start' if k in self._layout.dense else terms};"

    def _element_offset(self, k: int, kind: str, terms: str) -> str:
        return f"const i64 o{k} = b{k} + {terms};" if self._reductions else f"const {kind} o{k} = {terms};"

    def _row_load(self, k: int) -> str:
        dtype = self._nest.dtype_of_number(k)
        if dtype.is_complex:
            return declared(k, dtype, (f"p{k}[2 * b{k}]", f"p{k}[2 * b{k} + 1]"))
        return declared(k, dtype, f"p{k}[b{k}]{' != 0' if dtype.is_bool else ''}")

    def _load(self, k: int) -> tuple[str, str]:
        """The code that loads an operand at offset o: (before the loop over the elements of a piece, within it)."""
        dtype, width, steps = self._nest.dtype_of_number(k), self._layout.width, self._layout.elements.steps[k]
        kind, parts = memory_kind(dtype), 2 if dtype.is_complex else 1
        truth = " != 0" if dtype.is_bool else ""
        if (steps[-1] == 1 and width > 1) or (parts == 2 and width == 1 and self._layout.is_paired):
            vector, place = UNITS[dtype.size * width], f"p{k} + {'2 * ' if parts == 2 else ''}o{k}"
            union = f"union {{ {vector} all; {kind} one[{parts * width}]; }} q{k}"
            read: Operand = (f"q{k}.one[2 * e]", f"q{k}.one[2 * e + 1]") if parts == 2 else f"q{k}.one[e]{truth}"
            return f"{union}; q{k}.all = *(const {vector} *)({place});", declared(k, dtype, read)
        if not steps[-1] and parts == 1:
            return f"const {kind} q{k} = p{k}[o{k}];", declared(k, dtype, f"q{k}{truth}")
        step = "1" if steps[-1] == 1 else f"(i64)T{k}_{len(steps) - 1}"
        place = f"o{k} + {step} * e" if width > 1 and steps[-1] else f"o{k}"
        if parts == 2:
            return "", declared(k, dtype, (f"p{k}[2 * ({place})]", f"p{k}[2 * ({place}) + 1]"))
        return "", declared(k, dtype, f"p{k}[{place}]{truth}")

    def _store(self, store: Store) -> tuple[str, str, str]:
        """The code that stores a result, contiguous, at t: (before, within, after) the loop over the elements."""
        j, value, dtype = store.result, self._name(store.value), self._nest.dtype_of(store.value)
        kind, width = memory_kind(dtype), self._layout.width
        if isinstance(value, tuple):
            if not self._layout.is_paired:
                return "", f"r{j}[2 * (t + e)] = {value[0]}; r{j}[2 * (t + e) + 1] = {value[1]};", ""
            vector = UNITS[dtype.size * width]
            return (f"union {{ {vector} all; {kind} one[{2 * width}]; }} w{j};",
                    f"w{j}.one[2 * e] = {value[0]}; w{j}.one[2 * e + 1] = {value[1]};",
                    f"*({vector} *)(r{j} + 2 * t) = w{j}.all;")  # fmt: skip
        if width == 1:
            return "", f"r{j}[t] = ({kind}){value};", ""
        vector = UNITS[dtype.size * width]
        return (f"union {{ {vector} all; {kind} one[{width}]; }} w{j};", f"w{j}.one[e] = ({kind}){value};",
                f"*({vector} *)(r{j} + t) = w{j}.all;")  # fmt: skip

    def _row_store(self, store: Store) -> str:
        j, value, kind = store.result, self._name(store.value), memory_kind(self._nest.dtype_of(store.value))
        if isinstance(value, tuple):
            return f"r{j}[2 * row] = {value[0]}; r{j}[2 * row + 1] = {value[1]};"
        return f"r{j}[row] = ({kind}){value};"
