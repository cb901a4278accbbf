"""One of several branches, by a bool or by a number: `If` inside `If` where there are more than two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....graph.common.quick_dataclass import dataclass
from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.serial.loaded_origins import LoadedOrigin
from ....graph.shapes.dtypes import float32
from ....graph.shapes.shape import TensorShape
from ..foreign_node import add_operation
from ..import_scope import ImportScope
from .body_builder import arguments, finished, new_body


@dataclass(frozen=True, slots=True)
class Choice:
    """Adds the nodes of one choice.

    Attributes:
        name: of the outermost If.
        origin: of all nodes.
        build: adds the nodes of a branch to a scope, and gives its results.
    """

    name: str
    origin: LoadedOrigin
    build: Callable[[ImportScope, int], list[Tensor]]
    controls: tuple[Operation, ...] = ()
    labels: tuple[str, str] = ("then", "else")

    def between(
        self, scope: ImportScope, predicate: Tensor, yes: list[int], no: list[int], exact: bool = False
    ) -> Operation:
        """An If between two groups of branches."""
        then, otherwise = self._body(scope, self.labels[0], yes), self._body(scope, self.labels[1], no)
        kinds = [(a.dtype, b.dtype) for a, b in zip(then.outputs, otherwise.outputs, strict=False)]
        empty = [i for i, pair in enumerate(kinds) if float32 in pair and any(each.is_variant for each in pair)]
        if empty:  # one branch gives a TensorArray, the other a flow that no array has reached
            then = self._body(scope, self.labels[0], yes, [i for i in empty if kinds[i][0] is float32])
            otherwise = self._body(scope, self.labels[1], no, [i for i in empty if kinds[i][1] is float32])
        name = self.name if exact else scope.free_name(self.name)
        args = arguments("If", pred=predicate, operands=[], then_branch=then, else_branch=otherwise)
        return add_operation(scope, name, "If", tuple(args), self.controls, "", self.origin)

    def among(self, scope: ImportScope, number: Tensor, count: int, exact: bool = False) -> Operation:
        """Ifs that find the branch of a number; outside of the range it is the last one."""
        last = self.constant(scope, np.array(count - 1, number.dtype.np))
        from_0 = self.add(scope, "from_0", "GreaterEqual", number, self.constant(scope, np.array(0, number.dtype.np)))
        is_in = self.add(scope, "in_range", "LogicalAnd", from_0, self.add(scope, "to_last", "LessEqual", number, last))
        place = self.add(scope, "branch", "Select", is_in, number, last)
        return self._among(scope, place, list(range(count)), exact)

    def _among(self, scope: ImportScope, place: Tensor, branches: list[int], exact: bool = False) -> Operation:
        half = (len(branches) + 1) // 2
        bound = branches[half] if half < len(branches) else branches[0] + 1  # of one branch both groups are that one
        limit = self.constant(scope, np.array(bound, place.dtype.np))
        is_low = self.add(scope, "is_low", "Less", place, limit)
        inner = Choice(self.name, self.origin, self._deeper(place), self.controls, self.labels)
        return inner.between(scope, is_low, branches[:half], branches[half:] or branches[:half], exact)

    def _deeper(self, place: Tensor) -> Callable[[ImportScope, Any], list[Tensor]]:
        def build(scope: ImportScope, branches: Any) -> list[Tensor]:
            if isinstance(branches, int):
                return self.build(scope, branches)
            inner = Choice(self.name, self.origin, self.build, (), self.labels)
            return list(inner._among(scope, scope.graph.admit(place), branches).outputs)

        return build

    def _body(self, scope: ImportScope, label: str, branches: list[int], empty: Sequence[int] = ()) -> SubGraph:
        body = new_body(scope, f"{self.name}/{label}")
        build: Any = self.build
        outputs = build(body.scope, branches[0] if len(branches) == 1 else branches)
        for place in empty:
            outputs[place] = self.add(body.scope, "empty", "NoVariant", TensorShape(()))
        return finished(body, [], outputs)

    def constant(self, scope: ImportScope, array: Any) -> Tensor:
        """A constant beside the branches or inside one."""
        return self.add(scope, "constant", "Const", array)

    def add(self, scope: ImportScope, label: str, type: str, *args: Any) -> Tensor:
        """A helper."""
        name = scope.free_name(f"{self.name}/{label}")
        return add_operation(scope, name, type, args, (), "", self.origin).outputs[0]
