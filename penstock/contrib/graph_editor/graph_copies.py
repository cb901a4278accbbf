"""Copies of parts of a graph, with other inputs.

A node's inputs never change, so that a copy is how a program gets a part with other inputs. Variables are not copied:
copies read and write those that there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ... import control_dependencies, get_default_graph, name_scope
from ...control_flow.structures import flat, packed
from ...errors import UseError
from ...graph.building.written_nodes import node
from ...graph.model.nodes import Operation, Tensor
from ...ops.declare.composite import reported_as_call
from ...variables.variable import Variable
from .graph_walks_of_programs import get_walks_intersection_ops
from .subgraph_views import SubGraphView


def _copied(view: SubGraphView, inputs: Mapping[Tensor, Tensor], dst_scope: str, src_scope: str) -> SimpleNamespace:
    """Copies of the operations of a view, each tensor of `inputs` replaced; what became of which."""
    tensors = dict(inputs)
    operations: dict[Operation, Operation] = {}
    prefix = f"{src_scope.rstrip('/')}/" if src_scope else ""
    scope = dst_scope.rstrip("/")
    for op in view.ops:
        if op.opdef.facts.state in ("holds", "reads"):
            continue
        name = op.name.removeprefix(prefix)
        arguments = {
            parameter: tuple([tensors.get(each, each) for each in arg]) if isinstance(arg, tuple) and arg
            and isinstance(arg[0], Tensor) else tensors.get(arg, arg) if isinstance(arg, Tensor) else arg
            for parameter, arg in zip(op.opdef.parameters, op.args, strict=True)
        }  # fmt: skip
        earlier = [operations.get(each, each) for each in op.control_inputs]
        with name_scope(None), control_dependencies(None), control_dependencies(earlier):
            full = op.graph.unique_name(f"{scope}/{name}" if scope else name, mark_as_used=False)
            node(op.type, name=full, **arguments)
        twin = op.graph.get_operation_by_name(full)
        operations[op] = twin
        tensors.update(zip(op.outputs, twin.outputs, strict=True))
    return SimpleNamespace(_transformed_ops=operations, _transformed_ts=tensors,
                           transformed=lambda top: operations.get(top) or tensors.get(top))  # fmt: skip


def _view(sgv: Any) -> SubGraphView:
    return sgv if isinstance(sgv, SubGraphView) else SubGraphView(sgv)


def _scope_of(dst_scope: str, reuse_dst_scope: bool, graph: Any) -> str:
    """The name scope of copies, made unique unless it is to be shared."""
    if not dst_scope or reuse_dst_scope:
        return dst_scope
    with graph.as_default(), name_scope(dst_scope) as scope:
        return scope or dst_scope


def _check_graph(call: str, view: SubGraphView, dst_graph: Any) -> None:
    graph = dst_graph or get_default_graph()
    if dst_graph is not None and view.ops and graph is not view.graph:
        raise UseError(f"{call}: dst_graph is another graph; copies stay in the graph of the originals. For another "
                       "graph write tf.import_graph_def(graph.as_graph_def(), ...)")  # fmt: skip


@reported_as_call("copy")
def copy(
    sgv: Any, dst_graph: Any = None, dst_scope: str = "", src_scope: str = "", reuse_dst_scope: bool = False
) -> tuple[SubGraphView, Any]:
    """Copies operations; the copies read what the originals read.

    Args:
        sgv: a `SubGraphView`, or operations.
        dst_graph: the graph of the originals, or None for it.
        dst_scope: the name scope of the copies, made unique.
        src_scope: the name scope that the names of the copies lose.
        reuse_dst_scope: whether the copies go into an existing scope.

    Returns:
        A view of the copies, and an object whose `transformed(x)` is the copy of an operation or tensor.

    Raises:
        ValueError: `dst_graph` is another graph.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.exp(tf.constant([1.0]), name="y")
    ...     copies, info = tf.contrib.graph_editor.copy(y.op, dst_scope="again")
    ...     print(info.transformed(y))
    <Tensor 'again/y:0' float32 (1,)>

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.copy`.
    """
    return copy_with_input_replacements(sgv, {}, dst_graph, dst_scope, src_scope, reuse_dst_scope)


@reported_as_call("copy_with_input_replacements")
def copy_with_input_replacements(
    sgv: Any, replacement_ts: Mapping[Any, Any], dst_graph: Any = None, dst_scope: str = "", src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, Any]:  # fmt: skip
    """Copies operations; the copies read other tensors where a replacement is stated.

    Args:
        sgv: a `SubGraphView`, or operations.
        replacement_ts: what the originals read -> what the copies read.
        dst_graph: the graph of the originals, or None for it.
        dst_scope: the name scope of the copies, made unique.
        src_scope: the name scope that the names of the copies lose.
        reuse_dst_scope: whether the copies go into an existing scope.

    Returns:
        A view of the copies, and an object whose `transformed(x)` is the copy of an operation or tensor.

    Raises:
        TypeError: a replacement has another dtype.
        ValueError: `dst_graph` is another graph, or a shape does not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0])
    ...     y = tf.square(x + 1.0)
    ...     part = tf.contrib.graph_editor.sgv([y.op, y.op.inputs[0].op])
    ...     _, info = tf.contrib.graph_editor.copy_with_input_replacements(part, {x: tf.constant([3.0])})
    ...     print(session.run(info.transformed(y)))
    [16.]

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.copy_with_input_replacements`.
    """
    view = _view(sgv)
    _check_graph("copy_with_input_replacements", view, dst_graph)
    with view.graph.as_default():
        scope = _scope_of(dst_scope, reuse_dst_scope, view.graph)
        info = _copied(view, _replacements(replacement_ts), scope, src_scope)
    return SubGraphView(list(info._transformed_ops.values())), info


def _replacements(replacement_ts: Mapping[Any, Any]) -> dict[Tensor, Tensor]:
    return {_tensor(old): _tensor(new) for old, new in replacement_ts.items()}


def _tensor(each: Any) -> Tensor:
    tensor: Any = each.value() if isinstance(each, Variable) else each
    if not isinstance(tensor, Tensor):
        raise UseError(f"replacement_ts: {each!r:.60} is no tensor; it maps tensors to tensors")
    return tensor


@reported_as_call("graph_replace")
def graph_replace(
    target_ts: Any, replacement_ts: Mapping[Any, Any], dst_scope: str = "", src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:  # fmt: skip
    """What tensors would be if others were replaced: copies of all operations in between.

    Args:
        target_ts: a tensor, or a structure of tensors.
        replacement_ts: tensors -> what stands in their places. A variable stands for its value.
        dst_scope: the name scope of the copies, made unique.
        src_scope: the name scope that the names of the copies lose.
        reuse_dst_scope: whether the copies go into an existing scope.

    Returns:
        A structure like `target_ts`: of copies, or of the tensors themselves where they depend on nothing replaced.

    Raises:
        TypeError: a replacement has another dtype.
        ValueError: no target depends on what is replaced, or a shape does not fit.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(2.0)
    ...     loss = tf.square(w * 3.0)
    ...     later = tf.contrib.graph_editor.graph_replace(loss, {w: w - 0.1 * tf.gradients(loss, w)[0]})
    ...     session.run(tf.global_variables_initializer())
    ...     print(session.run([loss, later]))
    [np.float32(36.0), np.float32(23.04)]

    Source: TensorFlow 1.x, `tf.contrib.graph_editor.graph_replace`.
    """
    replaced = _replacements(replacement_ts)
    targets: Sequence[Any] = [_tensor(each) for each in flat(target_ts)]
    if not targets or not replaced:
        raise UseError("graph_replace: there are no targets, or no replacements")
    between = get_walks_intersection_ops(list(replaced), list(targets))
    if not between:
        raise ValueError("graph_replace: Targets and replacements are not connected: no target depends on "
                         f"{', '.join(t.name for t in replaced)}")  # fmt: skip
    view = SubGraphView(between)
    with view.graph.as_default():
        info = _copied(view, replaced, _scope_of(dst_scope, reuse_dst_scope, view.graph), src_scope)
    return packed(target_ts, [info._transformed_ts.get(each, each) for each in targets])
