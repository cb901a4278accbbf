"""Conversions of objects of a program's own classes: what `tf.register_tensor_conversion_function` registers."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from contextlib import suppress
from inspect import signature
from numbers import Number
from typing import Any, Final

import numpy as np

from ...errors import DTypeError, UseError
from ..common.tracebacks import hides_frames
from ..model.nodes import Tensor
from ..model.tensor_source import TensorSource
from ..shapes.dtypes import DType


class RegisteredConversions:
    """The functions of one process, by priority; `kinds` are the classes that they take, all in one tuple."""

    def __init__(self) -> None:
        self.kinds: tuple[type, ...] = ()
        self._functions: list[tuple[float, int, tuple[type, ...], Callable[..., Any]]] = []

    def add(self, kinds: tuple[type, ...], function: Callable[..., Any], priority: float) -> None:
        """Registers a function; those of a lower priority are asked first, then those that came first."""
        insort(self._functions, (priority, len(self._functions), kinds, function), key=lambda each: each[:2])
        self.kinds += kinds

    def tensor(self, value: Any, dtype: DType | None, name: str | None) -> Tensor | None:
        """The tensor that a registered function makes of `value`; None if none of them takes it."""
        for _, _, kinds, function in self._functions:
            if not isinstance(value, kinds):
                continue
            own = function(value, dtype=dtype, name=name, as_ref=False)
            if own is NotImplemented:
                continue
            if isinstance(own, TensorSource):
                own = own.as_operand()
            call = f"the function {getattr(function, '__name__', function)!r} that was registered for"
            kind = type(value).__name__
            if not isinstance(own, Tensor):
                raise UseError(f"{call} {kind} returned {own!r:.80}, which is no tensor; let it return a tensor, such "
                               "as tf.constant(...), or NotImplemented for the next function")  # fmt: skip
            if dtype is not None and own.dtype is not dtype:
                raise DTypeError(f"{call} {kind} returned the tensor {own.name!r} of {own.dtype}, and {dtype} is "
                                 "asked for; let it heed its argument dtype, or write "
                                 f"tf.cast(x, tf.{dtype})")  # fmt: skip
            return own
        return None

    def in_list(self, values: Any, dtype: DType | None) -> Any:
        """`values`, nested lists or tuples, with registered objects in them replaced by their tensors."""
        if not self.within(values):
            return values
        return [self._replaced(value, dtype) for value in values]

    def within(self, values: Any) -> bool:
        """Whether a registered object stands in nested lists or tuples."""
        return any(
            isinstance(each, self.kinds) or (isinstance(each, (list, tuple)) and self.within(each)) for each in values
        )

    def _replaced(self, value: Any, dtype: DType | None) -> Any:
        made = self.tensor(value, dtype, None)
        if made is not None or not isinstance(value, (list, tuple)):
            return value if made is None else made
        return self.in_list(value, dtype)

    def preferred(
        self, value: Any, dtype: DType | None, preferred: DType | None, name: str | None
    ) -> Tensor | None:
        """As `tensor` with `dtype`; without one of dtype `preferred`, if the object can be of it."""
        if dtype is None and preferred is not None:
            with suppress(TypeError, ValueError):
                return self.tensor(value, preferred, name)
        return self.tensor(value, dtype, name)


conversions: Final = RegisteredConversions()
"""Those of this process: a class is registered for all graphs."""


@hides_frames
def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Callable[..., Any], priority: float = 100
) -> None:
    """Let objects of a class stand wherever a tensor is taken: a function makes a tensor of each.

    It holds for all graphs of the process, and for classes below. The function is called each time an object is used;
    it may return the same tensor again.

    Args:
        base_type: a class, or a tuple of classes.
        conversion_func: `f(value, dtype=None, name=None, as_ref=False)` that returns a tensor, of `dtype` where that
            is given, or NotImplemented: then the next function is asked. `as_ref` is always False.
        priority: functions with a lower one are asked first, among equal ones those that were registered first.

    Raises:
        TypeError: `base_type` is no class, or one of Python's numbers or of NumPy, which are tensors' own values; or
            `conversion_func` cannot be called. An object is used, and the function returns no tensor or one of another
            dtype.

    >>> import penstock as tf
    >>> class Metres:
    ...     def __init__(self, count):
    ...         self.count = count
    >>> def to_tensor(value, dtype=None, name=None, as_ref=False):
    ...     return tf.constant(value.count, dtype or tf.float32, name=name or "metres")
    >>> tf.register_tensor_conversion_function(Metres, to_tensor)
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(tf.add(Metres(1.0), 2.0)), session.run(tf.stack([Metres(1.0), Metres(2.0)])))
    3.0 [1. 2.]

    Source: TensorFlow 1.x, `tf.register_tensor_conversion_function`.
    """
    kinds = base_type if isinstance(base_type, tuple) else (base_type,)
    call = "register_tensor_conversion_function: "
    for kind in kinds:
        if not isinstance(kind, type):
            raise UseError(f"{call}base_type must be a type or a tuple of types, not {kind!r:.80}; write the class "
                           "itself, and not an object of it")  # fmt: skip
        if issubclass(kind, (Number, np.generic, np.ndarray, str, bytes, Tensor)):
            raise UseError(f"{call}Cannot register conversions for Python numeric types and NumPy scalars and "
                           f"arrays, such as {kind.__name__}: tensors are made of them already; write a class of "
                           "your own")  # fmt: skip
    if not callable(conversion_func):
        raise UseError(f"{call}conversion_func must be callable, and it is {conversion_func!r:.80}; write a function "
                       "f(value, dtype=None, name=None, as_ref=False)")  # fmt: skip
    with suppress(ValueError):  # some callables tell no signature
        try:
            signature(conversion_func).bind(None, dtype=None, name=None, as_ref=False)
        except TypeError as error:
            raise UseError(f"{call}conversion_func is called as f(value, dtype=None, name=None, as_ref=False), and it "
                           f"cannot be: {error}; give it these parameters, or **_") from None  # fmt: skip
    conversions.add(kinds, conversion_func, priority)
