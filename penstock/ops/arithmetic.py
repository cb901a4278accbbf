"""Which ops do arithmetic, element by element?"""

from __future__ import annotations

import numpy as np

from ..graph.operation import Tensor
from ..graph.signature import NUMBERS, STRING
from ..graph.values import Entry, known_scalar
from .families import binary

add = binary("add", "Add", NUMBERS | STRING, "x + y", ufunc="add", operator="add", numpy=np.add, commutative=True)


@add.partial
def _(x: Tensor, y: Tensor) -> Entry:
    if x.shape.ndims != 0 or y.shape.ndims != 0:
        return None
    a, b = known_scalar(x), known_scalar(y)
    return None if a is None or b is None else a + b
