"""The names of TensorFlow 0.x: `tf.nn.rnn`, `tf.nn.bidirectional_rnn`, `tf.nn.state_saving_rnn`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..graph.declare.shared_docs import documented_like, named, with_signature
from ..ops.declare.composite import reported_as_call
from .static_rnn import static_bidirectional_rnn, static_rnn, static_state_saving_rnn


def _older(name: str, newer: Callable[..., Any], usual_scope: str) -> Callable[..., Any]:
    """A function under its older name, whose variables are in a scope of another name."""
    form = inspect.signature(newer)

    @reported_as_call()
    @documented_like(newer)
    @with_signature(form)
    @named(name, newer=newer.__name__, scope=usual_scope)
    def function(*args: Any, **kwargs: Any) -> Any:
        """`{newer}` under its older name, with the variable scope "{scope}".

        Args:
            scope: the variable scope, or its name; by default "{scope}".

        Source: TensorFlow 0.x, `tf.nn.{name}`.
        """
        given = form.bind(*args, **kwargs)
        given.arguments["scope"] = given.arguments.get("scope") or usual_scope
        return newer(*given.args, **given.kwargs)

    return function


rnn = _older("rnn", static_rnn, "RNN")
bidirectional_rnn = _older("bidirectional_rnn", static_bidirectional_rnn, "BiRNN")
state_saving_rnn = _older("state_saving_rnn", static_state_saving_rnn, "RNN")
