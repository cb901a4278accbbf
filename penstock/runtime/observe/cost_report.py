"""`Cost`, the result of `graph.cost`: a row for each node, unknown sizes, the memory peak and the critical path.

After a run it also has a row for each step of the plan that ran, with predicted and measured numbers. It prints as
text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...graph.common.hooks import hooks
from ...graph.common.tracebacks import hides_frames
from ...graph.inspect.text_table import folded, format_table
from .run_record import byte_text, time_text

_MOST_ROWS = 40
_PATH_SHOWN = 12
_SIZES_SHOWN = 4
_ARGUMENTS = ("fetches", "graph", "run", "shapes", "sizes")


@dataclass(frozen=True, slots=True)
class NodeCost:
    """The cost of one node: operations, bytes read, bytes written; None where a size it depends on is unknown."""

    node: str
    op: str
    place: str
    flops: int | None
    read: int | None
    written: int | None

    @property
    def is_known(self) -> bool:
        """True if no part of the cost depends on an unknown size."""
        return None not in (self.flops, self.read, self.written)

    @property
    def weight(self) -> int:
        """Operations plus bytes, unknown parts left out: the weight of the node on the critical path."""
        return (self.flops or 0) + (self.read or 0) + (self.written or 0)


@dataclass(frozen=True, slots=True)
class UnknownSize:
    """A size that a cost depends on and that was not given.

    Attributes:
        size: its name, or the number of the dimension.
        tensor: the first tensor that has it.
        reason: why it is unknown.
        is_result: True if the tensor is not fed, so that only a run can determine the size.
        is_named: True if `size` is the name of a dimension.
    """

    size: str
    tensor: str
    reason: str
    is_result: bool = False
    is_named: bool = False

    @property
    def cure(self) -> str:
        """What to write to make the size known."""
        if self.is_named:
            name = self.size
            return f"Write cost({name}=...)." if name not in _ARGUMENTS else f"Write cost(sizes={{{name!r}: ...}})."
        if self.is_result:
            return f"Only a run determines it; shapes={{{self.tensor!r}: [...]}} says what to expect."
        return f"Write cost(shapes={{{self.tensor!r}: [...]}})."

    def __str__(self) -> str:
        return f"{self.size} of {self.tensor}: {self.reason}. {self.cure}"


@dataclass(frozen=True, slots=True)
class StepCost:
    """One step of a plan that ran: its predicted and its measured cost.

    Attributes:
        node: the name of the step.
        op: the type of its op.
        nodes: the nodes inside a fused step.
        flops: predicted operations; None if unknown.
        read: predicted bytes read; None if unknown.
        written: predicted bytes written; None if unknown.
        bytes: measured bytes of the results.
        seconds: measured time.
    """

    node: str
    op: str
    nodes: tuple[str, ...]
    flops: int | None
    read: int | None
    written: int | None
    bytes: int
    seconds: float

    @property
    def flops_per_second(self) -> float | None:
        """Operations per second, None if either number is unknown."""
        return self.flops / self.seconds if self.flops is not None and self.seconds > 0 else None

    @property
    def bytes_per_second(self) -> float | None:
        """Bytes moved per second, None if either number is unknown."""
        if self.read is None or self.written is None or self.seconds <= 0:
            return None
        return (self.read + self.written) / self.seconds


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run would compute and move, node by node, computed from shapes alone.

    Attributes:
        fetches: names of the fetches.
        sizes: the given sizes and shapes, as text.
        nodes: one row per node, in the order of a run without passes; constants cost nothing and have no row.
        unknown: the sizes that were missing.
        peak_bytes: the largest sum of bytes of live feeds, constants and values; a lower bound if sizes are missing.
        peak_node: the node at which that peak occurs.
        critical_path: the heaviest chain of dependent nodes, by operations plus bytes.
        bodies: the nodes with graphs inside, of which each is counted once.
        steps: one row per step of the given run; empty without one.
        planned_peak_bytes: the planned peak of the given run; 0 without one.
        measured_peak_bytes: the measured peak of the given run; 0 without one.
    """

    fetches: tuple[str, ...]
    sizes: tuple[str, ...]
    nodes: tuple[NodeCost, ...]
    unknown: tuple[UnknownSize, ...]
    peak_bytes: int
    peak_node: str
    critical_path: tuple[str, ...]
    bodies: tuple[str, ...] = ()
    steps: tuple[StepCost, ...] = ()
    planned_peak_bytes: int = 0
    measured_peak_bytes: int = 0

    @property
    def is_exact(self) -> bool:
        """True if every size was known; otherwise totals and peak are lower bounds."""
        return not self.unknown

    @property
    def flops(self) -> int:
        """The sum of operations over all nodes whose operations are known."""
        return sum(row.flops or 0 for row in self.nodes)

    @property
    def bytes_read(self) -> int:
        """The sum of bytes read over all nodes for which it is known."""
        return sum(row.read or 0 for row in self.nodes)

    @property
    def bytes_written(self) -> int:
        """The sum of bytes written over all nodes for which it is known."""
        return sum(row.written or 0 for row in self.nodes)

    @hides_frames
    def node(self, name: str) -> NodeCost:
        """The row of one node.

        Args:
            name: the name of the node.

        Returns:
            A `NodeCost`.

        Raises:
            KeyError: the run has no such node, or it is a constant or fed.

        >>> import penstock as tf
        >>> with tf.Graph().as_default() as graph:
        ...     y = tf.exp(tf.placeholder(tf.float32, [8], name="x"), name="y")
        >>> graph.cost(y).node("y").flops
        160
        """
        wanted = name.partition(":")[0]
        found = next((row for row in self.nodes if row.node == wanted), None)
        if found is None:
            raise KeyError(f"node({name!r}): none of the {len(self.nodes)} nodes of this cost is called that")
        return found

    def __str__(self) -> str:
        return self._text(str)

    def _text(self, unknown: Callable[[UnknownSize], str]) -> str:
        """The report, with the words of `unknown` for each missing size."""
        given = f" with {', '.join(self.sizes)}" if self.sizes else ""
        least = "" if self.is_exact else "at least "
        lines = folded([f"cost of {', '.join(self.fetches)}{given}: {self._sum()}"])
        lines += self._table().split("\n")
        at = f", at {self.peak_node}" if self.peak_node else ""
        below = [f"peak of live memory: {least}{byte_text(self.peak_bytes)}{at}", f"critical path: {self._path()}",
                 *(f"{node}: its graphs are counted once each, however often a run computes them; what they keep "
                   "meanwhile is not in the peak" for node in self.bodies)]  # fmt: skip
        lines += folded([*below, *(f"not known: {unknown(each)}" for each in self.unknown)])
        if self.steps:
            lines += ["", *self._step_lines()]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str | None:
        return hooks.markup(self, "html")

    def _sum(self) -> str:
        if self.is_exact:
            return f"{count_text(self.flops)} operations"
        if self.flops:
            return f"at least {count_text(self.flops)} operations"
        sizes = [u.size if u.is_named else f"{u.size} of {u.tensor}" for u in self.unknown[:_SIZES_SHOWN]]
        return f"it depends on {', '.join(sizes)}{', ...' if len(self.unknown) > _SIZES_SHOWN else ''}"

    def _table(self) -> str:
        rows = [
            (r.node, r.op, count_text(r.flops), byte_text(r.read), byte_text(r.written), r.place)
            for r in self.nodes if r.weight or not r.is_known
        ]  # fmt: skip
        left_out = len(self.nodes) - len(rows)
        shown = rows[:_MOST_ROWS]
        if len(rows) > _MOST_ROWS:
            shown.append((f"... {len(rows) - _MOST_ROWS} nodes more", "", "", "", "", ""))
        if left_out:
            others = "1 node that costs nothing" if left_out == 1 else f"{left_out} nodes that cost nothing"
            shown.append((others, "", "", "", "", ""))
        shown.append(("all", "", self._total(self.flops, count_text), self._total(self.bytes_read, byte_text),
                      self._total(self.bytes_written, byte_text), ""))  # fmt: skip
        return format_table(("node", "op", "operations", "read", "written", "line"), shown)

    def _total(self, number: int, text: Callable[[int | None], str]) -> str:
        """A sum as text: `12+` if a part of it is unknown, `?` if all of it is."""
        if self.is_exact:
            return text(number)
        return f"{text(number)}+" if number else text(None)

    def _path(self) -> str:
        names = list(self.critical_path)
        inside = tuple([f"{name}/" for name in names if name in self.bodies])
        on_path = set(names)
        weights = sum(row.weight for row in self.nodes if row.node in on_path or row.node.startswith(inside))
        whole = sum(row.weight for row in self.nodes)
        if len(names) > _PATH_SHOWN:
            half = _PATH_SHOWN // 2
            names = [*names[:half], f"... {len(names) - 2 * half} nodes ...", *names[-half:]]
        known = "all" if self.is_exact else "the known"
        share = f" ({weights / whole:.0%} of {known} operations and bytes)" if whole else ""
        return (" -> ".join(names) or ("nothing" if self.is_exact else "not known")) + share

    def _step_lines(self) -> Iterator[str]:
        yield "predicted beside measured:"
        rows: list[tuple[str, ...]] = []
        for step in self.steps[:_MOST_ROWS]:
            rates = rate_text(step.flops_per_second, "op/s"), rate_text(step.bytes_per_second, "B/s")
            sizes = byte_text(step.written), byte_text(step.bytes)
            rows.append((step.node, step.op, count_text(step.flops), *sizes, time_text(step.seconds), *rates))
        if len(self.steps) > _MOST_ROWS:
            rows.append((f"... {len(self.steps) - _MOST_ROWS} steps more", *[""] * 7))
        head = ("step", "op", "operations", "written", "measured", "time", "rate", "traffic")
        yield from format_table(head, rows).split("\n")
        seconds = sum(step.seconds for step in self.steps)
        yield (f"all steps: {time_text(seconds)}; peak planned {byte_text(self.planned_peak_bytes)}, "
               f"measured {byte_text(self.measured_peak_bytes)}")  # fmt: skip


def cost_text(cost: Cost, cure: Callable[[UnknownSize], str]) -> str:
    """`str(cost)` with another cure for each missing size."""
    return cost._text(lambda u: f"{u.size} of {u.tensor}: {u.reason}. {cure(u)}")


def count_text(count: int | None) -> str:
    """A number of operations in readable units.

    >>> count_text(950), count_text(24_576), count_text(2_000_000_000), count_text(None)
    ('950', '24.6 k', '2 G', '?')
    """
    if count is None:
        return "?"
    return str(count) if count < 1000 else _scaled(float(count))


def rate_text(rate: float | None, unit: str) -> str:
    """A rate such as `12.3 Gop/s`; empty if it is zero or unknown."""
    if not rate:
        return ""
    text = _scaled(rate) if rate >= 1000 else f"{rate:.3g} "
    return f"{text}{unit}"


def _scaled(number: float) -> str:
    for unit, size in (("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g} "
