"""What declarations of datasets share: operands, effects, and the element that a dataset's functions see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, InvalidArgumentError
from ...graph.declare.effects import MAKING_OBJECTS
from ...graph.declare.op_declaration import OpDef, op
from ...graph.declare.signature import VARIANT, Attr, Inner, Operand, TensorLike, Variant
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dimension import Dim, unknown
from ...graph.shapes.dtypes import DType, as_dtype, bits_of, bool_, int64, string, variant
from ...graph.shapes.shape import ShapeLike, TensorShape, as_shape, shape_of
from ..declare.failure_rules import never
from ..declare.shape_checks import shape_of_scalar
from .streams import Source, boxed_source, source_of

_DATASETS = Operand(None, VARIANT, many=True)
_COUNT = Operand(None, bits_of(int64), host=True, prefer=int64)
_TEXT = Operand(None, bits_of(string), host=True, prefer=string)
_YES = Operand(None, bits_of(bool_), host=True, prefer=bool_)
Datasets: TypeAlias = Annotated[Sequence[TensorLike], _DATASETS]
Count: TypeAlias = Annotated[TensorLike, _COUNT]
Text: TypeAlias = Annotated[TensorLike, _TEXT]
Yes: TypeAlias = Annotated[TensorLike, _YES]
Function: TypeAlias = Annotated[SubGraph, Inner(operands="operands")]


def as_dtypes(value: Any) -> tuple[DType, ...]:
    """The value of an attribute that is a list of dtypes, `variant` among them."""
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"must be a list of dtypes, not {value!r:.60}")
    return tuple([variant if each is variant or each == "variant" else as_dtype(each) for each in value])


def as_shapes(value: Any) -> tuple[TensorShape, ...]:
    """The value of an attribute that is a list of shapes."""
    if not isinstance(value, (list, tuple)):
        raise DTypeError(f"must be a list of shapes, not {value!r:.60}")
    return tuple([as_shape(each) for each in value])


DTypes: TypeAlias = Annotated[Sequence[Any], Attr(as_dtypes)]
Shapes: TypeAlias = Annotated[Sequence[ShapeLike], Attr(as_shapes)]


_READ_AS: dict[Operand, Callable[[Any], Any]] = {
    Operand(None, VARIANT): source_of,
    _DATASETS: lambda values: [source_of(each) for each in values],
    _COUNT: int,
    _TEXT: lambda values: [bytes(each) for each in np.asarray(values).reshape(-1)],
    _YES: bool,
}
"""What a `Source` is given for the value of an operand; other values are given as they are."""


def dataset_op(
    type: str, source: Callable[..., Source] | None = None, *, body: bool = False
) -> Callable[[Callable[..., Tensor]], OpDef[..., Tensor]]:
    """As `op`, for an op whose result is a dataset: a scalar of dtype `variant`, made anew in each run.

    source: makes the dataset of the arguments, as `_READ_AS` says; None for an op with a kernel of its own.
    body: whether the op holds functions.
    """

    def declare(function: Callable[..., Tensor]) -> OpDef[..., Tensor]:
        declared: OpDef[..., Tensor] = op(
            type, out=variant, host_only=True, makes_dataset=True, effects=MAKING_OBJECTS
        )(function)
        declared.shape(shape_of_scalar)
        if source is not None:
            declared.kernel(_kernel_of(declared, source))
        if not body:
            declared.no_gradient("a dataset is no number")
        return declared

    return declare


def _kernel_of(declared: OpDef[..., Tensor], source: Callable[..., Source]) -> Callable[..., Any]:
    readers = [(place, _READ_AS[operand]) for place, _, operand in declared.operands if operand in _READ_AS]

    def dataset_kernel(xp: Any, *arguments: Any) -> Any:
        values = list(arguments)
        for place, read in readers:
            values[place] = read(values[place])
        return boxed_source(source(*values))

    return dataset_kernel


def elements_of(shapes: Sequence[TensorShape], dataset: Any) -> list[TensorShape]:
    """The static shapes of an element: sizes that are not known, or have a name, are those of this element.

    A name stands for one size in all components, such as "batch".
    """
    sizes: dict[Any, Dim] = {}

    def size(dim: Dim) -> Dim:
        if isinstance(dim, int):
            return dim
        if dim not in sizes:
            name = str(dim)
            reason = "only the element knows it" if name == "?" else f"{name!r} of a dataset is a size of each element"
            sizes[dim] = unknown(reason, dataset)
        return sizes[dim]

    return [each if each.raw is None else shape_of([size(dim) for dim in each.raw]) for each in shapes]


@op("DatasetElement", out=lambda dataset, output_types, output_shapes: output_types, host_only=True,
    effects=MAKING_OBJECTS, fails=never, no_gradient="a dataset is no number")  # fmt: skip
def dataset_element(
    dataset: Variant, output_types: DTypes, output_shapes: Shapes, name: str | None = None
) -> Operation:
    """The element of a dataset, as the graphs of its functions see it. It has no value outside of them."""


@dataset_element.shape
def dataset_element_shape(
    dataset: Tensor, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> list[TensorShape]:
    if len(output_types) != len(output_shapes):
        raise DTypeError(f"{len(output_types)} dtypes and {len(output_shapes)} shapes")
    return elements_of(output_shapes, dataset)


@dataset_element.kernel
def dataset_element_kernel(
    xp: Any, dataset: Any, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> Any:
    pairs = zip(output_types, output_shapes, strict=True)
    empty = [np.empty((0,) * (shape.ndims or 1), dtype.np) for dtype, shape in pairs]
    return empty[0] if len(empty) == 1 else empty


def count_in(value: Any, what: str, least: int) -> int:
    """A count that an operand gives.

    Raises:
        InvalidArgumentError: it is smaller than `least`.
    """
    count = int(value)
    if count < least:
        words = "must be greater than zero" if least == 1 else f"must be at least {least}"
        raise InvalidArgumentError(message=f"{what} {words}, but is {count}.")
    return count
