"""Imports every module that declares ops. `import penstock` leaves many of them out: loops, networks, checkpoints ...

A file may hold nodes of any op, and a name may be asked for. A program that builds such nodes has imported the module.
"""

from pkgutil import walk_packages

from . import nn, ops  # noqa: F401  # the functions of nn are ops too
from .graph.common.lazy_import import load
from .runtime.ir import fused_ir  # noqa: F401
from .runtime.passes.rules import residual_checks  # noqa: F401

for module in walk_packages(ops.__path__, f"{ops.__name__}."):
    load(module.name)


def declare_every_op() -> None:
    """Nothing more: the import has done it."""
