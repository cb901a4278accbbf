"""GraphDefs without what a model that is only used does not need: the names of `tf.graph_util`."""

from .interchange.protos.sub_graphs import convert_variables_to_constants as convert_variables_to_constants
from .interchange.protos.sub_graphs import extract_sub_graph as extract_sub_graph
from .interchange.protos.sub_graphs import must_run_on_cpu as must_run_on_cpu
from .interchange.protos.sub_graphs import remove_training_nodes as remove_training_nodes
from .interchange.protos.sub_graphs import tensor_shape_from_node_def_name as tensor_shape_from_node_def_name
