"""`Optimizer`: gradients of a loss, and the writes that change variables by them.

    compute_gradients    a gradient for each variable
    apply_gradients      slots are made; then, for each variable, `_apply_dense` or `_apply_sparse` adds its writes
    minimize             both

A class of optimizers overrides `_create_slots`, `_prepare`, `_apply_dense`, `_apply_sparse` and `_finish`, as in
TensorFlow 1.x. The package's own have formulas: see `formula_optimizer`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from ...derivatives import rule_namespace as ops
from ...derivatives.backward import gradients_in
from ...derivatives.explain_gradient import explain_gradient
from ...errors import DTypeError, GraphError, ValueRuleError
from ...graph.building.convert import first_tensor
from ...graph.building.given_none import forget_none, note_none
from ...graph.common.tracebacks import hides_frames
from ...graph.model.default_graph import get_default_graph, outermost
from ...graph.model.indexed_slices import IndexedSlices
from ...graph.model.nodes import Graph, Operation, Tensor
from ...graph.model.tensor_source import TensorSource
from ...graph.shapes.dtypes import DType, bfloat16, float16, float32, float64
from ...variables.partitioned_variable import PartitionedVariable
from ...variables.variable import GLOBAL, TRAINABLE, Variable
from ...variables.variable_node import graph_of_write
from .slot_variables import filled_slot, note_label, slot

TRAIN_OP = "train_op"
GRADIENTS = "compute_gradients()"
MOST_EXPLAINED = 3
"""Of so many variables without a gradient an error says why."""

Pairs = Iterable[tuple[Any, Variable]]


class Optimizer:
    """The base class of optimizers: how a loss is made smaller is told by a class that inherits from it.

    Such a class overrides `_apply_dense(grad, var)`, which adds the writes of one variable and gives an operation, and,
    for gradients that are `IndexedSlices`, `_apply_sparse(grad, var)`; there each index occurs once. `_create_slots`
    makes further variables with `_zeros_slot`, `_prepare` makes tensors of the arguments, and `_finish` adds what comes
    last.

    Args:
        use_locking: accepted for TensorFlow's sake: a run writes variables whole.
        name: the name of the operation that `minimize` gives, and of the slots.

    Raises:
        ValueError: `name` is empty.

    >>> import penstock as tf
    >>> class SignDescent(tf.train.Optimizer):
    ...     def _apply_dense(self, grad, var):
    ...         return var.assign_sub(0.5 * tf.sign(grad)).op
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([1.0, -2.0])
    ...     step = SignDescent(False, "SignDescent").minimize(tf.reduce_sum(tf.square(w)))
    ...     session.run(w.initializer)
    ...     session.run(step)
    ...     print(session.run(w), SignDescent(False, "other").get_name())
    [ 0.5 -1.5] other
    """

    _fetch_instead: ClassVar[str] = "fetch the operation that its minimize(loss) returns"

    GATE_NONE: ClassVar[int] = 0
    GATE_OP: ClassVar[int] = 1
    GATE_GRAPH: ClassVar[int] = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueRuleError(f"{type(self).__name__}: Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Operation, Variable]] = {}
        self._non_slots: dict[tuple[str, Graph], Variable] = {}

    # ---- what programs call -----------------------------------------------------------------

    def get_name(self) -> str:
        """The name of the optimizer.

        Returns:
            The name that it was given.
        """
        return self._name

    @hides_frames
    def minimize(
        self,
        loss: Any,
        global_step: Variable | Tensor | None = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """Adds the operations of one training step: gradients of `loss`, and writes that make it smaller.

        Args:
            loss: the tensor to make smaller.
            global_step: an int variable that each step increases by 1.
            var_list: a variable or a list of variables to change; None means all trainable ones of the graph.
            gate_gradients: accepted for TensorFlow's sake; a run gives the same values either way.
            aggregation_method: the same.
            colocate_gradients_with_ops: whether a gradient asks for the device of the operation that it belongs to.
            name: the name of the operation; None means that of the optimizer.
            grad_loss: a tensor of the shape of `loss`, by which its elements are weighted; None means ones.

        Returns:
            The operation to run for one step.

        Raises:
            TypeError: `loss` or something in `var_list` is no tensor, or no variable.
            ValueError: there are no variables, or none has a gradient; the error then says where the paths from the
                variables to `loss` are cut.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     w = tf.Variable(3.0)
        ...     step = tf.train.GradientDescentOptimizer(0.25).minimize(tf.square(w))
        ...     session.run(w.initializer)
        ...     session.run(step)
        ...     print(session.run(w))
        1.5
        """
        pairs = self.compute_gradients(loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops,
                                       grad_loss)  # fmt: skip
        forget_none(pairs[0][1].graph, GRADIENTS)  # pairs without a gradient are left out here
        if all(gradient is None for gradient, _ in pairs):
            raise ValueRuleError(_without_gradients(first_tensor(loss), [variable for _, variable in pairs]))
        return self.apply_gradients(pairs, global_step, name)

    @hides_frames
    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """The first half of `minimize`: adds the gradients of `loss` with respect to variables.

        Args:
            loss: the tensor to make smaller.
            var_list: a variable or a list of variables; None means all trainable ones of the graph.
            gate_gradients: accepted for TensorFlow's sake; a run gives the same values either way.
            aggregation_method: the same.
            colocate_gradients_with_ops: whether a gradient asks for the device of the operation that it belongs to.
            grad_loss: a tensor of the shape of `loss`, by which its elements are weighted; None means ones.

        Returns:
            A list of pairs: a gradient, which is a tensor of the shape and dtype of the variable, an `IndexedSlices`,
            or None; and its variable.

        Raises:
            TypeError: `loss` or something in `var_list` is no tensor, or no variable.
            ValueError: there are no variables, `gate_gradients` is not 0, 1 or 2, or a dtype is no float.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w, b = tf.Variable([3.0], name="w"), tf.Variable(1.0, name="b")
        ...     pairs = tf.train.GradientDescentOptimizer(0.25).compute_gradients(tf.reduce_sum(w * 2.0))
        ...     print([(gradient is not None, variable.name) for gradient, variable in pairs])
        [(True, 'w:0'), (False, 'b:0')]
        """
        if gate_gradients not in (Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH):
            raise ValueRuleError("compute_gradients: gate_gradients must be one of: Optimizer.GATE_NONE, "
                                 f"Optimizer.GATE_OP, Optimizer.GATE_GRAPH. Not {gate_gradients!r}")  # fmt: skip
        tensor = first_tensor(loss)
        if tensor is None or isinstance(loss, (list, tuple)):
            shown = f"the function {loss.__name__!r}" if inspect.isfunction(loss) else f"{loss!r:.80}"
            raise DTypeError(f"compute_gradients: loss is {shown}; {_loss_to_give(loss)}")
        self._check_dtypes([tensor, *([] if first_tensor(grad_loss) is None else [grad_loss])])
        variables = _variables_of(var_list, tensor)
        found = gradients_in(tensor.graph, loss, variables, grad_loss, aggregation_method=aggregation_method,
                             colocate_gradients_with_ops=colocate_gradients_with_ops)  # fmt: skip
        self._check_dtypes([each for each, gradient in zip(variables, found, strict=True) if gradient is not None])
        cut = [each.name for each, gradient in zip(variables, found, strict=True) if gradient is None]
        if cut:
            note_none(tensor.graph, GRADIENTS, f"the loss does not depend on {cut[0]!r}; leave out pairs without a "
                      "gradient: `[(g, v) for g, v in pairs if g is not None]`")  # fmt: skip
        return list(zip(found, variables, strict=True))

    @hides_frames
    def apply_gradients(
        self, grads_and_vars: Pairs, global_step: Variable | Tensor | None = None, name: str | None = None
    ) -> Operation:
        """The second half of `minimize`: adds the writes that change variables by their gradients.

        Args:
            grads_and_vars: pairs of a gradient and a variable, as `compute_gradients` gives them. A variable whose
                gradient is None is left as it is.
            global_step: an int variable that each step increases by 1.
            name: the name of the operation; None means that of the optimizer.

        Returns:
            The operation to run for one step.

        Raises:
            TypeError: a gradient is no tensor, or something is no variable.
            ValueError: there are no variables, or none has a gradient, or a gradient has another shape than its
                variable.

        >>> import penstock as tf
        >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
        ...     w = tf.Variable(3.0)
        ...     descent = tf.train.GradientDescentOptimizer(0.5)
        ...     [(gradient, _)] = descent.compute_gradients(tf.square(w))
        ...     step = descent.apply_gradients([(tf.clip_by_value(gradient, -1.0, 1.0), w)])
        ...     session.run(w.initializer)
        ...     session.run(step)
        ...     print(session.run(w))
        2.5
        """
        pairs = [_checked_pair(pair) for pair in grads_and_vars]
        if not pairs:
            raise ValueRuleError(
                "apply_gradients: No variables provided: grads_and_vars has no pairs; a step changes at least one "
                "variable. Give the pairs that compute_gradients returns; if a condition filters them, it left none"
            )
        used = [variable for gradient, variable in pairs if gradient is not None]
        if not used:
            names = [variable.name for _, variable in pairs]
            raise ValueRuleError(
                f"apply_gradients: No gradients provided for any variable: {names}: every gradient is None, so there "
                "is nothing to apply. tf.explain_gradient(loss, variable) says where the path to a variable is cut"
            )
        if global_step is not None and not isinstance(global_step, Variable):
            raise DTypeError(f"apply_gradients: global_step is {global_step!r}; give a variable, as "
                             "tf.train.get_or_create_global_step() does")  # fmt: skip
        graph = used[0].graph
        for each in used:
            if each.graph is not graph:
                raise GraphError(f"apply_gradients: {each.name!r} belongs to {each.graph}, {used[0].name!r} to {graph};"
                                 " all variables of a call must be from the same graph")  # fmt: skip
        slots = {key: dict(found) for key, found in self._slots.items()}
        others = dict(self._non_slots)
        home = graph_of_write(used[0])

        def build() -> Operation:
            # If a call around this one fails, the graph forgets the variables that this one made.
            graph.journal.note(setattr, self, "_slots", slots)
            graph.journal.note(setattr, self, "_non_slots", others)
            return self._apply(home, pairs, global_step, name)

        made: Operation = home.journal.all_around_or_nothing(build)
        return made

    def get_slot(self, var: Any, name: str) -> Variable | None:
        """A variable that the optimizer keeps for one that it trains.

        Args:
            var: the variable that is trained.
            name: the name of the slot, one of `get_slot_names()`.

        Returns:
            The slot; None if there is none.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     w = tf.Variable([1.0, 2.0], name="w")
        ...     adam = tf.train.AdamOptimizer()
        ...     step = adam.minimize(tf.reduce_sum(tf.square(w)))
        ...     print(adam.get_slot_names(), adam.get_slot(w, "v").name, [v.name for v in adam.variables()])
        ['m', 'v'] w/Adam_1:0 ['beta1_power:0', 'beta2_power:0', 'w/Adam:0', 'w/Adam_1:0']
        """
        return self._slots.get(name, {}).get(var.op)

    def get_slot_names(self) -> list[str]:
        """The names of the slots that the optimizer has made.

        Returns:
            A sorted list; it is empty before the first call of `minimize`.

        >>> import penstock as tf
        >>> tf.train.AdamOptimizer().get_slot_names()
        []
        """
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """All variables that the optimizer has made in the default graph.

        Returns:
            A list, sorted by name.

        >>> import penstock as tf
        >>> with tf.Graph().as_default():
        ...     momentum = tf.train.MomentumOptimizer(0.1, 0.9)
        ...     step = momentum.minimize(tf.square(tf.Variable(1.0, name="w")))
        ...     print([variable.name for variable in momentum.variables()])
        ['w/Momentum:0']
        """
        graph = outermost(get_default_graph())
        made = [each for (_, home), each in self._non_slots.items() if home is graph]
        made += [each for slots in self._slots.values() for each in slots.values() if each.graph is graph]
        return sorted(made, key=lambda each: each.name)

    # ---- what classes of optimizers override ------------------------------------------------

    def _valid_dtypes(self) -> set[DType]:
        """The dtypes that a loss and variables may have."""
        return {float16, bfloat16, float32, float64}

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Make the slots of these variables."""

    def _prepare(self) -> None:
        """Make tensors of the arguments. Called once for each `apply_gradients`."""

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """Add the writes of one variable; gives an operation."""
        raise NotImplementedError(f"{type(self).__name__} has no _apply_dense(grad, var), which adds the writes")

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """The same for a gradient that has some rows, with different indices."""
        raise NotImplementedError(f"{type(self).__name__} has no _apply_sparse(grad, var) for gradients that are "
                                  "IndexedSlices; write tf.convert_to_tensor(gradient)")  # fmt: skip

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        """The same for indices that may be repeated; rows with one index are added up first."""
        places, numbers = ops.unique(grad.indices)
        rows = ops.unsorted_segment_sum(grad.values, numbers, ops.size(places))
        return self._apply_sparse(IndexedSlices(rows, places, grad.dense_shape), var)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        """Add what comes last; gives the operation that runs everything."""
        return ops.group(*update_ops, name=name_scope)

    # ---- what they call ---------------------------------------------------------------------

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        """The slot of a variable; zeros if it is made now."""
        return self._filled_slot(var, 0, slot_name, op_name)

    def _filled_slot(self, var: Variable, number: Any, slot_name: str, op_name: str) -> Variable:
        """The slot of a variable; one number everywhere if it is made now."""
        slots = self._slots.setdefault(slot_name, {})
        if var.op not in slots:
            slots[var.op] = filled_slot(var, number, op_name)
            note_label(slots[var.op], slot_name)
        return slots[var.op]

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Variable:
        """The slot of a variable; it begins with `val` if it is made now."""
        slots = self._slots.setdefault(slot_name, {})
        if var.op not in slots:
            slots[var.op] = slot(var, lambda: val, op_name, is_static=True)
            note_label(slots[var.op], slot_name)
        return slots[var.op]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Variable) -> Variable:
        """A variable that belongs to all that are trained, made once for each graph."""
        key = name, colocate_with.graph
        if key not in self._non_slots:
            with colocate_with.graph.colocate_with(colocate_with):
                self._non_slots[key] = Variable(initial_value, trainable=False, name=name)
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Variable:
        return self._non_slots[name, outermost(get_default_graph() if graph is None else graph)]

    def _call_if_callable(self, param: Any) -> Any:
        """What a function gives, or the value itself."""
        return param() if callable(param) and not isinstance(param, Variable) else param

    # ---- steps ------------------------------------------------------------------------------

    def _apply(
        self, graph: Graph, pairs: list[tuple[Any, Variable]], step: Variable | None, name: str | None
    ) -> Operation:
        """Build the nodes of `apply_gradients`."""
        with graph.as_default():
            used = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
            self._create_slots([variable for _, variable in used])
            with graph.name_scope(name or self._name) as scope:
                self._prepare()
                updates = []
                for gradient, variable in used:
                    with graph.name_scope(f"update_{variable.op.name}"), graph.colocate_with(variable):
                        updates.append(self._update(gradient, variable))
                if step is None:
                    made = self._finish(updates, scope)
                else:
                    done = self._finish(updates, "update")
                    with graph.control_dependencies([done]), graph.colocate_with(step):
                        made = step.assign_add(ops.cast(1, step.dtype), name=scope).op
            graph.add_to_collection(TRAIN_OP, made)
        return made

    def _update(self, gradient: Any, variable: Variable) -> Any:
        """The writes of one variable, with its constraint."""
        if isinstance(gradient, IndexedSlices):
            update = self._apply_sparse_duplicate_indices(gradient, variable)
        else:
            update = self._apply_dense(gradient, variable)
        if variable.constraint is None:
            return update
        with get_default_graph().control_dependencies([update]):
            return variable.assign(variable.constraint(variable)).op

    def _check_dtypes(self, tensors: Sequence[Any]) -> None:
        for each in tensors:
            if each.dtype not in self._valid_dtypes():
                kinds = ", ".join(sorted(dtype.name for dtype in self._valid_dtypes()))
                what, cure = (
                    ("a variable", "tf.Variable(1) is an int; write tf.Variable(1.0), or leave the variable out of "
                                   "var_list") if isinstance(each, Variable)
                    else ("the loss", "An int has no gradient, and a cast to float of one neither: compute the loss "
                                      "from floats, such as tf.Variable(1.0)")
                )  # fmt: skip
                raise ValueRuleError(
                    f"compute_gradients: Invalid type {each.dtype} for {each.name}, expected: {kinds}. It is {what}, "
                    f"made at {origin_of(each)}; training changes floats by small amounts. {cure}"
                )


