"""`tf.manip`: functions that move elements, under TensorFlow's names of 1.x."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.images.batch_blocks import batch_to_space_nd, space_to_batch_nd
from .ops.index.gathering import gather_nd
from .ops.index.scatter import scatter_nd
from .ops.move.reshaping import reshape
from .ops.move.rolling import roll
from .ops.move.tile_pad import tile

__all__ = ["batch_to_space_nd", "gather_nd", "reshape", "roll", "scatter_nd", "space_to_batch_nd", "tile"]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
