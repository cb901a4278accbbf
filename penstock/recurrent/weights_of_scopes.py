"""Whether a cell has weights of its own in each variable scope, as in TensorFlow 0.x and 1.0.

Programs of those years write `MultiRNNCell([cell] * 3)`, or run one cell forwards and backwards: a cell was a
function, and its variables were those of the scope of the call. `penstock tf1` turns this on for a program of 0.x.
"""

from __future__ import annotations


class WeightsOfScopes:
    """A switch of the process."""

    are_on = False
