"""The stages from a graph to its plan, as a page shows them.

`session.explain` names the nodes that come and go, and keeps the operations of each stage. `stages_of` makes one
position of a slider from each stage: its operations, and which nodes are gone, new or changed, with the reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...graph.model.nodes import Graph, Operation
from ...graph.shapes.dimension import Dim, Symbol
from ...runtime.ir.stage import Stage
from ...runtime.planning.memory_plan import MemoryPlan, sizes_of_feeds
from ...runtime.planning.plan import Plan

if TYPE_CHECKING:  # what makes explanations is not needed to draw one
    from ...runtime.observe.explain import Explanation
    from ...runtime.observe.pass_reports import PassReport

FED = "fed"
"""The reason that `explain` gives for a fed node; such a node is not drawn as left out."""

_SUMMARIES: dict[str, str] = {
    "fold": "Nodes that depend on constants alone are computed once, before the run.",
    "merge": "Nodes that compute the same thing become one.",
    "simplify": "Rules rewrite nodes into cheaper ones with the same result.",
    "fuse": "Chains of element-by-element nodes become one step, so that values stay in the cache.",
    "order": "The order in which the steps run. It is chosen so that little memory is in use.",
}


@dataclass(frozen=True, slots=True)
class PageStage:
    """One position of the slider.

    operations: the drawn operations in order; None if they are those of the stage before.
    gone, new, changed: (node, reason).
    faded: the nodes drawn grey, with the reason.
    fed, fetched: the names of the fed and the fetched operations.
    fed_by_user: those that the user feeds; a run also feeds variables to later stages.
    writes: the variables whose new values an operation makes, where no effect says so.
    """

    name: str
    summary: str
    operations: tuple[Operation, ...] | None
    gone: tuple[tuple[str, str], ...] = ()
    new: tuple[tuple[str, str], ...] = ()
    changed: tuple[tuple[str, str], ...] = ()
    faded: Mapping[str, str] = field(default_factory=dict)
    fed: frozenset[str] = frozenset()
    fetched: frozenset[str] = frozenset()
    fed_by_user: frozenset[str] = frozenset()
    writes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def stages_of(graph: Graph, explanation: Explanation, memory: MemoryPlan | None = None) -> tuple[PageStage, ...]:
    """The stages in `explanation = session.explain(...)`; `memory` is the result of `session.memory` for the run."""
    built = tuple(graph.get_operations())
    faded = {absent.node: absent.reason for absent in explanation.pruned if absent.reason != FED}
    more = ", and those inside of loops, branches and functions" if any(op.opdef.bodies for op in built) else ""
    first, *results = explanation.stages
    stages = [
        PageStage(
            "built", f"The graph as built: {_nodes(len(built))}{more}.", built,
            fed=_fed(first), fetched=_fetched(first), fed_by_user=_fed(first),
        ),
        PageStage(
            "pruned",
            f"Needed for what is fetched: {_nodes(len(explanation.kept))}. "
            f"Fed: {len(explanation.pruned) - len(faded)}. Left out: {len(faded)}.",
            None,
            gone=tuple(faded.items()),
            faded=faded,
        ),
    ]
    before = explanation.kept
    for report, stage in zip(explanation.passes, results, strict=True):
        stages.append(replace(_after(explanation, report, before, stage), fed_by_user=_fed(first)))
        before = report.nodes
    summary = f"{len(explanation.plan.steps)} steps."
    if memory is not None:
        least = "" if memory.is_exact else "at least "
        summary += f" By the plan most memory is in use at step {memory.peak_step + 1}: {least}{memory.peak:,} bytes."
    return (*stages, PageStage("memory", summary, None))


def _fed(stage: Stage) -> frozenset[str]:
    return frozenset(tensor.op.name for tensor in stage.feeds)


def _fetched(stage: Stage) -> frozenset[str]:
    return frozenset([*(tensor.op.name for tensor in stage.fetches), *(op.name for op in stage.targets)])


def _writes(stage: Stage) -> dict[str, tuple[str, ...]]:
    writes: dict[str, tuple[str, ...]] = {}
    for variable, tensor in zip(stage.written, stage.fetches[len(stage.fetches) - len(stage.written) :], strict=True):
        writes[tensor.op.name] = (*writes.get(tensor.op.name, ()), variable)
    return writes


def _after(found: Explanation, report: PassReport, before: Sequence[str], stage: Stage) -> PageStage:
    name, left = report.name, set(report.nodes)
    earlier = set(before)
    changes = {note.node: _change(name, note.rule, note.into) for note in report.applied}
    groups = {member: group.node for group in found.groups for member in group.members} if name == "fuse" else {}
    formulas = {group.node: f"computes {group.formula}" for group in found.groups}
    gone = [(node, _why_gone(name, node, changes, groups)) for node in before if node not in left]
    new = [(node, formulas.get(node) or f"made by {name}") for node in report.nodes if node not in earlier]
    changes.update(formulas if name == "fuse" else {})  # a group has the name of its last member
    changed = [(node, changes[node]) for node in report.nodes if node in changes and node in earlier]
    then = f"{_nodes(len(before))} before, {len(left)} after."
    counts = then if len(left) != len(before) else f"{_nodes(len(left))}."
    if name == "order":
        changed = []  # the pass changes only the numbers of the nodes
    operations = tuple(dict.fromkeys([tensor.op for tensor in stage.feeds] + list(stage.operations)))
    summary = f"{_SUMMARIES.get(name, '')} {counts}".strip()
    return PageStage(
        name, summary, operations, tuple(gone), tuple(new), tuple(changed), fed=_fed(stage), fetched=_fetched(stage),
        writes=_writes(stage),
    )  # fmt: skip


def _why_gone(name: str, node: str, changes: Mapping[str, str], groups: Mapping[str, str]) -> str:
    if node in groups:
        return f"now inside the group {groups[node]}"
    return changes.get(node) or f"not needed any more after {name}"


def _change(name: str, rule: str, into: str) -> str:
    if into:
        return f"merged with {into}"
    return "folded into a constant" if name == "fold" else f"rewritten by {rule}"


def _nodes(count: int) -> str:
    return f"{count} node" if count == 1 else f"{count} nodes"


# ---- the shapes of a run that was not recorded ----------------------------------------------------------------------


def run_shapes(plan: Plan, fed: Mapping[str, tuple[int, ...]]) -> dict[str, list[str]]:
    """The shapes of each step's results in a run whose feeds had these shapes (by tensor); "?" if values decide."""
    if any(name not in fed for name, _ in plan.feeds):
        return {}
    sizes = sizes_of_feeds(plan, tuple(fed[name] for name, _ in plan.feeds))
    return {step.node: [sized_text(plan.slots[slot].shape, sizes) for slot in step.outputs] for step in plan.steps}


def sized_text(shape: tuple[Dim, ...] | None, sizes: Mapping[Symbol, int]) -> str:
    """A shape with the sizes of a run; "?" where they are not known."""
    if shape is None:
        return "?"
    texts = ["?" if size is None else str(size) for size in (size_in(dim, sizes) for dim in shape)]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def size_in(dim: Dim, sizes: Mapping[Symbol, int]) -> int | None:
    """A size of a run; None where it is not known."""
    if isinstance(dim, int):
        return dim
    if any(symbol not in sizes for symbol, _ in dim.terms):
        return None
    return dim.const + sum(sizes[symbol] * count for symbol, count in dim.terms)
