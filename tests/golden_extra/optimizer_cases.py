"""Programs that train, for `optimizers.json`: the recorder runs them with TensorFlow, the tests with Penstock.

Three variables are trained at once: a matrix, a scalar, and a table of which each step gathers four rows, one of them
twice, so that its gradient is sparse and has a repeated index. Feeds and starting values are small multiples of 1/4,
which every dtype holds exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Json = dict[str, Any]
Array = np.ndarray[Any, np.dtype[Any]]

STEPS = 100
SHOWN = (1, 2, 3, 10, 50, 100)
"""The steps after which the variables are recorded; the optimizer's own after the first, tenth and last."""
SHOWN_SLOTS = (1, 10, 100)
ROWS = 5


@dataclass(frozen=True, slots=True)
class Rate:
    """A learning rate that changes: a function of `tf.train` and its arguments beside the global step."""

    function: str
    arguments: Json


@dataclass(frozen=True, slots=True)
class Call:
    """One optimizer: `tf.train.<optimizer>Optimizer(**arguments)`.

    Attributes:
        as_tensors: numbers are given as constants of the variables' dtype, which two of TensorFlow's need for float64.
        as_functions: numbers are given as functions that return them.
    """

    optimizer: str
    arguments: Json = field(default_factory=dict)
    dtypes: tuple[str, ...] = ("float32", "float64")
    as_tensors: bool = False
    as_functions: bool = False


