"""What functions of rows share: `map_fn`, `scan`, `foldl` and `foldr`."""

from __future__ import annotations

from typing import Any

from ..errors import BuildError, ShapeError, UseError, ValueRuleError
from ..graph.model.nodes import Graph, Tensor
from ..graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..ops.create.constant_and_placeholder import convert_to_tensor
from .structures import flat


def check_function(call: str, fn: Any) -> None:
    """Raise TypeError unless `fn` is callable."""
    if not callable(fn):
        raise UseError(f"{call}: fn must be callable, not {fn!r}")


def tensors_of_rows(call: str, graph: Graph, elems: Any) -> list[Tensor]:
    """The tensors of a structure; each must have rows, and all the same number of them.

    Raises:
        ValueError: there is none, one is a scalar, or the numbers of rows differ.
    """
    tensors: list[Tensor] = []
    for i, leaf in enumerate(flat(elems)):
        try:
            tensor = graph.admit(convert_to_tensor(leaf, name="elems"))
        except BuildError as error:
            error.attempt = error.attempt or f"{call}: elems"
            raise
        if tensor.shape.ndims == 0:
            cure = "; a list is a structure of tensors: write tf.constant([...]) for one tensor"
            cure = cure if isinstance(elems, (list, tuple)) else ""
            raise ShapeError(f"{call}: elements in elems must be 1+ dimensional Tensors, not scalars: element {i} is "
                             f"{tensor.name!r}{cure}")  # fmt: skip
        tensors.append(tensor)
    if not tensors:
        raise ValueRuleError(f"{call}: elems must be a tensor or a structure of tensors, and is empty")
    sizes = {t.shape.raw[0]: t for t in tensors if t.shape.raw and isinstance(t.shape.raw[0], int)}
    if len(sizes) > 1:
        (a, first), (b, second) = list(sizes.items())[:2]
        raise ShapeError(f"{call}: elems must have equally many rows: {first.name!r} has {a}, {second.name!r} has {b}")
    return tensors


def row_shape(tensor: Tensor) -> TensorShape:
    """The static shape of one row."""
    dims = tensor.shape.raw
    return unknown_rank("the rank of elems is not known", tensor) if dims is None else shape_of(dims[1:])
