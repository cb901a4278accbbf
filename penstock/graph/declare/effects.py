"""What an op touches besides its operands and results: the resources it reads and writes.

An `Effects` record is a fact of an op (`@op("Print", effects=WORLD_CHANGING)`), or of one use of it where attributes
decide. Evaluation while building, the passes, the planner, parallel execution and repeated runs all ask it. The order
of operations follows from it too:

    reads v    comes after the last write of v
    writes v   comes after the last write of v and after every read since

`EffectOrder` finds these pairs in one walk in the order of creation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from ..common.quick_dataclass import dataclass

K = TypeVar("K")

WORLD = "world"
"""The resource that stands for everything outside of a run: files, the screen, a clock, an object of the program."""

CHECKPOINTS = "checkpoints"
"""The resource that stands for files of variables. What touches them touches the world too."""

OWN_STATE = "its own state"
"""The resource that stands for state that one node has for itself, such as the counter of a random op. No two nodes
share it, so it orders nothing."""


SESSION_OBJECTS = "objects of the session"
"""The resource that stands for queues, iterators and readers of a session. They wait for each other by themselves, as
those of other runs do, so it orders nothing."""

_ORDERS_NOTHING = frozenset({OWN_STATE, SESSION_OBJECTS})


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of one use of an op; without arguments: none.

    Args:
        reads: names of the resources that its result depends on besides its operands.
        writes: names of the resources that it changes.
        evaluable: it may be computed while the graph is built, where its operands are known.
        foldable: it may be computed while a run is planned; False where that could take without bound.
        repeatable: a run may be done twice although it writes: a second write changes nothing more.

    >>> Effects().is_pure, Effects(writes=frozenset({"v"})).is_pure
    (True, False)
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    evaluable: bool = True
    foldable: bool = True
    repeatable: bool = False
    is_pure: bool = field(init=False)
    """Same operands, same result, and nothing else happens."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_pure", not self.reads and not self.writes)  # asked of every node in every pass

    # ---- what consumers ask -----------------------------------------------------------------

    @property
    def may_evaluate(self) -> bool:
        """Whether its value may be computed while the graph is built."""
        return self.is_pure and self.evaluable

    @property
    def may_fold(self) -> bool:
        """Whether it may be computed while a run is planned."""
        return self.is_pure and self.foldable

    @property
    def may_merge(self) -> bool:
        """Whether two uses on the same operands are one."""
        return self.is_pure

    @property
    def may_rewrite(self) -> bool:
        """Whether other ops that give the same values may stand for it: rules, groups, all rows instead of some."""
        return self.is_pure

    @property
    def may_drop(self) -> bool:
        """Whether it need not run when nothing needs its results any more."""
        return not self.writes

    @property
    def may_repeat(self) -> bool:
        """Whether a run that holds it may be done again: to record it, to capture it, on another device."""
        return not self.writes or self.repeatable

    @property
    def may_capture(self) -> bool:
        """Whether what it starts on a device may be captured once and replayed in later runs."""
        return self.is_pure

    @property
    def may_replay(self) -> bool:
        """Whether a use that is done again from the same state of the session gives the same, and changes nothing else.

        Random ops may: their streams go back to where they were.
        """
        return (self.reads | self.writes) <= {OWN_STATE}

    @property
    def is_of_checkpoints(self) -> bool:
        """Whether it reads or writes files of variables."""
        return CHECKPOINTS in self.reads

    @property
    def uses_objects(self) -> bool:
        """Whether it changes a queue, an iterator or a reader of the session."""
        return SESSION_OBJECTS in self.writes

    @property
    def only_makes_objects(self) -> bool:
        """Whether it touches nothing but objects of the session, and changes none."""
        return self.reads <= {SESSION_OBJECTS} and not self.writes

    @property
    def is_seen(self) -> bool:
        """Whether it changes what others see: the world, a variable, not only a state of its own."""
        return bool(self.writes - {OWN_STATE})

    @property
    def is_private(self) -> bool:
        """Whether its place among others cannot be noticed: it touches nothing, or what no other touches.

        So of random numbers: each op has a stream of its own.
        """
        return self.is_pure or (self.reads | self.writes) <= {OWN_STATE}

    @property
    def touched(self) -> tuple[frozenset[str], frozenset[str]]:
        """The resources that it reads and those that it writes: for reports, and for what is done to one resource."""
        return self.reads, self.writes

    def conflicts_with(self, other: Effects) -> bool:
        """Whether the two must run one after the other: one writes what the other reads or writes."""
        if not (self.writes or other.writes):
            return False
        shared = (self.writes & (other.writes | other.reads)) | (self.reads & other.writes)
        return not shared <= _ORDERS_NOTHING

    def __str__(self) -> str:
        if self.is_pure:
            return "no effects"
        verbs = (("reads", self.reads), ("writes", self.writes))
        return " and ".join(f"{verb} {', '.join(sorted(names))}" for verb, names in verbs if names)


