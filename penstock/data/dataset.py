"""`tf.data.Dataset`: elements that flow in while the graph runs.

Each method adds one node to the graph, whose value in a run is a recipe (`ops.datasets.streams`). Nothing is read
before an iterator of the dataset is asked for an element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import DTypeError, UseError, ValueRuleError
from ..graph.building.constant_evaluation import known_int, known_value
from ..graph.common.not_copyable import NotCopyable
from ..graph.common.tracebacks import hides_frames
from ..graph.declare.signature import TensorLike
from ..graph.model.nodes import Tensor
from ..graph.model.sparse_tensor import SparseTensor
from ..graph.shapes.dimension import Dimension
from ..graph.shapes.dtypes import as_dtype, int64, string
from ..graph.shapes.shape import TensorShape, shape_of
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.datasets import dataset_ops, function_ops
from ..ops.datasets.dataset_ops import generator_dataset
from ..ops.datasets.sparse_slices import sparse_slice_dataset
from . import iterators
from .calls import with_dataset_calls
from .dataset_arguments import batch_size_of, seeds_of
from .functions import element_function, gives_its_argument, predicate_function
from .padding import padding_of
from .reducing import reduced
from .structure import (
    DATASETS,
    DatasetSpec,
    SparseSpec,
    Structure,
    TensorSpec,
    common,
    components,
    leaves,
    mapped,
    shapes_of,
    structure_from,
    tensors_of,
    types_of,
    value_structure,
    with_first,
    without_first,
)
from .whole_batches import Mapped, map_node, mapped_in_batches

AUTOTUNE = -1
"""Leave it open how many elements are worked on, or made ahead, at the same time."""


@with_dataset_calls
class Dataset(NotCopyable):
    """Elements of one structure, which an iterator gives one by one in the runs of a session.

    Datasets are made by functions of the class (`Dataset.from_tensor_slices`) and by methods of others.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * x).batch(2)
    ...     element = dataset.make_one_shot_iterator().get_next()
    ...     print(session.run(element), session.run(element))
    [1 4] [9]

    Source: TensorFlow 1.15, `tf.data.Dataset`.
    """

    __slots__ = ("element_structure", "mapped", "variant_tensor")

    _fetch_instead = "fetch the tensors that dataset.make_one_shot_iterator().get_next() returns"
    _uncopied = ("it is part of a graph", "Use the dataset itself: it never changes.")

    def __init__(self, variant_tensor: Tensor, element_structure: Structure) -> None:
        """The dataset that is the value of a tensor of dtype `variant`."""
        self.variant_tensor = variant_tensor
        self.element_structure = element_structure
        self.mapped: Mapped | None = None
        """What `map` made it of."""

    @property
    def output_types(self) -> Any:
        """The dtypes of an element, in its structure."""
        return types_of(self.element_structure)

    @property
    def output_shapes(self) -> Any:
        """The static shapes of an element, in its structure."""
        return shapes_of(self.element_structure)

    @property
    def output_classes(self) -> Any:
        """The classes of the parts of an element: `Tensor`, `SparseTensor` or `Dataset`."""
        classes = {TensorSpec: Tensor, SparseSpec: SparseTensor, DatasetSpec: Dataset}
        return mapped(lambda spec: classes[type(spec)], self.element_structure)

    # ---- where elements come from -----------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """A dataset of one element.

        Args:
            tensors: the element: a tensor, or a tuple, dict or named tuple of tensors.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: something in it becomes no tensor.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.data.Dataset.from_tensors([1, 2]).output_shapes
        TensorShape((2,))
        """
        structure, values = value_structure(tensors, "Dataset.from_tensors")
        return Dataset(dataset_ops.tensor_dataset(tensors_of(values)), structure)

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """A dataset of the rows of tensors, which have equally many. Arrays are not copied.

        Args:
            tensors: a tensor, or a tuple, dict or named tuple of tensors, of rank 1 or more.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: something in it becomes no tensor.
            ValueError: a tensor is a scalar, or two have different numbers of rows.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.data.Dataset.from_tensor_slices({"x": [[1.0, 2.0]], "y": [0]}).output_types
        {'x': tf.float32, 'y': tf.int32}
        """
        structure, values = value_structure(tensors, "Dataset.from_tensor_slices")
        if any(isinstance(spec, (SparseSpec, DatasetSpec)) for spec in leaves(structure)):
            if len(values) == 1 and isinstance(structure, SparseSpec):
                return sparse_rows(values[0])
            raise UseError("Dataset.from_tensor_slices: a sparse tensor beside others has no rows here; make a dataset "
                           "of each, and zip them")  # fmt: skip
        rows = without_first(structure, "Dataset.from_tensor_slices")
        return Dataset(dataset_ops.tensor_slice_dataset(tensors_of(values)), rows)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """A dataset of the rows of a `SparseTensor`, which are sparse too.

        Args:
            sparse_tensor: the tensor, whose indices are in row-major order.

        Returns:
            A `Dataset`, whose elements are tuples (indices, values, dense_shape).

        Raises:
            TypeError: it is no `SparseTensor`.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     s = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 3])
        ...     row = tf.data.Dataset.from_sparse_tensor_slices(s).make_one_shot_iterator().get_next()
        ...     print(session.run(row[1]))
        [5]
        """
        structure, values = value_structure(sparse_tensor, "Dataset.from_sparse_tensor_slices")
        if not isinstance(structure, SparseSpec):
            raise UseError(f"Dataset.from_sparse_tensor_slices: give a SparseTensor, not {sparse_tensor!r:.80}")
        dense = sparse_rows(values[0])
        dtypes, shapes = components(dense.element_structure)
        return Dataset(dense.variant_tensor, tuple(map(TensorSpec, dtypes, shapes)))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: Any, output_shapes: Any = None, args: Sequence[Any] | None = None
    ) -> Dataset:
        """A dataset of what a Python generator gives. It is called once for each pass.

        Args:
            generator: a function that returns an iterable.
            output_types: the dtypes of an element, in its structure.
            output_shapes: the shapes of an element, in the same structure; unknown without it.
            args: arguments of the function: tensors, which it gets as NumPy values.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `generator` is no function, or `output_types` are no dtypes.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     dataset = tf.data.Dataset.from_generator(lambda: ([n] * n for n in (1, 2)), tf.int32, [None])
        ...     element = dataset.make_one_shot_iterator().get_next()
        ...     print(session.run(element), session.run(element))
        [1] [2 2]
        """
        return Dataset(*generated(generator, output_types, output_shapes, args))

    @staticmethod
    def range(*args: TensorLike, output_type: Any = int64) -> Dataset:
        """A dataset of numbers: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        Args:
            args: int64 scalars.
            output_type: the dtype of the elements.

        Returns:
            A `Dataset` of scalars.

        Raises:
            ValueError: there are no or more than three arguments.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     element = tf.data.Dataset.range(2, 9, 3).batch(9).make_one_shot_iterator().get_next()
        ...     print(session.run(element))
        [2 5 8]
        """
        if not 1 <= len(args) <= 3:
            raise ValueRuleError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        dtype = as_dtype(output_type)
        return Dataset(dataset_ops.range_dataset(start, stop, step, [dtype]), TensorSpec(dtype, shape_of(())))

    @staticmethod
    def zip(datasets: Any, *more: Any) -> Dataset:
        """A dataset of tuples: an element of each dataset, until one of them ends.

        Args:
            datasets: a tuple, dict or named tuple of datasets.
            more: must be empty: the datasets are one argument.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: something in it is no dataset, or there is more than one argument.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     numbers, letters = tf.data.Dataset.range(9), tf.data.Dataset.from_tensor_slices(["a", "b"])
        ...     number, letter = tf.data.Dataset.zip((numbers, letters)).make_one_shot_iterator().get_next()
        ...     print(*session.run([number, letter]))
        0 b'a'
        """
        if more:
            raise UseError(f"Dataset.zip: {1 + len(more)} arguments; the datasets are one tuple: Dataset.zip((a, b))")
        if isinstance(datasets, list):
            raise UseError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects. Nested "
                           "structures do not support Python lists; please use a tuple instead.")  # fmt: skip
        every = list(leaves(datasets))
        for each in every:
            _require_dataset(each, "Dataset.zip")
        structure = mapped(lambda each: each.element_structure, datasets)
        return Dataset(dataset_ops.zip_dataset([each.variant_tensor for each in every]), structure)

    @staticmethod
    def list_files(file_pattern: TensorLike, shuffle: bool | None = None, seed: int | None = None) -> Dataset:
        """A dataset of the names of files that match patterns.

        Args:
            file_pattern: a pattern, or several: `*` and `?` stand for characters.
            shuffle: whether the names come in random order, by default they do; else they are sorted.
            seed: the seed of the order.

        Returns:
            A `Dataset` of strings.

        Raises:
            InvalidArgumentError (when run): no file matches.
            TypeError: the patterns are no strings.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.data.Dataset.list_files("*.txt").output_types
        tf.string
        """
        patterns = convert_to_tensor(file_pattern, string, name="file_pattern")
        found = Dataset(dataset_ops.matching_files_dataset(patterns), TensorSpec(string, shape_of(())))
        return found if shuffle is False else found.shuffle(_MANY_FILES, seed)

    # ---- one after the other, or some of them -------------------------------------------------

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements of this dataset, then those of another one.

        Args:
            dataset: elements of the same structure and dtypes.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: the dtypes differ, or it is no dataset.
            ValueError: the structures differ.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     both = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))
        ...     print(session.run(both.batch(9).make_one_shot_iterator().get_next()))
        [0 1 7 8]
        """
        _require_dataset(dataset, "Dataset.concatenate")
        structure = common(self.element_structure, dataset.element_structure, "Dataset.concatenate")
        return Dataset(dataset_ops.concatenate_dataset(self.variant_tensor, dataset.variant_tensor), structure)

    def repeat(self, count: TensorLike | None = None) -> Dataset:
        """Several passes over the dataset, one after the other.

        Args:
            count: how many, an int64 scalar; None or -1 (the default) means without end.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `count` is no int.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.data.Dataset.range(2).repeat(2).batch(9).make_one_shot_iterator().get_next()))
        [0 1 0 1]
        """
        return self._same(dataset_ops.repeat_dataset(self.variant_tensor, -1 if count is None else count))

    def take(self, count: TensorLike) -> Dataset:
        """The first elements.

        Args:
            count: how many at most, an int64 scalar; -1 for all.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `count` is no int.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.data.Dataset.range(9).take(2).batch(9).make_one_shot_iterator().get_next()))
        [0 1]
        """
        return self._same(dataset_ops.take_dataset(self.variant_tensor, count))

    def skip(self, count: TensorLike) -> Dataset:
        """The dataset without its first elements.

        Args:
            count: how many are left out, an int64 scalar; -1 for all.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `count` is no int.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.data.Dataset.range(4).skip(2).batch(9).make_one_shot_iterator().get_next()))
        [2 3]
        """
        return self._same(dataset_ops.skip_dataset(self.variant_tensor, count))

    def shard(self, num_shards: TensorLike, index: TensorLike) -> Dataset:
        """One of every `num_shards` elements, from the `index`-th on: the part of one worker.

        Args:
            num_shards: the number of workers, an int64 scalar.
            index: which one this is, from 0 on.

        Returns:
            A `Dataset`.

        Raises:
            ValueError: `num_shards` is below 1, or `index` is not in [0, num_shards).

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     print(session.run(tf.data.Dataset.range(7).shard(3, 1).batch(9).make_one_shot_iterator().get_next()))
        [1 4]
        """
        shards, number = (known_value(convert_to_tensor(each, int64)) for each in (num_shards, index))
        if shards is not None and int(shards) < 1:
            raise ValueRuleError(f"num_shards must be >= 1; got {int(shards)}")
        if shards is not None and number is not None and not 0 <= int(number) < int(shards):
            raise ValueRuleError(f"index must be in [0, {int(shards)}); got {int(number)}")
        return self._same(dataset_ops.shard_dataset(self.variant_tensor, num_shards, index))

    def shuffle(
        self, buffer_size: TensorLike, seed: Any = None, reshuffle_each_iteration: bool | None = None
    ) -> Dataset:
        """The elements in random order: each is drawn from a buffer of the next `buffer_size`.

        Args:
            buffer_size: an int64 scalar of at least 1. As many as there are elements gives every order.
            seed: an int. The order is TensorFlow's for the same seeds.
            reshuffle_each_iteration: whether each pass of a `repeat` has an order of its own, by default it does.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `buffer_size` is no int.
            InvalidArgumentError (when run): it is below 1.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     shuffled = tf.data.Dataset.range(6).shuffle(6, seed=1)
        ...     print(session.run(shuffled.batch(6).make_one_shot_iterator().get_next()))
        [4 5 1 2 3 0]
        """
        pair = seeds_of(seed)
        each_time = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        return self._same(dataset_ops.shuffle_dataset(self.variant_tensor, buffer_size, *pair, each_time))

    def cache(self, filename: TensorLike = "") -> Dataset:
        """Elements that are kept while they are made, for later passes.

        Args:
            filename: where they are kept, so that other programs find them too; "" (the default) is in memory, until
                the iterator is initialised again.

        Returns:
            A `Dataset`.

        Raises:
            AlreadyExistsError (when run): another iterator writes that file.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     kept = tf.data.Dataset.range(2).map(lambda n: n + 1).cache().repeat(2)
        ...     print(session.run(kept.batch(9).make_one_shot_iterator().get_next()))
        [1 2 1 2]
        """
        dtypes, _ = components(self.element_structure)
        return self._same(dataset_ops.cache_dataset(self.variant_tensor, filename, dtypes))

    def prefetch(self, buffer_size: TensorLike) -> Dataset:
        """Elements that a thread makes while a run works on those before.

        Args:
            buffer_size: how many at most, an int64 scalar; `tf.data.experimental.AUTOTUNE` leaves it open.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `buffer_size` is no int.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     element = tf.data.Dataset.range(5).batch(2).prefetch(1).make_one_shot_iterator().get_next()
        ...     print(session.run(element), session.run(element))
        [0 1] [2 3]
        """
        return self._same(dataset_ops.prefetch_dataset(self.variant_tensor, buffer_size))

    # ---- batches ----------------------------------------------------------------------------

    def batch(self, batch_size: TensorLike, drop_remainder: TensorLike = False) -> Dataset:
        """Elements of equal shapes, stacked.

        Args:
            batch_size: how many, an int64 scalar of at least 1.
            drop_remainder: whether a last, smaller batch is left out. Then the size is known.

        Returns:
            A `Dataset`, whose elements have a first dimension more: it is called "batch" where its size is not known.

        Raises:
            InvalidArgumentError (when run): elements of a batch have different shapes.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.data.Dataset.range(5).batch(2).output_shapes)
        (batch,)
        """
        batch_size, size = batch_size_of(self.element_structure, batch_size, drop_remainder)
        structure = with_first(self.element_structure, size)
        whole = mapped_in_batches(self, batch_size, drop_remainder)
        if whole is not None:
            return Dataset(whole, structure)
        return Dataset(dataset_ops.batch_dataset(self.variant_tensor, batch_size, drop_remainder), structure)

    def padded_batch(
        self, batch_size: TensorLike, padded_shapes: Any = None, padding_values: Any = None,
        drop_remainder: TensorLike = False,
    ) -> Dataset:  # fmt: skip
        """Elements of different shapes, stacked, each padded to one shape.

        Args:
            batch_size: how many, an int64 scalar of at least 1.
            padded_shapes: the shapes in the structure of an element; None or -1 is the largest size of the batch. By
                default the static shapes.
            padding_values: scalars in the structure of an element; zeros and empty strings by default.
            drop_remainder: whether a last, smaller batch is left out.

        Returns:
            A `Dataset`.

        Raises:
            ValueError: a shape does not fit a component.
            TypeError: a value is of another dtype.
            DataLossError (when run): an element is larger than the shape.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     ragged = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n)).padded_batch(2, [None])
        ...     print(session.run(ragged.make_one_shot_iterator().get_next()).tolist())
        [[1, 0], [2, 2]]
        """
        batch_size, size = batch_size_of(self.element_structure, batch_size, drop_remainder)
        shapes, values, structure = padding_of(self.element_structure, padded_shapes, padding_values)
        made = dataset_ops.padded_batch_dataset(self.variant_tensor, batch_size, shapes, values, drop_remainder)
        return Dataset(made, with_first(structure, size))

    def unbatch(self) -> Dataset:
        """The rows of elements, one by one.

        Returns:
            A `Dataset`.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     rows = tf.data.Dataset.from_tensors([[1, 2], [3, 4]]).unbatch()
        ...     print(session.run(rows.make_one_shot_iterator().get_next()))
        [1 2]
        """
        rows = without_first(self.element_structure, "Dataset.unbatch")
        return Dataset(dataset_ops.unbatch_dataset(self.variant_tensor), rows)

    def window(
        self, size: TensorLike, shift: TensorLike | None = None, stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
    ) -> Dataset:  # fmt: skip
        """Datasets of a few elements that follow each other.

        Args:
            size: how many elements a window has, an int64 scalar.
            shift: how far the next window begins behind this one; `size` without it.
            stride: how far elements of a window lie apart.
            drop_remainder: whether last, smaller windows are left out.

        Returns:
            A `Dataset` whose elements have a dataset in the place of each component.

        Raises:
            TypeError: a size is no int.
            InvalidArgumentError (when run): one is below 1.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     sums = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(3))
        ...     print(session.run(sums.batch(9).make_one_shot_iterator().get_next()).tolist())
        [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
        """
        structure = mapped(_windows_of, self.element_structure)
        made = dataset_ops.window_dataset(
            self.variant_tensor, size, size if shift is None else shift, stride, drop_remainder
        )
        return Dataset(made, structure)

    # ---- functions --------------------------------------------------------------------------

    def map(self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None) -> Dataset:
        """What a function gives for each element. It is called once, and its graph is run for each.

        Args:
            map_func: takes the parts of an element that is a tuple, else the element; returns a tensor or a structure.
            num_parallel_calls: how many elements are worked on at the same time; they come in order.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: it is no function, or gives what is no tensor.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     squares = tf.data.Dataset.range(4).map(lambda n: n * n)
        ...     print(session.run(squares.batch(9).make_one_shot_iterator().get_next()))
        [0 1 4 9]
        """
        made = element_function("Dataset.map: map_func", map_func, self)
        if gives_its_argument(made) and (num_parallel_calls is None or isinstance(num_parallel_calls, int)):
            same = Dataset(self.variant_tensor, made.structure)
            same.mapped = self.mapped
            return same
        node = map_node(self, made, num_parallel_calls)
        dataset = Dataset(node, made.structure)
        dataset.mapped = Mapped(self, made, num_parallel_calls)
        return dataset

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements for which a function gives true.

        Args:
            predicate: takes what the function of `map` takes; returns a bool scalar.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: it gives something else.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     odd = tf.data.Dataset.range(6).filter(lambda n: tf.equal(n % 2, 1))
        ...     print(session.run(odd.batch(9).make_one_shot_iterator().get_next()))
        [1 3 5]
        """
        made = predicate_function("Dataset.filter: predicate", predicate, self)
        return self._same(
            function_ops.filter_dataset(self.variant_tensor, made.operands, made.graph, [len(made.operands)])
        )

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the datasets that a function gives, one dataset after the other.

        Args:
            map_func: takes what the function of `map` takes; returns a dataset.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: it gives something else.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     some = tf.data.Dataset.range(4).flat_map(lambda n: tf.data.Dataset.range(n))
        ...     print(session.run(some.batch(9).make_one_shot_iterator().get_next()))
        [0 0 1 0 1 2]
        """
        made, structure = self._dataset_function("Dataset.flat_map: map_func", map_func)
        node = function_ops.flat_map_dataset(self.variant_tensor, made.operands, made.graph, [len(made.operands)])
        return Dataset(node, structure)

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: TensorLike = 1, block_length: TensorLike = 1,
        num_parallel_calls: TensorLike | None = None,
    ) -> Dataset:  # fmt: skip
        """Elements of the datasets that a function gives, some of each in turn.

        Args:
            map_func: takes what the function of `map` takes; returns a dataset.
            cycle_length: how many datasets take turns, an int64 scalar.
            block_length: how many elements one gives in its turn.
            num_parallel_calls: how many of the datasets are read at the same time, by threads, once their elements take
                longer than handing them over; the order is the same. None for one thread.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: the function gives something else.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     twice = lambda n: tf.data.Dataset.from_tensors(n).repeat(2)
        ...     turns = tf.data.Dataset.range(4).interleave(twice, cycle_length=2)
        ...     print(session.run(turns.batch(9).make_one_shot_iterator().get_next()))
        [0 1 0 1 2 3 2 3]
        """
        return self._interleaved(map_func, cycle_length, block_length, num_parallel_calls, False)

    def _interleaved(self, map_func: Any, cycle: Any, block: Any, parallel: Any, sloppy: bool) -> Dataset:
        function, structure = self._dataset_function("Dataset.interleave: map_func", map_func)
        if parallel is None:
            calls = 0
        else:
            known = known_int(convert_to_tensor(parallel))
            if known is not None and known != -1 and known < 1:
                raise ValueRuleError(f"Dataset.interleave: num_parallel_calls must be at least 1, or "
                                     f"tf.data.experimental.AUTOTUNE, but is {known}")  # fmt: skip
            calls = -1 if known is None else known
        node = function_ops.interleave_dataset(
            self.variant_tensor, function.operands, cycle, block, function.graph, [len(function.operands)], calls,
            sloppy,
        )  # fmt: skip
        return Dataset(node, structure)

    def _dataset_function(self, what: str, function: Callable[..., Any]) -> tuple[Any, Structure]:
        made = element_function(what, function, self)
        if not isinstance(made.structure, DatasetSpec):
            raise DTypeError(f"{what} must return a `Dataset` object: return tf.data.Dataset.from_tensors(...) of what "
                             "it gives, or use map")  # fmt: skip
        return made, made.structure.structure

    @hides_frames
    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What a function of datasets gives for this one.

        Args:
            transformation_func: takes and returns a dataset, as what the functions of `tf.data.experimental` return.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: it gives something else.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     tf.data.Dataset.range(4).apply(tf.data.experimental.enumerate_dataset()).output_types
        (tf.int64, tf.int64)
        """
        if not callable(transformation_func):
            raise UseError(f"Dataset.apply: transformation_func is {transformation_func!r:.80}, which is no function")
        found = transformation_func(self)
        if not isinstance(found, Dataset):
            raise UseError(f"Dataset.apply: `transformation_func` must return a Dataset, and gave {found!r:.80}")
        return found

    def enumerate(self, start: TensorLike = 0) -> Dataset:
        """Pairs of a number and an element.

        Args:
            start: the first number, an int64 scalar.

        Returns:
            A `Dataset`.

        Raises:
            TypeError: `start` is no int.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     pairs = tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(start=5)
        ...     print(*session.run(pairs.make_one_shot_iterator().get_next()))
        5 b'a'
        """
        return Dataset.zip((Dataset.range(start, np.iinfo(np.int64).max), self))

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The last state of a function over all elements, as a tensor: the graph reads the whole dataset.

        Args:
            initial_state: a tensor, or a structure of tensors.
            reduce_func: takes a state and an element; returns the next state.

        Returns:
            A tensor, or a structure of tensors.

        Raises:
            TypeError: the function gives other dtypes, or another structure.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     total = tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda state, n: state + n)
        ...     print(session.run(total))
        10
        """
        return reduced(self, initial_state, reduce_func)

    # ---- iterators --------------------------------------------------------------------------

    @hides_frames
    def make_one_shot_iterator(self) -> iterators.Iterator:
        """An iterator that begins by itself, and gives one pass.

        Returns:
            An `Iterator`.

        Raises:
            ValueError: the dataset needs a placeholder or a variable.
        """
        return iterators.make_one_shot_iterator(self)

    @hides_frames
    def make_initializable_iterator(self, shared_name: str | None = None) -> iterators.Iterator:
        """An iterator that begins whenever its `initializer` is run.

        Args:
            shared_name: the name of the session's iterator; that of the node without it.

        Returns:
            An `Iterator`.

        Raises:
            TypeError: `shared_name` is no string.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     iterator = tf.data.Dataset.range(2).make_initializable_iterator()
        ...     element = iterator.get_next()
        ...     session.run(iterator.initializer)
        ...     print(session.run(element))
        0
        """
        return iterators.make_initializable_iterator(self, shared_name)

    def _same(self, tensor: Tensor) -> Dataset:
        """A dataset with elements of the same structure."""
        return Dataset(tensor, self.element_structure)

    @hides_frames
    def __iter__(self) -> Any:
        raise UseError("a Dataset is part of a graph, so a Python loop over it has nothing to loop over: make an "
                       "iterator, next_element = dataset.make_one_shot_iterator().get_next(), and run next_element "
                       "until tf.errors.OutOfRangeError")  # fmt: skip

    def __repr__(self) -> str:
        return f"<Dataset {self.variant_tensor.name!r} of {shapes_of(self.element_structure)}, {self.output_types}>"


_MANY_FILES = 1 << 20
"""The buffer in which the names of files are put in random order: it holds those of any folder one would list."""


def _require_dataset(value: Any, what: str) -> None:
    if not isinstance(value, Dataset):
        raise UseError(f"{what}: {value!r:.80} is no Dataset")


def _windows_of(spec: Any) -> DatasetSpec:
    return DatasetSpec(spec)


def sparse_rows(sparse: Any) -> Dataset:
    """The rows of a sparse tensor as a dataset of sparse tensors."""
    dims = sparse.shape.raw
    shape = TensorShape(None) if dims is None else shape_of([d if isinstance(d, int) else Dimension(None)
                                                             for d in dims[1:]])  # fmt: skip
    node = sparse_slice_dataset(sparse.indices, sparse.values, sparse.dense_shape)
    return Dataset(node, SparseSpec(sparse.dtype, shape))


DATASETS.append(Dataset)


# ---- datasets of Python generators --------------------------------------------------------------


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
