"""Indexing: `t[i, a:b:c, ..., newaxis]` as one node.

It is NumPy's basic indexing. The attribute `Index` holds the items as written, with an `IndexOperand` in place of each
tensor: the position of that tensor among the node's further inputs. Arrays as indices belong to other ops, which the
error names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import BuildError, DTypeError, InvalidArgumentError, ShapeError, ValueRuleError
from ...graph.building.constant_evaluation import Entry, known_scalar
from ...graph.building.registered_conversions import conversions
from ...graph.common.hooks import hooks
from ...graph.common.quick_dataclass import dataclass
from ...graph.declare.axis_labels import Axes, labelled
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import INDICES, Attr, Operand, T, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.tensor_source import TensorSource
from ...graph.shapes.dimension import Dim, Dimension, unknown
from ...graph.shapes.dtypes import bool_
from ...graph.shapes.shape import TensorShape, shape_of, unknown_rank
from ..declare.failure_rules import least_dims
from ..declare.shape_checks import least, listed, minus, scalar_of
from ..index.gathering import boolean_mask

PUBLIC_NAMES = {"start": "newaxis"}

newaxis = None
"""`t[newaxis]` inserts a dimension of size 1, as in NumPy."""

# ---- the index as data --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexOperand:
    """An index whose value is known only in a run: the `number`-th of the node's index tensors."""

    number: int

    def __str__(self) -> str:
        return f"<tensor {self.number}>"


Bound: TypeAlias = int | IndexOperand | None


@dataclass(frozen=True, slots=True)
class Span:
    """`start:stop:step`."""

    start: Bound
    stop: Bound
    step: Bound

    def __str__(self) -> str:
        text = ":".join("" if b is None else str(b) for b in (self.start, self.stop))
        return text if self.step is None else f"{text}:{self.step}"


Item: TypeAlias = int | IndexOperand | Span | EllipsisType | None


@dataclass(frozen=True, slots=True)
class Index:
    """An index as it was written; None is newaxis."""

    items: tuple[Item, ...]

    def __str__(self) -> str:
        names = ("..." if i is ... else "newaxis" if i is None else str(i) for i in self.items)
        return "[" + ", ".join(names) + "]"

    def slots(self) -> int:
        """The number of index tensors of the node."""
        parts = [(i.start, i.stop, i.step) if isinstance(i, Span) else (i,) for i in self.items]
        return sum(isinstance(part, IndexOperand) for each in parts for part in each)

    def filled(self, bounds: Sequence[int]) -> tuple[Any, ...]:
        """The index in NumPy's form, with the numbers `bounds` in place of index tensors."""

        def number(part: Any) -> Any:
            return bounds[part.number] if isinstance(part, IndexOperand) else part

        key = [slice(number(i.start), number(i.stop), number(i.step)) if isinstance(i, Span) else number(i)
               for i in self.items]  # fmt: skip
        # With an Ellipsis the result is an array even where no dimension is left.
        return tuple(key) if ... in self.items else (*key, ...)

    def expanded(self, rank: int) -> Iterator[tuple[int, Item]]:
        """(dimension of the operand, item) for a `rank`-dimensional operand, `...` written out; -1 for newaxis."""
        used = sum(item is not None and item is not ... for item in self.items)
        items = self.items if ... in self.items else (*self.items, ...)
        dim = 0
        for item in items:
            if item is ...:
                for _ in range(rank - used):
                    yield dim, _ALL
                    dim += 1
            elif item is None:
                yield -1, None
            else:
                yield dim, item
                dim += 1


_ALL = Span(None, None, None)


# ---- reading what was written in the brackets ---------------------------------------------------

_VALID = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors "
    "are valid indices, got "
)


def _read(key: Any) -> tuple[Index, tuple[Tensor, ...]]:
    """The index and the tensors in it."""
    tensors: list[Tensor] = []
    items = tuple(_item(each, tensors) for each in (key if isinstance(key, tuple) else (key,)))
    if sum(item is ... for item in items) > 1:
        raise ValueRuleError("Multiple ellipses in slice spec not allowed", cure="Keep one `...`.")
    return Index(items), tuple(tensors)


def _item(written: Any, tensors: list[Tensor]) -> Item:
    if written is None or written is ...:
        return written
    if isinstance(written, slice):
        return Span(*(None if b is None else _number(b, tensors) for b in (written.start, written.stop, written.step)))
    return _number(written, tensors)


def _number(written: Any, tensors: list[Tensor]) -> int | IndexOperand:
    if type(written) is int:
        return written
    if isinstance(written, (TensorSource, *conversions.kinds)):
        written = hooks.operators["convert"](written)
    if isinstance(written, Tensor):
        if written.dtype is bool_ and written.shape.ndims == 0:
            raise _scalar_mask()
        if written.shape.ndims not in (0, None) or not written.dtype.bit & INDICES:
            raise _refused(f"{written!r}", written.shape.ndims not in (0, None), written.dtype is bool_)
        tensors.append(written)
        return IndexOperand(len(tensors) - 1)
    if isinstance(written, (bool, np.bool_)):
        raise _scalar_mask()
    if isinstance(written, np.ndarray):
        if written.ndim or written.dtype not in (np.int16, np.int32, np.int64):
            raise _refused(_short(written), written.ndim > 0, written.dtype == bool)
        return int(written)
    if isinstance(written, (list, range)):
        raise _refused(_short(written), True, bool(written) and isinstance(written[0], (bool, np.bool_)))
    if not hasattr(written, "__index__"):
        raise _refused(_short(written), False, False)
    return int(written.__index__())


