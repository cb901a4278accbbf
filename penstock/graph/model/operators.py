"""Python's operators and NumPy's functions on tensors.

`x + y`, `x[1:, None]`, `np.add(x, 1)` build nodes: each looks its op up in `graph.common.hooks`, since this file knows
no op. Syntax that asks for a value that does not exist yet (`if x`, `float(x)`, `np.asarray(x)`, `x[0] = 1`) raises an
error that says what to write instead. `==` is identity: `graph.model.identity_comparison`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Self, TypeVar

import numpy as np

from ...errors import UseError
from ..building.numpy_hints import add_hints, nearest
from ..common.hooks import hooks
from ..common.tracebacks import cut, hides_frames
from .identity_comparison import ComparedByIdentity

T = TypeVar("T", bound="TensorOperators")


def _binary(operator: str) -> Callable[[T, Any], T]:
    def build(self: Any, other: Any) -> Any:
        try:
            return hooks.operators[operator](self, other)
        except BaseException as error:
            cut(error)
            raise

    return build


def _reflected(operator: str) -> Callable[[T, Any], T]:
    def build(self: Any, other: Any) -> Any:
        try:
            return hooks.operators["reflected"](hooks.operators[operator], other, self)
        except BaseException as error:
            cut(error)
            raise

    return build


def _unary(operator: str) -> Callable[[T], T]:
    def build(self: Any) -> Any:
        try:
            return hooks.operators[operator](self)
        except BaseException as error:
            cut(error)
            raise

    return build


def _refused(attempt: str, cure: str) -> Callable[..., NoReturn]:
    @hides_frames
    def refuse(self: TensorOperators, *args: object, **kwargs: object) -> NoReturn:
        self._no_value(attempt, cure)

    return refuse


class TensorOperators(ComparedByIdentity):
    """The part of `Tensor` that gives meaning to Python's syntax."""

    __slots__ = ()
    __array_priority__ = 100.0
    OVERLOADABLE_OPERATORS = frozenset((
        "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__",
        "__floordiv__", "__rfloordiv__", "__mod__", "__rmod__", "__lt__", "__le__", "__gt__", "__ge__",
        "__and__", "__rand__", "__or__", "__ror__", "__xor__", "__rxor__", "__getitem__", "__pow__", "__rpow__",
        "__invert__", "__neg__", "__abs__", "__matmul__", "__rmatmul__",
    ))  # fmt: skip
    """The operators that classes of programs take from `tf.Tensor`, under TensorFlow's name."""

    __add__ = _binary("add")
    __radd__ = _reflected("add")
    __sub__ = _binary("sub")
    __rsub__ = _reflected("sub")
    __mul__ = _binary("mul")
    __rmul__ = _reflected("mul")
    __truediv__ = _binary("truediv")
    __rtruediv__ = _reflected("truediv")
    __floordiv__ = _binary("floordiv")
    __rfloordiv__ = _reflected("floordiv")
    __mod__ = _binary("mod")
    __rmod__ = _reflected("mod")
    __pow__ = _binary("pow")
    __rpow__ = _reflected("pow")
    __matmul__ = _binary("matmul")
    __rmatmul__ = _reflected("matmul")
    __lt__ = _binary("lt")
    __le__ = _binary("le")
    __gt__ = _binary("gt")
    __ge__ = _binary("ge")
    __and__ = _binary("and")
    __rand__ = _reflected("and")
    __or__ = _binary("or")
    __ror__ = _reflected("or")
    __xor__ = _binary("xor")
    __rxor__ = _reflected("xor")
    __neg__ = _unary("neg")
    __abs__ = _unary("abs")
    __invert__ = _unary("invert")
    __getitem__ = _binary("getitem")

    def __pos__(self) -> Any:
        return self

    # ---- NumPy ------------------------------------------------------------------------------

    @hides_frames
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        build = hooks.numpy_functions.get(ufunc) if method == "__call__" and not kwargs else None
        if build is None:
            call = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
            raise UseError(
                f"{call}{_keywords(kwargs)} on a symbolic tensor: no op builds the same thing; "
                "use Penstock's ops, or run the graph first and call NumPy on the result"
            )
        if len(inputs) == 2 and not isinstance(inputs[0], TensorOperators):
            return hooks.operators["reflected"](build, *inputs)
        return build(*inputs)

    @hides_frames
    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        build = hooks.numpy_functions.get(func)
        if build is None:
            raise UseError(
                f"np.{func.__name__} on a symbolic tensor: no op builds the same thing{nearest(func.__name__)}; "
                "use Penstock's ops, or run the graph first and call NumPy on the result"
            )
        return build(*args, **kwargs)

    __array__ = _refused("np.asarray(t)", "run it first: session.run(t) gives the NumPy array")

    # ---- what needs a value -----------------------------------------------------------------

    def _no_value(self, attempt: str, cure: str) -> NoReturn:
        op = self.op  # type: ignore[attr-defined]  # Tensor has it
        origin = op.origin
        if op.graph.outer is not None:
            cure += (
                ". This one is inside the body of a loop, a branch or a function of a dataset, which no session runs "
                "by itself: use operations there, or tf.py_func for code of Python"
            )
        raise UseError(
            f"{attempt}: {self!r} is symbolic and holds no value until Session.run; {cure}\n"
            f"  {origin.made}  {origin.code}".rstrip()
        )

    __bool__ = _refused(
        "using a tensor as a Python bool (`if t`, `not t`, `a < b < c`, `and`, `or`, `max`, `sorted`)",
        "use tf.cond(t, true_fn, false_fn), tf.where(t, x, y), tf.maximum or tf.logical_and/or/not in the graph, or "
        "session.run(t) before the `if`",
    )

    @hides_frames
    def __len__(self) -> int:
        shape = self.shape  # type: ignore[attr-defined]  # Tensor has it
        if shape.ndims and shape[0].value is not None:
            return int(shape[0].value)
        if shape.ndims == 0:
            self._no_value("len(t) of a scalar", "a scalar has no length; use tf.size(t) for the number of elements")
        self._no_value("len(t)", "its first dimension is not known; use tf.shape(t)[0] for the length in the graph")

    @hides_frames
    def __iter__(self) -> Iterator[Self]:
        shape = self.shape  # type: ignore[attr-defined]  # Tensor has it
        if shape.ndims is None or shape.ndims == 0 or shape[0].value is None:
            self._no_value(
                "iterating over a tensor",
                "its first dimension is not known; tf.map_fn and tf.scan call a function for each row; use "
                "tf.unpack(t, num=...) or t.set_shape if you know it",
            )
        return iter([self[i] for i in range(shape[0].value)])

    __float__ = _refused("float(t)", "use tf.cast(t, tf.float32) in the graph, or float(session.run(t))")
    __int__ = _refused("int(t)", "use tf.cast(t, tf.int32) in the graph, or int(session.run(t))")
    __complex__ = _refused("complex(t)", "use tf.cast(t, tf.complex64) in the graph, or complex(session.run(t))")
    __round__ = _refused("round(t)", "use tf.round(t) in the graph, or round(float(session.run(t)), 2)")
    __index__ = _refused(
        "using a tensor as a Python index",
        "tensors can be bounds of tf.slice and of t[a:b]; an argument that must be a Python int needs a number; "
        "tf.while_loop repeats something so many times",
    )
    __contains__ = _refused("`x in t`", "use tf.reduce_any(tf.equal(t, x))")
    __setitem__ = _refused(
        "t[i] = v", "tensors cannot change; t = tf.tensor_scatter_nd_update(t, [[i]], [v]) makes the changed copy"
    )
    __delitem__ = _refused("del t[i]", "tensors cannot change; slice and concat the parts to keep")

    @hides_frames
    def __format__(self, spec: str) -> str:
        if spec and not spec[-1].isdigit() and not spec.endswith("s"):  # a width is one of the text
            self._no_value(f"f'{{t:{spec}}}'", f"use f'{{session.run(t):{spec}}}', or print t for what is known of it")
        return format(str(self), spec)

    @hides_frames
    def numpy(self) -> NoReturn:
        """Refused: there is no value before a run."""
        self._no_value("t.numpy()", "use t.eval() in a default session, or session.run(t)")

    @hides_frames
    def item(self, *args: object) -> NoReturn:
        """Refused: there is no value before a run.

        Args:
            args: as of NumPy's arrays.

        Raises:
            TypeError: always.
        """
        self._no_value("t.item()", "use session.run(t).item()")

    @hides_frames
    def tolist(self) -> NoReturn:
        """Refused: there is no value before a run."""
        self._no_value("t.tolist()", "use session.run(t).tolist()")


def _keywords(kwargs: dict[str, Any]) -> str:
    return f" with {', '.join(kwargs)}=" if kwargs else ""


add_hints(TensorOperators)
