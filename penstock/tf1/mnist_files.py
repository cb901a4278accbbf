"""`tensorflow.examples.tutorials.mnist.input_data`: the handwritten digits, read from files of the machine.

TensorFlow downloaded the four files. Penstock downloads nothing: it reads them where the program expects them, and an
error says which ones are missing and where they belong.

    the IDX format   4 bytes: 0, 0, 8 (uint8), the rank; then each size as a big-endian int32; then the bytes

Source: TensorFlow 1.x, `tensorflow/contrib/learn/python/learn/datasets/mnist.py`.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import DTypeError, NotFoundError, ValueRuleError
from ..graph.common.tracebacks import hides_frames
from ..graph.shapes.dtypes import as_dtype

__all__ = ["DataSet", "Datasets", "dense_to_one_hot", "extract_images", "extract_labels", "load_mnist",
           "read_data_sets"]  # fmt: skip

TRAIN_IMAGES = "train-images-idx3-ubyte"
TRAIN_LABELS = "train-labels-idx1-ubyte"
TEST_IMAGES = "t10k-images-idx3-ubyte"
TEST_LABELS = "t10k-labels-idx1-ubyte"
_KINDS = {TRAIN_IMAGES: 3, TRAIN_LABELS: 1, TEST_IMAGES: 3, TEST_LABELS: 1}
_CLASSES = 10
_PIXELS_OF_FAKE = 784
_FAKE_EXAMPLES = 10000


class Datasets(NamedTuple):
    """The three parts of the data."""

    train: DataSet
    validation: DataSet
    test: DataSet


class DataSet:
    """Images and their labels, handed out in batches.

    Attributes:
        images: float32 in [0, 1] with a row of pixels for each image; uint8 images are as they are in the file.
        labels: a class for each image, or a row with a 1 at its class.
        num_examples: how many images there are.
        epochs_completed: how often all of them have been handed out.

    >>> import numpy as np
    >>> pixels = np.full([3, 2, 2, 1], 255, np.uint8)
    >>> data = DataSet(pixels, np.array([0, 1, 2]))
    >>> images, labels = data.next_batch(2, shuffle=False)
    >>> images.shape, float(images[0, 0]), labels
    ((2, 4), 1.0, array([0, 1]))

    Source: TensorFlow 1.x, `tf.contrib.learn.datasets.mnist.DataSet`.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = np.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        kind = as_dtype(dtype).name
        if kind not in ("float32", "uint8"):
            raise DTypeError(f"Invalid image dtype {kind}, expected uint8 or float32")
        if seed is not None:
            np.random.seed(seed)  # the order of the batches is NumPy's own random state, as it was in TensorFlow
        self._one_hot = one_hot
        self._fake = fake_data
        if fake_data:
            self.num_examples = _FAKE_EXAMPLES
        else:
            if len(images) != len(labels):
                raise ValueRuleError(f"images.shape: {images.shape} labels.shape: {labels.shape}: there must be as "
                                     "many labels as images")  # fmt: skip
            self.num_examples = len(images)
            if reshape:
                images = images.reshape(len(images), -1)
            if kind == "float32":
                images = images.astype(np.float32) * np.float32(1.0 / 255.0)
        self.images = images
        self.labels = labels
        self.epochs_completed = 0
        self._next = 0

    @hides_frames
    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """The next images and labels; at the end of an epoch the rest of it and the first ones of the next.

        Args:
            batch_size: how many.
            fake_data: whether to return lists of ones and zeros.
            shuffle: whether each epoch has an order of its own, of NumPy's random state.

        Raises:
            ValueError: there are fewer examples than `batch_size`.
        """
        if fake_data or self._fake:
            label: Any = [1] + [0] * (_CLASSES - 1) if self._one_hot else 0
            return [[1] * _PIXELS_OF_FAKE for _ in range(batch_size)], [label for _ in range(batch_size)]
        if not 0 < batch_size <= self.num_examples:
            raise ValueRuleError(f"next_batch({batch_size}): there are {self.num_examples} examples, and a batch has "
                                 "at least one of them and at most all")  # fmt: skip
        if self._next == 0 and self.epochs_completed == 0 and shuffle:
            self._reorder()
        begin, self._next = self._next, self._next + batch_size
        if self._next <= self.num_examples:
            return self.images[begin : self._next], self.labels[begin : self._next]
        self.epochs_completed += 1
        images, labels = self.images[begin:], self.labels[begin:]
        if shuffle:
            self._reorder()
        self._next = batch_size - len(images)
        return (np.concatenate([images, self.images[: self._next]]),
                np.concatenate([labels, self.labels[: self._next]]))  # fmt: skip

    def _reorder(self) -> None:
        order = np.arange(self.num_examples)
        np.random.shuffle(order)
        self.images, self.labels = self.images[order], self.labels[order]


