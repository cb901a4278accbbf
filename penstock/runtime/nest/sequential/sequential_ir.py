"""The sequential nest: loops whose rounds depend on each other or on places that only a run knows.

Beside the nest of rows and elements (`nest_ir`), with the same numbered values and the steps of the scalar IR, it has
loops inside loops, places that are computed, values that live from round to round, and checks. Sums of rows at given
places:

    add(out, rows, index, sizes, count, row)
    %7 = sizes[0]  int64
    for i < count
      %9 = index[i*4]  int32
      %10 = astype(%9)  int64
      check %10 < %7, else i
      for c < row, each by itself
        ...
        out[%10*%8 + c*4] = %14
    count

A place is a sum of products, in bytes from the start of a parameter or from an address that was read. `nest_builder`
makes nests, `sequential_verifier` checks them, `sequential_writer` writes code; tests compare it with the same steps in
NumPy's numbers (`tests.runtime.nest.by_steps`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ....graph.common.quick_dataclass import dataclass
from ....graph.shapes.dtypes import DType, int64
from ...ir.fused_ir import Value
from ...ir.scalar_ir import Argument, Literal, ScalarStep


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of the function: memory, or an int if `is_number`; memory `of_array` is the object of a NumPy array.
    """

    name: str
    is_number: bool = False
    of_array: bool = False
    dtype: DType = int64

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class LoopPosition:
    """The number of the round of an axis, from 0 on."""

    axis: str
    dtype: DType = int64

    def __str__(self) -> str:
        return self.axis


@dataclass(frozen=True, slots=True)
class MemoryPlace:
    """Memory at `base`, a parameter or an address that was read, and so many bytes behind it: the sum of the products.
    """

    base: Value
    terms: tuple[tuple[Argument, Argument], ...]


@dataclass(frozen=True, slots=True)
class Read:
    """An element, or a row of `size` bytes that is only moved."""

    place: MemoryPlace
    dtype: DType
    size: Argument | None = None


@dataclass(frozen=True, slots=True)
class LocalValue:
    """A value that begins as `first`, wherever this is reached, and that `Keep` changes."""

    first: Argument
    dtype: DType


@dataclass(frozen=True, slots=True)
class Scratch:
    """Memory of the function's own: so many bytes, of any content; the value is its address."""

    size: int
    dtype: DType = int64

    def __str__(self) -> str:
        return f"{self.size} bytes of scratch"


Node: TypeAlias = Parameter | LoopPosition | Read | ScalarStep | LocalValue | Scratch


@dataclass(frozen=True, slots=True)
class Write:
    """`value` goes to `place`: a row that is `past_caches`, 64 bytes between places of as many, to memory at once."""

    place: MemoryPlace
    value: Argument
    past_caches: bool = False


@dataclass(frozen=True, slots=True)
class Keep:
    """The kept value number `kept` is `value` from here on."""

    kept: Value
    value: Argument


