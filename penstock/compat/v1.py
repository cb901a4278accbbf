"""What does a program written for TensorFlow 1.x import?

`import penstock.compat.v1 as tf`: every public name of Penstock, with those functions replaced whose arguments
TensorFlow 1.x has in another order or under other names.
"""

from __future__ import annotations

# Every other name is the package's own: a list here would fall behind.
from .. import *  # noqa: F403
from .. import __version__ as __version__
from . import nn as nn

# mypy: the functions differ in type from those of the same name above, which is what they are for.
from .arguments import concat as concat  # type: ignore[assignment]
from .arguments import disable_eager_execution as disable_eager_execution
from .arguments import disable_v2_behavior as disable_v2_behavior
from .arguments import executing_eagerly as executing_eagerly
from .arguments import expand_dims as expand_dims  # type: ignore[assignment]
from .arguments import gather as gather  # type: ignore[assignment]
from .arguments import reverse as reverse  # type: ignore[assignment]
from .arguments import reverse_sequence as reverse_sequence  # type: ignore[assignment]
from .arguments import shape as shape  # type: ignore[assignment]
from .arguments import size as size  # type: ignore[assignment]
from .arguments import split as split  # type: ignore[assignment]
from .arguments import squeeze as squeeze  # type: ignore[assignment]
from .arguments import stack as stack  # type: ignore[assignment]
from .arguments import unstack as unstack