@hides_frames
def read_data_sets(
    train_dir: str | os.PathLike[str],
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = np.float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = "",
) -> Datasets:
    """The handwritten digits of a folder.

    Args:
        train_dir: the folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and
            t10k-labels-idx1-ubyte, each as it is or with `.gz`.
        fake_data: whether to read nothing and hand out ones.
        one_hot: whether a label is a row with a 1 at its class; by default it is the class.
        dtype: float32 (the default), which scales pixels to [0, 1], or uint8.
        reshape: whether an image is a row of pixels; False keeps (rows, columns, 1).
        validation_size: how many of the training images are the validation part.
        seed: seeds NumPy's random state, which orders the batches.
        source_url: where TensorFlow downloaded from; nothing is downloaded here.

    Raises:
        NotFoundError: files are missing; the message says where they belong.
        ValueError: a file is not in the IDX format, or `validation_size` is out of range.

    >>> data = read_data_sets("", fake_data=True, one_hot=True)
    >>> data.train.next_batch(1)[1]
    [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]]

    Source: TensorFlow 1.x, `tensorflow.examples.tutorials.mnist.input_data.read_data_sets`.
    """
    if fake_data:
        fakes = [DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)]
        return Datasets(*fakes)
    paths = _files_in(Path(train_dir))
    arrays = {name: _read_idx(path, _KINDS[name]) for name, path in paths.items()}
    images, labels = arrays[TRAIN_IMAGES][..., None], arrays[TRAIN_LABELS]
    if not 0 <= validation_size <= len(images):
        raise ValueRuleError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    if one_hot:
        labels = dense_to_one_hot(labels, _CLASSES)
    tests = arrays[TEST_LABELS]
    parts = (
        (images[validation_size:], labels[validation_size:]),
        (images[:validation_size], labels[:validation_size]),
        (arrays[TEST_IMAGES][..., None], dense_to_one_hot(tests, _CLASSES) if one_hot else tests),
    )
    return Datasets(*(DataSet(x, y, dtype=dtype, reshape=reshape, seed=seed) for x, y in parts))


def load_mnist(train_dir: str | os.PathLike[str] = "MNIST-data") -> Datasets:
    """The handwritten digits of a folder, with classes as labels.

    Raises:
        NotFoundError: files are missing.
    """
    return read_data_sets(train_dir)


def dense_to_one_hot(labels_dense: Any, num_classes: int) -> Any:
    """A row with a 1 at its class for each label.

    >>> dense_to_one_hot(np.array([1, 0]), 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return np.eye(num_classes)[np.asarray(labels_dense)]


def extract_images(f: Any) -> Any:
    """uint8 images (n, rows, columns, 1) of an open file, compressed with gzip."""
    return _decode(gzip.GzipFile(fileobj=f).read(), 3, getattr(f, "name", "the file"))[..., None]


def extract_labels(f: Any, one_hot: bool = False, num_classes: int = _CLASSES) -> Any:
    """Labels of an open file, compressed with gzip."""
    labels = _decode(gzip.GzipFile(fileobj=f).read(), 1, getattr(f, "name", "the file"))
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def _files_in(folder: Path) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for name in _KINDS:
        dotted = "-idx".join(name.split("-idx")).replace("-idx", ".idx")  # what some archives call them
        for candidate in (f"{name}.gz", name, f"{dotted}.gz", dotted):
            if (folder / candidate).is_file():
                files[name] = folder / candidate
                break
    missing = [f"{name}.gz" for name in _KINDS if name not in files]
    if missing:
        text = (f"read_data_sets({str(folder)!r}): {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not in "
                f"{folder.resolve()}. Nothing is downloaded; put the files of the MNIST database there, with .gz or "
                "without. read_data_sets(folder, fake_data=True) runs the program without them")  # fmt: skip
        raise NotFoundError(None, None, text)
    return files


def _read_idx(path: Path, rank: int) -> Any:
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError) as error:
            raise ValueRuleError(f"{path}: not a whole file of gzip: {error}") from None
    return _decode(content, rank, str(path))


def _decode(content: bytes, rank: int, name: str) -> Any:
    head = 4 + 4 * rank
    if len(content) < head or content[:4] != bytes([0, 0, 8, rank]):
        raise ValueRuleError(f"{name}: not an IDX file of uint8 of rank {rank}: it begins with {content[:4]!r} and not "
                             f"with {bytes([0, 0, 8, rank])!r}")  # fmt: skip
    sizes = np.frombuffer(content, ">i4", rank, 4).tolist()
    wanted = int(np.prod(sizes, dtype=np.int64))
    if wanted != len(content) - head:
        raise ValueRuleError(f"{name}: sizes {sizes} need {wanted} bytes, and {len(content) - head} follow")
    return np.frombuffer(content, np.uint8, offset=head).reshape(sizes)
