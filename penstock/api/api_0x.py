"""The public functions of `penstock` whose arguments differ from TensorFlow 1.x's; `penstock.compat.v1` has its own."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ..ops.create.shape_size_rank import shape as shape
from ..ops.create.shape_size_rank import size as size
from ..ops.index.gathering import gather as gather
from ..ops.index.gathering import gather_nd as gather_nd
from ..ops.move.concat_stack import concat as concat
from ..ops.move.concat_stack import stack as stack
from ..ops.move.reshaping import expand_dims as expand_dims
from ..ops.move.reshaping import squeeze as squeeze
from ..ops.move.slicing import split as split
from ..ops.move.tile_pad import pad as pad
from ..ops.move.transpose_reverse import reverse as reverse
from ..ops.move.transpose_reverse import reverse_sequence as reverse_sequence
from ..ops.move.transpose_reverse import transpose as transpose
from ..ops.text.decode_csv import decode_csv as decode_csv

if _TYPE_CHECKING:
    from .. import nn as nn  # imported at its first use: see public_names
