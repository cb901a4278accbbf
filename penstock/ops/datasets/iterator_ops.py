"""The ops of iterators: their handles, their initialisation, the next element.

    IteratorV2(shared_name)              the handle of an iterator, a string
    MakeIterator(dataset, iterator)      begins a pass over a dataset
    OneShotIterator(dataset)             the handle of one that begins by itself
    IteratorGetNext(iterator)            the next element
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from ...errors import InvalidArgumentError
from ...graph.declare.effects import CHANGING_OBJECTS, MAKING_OBJECTS
from ...graph.declare.object_place import ObjectPlace
from ...graph.declare.op_declaration import op
from ...graph.declare.signature import Attr, Variant
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, string
from ...graph.shapes.shape import TensorShape
from ..declare.shape_checks import no_shapes, shape_of_scalar
from .dataset_decl import DTypes, Shapes, Text, elements_of
from .file_sources import text
from .iterator_objects import IteratorObject
from .streams import source_of

Name = Annotated[str, Attr(str)]


def handle_in(value: Any) -> bytes:
    """The handle that an operand gives."""
    array = value if value.__class__ is np.ndarray else np.asarray(value)
    if array.ndim:
        raise InvalidArgumentError(message=f"a handle is a scalar of dtype string, not of shape {list(array.shape)}")
    return bytes(array[()])


def iterator_of(place: ObjectPlace, handle: Any) -> IteratorObject:
    """The iterator with a handle.

    Raises:
        NotFoundError: there is none.
    """
    return place.objects.get(handle_in(handle), IteratorObject, "the iterator with the handle")


@op("IteratorV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS, shape=shape_of_scalar,
    no_gradient="a handle is a name")  # fmt: skip
def iterator_op(
    shared_name: Name, output_types: DTypes, output_shapes: Shapes, name: str | None = None
) -> Tensor:
    """The handle of an iterator of the session."""


@iterator_op.kernel
def iterator_op_kernel(
    xp: Any, place: ObjectPlace, shared_name: str, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> Any:
    name = shared_name or place.node
    place.objects.get_or_make(name.encode(), lambda: IteratorObject(place.objects, name))
    return text(name.encode())


@op("MakeIterator", out=(), host_only=True, of_session=True, effects=CHANGING_OBJECTS, ranks={"iterator": 0},
    shape=no_shapes, no_gradient="it has no result")  # fmt: skip
def make_iterator(dataset: Variant, iterator: Text, name: str | None = None) -> Operation:
    """Begins a pass over a dataset."""


@make_iterator.kernel
def make_iterator_kernel(xp: Any, place: ObjectPlace, dataset: Any, iterator: Any) -> list[Any]:
    iterator_of(place, iterator).begin(source_of(dataset))
    return []


@op("OneShotIterator", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS, shape=shape_of_scalar,
    no_gradient="a handle is a name")  # fmt: skip
def one_shot_iterator(dataset: Variant, name: str | None = None) -> Tensor:
    """The handle of an iterator that begins with its first use, and cannot begin again."""


@one_shot_iterator.kernel
def one_shot_iterator_kernel(xp: Any, place: ObjectPlace, dataset: Any) -> Any:
    def begun() -> IteratorObject:
        made = IteratorObject(place.objects, place.node)
        made.begin(source_of(dataset))
        return made

    place.objects.get_or_make(place.node.encode(), begun)
    return text(place.node.encode())


@op("IteratorFromStringHandle", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS,
    ranks={"string_handle": 0}, shape=shape_of_scalar, no_gradient="a handle is a name")  # fmt: skip
def iterator_from_string_handle(
    string_handle: Text, output_types: DTypes, output_shapes: Shapes, name: str | None = None
) -> Tensor:
    """The handle of an iterator, which a run feeds."""


@iterator_from_string_handle.kernel
def iterator_from_string_handle_kernel(xp: Any, place: ObjectPlace, string_handle: Any, *rest: Any) -> Any:
    iterator_of(place, string_handle)
    return text(handle_in(string_handle))


@op("IteratorToStringHandle", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS,
    shape=shape_of_scalar, no_gradient="a handle is a name")  # fmt: skip
def iterator_to_string_handle(resource_handle: Text, name: str | None = None) -> Tensor:
    """The handle of an iterator as a string that can be fed."""


@iterator_to_string_handle.kernel
def iterator_to_string_handle_kernel(xp: Any, place: ObjectPlace, resource_handle: Any) -> Any:
    return text(handle_in(resource_handle))


@op("IteratorGetNext", out=lambda iterator, output_types, output_shapes: output_types, host_only=True,
    of_session=True, is_source=True, effects=CHANGING_OBJECTS, no_gradient="an element is not computed")  # fmt: skip
def iterator_get_next(
    iterator: Text, output_types: DTypes, output_shapes: Shapes, name: str | None = None
) -> Operation:
    """The next element."""


@iterator_get_next.shape
def iterator_get_next_shape(
    iterator: Tensor, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> list[TensorShape]:
    return elements_of(output_shapes, iterator)


@iterator_get_next.kernel
def iterator_get_next_kernel(
    xp: Any, place: ObjectPlace, iterator: Any, output_types: Sequence[DType], output_shapes: Sequence[TensorShape]
) -> Any:
    handle, asked = place.known
    if asked is None or iterator.__class__ is not np.ndarray or iterator[()] is not handle:
        asked = iterator_of(place, iterator)
        place.known = iterator[()], asked
    promised, usual = asked.checked
    at_hand = asked.at_hand
    if at_hand and promised is output_shapes:  # one that has the shapes of the one before, which was checked
        try:
            element = at_hand.popleft()
        except IndexError:  # another run was faster
            element = asked.next()
        else:
            return element[0] if len(element) == 1 else element
    else:
        element = asked.next()
    if promised is output_shapes and len(usual) == len(element):
        for each, (dtype, shape) in zip(element, usual, strict=True):
            if each.dtype is not dtype or each.shape != shape:
                break
        else:
            return element[0] if len(element) == 1 else element
    asked.checked = None, []  # those at hand behind one that does not fit are to be checked too
    check_element(element, output_types, output_shapes)
    asked.checked = output_shapes, [(each.dtype, each.shape) for each in element]
    return element[0] if len(element) == 1 else element


def check_element(element: Sequence[Any], dtypes: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
    """Check that an element is what the graph was promised.

    Raises:
        InvalidArgumentError: it has another structure, dtype or shape.
    """
    if len(element) != len(dtypes):
        raise InvalidArgumentError(message=f"the iterator gives {len(element)} tensors, {len(dtypes)} are expected")
    for i, (array, dtype, shape) in enumerate(zip(element, dtypes, shapes, strict=True)):
        if array.dtype != dtype.np or not shape.is_compatible_with(array.shape):
            raise InvalidArgumentError(
                message=f"the iterator gives {array.dtype} {list(array.shape)} as component {i}, and {dtype.name} "
                f"{shape} is expected"
            )


@op("SerializeIterator", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS, shape=shape_of_scalar,
    no_gradient="it gives a string")  # fmt: skip
def serialize_iterator(resource_handle: Text, name: str | None = None) -> Tensor:
    """Where an iterator is, as a string."""


@serialize_iterator.kernel
def serialize_iterator_kernel(xp: Any, place: ObjectPlace, resource_handle: Any) -> Any:
    return text(json.dumps(iterator_of(place, resource_handle).position()).encode())


@op("DeserializeIterator", out=(), host_only=True, of_session=True, effects=CHANGING_OBJECTS, shape=no_shapes,
    no_gradient="it has no result")  # fmt: skip
def deserialize_iterator(resource_handle: Text, serialized: Text, name: str | None = None) -> Operation:
    """Brings an iterator to a position."""


@deserialize_iterator.kernel
def deserialize_iterator_kernel(xp: Any, place: ObjectPlace, resource_handle: Any, serialized: Any) -> list[Any]:
    try:
        position = json.loads(handle_in(serialized))
        given, seeds = int(position["given"]), [[int(a), int(b)] for a, b in position["seeds"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidArgumentError(message=f"this is no saved position of an iterator: {error}") from None
    iterator_of(place, resource_handle).restore({"given": given, "seeds": seeds})
    return []
