"""Datasets that are read whole in one step of a run: the last state of a function, and the only element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

from ...errors import InvalidArgumentError, OpError
from ...graph.declare.effects import MAKING_OBJECTS
from ...graph.declare.object_place import ObjectPlace
from ...graph.declare.op_declaration import op
from ...graph.declare.signature import Attr, Variant, as_ints
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.subgraph import SubGraph
from ...graph.shapes.dtypes import DType
from ...graph.shapes.shape import TensorShape
from ..declare.held_graphs import Anything, result_dtypes
from .dataset_decl import DTypes, Function, Shapes, elements_of
from .failed_stage import tell_stage
from .mapping import Scan, ScannedStream
from .streams import DatasetStream, Source, StreamRun, closing, source_of

Ints = Annotated[Sequence[int], Attr(as_ints)]


@op("ReduceDataset", out=lambda input_dataset, operands, f, arguments: result_dtypes(f), of_session=True,
    effects=MAKING_OBJECTS)  # fmt: skip
def reduce_dataset(
    input_dataset: Variant, operands: Anything, f: Function, arguments: Ints, name: str | None = None
) -> list[Tensor]:
    """The last state.

    arguments: how many of `operands` are the first state, and how many stand for the element.
    """


@reduce_dataset.shape
def reduce_dataset_shape(
    input_dataset: Tensor, operands: Sequence[Tensor], f: SubGraph, arguments: Sequence[int]
) -> list[TensorShape]:
    return [a.shape if a.shape.raw == b.shape.raw and a.shape.is_known else TensorShape([None] * (a.shape.ndims or 0))
            if a.shape.raw is not None and a.shape.ndims == b.shape.ndims else TensorShape(None)
            for a, b in zip(operands[: arguments[0]], f.outputs, strict=True)]  # fmt: skip


@reduce_dataset.kernel
def reduce_dataset_kernel(
    xp: Any, place: ObjectPlace, input_dataset: Any, operands: Sequence[Any], f: Any, arguments: Sequence[int]
) -> list[Any]:
    state, element = arguments
    source = Scan(source_of(input_dataset), operands[:state], operands[state + element :], f)
    with _reading(source.inner, place) as inner:
        stream = ScannedStream(inner, source)
        while stream.next() is not None:
            pass
        return list(stream.state)


@contextmanager
def _reading(source: Source, place: ObjectPlace) -> Iterator[DatasetStream]:
    """A stream that is closed at the end of the block, and whose errors name their stage."""
    try:
        stream = source.stream(StreamRun(place.objects))
        with closing(stream):
            yield stream
    except OpError as error:
        tell_stage(error)
        raise


@op("DatasetToSingleElement", out=lambda dataset, output_types, output_shapes: output_types, host_only=True,
    of_session=True, effects=MAKING_OBJECTS, no_gradient="an element is not computed")  # fmt: skip
def single_element(dataset: Variant, output_types: DTypes, output_shapes: Shapes, name: str | None = None) -> Operation:
    """The only element of a dataset."""


@single_element.shape
def single_element_shape(
    dataset: Tensor, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> list[TensorShape]:
    return elements_of(output_shapes, dataset)


@single_element.kernel
def single_element_kernel(
    xp: Any, place: ObjectPlace, dataset: Any, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> Any:
    with _reading(source_of(dataset), place) as stream:
        element = stream.next()
        if element is None:
            raise InvalidArgumentError(message="Dataset was empty.")
        if stream.next() is not None:
            raise InvalidArgumentError(message="Dataset had more than one element.")
    return element[0] if len(element) == 1 else list(element)