def _short(value: Any) -> str:
    text = f"{value!r}".replace("\n", " ")
    return text if len(text) <= 60 else text[:57] + "..."


def _scalar_mask() -> BuildError:
    return ValueRuleError("mask cannot be scalar.", cure="tf.boolean_mask(t, mask) takes a mask of rank 1 or more.")


def _refused(got: str, is_array: bool, is_mask: bool) -> BuildError:
    cure = None
    if is_mask:
        cure = "tf.boolean_mask(t, mask) selects by a mask."
    elif is_array:
        cure = "tf.gather(t, indices) selects rows by number, tf.gather_nd single elements."
    return DTypeError(_VALID + got, cure=cure)


# ---- the op -------------------------------------------------------------------------------------

def _as_index(value: Any) -> Index:
    if not isinstance(value, Index):
        raise DTypeError("must have been read into an Index")
    return value


KeyAttribute = Annotated[Any, Attr(_as_index)]
BoundsOperand = Annotated[Sequence[TensorLike], Operand(None, INDICES, many=True, host=True)]


@op("StridedSlice", moves=True, adds_axes=True, operator="getitem", views="tensor")
def getitem(tensor: T, index: KeyAttribute, bounds: BoundsOperand = (), name: str | None = "strided_slice") -> Tensor:
    """`tensor[index]` by NumPy's basic indexing: what the square brackets build.

    Args:
        tensor: any dtype and shape.
        index: an item or a tuple of ints, slices, `...`, None (newaxis); scalar int16, int32 and int64 tensors serve
            as ints. A bool tensor or array, alone, selects as `tf.boolean_mask` does.
        bounds: the tensors of an index that has been read already; callers leave it out.

    Raises:
        ValueError: too many items, a step of 0, an index known to be out of range.
        InvalidArgumentError: the same, found when it runs.
        TypeError: another kind of index; tf.gather and tf.boolean_mask take arrays.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     t = tf.reshape(tf.range(12), [3, 4])
    ...     print(session.run(t[1, 2]), session.run(t[-1]), session.run(t[:, ::-2]).tolist())
    ...     t[..., None].shape, tf.shape(t)[1].shape
    6 [ 8  9 10 11] [[3, 1], [7, 5], [11, 9]]
    (TensorShape((3, 4, 1)), TensorShape(()))

    Source: TensorFlow 1.x, `tf.Tensor.__getitem__`.
    """


@getitem.prepare
def getitem_prepare(tensor: Any, index: Any, bounds: Any, name: str | None) -> Any:
    if isinstance(index, Index):
        return tensor, index, bounds
    if _is_mask(index):
        return boolean_mask(tensor, index)
    return tensor, *_read(index)


def _is_mask(index: Any) -> bool:
    """A bool tensor or array, alone between the brackets, selects by a mask."""
    if isinstance(index, Tensor):
        return index.dtype is bool_ and index.shape.ndims != 0
    return isinstance(index, np.ndarray) and index.dtype == bool and index.ndim > 0


@getitem.shape
def getitem_shape(tensor: Tensor, index: Index, bounds: tuple[Tensor, ...]) -> TensorShape:
    if index.slots() != len(bounds):
        raise ValueRuleError(f"the index {index} needs {index.slots()} bounds, got {len(bounds)}")
    dims = tensor.shape.raw
    if dims is None:
        return unknown_rank("the rank of the operand is not known", tensor)
    complaint = _too_many(index, len(dims))
    if complaint is not None:
        raise ShapeError(complaint, operand=0)
    result: list[Dim] = []
    for at, item in index.expanded(len(dims)):
        if item is None:
            result.append(1)
        elif isinstance(item, Span):
            result.append(_span_size(item, dims[at], at, tensor, bounds))
        else:
            number = item if isinstance(item, int) else known_scalar(bounds[item.number])  # type: ignore[union-attr]  # `...` is expanded
            _check_number(number, dims[at], at)
    return shape_of(result)


def _too_many(index: Index, rank: int) -> str | None:
    used = sum(item is not None and item is not ... for item in index.items)
    if used <= rank:
        return None
    if rank == 0:
        return "Attempting to slice scalar input."
    return f"Index out of range using input dim {rank}; input has only {rank} dims"


def axes_of_index(rank: int, index: Index) -> list[int | None]:
    """For each axis of `t[index]` that of `t`, if all of it is taken in order; else None."""
    items = [(at, item) for at, item in index.expanded(rank) if item is None or isinstance(item, Span)]
    return [at if item in (_ALL, Span(0, None, None)) else None for at, item in items]


