"""The sums over all alignments of labels with time steps that the CTC loss needs, for a whole batch at once.

Labels l stand between blanks, in u = 2 len(l) + 1 states. The logarithm of the probability of all paths to a state
(alpha) and from it (beta) follow step by step; NumPy computes a step for all states of all sequences.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def loss_and_gradient(logits: Any, labels: list[Any], lengths: Any, merge_repeated: bool) -> tuple[Any, Any]:
    """The losses of a batch, and their derivatives by the logits.

    Args:
        logits: float32 or float64 of shape (time, batch, classes); the last class is the blank.
        labels: for each sequence a vector of labels, or None for one that is skipped: its loss is 0.
        lengths: the number of time steps of each sequence.
        merge_repeated: whether equal labels that follow each other on a path are one.
    """
    steps, count, classes = logits.shape
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(2, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(2, keepdims=True))
    states = 2 * max((len(each) for each in labels if each is not None), default=0) + 1
    symbols = np.full((count, states), classes - 1)
    sizes = np.ones(count, np.int64)
    for row, each in enumerate(labels):
        if each is not None:
            symbols[row, 1 : 2 * len(each) : 2] = each
            sizes[row] = 2 * len(each) + 1
    stays, skips = _moves(symbols, classes - 1, merge_repeated)
    emitted = np.take_along_axis(logs, np.broadcast_to(symbols, (steps, count, states)), 2)
    emitted = np.where(np.arange(states) < sizes[:, None], emitted, -np.inf)
    alpha = _forward(emitted, stays, skips)
    beta = _backward(emitted, stays, skips, lengths, sizes)
    through = alpha + beta
    total = np.logaddexp.reduce(through[0], axis=1) if states else np.full(count, -np.inf)
    skipped = np.array([each is None for each in labels], bool) | (np.asarray(lengths) == 0)
    has_path = total > -np.inf
    gradient = np.ascontiguousarray(np.exp(logs))
    weights = np.exp(through - np.where(has_path, total, 0.0)[:, None])
    weights[:, ~has_path] = 0.0
    np.subtract.at(gradient.reshape(-1), _flat(symbols, steps, count, classes), weights.reshape(-1))
    gradient[np.arange(steps)[:, None] >= np.asarray(lengths)] = 0.0
    gradient[:, skipped] = 0.0
    return np.where(skipped, 0.0, -total).astype(logits.dtype), gradient.astype(logits.dtype)


def _flat(symbols: Any, steps: int, count: int, classes: int) -> Any:
    rows = np.arange(steps * count).reshape(steps, count, 1) * classes
    return (rows + symbols).reshape(-1)


def _moves(symbols: Any, blank: int, merge_repeated: bool) -> tuple[Any, Any]:
    """Additive masks, 0 or -inf: whether a path may stay in each state, and come to it over one that is left out."""
    is_label = symbols != blank
    stays = np.where(is_label & (not merge_repeated), -np.inf, 0.0)
    may_skip = is_label.copy()
    may_skip[:, :2] = False
    if merge_repeated:
        may_skip[:, 2:] &= symbols[:, 2:] != symbols[:, :-2]
    return stays, np.where(may_skip, 0.0, -np.inf)


def _forward(emitted: Any, stays: Any, skips: Any) -> Any:
    alpha = np.full(emitted.shape, -np.inf)
    alpha[0, :, :2] = emitted[0, :, :2]
    for t in range(1, len(emitted)):
        before = alpha[t - 1]
        total = before + stays
        total[:, 1:] = np.logaddexp(total[:, 1:], before[:, :-1])
        total[:, 2:] = np.logaddexp(total[:, 2:], before[:, :-2] + skips[:, 2:])
        alpha[t] = total + emitted[t]
    return alpha


def _backward(emitted: Any, stays: Any, skips: Any, lengths: Any, sizes: Any) -> Any:
    beta = np.full(emitted.shape, -np.inf)
    last = np.asarray(lengths) - 1
    places = np.arange(emitted.shape[2])
    ends = np.where((places >= sizes[:, None] - 2) & (places < sizes[:, None]), 0.0, -np.inf)
    for t in range(len(emitted) - 1, -1, -1):
        if t + 1 < len(emitted):
            after = beta[t + 1] + emitted[t + 1]
            total = after + stays
            total[:, :-1] = np.logaddexp(total[:, :-1], after[:, 1:])
            total[:, :-2] = np.logaddexp(total[:, :-2], after[:, 2:] + skips[:, 2:])
            beta[t] = total
        beta[t] = np.where((last == t)[:, None], ends, np.where((last < t)[:, None], -np.inf, beta[t]))
    return beta
