"""Limits on files: how much memory and work a file may cause.

A file from elsewhere is only data, and it must not be able to fill the memory or to keep a reader busy. Sizes are
compared with these limits before anything is allocated.
"""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import GraphFormatError
from ..common.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader accepts. The defaults serve graphs of any sensible size; give others to `load_graph(limits=...)`.

    Attributes:
        file_bytes: the bytes of the file of the graph.
        constant_bytes: the bytes of all constants together.
        nodes: the number of nodes, those inside others included.
        outputs: the number of outputs of all nodes together.
        depth: how deeply values are nested.
        name_length: the characters of a name.
        values: the entries of all lists and objects of the file together. Three bytes of a file can become a hundred of
            memory, so its size alone bounds little.
        growth: a GraphDef may have functions that it calls, and each call becomes the nodes of its function. With n
            nodes in the file, functions included, the graph may become growth * n nodes, or 20,000 if that is more, but
            never more than `nodes`. A file with more calls is refused before any node is made.
    """

    file_bytes: int = 256 << 20
    constant_bytes: int = 4 << 30
    nodes: int = 1_000_000
    outputs: int = 4_000_000
    depth: int = 32
    name_length: int = 65_536
    values: int = 32_000_000
    growth: int = 100


DEFAULT_LIMITS = Limits()


class Budget:
    """What may still be made of a file, counted while it is read."""

    __slots__ = ("_left", "_limits", "_nodes")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.values
        self._nodes = limits.nodes

    def spend(self, count: int) -> None:
        """Count values that are about to be made.

        Raises:
            GraphFormatError: there are more than the limit.
        """
        self._left -= count
        if self._left < 0:
            raise GraphFormatError(
                f"the file holds more values than the limit of {self._limits.values}; give a larger one with "
                "Limits(values=...) if it is trusted",
                code="file/limit",
            )

    def node(self) -> None:
        """Count a node that is about to be made.

        Raises:
            GraphFormatError: there are more than the limit.
        """
        self._nodes -= 1
        if self._nodes < 0:
            raise GraphFormatError(f"there are more nodes than the limit of {self._limits.nodes}; give a larger one "
                                   "with Limits(nodes=...) if the file is trusted", code="file/limit")  # fmt: skip

_BLOCK = 1 << 20


def read_limited(path: Path, most: int) -> bytes:
    """The bytes of a file.

    Raises:
        GraphFormatError: it is larger than `most`. OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        # Block by block: `read(most)` asks for that much memory, and a pipe says 0 and may never end.
        blocks: list[bytes] = []
        found = 0
        while size <= most and (block := file.read(_BLOCK)):
            blocks.append(block)
            found += len(block)
            size = max(size, found)
    if size > most:
        raise GraphFormatError(
            f"the file has {size} bytes or more; the limit is {most}; give a larger one with Limits if it is trusted",
            code="file/limit",
        )
    return b"".join(blocks)
