"""Faults in recurrent cells, layers of cuDNN, graph_editor and the quick dataclass."""

from .planted_fault import faults

CELLS = faults("tests/contrib/test_phased_and_grid_cells.py tests/recurrent", [
    ("a phased LSTM opens until the end of its open phase", "recurrent/phased_lstm.py",
     "return ops.select(ops.less(cycle, 0.5 * share), up, k)", "return ops.select(ops.less(cycle, share), up, k)"),
    ("the period of a phased LSTM has the gradient of a remainder", "recurrent/phased_lstm.py",
     "ops.stop_gradient(ops.subtract(ops.floormod(shifted, period), shifted))",
     "ops.subtract(ops.floormod(shifted, period), shifted)"),
    ("peepholes of a grid LSTM look at the other memory", "recurrent/grid_lstm.py",
     '(("f", c_freq), ("t", c_time))', '(("f", c_time), ("t", c_freq))'),
    ("memories of a grid LSTM are clipped from above alone", "recurrent/grid_lstm.py",
     "ops.clip_by_value(new, -self._clip, self._clip)", "ops.minimum(new, self._clip)"),
    ("a layer of cuDNN drops its inputs too", "recurrent/cudnn_layers.py",
     "if layer and self._dropout and known_flag(training):", "if self._dropout and known_flag(training):"),
    ("the way back of a layer of cuDNN does not know the lengths", "recurrent/cudnn_layers.py",
     "            x = time_reversed(x, lengths)\n", "            x = time_reversed(x, None)\n"),
    ("weights for inputs and for the state of cuDNN start as one matrix", "recurrent/cudnn_layers.py",
     "[rows - units, units] if rows > units and columns % units == 0 else [rows]", "[rows]"),
])  # fmt: skip

EDITOR = faults("tests/contrib/test_graph_editor.py", [
    ("copies wait for what the originals waited for", "contrib/graph_editor/graph_copies.py",
     "earlier = [operations.get(each, each) for each in op.control_inputs]", "earlier = list(op.control_inputs)"),
    ("of copies those of many operands read the originals", "contrib/graph_editor/graph_copies.py",
     "tuple([tensors.get(each, each) for each in arg])", "arg"),
])  # fmt: skip

QUICK = faults("tests/graph/test_quick_dataclass.py", [
    ("a field that is no part of the hash is hashed", "graph/common/quick_dataclass.py",
     "(one.compare if one.hash is None else one.hash)", "one.compare"),
    ("slots of a base are made again", "graph/common/quick_dataclass.py",
     "tuple(name for name in fields if name not in inherited)", "tuple(fields)"),
    ("a class that is changed after it is frozen refuses names that are no fields", "graph/common/quick_dataclass.py",
     "    if name in self.__dataclass_fields__ or _FIELDS in type(self).__dict__:\n        raise FrozenInstanceError(f\"cannot assign",
     "    if True:\n        raise FrozenInstanceError(f\"cannot assign"),
])  # fmt: skip

FAULTS = [*CELLS, *EDITOR, *QUICK]
