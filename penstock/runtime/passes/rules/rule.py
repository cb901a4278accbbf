"""What is a rule, and how is the place found where it applies?

A rule is a class: its docstring is the law, `pattern` the left side, `rewrite` the right side, `check` says in words
why it does not apply after all, `example` builds the smallest graph on which it fires. A pattern is written as the
call it looks for, with names for what it binds:

    pattern = node(transpose, node(transpose, "x", "p"), "q")        transpose(transpose(x, p), q)
    pattern = node(pack, parts(node(unpack, "x", "num")))            pack(unpack(x, num)), or some of its rows

`check` and `rewrite` get what was bound by name. `check` returns None, the reason for refusing, or "" where there is
nothing worth telling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ....graph.nodes import Operation, Tensor
from ....graph.op_declaration import OPS, OpDef
from ...ir.stage import Rebuild

Facts: TypeAlias = Callable[[OpDef[Any, Any]], bool]


@dataclass(frozen=True, slots=True)
class Node:
    """A use of one of `ops` (or of an op of which `facts` holds).

    args: a pattern for each argument, None for any. bind: a name for the operation. glance: a quick look that tells
    most operations that cannot be meant: 0.3 us instead of 1.5 for those.
    """

    ops: tuple[OpDef[Any, Any], ...]
    facts: Facts | None
    args: tuple[Any, ...] | None
    bind: str | None
    glance: Callable[[Operation], bool] | None = None

    def accepts(self, opdef: OpDef[Any, Any]) -> bool:
        """Whether an op of that kind may match."""
        return opdef in self.ops if self.facts is None else self.facts(opdef)


@dataclass(frozen=True, slots=True)
class Parts:
    """A list of tensors, all of which are outputs of one operation that matches `node`, bound as `name`."""

    node: Node
    name: str


def node(
    which: OpDef[Any, Any] | tuple[OpDef[Any, Any], ...] | Facts,
    *args: Any,
    bind: str | None = None,
    glance: Callable[[Operation], bool] | None = None,
) -> Node:
    """A use of the op `which` with these arguments: names to bind, or patterns; `bind` names the operation itself."""
    if isinstance(which, OpDef):
        return Node((which,), None, args or None, bind, glance)
    if isinstance(which, tuple):
        return Node(which, None, args or None, bind, glance)
    return Node((), which, args or None, bind, glance)


def parts(of: Node, name: str = "some") -> Parts:
    """See `Parts`."""
    return Parts(of, name)


@dataclass(slots=True)
class Match:
    """What a pattern bound, and the operations it covers, the outermost first."""

    bound: dict[str, Any] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)


def match(pattern: Node, op: Operation) -> Match | None:
    """How `op`, which passed the pattern's glance, matches `pattern`, or None."""
    found = Match()
    return found if _node(pattern, op, found) else None


def _node(pattern: Node, op: Operation, found: Match) -> bool:
    if not pattern.accepts(op.opdef):
        return False
    found.operations.append(op)
    if pattern.bind is not None:
        found.bound[pattern.bind] = op
    if pattern.args is None:
        return True
    # Not strict: of several ops in one pattern some have more arguments (stack's axis), which `check` looks at.
    for part, arg in zip(pattern.args, op.args, strict=False):  # noqa: SIM110  # a generator takes twice the time
        if not _argument(part, arg, found):
            return False
    return True


def _argument(pattern: Any, arg: Any, found: Match) -> bool:
    if isinstance(pattern, str):
        return found.bound.setdefault(pattern, arg) is arg
    if isinstance(pattern, Node):
        return isinstance(arg, Tensor) and _node(pattern, arg.op, found)
    maker = arg[0].op if arg else None
    if maker is None or any(t.op is not maker for t in arg) or not _node(pattern.node, maker, found):
        return False
    found.bound[pattern.name] = arg
    return True


class Emitter:
    """Makes the nodes of a rewrite: they carry the origins of all operations it replaces."""

    def __init__(self, copy: Rebuild, names: set[str], covered: Sequence[Operation]) -> None:
        self._copy = copy
        self._names = names
        self._covered = list(covered)
        copy.cover(covered)
        self.last: Operation | None = None
        """The node made in place of the matched one, if one was made."""

    def also(self, operations: Iterable[Operation]) -> None:
        """Count `operations` among those that are replaced."""
        more = list(operations)
        self._covered += more
        self._copy.cover(more)

    def make(self, opdef: OpDef[Any, Any], *args: Any, hint: str | None = None) -> Tensor:
        """A node on the way to the result; `hint` is what its name says besides the name of the replaced node."""
        name = self._name(hint or opdef.default_name, self._covered[0].name)
        outputs = self._copy.emit(opdef, args, self._like(), name)
        return outputs[0]

    def constant(self, value: Any) -> Tensor:
        """A constant, of the dtype that the array has."""
        array = np.asarray(value)
        array.flags.writeable = False
        return self.make(OPS["Const"], array, hint="const")

    def result(self, opdef: OpDef[Any, Any], *args: Any) -> Tensor:
        """The node in place of the matched one: it takes over its name, dtype and static shape."""
        old = self._covered[0]
        outputs = [(t.dtype, t.shape) for t in old.outputs]
        (made,) = self._copy.emit(opdef, args, self._like(), old.name, outputs)
        self.last = made.op
        return made

    def known(self, value: Any) -> Tensor:
        """The constant in place of the matched node."""
        value.flags.writeable = False
        (made,) = self._copy.emit(OPS["Const"], (value,), self._like(), self._covered[0].name)
        self.last = made.op
        return made

    def instead_of(self, op: Operation, hint: str, opdef: OpDef[Any, Any], *args: Any) -> Tensor:
        """A node that does the work of `op` in another way: it carries that one's origins, and its name with `hint`."""
        return self._copy.emit(opdef, args, (op,), self._name(hint, op.name))[0]

    def _like(self) -> list[Operation]:
        return list(dict.fromkeys(reversed(self._covered)))

    def _name(self, hint: str, of: str) -> str:
        base = name = f"{of}.{hint}"
        number = 1
        while name in self._names:
            name = f"{base}_{number}"
            number += 1
        self._names.add(name)
        return name


@dataclass(frozen=True, slots=True)
class Example:
    """A graph: what to fetch from it and what to feed. says: words of the refusal, for a graph that nearly fits."""

    fetches: tuple[Tensor, ...]
    feeds: Mapping[Tensor, Any]
    says: str = ""


def example(fetches: Tensor | Sequence[Tensor], feeds: Mapping[Tensor, Any], says: str = "") -> Example:
    """An `Example`; a single fetch needs no list."""
    return Example((fetches,) if isinstance(fetches, Tensor) else tuple(fetches), feeds, says)


class Rule:
    """One law. The docstring of a subclass says what it is, whether it is exact and why applying it comes to an end."""

    pattern: ClassVar[Node]
    check: Callable[..., str | None]
    """(what the pattern bound, by name) -> None, or why the law does not hold here; "" if that is not worth a note."""
    rewrite: Callable[..., Tensor | Sequence[Tensor]]
    """(emitter, what the pattern bound, by name) -> what stands for the outputs of the matched node."""

    @property
    def name(self) -> str:
        """The class's name."""
        return type(self).__name__

    @property
    def law(self) -> str:
        """The docstring's first paragraph on one line."""
        return " ".join((type(self).__doc__ or "").split("\n\n")[0].split())

    def example(self) -> Example:
        """The smallest graph on which the rule fires, built in the default graph."""
        raise NotImplementedError

    def near_misses(self) -> Iterable[Example]:
        """Graphs that it looks at and refuses; each is built in the default graph when it is asked for."""
        return ()
