"""Nodes and bodies as programs write them that build a saved graph again: `graph.export("g.py")`.

A call of an op may prepare its arguments, add constants and choose a name. These functions do none of that: the node
has the arguments and the whole name that are given, so that the graph is the one that was written. All checks of a call
are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...errors import UseError
from ..common.hooks import hooks
from ..common.tracebacks import hides_frames
from ..declare.op_declaration import find_op
from ..model.append import append_placeholder
from ..model.default_graph import get_default_graph
from ..model.nodes import Tensor
from ..model.subgraph import SubGraph
from ..shapes.shape import ShapeLike, as_shape, refined
from .builder import finished
from .capturing import InnerGraph, closed


@hides_frames
def node(type: str, /, *, name: str, **arguments: Any) -> Any:
    """Adds a node with exactly these arguments to the default graph.

    Args:
        type: the type of the op, such as "Add".
        name: its whole name, scopes included.
        arguments: tensors and values for all parameters of the op.

    Returns:
        What a call of the op returns.

    Raises:
        LookupError: no such op is declared.
        TypeError: a parameter is missing, unknown, or of another dtype.
        ValueError: the shapes do not fit, or the name is taken.

    >>> import penstock as tf
    >>> from penstock.extend import node
    >>> with tf.Graph().as_default():
    ...     two = tf.constant(2.0)
    ...     print(node("Add", x=two, y=two, name="tower/sum"))
    <Tensor 'tower/sum:0' float32 ()>
    """
    opdef = find_op(type)
    if arguments.keys() != set(opdef.parameters):
        raise UseError(f"node({type!r}): the arguments are {', '.join(arguments) or 'none'}; they must be those of the "
                       f"op: {', '.join(opdef.parameters) or 'none'}, and a name")  # fmt: skip
    args = [arguments[parameter] for parameter in opdef.parameters]
    for position, _, operand in opdef.operands:
        if operand.many and isinstance(args[position], list):
            args[position] = tuple(args[position])
    graph = get_default_graph()
    return graph.journal.all_or_nothing(_added, opdef, graph, args, name)


def _added(opdef: Any, graph: Any, args: list[Any], name: str) -> Any:
    full = graph.claim(f"{name}/")
    if full != name and any(op.name == name for op in graph.get_operations()):  # or they differ in letters' case
        raise UseError(f"node({opdef.type!r}, name={name!r}): the graph has an operation of that name already")
    return finished(opdef, graph, args, name, name)


@hides_frames
def body(
    function: Callable[..., Any],
    operands: Sequence[Tensor],
    name: str,
    *,
    inputs: Sequence[str],
    shapes: Sequence[ShapeLike] | None = None,
    captures: int = 0,
) -> SubGraph:
    """The graph inside an op, such as the body of a loop, of a function that builds it.

    Args:
        function: is called once, with a tensor for each operand. It returns the list of results, or two lists: the
            results, and the operations that run whether a result needs them or not.
        operands: the tensors for which the inputs stand.
        name: the scope of its operations.
        inputs: the whole names of the inputs.
        shapes: for each input its static shape, None for that of the operand.
        captures: how many of the last operands the body uses without being given them.

    Returns:
        A `SubGraph`.

    Raises:
        TypeError: there are not as many names as operands.
        ValueError: a placeholder is made inside.

    >>> import penstock as tf
    >>> from penstock.extend import body
    >>> with tf.Graph().as_default():
    ...     x = tf.constant(2.0)
    ...     print(body(lambda v: [tf.exp(v)], [x], "loop/body", inputs=["loop/body/v"]).inputs[0].name)
    loop/body/v:0
    """
    if len(inputs) != len(operands):
        raise UseError(f"body({name!r}): there are {len(operands)} operands, but {len(inputs)} names of inputs")
    graph = InnerGraph(get_default_graph(), name)
    stands = []
    for operand, called, shape in zip(operands, inputs, shapes or [None] * len(inputs), strict=True):
        known = operand.shape if shape is None else as_shape(shape)
        graph.claim(f"{called}/")  # two names may differ in letters' case
        made = append_placeholder(graph, operand.dtype, known, called, (graph.origin,))
        graph.outside[made] = operand
        if known.raw is not None and known.raw != operand.shape.raw:
            graph.refine(made, known, ())
        stands.append(made)
    with graph.as_default():
        found = function(*stands)
    results, targets = found if isinstance(found, tuple) else (found, [])
    graph.finalize()
    return closed(graph, stands, operands[len(operands) - captures :], results, stands, targets)


@hides_frames
def claim_shape(tensor: Tensor, shape: ShapeLike) -> None:
    """Gives a tensor exactly this static shape, which every run checks; `set_shape` may keep another unknown size.

    Args:
        tensor: a tensor.
        shape: a shape that does not contradict what is known.

    Raises:
        ValueError: it does.

    >>> import penstock as tf
    >>> from penstock.extend import claim_shape
    >>> with tf.Graph().as_default():
    ...     x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    ...     claim_shape(x, [y.shape[0]])
    ...     print(x.shape[0] == y.shape[0])
    True
    """
    wanted = as_shape(shape)
    _, said = refined(tensor.shape, wanted)
    tensor.graph.refine(tensor, wanted, said)


@hides_frames
def record(type: str, /, **fields: Any) -> Any:
    """A value of an attribute that is a record, such as an index: `record("Span", start=0, stop=None, step=None)`.

    Args:
        type: the name of the record.
        fields: its fields.

    Returns:
        The record.

    Raises:
        TypeError: there is no such record, or it has other fields.

    >>> from penstock.extend import record
    >>> print(record("Span", start=1, stop=None, step=2))
    1::2
    """
    kind = hooks.records.get(type)
    if kind is None:
        raise UseError(f"record({type!r}): there is no such record; there are {', '.join(sorted(hooks.records))}")
    return kind(**fields)
