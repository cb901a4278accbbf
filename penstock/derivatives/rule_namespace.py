"""Ops that gradient rules call: a rule gets this module as its first argument, `ops`.

Rules stand with their ops and call any of the others, which they could not import without circles. The names and
signatures are those of the top namespace; what it does not have are ops by the name of their declaration, such as
`ops.relu_grad`, and what `rule_functions` puts here. Each is looked up at its first use. `rule_namespace.pyi` says the
same to type checkers.
"""

from typing import Any, Final

from ..graph.common.hooks import hooks
from ..graph.common.lazy_import import load
from ..graph.declare.op_declaration import OPS

_MODULES: Final = {
    "broadcast_gradient_args": "penstock.ops.move.broadcast_gradient_args",
    "placed_at_index": "penstock.ops.move.getitem_gradient",
}
"""Ops of modules that nothing else imports. Importing every op to find one takes 85 ms."""


def __getattr__(name: str) -> Any:
    member = hooks.public_name(name)
    if member is None and name in _MODULES:
        load(_MODULES[name])
    if member is None:
        member = _op(name)
    if member is None:
        hooks.declare_every_op()
        member = _op(name)
    if member is None or name.startswith("_"):
        raise AttributeError(f"there is no function and no op called {name!r}")
    globals()[name] = member
    return member


def _op(name: str) -> Any:
    """The op of that name, of the modules that are imported; None if there is none."""
    return next((op for op in OPS.values() if op.__name__ == name), None)
