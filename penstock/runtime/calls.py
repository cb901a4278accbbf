"""How is one elementwise op computed into memory that is there already?

`writer(...)` gives a function `(out, *operands)`. There is one definition per op and dtype, and every way of running uses
it: alone, in a group, whole or in tiles. 16-bit floats are computed in float32 and rounded after each op (NumPy's own
loops for them are 10 to 60 times slower); functions whose last bits depend on the layout of their operand (sinh of a
strided float32 view differs in one element of five) see contiguous memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..graph.dtypes import DType, bfloat16, float16, of_numpy
from ..graph.opdef import OpDef
from .memory import POOL

Writer = Callable[..., None]
HALVES = (float16, bfloat16)


def writer(opdef: OpDef[Any, Any], arguments: Callable[..., list[Any]] | None, dtypes: tuple[DType, ...], out: DType) -> Writer:
    """(out array, operand arrays ...) -> None.

    arguments: puts operands among attribute values in the order of the signature; None if there are only operands.
    dtypes: of the operands. out: of the result.
    """
    kernel = opdef.kernels.get("numpy") or opdef.kernels["*"]
    if opdef.ufunc is not None and arguments is None and "numpy" not in opdef.kernels:
        ufunc = getattr(np, opdef.ufunc)
        if any(d in HALVES for d in dtypes):
            return _through_float32(ufunc, out)
        return _staged(ufunc) if opdef.staged else _Direct(ufunc)
    if arguments is None:

        def call(result: Any, *operands: Any) -> None:
            result[...] = kernel(np, *operands)

        return call

    def call_with_attributes(result: Any, *operands: Any) -> None:
        result[...] = kernel(np, *arguments(*operands))

    return call_with_attributes


class _Direct:
    """A ufunc called with its result's memory."""

    __slots__ = ("ufunc",)

    def __init__(self, ufunc: Any) -> None:
        self.ufunc = ufunc

    def __call__(self, result: Any, *operands: Any) -> None:
        self.ufunc(*operands, out=result)


def alone(opdef: OpDef[Any, Any], out: DType) -> Callable[..., Any]:
    """An elementwise op outside of any group, as a function of its operands: the same definition, its own result."""
    ufunc = getattr(np, opdef.ufunc or "")
    found: list[Writer | None] = []  # None: the ufunc itself is the definition; known when the first operands come

    def write_into(result: Any, *operands: Any) -> Any:
        """`result` is flat memory of the right size."""
        made = writer(opdef, None, tuple([of_numpy(x.dtype) for x in operands]), out)
        result = result.reshape(np.broadcast_shapes(*[x.shape for x in operands]))
        made(result, *operands)
        return result

    def call(*operands: Any) -> Any:
        if not found:
            made = writer(opdef, None, tuple([of_numpy(x.dtype) for x in operands]), out)
            found.append(None if isinstance(made, _Direct) else made)
        write = found[0]
        largest = max([x.size for x in operands])
        if write is None and largest < POOLED:
            return ufunc(*operands)
        first = operands[0].shape
        same = all([x.shape == first for x in operands])
        result = POOL.empty(first if same else np.broadcast_shapes(*[x.shape for x in operands]), out.np)
        if write is None:
            ufunc(*operands, out=result)
        else:
            write(result, *operands)
        return result

    call.into = write_into  # type: ignore[attr-defined]  # what the executor asks a call for
    return call


POOLED = 1 << 14
"""Elements from which a result's memory comes from the pool."""

_SLOW_POSITIONAL = (np.maximum, np.minimum, np.fmax, np.fmin)
"""Binary ufuncs that warn about a third positional argument are slow to take it."""


def bare(call: Writer, result: Any, operands: Sequence[Any]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The shortest way to make this very call again and again: what to call, and with which arguments."""
    if isinstance(call, _Direct):
        if call.ufunc in _SLOW_POSITIONAL:
            return partial(call.ufunc, out=result), tuple(operands)
        return call.ufunc, (*operands, result)
    return call, (result, *operands)


def _staged(ufunc: Any) -> Writer:
    def call(result: Any, *operands: Any) -> None:
        contiguous = [x if x.flags.c_contiguous else np.ascontiguousarray(x) for x in operands]
        if result.flags.c_contiguous:
            ufunc(*contiguous, out=result)
        else:
            result[...] = ufunc(*contiguous)

    return call


def _through_float32(ufunc: Any, out: DType) -> Writer:
    wide = np.float32

    def call(result: Any, *operands: Any) -> None:
        value = ufunc(*[x.astype(wide) for x in operands])
        np.copyto(result, value, casting="unsafe")

    return call
