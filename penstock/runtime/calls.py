"""How is one elementwise op computed into memory that is there already?

`writer(...)` gives a function `(out, *operands)`. There is one definition per op and dtype, and every way of running uses
it: alone, in a group, whole or in tiles. 16-bit floats are computed in float32 and rounded after each op (NumPy's own
loops for them are 10 to 60 times slower); functions whose last bits depend on the layout of their operand (sinh of a
strided float32 view differs in one element of five) see contiguous memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.dtypes import DType, bfloat16, float16
from ..graph.opdef import OpDef

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
        return _staged(ufunc) if opdef.staged else _direct(ufunc)
    if arguments is None:

        def call(result: Any, *operands: Any) -> None:
            result[...] = kernel(np, *operands)

        return call

    def call_with_attributes(result: Any, *operands: Any) -> None:
        result[...] = kernel(np, *arguments(*operands))

    return call_with_attributes


def _direct(ufunc: Any) -> Writer:
    def call(result: Any, *operands: Any) -> None:
        ufunc(*operands, out=result)

    return call


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
