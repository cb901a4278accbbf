"""Errors of reading ONNX models."""

from __future__ import annotations

from typing import Any

from ...errors import GraphFormatError


class UnsupportedOnnx(GraphFormatError):
    """A node, type or attribute of a model that is well formed, but has no counterpart here.

    Attributes:
        names_node: whether the message names the node.
    """

    names_node = False


class NeedsKnownValue(UnsupportedOnnx):
    """A rule needs to know a value before the run.

    Attributes:
        value: the name of the value in the model.
    """

    def __init__(self, value: str) -> None:
        super().__init__(
            f"the value of {value!r} decides how the graph is built, and is not known before a run; give it with "
            f"input_map={{{value!r}: array}}"
        )
        self.value = value


def known_size(size: Any, words: str) -> int:
    """A size that decides how the graph is built; `words`: "the number of its heads is".

    Raises:
        UnsupportedOnnx: it is not known before a run.
    """
    if not isinstance(size, int):
        raise UnsupportedOnnx(f"{words} not known before a run")
    return size
