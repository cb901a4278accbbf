"""Functions of TensorFlow 0.10 to 0.12 with the argument that Penstock's own, after 0.8, do not have: an axis.

`OLDER` has them for programs of 0.x, `OTHER` second names of functions, which programs of both eras use.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from ..compat.axes import reverse
from ..compat.joining import concat, stack, unstack
from ..errors import OpError
from ..graph.common.tracebacks import hides_frames

OTHER: Final = SimpleNamespace(OpError=OpError, concat_v2=concat, reverse_v2=reverse)


@hides_frames
def pack(values: Any, axis: int = 0, name: str = "pack") -> Any:
    """The tensors of a list, joined along a new dimension.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     pack([tf.zeros([2, 3])] * 4, axis=1).shape
    TensorShape((2, 4, 3))
    """
    return stack(values, axis, name=name)


@hides_frames
def unpack(value: Any, num: int | None = None, axis: int = 0, name: str = "unpack") -> Any:
    """The slices of a tensor along a dimension.

    >>> import penstock as tf
    >>> with tf.Graph().as_default():
    ...     [part.shape for part in unpack(tf.zeros([2, 3]), axis=1)]
    [TensorShape((2,)), TensorShape((2,)), TensorShape((2,))]
    """
    return unstack(value, num, axis, name=name)


OLDER: Final = SimpleNamespace(pack=pack, unpack=unpack)
