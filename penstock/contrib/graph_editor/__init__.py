"""`tf.contrib.graph_editor`: walks through a graph, choices of its operations, and copies with other inputs."""

from .graph_copies import copy, copy_with_input_replacements, graph_replace
from .graph_walks_of_programs import (
    get_backward_walk_ops,
    get_forward_walk_ops,
    get_walks_intersection_ops,
    get_walks_union_ops,
)
from .selected_operations import (
    filter_ops,
    filter_ts,
    get_consuming_ops,
    get_generating_ops,
    get_name_scope_ops,
    get_tensors,
    get_within_boundary_ops,
    make_list_of_op,
    make_list_of_t,
    select_ops,
    select_ts,
)
from .subgraph_views import SubGraphView, sgv, sgv_scope

__all__ = [
    "SubGraphView", "copy", "copy_with_input_replacements", "filter_ops", "filter_ts", "get_backward_walk_ops",
    "get_consuming_ops", "get_forward_walk_ops", "get_generating_ops", "get_name_scope_ops", "get_tensors",
    "get_walks_intersection_ops", "get_walks_union_ops", "get_within_boundary_ops", "graph_replace",
    "make_list_of_op", "make_list_of_t", "select_ops", "select_ts", "sgv", "sgv_scope",
]  # fmt: skip
