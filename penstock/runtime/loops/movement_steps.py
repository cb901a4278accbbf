"""Operations that only move elements, to places that are known when the code is written: reshape, transpose, concat.

No such operation is described a second time. Its own kernel runs once, on arrays whose elements are their positions;
the result tells where each element comes from:

    transpose([[1, 2, 3],    [[1, 4],
               [4, 5, 6]])    [2, 5],     element (i, j) of the result is element 1 + i + 3 * j of the operand
                              [3, 6]]

Positions that are linear in the indices make a view of the operand; others are copied piece by piece. Position 0 stands
for a zero, as in `pad`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from ...graph.declare.op_declaration import OPS, OpDef
from ..ir.scalar_ir import CannotLower
from ..ir.tiling import Shape
from .elementwise_steps import ElementwiseSteps
from .loop_code import LoopCode
from .loop_values import InMemory, Known, NeedsValue, Number, Value, dense, require_elements
from .nest_in_loop import contiguous, copy

MOST_ELEMENTS: Final = 1 << 16
"""The most elements of a result whose positions are computed."""
MOST_PIECES: Final = 64
_UNREAD: Final = np.dtype("V8")
"""Of arrays that stand for large operands: a system gives their memory when it is touched, and a view touches none."""
REPEATING: Final = frozenset(("BroadcastTo", "Fill", "Tile", "Pad", "StridedSliceGrad", "GatherNd"))
"""Ops whose results consist of elements of an operand, and zeros, besides those that declare that they move."""


def only_moves(opdef: OpDef[Any, Any]) -> bool:
    """True if each element of a result is an element of an operand, or zero."""
    return opdef.facts.moves or opdef.type in REPEATING


class MovementSteps:
    """Writes operations that move elements."""

    def __init__(self, code: LoopCode, elements: ElementwiseSteps) -> None:
        self._code = code
        self._elements = elements

    def results(self, op: str, args: Sequence[Any], place: str = "") -> list[Value]:
        """The results of an operation. `args` as in the signature: values, tuples of values and attributes.

        place: the address where a result that is no view has to lie in the end, "" if that does not matter.

        Raises:
            CannotLower: the places are known only in the run.
        """
        opdef = OPS[op]
        moved = opdef.out if isinstance(opdef.out, str) else opdef.operands[0][2].var
        sources: list[Value] = []
        given = list(args)
        for number, name, operand in opdef.operands:
            if operand.var == moved and not operand.host:
                given[number] = self._numbered(args[number], sources)
            else:
                given[number] = self._known(args[number], op, name, operand.host)
        made = opdef.kernels["*"](np, *given)
        each = made if isinstance(made, (list, tuple)) else [made]
        large = next((x for x in _arrays(given) if x.dtype == _UNREAD), None)
        if large is not None:
            return [self._view(m, large, sources) for m in each]
        return [self._placed(np.asarray(m, np.int64), sources, place) for m in each]

    def _numbered(self, arg: Any, sources: list[Value]) -> Any:
        if isinstance(arg, tuple):
            return [self._numbered(each, sources) for each in arg]
        start = 1 + sum(int(np.prod(s.shape)) for s in sources)
        require_elements(arg.shape)
        size = int(np.prod(arg.shape))
        sources.append(arg)
        if size > MOST_ELEMENTS:
            return np.empty(arg.shape, _UNREAD)
        return np.arange(start, start + size).reshape(arg.shape)

    def _known(self, arg: Any, op: str, name: str, is_host: bool) -> Any:
        if arg is None or isinstance(arg, Known):
            return None if arg is None else arg.array
        if isinstance(arg, tuple):
            return [self._known(each, op, name, is_host) for each in arg]
        raise NeedsValue(f"{name} of {op} is known only in the run")

    def _view(self, made: Any, whole: Any, sources: Sequence[Value]) -> Value:
        """The value that is a view of a large operand, as its kernel made one of an array whose memory is not read."""
        size = _UNREAD.itemsize
        first, rest = divmod(_address(made) - _address(whole), size)
        if len(sources) > 1 or made.dtype != _UNREAD or not 0 <= first < whole.size or rest:
            raise CannotLower(f"it moves more than {MOST_ELEMENTS} elements")
        steps = tuple([stride // size for stride in made.strides])
        return self._from_linear(made.shape, first, steps, sources[0])

    def _from_linear(self, shape: Shape, first: int, steps: Shape, source: Value) -> InMemory:
        block = contiguous(self._code, self._elements.block(source))
        item = block.dtype.size
        pointer = self._code.offset(block.pointer, first * item)
        view = InMemory(block.dtype, shape, pointer, tuple([step * item for step in steps]))
        if view.is_contiguous and first and shape[1:] == block.shape[1:] and block.pointer in self._code.captures:
            self._code.rows_of_captures[pointer] = block.pointer, first
        return view

    def _placed(self, places: Any, sources: Sequence[Value], place: str) -> Value:
        """The value whose elements come from these positions."""
        if places.size > MOST_ELEMENTS:
            raise CannotLower(f"it makes more than {MOST_ELEMENTS} elements")
        require_elements(places.shape)
        low, high = int(places.min()), int(places.max())
        start = 1
        for source in sources:
            size = int(np.prod(source.shape))
            if start <= low and high < start + size:
                found = self._from_one(places - start, source, size)
                return self._from_pieces(places, sources, place) if found is None else found
            start += size
        return self._from_pieces(places, sources, place)

    def _from_one(self, places: Any, source: Value, size: int) -> Value | None:
        """The result from elements of one operand; None if it is no view of it."""
        if places.shape == source.shape and np.array_equal(places.reshape(-1), np.arange(size)):
            return source
        if isinstance(source, Known):
            return Known(source.array.reshape(-1)[places])
        if places.size == size == 1:
            number = self._elements.number(source)
            return Number(number.dtype, places.shape, number.operand)
        steps = _linear(places)
        if steps is None:
            return None
        view = self._from_linear(places.shape, int(places.flat[0]), steps, source)
        return self._elements.number(view) if places.size == 1 else view

    def _from_pieces(self, places: Any, sources: Sequence[Value], place: str) -> Value:
        starts = np.cumsum([1, *[int(np.prod(s.shape)) for s in sources]])
        owner = np.searchsorted(starts, places, side="right")  # 0 for zeros
        code = self._code
        dtype = sources[0].dtype
        result = dense(dtype, places.shape, place) if place else code.intermediate(dtype, places.shape)
        item, strides = result.dtype.size, result.strides
        boxes = _boxes(places, owner, starts)
        if boxes is None:
            boxes, strides = _runs(places.reshape(-1), owner.reshape(-1), starts), (item,)
        blocks: dict[int, InMemory] = {}
        for box in boxes:
            to = code.offset(result.pointer, sum(i * stride for i, stride in zip(box.corner, strides, strict=True)))
            source = sources[box.owner - 1]
            if box.owner == 0:
                code.clear(to, box.shape[0] * item)
            elif isinstance(source, Number):
                code.store(result.dtype, source.operand, to)
            else:
                block = blocks.get(box.owner) or contiguous(code, self._elements.block(source))
                blocks[box.owner] = block
                steps = tuple([step * item for step in box.steps])
                copy(code, InMemory(result.dtype, box.shape, to, strides),
                     InMemory(result.dtype, box.shape, code.offset(block.pointer, box.base * item), steps))  # fmt: skip
        return self._elements.number(result) if places.size == 1 else result


def _arrays(args: Sequence[Any]) -> list[Any]:
    """The arrays among the arguments of a kernel."""
    lists = [arg if isinstance(arg, list) else [arg] for arg in args]
    return [each for one in lists for each in one if isinstance(each, np.ndarray)]


def _address(array: Any) -> int:
    """That of the first element."""
    place: int = array.__array_interface__["data"][0]
    return place


class _Box(NamedTuple):
    """The part of a result that comes from one operand: its corner and shape, and the linear positions inside."""

    owner: int
    corner: tuple[int, ...]
    shape: tuple[int, ...]
    base: int
    steps: tuple[int, ...]


def _boxes(places: Any, owner: Any, starts: Any) -> list[_Box] | None:
    """The result as one box for each operand; None if it has another form."""
    if not places.ndim:
        return None
    boxes = []
    for whose in np.unique(owner):
        if whose == 0:
            return None
        where = np.argwhere(owner == whose)
        corner, end = where.min(0), where.max(0) + 1
        inside = places[tuple(map(slice, corner, end))] - int(starts[whose - 1])
        steps = _linear(inside)
        if steps is None or inside.size != len(where):
            return None
        boxes.append(_Box(int(whose), tuple(corner.tolist()), inside.shape, int(inside.flat[0]), steps))
    return boxes


def _runs(flat: Any, owner: Any, starts: Any) -> list[_Box]:
    """The result, row-major, as elements that follow each other in an operand, or zeros.

    Raises:
        CannotLower: there are too many of them.
    """
    follows = np.where(owner[1:] == 0, owner[:-1] == 0, (flat[1:] == flat[:-1] + 1) & (owner[1:] == owner[:-1]))
    borders = [0, *(np.flatnonzero(~follows) + 1).tolist(), len(flat)]
    if len(borders) - 1 > MOST_PIECES:
        raise CannotLower(f"it moves elements in more than {MOST_PIECES} pieces")
    return [_Box(whose := int(owner[first]), (first,), (last - first,), int(flat[first]) - int(starts[whose - 1]), (1,))
            for first, last in pairwise(borders)]  # fmt: skip


def _linear(places: Any) -> tuple[int, ...] | None:
    """The step of the positions along each axis; None if they are not linear in the indices."""
    base = int(places.flat[0])
    steps = tuple([int(_second(places, k)) - base if n > 1 else 0 for k, n in enumerate(places.shape)])
    linear = np.full(places.shape, base)
    for k, step in enumerate(steps):
        linear += (np.arange(places.shape[k]) * step).reshape([-1 if i == k else 1 for i in range(places.ndim)])
    return steps if np.array_equal(linear, places) else None


def _second(places: Any, axis: int) -> Any:
    """The element after the first one along an axis."""
    index = [0] * places.ndim
    index[axis] = 1
    return places[tuple(index)]