def _loss_to_give(loss: Any) -> str:
    """What to write in the place of a loss that is no tensor."""
    if isinstance(loss, (list, tuple)):
        return "give one tensor: tf.add_n(losses), or one of them"
    if callable(loss):
        return "give the tensor that the function returns"
    if isinstance(loss, (np.ndarray, np.generic)):
        return "this is a value, as a run gives it; give the tensor that the run computed"
    return "give a tensor of the graph"


def check_number(owner: str, label: str, value: Any) -> None:
    """Refuse what cannot be an argument of an optimizer: a number, a tensor, or a function that gives one.

    Raises:
        ValueRuleError: it is None.
        DTypeError: it is a text.
    """
    rule = "give a number, a tensor, or a function that gives one"
    if value is None:
        raise ValueRuleError(f"{owner}({label}=None): None values not supported; {rule}")
    if isinstance(value, (str, bytes)):
        raise DTypeError(f"{owner}({label}={value!r}): this is a text; {rule}. Write float(text) for a number that "
                         "comes from a file or the command line")  # fmt: skip


def origin_of(element: Any) -> str:
    """The line that made a tensor or a variable, as errors show it."""
    origin = element.op.origin
    return f"{origin.place}  {origin.code}".rstrip()


def _variables_of(var_list: Any, loss: Tensor) -> list[Variable]:
    """The variables of `var_list`, or all trainable ones."""
    graph = loss.graph
    if var_list is None:
        variables = [*graph.get_collection(TRAINABLE), *graph.get_collection("trainable_resource_variables")]
    else:
        variables = list(_flat(var_list))
    for each in variables:
        if not isinstance(each, Variable):
            raise DTypeError(f"compute_gradients: var_list has {each!r}; give variables, as tf.Variable makes them")
    if not variables:
        raise ValueRuleError(f"compute_gradients: No variables to optimize. {_why_no_variables(var_list, graph)}")
    return variables


