"""The sums over all alignments of labels with time steps that the CTC loss needs, for a whole batch at once.

Labels l stand between blanks, in u = 2 len(l) + 1 states. The probability of all paths to a state (alpha) and from it
(beta) follow step by step; NumPy computes a step for all states of all sequences. They are scaled every few steps, so
that they do not vanish over time. Where probabilities of one step are further apart than a float64 can hold, those of
the sequence are computed again as logarithms, which takes ten times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

_SCALED: Final = 4
"""Numbers are scaled after so many steps."""
_LEAST: Final = 1e-200
"""A smaller sum may lack what a float64 cannot hold; what a larger one lacks is less than its last bit."""
_SMALLEST: Final = {4: 1e-37, 8: 1e-300}
"""Probabilities below these have lost bits, by the bytes of their dtype."""
_TINY: Final = float(np.finfo(np.float64).tiny)
_ELEMENTS: Final = 1 << 20
"""About how many states, times steps and sequences, are computed together."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Probabilities, or their logarithms: how they are added and multiplied, and what 0 and 1 are."""

    plus: Any
    times: Any
    zero: float
    one: float
    scaled: int


_PROBABILITIES: Final = _Numbers(np.add, np.multiply, 0.0, 1.0, _SCALED)
_LOGARITHMS: Final = _Numbers(np.logaddexp, np.add, -np.inf, 0.0, 0)


