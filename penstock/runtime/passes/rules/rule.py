"""The base of rewrite rules: `Rule`, the patterns they match, and the emitter of replacement nodes.

A rule is a class. Its docstring is the law, `pattern` the left side, `rewrite` the right side (the operand x unless it
is given), `check` gives the reason why a use that matches must stay. A pattern is written as the call it matches, with
names for the arguments it binds:

    pattern = node(transpose, node(transpose, "x", "p"), "q")        transpose(transpose(x, p), q)
    pattern = node(pack, parts(node(unpack, "x", "num")))            pack(unpack(x, num)), or some of its rows

`check` and `rewrite` receive the bound arguments by name. `check` returns None if the rule applies, else the reason for
refusing; "" refuses without a report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ....graph.common.quick_dataclass import dataclass
from ....graph.declare.op_declaration import OPS, OpDef
from ....graph.model.nodes import Operation, Tensor
from ...ir.stage import Rebuild, free_name

Facts: TypeAlias = Callable[[OpDef[Any, Any]], bool]
Readers: TypeAlias = Callable[[Tensor], int]


@dataclass(frozen=True, slots=True)
class NodePattern:
    """Matches an operation of one of `ops`, or of an op for which `facts` is true.

    Attributes:
        ops: the ops.
        facts: a predicate on the op, instead of a list.
        args: a pattern for each argument, None for any.
        bind: a name for the operation.
        prefilter: a quick test that rejects most operations that cannot match (0.3 us instead of 1.5).
    """

    ops: tuple[OpDef[Any, Any], ...]
    facts: Facts | None
    args: tuple[Any, ...] | None
    bind: str | None
    prefilter: Callable[[Operation], bool] | None = None

    def accepts(self, opdef: OpDef[Any, Any]) -> bool:
        """True if an operation of this op may match."""
        return opdef in self.ops if self.facts is None else self.facts(opdef)


@dataclass(frozen=True, slots=True)
class OutputsPattern:
    """Matches a list of tensors that are all outputs of one operation that matches `node`; binds it as `name`."""

    node: NodePattern
    name: str


def node(
    which: OpDef[Any, Any] | tuple[OpDef[Any, Any], ...] | Facts,
    *args: Any,
    bind: str | None = None,
    prefilter: Callable[[Operation], bool] | None = None,
) -> NodePattern:
    """A pattern of the op `which` with these arguments: names to bind, or patterns; `bind` names the operation."""
    if isinstance(which, OpDef):
        return NodePattern((which,), None, args or None, bind, prefilter)
    if isinstance(which, tuple):
        return NodePattern(which, None, args or None, bind, prefilter)
    return NodePattern((), which, args or None, bind, prefilter)


def is_one_of(*classes: type) -> Facts:
    """A predicate for a pattern: whether an op is an instance of one of these classes."""
    return lambda opdef: isinstance(opdef, classes)


def reads(opdef: OpDef[Any, Any]) -> Callable[[Operation], bool]:
    """A prefilter: whether an operation reads a result of the op `opdef`."""

    def check(op: Operation) -> bool:
        for tensor in op.inputs:  # noqa: SIM110  # a generator takes twice the time
            if tensor.op.opdef is opdef:
                return True
        return False

    return check


def parts(of: NodePattern, name: str = "some") -> OutputsPattern:
    """A pattern of a list of outputs: see `OutputsPattern`."""
    return OutputsPattern(of, name)


@dataclass(slots=True)
class Match:
    """The arguments that a pattern bound, and the operations it covers, the outermost first."""

    bound: dict[str, Any] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)


def match(pattern: NodePattern, op: Operation) -> Match | None:
    """The match of `op`, which passed the pattern's prefilter, with `pattern`; None if it does not match."""
    matching = Match()
    return matching if _node(pattern, op, matching) else None


def _node(pattern: NodePattern, op: Operation, matching: Match) -> bool:
    if not pattern.accepts(op.opdef):
        return False
    matching.operations.append(op)
    if pattern.bind is not None:
        matching.bound[pattern.bind] = op
    if pattern.args is None:
        return True
    # Not strict: of several ops in one pattern some have more arguments (stack's axis); `check` reads those.
    for part, arg in zip(pattern.args, op.args, strict=False):  # noqa: SIM110  # a generator takes twice the time
        if not _argument(part, arg, matching):
            return False
    return True


