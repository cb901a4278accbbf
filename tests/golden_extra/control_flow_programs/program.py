"""What a program of these tests is, and how it is evaluated: results, structures, static shapes, classes of errors.

A program is a function of a namespace. It gives a list of fetches, which may be nested and may hold None, IndexedSlices
and operations; or a tuple of this list and the feeds of each run. The runs are those of one session, in which the
variables of the graph have been initialised first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Json = dict[str, Any]
Build = Callable[..., Any]

KINDS = (
    "InvalidArgumentError", "FailedPreconditionError", "OutOfRangeError", "NotFoundError", "AlreadyExistsError",
    "UnimplementedError", "ResourceExhaustedError", "InternalError", "TypeError", "ValueError", "LookupError",
    "AttributeError", "AssertionError", "RuntimeError",
)  # fmt: skip
"""The classes of errors that are told apart."""


@dataclass(frozen=True)
class Program:
    """A function of a namespace with the values of its other parameters."""

    name: str
    build: Build
    given: Json


PROGRAMS: dict[str, Program] = {}


def program(function: Build) -> Build:
    """List a program under the name of its function."""
    return _listed(function, {})


def programs(**choices: list[Any]) -> Callable[[Build], Build]:
    """List one program for each combination of the values of the function's other parameters."""
    return lambda function: _listed(function, choices)


def _listed(function: Build, choices: dict[str, list[Any]]) -> Build:
    for values in itertools.product(*choices.values()):
        given = dict(zip(choices, values, strict=True))
        said = ",".join(f"{key}={value}" for key, value in given.items())
        name = f"{function.__name__}[{said}]" if said else function.__name__
        assert name not in PROGRAMS, name
        PROGRAMS[name] = Program(name, function, given)
    return function


def evaluate(tf: Any, of: Program, session_of: Callable[[Any], Any]) -> Json:
    """What the program does: the class of the error of its build, or what it gives in each of its runs."""
    with tf.Graph().as_default() as graph:
        try:
            made = of.build(tf, **of.given)
            fetches, runs = (made[0], list(made[1:])) if isinstance(made, tuple) else (made, [])
            flat: list[Any] = []
            structure = _flattened(fetches, flat)
        except Exception as error:
            return {"error": kind_of(error)}
        found: Json = {"structure": structure, "static": [_static(each) for each in flat], "runs": []}
        with session_of(graph) as session:
            if tf.global_variables():
                session.run(tf.global_variables_initializer())
            for feeds in runs or [{}]:
                try:
                    values = session.run(flat, feeds)
                except Exception as error:
                    found["runs"].append({"error": kind_of(error)})
                else:
                    found["runs"].append({"values": [None if v is None else np.asarray(v) for v in values]})
    return found


def kind_of(error: Exception) -> str:
    """The first class of KINDS that an error is."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return next((kind for kind in KINDS if kind in names), type(error).__name__)


def _flattened(fetches: Any, flat: list[Any]) -> str:
    """The structure of fetches as text; their tensors and operations are added to `flat`."""
    if fetches is None:
        return "None"
    if isinstance(fetches, dict):
        return "{" + ", ".join(f"{key}: {_flattened(fetches[key], flat)}" for key in sorted(fetches)) + "}"
    if isinstance(fetches, tuple) and hasattr(fetches, "_fields"):
        items = zip(fetches._fields, fetches, strict=True)
        return type(fetches).__name__ + "(" + ", ".join(f"{k}={_flattened(v, flat)}" for k, v in items) + ")"
    if isinstance(fetches, (list, tuple)):
        inner = ", ".join(_flattened(each, flat) for each in fetches)
        return f"[{inner}]" if isinstance(fetches, list) else f"({inner})"
    if type(fetches).__name__.startswith("IndexedSlices"):
        return "slices(" + ", ".join(_flattened(v, flat) for v in (fetches.values, fetches.indices)) + ")"
    flat.append(fetches)
    return "op" if hasattr(fetches, "node_def") and not hasattr(fetches, "dtype") else _dtype_name(fetches)


def _dtype_name(tensor: Any) -> str:
    if not hasattr(tensor, "dtype"):
        return "op"
    return str(tensor.dtype.base_dtype.name)


def _static(fetch: Any) -> Any:
    """The sizes that are known of a tensor; "rank" where not even their number is, None of an operation."""
    if not hasattr(fetch, "dtype"):
        return None
    shape = fetch.shape
    if shape.ndims is None:
        return "rank"
    return [None if size is None else int(size) for size in shape.as_list()]


# ---- what programs use ----------------------------------------------------------------------------


def grid(*shape: int, dtype: str = "float32", shift: float = 0.0) -> Any:
    """An array of different numbers of both signs, with quarters, which all dtypes hold exactly."""
    size = int(np.prod(shape))
    numbers = (np.arange(size) * 5 % 13 - 6) / 4 + shift
    return (numbers * 4 if np.dtype(dtype).kind in "iu" else numbers).reshape(shape).astype(dtype)


def ph(tf: Any, dtype: str = "float32", shape: Any = None, name: str | None = None) -> Any:
    """A placeholder; of unknown rank where no shape is given."""
    return tf.placeholder(dtype, shape, name=name)
