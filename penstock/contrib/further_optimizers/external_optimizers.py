"""Optimizers that are no part of the graph: a Python function searches, and runs the graph for values and gradients.

`ScipyOptimizerInterface` calls `scipy.optimize.minimize`. SciPy is imported in this module only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...derivatives import rule_namespace as ops
from ...derivatives.backward import gradients
from ...errors import DTypeError, UnimplementedError, ValueRuleError
from ...graph.common.lazy_import import load
from ...graph.common.tracebacks import hides_frames, hides_frames_of_init
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...logging import info
from ...runtime.session.default_session import get_default_session
from ...variables.variable import Variable

_Function = Callable[[Any], Any]


@hides_frames_of_init
class ExternalOptimizerInterface:
    """The base class of optimizers outside of the graph. A class that inherits overrides `_minimize`.

    Args:
        loss: the scalar to make smaller.
        var_list: the variables, of known shapes; None means all trainable ones.
        equalities: scalars to hold at zero.
        inequalities: scalars not to let fall below zero.
        var_to_bounds: variable -> (lower, upper), each a number or an array of the shape of the variable.
        optimizer_kwargs: what `_minimize` gets as `optimizer_kwargs`.

    Raises:
        TypeError: `loss` is no tensor.
        ValueError: there are no variables, or the shape of one is not known.

    >>> import penstock as tf
    >>> class OneStep(tf.contrib.opt.ExternalOptimizerInterface):
    ...     def _minimize(self, initial_val, loss_grad_func, **rest):
    ...         return initial_val - 0.5 * loss_grad_func(initial_val)[1]
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     w = tf.Variable([3.0, 4.0])
    ...     search = OneStep(tf.reduce_sum(tf.square(w)))
    ...     session.run(tf.global_variables_initializer())
    ...     search.minimize(session)
    ...     print(session.run(w))
    [0. 0.]

    Source: TensorFlow 1.15, `tf.contrib.opt.ExternalOptimizerInterface`.
    """

    def __init__(
        self,
        loss: Any,
        var_list: Sequence[Variable] | None = None,
        equalities: Sequence[Tensor] | None = None,
        inequalities: Sequence[Tensor] | None = None,
        var_to_bounds: Mapping[Variable, tuple[Any, Any]] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        if not isinstance(loss, Tensor):
            raise DTypeError(f"{type(self).__name__}: loss is {loss!r:.80}; give a scalar tensor")
        graph = get_default_graph()
        self._vars: list[Variable] = list(graph.get_collection("trainable_variables") if var_list is None else var_list)
        if not self._vars:
            raise ValueRuleError(f"{type(self).__name__}: there are no variables to change")
        for each in self._vars:
            if not each.shape.is_fully_defined():
                raise ValueRuleError(f"{type(self).__name__}: the shape of {each.name} is {each.shape}; it must be "
                                     "known, as the search packs all variables into one vector")  # fmt: skip
        self._loss = loss
        self._equalities, self._inequalities = list(equalities or ()), list(inequalities or ())
        self._update_placeholders = [ops.placeholder(each.dtype, each.shape) for each in self._vars]
        self._var_updates = [
            each.assign(value).op for each, value in zip(self._vars, self._update_placeholders, strict=True)
        ]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = _packed([each.as_operand() for each in self._vars])
        self._packed_loss_grad = self._gradient_of(loss)
        self._packed_equality_grads = [self._gradient_of(each) for each in self._equalities]
        self._packed_inequality_grads = [self._gradient_of(each) for each in self._inequalities]
        self._sizes = [[int(size or 0) for size in each.shape.as_list()] for each in self._vars]
        ends = np.cumsum([math.prod(each) for each in self._sizes]).tolist()
        self._packed_bounds = self._bounds(var_to_bounds)
        self._packing_slices = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    @hides_frames
    def minimize(
        self,
        session: Any = None,
        feed_dict: Mapping[Any, Any] | None = None,
        fetches: Sequence[Any] | None = None,
        step_callback: Callable[[Any], Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Search now, by runs of a session, and write what was found into the variables.

        Args:
            session: the session; None means the default one.
            feed_dict: what each run is fed beside the variables.
            fetches: tensors whose values `loss_callback` gets.
            step_callback: called after each step with all variables as one vector.
            loss_callback: called after each computation of the loss with the values of `fetches`.
            run_kwargs: further arguments of `session.run`.

        Raises:
            ValueError: there is no session.
        """
        used = session if session is not None else get_default_session()
        if used is None:
            raise ValueRuleError("minimize: there is no default session; give one, or call it in `with tf.Session()`")
        feeds, more = dict(feed_dict or {}), list(fetches or ())

        def function(tensors: list[Any], callback: Callable[..., Any] | None = None) -> _Function:
            def evaluate(x: Any) -> Any:
                own = dict(zip(self._vars, self._unpacked(x), strict=True))
                values = used.run([*tensors, *more], feed_dict={**own, **feeds}, **run_kwargs)
                if callback is not None:
                    callback(*values[len(tensors) :])
                return values[: len(tensors)] if len(tensors) > 1 else values[0]

            return evaluate

        best = self._minimize(
            initial_val=used.run(self._packed_var, **run_kwargs),
            loss_grad_func=function([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=[function([each]) for each in self._equalities],
            equality_grad_funcs=[function([each]) for each in self._packed_equality_grads],
            inequality_funcs=[function([each]) for each in self._inequalities],
            inequality_grad_funcs=[function([each]) for each in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda x: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        written = dict(zip(self._update_placeholders, self._unpacked(best), strict=True))
        used.run(self._var_updates, feed_dict=written, **run_kwargs)

    def _unpacked(self, x: Any) -> list[Any]:
        """The values of the variables in a vector of all."""
        return [
            np.asarray(x[part]).reshape(sizes).astype(each.dtype.np)
            for each, sizes, part in zip(self._vars, self._sizes, self._packing_slices, strict=True)
        ]

    def _minimize(self, **arguments: Any) -> Any:
        """Search for the least loss; gives all variables as one vector.

        Classes override it with the parameters initial_val, loss_grad_func, equality_funcs, equality_grad_funcs,
        inequality_funcs, inequality_grad_funcs, packed_bounds, step_callback and optimizer_kwargs.
        """
        raise NotImplementedError("To use ExternalOptimizerInterface, subclass from it and implement the _minimize() "
                                  "method.")  # fmt: skip

    def _gradient_of(self, scalar: Tensor) -> Tensor:
        found = gradients(scalar, self._vars)
        return _packed([
            ops.zeros_like(variable.as_operand()) if each is None else ops.convert_to_tensor(each)
            for variable, each in zip(self._vars, found, strict=True)
        ])  # fmt: skip

    def _bounds(self, var_to_bounds: Mapping[Variable, tuple[Any, Any]] | None) -> list[tuple[float, float]] | None:
        if var_to_bounds is None:
            return None
        by_name = {variable.op: pair for variable, pair in var_to_bounds.items()}
        bounds: list[tuple[float, float]] = []
        for variable, sizes in zip(self._vars, self._sizes, strict=True):
            lower, upper = (
                np.broadcast_to(np.asarray(each, float), sizes).ravel().tolist()
                for each in by_name.get(variable.op, (-np.inf, np.inf))
            )
            bounds += zip(lower, upper, strict=True)
        return bounds


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Searches with `scipy.optimize.minimize`, by default with L-BFGS-B.

    Args:
        loss: the scalar to make smaller.
        var_list: the variables, of known shapes; None means all trainable ones.
        equalities: scalars to hold at zero; they need a method that can, such as `method="SLSQP"`.
        inequalities: scalars not to let fall below zero; the same.
        var_to_bounds: variable -> (lower, upper), each a number or an array of the shape of the variable.
        optimizer_kwargs: further arguments of `scipy.optimize.minimize`, such as `method` and `options`.

    Raises:
        TypeError: `loss` is no tensor.
        ValueError: there are no variables, or the shape of one is not known.
        UnimplementedError (of `minimize`): SciPy is not installed.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable([7.0, 7.0])
    ...     search = tf.contrib.opt.ScipyOptimizerInterface(tf.reduce_sum(tf.square(w)), options={"maxiter": 100})
    ...     print(search.optimizer_kwargs)
    {'options': {'maxiter': 100}}

    Source: TensorFlow 1.15, `tf.contrib.opt.ScipyOptimizerInterface`.
    """

    _DEFAULT_METHOD: ClassVar[str] = "L-BFGS-B"

    def _minimize(self, **arguments: Any) -> Any:
        options = dict(arguments["optimizer_kwargs"])
        method = options.pop("method", self._DEFAULT_METHOD)
        loss = arguments["loss_grad_func"]

        def as_doubles(x: Any) -> tuple[Any, Any]:
            value, gradient = loss(x)
            return float(value), gradient.astype(np.float64)

        constraints = [
            {"type": kind, "fun": _doubles(function), "jac": _doubles(gradient)}
            for kind, label in (("eq", "equality"), ("ineq", "inequality"))
            for function, gradient in zip(arguments[f"{label}_funcs"], arguments[f"{label}_grad_funcs"], strict=True)
        ]
        given: dict[str, Any] = {"jac": True, "method": method, "callback": arguments["step_callback"]}
        if constraints:
            given["constraints"] = constraints
        if arguments["packed_bounds"] is not None:
            given["bounds"] = arguments["packed_bounds"]
        if method == "SLSQP":
            del given["callback"]  # as in TensorFlow
        start = np.asarray(arguments["initial_val"], np.float64)
        result = _scipy().minimize(as_doubles, start, **{**given, **options})
        info("Optimization terminated with: %s Objective function value: %f, iterations: %d, evaluations: %d",
             result.message, result.fun, result.nit, result.nfev)  # fmt: skip
        return result["x"]


def _scipy() -> Any:
    try:
        load("scipy.optimize")
        import scipy.optimize as optimize
    except ModuleNotFoundError:
        raise UnimplementedError(
            message="ScipyOptimizerInterface searches with the package scipy; run `pip install scipy`"
        ) from None
    return optimize


def _doubles(function: _Function) -> _Function:
    """A function whose results are float64, which SciPy's Fortran and C routines want."""
    return lambda x: np.asarray(function(x), np.float64)


def _packed(tensors: list[Tensor]) -> Tensor:
    """One vector of all elements."""
    flat = [ops.reshape(each, [-1]) for each in tensors]
    return flat[0] if len(flat) == 1 else ops.concat(0, flat)
