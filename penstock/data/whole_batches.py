"""`map` before `batch` as one pass over the batch, where that gives the same bits.

    dataset.map(f).batch(n)        dataset.batch(n).map(f on all rows)

That is so if each operation of f works element by element and cannot fail: the rule of `runtime.passes.whole_rows`, by
which the loop over the rows of a batch becomes f on all rows when it is planned.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..graph.building.capturing import subgraph
from ..graph.model.nodes import Tensor
from ..ops.control.while_op import while_op
from ..ops.create.constant_and_placeholder import constant
from ..ops.datasets.dataset_decl import dataset_element
from ..runtime.passes.whole_rows import computes_whole_rows
from .functions import ElementFunction
from .structure import TensorSpec, components, leaves


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


def may_have_whole_rows(mapped: Mapped) -> bool:
    """Whether it is worth to look: nothing but tensors of known shapes, and no effects."""
    own = mapped.function
    specs = [*leaves(mapped.dataset.element_structure), *leaves(own.structure)]
    return own.graph.effects.is_pure and all(isinstance(s, TensorSpec) and s.shape.is_known for s in specs)


def rows_function(mapped: Mapped, batches: Any) -> ElementFunction | None:
    """The function of a `map` on all elements of a batch; None if it has to run element by element.

    batches: the dataset of batches of the elements before.
    """
    own = mapped.function
    element = dataset_element(batches.variant_tensor, *components(batches.element_structure), name="element")
    count = len(element.outputs)

    def on_rows(*rows: Tensor) -> list[Tensor]:
        always = subgraph(lambda *inputs: [constant(True)], own.operands[:count], "cond")
        return list(while_op(None, rows, always, own.graph, 0, count, name="rows")[:-1])

    graph = subgraph(on_rows, element.outputs, "function")
    loop = graph.operations[-1]
    return ElementFunction(graph, element.outputs, own.structure) if computes_whole_rows(loop) else None
