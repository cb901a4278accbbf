"""`Dataset.reduce` and the `scan` of datasets: functions of a state and an element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import DTypeError, ValueRuleError
from ..graph.model.nodes import Tensor
from ..ops.datasets.reduce_op import reduce_dataset
from .functions import element_function
from .structure import Structure, components, leaves, mapped, packed, tensors_of, value_structure


def state_function(
    what: str, function: Callable[..., Any], dataset: Any, initial_state: Any, results: Callable[[Any], Any]
) -> tuple[Any, Structure, list[Tensor]]:
    """The graph of a function of a state and an element; the structure of the state; its first tensors.

    Args:
        what: the call.
        function: what the program gave.
        dataset: the dataset.
        initial_state: the first state.
        results: from what the function returned to the value of the graph, the next state first.
    """
    structure, values = value_structure(initial_state, what)
    first = tensors_of(values)

    def arguments(state: Sequence[Tensor], element: Any) -> Sequence[Any]:
        return packed(structure, state), element  # a tuple too is one argument, as in TensorFlow

    made = element_function(what, function, dataset, first, arguments, results)
    return made, structure, first


def check_state(what: str, state: Structure, after: Structure) -> None:
    """Check that a function gives a state like the one before.

    Raises:
        TypeError: another dtype.
        ValueError: another structure.
    """

    def both(a: Any, b: Any) -> None:
        if type(a) is not type(b) or getattr(a, "dtype", None) is not getattr(b, "dtype", None):
            raise DTypeError(f"{what}: the element types for the new state must match the initial state. Expected "
                             f"{getattr(a, 'dtype', a)}; got {getattr(b, 'dtype', b)}.")  # fmt: skip

    if len(list(leaves(state))) != len(list(leaves(after))):
        raise ValueRuleError(f"{what}: the new state has another structure than the initial state")
    mapped(both, state, after)


def reduced(dataset: Any, initial_state: Any, function: Callable[..., Any]) -> Any:
    """See `Dataset.reduce`."""
    what = "Dataset.reduce: reduce_func"
    made, structure, _ = state_function(what, function, dataset, initial_state, lambda value: value)
    check_state(what, structure, made.structure)
    dtypes, _ = components(structure)
    count = [len(dtypes), len(made.operands) - len(dtypes)]
    outputs = reduce_dataset(dataset.variant_tensor, made.operands, made.graph, count)
    return packed(structure, outputs)
