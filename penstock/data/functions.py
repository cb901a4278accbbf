"""Functions of elements as graphs: what `map`, `filter` and their kin do with the function that a program gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..control_flow.tracing import traced
from ..control_flow.unneeded_effects import warn_of_unneeded_effects
from ..errors import DTypeError, UseError
from ..graph.model.nodes import Tensor
from ..graph.model.subgraph import SubGraph
from ..graph.shapes.dtypes import bool_, int64
from ..ops.datasets.dataset_decl import dataset_element
from ..ops.state.variable_ops import touched_by
from ..variables.read_kinds import captured_reads
from .structure import Structure, components, leaves, packed, parts_of, tensors_of, value_structure


class ElementFunction(NamedTuple):
    """A function of elements.

    Attributes:
        graph: the graph.
        operands: the tensors that its first inputs stand for; those that it captures are not among them.
        structure: the structure of what it gives.
    """

    graph: SubGraph
    operands: tuple[Tensor, ...]
    structure: Structure


def element_function(
    what: str,
    function: Callable[..., Any],
    dataset: Any,
    before: Sequence[Tensor] = (),
    arguments: Callable[[Sequence[Tensor], Any], Sequence[Any]] | None = None,
    results: Callable[[Any], Any] | None = None,
) -> ElementFunction:
    """The graph of a function of the elements of a dataset.

    Args:
        what: the call, such as "Dataset.map: map_func".
        function: what the program gave.
        dataset: the dataset.
        before: tensors that further inputs, in front of the element, stand for.
        arguments: the arguments of the function from those inputs and from the element; the element's parts without it.
        results: the value of the program's function from what it returned.
    """
    structure = dataset.element_structure
    node = dataset_element(dataset.variant_tensor, *components(structure), name="element")
    operands = (*before, *node.outputs)
    structures: list[Structure] = []

    def given(inputs: Sequence[Tensor]) -> Sequence[Any]:
        first = inputs[: len(before)]
        element = packed(structure, inputs[len(before) :])
        if arguments is not None:
            return arguments(first, element)
        return element if is_unpacked(element) else (element,)

    def tensors(value: Any) -> Any:
        if value is None:
            raise UseError(f"{what} returned None: return a tensor, or a structure of tensors")
        shape, values = value_structure(value if results is None else results(value), what)
        structures.append(shape)
        return tuple(tensors_of(values))

    with captured_reads():
        step = traced(what, function, operands, "function", None, given, tensors)
    _check_variables(what, step.graph)
    warn_of_unneeded_effects(what.partition(":")[0], [(what.partition(": ")[2], step)])
    return ElementFunction(step.graph, operands, structures[-1])


def _check_variables(what: str, graph: SubGraph) -> None:
    """UseError if a function of elements writes a variable, or reads one after a write."""
    for op in graph.operations:
        read, written = touched_by(op)
        if written or read:
            verb, name = ("writes", written[0]) if written else ("reads", read[0])
            raise UseError(f"{what} {verb} the variable {name!r} with {op.name!r}, {op.origin.made}. Elements are made "
                           "ahead of the steps that take them, with the values that variables had when the iterator "
                           "began; write variables in the step, from what get_next() gives")  # fmt: skip


def gives_its_argument(made: ElementFunction) -> bool:
    """Whether a function of elements returns what it gets, and does nothing else. TensorFlow makes no `map` of it, so
    that the stages beside it are neighbours.
    """
    graph, count = made.graph, len(made.operands)
    is_same = tuple(graph.outputs) == tuple(graph.inputs[:count])
    return is_same and not graph.targets and graph.effects.is_pure


def is_unpacked(element: Any) -> bool:
    """Whether the parts of an element are arguments of their own: those of a tuple are."""
    return isinstance(element, tuple) and not hasattr(element, "_fields")


def key_function(what: str, function: Callable[..., Any], dataset: Any) -> ElementFunction:
    """A function of elements that gives an int64 scalar.

    Raises:
        TypeError: it gives something else.
    """
    made = element_function(what, function, dataset)
    check_scalar(what, made.structure, int64)
    return made


def predicate_function(what: str, function: Callable[..., Any], dataset: Any) -> ElementFunction:
    """A function of elements that gives a bool scalar.

    Raises:
        TypeError: it gives something else.
    """
    made = element_function(what, function, dataset)
    check_scalar(what, made.structure, bool_)
    return made


def check_scalar(what: str, structure: Structure, dtype: Any) -> None:
    """Check that a function gives one scalar of a dtype.

    Raises:
        TypeError: it gives something else.
    """
    specs = list(leaves(structure))
    if len(specs) != 1 or parts_of(structure) is not None or getattr(specs[0], "dtype", None) is not dtype or specs[
            0].shape.ndims not in (0, None):  # fmt: skip
        kinds = ", ".join(f"{getattr(each, 'dtype', 'dataset')} {getattr(each, 'shape', '')}" for each in specs)
        function = what.rpartition(": ")[2]
        raise DTypeError(f"{function} must return a scalar of dtype {dtype}, and returns {kinds}")
