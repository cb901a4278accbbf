"""What updates of optimizers start from: the value that the write before them has left.

An update reads a variable and writes it. As the first update of a variable reads the value at the start of the run, a
graph with one update has no further node. Later ones read with `latest_value`, so that two updates in one run follow
each other, as two `assign_add` do.
"""

from __future__ import annotations

from ..errors import GraphError
from ..graph.model.nodes import Graph, Operation, Tensor
from ..ops.state.variable_ops import latest_value, touched_by
from .variable import Variable
from .variable_node import name_below


class LatestValues:
    """The values of variables after the writes that a graph has so far.

    Args:
        graph: the graph.
    """

    __slots__ = ("_writes",)

    def __init__(self, graph: Graph) -> None:
        self._writes: dict[str, list[Operation]] = {}
        for op in graph.get_operations():
            if not op.opdef.is_pure:
                for resource in touched_by(op)[1]:
                    self._writes.setdefault(resource, []).append(op)

    def note(self, write: Operation) -> None:
        """Count a write that was added since."""
        resource: str = write.args[write.opdef.parameters.index("resource")]
        self._writes.setdefault(resource, []).append(write)

    def of(self, variable: Variable) -> Tensor:
        """The value of a variable after the writes so far; those among them that a run needs."""
        initializer = _initializer_of(variable)
        if all(write is initializer for write in self._writes.get(variable.resource, ())):
            return variable.as_operand()
        value: Tensor = latest_value(
            variable.resource, variable.dtype, variable.shape, name=name_below(variable, "latest")
        )
        return value


def _initializer_of(variable: Variable) -> Operation | None:
    try:
        return variable.initializer
    except GraphError:  # a variable of a file that has none
        return None
