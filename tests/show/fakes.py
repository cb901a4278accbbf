"""The smallest graph that `picture_of` accepts, and random pictures for the layout's laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from penstock.show.content.picture import Arrow, ArrowKind, Box, LabelledConstant, Path, Picture


@dataclass(frozen=True, slots=True)
class FakeDType:
    """A dtype by name."""

    name: str


@dataclass(eq=False, slots=True)
class FakeTensor:
    """One output."""

    op: FakeOperation
    value_index: int
    dtype: FakeDType
    shape: str

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.value_index}"


@dataclass(eq=False, slots=True)
class FakeOperation:
    """A node; `value` is what a constant holds."""

    name: str
    type: str
    inputs: tuple[FakeTensor, ...] = ()
    control_inputs: tuple[FakeOperation, ...] = ()
    outputs: tuple[FakeTensor, ...] = ()
    value: np.ndarray | None = None

    def get_attr(self, name: str) -> np.ndarray:
        if name != "value" or self.value is None:
            raise ValueError(f"{self.name} has no attribute {name!r}")
        return self.value


@dataclass(slots=True)
class FakeGraph:
    """Operations in creation order."""

    operations: list[FakeOperation] = field(default_factory=list)

    def get_operations(self) -> list[FakeOperation]:
        return self.operations

    def add(
        self,
        name: str,
        type: str = "Add",
        inputs: Sequence[FakeTensor] = (),
        control: Sequence[FakeOperation] = (),
        outputs: Sequence[str] = ("(batch, 3)",),
        value: np.ndarray | None = None,
    ) -> FakeOperation:
        op = FakeOperation(name, type, tuple(inputs), tuple(control), value=value)
        op.outputs = tuple(FakeTensor(op, n, FakeDType("float32"), shape) for n, shape in enumerate(outputs))
        self.operations.append(op)
        return op


def dense_graph() -> FakeGraph:
    """x -> dense (matmul, add) -> out, with a summary nobody fetches and a control edge from init."""
    graph = FakeGraph()
    x = graph.add("x", "Placeholder")
    init = graph.add("init", "NoOp", outputs=())
    kernel = graph.add("dense/kernel", "Const", outputs=("(3, 4)",), value=np.zeros((3, 4), np.float32))
    bias = graph.add("dense/bias", "Const", outputs=("()",), value=np.full((), 0.5, np.float32))
    matmul = graph.add("dense/matmul", "MatMul", [x.outputs[0], kernel.outputs[0]], outputs=("(batch, 4)",))
    add = graph.add("dense/add", "Add", [matmul.outputs[0], bias.outputs[0]], outputs=("(batch, 4)",))
    graph.add("out", "Mul", [add.outputs[0], add.outputs[0]], [init], outputs=("(batch, 4)",))
    graph.add("summary/mean", "Mean", [add.outputs[0]], outputs=("()",))
    return graph


def _constants(number: int) -> tuple[LabelledConstant, ...]:
    """None for some boxes, up to six for the others."""
    names = [f"values[{n}]" for n in range(number % 9 - 2)]
    return tuple(LabelledConstant(f"n{number}/{name}", name, f"{name} = {'9' * number}") for name in names)


_SCOPES: tuple[Path, ...] = ((), ("a",), ("a", "b"), ("a", "b", "a"), ("c",), ("c", "b"), ("n1",))
_LABELS = ("", "float32 (3,)", "2 tensors", "float32 (batch, height, width, channels)")
_KINDS: tuple[ArrowKind, ...] = ("data", "data", "control")


@st.composite
def pictures(draw: DrawFn, most: int = 24) -> Picture:
    """Acyclic graphs in random scopes; between scopes there may be cycles, and arrows may repeat."""
    count = draw(st.integers(0, most))
    scopes = draw(st.lists(st.sampled_from(_SCOPES), min_size=count, max_size=count))
    boxes = tuple(
        Box(f"n{number}", "n" * (1 + number % 30), detail=("float32 (3,)",), group=scope, constants=_constants(number))
        for number, scope in enumerate(scopes)
    )
    arrows: list[Arrow] = []
    for target in range(1, count):
        for source in draw(st.lists(st.integers(0, target - 1), max_size=3)):
            label, kind = draw(st.sampled_from(_LABELS)), draw(st.sampled_from(_KINDS))
            arrows.append(Arrow(f"n{source}", f"n{target}", label, kind, type=draw(st.sampled_from(_LABELS))))
    return Picture("random", boxes, tuple(arrows))


def grid(columns: int, rows: int) -> Picture:
    """Independent chains side by side."""
    boxes = tuple(Box(f"c{c}r{r}", f"c{c}r{r}") for r in range(rows) for c in range(columns))
    arrows = tuple(Arrow(f"c{c}r{r}", f"c{c}r{r + 1}") for c in range(columns) for r in range(rows - 1))
    return Picture("grid", boxes, arrows)
