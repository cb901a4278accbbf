"""Exponential moving averages: shadows of variables, for evaluating a model with smoothed weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...derivatives import rule_namespace as ops
from ...errors import DTypeError
from ...graph.building.given_none import note_none
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph, outermost
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.dtypes import bfloat16, float16, float32, float64
from ...variables.latest_values import LatestValues
from ...variables.variable import Variable
from .slot_variables import filled_slot, slot

AVERAGED = "moving_average_variables"
_FLOATS = (float16, bfloat16, float32, float64)


class ExponentialMovingAverage:
    """Averages of variables and tensors over the steps of a training, in which recent values count more.

    Each run of the operation that `apply` gives changes an average to `average - (1 - decay) * (average - value)`.

    Args:
        decay: the part of the average that is kept, such as 0.999.
        num_updates: the number of steps that were made; with it the decay is at most `(1 + n) / (10 + n)`, so that the
            first averages follow faster.
        zero_debias: True corrects averages of tensors for having begun at zero.
        name: the name of the operation, and of the averages: "w/ExponentialMovingAverage".

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable(0.0, name="w")
    ...     ema = tf.train.ExponentialMovingAverage(0.75)
    ...     with tf.control_dependencies([w.assign_add(8.0)]):
    ...         step = ema.apply([w])
    ...     session.run(tf.global_variables_initializer())
    ...     for _ in range(2):
    ...         session.run(step)
    ...         print(session.run([w, ema.average(w)]))
    [np.float32(8.0), np.float32(2.0)]
    [np.float32(16.0), np.float32(5.5)]
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Operation, Variable] = {}
        self._biased: dict[Operation, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The name of the operation and of the averages."""
        return self._name

    @hides_frames
    def apply(self, var_list: Sequence[Variable | Tensor] | None = None) -> Operation:
        """Adds the averages, and the operation that brings them up to date.

        The average of a variable begins with the value that the variable has when the average is initialized, or with
        its initial value if it has none; that of a tensor with zero. Run the
        operation after the variables have changed: inside `tf.control_dependencies([training step])`.

        Args:
            var_list: variables and tensors of floats; None means all trainable variables.

        Returns:
            The operation that changes the averages.

        Raises:
            TypeError: something is no variable and no tensor, or holds no floats.
        """
        graph = get_default_graph()
        wanted = list(graph.get_collection("trainable_variables") if var_list is None else var_list)
        for each in wanted:
            if not isinstance(each, (Variable, Tensor)):
                raise DTypeError(f"ExponentialMovingAverage.apply: var_list has {each!r}; give variables or tensors")
            if each.dtype not in _FLOATS:
                raise DTypeError(f"ExponentialMovingAverage.apply: The variables must be half, float, or double: "
                                 f"{each.name} is {each.dtype}")  # fmt: skip
        averages, biased = dict(self._averages), dict(self._biased)

        def build() -> Operation:
            # If a call around this one fails, the graph forgets the averages that this one made.
            outermost(graph).journal.note(setattr, self, "_averages", averages)
            outermost(graph).journal.note(setattr, self, "_biased", biased)
            return self._apply(graph, wanted)

        made: Operation = graph.journal.all_around_or_nothing(build)
        return made

    def average(self, var: Any) -> Variable | None:
        """The variable that holds an average.

        Args:
            var: a variable or tensor that `apply` was given.

        Returns:
            The average; None if `var` was not averaged.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w = tf.Variable(0.0, name="w")
        ...     ema = tf.train.ExponentialMovingAverage(0.99)
        ...     print(ema.average(w), ema.average_name(w))
        None w/ExponentialMovingAverage
        """
        found = self._averages.get(var.op)
        if found is None:
            note_none(var.graph, "ExponentialMovingAverage.average()", f"{var.name!r} has no average yet; call "
                      "apply([...]) with it first, and average() after that")  # fmt: skip
        return found

    def average_name(self, var: Any) -> str:
        """The name of the average of a variable: "w/ExponentialMovingAverage".

        Args:
            var: a variable or tensor, averaged or not.

        Returns:
            The name of the operation that holds the average, or that would hold it.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     print(tf.train.ExponentialMovingAverage(0.99).average_name(tf.Variable(0.0, name="w")))
        w/ExponentialMovingAverage
        """
        found = self.average(var)
        if found is not None:
            return found.op.name
        return get_default_graph().unique_name(f"{var.op.name}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Variable]:
        """What a `tf.train.Saver` needs to load averages in the place of the variables.

        Args:
            moving_avg_variables: the variables whose averages are wanted; None means all trainable ones and all that
                were averaged.

        Returns:
            A dict: the name in the file -> variable. Averaged variables have the names of their averages, all others of
            the graph their own.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w = tf.Variable(0.0, name="w")
        ...     print(list(tf.train.ExponentialMovingAverage(0.99).variables_to_restore()))
        ['w/ExponentialMovingAverage']
        """
        graph = get_default_graph()
        wanted = moving_avg_variables
        if wanted is None:
            wanted = [*graph.get_collection("trainable_variables"), *graph.get_collection(AVERAGED)]
        found = {self.average_name(each): each for each in dict.fromkeys(wanted)}
        averaged = {each.op for each in found.values()}
        for each in graph.get_collection("variables"):
            if each.op not in averaged and each.op.name not in found:
                found[each.op.name] = each
        return found

    def _apply(self, graph: Graph, wanted: list[Any]) -> Operation:
        """Build the nodes of `apply`."""
        for each in wanted:
            if each.op not in self._averages:
                self._averages[each.op] = self._shadow(graph, each)
        with graph.name_scope(self._name) as scope:
            decay = ops.cast(self._decay, float32)
            if self._num_updates is not None:
                count = ops.cast(self._num_updates, float32)
                decay = ops.minimum(decay, (1.0 + count) / (10.0 + count))
            latest = LatestValues(graph)
            return ops.group(*[self._update(graph, each, 1.0 - decay, latest) for each in wanted], name=scope)

    def _shadow(self, graph: Graph, each: Variable | Tensor) -> Variable:
        """A new average."""
        if isinstance(each, Variable):
            graph.add_to_collection(AVERAGED, each)
            return slot(each, each.initialized_value, self._name, each.shape.is_fully_defined())
        shadow = filled_slot(each, 0, self._name)
        if self._zero_debias:
            self._biased[each.op] = (
                filled_slot(shadow, 0, "biased"),
                slot(shadow, lambda: ops.cast(0, shadow.dtype), "local_step", is_static=True),
            )
        return shadow

    def _update(self, graph: Graph, each: Variable | Tensor, rest: Tensor, latest: LatestValues) -> Tensor:
        """Change one average; `rest` is 1 - decay."""
        shadow = self._averages[each.op]
        value = each.as_operand() if isinstance(each, Variable) else each
        with graph.name_scope("AssignMovingAvg") as scope:
            portion = ops.cast(rest, shadow.dtype)
            if each.op not in self._biased:
                step: Tensor = shadow.assign_sub((latest.of(shadow) - value) * portion, name=scope)
                return step
            biased, count = self._biased[each.op]
            total = biased.assign_sub((latest.of(biased) - value) * portion)
            factor = 1 - ops.pow(1.0 - portion, count.assign_add(ops.cast(1, count.dtype)))
            corrected: Tensor = shadow.assign(total / factor, name=scope)
            return corrected
