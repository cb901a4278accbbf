"""The difference between two graphs as text: `GraphDiff`, what `Graph.diff` returns.

`+ name` stands for a node that only the second graph has, `- name` for one that only the first has, and `~ name` for
one that both have, with what changed:

    - old_bias  Const  float32 (3,)
    ~ dense/add  Add
        inputs: x:0, old_bias:0 -> x:0, bias:0
    + bias  Const  float32 (3,)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...printable_text import printable
from ..common.hooks import hooks
from .text_table import folded


@dataclass(frozen=True, slots=True)
class Change:
    """One property of a node, as text, in both graphs."""

    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.what}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True)
class NodeDiff:
    """One node: its sign, name and op, and what changed (only `~` has changes)."""

    sign: Literal["+", "-", "~"]
    name: str
    op: str
    types: str = ""
    changes: tuple[Change, ...] = ()

    def __str__(self) -> str:
        head = "  ".join(part for part in (f"{self.sign} {printable(self.name)}", self.op, self.types) if part)
        return "\n".join([head, *(f"    {printable(str(change))}" for change in self.changes)])


@dataclass(frozen=True, slots=True, repr=False)
class GraphDiff:
    """The nodes in which two graphs differ. It prints one line for each node and each change, and is false if there is
    none.

    Attributes:
        nodes: a `NodeDiff` for each of these nodes.
    """

    nodes: tuple[NodeDiff, ...]

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def __str__(self) -> str:
        return "\n".join(folded("\n".join(map(str, self.nodes)).split("\n"))) if self.nodes else "no difference"

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")