ALL = ("float32", "float64", "float16")
EXPONENTIAL = Rate("exponential_decay", {"learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.8})
STAIRS = Rate("exponential_decay", {"learning_rate": 0.1, "decay_steps": 7, "decay_rate": 0.5, "staircase": True})
PIECES = Rate("piecewise_constant", {"boundaries": [10, 40], "values": [0.1, 0.05, 0.01]})
POLYNOMIAL = Rate("polynomial_decay", {"learning_rate": 0.2, "decay_steps": 30, "end_learning_rate": 0.01, "power": 2.0,
                                       "cycle": True})  # fmt: skip
INVERSE = Rate("inverse_time_decay", {"learning_rate": 0.2, "decay_steps": 20, "decay_rate": 0.5})
COSINE = Rate("cosine_decay", {"learning_rate": 0.1, "decay_steps": 80, "alpha": 0.1})

CALLS = (
    Call("GradientDescent", {"learning_rate": 0.125}, ALL),
    Call("GradientDescent", {"learning_rate": EXPONENTIAL}),
    Call("GradientDescent", {"learning_rate": PIECES, "use_locking": True, "name": "sgd"}),
    Call("GradientDescent", {"learning_rate": POLYNOMIAL}),
    Call("Momentum", {"learning_rate": 0.05, "momentum": 0.9}, ALL),
    Call("Momentum", {"learning_rate": 0.05, "momentum": 0.9, "use_nesterov": True}),
    Call("Momentum", {"learning_rate": STAIRS, "momentum": 0.5, "use_nesterov": True}),
    Call("Momentum", {"learning_rate": 0.05, "momentum": 0.75}, as_functions=True),
    Call("Adagrad", {"learning_rate": 0.5}, ALL),
    Call("Adagrad", {"learning_rate": COSINE, "initial_accumulator_value": 0.5}, ("float32",)),
    Call("Adagrad", {"learning_rate": INVERSE, "initial_accumulator_value": 0.5}),
    Call("Adadelta", {}),
    Call("Adadelta", {"learning_rate": 1.0, "rho": 0.75, "epsilon": 1e-3}, ALL),
    Call("Adam", {}),
    Call("Adam", {"learning_rate": 0.1, "beta1": 0.5, "beta2": 0.75, "epsilon": 0.125}, ALL),
    Call("Adam", {"learning_rate": EXPONENTIAL, "epsilon": 1e-4, "name": "second"}),
    Call("Adam", {"learning_rate": 0.01, "beta1": 0.8, "beta2": 0.99, "epsilon": 1e-6}, as_functions=True),
    Call("RMSProp", {"learning_rate": 0.01}),
    Call("RMSProp", {"learning_rate": 0.05, "decay": 0.8, "momentum": 0.5, "epsilon": 0.01}, ALL),
    Call("RMSProp", {"learning_rate": 0.01, "centered": True, "epsilon": 1e-3}),
    Call("RMSProp", {"learning_rate": COSINE, "decay": 0.75, "momentum": 0.25, "epsilon": 0.1, "centered": True},
         ("float32", "float16")),
    Call("RMSProp", {"learning_rate": INVERSE, "decay": 0.75, "momentum": 0.25, "epsilon": 0.1, "centered": True}),
    Call("Ftrl", {"learning_rate": 0.5}),
    Call("Ftrl", {"learning_rate": 0.25, "initial_accumulator_value": 0.5, "l1_regularization_strength": 0.25,
                  "l2_regularization_strength": 0.125}, ALL),
    Call("Ftrl", {"learning_rate": 0.25, "learning_rate_power": -0.75, "l1_regularization_strength": 0.05}),
    Call("Ftrl", {"learning_rate": 0.25, "l1_regularization_strength": 0.1, "l2_regularization_strength": 0.1,
                  "l2_shrinkage_regularization_strength": 0.25, "accum_name": "sums", "linear_name": "lines"}),
    Call("Ftrl", {"learning_rate": 0.25, "learning_rate_power": -0.25, "l2_shrinkage_regularization_strength": 0.1,
                  "beta": 0.5}),
    Call("Ftrl", {"learning_rate": 0.25, "learning_rate_power": 0.0}),
    Call("AdagradDA", {"learning_rate": 0.5}),
    Call("AdagradDA", {"learning_rate": 0.5, "initial_gradient_squared_accumulator_value": 0.5,
                       "l1_regularization_strength": 0.01, "l2_regularization_strength": 0.05}),
    Call("ProximalGradientDescent", {"learning_rate": 0.125, "l1_regularization_strength": 0.0,
                                     "l2_regularization_strength": 0.0}, as_tensors=True),
    Call("ProximalGradientDescent", {"learning_rate": 0.125, "l1_regularization_strength": 0.25,
                                     "l2_regularization_strength": 0.125}, as_tensors=True),
    Call("ProximalGradientDescent", {"learning_rate": 0.125, "l1_regularization_strength": 0.1}, ("float32",)),
    Call("ProximalAdagrad", {"learning_rate": 0.5, "l1_regularization_strength": 0.0,
                             "l2_regularization_strength": 0.0}, as_tensors=True),
    Call("ProximalAdagrad", {"learning_rate": 0.5, "initial_accumulator_value": 0.25,
                             "l1_regularization_strength": 0.25, "l2_regularization_strength": 0.125}, as_tensors=True),
    Call("ProximalAdagrad", {"learning_rate": 0.5, "l2_regularization_strength": 0.25}, ("float32",)),
)  # fmt: skip

STEPS_OF_RATES = (0, 1, 2, 5, 7, 9, 10, 11, 19, 20, 21, 35, 40, 41, 99, 100, 250)
RATES = (
    EXPONENTIAL, STAIRS, PIECES, POLYNOMIAL, COSINE,
    Rate("piecewise_constant", {"boundaries": [10], "values": [1, 2]}),
    Rate("piecewise_constant", {"boundaries": [5, 10, 20], "values": [1.0, 0.5, 0.25, 0.125]}),
    Rate("polynomial_decay", {"learning_rate": 0.1, "decay_steps": 40}),
    Rate("polynomial_decay", {"learning_rate": 0.1, "decay_steps": 40, "end_learning_rate": 0.02, "power": 0.5}),
    Rate("natural_exp_decay", {"learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.3}),
    Rate("natural_exp_decay", {"learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.3, "staircase": True}),
    Rate("inverse_time_decay", {"learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5}),
    Rate("inverse_time_decay", {"learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5, "staircase": True}),
    Rate("cosine_decay", {"learning_rate": 0.1, "decay_steps": 40}),
    Rate("cosine_decay_restarts", {"learning_rate": 0.1, "first_decay_steps": 10}),
    Rate("cosine_decay_restarts", {"learning_rate": 0.1, "first_decay_steps": 10, "t_mul": 1.0, "m_mul": 0.5,
                                   "alpha": 0.1}),
    Rate("cosine_decay_restarts", {"learning_rate": 0.1, "first_decay_steps": 8, "t_mul": 1.5, "m_mul": 0.75}),
    Rate("linear_cosine_decay", {"learning_rate": 0.1, "decay_steps": 40}),
    Rate("linear_cosine_decay", {"learning_rate": 0.1, "decay_steps": 40, "num_periods": 1.5, "alpha": 0.1,
                                 "beta": 0.01}),
)  # fmt: skip

AVERAGES: tuple[Json, ...] = (
    {"decay": 0.9},
    {"decay": 0.999, "num_updates": True},
    {"decay": 0.75, "zero_debias": True, "name": "shadow"},
)
"""Arguments of `ExponentialMovingAverage`; `num_updates` is the step."""


def quarters(count: int, factor: int, start: int) -> Array:
    """Small multiples of 1/4 that look arbitrary."""
    return ((np.arange(count) * factor + start) % 11 - 5) / 4


def feeds(step: int) -> dict[str, Array]:
    """What is fed in one step, by the name of the placeholder."""
    return {
        "matrix": quarters(6, 7, 13 * step).reshape(2, 3),
        "scalar": quarters(1, 1, 5 * step)[0],
        "rows": np.array([step, 3 * step + 1, step, 2 * step + 3]) % ROWS,
        "table": quarters(8, 5, 7 * step).reshape(4, 2),
    }


def rate_of(tf: Any, rate: Rate, step: Any, dtype: str) -> Any:
    """The tensor of a learning rate that begins in float64 if the variables are that, where TensorFlow can do so."""
    first = "x" if rate.function == "piecewise_constant" else "global_step"
    arguments = dict(rate.arguments)
    if dtype == "float64" and rate.function in ("exponential_decay", "inverse_time_decay"):
        arguments["learning_rate"] = tf.constant(arguments["learning_rate"], dtype)
    return getattr(tf.train, rate.function)(**{first: step}, **arguments)


def optimizer_of(tf: Any, call: Call, dtype: str, step: Any) -> Any:
    """The optimizer of a call."""

    def given(value: Any) -> Any:
        if isinstance(value, Rate):
            return rate_of(tf, value, step, dtype)
        if not isinstance(value, float):
            return value
        if call.as_functions:
            return lambda: value
        return tf.constant(value, dtype) if call.as_tensors else value

    # TensorFlow compares this one with 0 while building.
    kept = {"initial_accumulator_value": call.arguments.get("initial_accumulator_value")}
    arguments = {label: value if label in kept else given(value) for label, value in call.arguments.items()}
    if call.optimizer == "AdagradDA":
        arguments["global_step"] = step
    return getattr(tf.train, f"{call.optimizer}Optimizer")(**arguments)


def train(tf: Any, call: Call, dtype: str, session_of: Callable[[Any], Any], steps: int = STEPS) -> Json:
    """Train for 100 steps, or fewer; the names that were made, and the values at some of the steps."""
    with tf.Graph().as_default() as graph:
        step = tf.train.get_or_create_global_step()
        matrix = tf.Variable(quarters(6, 5, 2).reshape(2, 3).astype(dtype), name="matrix")
        scalar = tf.Variable(np.asarray(0.75, dtype), name="scalar")
        with tf.name_scope("embedding"):
            table = tf.Variable(quarters(2 * ROWS, 3, 1).reshape(ROWS, 2).astype(dtype), name="table")
        places = {
            "matrix": tf.placeholder(dtype, [2, 3]),
            "scalar": tf.placeholder(dtype, []),
            "rows": tf.placeholder("int32", [4]),
            "table": tf.placeholder(dtype, [4, 2]),
        }
        bend = tf.constant(np.array([[0.5, 1.0, 1.5], [1.0, 0.25, 0.5]]).astype(dtype))
        loss = (
            tf.reduce_sum(bend * tf.square(matrix - places["matrix"]))
            + tf.square(scalar - places["scalar"])
            + tf.reduce_sum(tf.square(tf.gather(table, places["rows"]) - places["table"]))
        )
        optimizer = optimizer_of(tf, call, dtype, step)
        update = optimizer.minimize(loss, global_step=step)
        trained = [matrix, scalar, table]
        own = optimizer.variables()
        result: Json = {
            "update": update.name,
            "slots": optimizer.get_slot_names(),
            "variables": [v.name for v in graph.get_collection("variables")],
            "own": [v.name for v in own],
            "at": {},
            "own_at": {},
        }
        start = tf.group(*[v.initializer for v in graph.get_collection("variables")])
    with session_of(graph) as session:
        session.run(start)
        for number in range(1, steps + 1):
            session.run(update, {places[label]: value for label, value in feeds(number).items()})
            if number in SHOWN:
                result["at"][str(number)] = [np.asarray(value) for value in session.run(trained)]
            if number in SHOWN_SLOTS:
                result["own_at"][str(number)] = [np.asarray(value) for value in session.run(own)] if own else []
        result["global_step"] = int(session.run(step))
    return result


def learning_rates(tf: Any, rate: Rate, dtype: str, session_of: Callable[[Any], Any]) -> Json:
    """A learning rate at some steps, as a number; `dtype` is that of the rate that decays."""
    with tf.Graph().as_default() as graph:
        step = tf.placeholder("int64", [], name="step")
        arguments = dict(rate.arguments)
        if "learning_rate" in arguments:
            arguments["learning_rate"] = tf.constant(arguments["learning_rate"], dtype)
        tensor = rate_of(tf, Rate(rate.function, arguments), step, "")
    with session_of(graph) as session:
        values = [np.asarray(session.run(tensor, {step: number})) for number in STEPS_OF_RATES]
    return {"dtype": values[0].dtype.name, "values": values}


def averages(tf: Any, arguments: Json, dtype: str, session_of: Callable[[Any], Any]) -> Json:
    """Moving averages of a variable and of a tensor."""
    with tf.Graph().as_default() as graph:
        step = tf.train.get_or_create_global_step()
        matrix = tf.Variable(quarters(6, 5, 2).reshape(2, 3).astype(dtype), name="matrix")
        place = tf.placeholder(dtype, [2, 3], name="place")
        doubled = tf.multiply(place, 2, name="doubled")
        given = dict(arguments)
        if given.get("num_updates"):
            given["num_updates"] = step
        ema = tf.train.ExponentialMovingAverage(**given)
        with tf.control_dependencies([tf.assign(matrix, matrix * 0.5 + place), tf.assign_add(step, 1)]):
            update = ema.apply([matrix, doubled])
        shown = [ema.average(matrix), ema.average(doubled)]
        result: Json = {
            "update": update.name,
            "variables": [v.name for v in graph.get_collection("variables")],
            "averaged": [v.name for v in graph.get_collection("moving_average_variables")],
            "average_name": ema.average_name(matrix),
            "restored": {name: v.name for name, v in sorted(ema.variables_to_restore().items())},
            "at": {},
        }
        start = tf.group(*[v.initializer for v in graph.get_collection("variables")])
    with session_of(graph) as session:
        session.run(start)
        for number in range(1, STEPS + 1):
            session.run(update, {place: feeds(number)["matrix"]})
            if number in SHOWN:
                result["at"][str(number)] = [np.asarray(value) for value in session.run(shown)]
    return result
