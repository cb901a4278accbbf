"""Hash buckets are TensorFlow's; tables are initialised once in each session."""

import json
from pathlib import Path

import numpy as np
import pytest

import penstock as tf
from penstock.contrib.contrib_lookup import index_table_from_file, index_table_from_tensor

RECORDED = json.loads(Path(__file__).with_name("recorded_buckets.json").read_text())


def test_buckets_of_strings_of_every_length_are_those_of_tensorflow() -> None:
    texts = [bytes.fromhex(text) for text, _ in RECORDED["strings"]]
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(tf.string_to_hash_bucket_fast(np.array(texts, object), RECORDED["buckets"]))
    assert got.tolist() == [bucket for _, bucket in RECORDED["strings"]]


def test_a_table_has_no_entries_before_its_initialiser_has_run() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        ids = index_table_from_tensor(["a", "b"]).lookup(tf.constant(["b", "?"]))
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(ids)
        session.run(tf.tables_initializer())
        assert session.run(ids).tolist() == [1, -1]


def test_a_key_with_two_values_is_an_error_of_the_initialiser() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), -1)
        with pytest.raises(tf.errors.FailedPreconditionError, match="different value for same key"):
            session.run(tf.tables_initializer())


def test_unknown_words_of_a_sparse_tensor_go_to_buckets(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("a\nb\n")
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.SparseTensor([[0], [2]], ["b", "Hello"], [3])
        ids = index_table_from_file(str(path), num_oov_buckets=3).lookup(words)
        session.run(tf.tables_initializer())
        assert session.run(ids).values.tolist() == [1, 2]  # TensorFlow: "Hello" is in bucket 0 of 3
