"""`tf.manip`: functions that move elements, under TensorFlow's names of 1.x."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.images.batch_blocks import batch_to_space_nd as batch_to_space_nd
from .ops.images.batch_blocks import space_to_batch_nd as space_to_batch_nd
from .ops.index.gathering import gather_nd as gather_nd
from .ops.index.scatter import scatter_nd as scatter_nd
from .ops.move.reshaping import reshape as reshape
from .ops.move.rolling import roll as roll
from .ops.move.tile_pad import tile as tile

__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "roll", "scatter_nd", "space_to_batch_nd", "tile",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
