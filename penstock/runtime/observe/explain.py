"""`session.explain`: what became of each node on the way from the graph to the plan, and why.

`session.explain(fetches, feed_dict)` prunes, runs each pass and plans, as a first run does, but executes nothing. The
result is data (`Explanation`). It prints as text and answers for one node: `found.why("dense/add")`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import ShapeError
from ...graph.common.hooks import hooks
from ...graph.common.lazy_import import load
from ...graph.common.near_names import did_you_mean
from ...graph.common.tracebacks import hides_frames
from ...graph.declare.op_declaration import OPS
from ...graph.inspect.text_table import folded
from ...graph.model.nesting import within
from ...graph.model.nodes import Graph, Operation, Tensor
from ...ops.control.while_op import while_op
from ...printable_text import printable_lines
from ..arguments.fetches import Fetches
from ..backends import backend_name
from ..base.session_config import SessionConfig
from ..compiled.llvm_listing import Listing
from ..execution.bind import kernel_for
from ..execution.executor import Program
from ..ir.stage import Note, Notes, Stage
from ..llvm import tier
from ..loops.loop_report import LoopReport, list_loop, loop_reports
from ..passes.extended import copy_among
from ..passes.known_sizes import ShapeNow, may_specialise, shapes_of_variables, with_known_sizes
from ..passes.pipeline import ALL_PASSES, first_stage, optimise, prune
from ..passes.rules.rule_table import RULES
from ..passes.versions import NAME as VERSIONS
from ..passes.versions import with_versions
from ..planning.memory_plan import MemoryPlan
from ..planning.plan import Plan
from ..planning.planner import make_plan, move_notes
from ..sharding.shard_report import ShardReport
from ..sharding.sharded_stage import NAME as SHARDS
from ..sharding.sharded_stage import with_shards
from .group_report import GroupReport, group_reports
from .kept_for_gradients import KeptValue, gradient_names, kept_values
from .pass_reports import PassReport, PrunedNode
from .race_search import races_among
from .races import NO_RACES, Races
from .run_record import byte_text, members_of

if TYPE_CHECKING:  # it loads the ops of datasets and queues
    from .data_flow import DataFlow

MOST_LINES = 20
"""Entries of one list that are printed; the data holds all of them."""

MOST_RACES = 2000
"""Pairs in a race that are listed; n writes of one variable that no path orders are n * n / 2 pairs."""

MOST_NAMES = 200
"""Nodes of one group that are printed."""

_LAWS = {rule.name: rule.law for rule in RULES}


Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The way from a graph to a plan.

    Attributes:
        fetches: names of the fetches.
        feeds: names of the fed tensors.
        built: the nodes of the graph.
        kept: the nodes that remain after pruning.
        pruned: the other nodes, with reasons.
        passes: one report for each pass that ran.
        groups: the fused groups.
        plan: what runs.
        memory: offsets and live ranges of the plan's values, and the peak, as far as sizes are known.
        not_compiled: why no group will be compiled; "" if groups may be.
        stages: the operations themselves, after pruning and after each pass.
        shapes: shapes of the fed values; None if not known.
        device: the session's device.
        races: uses and writes of one variable that no path orders, the first 2000.
        shards: what runs in shards of a named dimension; None if the session's config cuts none.
        cluster: in a session of a cluster, what the run is expected to take there: it prints as text, and `export`
            draws its partitions. Otherwise None.
        specialised: the plan of later runs whose feeds have these shapes; None if `plan` serves them too. It is made
            after `SessionConfig.specialise_after` runs with equal shapes.
        moves: which operations that only move elements are computed in one pass with those beside them, and why others
            are not.
        data: the pipelines and queues from which runs take elements; None if they take none.
    """

    fetches: tuple[str, ...]
    feeds: tuple[str, ...]
    built: tuple[str, ...]
    kept: tuple[str, ...]
    pruned: tuple[PrunedNode, ...]
    passes: tuple[PassReport, ...]
    groups: tuple[GroupReport, ...]
    plan: Plan
    memory: MemoryPlan
    not_compiled: str = ""
    stages: tuple[Stage, ...] = field(default=(), repr=False, compare=False)
    shapes: Shapes | None = field(default=None, repr=False, compare=False)
    device: str = field(default="cpu", repr=False)
    races: Races = field(default=NO_RACES, repr=False)
    shards: ShardReport | None = field(default=None, repr=False)
    cluster: Any = field(default=None, repr=False)
    specialised: Plan | None = field(default=None, repr=False)
    moves: tuple[Note, ...] = ()
    data: DataFlow | None = field(default=None, repr=False, compare=False)

    @property
    def kept_for_gradients(self) -> Sequence[KeptValue]:
        """The values of the forward pass that are kept for the backward pass, the largest first."""
        names = gradient_names(self.stages[0].operations) if self.stages else frozenset()
        return kept_values(self.plan, self.memory, names) if names else ()

    @hides_frames
    def code(self, node: str, device: str = "") -> Listing:
        """The code of the fused group that contains a node, or of a loop.

        It shows its formula, nest and operands, and its LLVM IR or, for a GPU, the CUDA source of each kernel. For a
        GPU, nodes outside of groups, such as a `transpose`, have code too.

        Args:
            node: the name of a node.
            device: "cpu" or "gpu"; "" for the device that the node requests. No GPU is needed to see its code.

        Returns:
            A `Listing`, which prints as text; `.nest`, `.ir` and `.assembly` are its parts.

        Raises:
            KeyError: no group contains the node, it is no loop, and for a GPU no step runs it.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.exp(x * 2.0, name="y")
        ...     print(str(session.explain(y, {x: [1.0]}).code("y")).splitlines()[0])
        group y
        """
        name = node.partition(":")[0]
        group = next((g for g in self.groups if name == g.node or name in g.members), None)
        step = next((s for s in self.plan.steps if s.node == (group.node if group else name) and s.op in OPS), None)
        if step is not None and (device or (group.device if group else self._requested_device(name))) == "gpu":
            load("penstock.runtime.cuda.cuda_listing")
            from ..cuda.cuda_listing import list_step  # loaded only when GPU code is asked for

            return list_step(self.plan, step, self.shapes)
        if group is None and step is not None and step.op == while_op.type:
            return list_loop(step, self.plan, self.shapes)
        if group is None:
            groups = ", ".join(g.node for g in self.groups) or "none"
            raise KeyError(f"code({node!r}): no fused group holds a node of that name; the groups are {groups}")
        return group.code if step is None else group.code_in(self.plan, step, self.shapes)

    def _requested_device(self, name: str) -> str:
        """The device that a node of the plan requests."""
        made = next((op for op in self.stages[-1].operations if op.name == name), None) if self.stages else None
        return backend_name(made.device if made is not None else "", self.device)

    @hides_frames
    def why(self, node: str) -> str:
        """What became of one node of the graph, in words.

        Args:
            node: the name of the node.

        Returns:
            One line.

        Raises:
            KeyError: the graph has no node of that name.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     x = tf.placeholder(tf.float32, ["n"], name="x")
        ...     y = tf.identity(x * 1.0, name="y")
        ...     print(session.explain(y, {x: [1.0]}).why("mul"))
        mul: rewritten by NeutralElement, then nothing of it is left after simplify
        """
        name = node.partition(":")[0]
        if name not in self.built:
            raise KeyError(f"why({node!r}): the graph has no node of that name{did_you_mean(name, self.built)}")
        absent = next((a for a in self.pruned if a.node == name), None)
        if absent is not None:
            return printable_lines(f"{name}: {absent.reason}")
        return printable_lines(f"{name}: {', then '.join(self._changes(name, self.passes))}")

    def _changes(self, name: str, passes: Sequence[PassReport]) -> Iterator[str]:
        """What each of `passes` did to the node, and what it is in the plan."""
        for number, report in enumerate(passes, start=1):
            note = next((n for n in report.applied if n.node == name), None)
            if note is not None:
                yield _note_text(report.name, note)
                name = note.into or name
            if name in report.nodes:
                continue
            replacements = [n for n in report.nodes if n.startswith(f"{name}.") and n not in self.built]
            if replacements and report.name == SHARDS and self.shards is not None:
                yield f"cut into {self.shards.count} shards"
                yield from self._changes(replacements[0], passes[number:])
            elif replacements:
                yield f"replaced by {replacements[0]}"
                yield from self._changes(replacements[0], passes[number:])
            elif self._group_of(name):
                yield self._in_plan(name)
            elif note is not None:
                yield f"nothing of it is left after {report.name}"
            else:
                rules = ", ".join(sorted({n.rule for n in report.applied} - {report.name}))
                yield f"not needed any more after {report.name}" + (f" ({rules})" if rules else "")
            return
        yield self._in_plan(name)

    def _group_of(self, name: str) -> GroupReport | None:
        return next((g for g in self.groups if name in g.members), None)

    def _in_plan(self, name: str) -> str:
        group = self._group_of(name)
        if group is not None:
            return f"inside the group {group}"
        for number, step in enumerate(self.plan.steps, start=1):
            if name in members_of(step):
                return f"kept: inside step {number} of {len(self.plan.steps)}, {step.node}"
            if step.node == name:
                return f"kept: step {number} of {len(self.plan.steps)}, {str(step).splitlines()[0]}"
        return "kept: a constant of the plan"

    @property
    def loops(self) -> tuple[LoopReport, ...]:
        """The loops of the plan: whether each may become machine code, or why not."""
        return () if self.not_compiled else loop_reports(self.plan, self.shapes)

    def __str__(self) -> str:
        fed = f", feeding {', '.join(self.feeds)}" if self.feeds else ""
        lines = [f"fetching {', '.join(self.fetches)}{fed}", f"built: {_nodes(len(self.built))}"]
        lines.append(f"pruned: {len(self.kept)} of them are needed")
        lines += _some(map(str, self.pruned), "  ")
        if self.cluster is not None:
            lines += [f"cluster: {line}" if i == 0 else line for i, line in enumerate(str(self.cluster).splitlines())]
        before = len(self.kept)
        for report in self.passes:
            lines += self._lines(report, before)
            before = len(report.nodes)
        lines += [f"plan: {_count(len(self.plan.steps), 'step')}"]
        lines += [f"  {line}" for line in str(self.plan).splitlines()]
        lines += [f"  {note}" for note in self.moves]
        if self.specialised is not None:
            lines += [f"  after some runs with these shapes: {_count(len(self.specialised.steps), 'step')}"]
        if self.not_compiled and self.groups:
            lines += [f"  nothing is compiled: {self.not_compiled}"]
        loops = self.loops
        if loops:
            lines += [f"loops: {len(loops)}", *_some(map(str, loops), "  ")]
        lines += self._kept_lines()
        if self.races:
            more = "at least " if self.races.is_cut else ""
            lines += [f"races: {more}{_count(len(self.races), 'pair')} that no path orders"]
            lines += _some(str(self.races).splitlines(), "  ")
        if self.data is not None:
            lines += ["data:", *[f"  {line}" for line in str(self.data).splitlines()]]
        lines += [f"memory: {line}" if i == 0 else f"  {line}" for i, line in enumerate(str(self.memory).splitlines())]
        return "\n".join(folded(lines))

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _kept_lines(self) -> list[str]:
        kept = self.kept_for_gradients
        if not kept:
            return []
        sizes = [each.bytes for each in kept if each.bytes is not None]
        least = "" if len(sizes) == len(kept) else "at least "
        head = f"kept for the backward pass: {_count(len(kept), 'value')}, {least}{byte_text(sum(sizes))}"
        return [head, *_some(map(str, kept), "  ")]

    def _lines(self, report: PassReport, before: int) -> Iterator[str]:
        after = len(report.nodes)
        yield f"{report.name}: {_nodes(before)}" + (f" -> {after}" if before != after else "")
        if report.name == SHARDS:
            yield from (f"  {line}" for line in str(self.shards).splitlines())
            return
        if report.name == "fuse":
            for group in self.groups:
                shown = [*group.members[:MOST_NAMES], *_rest(len(group.members) - MOST_NAMES)]
                yield from _some([str(group), f"  of {', '.join(shown)}"], "  ")
            return
        if report.name == "order":
            yield from _some((note.node for note in report.applied), "  ")
            yield from _some(report.nodes if report.applied else (), "    ")
            return
        for rule in dict.fromkeys(n.rule for n in report.applied):
            uses = [n for n in report.applied if n.rule == rule]
            if rule in _LAWS:
                yield f"  {rule}, {_count(len(uses), 'time')}: {_LAWS[rule]}"
            yield from _some((f"{n.node} with {n.into}" if n.into else f"{n.node} {n.reason}".rstrip() for n in uses),
                             "    ")  # fmt: skip
        if report.refused:
            yield "  near misses:"
            yield from _some(map(str, report.refused), "    ")


