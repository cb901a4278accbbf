"""Ops that gradient rules call: a rule gets this module as its first argument, `ops`.

Rules stand with their ops and call any of the others, which they could not import without circles. The names and
signatures are those of the top namespace; what it does not have are ops by the name of their declaration, such as
`ops.relu_grad`, and what `rule_functions` puts here. Each is looked up at its first use. `rule_namespace.pyi` says the
same to type checkers.
"""

from typing import Any

from ..graph.common.hooks import hooks
from ..graph.declare.op_declaration import OPS


def __getattr__(name: str) -> Any:
    member = hooks.public_name(name)
    if member is None:
        hooks.declare_every_op()
        member = next((op for op in OPS.values() if op.__name__ == name), None)
    if member is None or name.startswith("_"):
        raise AttributeError(f"there is no function and no op called {name!r}")
    globals()[name] = member
    return member
