"""Reading one node of TensorFlow's: which rule does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.serial.error_text import short
from .foreign_node import ForeignNode, outputs_of
from .import_errors import naming
from .import_scope import ImportScope, Made
from .rules.arithmetic_rules import ARITHMETIC_READ
from .rules.array_import_rules import OF_ARRAYS, SUMS, ZEROS, has_variant, variant_sum, zeros_like_list
from .rules.composite_rules import COMPOSITES
from .rules.dataset_rules import DATASET_NODES
from .rules.direct_rules import direct_nodes, read_direct
from .rules.flow_rules import FLOW_NODES
from .rules.functional_rules import FUNCTION_NODES, called_by_name
from .rules.gradient_import_rules import OF_GRADIENTS
from .rules.index_rules import INDEX_READ
from .rules.matrix_and_text_rules import MATRICES_AND_TEXTS
from .rules.movement_rules import MOVEMENT_READ
from .rules.own_nodes import OWN_NODES
from .rules.queue_rules import QUEUE_NODES
from .rules.record_rules import RECORD_NODES
from .rules.state_import_rules import STATE_NODES, initialized_value, read_after_controls
from .rules.table_rules import TABLE_NODES
from .rules.update_import_rules import UPDATE_NODES
from .wire.messages import NodeProto
from .wire.tensor_proto import Unsupported
from .written_arrays import MARK, written_array

_OF_REFERENCES: dict[str, Callable[[ForeignNode], Any]] = {
    **STATE_NODES, **UPDATE_NODES, **TABLE_NODES, **FUNCTION_NODES, **OF_ARRAYS, **FLOW_NODES
}  # fmt: skip
"""Rules of nodes that may get variables themselves; others get their values."""

_RULES: dict[str, Callable[[ForeignNode], Any]] = {
    **ARITHMETIC_READ, **INDEX_READ, **MOVEMENT_READ, **OF_GRADIENTS,
    **QUEUE_NODES, **RECORD_NODES, **DATASET_NODES, **COMPOSITES, **MATRICES_AND_TEXTS,
    **_OF_REFERENCES
}  # fmt: skip


def is_known(scope: ImportScope, number: int) -> bool:
    """Whether there is a rule for the type of a node."""
    node = scope.index.nodes[number]
    return (
        node.op in _RULES
        or node.op in direct_nodes()
        or node.op in scope.state.functions
        or node.attr("_penstock_part") is not None
        or _own_rule(node) is not None
    )


def knows_type(type: str) -> bool:
    """Whether there is a rule for nodes of a type."""
    return type in _RULES or type in direct_nodes()


def _own_rule(node: NodeProto) -> Callable[[ForeignNode], Made] | None:
    """The rule of a node that our own writer marked."""
    marks = [entry.key for entry in node.attrs if entry.key in OWN_NODES]
    return next((rule for mark, rule in OWN_NODES.items() if mark in marks), None) if marks else None


def read_node(scope: ImportScope, number: int) -> Made:
    """What a node becomes; all that it needs is there.

    Raises:
        Unsupported: no op here does what it does. GraphFormatError: it is damaged; the message names it.
    """
    index = scope.index
    node = index.nodes[number]
    own = _own_rule(node)
    if own is not None:
        with naming(scope, number):
            return own(ForeignNode(scope, number))
    if node.attr("_penstock_part") is not None:  # only the last of several nodes is one of ours
        return scope.find(index.data[number][0].node) or Made(None, ())
    with naming(scope, number):
        if not is_known(scope, number):
            raise Unsupported(f"no op here does what {short(node.op)} does")
        source = ForeignNode(scope, number)
        rule = _RULES.get(node.op)
        if node.attr("_penstock_initial") is not None:
            rule = initialized_value
        elif node.attr(MARK) is not None:
            rule = written_array
        elif rule is None and node.op in scope.state.functions:
            rule = called_by_name
        elif node.op in SUMS and has_variant(source):
            rule = variant_sum
        elif node.op in ZEROS and has_variant(source):
            rule = zeros_like_list
        elif (source.controls or scope.is_inside) and node.op not in _OF_REFERENCES:
            read_after_controls(source)
        found = read_direct(source, direct_nodes()[node.op]) if rule is None else rule(source)
        return found if isinstance(found, Made) else outputs_of(found)