@dataclass(frozen=True, slots=True)
class BoundCheck:
    """Unless 0 <= value < bound, the function ends and gives `otherwise`."""

    value: Argument
    bound: Argument
    otherwise: Argument


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function, by name beside the nest or by its address, is called with addresses and ints; it gives nothing."""

    function: str | Value
    arguments: tuple[MemoryPlace | Argument, ...]


@dataclass(frozen=True, slots=True)
class When:
    """The statements run if the condition is true."""

    condition: Argument
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class For:
    """The statements for each position below `size`.

    Attributes:
        position: the value that is the position.
        size: the number of rounds.
        body: the statements.
        lanes: so many rounds at once, as one vector, as long as they fit; then the next of these numbers. What is read
            and written there lies side by side, forwards or backwards.
        together: so many rounds side by side, the same statements of each one after the other.
        is_parallel: no round reads what another one writes.
        vector: how many of such rounds LLVM is to make one vector of; 1: the loop stays as it is; 0 leaves it to LLVM.
    """

    position: Value
    size: Argument
    body: tuple[Statement, ...]
    lanes: tuple[int, ...] = ()
    together: tuple[int, ...] = ()
    is_parallel: bool = False
    vector: int = 0


@dataclass(frozen=True, slots=True)
class RepeatedBody:
    """The statements again and again, until one of them leaves."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """Go on behind the innermost `RepeatedBody` if the condition is true."""

    condition: Argument


@dataclass(frozen=True, slots=True)
class Fetch:
    """What lies at the place is brought near: it will be read soon."""

    place: MemoryPlace


Statement: TypeAlias = Value | Write | Keep | BoundCheck | FunctionCall | When | For | RepeatedBody | Leave | Fetch
"""A value as a statement is computed there."""


@dataclass(frozen=True, eq=False)
class SequentialNest:
    """A function: its parameters are the first values; it gives `result`. Value k is that of `nodes[k]`."""

    name: str
    nodes: tuple[Node, ...]
    body: tuple[Statement, ...]
    result: Argument

    def parameters(self) -> list[Parameter]:
        """The parameters in order."""
        return [node for node in self.nodes if isinstance(node, Parameter)]

    def dtype_of(self, argument: Argument) -> DType:
        """The dtype of a value or a constant."""
        return argument.dtype if isinstance(argument, Literal) else self.nodes[argument].dtype

    def __str__(self) -> str:
        head = f"{self.name}({', '.join(map(str, self.parameters()))})"
        return "\n".join([head, *self._lines(self.body, ""), self._word(self.result)])

    def _lines(self, body: Sequence[Statement], space: str) -> Iterator[str]:
        word = self._word
        for each in body:
            if isinstance(each, For):
                how = "".join([f", {n} in a vector" for n in each.lanes] + [f", {n} together" for n in each.together])
                how += ", each by itself" if each.is_parallel else ""
                how += f", vectors of {each.vector}" if each.vector > 1 else ""
                yield f"{space}for {word(each.position)} < {word(each.size)}{how}"
                yield from self._lines(each.body, f"{space}  ")
            elif isinstance(each, When):
                yield f"{space}when {word(each.condition)}"
                yield from self._lines(each.body, f"{space}  ")
            elif isinstance(each, RepeatedBody):
                yield f"{space}repeat"
                yield from self._lines(each.body, f"{space}  ")
            elif isinstance(each, Leave):
                yield f"{space}leave when {word(each.condition)}"
            elif isinstance(each, BoundCheck):
                yield f"{space}check {word(each.value)} < {word(each.bound)}, else {word(each.otherwise)}"
            elif isinstance(each, FunctionCall):
                words = [self._place(a) if isinstance(a, MemoryPlace) else word(a) for a in each.arguments]
                called = each.function if isinstance(each.function, str) else word(each.function)
                yield f"{space}{called}({', '.join(words)})"
            elif isinstance(each, Fetch):
                yield f"{space}fetch {self._place(each.place)}"
            elif isinstance(each, Write):
                how = ", past the caches" if each.past_caches else ""
                yield f"{space}{self._place(each.place)} = {word(each.value)}{how}"
            elif isinstance(each, Keep):
                yield f"{space}{each.kept} := {word(each.value)}"
            else:
                yield f"{space}{each} = {self._made(self.nodes[each])}"

    def _made(self, node: Node) -> str:
        if isinstance(node, Read):
            kind = node.dtype.name if node.size is None else f"{self._word(node.size)} bytes"
            return f"{self._place(node.place)}  {kind}"
        if isinstance(node, LocalValue):
            return f"kept, from {self._word(node.first)}  {node.dtype.name}"
        if isinstance(node, ScalarStep):
            return f"{node.primitive}({', '.join(map(self._word, node.args))})  {node.dtype.name}"
        return str(node)

    def _place(self, place: MemoryPlace) -> str:
        terms = ["*".join([self._word(a) for a in term if str(a) != "1"]) or "1" for term in place.terms]
        return f"{self._word(place.base)}[{' + '.join(terms) or '0'}]"

    def _word(self, argument: Argument) -> str:
        node = None if isinstance(argument, Literal) else self.nodes[argument]
        return str(node if isinstance(node, Parameter | LoopPosition) else argument)


def numbers_read(node: Node) -> list[Argument]:
    """The values and constants that a node reads."""
    if isinstance(node, Read):
        return [*of_place(node.place), *([] if node.size is None else [node.size])]
    return list(node.args) if isinstance(node, ScalarStep) else [node.first] if isinstance(node, LocalValue) else []


def of_place(place: MemoryPlace) -> list[Argument]:
    """The values and constants of a place."""
    return [place.base, *[argument for term in place.terms for argument in term]]


def arguments_of(each: Statement) -> list[Argument]:
    """The values and constants that a statement reads itself."""
    if isinstance(each, Write):
        return [*of_place(each.place), each.value]
    if isinstance(each, Keep):
        return [each.kept, each.value]
    if isinstance(each, BoundCheck):
        return [each.value, each.bound, each.otherwise]
    if isinstance(each, FunctionCall):
        of_calls = [each.function] if isinstance(each.function, Value) else []
        return [*of_calls, *[a for each_one in each.arguments for a in
                             (of_place(each_one) if isinstance(each_one, MemoryPlace) else [each_one])]]  # fmt: skip
    if isinstance(each, Fetch):
        return of_place(each.place)
    if isinstance(each, When | Leave):
        return [each.condition]
    return [each.size] if isinstance(each, For) else []
