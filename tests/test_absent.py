"""Do names of TensorFlow's that Penstock has not say what takes their place?"""

from __future__ import annotations

import pytest

import penstock as tf
from penstock import absent
from penstock.compat import v1


@pytest.mark.parametrize(("name", "words"), [("Variable", "feed it"), ("while_loop", "tf.where"), ("nn", "tf.relu")])
def test_an_absent_name_of_tensorflow_says_what_takes_its_place(name: str, words: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'penstock' has no attribute '{name}': .*{words}"):
        getattr(tf, name)


def test_a_misspelled_name_is_left_to_python() -> None:
    with pytest.raises(AttributeError, match=r"^module 'penstock' has no attribute 'reduce_summ'$"):
        tf.reduce_summ  # type: ignore[attr-defined]  # the error under test


def test_the_names_of_tensorflow_1_are_told_too() -> None:
    with pytest.raises(AttributeError, match=r"module 'penstock\.compat\.v1' has no attribute 'Variable': .*NumPy"):
        v1.Variable  # type: ignore[attr-defined]  # the error under test


def test_no_name_that_is_there_is_called_absent() -> None:
    assert not set(absent._WORDS) & set(tf.__all__)
