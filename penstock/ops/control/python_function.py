"""py_func and numpy_function: a Python function of arrays as a node.

The function runs on the thread that called `Session.run`, in its context. It gets copies of its operands, which it may
keep and change; scalars arrive as NumPy scalars and strings as bytes. Its shapes are not known before the run;
`set_shape` states them, and the run checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ... import errors
from ...graph.common.function_attribute import PythonFunction
from ...graph.declare.effects import WORLD_CHANGING, Effects
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Attr, DTypeLike, Operand, TensorLike
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import DType, as_plain_dtype
from ...graph.shapes.literal import Array, literal
from ...graph.shapes.shape import TensorShape, unknown_rank
from ..declare.composite import reported_as_call

PUBLIC_NAMES = {"start": "numpy_function py_func"}


def _as_function(value: Any) -> PythonFunction:
    if isinstance(value, PythonFunction):
        return value
    if not callable(value):
        raise errors.DTypeError(f"must be a function, not {value!r:.60}")
    return PythonFunction(value)


def _as_dtypes(value: Any) -> tuple[DType, ...]:
    if not isinstance(value, (list, tuple)):
        raise errors.DTypeError(f"must be a list of dtypes, not {value!r:.60}")
    return tuple([as_plain_dtype(each) for each in value])


_Inputs: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)]
_Function: TypeAlias = Annotated[Callable[..., Any], Attr(_as_function)]
_DTypes: TypeAlias = Annotated[Sequence[DTypeLike], Attr(_as_dtypes)]


def _dtypes_of(input: Any, token: PythonFunction, Tout: tuple[DType, ...]) -> tuple[DType, ...]:
    return Tout


@op("PyFunc", out=_dtypes_of, effects=WORLD_CHANGING, host_only=True, user_code=True)
def py_func_stateful(input: _Inputs, token: _Function, Tout: _DTypes, name: str | None = None) -> Operation:
    """The results of a function that may read and change anything: it runs once in each run that needs it."""


# It may be merged with the same call, but not called while building or planning: it may take any time.
@op("PyFuncStateless", out=_dtypes_of, effects=Effects(evaluable=False, foldable=False), host_only=True,
    user_code=True)  # fmt: skip
def py_func_stateless(input: _Inputs, token: _Function, Tout: _DTypes, name: str | None = None) -> Operation:
    """The results of a function whose results follow from its operands."""


@py_func_stateful.shape
@py_func_stateless.shape
def py_func_stateful_shape(
    input: Sequence[Tensor], token: PythonFunction, Tout: tuple[DType, ...]
) -> list[TensorShape]:
    reason = f"the Python function {token!r} gives it; set_shape of the result states it"
    return [unknown_rank(reason) for _ in Tout]


@py_func_stateful.kernel
@py_func_stateless.kernel
def py_func_stateful_kernel(xp: Any, input: Sequence[Array], token: PythonFunction, Tout: tuple[DType, ...]) -> Any:
    arguments = [each[()] if each.ndim == 0 else each.copy() for each in input]
    try:
        found = token.function(*arguments)
    except Exception as error:
        raise error_of_function(error) from error
    results = list(found) if isinstance(found, (list, tuple)) else [] if found is None else [found]
    if len(results) != len(Tout):
        raise errors.InvalidArgumentError(
            message=f"{token!r} returns {len(results)} values, but expects to see {len(Tout)} values: one for each "
            "dtype of Tout. A list or tuple is several values; return np.array([...]) for one"
        )
    checked = [_checked(value, dtype, i, token) for i, (value, dtype) in enumerate(zip(results, Tout, strict=True))]
    return checked[0] if len(checked) == 1 else checked


def _checked(value: Any, dtype: DType, place: int, function: PythonFunction) -> Array:
    """A result as an array of its dtype. A Python number becomes that dtype; an array must have it."""
    try:
        if isinstance(value, (np.ndarray, np.generic)) and not dtype.is_string:
            array = np.asarray(value)
            if array.dtype.newbyteorder("=") != dtype.np:
                raise errors.InvalidArgumentError(
                    message=f"{place}-th value returned by {function!r} is {array.dtype}, but expects {dtype.name}: "
                    f"return value.astype(np.{dtype.name}), or change Tout"
                )
            return np.ascontiguousarray(array, dtype.np).reshape(array.shape)
        return literal(value, dtype).copy()
    except errors.BuildError as error:
        raise errors.InvalidArgumentError(
            message=f"{place}-th value returned by {function!r} is no {dtype.name}: {error.message}"
        ) from None


_CLASSES: tuple[tuple[tuple[type[Exception], ...], type[errors.OpError]], ...] = (
    ((TypeError, ValueError), errors.InvalidArgumentError),
    ((StopIteration,), errors.OutOfRangeError),
    ((MemoryError,), errors.ResourceExhaustedError),
    ((NotImplementedError,), errors.UnimplementedError),
)
"""TensorFlow's class of error for an exception of the function; UnknownError for all others."""


