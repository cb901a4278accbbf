"""Import rules of nodes that belong to TensorFlow's control flow: stacks, and what only says what comes after what.

A stack is a list (`ops.tensor_array.growing_lists`). Its handle carries nothing; the current value of each stack is
kept in the scope, and loops and conditionals that push or pop have it as one more loop variable or result
(`flow_builder`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....graph.shapes.shape import TensorShape
from ..foreign_node import ForeignNode
from ..import_scope import Handle, Made
from ..wire.tensor_proto import Unsupported


def _stack(s: ForeignNode) -> Made:
    sizes, none = s.constant("any", np.array(-1, np.int32)), s.constant("none", np.array(0, np.int32))
    op = s.add("ListReserve", sizes, none, s.attr("elem_type", "type"))
    s.scope.stacks[s.number] = op.outputs[0]
    return Made(op, (Handle("the handle of the stack", s.node.name),))


def _root(s: ForeignNode) -> int:
    root = s.scope.stack_roots.get(s.number)
    if root is None:
        raise Unsupported("the handle of its stack does not come from a node that makes one")
    return root


def _push(s: ForeignNode) -> Made:
    root = _root(s)
    value = s.scope.tensor(s.uses[1])
    kept = value
    if value.dtype.is_variant:  # a flow, which the backward loop only waits for
        kept = s.constant("flow", np.array(0, np.float32))
    op = s.add("ListPush", s.scope.stack(root), kept)
    s.scope.stacks[root] = op.outputs[0]
    dims = kept.shape.raw
    shape = TensorShape(None if dims is None else [d if isinstance(d, int) else None for d in dims])
    s.scope.state.pushed[root, s.scope.index] = shape
    return Made(op, (value,))


def _pop(s: ForeignNode) -> Made:
    root = _root(s)
    stack = s.scope.stack(root)
    shape = s.scope.state.pushed.get((root, s.scope.index), TensorShape(None))
    op = s.add("ListLast", stack, s.attr("elem_type", "type"), shape)
    s.scope.stacks[root] = s.helper("rest", "ListDropLast", stack)[0]
    return Made(op, tuple(op.outputs))


FLOW_NODES: dict[str, Callable[[ForeignNode], Any]] = {
    "ControlTrigger": lambda s: s.add("NoOp"),
    "DisableCopyOnRead": lambda s: s.add("NoOp"),
    "Stack": _stack,
    "StackClose": lambda s: s.add("NoOp"),
    "StackCloseV2": lambda s: s.add("NoOp"),
    "StackPop": _pop,
    "StackPopV2": _pop,
    "StackPush": _push,
    "StackPushV2": _push,
    "StackV2": _stack,
}
"""TensorFlow's node -> the rule that reads it."""
