# What `rule_namespace` finds, for editors and type checkers: the top namespace, and ops that it does not have.

from ..api.api_0x import *
from ..api.api_common import *
from ..ops.elementwise.complex_parts import complex as complex
from ..ops.move.broadcast_gradient_args import broadcast_gradient_args as broadcast_gradient_args
from ..ops.move.getitem_gradient import placed_at_index as placed_at_index
from ..ops.move.split_sizes import split_sizes as split_sizes
from ..ops.nn.rectifiers import leaky_relu_grad as leaky_relu_grad
from ..ops.nn.rectifiers import relu6_grad as relu6_grad
from ..ops.nn.rectifiers import relu_grad as relu_grad
from ..ops.special.error_functions import ndtri as ndtri
from ..ops.special.gamma_functions import igamma_grad_a as igamma_grad_a
from ..ops.special.log_products import xdivy as xdivy
from ..ops.special.log_products import xlog1py as xlog1py
from ..ops.special.log_products import xlogy as xlogy
from .rule_functions import log_or_zero as log_or_zero
from .rule_functions import or_zeros as or_zeros
from .rule_functions import placed_along_last as placed_along_last
from .rule_functions import scattered as scattered
from .rule_functions import slope_of_sign as slope_of_sign
