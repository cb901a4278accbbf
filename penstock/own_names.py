"""The public functions of `penstock` whose arguments differ from TensorFlow 1.x's; `penstock.compat.v1` has its own."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .ops.concat_stack import concat as concat
from .ops.concat_stack import stack as stack
from .ops.decode_csv import decode_csv as decode_csv
from .ops.gathering import gather as gather
from .ops.reshaping import expand_dims as expand_dims
from .ops.reshaping import squeeze as squeeze
from .ops.shape_size_rank import shape as shape
from .ops.shape_size_rank import size as size
from .ops.slicing import split as split
from .ops.transpose_reverse import reverse as reverse
from .ops.transpose_reverse import reverse_sequence as reverse_sequence

if _TYPE_CHECKING:
    from . import nn as nn  # imported at its first use: see public_names
