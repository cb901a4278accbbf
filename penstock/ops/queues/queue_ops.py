"""The ops of queues: their handles, and what is put in and taken out.

    FIFOQueueV2(component_types, shapes, capacity)     the handle of a queue, a string
    QueueEnqueueV2(handle, components)                 puts an element in
    QueueDequeueV2(handle)                             takes one out
"""

from __future__ import annotations

import heapq
import secrets
from collections.abc import Callable, Sequence
from itertools import count
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import InvalidArgumentError, ValueRuleError
from ...graph.building.constant_evaluation import known_scalar
from ...graph.declare.effects import CHANGING_OBJECTS, MAKING_OBJECTS
from ...graph.declare.object_place import ObjectPlace, ObjectTable
from ...graph.declare.op_declaration import OpDef, op
from ...graph.declare.shared_docs import named
from ...graph.declare.signature import EVERYTHING, Flag, Int, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dimension import unknown
from ...graph.shapes.dtypes import DType, bits_of, bool_, int32, string
from ...graph.shapes.shape import TensorShape, shape_of
from ..datasets.batching import padded_rows
from ..datasets.dataset_decl import DTypes, Shapes, Text
from ..datasets.file_sources import text
from ..datasets.iterator_ops import Name, handle_in
from ..datasets.random_order import Words
from ..declare.shape_checks import require_rank
from .queue_objects import Entry, QueueObject

# ---- queues that order their elements otherwise, or pad them: those in random order, with padding, by priority


class RandomQueueObject(QueueObject):
    """Elements in random order; it keeps some, until it is closed."""

    kind = "RandomShuffleQueue"

    def __init__(
        self, objects: ObjectTable, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape], capacity: int,
        kept: int, seeds: tuple[int, int],
    ) -> None:  # fmt: skip
        super().__init__(objects, name, dtypes, shapes, capacity)
        self._kept = kept
        self._words = Words(*seeds)

    def _empty(self) -> Any:
        return []

    def _take(self) -> Entry:
        held = self._held
        place = self._words.next() % len(held)
        entry: Entry = held[place]
        held[place] = held[-1]
        held.pop()
        return entry

    def _put_back(self, entries: Sequence[Entry]) -> None:
        self._held.extend(entries)

    def _free(self) -> int:
        return len(self._held) - (0 if self._is_closed else self._kept)


class PaddingQueueObject(QueueObject):
    """Elements in the order in which they came; several of different shapes are padded with zeros."""

    kind = "PaddingFIFOQueue"

    def _require_shapes(self, what: str) -> None:
        return

    def _joined(self, parts: Sequence[Any]) -> Any:
        rows = [part[row, ...] for part in parts for row in range(len(part))]
        first = rows[0]
        sizes = [max(row.shape[axis] for row in rows) for axis in range(first.ndim)]
        return padded_rows(rows, sizes, b"" if first.dtype.kind == "O" else 0)


class PriorityQueueObject(QueueObject):
    """Elements by their first component, an int64 scalar, the smallest first."""

    kind = "PriorityQueue"

    def __init__(
        self, objects: ObjectTable, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape], capacity: int
    ) -> None:
        super().__init__(objects, name, dtypes, shapes, capacity)
        self._number: Callable[[], int] = count().__next__

    def _empty(self) -> Any:
        return []

    def _put(self, entry: Entry) -> None:
        columns, row = entry
        heapq.heappush(self._held, (int(columns[0][row]), self._number(), entry))

    def _take(self) -> Entry:
        entry: Entry = heapq.heappop(self._held)[2]
        return entry

    def _put_back(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._put(entry)


# ---- the ops of queues --------------------------------------------------------------------------


Components: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, EVERYTHING, many=True)]
Number: TypeAlias = Annotated[TensorLike, Operand(None, bits_of(int32), host=True, prefer=int32)]


def queue_of(place: ObjectPlace, handle: Any) -> QueueObject:
    """The queue with a handle.

    Raises:
        NotFoundError: there is none.
    """
    name, known = place.known
    if known is None or handle.__class__ is not np.ndarray or handle[()] is not name:
        known = place.objects.get(handle_in(handle), QueueObject, "the queue")
        place.known = handle[()], known
    queue: QueueObject = known
    return queue


def _shapes(types: Sequence[DType], shapes: Sequence[TensorShape]) -> list[TensorShape]:
    return list(shapes) if shapes else [TensorShape(None)] * len(types)


def _made(place: ObjectPlace, shared_name: str, make: Any) -> Any:
    handle, known = place.known
    if known is None:
        name = shared_name or place.node
        known = place.objects.get_or_make(name.encode(), lambda: make(name))
        handle = text(name.encode())
        place.known = handle, known
    return handle


