"""What cells were in the first years: weights of their own in each variable scope, states in one tensor.

Programs of those years write `MultiRNNCell([cell] * 3)`, or run one cell forwards and backwards: a cell was a
function, and its variables were those of the scope of the call. `penstock tf1` turns this on for a program of 0.x.
"""

from __future__ import annotations


class WeightsOfScopes:
    """A switch of the process."""

    are_on = False


class JoinedStates:
    """Whether an LSTM's state is one tensor, c and h side by side, and so that of a stack: the default before 0.11.

    `penstock tf1` turns this on for a program of 0.x that nowhere says `state_is_tuple` and takes no state apart.
    """

    are_on = False
