"""The public functions of `penstock` whose arguments differ from TensorFlow 1.x's; `penstock.compat.v1` has its own."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ..ops.create.shape_size_rank import shape, size
from ..ops.index.gathering import gather, gather_nd
from ..ops.move.concat_stack import concat, stack
from ..ops.move.reshaping import expand_dims, squeeze
from ..ops.move.slicing import split
from ..ops.move.tile_pad import pad
from ..ops.move.transpose_reverse import reverse, reverse_sequence, transpose
from ..ops.text.decode_csv import decode_csv

if _TYPE_CHECKING:
    from .. import nn as nn  # imported at its first use: see public_names
