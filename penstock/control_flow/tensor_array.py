"""`tf.TensorArray`: an array of tensors that is written and read element by element, in loops above all.

An object of the class holds a scalar tensor of dtype `variant`, its *flow*, and what is known of the elements while the
graph is built. A write returns a new object with a new flow. So the value of a TensorArray goes through the graph like
any other: it may be an operand and a result of a branch or a loop. `flow_of` and `with_flow` give loops that tensor,
and make an object of the tensor that stands for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

import numpy as np

from ..errors import DTypeError, ShapeError, ValueRuleError
from ..graph.building.constant_evaluation import known_scalar, known_value
from ..graph.common.tracebacks import hides_frames_of_methods
from ..graph.declare.signature import DTypeLike, TensorLike
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.dimension import Dim, Dimension, Symbol, raw, unknown
from ..graph.shapes.dtypes import DType, as_dtype, int32, int64
from ..graph.shapes.shape import ShapeLike, TensorShape, as_shape, merge_shapes, shape_of, unknown_rank
from ..ops.control.control import identity, no_op
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.declare.composite import all_or_nothing, reported_as_call
from ..ops.declare.held_graphs import seen_outside
from ..ops.tensor_array import array_writing
from ..ops.tensor_array.array_reading import array_concat, array_gather, array_read

R = TypeVar("R")


@hides_frames_of_methods
class TensorArray:
    """An array of tensors of one dtype, whose elements are written and read by index.

    A write returns a new TensorArray; use that one from then on, as loop variable too. Each element is written once.
    With `clear_after_read` it is also read once in a run: what reads or writes it again is an error. Where the gradient
    of an element is missing it counts as zero.

    Args:
        dtype: the dtype of the elements.
        size: the number of elements, an int32 scalar.
        dynamic_size: True if a write behind the last element makes the array longer.
        clear_after_read: False if elements may be read more than once in a run; by default they may not.
        tensor_array_name: what errors call the array; by default the name of its node.
        handle: the flow of another TensorArray, which this one is then made of, instead of `size`.
        flow: a later flow of the same array than `handle`.
        infer_shape: False if the elements may have different shapes; otherwise all have the shape of the first.
        element_shape: what is known of the shape of each element.
        colocate_with_first_write_call: accepted for TensorFlow's sake.
        name: the name of the node.

    Raises:
        TypeError: `dtype` is no dtype, or `size` is not int32.
        ValueError: neither `size` nor `handle` is given, or both, or `size` is no scalar.

    An array that is written element by element:

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     array = tf.TensorArray(tf.float32, size=3)
    ...     array = array.write(0, [1.0, 2.0]).write(2, [5.0, 6.0])
    ...     print(array)
    ...     print(session.run(array.stack()))
    <TensorArray 'TensorArray' of 3 elements float32 (2,)>
    [[1. 2.]
     [0. 0.]
     [5. 6.]]

    The rows of a tensor as elements:

    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     rows = tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]])
    ...     print(session.run([rows.read(1), rows.size()]))
    [array([3, 4], dtype=int32), np.int32(2)]

    Source: TensorFlow 1.x, `tf.TensorArray`.
    """

    __slots__ = ("_clear", "_count", "_dtype", "_dynamic", "_flow", "_infers", "_name", "_shape", "_size")

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        self._dtype = as_dtype(dtype)
        if self._dtype.is_variant:
            raise DTypeError("TensorArray: the elements are variants; give the dtype of the tensors that it will hold")
        self._dynamic = bool(dynamic_size)
        self._clear = clear_after_read is None or bool(clear_after_read)
        self._infers = bool(infer_shape)
        self._shape = as_shape(element_shape)
        self._size: Tensor | None = None
        self._count: Dim | None = None
        if handle is None:
            if size is None:
                raise ValueRuleError("TensorArray: Argument `size` must be provided if handle is not provided.")
            self._size, self._flow = _new(size, self._dtype, self._shape, self._dynamic, self._infers,
                                          tensor_array_name, name)  # fmt: skip
            self._name = self._flow.op.name
            if not self._dynamic:
                self._count = known_scalar(self._size)
            return
        given = {"size": size, "element_shape": element_shape, "dynamic_size": dynamic_size,
                 "clear_after_read": clear_after_read, "tensor_array_name": tensor_array_name}  # fmt: skip
        for label, value in given.items():
            if value is not None:
                raise ValueRuleError(f"TensorArray: Cannot provide both `handle` and `{label}` arguments at the same "
                                     "time: what `handle` stands for has them.")  # fmt: skip
        if not isinstance(handle, Tensor) or not handle.dtype.is_variant:
            raise DTypeError(f"TensorArray: handle is {handle!r}; give the flow of a TensorArray")
        self._flow = handle if flow is None else flow
        self._name = handle.op.name

    # ---- what is known ----------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether a write behind the last element makes the array longer."""
        return self._dynamic

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of each element."""
        return self._shape

    @property
    def flow(self) -> Tensor:
        """The tensor that holds the elements. A run that fetches it writes them."""
        return self._flow

    @property
    def handle(self) -> Tensor:
        """The same tensor as `flow`."""
        return self._flow

    def __repr__(self) -> str:
        count = "" if self._count is None else f" of {self._count} elements"
        return f"<TensorArray {self._name!r}{count} {self._dtype.name} {self._shape}>"

    # ---- reading ----------------------------------------------------------------------------

    @reported_as_call("TensorArrayRead", one_op=True)
    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at `index`.

        Args:
            index: an int32 scalar.
            name: the name of the node.

        Returns:
            A tensor of the array's dtype; zeros if the element was not written and its shape is known.

        Raises:
            TypeError: `index` is not int32.
            ValueError: `index` is no scalar.
            InvalidArgumentError (when run): there is no such element; it was not written, and its shape is not known;
                or it was read before, with `clear_after_read`.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.float32, 2).unstack([1.5, 2.5]).read(1)))
        2.5
        """
        return array_read(self._flow, index, self._dtype, self._shape, self._clear, name=name)

    @reported_as_call("TensorArrayStack", one_op=True)
    def stack(self, name: str | None = None) -> Tensor:
        """All elements as the rows of one tensor.

        Args:
            name: the name of the node.

        Returns:
            A tensor of shape [size] + the shape of an element. Elements that were not written are zeros.

        Raises:
            InvalidArgumentError (when run): elements have different shapes, or one may not be read.
            UnimplementedError (when run): there are none, and their shape is not known.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.int32, 3).write(1, 7).stack()))
        [0 7 0]
        """
        return array_gather(self._flow, self._dtype, self._rows(), self._clear, name=name)

    pack = stack

    @reported_as_call("TensorArrayGather", one_op=True)
    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at `indices` as the rows of one tensor.

        Args:
            indices: an int32 vector.
            name: the name of the node.

        Returns:
            A tensor of shape [number of indices] + the shape of an element.

        Raises:
            TypeError: `indices` is not int32.
            ValueError: `indices` is no vector.
            InvalidArgumentError (when run): elements have different shapes, or one may not be read.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.int32, 3).unstack([5, 6, 7]).gather([2, 0])))
        [7 5]
        """
        return array_gather(self._flow, self._dtype, self._rows(), self._clear, indices, name=name)

    @reported_as_call("TensorArrayConcat", one_op=True)
    def concat(self, name: str | None = None) -> Tensor:
        """All elements, one after the other along their first dimension. The sizes of that dimension may differ.

        Args:
            name: the name of the node.

        Returns:
            A tensor of the array's dtype.

        Raises:
            ValueError: the elements are known to be scalars.
            InvalidArgumentError (when run): they are scalars, differ in another dimension, or one may not be read.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     array = tf.TensorArray(tf.int32, 2, infer_shape=False)
        ...     print(session.run(array.write(0, [1, 2]).write(1, [3]).concat()))
        [1 2 3]
        """
        joined, _ = array_concat(self._flow, self._dtype, self._joined(), self._clear, name=name)
        return joined

    @reported_as_call("TensorArraySize", one_op=True)
    def size(self, name: str | None = None) -> Tensor:
        """The number of elements.

        Args:
            name: the name of the node.

        Returns:
            An int32 scalar.

        Raises:
            TypeError: `name` is no text.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.int32, 1, dynamic_size=True).write(4, 7).size()))
        5
        """
        if self._size is None or self._dynamic:
            return array_writing.array_size(self._flow, name=name)
        return identity(self._size, name=name)

    # ---- writing ----------------------------------------------------------------------------

    @reported_as_call("TensorArrayWrite", one_op=True)
    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with `value` at `index`.

        Args:
            index: an int32 scalar.
            value: a tensor of the array's dtype, or what becomes one.
            name: the name of the node.

        Returns:
            A TensorArray; this one stays as it is.

        Raises:
            TypeError: `index` is not int32, or `value` has another dtype.
            ValueError: `index` is no scalar, or `value` has another shape than the elements.
            InvalidArgumentError (when run): there is no such element, it was written or read before, or `value` has
                another shape.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.float32, 2).write(0, 1.5).write(1, 2.5).stack()))
        [1.5 2.5]
        """
        def build() -> TensorArray:
            tensor = self._converted(value, name or "TensorArrayWrite")
            return self._next(array_writing.array_write(self._flow, index, tensor, name=name), tensor.shape)

        return self._whole(build)

    @reported_as_call("TensorArrayUnstack", one_op=True)
    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` as elements 0, 1, 2 and so on.

        Args:
            value: a tensor of the array's dtype, of rank 1 or more.
            name: the name of the node.

        Returns:
            A TensorArray; this one stays as it is.

        Raises:
            TypeError: `value` has another dtype.
            ValueError: `value` is a scalar, or its rows have another shape than the elements.
            InvalidArgumentError (when run): there are too many rows, or an element was written before.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.int32, 2).unstack([[1, 2], [3, 4]]).read(0)))
        [1 2]
        """
        def build() -> TensorArray:
            tensor = self._converted(value, name or "TensorArrayUnstack")
            return self._next(array_writing.array_scatter(self._flow, tensor, name=name), _row(tensor))

        return self._whole(build)

    unpack = unstack

    @reported_as_call("TensorArrayScatter", one_op=True)
    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with the rows of `value` at `indices`.

        Args:
            indices: an int32 vector.
            value: a tensor of the array's dtype with a row for each index.
            name: the name of the node.

        Returns:
            A TensorArray; this one stays as it is.

        Raises:
            TypeError: `indices` is not int32, or `value` has another dtype.
            ValueError: `value` has another number of rows, or these have another shape than the elements.
            InvalidArgumentError (when run): an index is out of range, or an element was written before.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.int32, 3).scatter([2, 0], [20, 10]).stack()))
        [10  0 20]
        """
        def build() -> TensorArray:
            tensor = self._converted(value, name or "TensorArrayScatter")
            return self._next(array_writing.array_scatter(self._flow, tensor, indices, name=name), _row(tensor))

        return self._whole(build)

    @reported_as_call("TensorArraySplit", one_op=True)
    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """The array with consecutive groups of rows of `value` as elements 0, 1, 2 and so on.

        Args:
            value: a tensor of the array's dtype, of rank 1 or more.
            lengths: how many rows each element gets: an int32 or int64 vector.
            name: the name of the node.

        Returns:
            A TensorArray; this one stays as it is.

        Raises:
            TypeError: `value` or `lengths` has another dtype.
            ValueError: `lengths` is no vector, or the groups have another shape than the elements.
            InvalidArgumentError (when run): the lengths do not add up, or their number is not the array's size.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     array = tf.TensorArray(tf.int32, 2, infer_shape=False).split([1, 2, 3], [1, 2])
        ...     print(session.run(array.read(1)))
        [2 3]
        """
        def build() -> TensorArray:
            tensor = self._converted(value, name or "TensorArraySplit")
            sizes = convert_to_tensor(lengths, int64) if not isinstance(lengths, Tensor) else lengths
            return self._next(array_writing.array_split(self._flow, tensor, sizes, name=name), _part(tensor, sizes))

        return self._whole(build)

    # ---- the rest ---------------------------------------------------------------------------

    def identity(self) -> TensorArray:
        """The same array, available after the control dependencies that hold now.

        Returns:
            A TensorArray.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.TensorArray(tf.int32, 1).write(0, 7).identity().read(0)))
        7
        """
        return with_flow(self, identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """A TensorArray for gradients of this one: values that are written to one index add up.

        `tf.gradients` needs no such array. The method is there for functions written for TensorFlow.

        Args:
            source: a text that tells the gradients of several calls apart.
            flow: the flow of this array from which the size is taken; by default its own.
            name: the name of the node.

        Returns:
            A TensorArray of the same size, with no elements yet.

        Raises:
            TypeError: `source` is no text.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     sums = tf.TensorArray(tf.float32, 2).grad("loss").write(0, 1.5).write(0, 2.0)
        ...     print(session.run(sums.read(0)))
        3.5
        """
        if not isinstance(source, str):
            raise DTypeError(f"grad: source is {source!r}; give a text")
        made = with_flow(self, array_writing.gradient_array(self._flow if flow is None else flow, name=name))
        made._name = f"{self._name}@{source}"
        return made

    def close(self, name: str | None = None) -> Operation:
        """An operation that does nothing: the memory is free when no later step reads the array.

        Args:
            name: the name of the operation.

        Returns:
            An operation.

        Raises:
            TypeError: `name` is no text.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.TensorArray(tf.int32, 1).close().type
        'NoOp'
        """
        return no_op(name=name)

    # ---- inside -----------------------------------------------------------------------------

    def _whole(self, build: Callable[[], R]) -> R:
        """`build()`; if it fails nothing of it stays in the graph."""
        return all_or_nothing((self._flow,), build)

    def _converted(self, value: Any, name: str) -> Tensor:
        tensor = convert_to_tensor(value, name=f"{name}/value") if isinstance(value, Tensor) else convert_to_tensor(
            value, self._dtype, name=f"{name}/value"
        )  # fmt: skip
        if tensor.dtype is not self._dtype:
            raise DTypeError(f"the value {tensor.name!r} is {tensor.dtype.name}, and the elements of the TensorArray "
                             f"are {self._dtype.name}", cure=f"Write tf.cast(value, tf.{self._dtype.name}) if that is "
                             "meant.")  # fmt: skip
        return tensor

    def _next(self, flow: Tensor, shape: TensorShape) -> TensorArray:
        """The array after a write of an element of that static shape."""
        try:
            merged = merge_shapes(self._shape, shape)
        except ShapeError:
            raise ShapeError(f"Inconsistent shapes: saw {shape} but expected {self._shape}",
                             cure=None if not self._infers else "With infer_shape=False elements may have different "
                             "shapes.") from None  # fmt: skip
        made = with_flow(self, flow)
        made._shape = merged if self._infers else self._shape
        return made

    def _rows(self) -> TensorShape:
        """What is known of the shape of elements as rows."""
        if self._shape.raw is None:
            return unknown_rank("the shape of the elements is not known", self._flow)
        return shape_of((self._known_count(), *self._shape.raw))

    def _known_count(self) -> Dim:
        if self._count is not None:
            return self._count
        return unknown("only the run knows how many elements there are", self._flow)

    def _joined(self) -> TensorShape:
        """What is known of the shape of elements one after the other."""
        dims = self._shape.raw
        if dims is None:
            return unknown_rank("the shape of the elements is not known", self._flow)
        if not dims:
            raise ShapeError("the elements are scalars, which have no dimension to be joined along",
                             cure="Write stack().")  # fmt: skip
        if self._infers and self._count is not None:
            return shape_of((raw(Dimension(self._count) * Dimension(dims[0])), *dims[1:]))
        return shape_of((unknown("only the run knows the sizes of the elements", self._flow), *dims[1:]))


def _new(
    size: Any, dtype: DType, shape: TensorShape, dynamic: bool, infers: bool, label: str | None, name: str | None
) -> tuple[Tensor, Tensor]:
    """The size and the flow of a new array."""
    def build() -> tuple[Tensor, Tensor]:
        count = convert_to_tensor(size, int32, name=f"{name or 'TensorArray'}/size")
        flow = array_writing.new_array(count, dtype, shape, dynamic, infers, label or name or "TensorArray", name=name)
        return count, flow

    return all_or_nothing((size,), build)


def _row(value: Tensor) -> TensorShape:
    dims = value.shape.raw
    return unknown_rank("the rank of the value is not known", value) if dims is None else shape_of(dims[1:])


def _part(value: Tensor, lengths: Tensor) -> TensorShape:
    """What is known of the shape of every part."""
    dims = value.shape.raw
    if not dims:
        return unknown_rank("the rank of the value is not known", value)
    sizes = known_value(lengths)
    if sizes is not None and sizes.size and np.all(sizes == sizes[0]):
        return shape_of((int(sizes[0]), *dims[1:]))
    return shape_of((unknown("the parts may have different lengths", lengths), *dims[1:]))


# ---- loops and branches -------------------------------------------------------------------------


def flow_of(array: TensorArray) -> Tensor:
    """The tensor that stands for a TensorArray among the operands and results of a branch or a loop."""
    return array.flow


def outside(arrays: Sequence[TensorArray], known: Collection[Symbol]) -> TensorArray:
    """What is known outside of the array that several bodies give, one after the other or one of them.

    Args:
        arrays: the array that each body returns.
        known: the sizes inside that are sizes outside, too.
    """
    first, *others = arrays
    made = with_flow(first, first._flow)
    made._shape = seen_outside(first._shape, known, "it is found inside of a loop or branch", first._flow)
    for each in others:
        made._shape = _common(made._shape, each._shape, each._flow)
    if any(each._size is not first._size for each in others):
        made._size = None
    if any(each._count != first._count for each in others):
        made._count = None
    return made


def _common(a: TensorShape, b: TensorShape, flow: Tensor) -> TensorShape:
    """What two shapes of elements have in common."""
    if a.raw is None or b.raw is None or len(a.raw) != len(b.raw):
        return unknown_rank("it depends on the branch", flow)
    return shape_of([x if x == y else unknown("it depends on the branch", flow) for x, y in zip(a.raw, b.raw,
                                                                                                strict=True)])


def with_flow(array: TensorArray, flow: Tensor) -> TensorArray:
    """A TensorArray as `array`, with another tensor as its elements: an input or a result of a body, say."""
    made = TensorArray.__new__(TensorArray)
    for attribute in TensorArray.__slots__:
        object.__setattr__(made, attribute, getattr(array, attribute))
    made._flow = flow
    return made
