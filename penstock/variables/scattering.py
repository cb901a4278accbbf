"""TensorFlow's functions that write rows of a variable: `scatter_update`, `scatter_add`, `scatter_nd_update` ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph.common.tracebacks import hides_frames
from ..graph.model.nodes import Tensor
from .assigning import checked_variable
from .variable import Variable
from .variable_node import scatter_into

Scatter = Callable[..., Tensor]

_WORDS = {
    "update": ("replaces rows of a variable", "ref[indices[i]] = updates[i]", "[[0. 0.]\n [3. 4.]\n [0. 0.]]"),
    "add": ("adds to rows of a variable", "ref[indices[i]] += updates[i]", "[[0. 0.]\n [3. 4.]\n [0. 0.]]"),
    "sub": ("subtracts from rows of a variable", "ref[indices[i]] -= updates[i]",
            "[[ 0.  0.]\n [-3. -4.]\n [ 0.  0.]]"),
    "mul": ("multiplies rows of a variable", "ref[indices[i]] *= updates[i]", "[[0. 0.]\n [0. 0.]\n [0. 0.]]"),
    "div": ("divides rows of a variable", "ref[indices[i]] /= updates[i]", "[[0. 0.]\n [0. 0.]\n [0. 0.]]"),
    "min": ("takes minima of rows of a variable", "ref[indices[i]] = min(ref[indices[i]], updates[i])",
            "[[0. 0.]\n [0. 0.]\n [0. 0.]]"),
    "max": ("takes maxima of rows of a variable", "ref[indices[i]] = max(ref[indices[i]], updates[i])",
            "[[0. 0.]\n [3. 4.]\n [0. 0.]]"),
}  # fmt: skip


def _make(function: str) -> Scatter:
    how, is_nd = function.rpartition("_")[2], "_nd_" in function

    @hides_frames
    def scatter(
        ref: Variable, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
    ) -> Tensor:
        v = checked_variable(ref, function)
        return scatter_into(v, function, indices, updates, name)

    does, law, shown = _WORDS[how]
    places = "index vectors of shape batch + [K]" if is_nd else "numbers of rows, int32 or int64, of any shape"
    example_indices = "[[1]]" if is_nd else "[1]"
    shown_lines = shown.replace("\n", "\n    ")
    scatter.__name__ = scatter.__qualname__ = function
    scatter.__doc__ = f"""A node that {does}: `{law}`.

    Updates at equal indices are applied one after the other. The value is changed in place if no other run reads it.

    Args:
        ref: the variable.
        indices: {places}.
        updates: for each index a row of the variable's dtype{"" if is_nd else "; or one scalar for all"}.
        use_locking: accepted for TensorFlow's sake; writes are always whole.
        name: the name of the node.

    Returns:
        A tensor of the whole new value.

    Raises:
        TypeError: `ref` is no variable, or dtypes do not fit.
        ValueError: known shapes do not fit.
        InvalidArgumentError (when run): an index is out of range, or shapes do not fit; nothing is written then.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     v = tf.Variable(tf.zeros([3, 2]))
    ...     session.run(v.initializer)
    ...     print(session.run(tf.{function}(v, {example_indices}, [[3.0, 4.0]])))
    {shown_lines}

    Source: TensorFlow 1.x, `tf.{function}`.
    """
    return scatter


scatter_update = _make("scatter_update")
scatter_add = _make("scatter_add")
scatter_sub = _make("scatter_sub")
scatter_mul = _make("scatter_mul")
scatter_div = _make("scatter_div")
scatter_min = _make("scatter_min")
scatter_max = _make("scatter_max")
scatter_nd_update = _make("scatter_nd_update")
scatter_nd_add = _make("scatter_nd_add")
scatter_nd_sub = _make("scatter_nd_sub")