def explain(
    graph: Graph,
    fetches: Any,
    fed: Sequence[Tensor],
    config: SessionConfig,
    shapes: Shapes | None = None,
    run: tuple[Plan, MemoryPlan] | None = None,
    shape_now: ShapeNow = lambda resource: None,
    have_values: bool = False,
) -> Explanation:
    """See `Session.explain`; `shapes` are those of the values to be fed, None if they are not known.

    shape_now: tells the shape of a variable.
    have_values: whether each of `fed` has a value. If not, () stands for a shape that is not known too.
    run: the plan and the memory plan of a run of the same fetches, if there was one; they are used as they are.
    """
    fetch_structure = Fetches(graph, fetches)
    built = graph.get_operations()
    stages = [first_stage(fetch_structure.tensors, fetch_structure.operations, fed)]
    kept = stages[0].operations
    reports: list[PassReport] = []

    def listen(name: str, made: Stage, notes: Notes) -> None:
        reports.append(PassReport(name, tuple([op.name for op in within(made.operations)]), tuple(notes.notes)))
        stages.append(made)

    chosen = ALL_PASSES if config.passes is None else config.passes
    notes = Notes()
    in_versions = with_versions(stages[0], fed, graph.find_anywhere, notes)
    if in_versions is not stages[0]:
        listen(VERSIONS, in_versions, notes)
    shards: ShardReport | None = None
    if config.shard is not None:
        in_versions, shards = with_shards(in_versions, config.shard, config.sums, fed)
        if not shards.nothing:
            listen(SHARDS, in_versions, Notes())
    specialised = None
    is_open = any(not tensor.shape.is_known for tensor in in_versions.feeds)
    if is_open and shapes is not None and have_values and run is None and may_specialise(config):
        specialised = _specialised(in_versions, shapes, fed, config, shape_now)
    stage = optimise(in_versions, kernel_for, chosen, listen, config.verify)
    plan, memory = run or _planned(stage, fed, config, tuple(() for _ in fed) if shapes is None else shapes)
    return Explanation(
        fetches=tuple([t.name for t in fetch_structure.tensors] + [op.name for op in fetch_structure.operations]),
        feeds=tuple(t.name for t in fed),
        built=tuple(op.name for op in within(built)),
        kept=tuple(op.name for op in within(kept)),
        pruned=_pruned(built, fetch_structure, fed, {op.name for op in kept}),
        passes=tuple(reports),
        groups=tuple(group_reports(stage, config)),
        plan=plan,
        memory=memory,
        not_compiled=tier.why_off(),
        shapes=shapes,
        device=config.device,
        stages=tuple(stages),
        races=races_among(kept, fed, most=MOST_RACES),
        shards=shards,
        specialised=None if specialised is None or _as_many(specialised, plan) else specialised,
        moves=move_notes(stage, config),
    )


