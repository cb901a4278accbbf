"""Iterators of datasets: they give an element in each run that asks."""

from __future__ import annotations

from typing import Any

from ..errors import UseError, ValueRuleError
from ..graph.common.not_copyable import NotCopyable
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Operation, Tensor
from ..graph.shapes.dtypes import string
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.datasets import iterator_ops
from .calls import dataset_call, with_dataset_calls
from .structure import Structure, components, mapped, packed, shapes_of, structure_from, types_of


@with_dataset_calls
class Iterator(NotCopyable):
    """What gives the elements of a dataset, one in each run.

    Iterators are made by the methods of a `Dataset`, by `Iterator.from_structure` and `Iterator.from_string_handle`.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     iterator = tf.data.Dataset.range(2).make_initializable_iterator()
    ...     element, again = iterator.get_next(), iterator.make_initializer(tf.data.Dataset.range(7, 9))
    ...     session.run(iterator.initializer)
    ...     print(session.run(element), session.run(element))
    ...     session.run(again)
    ...     print(session.run(element), session.run(iterator.string_handle()))
    0 1
    7 b'Iterator'

    Source: TensorFlow 1.15, `tf.data.Iterator`.
    """

    _fetch_instead = "fetch the tensors that its get_next() returns, made once before the first run"
    _uncopied = ("it is part of a graph", "Use the iterator itself.")

    def __init__(self, handle: Tensor, initializer: Operation | None, structure: Structure) -> None:
        """An iterator of a session, by the tensor that is its handle."""
        self._handle = handle
        self._initializer = initializer
        self.element_structure = structure

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: Any = None
    ) -> Iterator:
        """An iterator without a dataset: `make_initializer` makes an operation for each that it is to read.

        Args:
            output_types: the dtypes of an element, in its structure.
            output_shapes: its shapes, in the same structure; unknown without them.
            shared_name: the name of the session's iterator; that of the node without it.
            output_classes: `Tensor` or `SparseTensor`, in the same structure.

        Returns:
            An `Iterator`.

        Raises:
            TypeError: `output_types` are no dtypes.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     iterator = tf.data.Iterator.from_structure(tf.int64, [])
        ...     element = iterator.get_next()
        ...     for numbers in (tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)):
        ...         session.run(iterator.make_initializer(numbers))
        ...         print(session.run(element))
        0
        5
        """
        structure = structure_from(output_types, output_shapes, output_classes)
        return Iterator(iterator_ops.iterator_op(shared_name or "", *components(structure)), None, structure)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """The iterator with the handle that a run feeds: so one graph reads one dataset or another.

        Args:
            string_handle: a scalar of dtype string, such as a placeholder.
            output_types: the dtypes of an element, in its structure.
            output_shapes: its shapes, in the same structure; unknown without them.
            output_classes: `Tensor` or `SparseTensor`, in the same structure.

        Returns:
            An `Iterator`.

        Raises:
            TypeError: the handle is no string, or `output_types` are no dtypes.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     handle = tf.placeholder(tf.string, [])
        ...     element = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        ...     numbers = tf.data.Dataset.range(3, 9).make_one_shot_iterator()
        ...     print(session.run(element, {handle: session.run(numbers.string_handle())}))
        3
        """
        structure = structure_from(output_types, output_shapes, output_classes)
        named = convert_to_tensor(string_handle, string, name="string_handle")
        return Iterator(iterator_ops.iterator_from_string_handle(named, *components(structure)), None, structure)

    @property
    def initializer(self) -> Operation:
        """The operation that begins a pass over the dataset.

        Raises:
            ValueError: there is none.
        """
        if self._initializer is None:
            raise ValueRuleError("Iterator does not have an initializer: an iterator of make_one_shot_iterator begins "
                                 "by itself, one of from_structure with make_initializer(dataset)")  # fmt: skip
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An operation that lets the iterator begin a pass over a dataset.

        Args:
            dataset: elements of the iterator's structure and dtypes, of shapes that fit.
            name: the name of the operation.

        Returns:
            An `Operation`.

        Raises:
            TypeError: the dtypes differ, or the shapes do not fit.
            ValueError: the structures differ.
        """
        if not hasattr(dataset, "element_structure") or isinstance(dataset, Iterator):
            raise UseError(f"Iterator.make_initializer: {dataset!r:.80} is no Dataset")

        def check(own: Any, given: Any) -> None:
            if type(own) is not type(given) or getattr(own, "dtype", None) is not getattr(given, "dtype", None):
                raise UseError(f"Expected output types {types_of(self.element_structure)} but got dataset with output "
                               f"types {types_of(dataset.element_structure)}.")  # fmt: skip
            if hasattr(own, "shape") and not own.shape.is_compatible_with(given.shape):
                raise UseError(f"Expected output shapes compatible with {shapes_of(self.element_structure)} but got "
                               f"dataset with output shapes {shapes_of(dataset.element_structure)}.")  # fmt: skip

        mapped(check, self.element_structure, dataset.element_structure)
        return iterator_ops.make_iterator(dataset.variant_tensor, self._handle, name=name or "make_initializer")

    def get_next(self, name: str | None = None) -> Any:
        """The next element: another one in each run.

        Call it once, outside of loops: each call adds a node, which takes an element of its own.

        Args:
            name: the name of the operation.

        Returns:
            Tensors in the structure of an element.

        Raises:
            OutOfRangeError (when run): there is no further element.
            FailedPreconditionError (when run): the iterator was not initialised.
        """
        node = iterator_ops.iterator_get_next(self._handle, *components(self.element_structure), name=name)
        return packed(self.element_structure, node.outputs)

    def string_handle(self, name: str | None = None) -> Tensor:
        """The handle of the iterator, to be fed where `from_string_handle` takes one.

        Args:
            name: the name of the operation.

        Returns:
            A scalar of dtype string.

        Raises:
            CancelledError (when run): the session was closed meanwhile.
        """
        return iterator_ops.iterator_to_string_handle(self._handle, name=name)

    @property
    def output_types(self) -> Any:
        """The dtypes of an element, in its structure."""
        return types_of(self.element_structure)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of an element, in its structure."""
        return shapes_of(self.element_structure)

    @property
    def handle(self) -> Tensor:
        """The tensor that is the handle."""
        return self._handle


