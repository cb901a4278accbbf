"""Calls that a type checker refuses: `mypy`, which checks the tests, also tells of a comment that is not needed."""

import penstock as tf


def wrong_calls() -> None:
    tf.exp()  # type: ignore[call-arg]
    tf.reduce_sum([1], axes=0)  # type: ignore[call-arg]
    tf.none_such  # type: ignore[attr-defined]
