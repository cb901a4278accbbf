"""Calls of the program's functions that become graphs inside ops: what they may return, and in which words it is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import BuildError, UseError
from ..graph.building.capturing import input_names, subgraph
from ..graph.model.default_graph import get_default_graph
from ..graph.model.nodes import Graph, Operation, Tensor
from ..graph.model.subgraph import SubGraph
from ..graph.shapes.dimension import Symbol
from ..graph.shapes.shape import TensorShape
from ..ops.create.constant_and_placeholder import constant, convert_to_tensor
from ..ops.declare.held_graphs import outer_symbols
from .call_errors import called, check_result
from .structures import flat, leaf_names, packed


class TracedFunction:
    """A function of tensors as a graph.

    Attributes:
        graph: the graph.
        structure: what the function returned, with tensors of the graph as its leaves.
        outside: the operations among what it returned that were built outside of it.
        unneeded: the operations that it built and that no result needs.
    """

    __slots__ = ("graph", "outside", "structure", "unneeded")

    def __init__(
        self, graph: SubGraph, structure: Any, outside: Sequence[Operation], unneeded: Sequence[Operation]
    ) -> None:
        self.graph = graph
        self.structure = structure
        self.outside = outside
        self.unneeded = unneeded


def traced(
    label: str,
    function: Callable[..., Any],
    operands: Sequence[Tensor],
    name: str,
    shapes: Sequence[TensorShape | None] | None = None,
    arguments: Callable[[Sequence[Tensor]], Sequence[Any]] = lambda tensors: tensors,
    results: Callable[[Any], Any] = lambda structure: structure,
    called_with: Sequence[Any] | None = None,
) -> TracedFunction:
    """A function of the program, called once.

    Args:
        label: the call and the argument, such as "cond: true_fn".
        function: what the program gave.
        operands: the tensors that the graph's inputs stand for.
        name: the scope of the operations inside.
        shapes: the static shapes of the inputs, where they are not those of the operands.
        arguments: the arguments of the function, from the inputs.
        results: what is done to the returned structure, inside the graph.
        called_with: the arguments with operands as their leaves, where an argument may be a structure of several: the
            inputs are called after parameters and keys.

    Raises:
        TypeError: it is no function, or gives what is no tensor.
    """
    if not callable(function):
        raise UseError(f"{label} must be callable, not {function!r}: give a function that builds the graph, such as "
                       "lambda: x + 1.0")  # fmt: skip
    kept: list[Any] = []
    outside: list[Operation] = []
    inside: list[Graph] = []

    def body(*inputs: Tensor) -> list[Tensor]:
        found = results(called(label, function, arguments(inputs)))
        here = get_default_graph()
        inside.append(here)
        outside.extend([leaf for leaf in flat(found) if isinstance(leaf, Operation) and leaf.graph is not here])
        leaves = [_leaf(label, leaf) for leaf in flat(found)]
        kept.append(packed(found, leaves))
        return leaves

    graph = subgraph(body, operands, name, shapes, _names(function, operands, called_with))
    leaves = iter(graph.outputs)
    needed = set(graph.operations)
    unneeded = [op for op in inside[-1].get_operations() if op not in needed]
    return TracedFunction(graph, packed(kept[-1], list(leaves)), outside, unneeded)


def _names(function: Callable[..., Any], operands: Sequence[Tensor], called_with: Sequence[Any] | None) -> list[str]:
    """A name for each input: that of the function's parameter, with keys where that is a structure."""
    if called_with is not None:
        names: dict[Tensor, list[str]] = {}
        for name, argument in zip(input_names(function, len(called_with)), called_with, strict=True):
            for leaf, leaf_name in zip(flat(argument), leaf_names(argument, name), strict=True):
                names.setdefault(leaf, []).append(leaf_name)
        if sum(map(len, names.values())) == len(operands) and all(each in names for each in operands):
            return [names[each].pop(0) for each in operands]
    count = len(operands)
    found = input_names(function, count + 1)
    is_one_each = found[count] == f"input_{count}" and f"input_{count - 1}" not in found
    return found[:count] if is_one_each else [f"input_{i}" for i in range(count)]


def sizes_outside(body: SubGraph) -> set[Symbol]:
    """The unknown sizes inside a body that are sizes outside, too: those of what it captures."""
    return outer_symbols(body.captures, body.inputs[len(body.inputs) - len(body.captures) :])


def _leaf(label: str, value: Any) -> Tensor:
    """A result as a tensor; an operation counts as a bool that is there when it has run."""
    if isinstance(value, Operation):
        with get_default_graph().control_dependencies([value]):  # of an operation outside: the body waits for it
            return constant(True, name="ran")
    check_result(label, value)
    try:
        found: Tensor = convert_to_tensor(value)
    except BuildError as error:
        error.attempt = error.attempt or f"the result of {label}"
        raise
    return found