@dataset_call
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator of a dataset that begins when its initializer is run."""
    handle = iterator_ops.iterator_op(shared_name or "", *components(dataset.element_structure), name="Iterator")
    initializer = iterator_ops.make_iterator(dataset.variant_tensor, handle, name="MakeIterator")
    return Iterator(handle, initializer, dataset.element_structure)


@dataset_call
def make_one_shot_iterator(dataset: Any) -> Iterator:
    """An iterator of a dataset that begins by itself.

    Raises:
        ValueError: the dataset needs a placeholder or a variable.
    """
    for op in _needed(dataset.variant_tensor):
        if op.opdef.facts.must_feed or op.opdef.facts.has_default or op.opdef.facts.state:
            what = "a variable" if op.opdef.facts.state else "a placeholder"
            raise ValueRuleError(
                f"Cannot capture {what} (name:{op.name}, type:{op.type}) by value. The "
                "iterator begins by itself, at whatever run asks first. Use make_initializable_iterator, and feed it "
                "where its initializer is run"
            )
    handle = iterator_ops.one_shot_iterator(dataset.variant_tensor, name="OneShotIterator")
    return Iterator(handle, None, dataset.element_structure)


def _needed(tensor: Tensor) -> list[Operation]:
    """The operations that a tensor needs, in the order in which they were made."""
    found: dict[Operation, None] = {}
    waiting = [tensor.op]
    while waiting:
        op = waiting.pop()
        if op not in found:
            found[op] = None
            waiting += [t.op for t in op.inputs] + list(op.control_inputs)
    return sorted(found, key=lambda op: op.index)