def loss_and_gradient(logits: Any, labels: list[Any], lengths: Any, merge_repeated: bool) -> tuple[Any, Any]:
    """The losses of a batch, and their derivatives by the logits.

    Args:
        logits: float32 or float64 of shape (time, batch, classes); the last class is the blank.
        labels: for each sequence a vector of labels, or None for one that is skipped: its loss is 0.
        lengths: the number of time steps of each sequence.
        merge_repeated: whether equal labels that follow each other on a path are one.
    """
    losses, gradient = np.zeros(logits.shape[1]), np.zeros(logits.shape, logits.dtype)
    used = np.array([row for row, each in enumerate(labels) if each is not None and lengths[row]], np.intp)
    states = 2 * max((len(labels[row]) for row in used), default=0) + 1
    size = max(1, _ELEMENTS // (len(logits) * states))
    for rows in (used[first : first + size] for first in range(0, len(used), size)):
        batch = _Batch(logits.take(rows, 1), [labels[row] for row in rows], lengths[rows], merge_repeated)
        losses[rows], gradient[:, rows] = batch.loss_and_gradient()
    return losses.astype(logits.dtype), gradient


class _Batch:
    """Sequences that are computed together. Arrays of states are of shape (time, states, sequences)."""

    def __init__(self, logits: Any, labels: list[Any], lengths: Any, merge_repeated: bool) -> None:
        self.logits, self.labels, self.lengths, self.merge_repeated = logits, labels, lengths, merge_repeated
        self.sizes = np.array([2 * len(each) + 1 for each in labels])
        blank = logits.shape[2] - 1
        self.symbols = np.full((int(self.sizes.max()), len(labels)), blank)
        for row, each in enumerate(labels):
            self.symbols[1 : 2 * len(each) : 2, row] = each
        self.may_stay = (self.symbols == blank) | merge_repeated
        self.may_skip = self.symbols != blank  # to come there from the state before the last one
        self.may_skip[:2] = False
        if merge_repeated:
            self.may_skip[2:] &= self.symbols[2:] != self.symbols[:-2]
        self.is_state = np.arange(len(self.symbols))[:, None] < self.sizes
        self.is_inside = np.arange(len(logits))[:, None] < lengths
        self.columns = np.arange(len(labels)) * (blank + 1) + self.symbols  # of all classes of all sequences

    def loss_and_gradient(self) -> tuple[Any, Any]:
        gradient = self.logits - self.logits.max(2, keepdims=True)
        np.exp(gradient, out=gradient)
        gradient /= gradient.sum(2, keepdims=True)
        emitted = self._emitted(gradient, 0.0)
        through, scales = self._through(emitted, _PROBABILITIES)
        sums = through.sum(1)
        losses = -(np.log(sums[0]) + scales)
        weights = np.divide(through, sums[:, None], out=through)
        is_exact = (sums > _LEAST) & (emitted.min(1, initial=1.0, where=self.is_state) > _SMALLEST[gradient.itemsize])
        rows = np.flatnonzero(~(is_exact | ~self.is_inside).all(0))
        if len(rows):
            labels = [self.labels[row] for row in rows]
            batch = _Batch(self.logits.take(rows, 1), labels, self.lengths[rows], self.merge_repeated)
            losses[rows], weights[:, : len(batch.symbols), rows] = batch._by_logarithms()
        gradient[:, :, -1] -= weights[:, 0::2].sum(1)
        of_labels = np.arange(len(gradient))[:, None, None] * gradient[0].size + self.columns[1::2]
        at_labels = weights[:, 1::2].astype(gradient.dtype)
        np.subtract.at(gradient.reshape(-1), of_labels.reshape(-1), at_labels.reshape(-1))
        gradient[~self.is_inside] = 0.0
        return losses, gradient

    def _by_logarithms(self) -> tuple[Any, Any]:
        logs = self.logits.astype(np.float64)
        logs -= logs.max(2, keepdims=True)
        logs -= np.log(np.exp(logs).sum(2, keepdims=True))
        through, _ = self._through(self._emitted(logs, -np.inf), _LOGARITHMS)
        total = np.logaddexp.reduce(through[0], 0)
        has_path = total > -np.inf
        weights = np.exp(through - np.where(has_path, total, 0.0))
        return -total, np.where(has_path, weights, 0.0)

    def _emitted(self, classes: Any, zero: float) -> Any:
        """For each state what the classes have at each time, float64; states that a sequence lacks have `zero`."""
        emitted = classes.reshape(len(classes), -1).take(self.columns, 1).astype(np.float64)
        emitted[:, ~self.is_state] = zero
        return emitted

    def _through(self, emitted: Any, n: _Numbers) -> tuple[Any, Any]:
        """Of all paths through each state, and the logarithms by which those at the first time are to be scaled.

        Backwards in time and in the order of states, paths from a state follow as paths to a state do: so the second
        half of all columns is that of beta. A step is to each state from itself, from the one before it, and from the
        one before that; what comes to the state emits its class.
        """
        steps, states, count = emitted.shape
        stays, skips = (np.where(may, n.one, n.zero) for may in (self.may_stay, self.may_skip))
        backwards = np.full(skips.shape, n.zero)
        backwards[2:] = skips[:1:-1]
        stays, skips = np.concatenate([stays, stays[::-1]], 1), np.concatenate([skips, backwards], 1)
        classes = np.concatenate([emitted, emitted[::-1, ::-1]], 2)
        places = np.arange(states)[:, None]
        ends = (places >= self.sizes - 2) & (places < self.sizes)
        begins = np.where(np.concatenate([np.broadcast_to(places < 2, ends.shape), ends[::-1]], 1), n.one, n.zero)
        first = np.concatenate([np.zeros(count, np.intp), steps - self.lengths])
        began = {t: np.flatnonzero(first == t) for t in set(first.tolist())}
        comes = np.empty(classes.shape)
        comes[0] = np.where(first == 0, begins, n.zero)
        goes = np.full((states + 2, 2 * count), n.zero)  # the first two are no states
        itself, before, second = goes[2:], goes[1:-1], goes[:-2]
        tops = np.ones((steps, 2 * count))
        for t in range(1, steps):
            n.times(comes[t - 1], classes[t - 1], out=itself)
            if n.scaled and t % n.scaled == 0:
                top = np.maximum(itself.max(0), _TINY, out=tops[t])
                itself /= top
            now = n.times(second, skips, out=comes[t])
            n.plus(now, before, out=now)
            n.plus(now, itself if self.merge_repeated else n.times(itself, stays), out=now)
            if t in began:
                now[:, began[t]] = begins[:, began[t]]
        alpha = n.times(comes[:, :, :count], emitted, out=classes[:, :, :count])
        through = n.times(alpha, comes[::-1, ::-1, count:], out=alpha)
        is_own = np.arange(steps)[:, None] > first[count:]
        return through, np.log(tops[:, count:]).sum(0, where=is_own)
