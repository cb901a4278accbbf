"""Hints for TensorFlow names that Penstock lacks."""

from __future__ import annotations

from types import ModuleType

import pytest

import penstock as tf
from penstock.api import missing_names
from penstock.compat import v1


@pytest.mark.parametrize(("name", "words"), [("function", "tf.while_loop"), ("arange", "tf.range")])
def test_a_missing_name_of_tensorflow_says_what_takes_its_place(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'penstock' has no attribute '{name}': .*{words}"):
        getattr(tf, name)


def test_a_misspelled_name_is_left_to_python() -> None:
    with pytest.raises(AttributeError, match=r"^module 'penstock' has no attribute 'reduce_summ'$"):
        tf.reduce_summ  # type: ignore[attr-defined]  # the error under test


def test_the_names_of_tensorflow_1_have_hints_too() -> None:
    with pytest.raises(AttributeError, match=r"'penstock\.compat\.v1' has no attribute 'function': .*tf.while_loop"):
        v1.function  # type: ignore[attr-defined]  # the error under test


@pytest.mark.parametrize(("name", "words"), [("with_space_to_batch", "tf.nn.convolution")])
def test_the_names_of_tf_nn_have_hints_too(name: str, words: str) -> None:
    for module in (tf.nn, v1.nn):
        with pytest.raises(AttributeError, match=rf"module '{module.__name__}' has no attribute '{name}': .*{words}"):
            getattr(module, name)


@pytest.mark.parametrize(
    ("name", "words"),
    [("Saver", "tf.train.Saver"), ("keras", "arrays"), ("concatenate", "tf.concat")],
)
def test_the_libraries_on_top_have_hints_too(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=words):
        getattr(v1, name)


@pytest.mark.parametrize(
    ("name", "words"), [("WorkerSessionCreator", "ChiefSessionCreator"), ("ProfilerHook", "SessionRunHook")]
)
def test_the_names_of_tf_train_have_hints_too(name: str, words: str) -> None:
    assert tf.train.__name__ == "penstock.train"  # the first use imports it
    missing_names.add_hints("penstock.train")
    with pytest.raises(AttributeError, match=rf"'penstock\.train' has no attribute '{name}': .*{words}"):
        getattr(tf.train, name)


def test_no_name_that_is_there_has_a_hint() -> None:
    for module in (tf, tf.nn, v1.nn, tf.train, v1.layers, v1.contrib, v1.initializers):
        hints = missing_names.hints_of(module.__name__)
        assert hints, module
        assert not {*hints} & {*getattr(module, "__all__", dir(module))}, module


@pytest.mark.parametrize(
    ("module", "name", "words"),
    [
        (tf.nn, "crossentropy", "there are sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits, "),
        (tf.nn, "softmax_CrossEntropy", "there are softmax_cross_entropy_with_logits, "),
        (tf.train, "Adam", "there is AdamOptimizer"),
    ],
)
def test_a_part_of_a_name_names_the_whole(module: ModuleType, name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}': {words}"):
        getattr(module, name)