def _as_many(plan: Plan, other: Plan) -> bool:
    """Whether two plans have as many steps, and as many joint ones."""
    return sorted([step.joint for step in plan.steps]) == sorted([step.joint for step in other.steps])


def _specialised(
    stage: Stage, shapes: Shapes, fed: Sequence[Tensor], config: SessionConfig, now: ShapeNow
) -> Plan | None:
    """The plan of later runs with feeds of these shapes; None if there is none of its own."""
    try:
        known = with_known_sizes(stage, [*shapes, *shapes_of_variables(stage, now)])
    except ShapeError:
        return None
    return make_plan(optimise(known, kernel_for, ALL_PASSES), [t.name for t in fed], config)


def _planned(stage: Stage, fed: Sequence[Tensor], config: SessionConfig, shapes: Shapes) -> tuple[Plan, MemoryPlan]:
    plan = make_plan(stage, [t.name for t in fed], config)
    return plan, Program(plan, lambda name: None, config).memory(shapes)


def _pruned(
    built: Sequence[Operation], found: Fetches, fed: Sequence[Tensor], kept: set[str]
) -> tuple[PrunedNode, ...]:
    """Every operation that is left out, with the reason."""
    needed = set(prune(found.tensors, found.operations, ()))
    behind: dict[Operation, Tensor] = {}
    for tensor in fed:
        for op in prune((tensor,), (), ()):
            behind.setdefault(op, tensor)
    pruned = []
    fed_operations = {tensor.op for tensor in fed}
    for op in built:
        if op.name in kept:
            continue
        if op in fed_operations:
            reason = "fed" if op in needed else "fed, but not needed by any fetch"
        elif op in needed and op in behind:
            reason = f"behind the fed tensor {behind[op].name}"
        else:
            copy = copy_among(built, op.name, kept) if op.opdef.facts.extends else None
            reason = "not needed by any fetch"
            if copy is not None:
                reason = f"done by {copy.name}, a copy that also keeps what gradients need"
        pruned += [PrunedNode(each.name, reason) for each in within([op])]
    return tuple(pruned)


def _note_text(name: str, note: Note) -> str:
    if note.into:
        return f"merged with {note.into}"
    return "folded into a constant" if name == "fold" else f"rewritten by {note.rule}"


def _nodes(count: int) -> str:
    return _count(count, "node")


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rest(count: int) -> list[str]:
    return [f"and {count} more"] if count > 0 else []


def _some(lines: Any, indent: str) -> Iterator[str]:
    """The first of the lines, indented, and how many more there are."""
    found = list(lines)
    for line in found[:MOST_LINES]:
        yield f"{indent}{line}"
    if len(found) > MOST_LINES:
        yield f"{indent}... and {len(found) - MOST_LINES} more"