def _queue_op(type: str, name: str, made: type[QueueObject], order: str) -> OpDef[..., Tensor]:
    """The op that makes a queue of a class, and how its elements come."""

    @op(type, out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
    @named(name, order=order)
    def function(
        component_types: DTypes, shapes: Shapes = (), capacity: Int = -1, shared_name: Name = "",
        name: str | None = None,
    ) -> Tensor:  # fmt: skip
        """The handle of a queue whose elements {order}."""

    @function.kernel
    def queue_kernel(
        xp: Any, place: ObjectPlace, component_types: Sequence[DType], shapes: Sequence[TensorShape], capacity: int,
        shared_name: str,
    ) -> Any:  # fmt: skip
        return _made(place, shared_name, lambda name: made(
            place.objects, name, component_types, _shapes(component_types, shapes), capacity
        ))  # fmt: skip

    return function


fifo_queue = _queue_op("FIFOQueueV2", "fifo_queue", QueueObject, "come in order")
padding_fifo_queue = _queue_op("PaddingFIFOQueueV2", "padding_fifo_queue", PaddingQueueObject, "are padded")
priority_queue = _queue_op("PriorityQueueV2", "priority_queue", PriorityQueueObject, "come by priority")


@op("RandomShuffleQueueV2", out=string, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def random_shuffle_queue(
    component_types: DTypes, shapes: Shapes = (), capacity: Int = -1, min_after_dequeue: Int = 0, seed: Int = 0,
    seed2: Int = 0, shared_name: Name = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The handle of a queue whose elements come in random order."""


@random_shuffle_queue.kernel
def random_shuffle_queue_kernel(
    xp: Any, place: ObjectPlace, component_types: Sequence[DType], shapes: Sequence[TensorShape], capacity: int,
    min_after_dequeue: int, seed: int, seed2: int, shared_name: str,
) -> Any:  # fmt: skip
    seeds = (seed, seed2) if seed or seed2 else (secrets.randbits(63), secrets.randbits(63))
    return _made(place, shared_name, lambda name: RandomQueueObject(
        place.objects, name, component_types, _shapes(component_types, shapes), capacity, min_after_dequeue, seeds
    ))  # fmt: skip


for _queue in (fifo_queue, padding_fifo_queue, priority_queue, random_shuffle_queue):

    @_queue.shape
    def queue_shape(*args: Any) -> TensorShape:
        return shape_of(())

    _queue.no_gradient("a handle is a name")


# ---- putting in ---------------------------------------------------------------------------------


def columns_of(components: Sequence[Any]) -> tuple[Any, ...]:
    """An element as columns of one row, which nothing else writes."""
    return tuple([np.array(each[np.newaxis, ...]) for each in components])


@op("QueueEnqueueV2", out=(), host_only=True, of_session=True, element="put", effects=CHANGING_OBJECTS)
def queue_enqueue(handle: Text, components: Components, name: str | None = None) -> Operation:
    """Puts an element in."""


@queue_enqueue.kernel
def queue_enqueue_kernel(xp: Any, place: ObjectPlace, handle: Any, components: Sequence[Any]) -> list[Any]:
    queue_of(place, handle).enqueue(columns_of(components))
    return []


@op("QueueEnqueueManyV2", out=(), host_only=True, of_session=True, effects=CHANGING_OBJECTS)
def queue_enqueue_many(handle: Text, components: Components, name: str | None = None) -> Operation:
    """Puts the rows of tensors in."""


@queue_enqueue_many.kernel
def queue_enqueue_many_kernel(xp: Any, place: ObjectPlace, handle: Any, components: Sequence[Any]) -> list[Any]:
    for each in components:
        if not each.ndim or len(each) != len(components[0]):
            raise InvalidArgumentError(message="All input tensors must have the same size in the 0th dimension: they "
                                               f"have shapes {[list(part.shape) for part in components]}")  # fmt: skip
    queue_of(place, handle).enqueue(tuple([each.copy() for each in components]))
    return []


@op("QueueCloseV2", out=(), host_only=True, of_session=True, effects=CHANGING_OBJECTS)
def queue_close(handle: Text, cancel_pending_enqueues: Flag = False, name: str | None = None) -> Operation:
    """Closes a queue."""


@queue_close.kernel
def queue_close_kernel(xp: Any, place: ObjectPlace, handle: Any, cancel_pending_enqueues: bool) -> list[Any]:
    queue_of(place, handle).close(cancel_pending_enqueues)
    return []


for _change in (queue_enqueue, queue_enqueue_many, queue_close):

    @_change.shape
    def change_shape(handle: Tensor, *rest: Any) -> list[TensorShape]:
        require_rank(handle, 0, 0)
        return []

    _change.no_gradient("it has no result")


# ---- taking out ---------------------------------------------------------------------------------


@op("QueueDequeueV2", out=lambda handle, component_types, shapes: component_types, host_only=True, of_session=True,
    is_source=True, element="taken", effects=CHANGING_OBJECTS, ranks={"handle": 0})  # fmt: skip
def queue_dequeue(handle: Text, component_types: DTypes, shapes: Shapes = (), name: str | None = None) -> Operation:
    """Takes an element out."""


@queue_dequeue.shape
def queue_dequeue_shape(
    handle: Tensor, component_types: Sequence[DType], shapes: Sequence[TensorShape]
) -> list[TensorShape]:
    return [_of_element(shape, handle) for shape in _shapes(component_types, shapes)]


def _of_element(shape: TensorShape, handle: Tensor) -> TensorShape:
    """A shape whose sizes that are not known are those of this element."""
    if shape.raw is None:
        return shape
    return shape_of([size if isinstance(size, int) else unknown("only the element knows it", handle)
                     for size in shape.raw])  # fmt: skip


@queue_dequeue.kernel
def queue_dequeue_kernel(xp: Any, place: ObjectPlace, handle: Any, *rest: Any) -> Any:
    element = queue_of(place, handle).dequeue()
    return element[0] if len(element) == 1 else list(element)


def _dequeue_several(type: str, name: str, doc: str, up_to: bool) -> OpDef[..., Operation]:
    """The op that takes several elements out; up_to: fewer where the queue ends before."""

    @op(type, out=lambda handle, n, component_types, shapes: component_types, host_only=True, of_session=True,
        is_source=True, effects=CHANGING_OBJECTS)  # fmt: skip
    @named(name, doc=doc)
    def function(
        handle: Text, n: Number, component_types: DTypes, shapes: Shapes = (), name: str | None = None
    ) -> Operation:
        """{doc}"""

    @function.shape
    def several_shape(
        handle: Tensor, n: Tensor, component_types: Sequence[DType], shapes: Sequence[TensorShape]
    ) -> list[TensorShape]:
        require_rank(handle, 0, 0)
        require_rank(n, 0, 1)
        number = known_scalar(n)
        if isinstance(number, int) and number < 0:
            raise ValueRuleError(f"n is {number}; the number of elements must not be negative", operand=1)
        is_known = isinstance(number, int) and not up_to
        first: Any = number if is_known else unknown("it is the number of elements", handle)
        return [shape if shape.raw is None else shape_of([first, *(_of_element(shape, handle).raw or ())])
                for shape in _shapes(component_types, shapes)]  # fmt: skip

    @function.kernel
    def several_kernel(xp: Any, place: ObjectPlace, handle: Any, n: Any, *rest: Any) -> Any:
        element = queue_of(place, handle).dequeue_many(int(n), up_to=up_to)
        return element[0] if len(element) == 1 else list(element)

    return function


queue_dequeue_many = _dequeue_several(
    "QueueDequeueManyV2", "queue_dequeue_many", "Takes several elements out, stacked.", up_to=False)  # fmt: skip
queue_dequeue_up_to = _dequeue_several(
    "QueueDequeueUpToV2", "queue_dequeue_up_to",
    "Takes several elements out, stacked; fewer if the queue ends before.", up_to=True)  # fmt: skip


for _source in (queue_dequeue, queue_dequeue_many, queue_dequeue_up_to):
    _source.no_gradient("an element is not computed")


@op("QueueSizeV2", out=int32, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def queue_size(handle: Text, name: str | None = None) -> Tensor:
    """How many elements are in a queue."""


@queue_size.kernel
def queue_size_kernel(xp: Any, place: ObjectPlace, handle: Any) -> Any:
    return np.array(queue_of(place, handle).size(), np.int32)


@op("QueueIsClosedV2", out=bool_, host_only=True, of_session=True, effects=MAKING_OBJECTS)
def queue_is_closed(handle: Text, name: str | None = None) -> Tensor:
    """Whether a queue is closed."""


@queue_is_closed.kernel
def queue_is_closed_kernel(xp: Any, place: ObjectPlace, handle: Any) -> Any:
    return np.array(queue_of(place, handle).is_closed())


for _look in (queue_size, queue_is_closed):

    @_look.shape
    def look_shape(handle: Tensor) -> TensorShape:
        require_rank(handle, 0, 0)
        return shape_of(())

    _look.no_gradient("it is no number that is computed")