def _argument(pattern: Any, arg: Any, matching: Match) -> bool:
    if isinstance(pattern, str):
        return matching.bound.setdefault(pattern, arg) is arg
    if isinstance(pattern, NodePattern):
        return isinstance(arg, Tensor) and _node(pattern, arg.op, matching)
    maker = arg[0].op if arg else None
    if maker is None or any(t.op is not maker for t in arg) or not _node(pattern.node, maker, matching):
        return False
    matching.bound[pattern.name] = arg
    return True


class Emitter:
    """Makes the nodes of a rewrite. They carry the origins of all operations that the rewrite replaces."""

    def __init__(self, copy: Rebuild, names: set[str], covered: Sequence[Operation]) -> None:
        self._copy = copy
        self._names = names
        self._covered = list(covered)
        copy.cover(covered)
        self.last: Operation | None = None
        """The node that replaces the matched one; None if an existing tensor replaces it."""

    def cover(self, operations: Iterable[Operation]) -> None:
        """Add `operations` to those that are replaced."""
        more = list(operations)
        self._covered += more
        self._copy.cover(more)

    def make(self, opdef: OpDef[Any, Any], *args: Any, hint: str | None = None) -> Tensor:
        """An intermediate node; its name is that of the replaced node with `hint` appended."""
        name = free_name(self._names, f"{self._covered[0].name}.{hint or opdef.default_name}")
        outputs = self._copy.emit(opdef, args, self._like(), name)
        return outputs[0]

    def constant(self, value: Any) -> Tensor:
        """A constant with the dtype of the array."""
        array = np.asarray(value)
        array.flags.writeable = False
        return self.make(OPS["Const"], array, hint="const")

    def result(self, opdef: OpDef[Any, Any], *args: Any) -> Tensor:
        """The node that replaces the matched one, with the same name, dtype and static shape."""
        old = self._covered[0]
        outputs = [(t.dtype, t.shape) for t in old.outputs]
        (made,) = self._copy.emit(opdef, args, self._like(), old.name, outputs)
        self.last = made.op
        return made

    def known(self, value: Any) -> Tensor:
        """The constant that replaces the matched node."""
        value.flags.writeable = False
        (made,) = self._copy.emit(OPS["Const"], (value,), self._like(), self._covered[0].name)
        self.last = made.op
        return made

    def instead_of(self, op: Operation, hint: str, opdef: OpDef[Any, Any], *args: Any) -> Tensor:
        """A node that replaces `op`: it has the origins of `op`, and its name with `hint` appended."""
        return self._copy.emit(opdef, args, (op,), free_name(self._names, f"{op.name}.{hint}"))[0]

    def _like(self) -> list[Operation]:
        return list(dict.fromkeys(reversed(self._covered)))


class Rule:
    """One law. The docstring of a subclass states it, whether it is exact, and why repeated application ends."""

    pattern: ClassVar[NodePattern]
    keeps_place: ClassVar[bool] = False
    """Whether one node gets other operands and is otherwise what it was: it waits, and is waited for, as before."""
    counts_readers: ClassVar[bool] = False
    """Whether `check` and `rewrite` get `readers`: how often a tensor is read or fetched, 0 for one just made."""

    def check(self, *args: Any, **bound: Any) -> str | None:
        """None, or the reason why the law does not hold for the arguments bound; "" if it is not worth reporting.

        The law of a rule without a check holds wherever its pattern matches.
        """
        return None

    def rewrite(self, make: Emitter, *args: Any, **bound: Any) -> Tensor | Sequence[Tensor]:
        """The tensors that replace the outputs of the matched node; if a rule does not say, the operand bound as x."""
        kept: Tensor = bound["x"]
        return kept

    @property
    def name(self) -> str:
        """The class's name."""
        return type(self).__name__

    @property
    def law(self) -> str:
        """The docstring's first paragraph on one line."""
        return " ".join((type(self).__doc__ or "").split("\n\n")[0].split())
