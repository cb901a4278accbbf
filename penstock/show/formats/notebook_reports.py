"""Reports on plans and runs in a notebook: tables with bars for shares of time, for bytes and for live ranges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...derivatives.explain_gradient import GradientReport, path_rows
from ...graph.diagnostics.shape_provenance import ShapeProvenance
from ...graph.diagnostics.unknown_dims import WhyUnknown
from ...graph.inspect.graph_diff import GraphDiff
from ...graph.inspect.text_table import TextTable
from ...runtime.observe.cost_report import Cost, count_text
from ...runtime.observe.explain import Explanation
from ...runtime.observe.group_report import GroupReport
from ...runtime.observe.pass_reports import PassReport
from ...runtime.observe.placement_report import PlacementReport
from ...runtime.observe.profile import Profile, StepTimes, written_text
from ...runtime.observe.run_record import byte_text, time_text
from ...runtime.observe.value_trace import HEAD, Trace, rows_of
from ...runtime.planning.memory_plan import MemoryPlan
from .html_table import Bar, Cell, listing, opening, paragraph, table

_MOST_ROWS = 100
_MOST_OF_A_GRAPH = 500
_MOST_LINES = 20
_MOST_NAMED = 5
_SIGNS = {"+": "added", "-": "gone", "~": "changed"}


def report_html(report: Any) -> str | None:
    """The tables of a report; None where it is no report."""
    way = next((way for kind, way in _WAYS.items() if isinstance(report, kind)), None)
    return None if way is None else way(report)


def _explanation(explanation: Explanation) -> str:
    fed = f", feeding {', '.join(explanation.feeds)}" if explanation.feeds else ""
    reasons = Counter(each.reason for each in explanation.pruned)
    rows: list[list[Cell]] = [["built", str(len(explanation.built)), ""]]
    rows.append(["pruned", str(len(explanation.kept)), "\n".join(f"{n} {reason}" for reason, n in reasons.items())])
    for report in explanation.passes:
        rows.append([report.name, str(len(report.nodes)), "\n".join(_deeds(report, explanation.groups))])
    steps = len(explanation.plan.steps)
    rows.append(["plan", f"{steps} step{'' if steps == 1 else 's'}", str(explanation.memory).split("\n")[0]])
    refused = [f"{report.name}: {note}" for report in explanation.passes for note in report.refused]
    return "".join([
        paragraph(f"fetching {', '.join(explanation.fetches)}{fed}", bold=True),
        table(("stage", "nodes", "what it did"), rows),
        opening("the plan", listing(str(explanation.plan))),
        opening("what is pruned", listing("\n".join(map(str, explanation.pruned)))) if explanation.pruned else "",
        opening("near misses", listing("\n".join(refused))) if refused else "",
    ])  # fmt: skip


def _deeds(report: PassReport, groups: Sequence[GroupReport]) -> Iterable[str]:
    """What a pass did, a line for each rule."""
    if report.name == "fuse":
        yield from map(str, groups[:_MOST_LINES])
    elif report.name != "order":
        for rule in dict.fromkeys(note.rule for note in report.applied):
            uses = [n.node if not n.into else f"{n.node} with {n.into}" for n in report.applied if n.rule == rule]
            more = f" and {len(uses) - _MOST_NAMED} more" if len(uses) > _MOST_NAMED else ""
            what = "" if rule == report.name else f"{rule}: "
            yield f"{what}{', '.join(uses[:_MOST_NAMED])}{more}"
    if report.refused:
        yield f"{len(report.refused)} near miss{'' if len(report.refused) == 1 else 'es'}"


def _trace(trace: Trace) -> str:
    return table(HEAD, rows_of(trace, _MOST_ROWS), _more(len(trace), "value"))


def _profile(profile: Profile) -> str:
    total = profile.total
    headline = (f"{_count(profile.runs, 'run')} of {_count(len(profile.steps), 'step')}: mean {time_text(total.mean)}, "
            f"p95 {time_text(total.p95)}, least {time_text(total.least)}")  # fmt: skip
    slowest = sorted(profile.steps, key=lambda row: -row.mean)
    has_writes = any(row.writes for row in slowest)
    head = ("step", "op", "share", "mean", "p95", "least", "bytes", *(["writes"] if has_writes else []))
    by_op = opening("by op", table(("op", "share", "steps", "mean"), [
        [row.name, Bar(f"{row.share:.1%}", row.share), str(row.count), time_text(row.mean)] for row in profile.by_op
    ]))  # fmt: skip
    rows = [[*_times(row), *([written_text(row)] if has_writes else [])] for row in slowest[:_MOST_ROWS]]
    steps = table(head, rows, _more(len(slowest), "step"))
    return paragraph(headline, bold=True) + steps + by_op


def _times(row: StepTimes) -> list[Cell]:
    return [row.name, row.op, Bar(f"{row.share:.1%}", row.share), time_text(row.mean), time_text(row.p95),
            time_text(row.least), byte_text(row.bytes)]  # fmt: skip


def _cost(cost: Cost) -> str:
    head, *_ = str(cost).split("\n")
    whole = max((row.weight for row in cost.nodes), default=0) or 1
    shown = [row for row in cost.nodes if row.weight or not row.is_known]
    rows: list[list[Cell]] = [
        [row.node, row.op, Bar(count_text(row.flops), row.weight / whole), byte_text(row.read), byte_text(row.written),
         row.place] for row in shown[:_MOST_ROWS]
    ]  # fmt: skip
    peak = f"peak of live memory: {'' if cost.is_exact else 'at least '}{byte_text(cost.peak_bytes)}"
    below = [f"{peak}{f', at {cost.peak_node}' if cost.peak_node else ''}"]
    below += [f"not known: {each}" for each in cost.unknown]
    text = opening("all of it as text", listing(str(cost))) if cost.steps else ""
    made = table(("node", "op", "operations", "read", "written", "line"), rows, _more(len(shown), "node"))
    return paragraph(head, bold=True) + made + "".join(map(paragraph, below)) + text


def _memory(memory: MemoryPlan) -> str:
    head, *lines = str(memory).split("\n")
    last = max((buffer.last for buffer in memory.buffers), default=0) + 1
    rows: list[list[Cell]] = []
    for buffer in memory.buffers[:_MOST_ROWS]:
        first = max(buffer.first, 0)
        where = f"a view of {buffer.root}" if buffer.root != buffer.slot else ""
        if buffer.slot in memory.arena.offsets:
            where = f"arena at {memory.arena.offsets[buffer.slot]}"
        lives = f"steps {buffer.first}-{buffer.last}" if buffer.first >= 0 else f"the start to step {buffer.last}"
        live = Bar(lives, (buffer.last + 1) / last, first / last)
        rows.append([str(buffer.slot), byte_text(buffer.size), live, where])
    return paragraph(head, bold=True) + table(("slot", "bytes", "live", "where"), rows, _more(len(lines), "slot"))


def _placement(report: PlacementReport) -> str:
    rows = [[node.node, node.op, node.asked, node.given, node.why] for node in report.nodes[:_MOST_ROWS]]
    copies = [[copy.node, copy.source, copy.target, byte_text(copy.bytes)] for copy in report.copies[:_MOST_ROWS]]
    made = table(("node", "op", "asked for", "runs on", "why"), rows, _more(len(report.nodes), "node"))
    copied = paragraph("copies", bold=True) + table(("node", "from", "to", "bytes"), copies) if copies else ""
    return paragraph(str(report).split("\n")[0], bold=True) + made + copied


def _why(found: WhyUnknown) -> str:
    rows = [["rank" if each.dim is None else f"dimension {each.dim}", f"{each.tensor.name} {each.tensor.shape}",
             each.reason, each.cure] for each in found]  # fmt: skip
    return table(("not known", "since", "why", "what helps"), rows) if rows else paragraph(str(found))


def _provenance(found: ShapeProvenance) -> str:
    head, *_ = str(found).split("\n")
    rows = [[str(each.dim), str(each.size), "\n".join(str(each).split("\n")[1:])] for each in found]
    rest = table(("dimension", "size", "where it comes from"), rows) if rows else listing(str(found))
    return paragraph(head, bold=True) + rest


def _diff(found: GraphDiff) -> str:
    rows = [[_SIGNS[each.sign], each.name, each.op, "\n".join(map(str, each.changes)) or each.types]
            for each in found.nodes[:_MOST_ROWS]]  # fmt: skip
    more = _more(len(found.nodes), "node")
    return table(("", "node", "op", "what"), rows, more) if rows else paragraph("no difference")


def _text_table(found: TextTable) -> str:
    more = len(found.rows) - _MOST_OF_A_GRAPH
    note = f"and {more:,} more rows: print it, or ask for a scope" if more > 0 else ""
    return table(found.columns, found.rows[:_MOST_OF_A_GRAPH], note)


def _more(count: int, noun: str) -> str:
    return f"and {_count(count - _MOST_ROWS, noun)} more" if count > _MOST_ROWS else ""


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _gradient(report: GradientReport) -> str:
    head = paragraph(str(report).split("\n")[0], bold=True)
    steps = table(("path", "operation", "line", "gradient"), path_rows(report)) if report.paths else ""
    rows = [[f"{cut.op.name} {cut.op.type}", cut.op.origin.place, cut.reason, cut.cure] for cut in report.cuts]
    return head + steps + (table(("cut at", "line", "why", "what to do"), rows) if rows else "")


_WAYS: dict[type, Callable[[Any], str]] = {
    Explanation: _explanation,
    Trace: _trace,
    Profile: _profile,
    Cost: _cost,
    MemoryPlan: _memory,
    PlacementReport: _placement,
    WhyUnknown: _why,
    ShapeProvenance: _provenance,
    GraphDiff: _diff,
    TextTable: _text_table,
    GradientReport: _gradient,
}
