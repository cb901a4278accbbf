"""`tf.train.SyncReplicasOptimizer`: an update from the mean of the gradients of several runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...control_flow.cond import cond
from ...derivatives import rule_namespace as ops
from ...errors import UnimplementedError, ValueRuleError
from ...graph.common.tracebacks import hides_frames_of_init, hides_frames_of_methods
from ...graph.model.default_graph import get_default_graph, outermost
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.shapes.dtypes import int32
from ...variables.graph_keys import GraphKeys
from ...variables.variable import Variable
from ...variables.variable_lists import report_uninitialized_variables
from ..monitored.session_run_hooks import SessionRunHook
from ..optimizers.optimizer import Optimizer, Pairs
from .server import PAGE


@hides_frames_of_init
@hides_frames_of_methods
class SyncReplicasOptimizer(Optimizer):
    """An optimizer around another one, which gets the mean of the gradients of several runs.

    In TensorFlow each replica is a process, and an update waits for the gradients of `replicas_to_aggregate` of them.
    Here one program drives all workers, so each run hands in one gradient: with n, every nth run changes the variables
    and adds 1 to `global_step`. No gradient is stale. For speed take 1, feed the batches of all replicas at once, and
    let `SessionConfig(shard={"batch": n})` cut them: the gradient of a mean over the whole batch is the mean of theirs.

    Args:
        opt: the optimizer that changes the variables.
        replicas_to_aggregate: how many gradients make one update.
        total_num_replicas: accepted for TensorFlow's sake: all runs come from one program.
        variable_averages: a `tf.train.ExponentialMovingAverage`, brought up to date after each update.
        variables_to_average: the variables that are averaged; needed with `variable_averages`.
        use_locking: accepted for TensorFlow's sake.
        name: the name of its nodes.

    Raises:
        TypeError: `opt` is no optimizer.
        ValueError: fewer than 1 gradient make an update, or averages are given without variables.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w, x = tf.Variable(10.0), tf.placeholder(tf.float32, [])
    ...     descent = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), replicas_to_aggregate=2)
    ...     step = descent.minimize(w * x, global_step=tf.train.get_or_create_global_step())
    ...     session.run([tf.global_variables_initializer(), descent.local_step_init_op])
    ...     for gradient in (1.0, 3.0, 2.0, 4.0):
    ...         session.run(step, {x: gradient})
    ...         print(session.run(w))
    [None, None]
    10.0
    8.0
    8.0
    5.0

    Source: TensorFlow 1.x, `tf.train.SyncReplicasOptimizer`.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Sequence[Variable] | None = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        if not isinstance(opt, Optimizer):
            raise TypeError(f"SyncReplicasOptimizer(opt={opt!r}): opt is an optimizer, as those of tf.train")
        if isinstance(replicas_to_aggregate, bool) or not isinstance(replicas_to_aggregate, int):
            raise TypeError(f"SyncReplicasOptimizer(replicas_to_aggregate={replicas_to_aggregate!r}): give an int")
        if replicas_to_aggregate < 1:
            raise ValueRuleError(
                f"SyncReplicasOptimizer(replicas_to_aggregate={replicas_to_aggregate}): at least 1 gradient makes an "
                "update"
            )
        if variable_averages is not None and variables_to_average is None:
            raise ValueRuleError("SyncReplicasOptimizer: Need to specify variables_to_average")
        self._opt = opt
        self._count = replicas_to_aggregate
        self._averages = variable_averages
        self._averaged = variables_to_average
        self._collected: list[Variable] = []
        self._graph: Graph | None = None

    # ---- what programs call -----------------------------------------------------------------

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Variable]]:
        """The gradients of `loss`: `compute_gradients` of the optimizer inside.

        Args:
            loss: the tensor to make smaller.
            args: as there.
            kwargs: as there.

        Returns:
            A list of pairs of a gradient and a variable.

        Raises:
            TypeError: an argument has another type.
            ValueError: there are no variables.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     descent = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 2)
        ...     print(len(descent.compute_gradients(tf.square(tf.Variable(1.0)))))
        1
        """
        return self._opt.compute_gradients(loss, *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Variable | Tensor | None = None, name: str | None = None
    ) -> Operation:
        """Adds the operation that hands in one gradient, and changes the variables if enough were handed in.

        Args:
            grads_and_vars: pairs of a gradient and a variable.
            global_step: an int variable that each update increases by 1.
            name: the name of the operation; None means that of the optimizer.

        Returns:
            The operation to run.

        Raises:
            TypeError: a gradient is no tensor, or something is no variable.
            ValueError: there is no `global_step`, or no gradient.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     w = tf.Variable(1.0)
        ...     descent = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.5), 1)
        ...     step = descent.apply_gradients([(tf.constant(1.0), w)], tf.train.get_or_create_global_step())
        ...     session.run(tf.global_variables_initializer())
        ...     session.run(step)
        ...     print(session.run(w))
        0.5
        """
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not pairs:
            raise ValueRuleError("apply_gradients: Must supply at least one variable with a gradient")
        if global_step is None:
            raise ValueRuleError(
                "apply_gradients: Global step is required to check staleness; give "
                "global_step=tf.train.get_or_create_global_step()"
            )
        graph = outermost(pairs[0][1].graph)
        self._graph = graph
        made: Operation = graph.journal.all_around_or_nothing(self._hand_in, graph, pairs, global_step, name)
        return made

    @property
    def local_step_init_op(self) -> Operation:
        """The operation that empties the sums of gradients; run it once, or `tf.local_variables_initializer()`."""
        return self._initializer()

    @property
    def chief_init_op(self) -> Operation:
        """The same as `local_step_init_op`."""
        return self._initializer()

    @property
    def ready_for_local_init_op(self) -> Tensor:
        """A tensor of the names of global variables without a value."""
        graph = self._built()
        with graph.as_default():
            found: Tensor = report_uninitialized_variables(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
        return found

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """An operation that does nothing: no other process waits for a token.

        Args:
            num_tokens: accepted for TensorFlow's sake.

        Returns:
            An operation.

        Raises:
            ValueError: `apply_gradients` was not called yet.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     descent = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1)
        ...     step = descent.minimize(tf.square(tf.Variable(1.0)), tf.train.get_or_create_global_step())
        ...     print(descent.get_init_tokens_op().type)
        NoOp
        """
        with self._built().as_default():
            made: Operation = ops.group(name="init_tokens")
        return made

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook for `tf.train.MonitoredTrainingSession` that does nothing: there are no tokens and no queues.

        Args:
            is_chief: True; False is refused, because this program is the chief of all workers.
            num_tokens: accepted for TensorFlow's sake.

        Returns:
            A `SessionRunHook`.

        Raises:
            ValueError: `apply_gradients` was not called yet.
            UnimplementedError: `is_chief` is False.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w, count = tf.get_variable("w", [], initializer=tf.ones_initializer()), tf.train.create_global_step()
        ...     descent = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.25), 2)
        ...     step = descent.minimize(tf.square(w), count)
        ...     hooks = [descent.make_session_run_hook(True), tf.train.StopAtStepHook(last_step=2)]
        ...     with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        ...         while not session.should_stop():
        ...             _, before = session.run([step, w])
        ...             print(before)
        1.0
        1.0
        0.5
        0.5
        """
        self._built()
        if not is_chief:
            raise UnimplementedError(
                message="SyncReplicasOptimizer.make_session_run_hook(is_chief=False): one program drives all workers, "
                f"and it is the chief. See {PAGE}"
            )
        return SessionRunHook()

    def get_chief_queue_runner(self) -> Any:
        """Refused: there are no queues, and an update waits for no other process.

        Returns:
            Nothing.

        Raises:
            UnimplementedError: always.

        >>> import penstock as tf
        >>> try:
        ...     tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1).get_chief_queue_runner()
        ... except tf.errors.UnimplementedError as error:
        ...     print(error.message.partition(":")[0])
        SyncReplicasOptimizer.get_chief_queue_runner
        """
        raise UnimplementedError(
            message="SyncReplicasOptimizer.get_chief_queue_runner: there are no queues, and no process waits for "
            f"another; leave out the queue runner and the tokens. See {PAGE}"
        )

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """A variable that the optimizer inside keeps for one that it trains.

        Args:
            var: the variable that is trained.
            name: the name of the slot.

        Returns:
            The slot; None if there is none.

        Raises:
            AttributeError: `var` is no variable.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w = tf.Variable(1.0, name="w")
        ...     momentum = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 2)
        ...     step = momentum.minimize(tf.square(w), tf.train.get_or_create_global_step())
        ...     print(momentum.get_slot(w, "momentum").name)
        w/Momentum:0
        """
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of the slots of the optimizer inside.

        Returns:
            A sorted list.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w = tf.Variable(1.0, name="w")
        ...     momentum = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 2)
        ...     step = momentum.minimize(tf.square(w), tf.train.get_or_create_global_step())
        ...     print(momentum.get_slot_names())
        ['momentum']
        """
        return self._opt.get_slot_names()

    def variables(self) -> list[Variable]:
        """The variables of the optimizer inside.

        Returns:
            A list, sorted by name.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w = tf.Variable(1.0, name="w")
        ...     momentum = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 2)
        ...     step = momentum.minimize(tf.square(w), tf.train.get_or_create_global_step())
        ...     print([v.name for v in momentum.variables()])
        ['w/Momentum:0']
        """
        return self._opt.variables()

    # ---- nodes ------------------------------------------------------------------------------

    def _built(self) -> Graph:
        if self._graph is None:
            raise ValueRuleError("SyncReplicasOptimizer: this needs the nodes of apply_gradients; call minimize first")
        return self._graph

    def _initializer(self) -> Operation:
        with self._built().as_default():
            made: Operation = ops.group(*[each.initializer for each in self._collected], name="local_step_init")
        return made

    def _hand_in(self, graph: Graph, pairs: list[tuple[Any, Variable]], step: Any, name: str | None) -> Operation:
        def update(found: list[tuple[Any, Variable]]) -> Operation:
            done = self._opt.apply_gradients(found, step)
            if self._averages is None:
                return done
            with get_default_graph().control_dependencies([done]):
                averaged: Operation = self._averages.apply(self._averaged)
            return ops.group(done, averaged)

        if self._count == 1:
            return ops.group(update(pairs), name=name or self._name)
        self._opt._create_slots([variable for _, variable in pairs])  # outside of the branch
        with graph.name_scope(name or self._name) as scope:
            sums = [self._collector(graph, variable) for _, variable in pairs]
            count = _local(lambda: ops.zeros([], int32), "count")
            self._collected = [*sums, count]
            totals = []
            for (gradient, variable), total in zip(pairs, sums, strict=True):
                with graph.colocate_with(variable):
                    totals.append(total.assign_add(ops.convert_to_tensor(gradient)))
            number = count.assign_add(1)

            handed_in = [number, *totals]

            def apply() -> list[Tensor]:
                means = [each / ops.cast(self._count, each.dtype) for each in totals]
                done = update([(mean, variable) for mean, (_, variable) in zip(means, pairs, strict=True)])
                empty = [each.assign(ops.zeros_like(total)).op for each, total in zip(sums, totals, strict=True)]
                with get_default_graph().control_dependencies([done, count.assign(number - self._count).op, *empty]):
                    return [ops.identity(each) for each in handed_in]

            # Both branches give what was handed in, so that neither seems to be the only one that wants it.
            done = cond(ops.equal(number, self._count), apply, lambda: list(handed_in), name="cond")
            return ops.group(*done, name=scope)

    def _collector(self, graph: Graph, variable: Variable) -> Variable:
        """The sum of the gradients that were handed in for a variable."""
        if not variable.shape.is_fully_defined():
            found = f"the shape of {variable.name!r}, {variable.shape}"
            raise ValueRuleError(f"SyncReplicasOptimizer: {found}, is not known; its gradients cannot be added up")
        sizes, dtype = variable.shape.as_list(), variable.dtype
        with graph.colocate_with(variable):
            return _local(lambda: ops.zeros(sizes, dtype), f"{variable.op.name}/sum")


def _local(value: Callable[[], Tensor], name: str) -> Variable:
    """A variable that is not saved."""
    return Variable(value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], name=name)
