"""The letters in calls of `compat.v1` whose results have names: recorded from TensorFlow in `result_names.json`.

X is a matrix of two rows and columns, P a bool, V and W are variables. N is the name, left out for the default. Y is a
matrix that is fed, I one of ints, C of complex numbers, T a vector of texts, K an image of four rows and columns, Q a
sparse matrix.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("result_names.json")
RECORDED: dict[str, list[str]] = json.loads(FILE.read_text("utf-8"))
"""Call -> the names of its results in TensorFlow."""
OPERANDS: dict[str, Callable[[Any, str], Any]] = {
    "Y": lambda tf, name: tf.placeholder(tf.float32, [2, 2], name=name),
    "I": lambda tf, name: tf.constant([[0, 1], [1, 0]], name=name),
    "C": lambda tf, name: tf.constant([[1.0 + 1.0j, 2.0], [3.0, 4.0]], tf.complex64, name=name),
    "T": lambda tf, name: tf.constant(["a", "b"], name=name),
    "K": lambda tf, name: tf.constant(0.5, shape=[1, 4, 4, 3], name=name),
    "Q": lambda tf, name: tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]),
}
"""Letter -> the operand, in calls that have it."""


def with_and_without_name(calls: Iterable[str]) -> list[str]:
    """Each call, and the same without a name."""
    return list(dict.fromkeys([*calls, *[re.sub("(, )?(name|scope)=N", "", text) for text in calls]]))


def result(tf: Any, text: str) -> Any:
    """What a call gives, in the default graph."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="X")
    v, w = tf.Variable(1.0, name="V"), tf.Variable([[1.0, 2.0]], name="W")
    others = {letter: make(tf, letter) for letter, make in OPERANDS.items() if re.search(rf"\b{letter}\b", text)}
    known = {"tf": tf, "X": x, "P": tf.constant(True, name="P"), "V": v, "W": w, "N": "foo"}
    return eval(text, known | others)


def names(found: Any) -> list[str]:
    """The names of one result, or of several."""
    each = found if isinstance(found, (list, tuple)) else [found]
    return [one.name if hasattr(one, "name") else one.values.name for one in each]  # of a sparse tensor: its values
