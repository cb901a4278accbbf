"""The beam search of connectionist temporal classification, for one sequence.

A beam holds the most probable label sequences of the steps so far. Each is a node in a tree of prefixes:

    root ── a ── b        "ab" is an entry; so is its prefix "a", if it is among the most probable ones itself
         └─ b

An entry knows the logarithm of the probability of all alignments that end in a blank, and of those that end in its last
label. Source: Graves, Supervised Sequence Labelling, section 7.5; the order in which entries enter and leave the beam
is TensorFlow's. Sums are in float64, where TensorFlow's are in the dtype of the logits: sequences of almost equal
probability may change places.
"""

from __future__ import annotations

from heapq import heappush, heapreplace
from math import exp, inf, log1p
from typing import Any

import numpy as np


class _LabelSequence:
    """A label sequence: the logarithms of its probabilities before (`old_*`) and after the step."""

    __slots__ = ("blank", "children", "label", "labelled", "old_blank", "old_total", "parent", "total")

    def __init__(self, parent: _LabelSequence | None, label: int) -> None:
        self.parent, self.label = parent, label
        self.children: dict[int, _LabelSequence] = {}
        self.old_total = self.old_blank = self.total = self.blank = self.labelled = -inf

    def leave(self) -> None:
        self.total = self.blank = self.labelled = -inf

    def labels(self, merge_repeated: bool) -> list[int]:
        backwards: list[int] = []
        entry, previous = self, -1
        while entry.parent is not None:
            if not merge_repeated or entry.label != previous:
                backwards.append(entry.label)
            previous, entry = entry.label, entry.parent
        return backwards[::-1]


class _LabelBeam:
    """The `width` most probable entries; the least probable one is at hand."""

    def __init__(self, width: int) -> None:
        self.width, self._heap, self._count = width, list[tuple[float, int, _LabelSequence]](), 0

    def bottom(self) -> float:
        """What a new entry must exceed."""
        return self._heap[0][0] if len(self._heap) == self.width else -inf

    def push(self, entry: _LabelSequence) -> _LabelSequence | None:
        """The entry that leaves the beam for this one."""
        self._count += 1  # keeps the order among equal ones, and entries from being compared
        item = (entry.total, -self._count, entry)
        if len(self._heap) < self.width:
            heappush(self._heap, item)
            return None
        return heapreplace(self._heap, item)[2]

    def ordered(self) -> list[_LabelSequence]:
        """The most probable ones first."""
        return [item[2] for item in sorted(self._heap, reverse=True)]


def best_paths(logits: Any, width: int, count: int, merge_repeated: bool) -> list[tuple[list[int], float]]:
    """The `count` most probable (labels, logarithm of the probability) of a sequence; fewer if the beam has fewer.

    Args:
        logits: floats of shape (time, classes); the last class is the blank.
        width: how many entries are kept after each step.
        merge_repeated: whether equal labels that follow each other are one in what is returned.
    """
    logs = logits.astype(np.float64)
    logs -= logs.max(1, keepdims=True, initial=-inf)
    logs -= np.log(np.exp(logs).sum(1, keepdims=True))
    root = _LabelSequence(None, -1)
    root.total = root.blank = 0.0
    beam = _LabelBeam(width)
    beam.push(root)
    for step in logs:
        entries = beam.ordered()
        beam = _LabelBeam(width)
        _keep(entries, step, beam)
        _grow(entries, step[:-1], beam)
    return [(entry.labels(merge_repeated), entry.total) for entry in beam.ordered()[:count]]


def _keep(entries: list[_LabelSequence], step: Any, beam: _LabelBeam) -> None:
    """The probabilities of the same label sequences after one more step, which repeats the last label or is blank."""
    logs = step.tolist()
    for entry in entries:
        entry.old_total, entry.old_blank = entry.total, entry.blank
    for entry in entries:
        parent = entry.parent
        if parent is not None:
            if parent.total != -inf:
                before = parent.old_blank if entry.label == parent.label else parent.old_total
                entry.labelled = _log_sum(entry.labelled, before)
            entry.labelled += logs[entry.label]
        entry.blank = entry.old_total + logs[-1]
        entry.total = _log_sum(entry.blank, entry.labelled)
        beam.push(entry)


def _grow(entries: list[_LabelSequence], step: Any, beam: _LabelBeam) -> None:
    """Sequences with one more label enter the beam where they are more probable than its last entry."""
    for entry in entries:
        if not entry.old_total > beam.bottom():
            continue
        scores = entry.old_total + step
        if entry.parent is not None:
            scores[entry.label] = entry.old_blank + step[entry.label]
        candidates = np.flatnonzero(scores > beam.bottom()).tolist()
        for label in sorted({*candidates, *entry.children}):
            child = entry.children.get(label)
            score = float(scores[label])
            if child is not None and child.total != -inf:
                continue
            if score > beam.bottom():
                if child is None:
                    child = entry.children[label] = _LabelSequence(entry, label)
                child.blank, child.labelled, child.total = -inf, score, score
                gone = beam.push(child)
                if gone is not None:
                    gone.leave()
            elif child is not None:  # has left the beam and does not come back: it does not grow in this step
                child.old_total = child.old_blank = -inf


def _log_sum(a: float, b: float) -> float:
    """log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    return a if b == -inf else a + log1p(exp(b - a))
