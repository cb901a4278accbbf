"""`Misconception`: what a check raises when the work is not right, with the wrong idea that it is a sign of."""

from __future__ import annotations


class Misconception(Exception):
    """The work is not right yet, and this is the idea that may be behind it.

    Args:
        key: the key of a wrong idea in `MISCONCEPTIONS` of check.py, such as "a-call-computes"; "" if there is none.
        message: what was found, and what is asked for.

    >>> raise Misconception("one-each", "the graph has three MatMul nodes; one is enough: move it out of the loop")
    Traceback (most recent call last):
        ...
    penstock.lessons.misconceptions.Misconception: the graph has three MatMul nodes; one is enough: move it out of ...
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
        self.message = message