def error_of_function(error: Exception) -> errors.OpError:
    """The error of the run for an exception of the function, which becomes its cause."""
    if isinstance(error, errors.OpError):  # such as OutOfRangeError, with which programs end a loop
        plain = next(each for each in type(error).__mro__ if "__init__" not in vars(each))
        return plain(message=error.message)  # a class below OpError
    kind = next((found for classes, found in _CLASSES if isinstance(error, classes)), errors.UnknownError)
    words = str(error)
    return kind(message=f"{type(error).__name__}: {words}" if words else type(error).__name__)


_WORDS = "Penstock does not differentiate a Python function"
_CURE = "Write its derivative with tf.custom_gradient, or compute it with ops."
py_func_stateful.no_gradient(_WORDS, _CURE)
py_func_stateless.no_gradient(_WORDS, _CURE)


def _both_sums(*arrays: Any) -> Any:
    return [np.asarray(sum(each.sum() for each in arrays), np.float64), np.int32(len(arrays))]


@py_func_stateful.samples
@py_func_stateless.samples
def py_func_stateful_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.random((2, 3)), np.arange(4)], _both_sums, ["float64", "int32"])
    yield sample([np.zeros((0, 2))], _both_sums, ["float64", "int32"])


# ---- the public functions -----------------------------------------------------------------------


@reported_as_call("PyFunc", input="inp", token="func")
def py_func(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """The results of the Python function `func` on the values of `inp`, computed in each run that needs them.

    Args:
        func: takes an array for each of `inp`, which it may keep and change, and returns what `Tout` says: arrays, or
            Python numbers and strings. A scalar arrives as a NumPy scalar, one of dtype string as bytes.
        inp: a list of tensors.
        Tout: a dtype, or a list of dtypes: [] where it returns None.
        stateful: True (the default): it may read and change anything, and runs once in each run that needs it, in the
            order in which such calls were made. False: its results follow from its operands, so that two equal calls
            may be one.

    Returns:
        A tensor of dtype `Tout`, or a list of tensors if that is a list; for [] the operation. Their shapes are not
        known; `set_shape` states them.

    Raises:
        TypeError: `func` is not callable, `inp` is not a list, or `Tout` is no dtype.
        OpError (when run): `func` raised an exception, which is the error's `__cause__`: InvalidArgumentError for a
            TypeError or ValueError, OutOfRangeError for StopIteration, UnknownError for most others.
        InvalidArgumentError (when run): it returned another number of results, or another dtype.

    >>> import numpy as np
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([3.0, 1.0, 2.0])
    ...     middle = tf.py_func(lambda array: np.median(array), [x], tf.float32)
    ...     middle.set_shape([])
    ...     print(session.run(middle + 1.0))
    3.0

    Source: TensorFlow 1.x, `tf.py_func`.
    """
    return _call(func, inp, Tout, stateful, name)


def _call(func: Any, inp: Any, Tout: Any, stateful: bool, name: str | None) -> Any:
    if not isinstance(stateful, bool):
        raise errors.DTypeError(f"stateful must be True or False, not {stateful!r:.60}")
    is_list = isinstance(Tout, (list, tuple))
    dtypes: Any = Tout if is_list else [Tout]
    label = "PyFunc" if name is None else name
    made = (py_func_stateful if stateful else py_func_stateless)(inp, func, dtypes, name=label)
    if not made.outputs:
        return made
    return list(made.outputs) if is_list else made.outputs[0]


@reported_as_call("PyFunc", input="inp", token="func")
def numpy_function(
    func: Callable[..., Any],
    inp: Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`py_func` under its later name.

    Args:
        func: as in `py_func`.
        inp: as in `py_func`.
        Tout: as in `py_func`.
        stateful: as in `py_func`.

    Returns:
        A tensor of dtype `Tout`, or a list of tensors if that is a list; for [] the operation. Their shapes are not
        known.

    Raises:
        TypeError: `func` is not callable, `inp` is not a list, or `Tout` is no dtype.
        OpError (when run): `func` raised an exception, which is the error's `__cause__`.
        InvalidArgumentError (when run): it returned another number of results, or another dtype.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.numpy_function(lambda x: x[::-1], [[1, 2, 3]], tf.int32)))
    [3 2 1]

    Source: TensorFlow 1.x, `tf.numpy_function`.
    """
    return _call(func, inp, Tout, stateful, name)
