"""Which of TensorFlow's nodes our ops are: what their declarations say, both ways.

Most ops are one node with the same inputs, and differ only in the spelling of attributes: these say so themselves (see
`graph.declare.graphdef_form`). The others have a function to write them (`export_rules`) and one to read them
(`import_rules`).
"""

from __future__ import annotations

from collections.abc import Mapping

from ....graph.common.hooks import hooks
from ....graph.declare.graphdef_form import GraphDefForm, graphdef_form
from ....graph.declare.op_declaration import OPS

_readers: tuple[tuple[int, str], dict[str, list[str]]] = (0, ""), {}
"""How many ops there were and the last of them, and what `types_by_node` gave for them."""


def form_of(type: str) -> GraphDefForm | None:
    """The node that every use of an op is; None if it has rules of its own, or no counterpart.

    Args:
        type: of the op.
    """
    opdef = OPS.get(type)
    text = None if opdef is None else opdef.facts.graphdef
    return None if text is None else graphdef_form(type, text)


def types_by_node() -> Mapping[str, list[str]]:
    """For each type of TensorFlow's nodes the ops that it may be; first those whose attributes have fixed values."""
    global _readers
    hooks.declare_every_op()
    known, readers = _readers
    ops = len(OPS), next(reversed(OPS))
    if known != ops:
        readers = {}
        for type in OPS:
            if form := form_of(type):
                readers.setdefault(form.type, []).append(type)
        for node, types in readers.items():
            types.sort(key=lambda type: (not _has_constants(type), type != node))
        _readers = ops, readers
    return readers


def _has_constants(type: str) -> bool:
    form = form_of(type)
    return form is not None and any(each.source == "constant" for each in form.attributes)
