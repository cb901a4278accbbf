"""Hints for TensorFlow names that Penstock lacks."""

from __future__ import annotations

import numpy as np
import pytest

import penstock as tf
from penstock import missing_names
from penstock.compat import v1


@pytest.mark.parametrize(("name", "words"), [("while_loop", "tf.where"), ("nn", "tf.relu")])
def test_a_missing_name_of_tensorflow_says_what_takes_its_place(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'penstock' has no attribute '{name}': .*{words}"):
        getattr(tf, name)


def test_a_misspelled_name_is_left_to_python() -> None:
    with pytest.raises(AttributeError, match=r"^module 'penstock' has no attribute 'reduce_summ'$"):
        tf.reduce_summ  # type: ignore[attr-defined]  # the error under test


def test_the_names_of_tensorflow_1_have_hints_too() -> None:
    with pytest.raises(AttributeError, match=r"'penstock\.compat\.v1' has no attribute 'while_loop': .*tf.where"):
        v1.while_loop  # type: ignore[attr-defined]  # the error under test


@pytest.mark.parametrize(("name", "words"), [("bias_add", "write x"), ("dropout", "NumPy"), ("conv2d", "not have")])
def test_the_names_of_tf_nn_have_hints_too(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=rf"module 'penstock\.compat\.nn' has no attribute '{name}': .*{words}"):
        getattr(v1.nn, name)


@pytest.mark.parametrize(
    ("name", "words"),
    [("Saver", "save_graph"), ("keras", "arrays"), ("tensordot", "tf.einsum")],
)
def test_the_libraries_on_top_have_hints_too(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        getattr(v1, name)


def test_what_stands_for_a_loss_is_that_loss() -> None:
    logits, labels = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0]]), np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    with tf.Graph().as_default(), tf.Session() as session:
        soft = -v1.reduce_sum(labels * v1.nn.log_softmax(logits), 1)
        sparse = -v1.gather_nd(v1.nn.log_softmax(logits), [[0, 2], [1, 1]])
        sigmoid = v1.nn.softplus(tf.constant(logits)) - labels * logits
        found = session.run([soft, sparse, sigmoid])
    expected = np.log(np.exp(logits).sum(1)) - (logits * labels).sum(1)
    assert np.allclose(found[0], expected) and np.allclose(found[1], expected)
    assert np.allclose(found[2], np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits))))


def test_no_name_that_is_there_has_a_hint() -> None:
    assert not set(missing_names._HINTS) & set(tf.__all__)
    assert not set(missing_names._HINTS_OF_NN) & set(v1.nn.__all__)
