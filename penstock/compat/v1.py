"""The namespace for programs written for TensorFlow 1.x: `import penstock.compat.v1 as tf`.

It has every public name of Penstock. Functions whose arguments TensorFlow 1.x has in another order or under other names
are its own; the other names come from `api.api_common`. A test compares the names with the package's.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from .. import __version__ as __version__
from ..api.api_common import *  # noqa: F403  # it holds nothing else
from ..api.missing_names import add_hints as _add_hints
from ..api.public_names import show_public_names_only as _show_public_names_only
from . import nn_v1 as _nn
from .axes import gather as gather
from .axes import reverse as reverse
from .axes import reverse_sequence as reverse_sequence
from .joining import concat as concat
from .joining import split as split
from .joining import stack as stack
from .joining import unstack as unstack
from .renamed import decode_csv as decode_csv
from .renamed import decode_raw as decode_raw
from .renamed import disable_control_flow_v2 as disable_control_flow_v2
from .renamed import disable_eager_execution as disable_eager_execution
from .renamed import disable_resource_variables as disable_resource_variables
from .renamed import disable_tensor_equality as disable_tensor_equality
from .renamed import disable_v2_behavior as disable_v2_behavior
from .renamed import disable_v2_tensorshape as disable_v2_tensorshape
from .renamed import enable_control_flow_v2 as enable_control_flow_v2
from .renamed import enable_resource_variables as enable_resource_variables
from .renamed import executing_eagerly as executing_eagerly
from .renamed import expand_dims as expand_dims
from .renamed import shape as shape
from .renamed import size as size
from .renamed import squeeze as squeeze
from .slicing_padding import gather_nd as gather_nd
from .slicing_padding import pad as pad
from .slicing_padding import transpose as transpose

if _TYPE_CHECKING:  # the first use imports them
    from .parsing import parse_example as parse_example  # type: ignore[assignment]  # TensorFlow's order
    from .parsing import parse_single_example as parse_single_example  # type: ignore[assignment]  # the same
    from .sparse_segment_calls import sparse_segment_mean as sparse_segment_mean
    from .sparse_segment_calls import sparse_segment_sqrt_n as sparse_segment_sqrt_n
    from .sparse_segment_calls import sparse_segment_sum as sparse_segment_sum

nn = _nn

_add_hints(__name__)
_show_public_names_only(__name__)
