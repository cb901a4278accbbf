"""Progress of a run on a cluster: workers tell how many steps they have finished, and the hook is called here.

The hook is called on the thread that called `Session.run`, once for each finished step, with the number of all finished
steps. Steps of several workers are counted in the order in which the client learns of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...runtime.base.progress import ProgressHook


class ClusterProgress:
    """The progress of one run."""

    def __init__(self, hooks: Sequence[ProgressHook], nodes: Mapping[int, Sequence[str]]) -> None:
        """hooks: functions of (done, steps, node); nodes: for each partition the nodes of its steps."""
        self._hooks = hooks
        self._nodes = nodes
        self._counts = dict.fromkeys(nodes, 0)
        self._total = sum([len(each) for each in nodes.values()])
        self._done = 0

    def begin(self) -> None:
        """Report that no step has run yet."""
        self._call(next((each[0] for each in self._nodes.values() if each), ""))

    def take(self, counts: Mapping[int, int]) -> None:
        """Report that partitions have finished so many of their steps."""
        for part, count in counts.items():
            nodes = self._nodes.get(part, ())
            while self._counts.get(part, 0) < min(count, len(nodes)):
                self._counts[part] += 1
                self._done += 1
                self._call(self._next(part))

    def _next(self, part: int) -> str:
        """The node that this partition computes next; at its end that of the first partition that goes on."""
        if self._done == self._total:
            return ""
        for each in (part, *self._nodes):
            if self._counts[each] < len(self._nodes[each]):
                return self._nodes[each][self._counts[each]]
        return ""

    def _call(self, node: str) -> None:
        for hook in self._hooks:
            hook(self._done, self._total, node)