def _why_no_variables(given: Any, graph: Graph) -> str:
    if given is not None:
        return (
            f"var_list is {given!r}, which has none. Leave var_list out for all trainable variables; "
            "tf.trainable_variables(scope) gives [] if no name begins with the scope"
        )
    fixed = graph.get_collection(GLOBAL)
    if fixed:
        return (
            f"No variable of the graph is trainable: {', '.join(repr(v.name) for v in fixed[:4])}"
            f"{' ...' if len(fixed) > 4 else ''} {'was' if len(fixed) == 1 else 'were'} made with trainable=False. "
            "Leave that out, or name the variables: minimize(loss, var_list=[v])"
        )
    return (
        "The graph of the loss has no variables: tf.Variable(...) and tf.get_variable(...) make them; placeholders "
        "and constants cannot be changed"
    )


def _flat(given: Any) -> Iterable[Any]:
    if isinstance(given, dict):
        given = given.values()
    elif isinstance(given, PartitionedVariable):
        return given.parts
    elif not isinstance(given, (list, tuple, set)):
        return [given]
    return [each for item in given for each in _flat(item)]


def _checked_pair(pair: Any) -> tuple[Any, Variable]:
    """One of `grads_and_vars`: its gradient a tensor, an `IndexedSlices` or None."""
    if isinstance(pair, (Tensor, TensorSource)):
        raise DTypeError(f"apply_gradients: grads_and_vars has {pair!r} by itself; give pairs (gradient, variable), as "
                         "zip(gradients, variables) makes them")  # fmt: skip
    try:
        gradient, variable = pair
    except (TypeError, ValueError):
        raise DTypeError(f"apply_gradients: grads_and_vars has {pair!r}; give pairs (gradient, variable)") from None
    if not isinstance(variable, Variable):
        what = "; the two are exchanged" if isinstance(gradient, Variable) else ""
        raise DTypeError(f"apply_gradients: the variable of a pair is {variable!r}{what}; give pairs (gradient, "
                         "variable)")  # fmt: skip
    if gradient is None or isinstance(gradient, (Tensor, IndexedSlices)):
        return gradient, variable
    with variable.graph.as_default():
        return ops.convert_to_tensor(gradient, variable.dtype), variable


def _without_gradients(loss: Tensor | None, variables: Sequence[Variable]) -> str:
    """No variable has a gradient: the error, with where the paths are cut."""
    names = [variable.name for variable in variables]
    assert loss is not None
    text = f"minimize: No gradients provided for any variable: no gradient passes from {loss.name} to any of {names}"
    for variable in variables[:MOST_EXPLAINED]:
        report = str(explain_gradient(loss, variable.element)).replace("\n", "\n  ")
        text += f"\n  {report}"
    return text


Number = float | Tensor | Callable[[], Any]
"""An argument of an optimizer: a number, a tensor that each run computes, or a function that gives one of them."""
