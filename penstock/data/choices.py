"""Datasets whose elements come from one of several: `sample_from_datasets`, `choose_from_datasets`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DTypeError, UseError, ValueRuleError
from ..graph.model.nodes import Tensor
from ..graph.shapes.dtypes import float32, int64
from ..graph.shapes.shape import shape_of
from ..ops.create.constant_and_placeholder import convert_to_tensor
from ..ops.datasets.dataset_ops import directed_interleave_dataset
from ..ops.datasets.random_choices import random_choice_dataset
from ..ops.elementwise.transcendental import log
from .calls import dataset_call
from .dataset import Dataset
from .dataset_arguments import seeds_of
from .structure import TensorSpec, common


def _checked(call: str, datasets: Sequence[Dataset]) -> list[Dataset]:
    every = list(datasets)
    if not every:
        raise ValueRuleError(f"{call}: `datasets` must be a non-empty list of datasets")
    for each in every:
        if not isinstance(each, Dataset):
            raise UseError(f"{call}: {each!r:.80} is no Dataset")
    return every


def _chosen(call: str, selector: Dataset, datasets: list[Dataset], stops: bool) -> Dataset:
    structure = datasets[0].element_structure
    for each in datasets[1:]:
        structure = common(structure, each.element_structure, call)
    node = directed_interleave_dataset(selector.variant_tensor, [d.variant_tensor for d in datasets], stops)
    return Dataset(node, structure)


@dataset_call
def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """The next element of the dataset whose number another dataset gives.

    Args:
        datasets: datasets of elements of one structure.
        choice_dataset: int64 scalars, from 0 on.
        stop_on_empty_dataset: whether the first dataset that ends is the end; else the others go on.

    Returns:
        A `Dataset`.

    Raises:
        TypeError: something is no dataset, or `choice_dataset` has other elements.
        ValueError: there are no datasets.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     three = [tf.data.Dataset.from_tensors(word).repeat() for word in ("a", "b", "c")]
    ...     order = tf.data.Dataset.from_tensor_slices(tf.constant([2, 0, 1], tf.int64))
    ...     mixed = tf.data.experimental.choose_from_datasets(three, order)
    ...     print(session.run(mixed.batch(9).make_one_shot_iterator().get_next()))
    [b'c' b'a' b'b']

    Source: TensorFlow 1.15, `tf.data.experimental.choose_from_datasets`.
    """
    every = _checked("choose_from_datasets", datasets)
    spec = getattr(choice_dataset, "element_structure", None)
    if not isinstance(spec, TensorSpec) or spec.dtype is not int64 or spec.shape.ndims not in (0, None):
        raise DTypeError("choose_from_datasets: `choice_dataset` must be a dataset of scalar `tf.int64` tensors")
    return _chosen("choose_from_datasets", choice_dataset, every, bool(stop_on_empty_dataset))


@dataset_call
def sample_from_datasets(
    datasets: Sequence[Dataset], weights: Any = None, seed: int | None = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """The next element of a dataset that is drawn at random.

    Args:
        datasets: datasets of elements of one structure.
        weights: a float for each; equal ones without it.
        seed: an int. The order is TensorFlow's for the same seeds.
        stop_on_empty_dataset: whether the first dataset that ends is the end; else the others go on.

    Returns:
        A `Dataset`.

    Raises:
        TypeError: something is no dataset.
        ValueError: there are no datasets, or another number of weights.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     two = [tf.data.Dataset.from_tensors(n).repeat() for n in (0, 1)]
    ...     mixed = tf.data.experimental.sample_from_datasets(two, [0.0, 1.0], seed=1)
    ...     print(session.run(mixed.batch(3).make_one_shot_iterator().get_next()))
    [1 1 1]

    Source: TensorFlow 1.15, `tf.data.experimental.sample_from_datasets`.
    """
    every = _checked("sample_from_datasets", datasets)
    if weights is None:
        logits: Any = np.ones(len(every), np.float32)
    else:
        known = convert_to_tensor(weights, None if isinstance(weights, Tensor) else float32, name="weights")
        if known.shape.ndims not in (1, None) or (known.shape.raw and isinstance(known.shape.raw[0], int)
                                                  and known.shape.raw[0] != len(every)):  # fmt: skip
            raise ValueRuleError(f"sample_from_datasets: `weights` must have the same length as `datasets`: a vector "
                                 f"of {len(every)}, not of shape {known.shape}")  # fmt: skip
        logits = log(known)
    selector = Dataset(random_choice_dataset(*seeds_of(seed), logits), TensorSpec(int64, shape_of(())))
    return _chosen("sample_from_datasets", selector, every, bool(stop_on_empty_dataset))
