"""Import rules of TensorFlow's functional control flow: If, While, Case, and calls of functions of the library.

Branches and bodies become graphs inside ops. The nodes of a function that is called become nodes of the caller's graph,
in a scope with the name of the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....derivatives.backward import gradients
from ....errors import GraphFormatError
from ....graph.model.nodes import Operation, Tensor
from ....graph.model.subgraph import SubGraph
from ....graph.serial.error_text import short
from ....graph.serial.loaded_origins import LoadedOrigin
from ....graph.shapes.dtypes import bool_
from ....graph.shapes.shape import TensorShape
from ....ops.create.constant_and_placeholder import convert_to_tensor
from ...foreign_flow.flow_tree import FlowBlock
from ...foreign_flow.stack_roots import stack_roots
from ..bodies.body_builder import arguments, finished, new_body, read_block, settled_body
from ..bodies.choice_builder import Choice
from ..bodies.flow_builder import build_flow, is_plain
from ..bodies.function_library import Function, read_function
from ..foreign_node import ForeignNode, add_operation
from ..import_scope import ImportScope, Kept, Made, Value
from ..wire.tensor_proto import Unsupported, dtype_number

_DEEPEST_CALLS = 32

# ---- functions ----------------------------------------------------------------------------------


def called_function(s: ForeignNode, name: str) -> Function:
    """A function of the library.

    Raises:
        GraphFormatError: there is none of that name. Unsupported: it is being called already.
    """
    state = s.scope.state
    proto = state.functions.get(name)
    if proto is None:
        raise GraphFormatError(f"it calls the function {short(name)}, which is not in the library")
    if name in state.calls:
        raise Unsupported(f"the function {short(name)} calls itself; graphs here have no recursion")
    if len(state.calls) >= _DEEPEST_CALLS:
        raise GraphFormatError(f"functions call each other more than {_DEEPEST_CALLS} deep", code="file/limit")
    found = state.read_functions.get(name)
    if found is None:
        found = state.read_functions[name] = read_function(proto, state.functions)
    return found


def function_of(s: ForeignNode, attr: str) -> Function:
    """The function that an attribute names."""
    found = s.node.attr(attr)
    if found is None or found.func is None:
        raise GraphFormatError(f"its attribute {attr} names no function")
    return called_function(s, found.func.name)


def run_function(
    scope: ImportScope, function: Function, values: Sequence[Value], prefix: str, first: tuple[Operation, ...]
) -> ImportScope:
    """The scope of a function whose nodes are added to the graph of `scope`."""
    if len(values) != len(function.arguments):
        raise GraphFormatError(
            f"the function {short(function.name)} takes {len(function.arguments)} arguments, not {len(values)}"
        )
    tree, state = function.tree, scope.state
    inner = ImportScope(state, tree.index, tree.aliases, scope.rebuilder, None, prefix, first)
    inner.stack_roots = stack_roots(tree)
    inner.lost.update(tree.refused, tree.waiting)
    for place, (argument, value) in enumerate(zip(function.arguments, values, strict=True)):
        is_value = isinstance(value, Tensor) and not value.dtype.is_variant and value.op.opdef.facts.state != "holds"
        if is_value and argument.type and isinstance(value, Tensor) and dtype_number(value.dtype) != argument.type:
            raise GraphFormatError(
                f"the argument {short(argument.name)} of the function {short(function.name)} gets {value.dtype}, which "
                "is not its dtype"
            )
        inner.made[place] = Made(None, (value,))
    for number, reason in tree.refused.items():
        raise Unsupported(f"in the function {short(function.name)}, {tree.index.name(number)}: {reason}")
    state.calls.append(function.name)
    try:
        read_block(inner, without_arguments(function), build_flow, function.unneeded())
    finally:
        state.calls.pop()
    return inner


def without_arguments(function: Function) -> FlowBlock:
    """The nodes of a function; its arguments come first."""
    count = len(function.arguments)
    return FlowBlock(tuple([item for item in function.tree.top.items if not isinstance(item, int) or item >= count]))


def _call(s: ForeignNode, function: Function, values: Sequence[Value]) -> Made:
    """The nodes of a function, and one with the name of the call that has its results."""
    inner = run_function(s.scope, function, values, f"{s.true_name}/", s.controls)
    results = [inner.value(use) for use in function.results]
    after = tuple(dict.fromkeys([*s.controls, *inner.always_run(function.always)]))
    if not results:
        return Made(_add(s, "NoOp", (), after), ())
    if all(is_plain(value) or isinstance(value, Kept) for value in results):
        tensors = tuple([inner.tensor(use) for use in function.results])
        several = len(tensors) > 1
        op = _add(s, "IdentityN" if several else "Identity", (tensors if several else tensors[0],), after)
        return Made(op, tuple(op.outputs))
    return Made(_add(s, "NoOp", (), after) if after else None, tuple(results))


def _add(s: ForeignNode, type: str, args: tuple[Any, ...], controls: tuple[Operation, ...]) -> Operation:
    origin = LoadedOrigin(s.scope.state.file, s.number + 1, s.node.op)
    return add_operation(s.scope, s.true_name, type, args, controls, s.node.device, origin)


def _partitioned_call(s: ForeignNode) -> Made:
    return _call(s, function_of(s, "f"), s.values)


def called_by_name(s: ForeignNode) -> Made:
    """A node whose type is a function of the library."""
    return _call(s, called_function(s, s.node.op), s.values)


# ---- branches -----------------------------------------------------------------------------------


def _choice(s: ForeignNode, functions: Sequence[Function], labels: Sequence[str]) -> Choice:
    def build(scope: ImportScope, branch: int) -> list[Tensor]:
        inner = run_function(scope, functions[branch], s.values[1:], f"{s.true_name}/{labels[branch]}/", ())
        scope.always += inner.always_run(functions[branch].always)
        return [inner.tensor(use) for use in functions[branch].results]

    origin = LoadedOrigin(s.scope.state.file, s.number + 1, s.node.op)
    return Choice(s.true_name, origin, build, s.controls)


def _if(s: ForeignNode) -> Operation:
    if not s.uses:
        raise GraphFormatError("it has no condition")
    functions = [function_of(s, "else_branch"), function_of(s, "then_branch")]
    predicate = s.scope.tensor(s.uses[0])
    if predicate.dtype is not bool_:
        if predicate.shape.ndims != 0 or not predicate.dtype.is_numeric:
            raise Unsupported(f"its condition is {predicate.dtype} of shape {predicate.shape}, not a bool")
        (predicate,) = s.helper("pred", "NotEqual", predicate, s.constant("zero", np.zeros((), predicate.dtype.np)))
    return _choice(s, functions, ("else", "then")).between(s.scope, predicate, [1], [0], exact=True)


def _case(s: ForeignNode) -> Operation:
    names = [each.name for each in s.listed("branches").func]
    if not names or not s.uses:
        raise GraphFormatError("it has no branches")
    functions = [called_function(s, name) for name in names]
    labels = [f"branch_{i}" for i in range(len(names))]
    return _choice(s, functions, labels).among(s.scope, s.scope.tensor(s.uses[0]), len(names), exact=True)


# ---- loops --------------------------------------------------------------------------------------


def _while(s: ForeignNode) -> Operation | Made:
    cond, body = function_of(s, "cond"), function_of(s, "body")
    count = len(s.uses)
    if len(body.results) != count or len(cond.results) != 1:
        raise GraphFormatError(f"it has {count} loop variables; its body gives {len(body.results)} results, and its "
                               f"condition {len(cond.results)}")  # fmt: skip
    stays = _invariants(s, body)
    loop = _WhileCall(s, cond, body, stays)
    return loop.build()


def _invariants(s: ForeignNode, body: Function) -> list[bool]:
    """Which loop variables no iteration changes: the last ones, and others that are no tensors."""
    index = body.tree.index
    same = []
    for place, use in enumerate(body.results):
        while index.type(use.node) == "Identity" and index.data[use.node]:
            use = index.data[use.node][0]
        same.append(use.node == place)
    lifted = [each and not is_plain(value) for each, value in zip(same, s.values, strict=True)]
    for place in range(len(same) - 1, -1, -1):
        if not same[place]:
            break
        lifted[place] = True
    return lifted


class _WhileCall:
    """The building of one While."""

    def __init__(self, s: ForeignNode, cond: Function, body: Function, stays: list[bool]) -> None:
        self._s = s
        self._cond = cond
        self._body = body
        self._stays = stays
        self._origin = LoadedOrigin(s.scope.state.file, s.number + 1, s.node.op)

    def build(self) -> Made:
        """Add the While, and a node with the outputs of TensorFlow's where ours has others."""
        s = self._s
        changing = [place for place, stays in enumerate(self._stays) if not stays]
        first = [s.scope.tensor(s.uses[place]) for place in changing]
        names = [self._body.arguments[place].name for place in changing]
        body = settled_body(
            names,
            first,
            lambda shapes: self._graph("body", first, shapes, changing),
            lambda: s.helper("empty", "NoVariant", TensorShape(()))[0],
        )
        shapes = [t.shape for t in body.inputs[: len(first)]]
        goes_on = self._graph("cond", first, shapes, changing)
        args = arguments("While", limit=None, operands=first, cond=goes_on, body=body, variables=len(first))
        values = list(s.values)
        plain = all(is_plain(value) for value in values) and len(changing) < len(values)
        name = s.scope.free_name(f"{s.true_name}/loop") if plain else s.true_name
        op = add_operation(s.scope, name, "While", tuple(args), s.controls, s.node.device, self._origin)
        for place, value in zip(changing, op.outputs, strict=False):
            values[place] = value
        if not plain:
            return Made(op, tuple(values))
        tensors = tuple([s.scope.admitted(value) for value in values if isinstance(value, Tensor)])
        all_ = add_operation(s.scope, s.true_name, "IdentityN", (tensors,), (), s.node.device, self._origin)
        return Made(all_, tuple(values))

    def _graph(
        self, label: str, first: Sequence[Tensor], shapes: Sequence[TensorShape], changing: Sequence[int]
    ) -> SubGraph:
        s, function = self._s, self._body if label == "body" else self._cond
        body = new_body(s.scope, f"{s.true_name}/{label}")
        values: list[Value] = list(s.values)
        inputs = []
        for place, tensor, shape in zip(changing, first, shapes, strict=True):
            inputs.append(body.graph.stand_in(tensor, self._body.arguments[place].name, shape))
            values[place] = inputs[-1]
        inner = run_function(body.scope, function, values, f"{s.true_name}/{label}/", ())
        body.scope.always += inner.always_run(function.always)
        results = [function.results[place] for place in changing] if label == "body" else function.results
        chosen = [inner.tensor(use) for use in results]
        if label == "cond" and chosen[0].dtype is not bool_:
            raise Unsupported(f"its condition is {chosen[0].dtype}, not a bool")
        return finished(body, inputs, chosen)


