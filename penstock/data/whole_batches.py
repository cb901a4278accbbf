"""`map` before `batch` as one pass over the batch, where that gives the same bits.

    dataset.map(f).batch(n)        dataset.batch(n).map(f on all rows)

That is so if each operation of f works element by element and cannot fail: the rule of `runtime.passes.whole_rows`, by
which the loop over the rows of a batch becomes f on all rows when it is planned. Other operations say themselves what
they do with a batch (`graph.declare.batched`), such as parsing. Such a pass may fail, for all rows because of one; then
the function is called for each element, as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..errors import BuildError
from ..graph.building.builder import build
from ..graph.building.capturing import subgraph
from ..graph.model.nodes import Operation, Tensor
from ..graph.model.subgraph import SubGraph
from ..ops.control.while_op import while_op
from ..ops.create.constant_and_placeholder import constant
from ..ops.create.shape_size_rank import shape
from ..ops.datasets import function_ops
from ..ops.datasets.dataset_decl import dataset_element
from ..runtime.passes.whole_rows import computes_whole_rows, gives_equal_bits
from .functions import ElementFunction
from .structure import TensorSpec, components, leaves


class NotBatched(Exception):
    """A function of elements has to be called for each."""


class Mapped(NamedTuple):
    """What a dataset that `map` made is made of.

    Attributes:
        dataset: the dataset before.
        function: the function.
        calls: how many elements are worked on at the same time; None for one.
    """

    dataset: Any
    function: ElementFunction
    calls: Any


def mapped_in_batches(dataset: Any, batch_size: Any, drop_remainder: Any) -> Tensor | None:
    """The batches of a dataset that `map` made, by one call of the function for each; None if it needs one for each
    element.
    """
    if dataset.mapped is None or not may_have_whole_rows(dataset.mapped):
        return None
    journal = dataset.variant_tensor.op.graph.journal
    try:
        found: Tensor = journal.all_around_or_nothing(_whole_batches, dataset, batch_size, drop_remainder)
    except NotBatched:
        return None
    return found


def _whole_batches(dataset: Any, batch_size: Any, drop_remainder: Any) -> Tensor:
    mapped: Mapped = dataset.mapped
    journal = dataset.variant_tensor.op.graph.journal

    def by_loop() -> Tensor:
        batches = mapped.dataset.batch(batch_size, drop_remainder)
        return map_node(batches, rows_function(mapped, batches), mapped.calls, all_rows=True)

    with suppress(NotBatched):
        found: Tensor = journal.all_around_or_nothing(by_loop)
        return found
    batches = mapped.dataset.batch(batch_size)  # a smaller one that is left out may hold an error
    whole = map_node(batches, batched_function(mapped, batches), mapped.calls)
    return function_ops.map_batches_dataset(whole, dataset.variant_tensor, batch_size, drop_remainder)


def map_node(dataset: Any, made: ElementFunction, calls: Any, all_rows: bool = False) -> Tensor:
    """The node of `map`.

    calls: how many elements are worked on at the same time; None for one.
    all_rows: whether it does for the rows of batches what the program's function does for elements.
    """
    count = [len(made.operands)]
    if calls is None:
        return function_ops.map_dataset(dataset.variant_tensor, made.operands, made.graph, count, all_rows)
    return function_ops.parallel_map_dataset(dataset.variant_tensor, made.operands, calls, made.graph, count, all_rows)


def may_have_whole_rows(mapped: Mapped) -> bool:
    """Whether it is worth to look: nothing but tensors of known shapes, and no effects."""
    own = mapped.function
    specs = [*leaves(mapped.dataset.element_structure), *leaves(own.structure)]
    return own.graph.effects.is_pure and all(isinstance(s, TensorSpec) and s.shape.raw is not None for s in specs)


def rows_function(mapped: Mapped, batches: Any) -> ElementFunction:
    """The function of a `map` on all elements of a batch, which cannot fail.

    batches: the dataset of batches of the elements before.

    Raises:
        NotBatched: it has to run element by element.
    """
    own = mapped.function
    specs = [*leaves(mapped.dataset.element_structure), *leaves(own.structure)]
    if not all(isinstance(spec, TensorSpec) and spec.shape.is_known for spec in specs):
        raise NotBatched
    element = dataset_element(batches.variant_tensor, *components(batches.element_structure), name="element")
    count = len(element.outputs)

    def on_rows(*rows: Tensor) -> list[Tensor]:
        always = subgraph(lambda *inputs: [constant(True)], own.operands[:count], "cond")
        return list(while_op(None, rows, always, own.graph, 0, count, name="rows")[:-1])

    graph = subgraph(on_rows, element.outputs, "function")
    loop = graph.operations[-1]
    if not computes_whole_rows(loop):
        raise NotBatched
    return ElementFunction(graph, element.outputs, own.structure)


def batched_function(mapped: Mapped, batches: Any) -> ElementFunction:
    """A function of all elements of a batch that gives the rows of the function of elements, or fails.

    batches: the dataset of batches of the elements before.

    Raises:
        NotBatched: an operation does not say what it does with a batch.
    """
    own = mapped.function
    body = own.graph
    known = all(isinstance(spec, TensorSpec) and spec.shape.is_known for spec in
                leaves(mapped.dataset.element_structure))  # fmt: skip
    if not known or body.equations or body.targets or all(op.opdef.facts.is_constant for op in body.operations):
        raise NotBatched
    element = dataset_element(batches.variant_tensor, *components(batches.element_structure), name="element")

    def on_rows(*rows: Tensor) -> list[Tensor]:
        return _on_rows(body, rows)

    graph = subgraph(on_rows, element.outputs, "function")
    return ElementFunction(graph, element.outputs, own.structure)


def _on_rows(body: SubGraph, rows: Sequence[Tensor]) -> list[Tensor]:
    """The operations of a function of elements on all rows of a batch."""
    outer = dict(zip(body.inputs, (*rows, *body.captures), strict=True))
    differing = set(rows)
    count = shape(rows[0])[0]
    for op in body.operations:
        args: Sequence[Any] | None = [_replaced(arg, outer) for arg in op.args]
        differs = not differing.isdisjoint([outer[t] for t in op.inputs])
        if differs:
            args = _batched_arguments(op, list(args or ()), differing, count)
        if args is None or op.control_inputs:
            raise NotBatched
        made = _built(op, args)
        if differs:
            for old, new in zip(op.outputs, made, strict=True):
                _require_rows(old, new, old in body.pinned)
            differing.update(made)
        outer.update(zip(op.outputs, made, strict=True))
    outputs = [outer[t] for t in body.outputs]
    if not differing.issuperset(outputs):
        raise NotBatched
    return outputs


def _batched_arguments(op: Operation, args: list[Any], differing: set[Tensor], count: Tensor) -> Sequence[Any] | None:
    """The arguments of the use of an op on all rows; None if it does not say."""
    rule = op.opdef.batched_rule
    if rule is not None:
        return rule(args, differing, count)
    if not gives_equal_bits(op):
        return None
    rank = op.outputs[0].shape.ndims
    for old, new in zip(op.inputs, [t for arg in args for t in (arg if isinstance(arg, tuple) else (arg,))
                                    if isinstance(t, Tensor)], strict=True):  # fmt: skip
        ranks = old.shape.ndims
        if ranks is None or (ranks != rank if new in differing else ranks > (rank or 0)):
            return None
    return args


def _built(op: Operation, args: Sequence[Any]) -> tuple[Tensor, ...]:
    try:
        made = build(op.opdef, (*args, None))
    except BuildError:  # its shape rule wants an element alone
        raise NotBatched from None
    first = made[0] if isinstance(made, (list, tuple)) else made
    outputs: tuple[Tensor, ...] = first.op.outputs if isinstance(first, Tensor) else first.outputs
    return outputs


def _require_rows(element: Tensor, rows: Tensor, is_pinned: bool) -> None:
    """Check that a tensor has one dimension more than what it holds for each element."""
    if element.shape.ndims is None or rows.shape.ndims != element.shape.ndims + 1:
        raise NotBatched
    if is_pinned:
        rows.set_shape([None, *element.shape.as_list()])


def _replaced(arg: Any, outer: Mapping[Tensor, Tensor]) -> Any:
    if isinstance(arg, Tensor):
        return outer[arg]
    return tuple([outer[t] for t in arg]) if isinstance(arg, tuple) and arg and isinstance(arg[0], Tensor) else arg