PURE = Effects()
"""Same operands, same result, nothing else happens."""
AT_RUN_TIME = Effects(evaluable=False)
"""The effects of an op that unpacks bytes: its result may be far larger than the operand, which is one element."""
VOLATILE = Effects(reads=frozenset({WORLD}))
"""The result may be another one each time: `pure=False`."""
HOLDING = Effects(evaluable=False, foldable=False)
"""The effects of an op that holds graphs, besides those of the graphs: its running time has no bound."""
WORLD_CHANGING = Effects(reads=frozenset({WORLD}), writes=frozenset({WORLD}))
"""It changes the outside world: `stateful=True`."""
RESTORING = Effects(reads=frozenset({WORLD, CHECKPOINTS}))
"""The result comes from a checkpoint."""
SAVING = Effects(reads=frozenset({WORLD, CHECKPOINTS}), writes=frozenset({WORLD, CHECKPOINTS}))
"""It writes a checkpoint."""
MAKING_OBJECTS = Effects(reads=frozenset({SESSION_OBJECTS}))
"""It makes or looks at a queue, an iterator, a reader, or what one is made of."""
CHANGING_OBJECTS = Effects(reads=frozenset({SESSION_OBJECTS}), writes=frozenset({SESSION_OBJECTS}))
"""It changes a queue, an iterator or a reader."""
DRAWING = Effects(reads=frozenset({OWN_STATE}), writes=frozenset({OWN_STATE}), repeatable=True)
"""It takes the next numbers of a stream that belongs to it; a run that is done again takes further ones."""


def declared(facts: dict[str, Any]) -> Effects:
    """The effects among the facts of an op, which are taken out of `facts`.

    Raises:
        TypeError: they are given twice, or `effects` is no `Effects`.
    """
    short = {name: facts.pop(name) for name in ("pure", "stateful") if name in facts}
    given = facts.pop("effects", None)
    if given is None:
        return WORLD_CHANGING if short.get("stateful") else PURE if short.get("pure", True) else VOLATILE
    if short:
        raise TypeError(f"{next(iter(short))}= is short for an `Effects`; with effects= leave it out")
    if not isinstance(given, Effects):
        raise TypeError(f"effects={given!r}: give an `Effects`")
    return given


def union(several: Iterable[Effects]) -> Effects:
    """The effects of all of them together, as of an op that holds a graph."""
    all_ = [each for each in several if each is not PURE]
    if not all_:
        return PURE
    return Effects(
        frozenset().union(*[each.reads for each in all_]),
        frozenset().union(*[each.writes for each in all_]),
        all(each.evaluable for each in all_),
        all(each.foldable for each in all_),
        all(each.repeatable for each in all_ if each.writes),
    )


class StatesEffects(Protocol):
    """Facts of an op, one of which is its effects: an `OpFacts`."""

    @property
    def effects(self) -> Effects: ...


class HasEffects(Protocol):
    """What the effects of a use of an op follow from: an `OpDef` has it."""

    @property
    def facts(self) -> StatesEffects: ...

    effects_rule: Callable[..., Effects] | None
    bodies: tuple[int, ...]
    is_pure: bool


class OpUse(Protocol):
    """One use of an op: an `Operation`."""

    @property
    def opdef(self) -> HasEffects: ...
    @property
    def args(self) -> tuple[Any, ...]: ...


N = TypeVar("N", bound=OpUse)


def effects_of(op: OpUse) -> Effects:
    """The effects of one node."""
    return effects_of_call(op.opdef, op.args)


def effects_of_call(opdef: HasEffects, args: Sequence[Any]) -> Effects:
    """The effects of one use of an op, given its bound arguments (of which only attributes are looked at).

    Those of the graphs that it holds are among them, in whatever form: `SubGraph`, or what a plan makes of it.
    """
    rule = opdef.effects_rule
    own = opdef.facts.effects if rule is None else rule(*args)
    if not opdef.bodies:
        return own
    inside = [args[place].effects for place in opdef.bodies]
    return own if all(each is PURE for each in inside) else union([own, *inside])


class EffectOrder(Generic[K]):
    """Which of those that came before must run first; `K` names them: operations, or places in a plan."""

    def __init__(self) -> None:
        self._written: dict[str, K] = {}
        self._read: dict[str, list[K]] = {}

    def follow(self, key: K, effects: Effects) -> list[K]:
        """Those that `key` must come after, each once, in the order in which they came; then `key` counts as well."""
        found: dict[K, None] = {}
        for name in sorted((effects.reads | effects.writes) - _ORDERS_NOTHING):
            if name in self._written:
                found[self._written[name]] = None
            if name in effects.writes:
                found.update(dict.fromkeys(self._read.pop(name, ())))
                self._written[name] = key
            else:
                self._read.setdefault(name, []).append(key)
        return list(found)


def effect_order(operations: Iterable[N], checks: Collection[N] = ()) -> dict[N, tuple[N, ...]]:
    """For each operation that must come after others because of effects: those, in the order of `operations`.

    checks: operations that run only because they may fail; what writes after one of them waits for it, so that nothing
    is written in a run that failed before.
    """
    order: EffectOrder[N] = EffectOrder()
    predecessors: dict[N, tuple[N, ...]] = {}
    checked: dict[N, None] = {}
    for op in operations:
        if op.opdef.is_pure:
            if checks and op in checks:
                checked[op] = None
            continue
        effects = effects_of(op)
        before = dict.fromkeys(order.follow(op, effects))
        if not effects.may_drop:
            before |= checked
        if before:
            predecessors[op] = tuple(before)
    return predecessors


class PreparedWrite(NamedTuple):
    """A change of an array that is ready to be made, and cannot fail or be divided any more: its operands were checked.

    Attributes:
        call: a function written in C, or a `partial` of one, that makes the change. Python delivers signals between its
            own instructions, so nothing interrupts it.
        seconds: how long it takes on one thread, about.
    """

    call: Callable[[], Any]
    seconds: float
