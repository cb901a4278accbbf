"""The handwritten digits are read from local IDX files, as TensorFlow's module read them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.tf1 import mnist_files
from penstock.tf1.mnist_files import DataSet, read_data_sets


def idx(array: Any) -> bytes:
    sizes = b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    head = bytes([0, 0, 8, array.ndim])
    return head + sizes + bytes(array.astype(np.uint8).tobytes())


def write_digits(folder: Path, count: int = 30) -> None:
    """Files of `count` training images and ten for tests; one is compressed, one is called as in some archives."""
    random = np.random.RandomState(0)
    for name, size in (("train", count), ("t10k", 10)):
        (folder / f"{name}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(random.randint(0, 256, [size, 4, 3]))))
        (folder / f"{name}-labels.idx1-ubyte").write_bytes(idx(random.randint(0, 10, [size])))


def test_the_parts_of_the_data(tmp_path: Path) -> None:
    write_digits(tmp_path)
    data = read_data_sets(str(tmp_path), one_hot=True, validation_size=5)
    assert [part.num_examples for part in data] == [25, 5, 10]
    assert data.train.images.shape == (25, 12) and data.train.images.dtype == np.float32
    assert 0.9 < data.train.images.max() <= 1.0 and np.array_equal(data.test.labels.sum(1), np.ones(10))
    whole = read_data_sets(str(tmp_path), dtype=tf.uint8, reshape=False, validation_size=0)
    assert whole.train.images.shape == (30, 4, 3, 1) and whole.train.images.dtype == np.uint8
    assert whole.train.labels.shape == (30,)


def test_batches_go_through_all_examples_and_on(tmp_path: Path) -> None:
    data = DataSet(np.arange(10)[:, None].astype(np.uint8), np.arange(10), dtype=tf.uint8, seed=3)
    seen = [data.next_batch(4)[1] for _ in range(5)]
    assert sorted(np.concatenate(seen)[:10]) == sorted(np.concatenate(seen)[10:]) == list(range(10))
    assert data.epochs_completed == 1
    plain = DataSet(np.arange(5)[:, None].astype(np.uint8), np.arange(5), dtype=tf.uint8)
    assert [plain.next_batch(3, shuffle=False)[1].tolist() for _ in range(2)] == [[0, 1, 2], [3, 4, 0]]


def test_missing_files_say_where_they_belong(tmp_path: Path) -> None:
    write_digits(tmp_path)
    (tmp_path / "t10k-labels.idx1-ubyte").unlink()
    with pytest.raises(tf.errors.NotFoundError, match=r"t10k-labels-idx1-ubyte\.gz is not in .*Nothing is downloaded"):
        read_data_sets(tmp_path)


@pytest.mark.parametrize(("content", "words"), [
    (b"\x00\x00\x08\x01\x00", "not an IDX file"), (b"<html>", "not an IDX file"), (b"\x1f\x8b\x08\x00", "not a whole"),
    (idx(np.zeros(3))[:-1], "sizes .3. need 3 bytes, and 2 follow"), (idx(np.zeros([3, 1])), "of rank 1"),
])  # fmt: skip
def test_files_that_are_no_digits(tmp_path: Path, content: bytes, words: str) -> None:
    write_digits(tmp_path)
    (tmp_path / "train-labels.idx1-ubyte").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_data_sets(tmp_path)


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="Invalid image dtype float64"):
        DataSet(np.zeros([2, 2]), np.zeros(2), dtype=np.float64)
    with pytest.raises(ValueError, match="as many labels as images"):
        DataSet(np.zeros([2, 2]), np.zeros(3))
    data = DataSet(np.zeros([2, 2]), np.zeros(2))
    with pytest.raises(ValueError, match="there are 2 examples"):
        data.next_batch(3)
    assert mnist_files.read_data_sets("", fake_data=True).train.next_batch(2)[1] == [0, 0]