def _symbolic_gradient(s: ForeignNode) -> Made:
    """The gradients of a function: of its results by its arguments, from those by its results."""
    function = function_of(s, "f")
    count = len(function.arguments)
    if len(s.uses) != count + len(function.results):
        raise GraphFormatError(f"it has {len(s.uses)} inputs, not {count + len(function.results)}")
    inputs = s.inputs
    inner = run_function(s.scope, function, inputs[:count], f"{s.true_name}/", s.controls)
    results = [inner.tensor(use) for use in function.results]
    around = s.scope.graph
    with around.as_default(), around.name_scope(f"{s.true_name}/backward/"):
        found = gradients(results, list(inputs[:count]), list(inputs[count:]))
    made = [s.helper("zeros", "ZerosLike", x, None)[0] if g is None else dense(g)
            for g, x in zip(found, inputs, strict=False)]  # fmt: skip
    op = _add(s, "IdentityN" if count > 1 else "Identity", (tuple(made) if count > 1 else made[0],), s.controls)
    return Made(op, tuple(op.outputs))


def dense(gradient: Any) -> Tensor:
    """A gradient as a tensor, which may be rows of one."""
    return gradient if isinstance(gradient, Tensor) else convert_to_tensor(gradient)


FUNCTION_NODES: dict[str, Callable[[ForeignNode], Any]] = {
    "Case": _case,
    "If": _if,
    "PartitionedCall": _partitioned_call,
    "StatefulPartitionedCall": _partitioned_call,
    "StatelessCase": _case,
    "StatelessIf": _if,
    "StatelessWhile": _while,
    "SymbolicGradient": _symbolic_gradient,
    "While": _while,
}


