"""A part of a graph, with the tensors that go in and come out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import get_default_graph
from ...graph.common.not_copyable import NotCopyable
from ...graph.model.nodes import Operation, Tensor
from .graph_walks_of_programs import tensors_between
from .selected_operations import flat_items, get_name_scope_ops, select_ops


class SubGraphView(NotCopyable):
    """A part of a graph: some operations, the tensors that they read from others, and those that they make for others.

    Args:
        inside_ops: the operations.
        passthrough_ts: no effect.

    Raises:
        TypeError: something else is in the list.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     x = tf.constant([1.0], name="x")
    ...     y = tf.exp(tf.negative(x, name="n"), name="y")
    ...     part = tf.contrib.graph_editor.sgv("n", y.op)
    ...     print(part.ops, part.inputs, part.outputs)
    (<Operation 'n' Neg>, <Operation 'y' Exp>) (<Tensor 'x:0' float32 (1,)>,) (<Tensor 'y:0' float32 (1,)>,)

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.SubGraphView`.
    """

    _fetch_instead = "fetch one of its outputs"
    _uncopied = ("it is part of a graph", "Use the view itself.")

    def __init__(self, inside_ops: Any = (), passthrough_ts: Sequence[Tensor] = ()) -> None:
        chosen = [op for op in flat_items(inside_ops) if isinstance(op, Operation)]
        self.sgv_ops = tuple(sorted(dict.fromkeys(chosen), key=lambda op: op.index))
        inputs, outputs = tensors_between(self.sgv_ops)
        self._inputs, self._outputs = tuple(inputs), tuple(outputs)

    @property
    def ops(self) -> tuple[Operation, ...]:
        """The operations, in order of creation."""
        return self.sgv_ops

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors that they read and others make."""
        return self._inputs

    @property
    def outputs(self) -> tuple[Tensor, ...]:
        """The tensors that they make and that others, or no operation at all, read."""
        return self._outputs

    @property
    def graph(self) -> Any:
        """The graph."""
        return self.sgv_ops[0].graph if self.sgv_ops else get_default_graph()

    def find_op_by_name(self, op_name: str) -> Operation:
        """The operation of a name.

        Args:
            op_name: the name.

        Returns:
            An operation.

        Raises:
            ValueError: there is none in this part.
        """
        for op in self.sgv_ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not found in this part of the graph, whose operations are "
                         f"{', '.join(op.name for op in self.sgv_ops[:8])}")  # fmt: skip

    def is_passthrough(self, t: Tensor) -> bool:
        """Whether a tensor goes in and comes out unchanged.

        Args:
            t: the tensor.

        Returns:
            False: a view is made of operations.
        """
        return False

    def __len__(self) -> int:
        return len(self.sgv_ops)

    def __bool__(self) -> bool:
        return bool(self.sgv_ops)

    def __repr__(self) -> str:
        return f"<SubGraphView of {len(self.sgv_ops)} operations>"


def sgv(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view of the operations that `select_ops` chooses.

    Args:
        args: as of `select_ops`.
        kwargs: as of `select_ops`.

    Returns:
        A `SubGraphView`.

    Raises:
        TypeError: something else is passed.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.sgv`.
    """
    return SubGraphView(select_ops(*args, **kwargs))


def sgv_scope(scope: str, graph: Any) -> SubGraphView:
    """A view of the operations of a name scope.

    Args:
        scope: the name of the scope.
        graph: the graph.

    Returns:
        A `SubGraphView`.

    Raises:
        TypeError: it is no graph.

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.sgv_scope`.
    """
    return SubGraphView(get_name_scope_ops(graph, scope))
