"""Datasets of Python generators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import UseError
from ..graph.model.nodes import Tensor
from ..ops.datasets.dataset_ops import generator_dataset
from .structure import Structure, components, mapped, structure_from


def generated(
    generator: Callable[..., Any], output_types: Any, output_shapes: Any, args: Sequence[Any] | None
) -> tuple[Tensor, Structure]:
    """The node of `Dataset.from_generator`, and the structure of its elements."""
    if not callable(generator):
        raise UseError(f"`generator` must be callable, and is {generator!r:.80}: give a function that returns an "
                       "iterable, such as lambda: values")  # fmt: skip
    structure = structure_from(output_types, output_shapes)
    dtypes, shapes = components(structure)

    def flatten(value: Any) -> list[Any]:
        found: list[Any] = []
        mapped(lambda _, part: found.append(part), structure, value)
        return found

    return generator_dataset(list(args or ()), generator, flatten, dtypes, shapes), structure