def _axes(tensor: Tensor, index: Index, bounds: tuple[Tensor, ...]) -> Axes | None:
    rank = tensor.shape.ndims
    return None if rank is None else ([range(rank)], [axes_of_index(rank, index)])


getitem.distributes(labelled(_axes))


def _check_number(number: Entry, size: Dim, at: int) -> None:
    if isinstance(number, int) and isinstance(size, int) and not -size <= number < size:
        raise ShapeError(_out_of_bounds(number, size, at), operand=0, dim=at,
                         cure=f"The indices of {size} elements go from {-size} to {size - 1}.")  # fmt: skip


def _out_of_bounds(number: int, size: int, at: int) -> str:
    shown = number + size if number < 0 else number
    return f"slice index {shown} of dimension {at} out of bounds."


def _zero_step(at: int) -> str:
    return f"strides[{at}] must be non-zero"


def _span_size(span: Span, size: Dim, at: int, tensor: Tensor, bounds: tuple[Tensor, ...]) -> Dim:
    """The number of elements that `span` selects of `size`."""
    start, stop, step = (
        known_scalar(bounds[b.number]) if isinstance(b, IndexOperand) else b for b in (span.start, span.stop, span.step)
    )
    if step == 0:
        raise ValueRuleError(_zero_step(at), operand=0, dim=at)
    for written, found in ((span.start, start), (span.stop, stop), (span.step, step)):
        if isinstance(written, IndexOperand) and found is None:
            return unknown(f"a bound of the slice of dimension {at} is not known", bounds[written.number])
    if isinstance(size, int) and not any(isinstance(b, Dimension) for b in (start, stop, step)):
        return len(range(size)[slice(start, stop, step)])
    if span == Span(None, None, -1):
        return size
    length = _length_of_linear(start, stop, size) if step in (1, None) else None
    return unknown(f"dimension {at} is sliced, and its size is not known", tensor) if length is None else length


def _length_of_linear(start: Entry, stop: Entry, size: Dim) -> Dim | None:
    """The size of `[start:stop]` where no bound can be clipped: n + 2 gives n for [1:-1], but n gives ? for [1:]."""
    first = 0 if start is None else _position(start, size)
    last = size if stop is None else _position(stop, size)
    if first is None or last is None:
        return None
    length = minus(last, first)
    if isinstance(length, int):
        return max(length, 0)
    surely = all(count > 0 for _, count in length.terms) and length.const >= 0
    return length if surely else None


def _position(bound: Dim, size: Dim) -> Dim | None:
    """Where `bound` stands, counted from the start; None if that depends on the size."""
    if bound == size:
        return size
    if not isinstance(bound, int):
        return None
    if -least(size) <= bound <= least(size):
        return bound if bound >= 0 else minus(size, -bound)
    return None


@getitem.kernel
def getitem_kernel(xp: Any, tensor: Any, index: Index, bounds: Sequence[Any]) -> Any:
    key = index.filled([scalar_of(bound, "an index") for bound in bounds])
    try:
        return tensor[key]
    except (IndexError, ValueError):
        raise InvalidArgumentError(message=_complaint(index, key, tensor.shape)) from None


def _complaint(index: Index, key: tuple[Any, ...], shape: tuple[int, ...]) -> str:
    """The error message for an index that NumPy has refused."""
    complaint = _too_many(index, len(shape))
    if complaint is not None:
        return complaint
    plain = Index(tuple(Span(k.start, k.stop, k.step) if isinstance(k, slice) else k for k in key))
    for at, item in plain.expanded(len(shape)):
        if isinstance(item, Span) and item.step == 0:
            return _zero_step(at)
        if isinstance(item, int) and not -shape[at] <= item < shape[at]:
            return _out_of_bounds(item, shape[at], at)
    return f"the index {plain} does not fit the shape {listed(shape)}"


@getitem.fails
def getitem_fails(tensor: Tensor, index: Index, bounds: tuple[Tensor, ...]) -> str | None:
    dims = least_dims(tensor)
    if dims is None or bounds:
        return "an index or the rank is not known before the run"
    inside = all(-dims[at] <= item < dims[at] for at, item in index.expanded(len(dims)) if isinstance(item, int))
    return None if inside else "whether an index lies inside is not known before the run"


@getitem.gradient("zeros with g at the index")
def getitem_gradient(ops: Any, op: Operation, g: Tensor) -> list[Any]:
    tensor, index, bounds = op.args
    return [lambda: ops.placed_at_index(ops.shape(tensor), g, index, bounds), *[None] * len(bounds)]


@getitem.samples
def getitem_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((3, 4)).astype("f4"), (1, slice(None, None, -2)))
    yield sample(np.array([b"a", b"b"], object), -1)
    yield sample(np.zeros((2, 0), "i4"), (..., None, slice(1, 5)))
    yield sample(np.array(True), ...)
    yield sample(np.arange(5), Index((Span(IndexOperand(0), None, IndexOperand(1)),)), [np.array(1), np.array(2, "i2")])
