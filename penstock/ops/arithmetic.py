"""Which ops do arithmetic, element by element?

Ints wrap silently, as in every machine's two's complement; only a division by zero and a negative power of ints are
errors. Division of ints rounds towards minus infinity, so that `floordiv(x, y) * y + mod(x, y) = x`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DTypeError, InvalidArgumentError
from ..graph.dimension import Dimension
from ..graph.dtypes import bool_, float32, float64, int32, int64
from ..graph.hooks import hooks
from ..graph.opdef import op
from ..graph.operation import Tensor
from ..graph.signature import COMPLEX, FLOATS, INTEGERS, NUMBERS, REALS, STRING, TensorLike, bits_of
from .casting import cast
from .families import BinaryOp, binary, entrywise, rounded_once, unary
from .logical import logical_and
from .source import convert_to_tensor

SIGNED = bits_of(*())
