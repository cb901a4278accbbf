"""Which namespaces of Penstock a module path of TensorFlow stands for.

Public paths (`tensorflow.contrib.layers`) are walked name by name. Paths below `tensorflow.python` and
`tensorflow.core` are TensorFlow's own files; programs of its first years imported some of them, and a table here lists
those. A name is looked up in one namespace after the other, so a table may list more than the file had.
"""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType
from typing import Any, Final

from ..graph.common.lazy_import import load

ROOT: Final = "tensorflow"
ROOT_OF_0: Final = "penstock"
"""The namespace with the signatures of TensorFlow 0.x."""

_TOP = ("",)
_NN = ("nn", "")
_TRAIN = ("train", "")
_FILES: Final[dict[str, tuple[str, ...]]] = {
    "python.client": _TOP,
    "python.client.session": _TOP,
    "python.data": ("data",),
    "python.data.experimental": ("data.experimental",),
    "python.data.ops": ("data",),
    "python.data.ops.dataset_ops": ("data",),
    "python.data.ops.iterator_ops": ("data",),
    "python.framework": _TOP,
    "python.framework.constant_op": _TOP,
    "python.framework.dtypes": ("dtypes", ""),
    "python.framework.errors": ("errors",),
    "python.framework.errors_impl": ("errors",),
    "python.framework.graph_io": _TRAIN,
    "python.framework.graph_util": ("graph_util", ""),
    "python.framework.graph_util_impl": ("graph_util",),
    "python.framework.importer": _TOP,
    "python.framework.ops": _TOP,
    "python.framework.random_seed": ("random", ""),
    "python.framework.sparse_tensor": _TOP,
    "python.framework.tensor_shape": _TOP,
    "python.framework.tensor_util": _TOP,
    "python.framework.test_util": ("test", ""),
    "python.layers": ("layers",),
    "python.layers.base": ("layers",),
    "python.layers.convolutional": ("layers",),
    "python.layers.core": ("layers",),
    "python.layers.layers": ("layers",),
    "python.layers.normalization": ("layers",),
    "python.layers.pooling": ("layers",),
    "python.layers.utils": ("contrib.layers.utils",),
    "python.lib": _TOP,
    "python.lib.io": ("python_io", "gfile"),
    "python.lib.io.file_io": ("gfile",),
    "python.lib.io.tf_record": ("python_io",),
    "python.ops": _TOP,
    "python.ops.array_ops": _TOP,
    "python.ops.array_grad": _TOP,
    "python.ops.bitwise_ops": ("bitwise",),
    "python.ops.candidate_sampling_ops": _NN,
    "python.ops.check_ops": _TOP,
    "python.ops.clip_ops": _TOP,
    "python.ops.confusion_matrix": _TOP,
    "python.ops.control_flow_ops": _TOP,
    "python.ops.ctc_ops": _NN,
    "python.ops.custom_gradient": _TOP,
    "python.ops.data_flow_ops": ("", "contrib.staging"),
    "python.ops.distributions": ("distributions",),
    "python.ops.embedding_ops": _NN,
    "python.ops.functional_ops": _TOP,
    "python.ops.gradients": _TOP,
    "python.ops.gradients_impl": _TOP,
    "python.ops.histogram_ops": _TOP,
    "python.ops.image_ops": ("image",),
    "python.ops.image_ops_impl": ("image",),
    "python.ops.init_ops": ("initializers", ""),
    "python.ops.io_ops": ("io", ""),
    "python.ops.linalg_ops": ("linalg", ""),
    "python.ops.linalg": ("linalg", ""),
    "python.ops.logging_ops": _TOP,
    "python.ops.lookup_ops": ("lookup", "contrib.lookup", ""),
    "python.ops.losses": ("losses",),
    "python.ops.losses.losses": ("losses",),
    "python.ops.losses.losses_impl": ("losses",),
    "python.ops.math_ops": ("", "math"),
    "python.ops.metrics": ("metrics",),
    "python.ops.metrics_impl": ("metrics",),
    "python.ops.nn": _NN,
    "python.ops.nn_impl": _NN,
    "python.ops.nn_ops": _NN,
    "python.ops.numerics": _TOP,
    "python.ops.parsing_ops": ("io", ""),
    "python.ops.partitioned_variables": _TOP,
    "python.ops.random_ops": ("", "random"),
    "python.ops.resource_variable_ops": _TOP,
    "python.ops.rnn": _NN,
    "python.ops.rnn_cell": ("nn.rnn_cell", "contrib.rnn"),
    "python.ops.rnn_cell_impl": ("nn.rnn_cell", "contrib.rnn"),
    "python.ops.script_ops": _TOP,
    "python.ops.seq2seq": ("contrib.legacy_seq2seq",),
    "python.ops.sparse_ops": ("", "sparse"),
    "python.ops.special_math_ops": ("", "math"),
    "python.ops.standard_ops": _TOP,
    "python.ops.state_ops": _TOP,
    "python.ops.string_ops": ("", "strings"),
    "python.ops.template": _TOP,
    "python.ops.tensor_array_ops": _TOP,
    "python.ops.variable_scope": _TOP,
    "python.ops.variables": _TOP,
    "python.platform": _TOP,
    "python.platform.app": ("app",),
    "python.platform.flags": ("flags",),
    "python.platform.gfile": ("gfile",),
    "python.platform.googletest": ("test",),
    "python.platform.test": ("test",),
    "python.platform.tf_logging": ("logging",),
    "python.pywrap_tensorflow": _TRAIN,
    "python.saved_model": ("saved_model",),
    "python.saved_model.builder": ("saved_model.builder", "saved_model"),
    "python.saved_model.loader": ("saved_model.loader", "saved_model"),
    "python.saved_model.signature_constants": ("saved_model.signature_constants", "saved_model"),
    "python.saved_model.signature_def_utils": ("saved_model.signature_def_utils", "saved_model"),
    "python.saved_model.tag_constants": ("saved_model.tag_constants", "saved_model"),
    "python.saved_model.utils": ("saved_model.utils", "saved_model"),
    "python.summary": ("summary",),
    "python.summary.summary": ("summary",),
    "python.summary.summary_iterator": _TRAIN,
    "python.summary.writer": ("summary",),
    "python.summary.writer.writer": ("summary",),
    "python.summary.writer.writer_cache": ("summary",),
    "python.tools": _TOP,
    "python.training": _TRAIN,
    "python.training.adadelta": _TRAIN,
    "python.training.adagrad": _TRAIN,
    "python.training.adam": _TRAIN,
    "python.training.basic_session_run_hooks": _TRAIN,
    "python.training.checkpoint_management": _TRAIN,
    "python.training.checkpoint_utils": _TRAIN,
    "python.training.coordinator": _TRAIN,
    "python.training.ftrl": _TRAIN,
    "python.training.gradient_descent": _TRAIN,
    "python.training.input": _TRAIN,
    "python.training.learning_rate_decay": _TRAIN,
    "python.training.momentum": _TRAIN,
    "python.training.monitored_session": _TRAIN,
    "python.training.moving_averages": _TRAIN,
    "python.training.optimizer": _TRAIN,
    "python.training.queue_runner": _TRAIN,
    "python.training.queue_runner_impl": _TRAIN,
    "python.training.rmsprop": _TRAIN,
    "python.training.saver": _TRAIN,
    "python.training.server_lib": _TRAIN,
    "python.training.session_run_hook": _TRAIN,
    "python.training.summary_io": _TRAIN,
    "python.training.training": _TRAIN,
    "python.training.training_util": _TRAIN,
    "python.util.compat": ("compat",),
    "python": _TOP,
    "queue": _TOP,
    "train.queue_runner": _TRAIN,
    "models.rnn": ("nn", "nn.rnn_cell", ""),
    "models.rnn.rnn": _NN,
    "models.rnn.rnn_cell": ("nn.rnn_cell", "contrib.rnn"),
    "models.rnn.seq2seq": ("contrib.legacy_seq2seq",),
    "core": _TOP,
    "core.example": _TRAIN,
    "core.example.example_pb2": _TRAIN,
    "core.example.feature_pb2": _TRAIN,
    "core.framework": _TOP,
    "core.framework.attr_value_pb2": _TOP,
    "core.framework.graph_pb2": _TOP,
    "core.framework.node_def_pb2": _TOP,
    "core.framework.summary_pb2": ("summary", ""),
    "core.framework.tensor_pb2": _TOP,
    "core.framework.tensor_shape_pb2": _TOP,
    "core.framework.types_pb2": ("dtypes", ""),
    "core.protobuf": _TOP,
    "core.protobuf.config_pb2": _TOP,
    "core.protobuf.meta_graph_pb2": _TRAIN,
    "core.protobuf.rewriter_config_pb2": _TOP,
    "core.protobuf.saver_pb2": _TRAIN,
    "core.util": _TOP,
    "core.util.event_pb2": _TOP,
    "contrib.layers.python": ("contrib.layers",),
    "contrib.layers.python.layers": ("contrib.layers",),
    "contrib.layers.python.layers.initializers": ("contrib.layers",),
    "contrib.layers.python.layers.layers": ("contrib.layers",),
    "contrib.layers.python.layers.optimizers": ("contrib.layers",),
    "contrib.layers.python.layers.regularizers": ("contrib.layers",),
    "contrib.layers.python.layers.utils": ("contrib.layers.utils",),
    "contrib.framework.python": ("contrib.framework",),
    "contrib.framework.python.ops": ("contrib.framework",),
    "contrib.framework.python.ops.arg_scope": ("contrib.framework",),
    "contrib.framework.python.ops.variables": ("contrib.framework",),
    "contrib.learn.python.learn.preprocessing": ("contrib.learn.preprocessing",),
    "contrib.learn.python.learn.preprocessing.text": ("contrib.learn.preprocessing",),
    "contrib.graph_editor.edit": ("contrib.graph_editor",),
    "contrib.graph_editor.select": ("contrib.graph_editor",),
    "contrib.graph_editor.subgraph": ("contrib.graph_editor",),
    "contrib.graph_editor.transform": ("contrib.graph_editor",),
    "contrib.graph_editor.util": ("contrib.graph_editor",),
    "contrib.cudnn_rnn.python.layers": ("contrib.cudnn_rnn",),
    "contrib.cudnn_rnn.python.layers.cudnn_rnn": ("contrib.cudnn_rnn",),
    "contrib.cudnn_rnn.python.ops.cudnn_rnn_ops": ("contrib.cudnn_rnn",),
    "contrib.metrics.python": ("contrib.metrics",),
    "contrib.metrics.python.ops": ("contrib.metrics",),
    "contrib.metrics.python.ops.metric_ops": ("contrib.metrics",),
    "contrib.metrics.python.ops.set_ops": ("contrib.metrics",),
    "contrib.opt.python": ("contrib.opt",),
    "contrib.opt.python.training": ("contrib.opt",),
    "contrib.losses.python": ("contrib.losses",),
    "contrib.losses.python.losses": ("contrib.losses",),
    "contrib.losses.python.losses.loss_ops": ("contrib.losses",),
    "contrib.legacy_seq2seq.python": ("contrib.legacy_seq2seq",),
    "contrib.legacy_seq2seq.python.ops": ("contrib.legacy_seq2seq",),
    "contrib.legacy_seq2seq.python.ops.seq2seq": ("contrib.legacy_seq2seq",),
    "contrib.rnn.python": ("contrib.rnn",),
    "contrib.rnn.python.ops": ("contrib.rnn",),
    "contrib.rnn.python.ops.core_rnn": ("contrib.rnn",),
    "contrib.rnn.python.ops.core_rnn_cell": ("contrib.rnn",),
    "contrib.rnn.python.ops.core_rnn_cell_impl": ("contrib.rnn",),
    "contrib.rnn.python.ops.rnn": ("contrib.rnn",),
    "contrib.rnn.python.ops.rnn_cell": ("contrib.rnn",),
    "contrib.seq2seq.python": ("contrib.seq2seq",),
    "contrib.seq2seq.python.ops": ("contrib.seq2seq",),
    "contrib.seq2seq.python.ops.attention_wrapper": ("contrib.seq2seq",),
    "contrib.seq2seq.python.ops.basic_decoder": ("contrib.seq2seq",),
    "contrib.seq2seq.python.ops.decoder": ("contrib.seq2seq",),
    "contrib.seq2seq.python.ops.helper": ("contrib.seq2seq",),
    "contrib.seq2seq.python.ops.loss": ("contrib.seq2seq",),
    "contrib.slim.python": ("contrib.slim",),
    "contrib.slim.python.slim": ("contrib.slim",),
    "contrib.util": _TOP,
}
"""Files of TensorFlow that programs import -> the namespaces of Penstock that have their names."""

_FILES.update({f"contrib.slim.python.slim.{each}": (f"contrib.slim.{each}",) for each in (
    "learning", "nets", "nets.alexnet", "nets.inception", "nets.inception_v3", "nets.resnet_utils", "nets.resnet_v1",
    "nets.resnet_v2", "nets.vgg",
)})  # fmt: skip

MNIST: Final = (
    "examples.tutorials.mnist.input_data", "contrib.learn.python.learn.datasets.mnist", "contrib.learn.datasets.mnist",
)  # fmt: skip
"""The modules that read the handwritten digits."""
_OWN: Final[dict[str, str]] = dict.fromkeys(MNIST, "mnist_files") | {
    "examples.tutorials.mnist": "mnist_package",
    "contrib.learn.datasets": "mnist_package",
    "contrib.learn.python.learn.datasets": "mnist_package",
    "contrib.learn.python.learn.datasets.base": "mnist_files",
    "python.client.device_lib": "local_devices",
    "python.client.timeline": "run_timeline",
    "python.util.nest": "nested_values",
    "contrib.framework.nest": "nested_values",
    "nest": "nested_values",
}
"""Modules that only this package has."""
_INNER: Final = frozenset((
    "contrib.rnn.python.ops.core_rnn_cell", "contrib.rnn.python.ops.core_rnn_cell_impl",
    "contrib.rnn.python.ops.rnn_cell", "contrib.util", "core.protobuf.rewriter_config_pb2", "estimator",
    "models.rnn.rnn_cell", "python.ops.rnn_cell", "python.ops.rnn_cell_impl",
    "python.framework.tensor_util", "python.eager.context",
    "python.framework.function", "python.framework.smart_cond", "python.ops.gen_array_ops",
    "python.ops.gen_image_ops", "python.ops.gen_math_ops", "python.ops.gen_nn_ops", "python.ops.inplace_ops",
    "python.training.moving_averages", "python.util.tf_inspect", "contrib.seq2seq.python.ops.decoder",
    "core.framework.types_pb2", "python.framework.ops", "python.framework.tensor_shape", "python.lib.io.file_io",
    "python.ops.gradient_checker", "python.ops.resource_variable_ops", "python.ops.rnn", "python.ops.variable_scope",
    "python.tools.freeze_graph", "python.training.summary_io", "python.util.all_util",
))  # fmt: skip
"""Files with names that stood nowhere else: `inner_names` has them, and is not imported before it is asked."""
_HOLDERS: Final = frozenset((
    "examples", "examples.tutorials", "contrib", "contrib.learn", "contrib.learn.python",
    "contrib.learn.python.learn", "models", "python.eager", "python.util", "compat",
))  # fmt: skip
"""Paths above others that have no names of their own beside public ones."""


def root_of(path: str, era: str) -> tuple[Any, str]:
    """The namespace for the era of a program, and the path in it: `compat.v1` names its era itself."""
    for prefix in ("compat.v1", "_api.v1"):
        if path == prefix or path.startswith(f"{prefix}."):
            return load_module("penstock.compat.v1"), path[len(prefix) + 1 :]
    return load_module(ROOT_OF_0 if era == "0" else "penstock.compat.v1"), path


@cache
def load_module(name: str) -> ModuleType:
    """A module of the package by its full name; not by an import line, as `penstock` has the names of this folder."""
    load(name)
    return sys.modules[name]


def namespaces_of(path: str, era: str) -> tuple[Any, ...] | None:
    """The namespaces that a module path of TensorFlow stands for, the first one first; None if it is not known.

    Args:
        path: what stands behind `tensorflow.`; empty for TensorFlow itself.
        era: "0" or "1".

    >>> namespaces_of("python.ops.rnn_cell", "1")[1].__name__
    'penstock.recurrent.rnn_cell'
    >>> namespaces_of("python.eager.tape", "1") is None
    True
    """
    root, path = root_of(path, era)
    if not path:
        older = load_module("penstock.tf1.older_signatures")
        return (older.OLDER, root, older.OTHER) if era == "0" else (root, older.OTHER)
    if path in _OWN:
        return (load_module(f"penstock.tf1.{_OWN[path]}"),)
    inner = _inner(path)
    names = () if inner and path not in _FILES else _FILES.get(path)
    if names is None:
        found = _walk(root, path)
        if isinstance(found, ModuleType):
            return (found,)
        return () if path in _HOLDERS else _neighbour(path, era)
    spaces = (_walk(root, name) for name in names)
    return (*inner, *(space for space in spaces if space is not None))


def _neighbour(path: str, era: str) -> tuple[Any, ...] | None:
    """What a file of TensorFlow imports under the last name of a path, such as `python.ops.rnn.rnn_cell_impl`."""
    file, _, name = path.rpartition(".")
    if not file.startswith("python.") or (file not in _FILES and file not in _INNER):
        return None
    if any(hasattr(space, name) for space in namespaces_of(file, era) or ()):
        return None
    others = (f"python.{folder}.{name}" for folder in ("ops", "framework", "training"))
    return next((namespaces_of(each, era) for each in others if each in _FILES or each in _INNER), None)


@cache
def _inner(path: str) -> tuple[Any, ...]:
    """What has the names that only TensorFlow's own files had."""
    spaces: tuple[Any, ...] = load_module("penstock.tf1.inner_names").INNER[path] if path in _INNER else ()
    return spaces


def submodules_of(path: str) -> set[str]:
    """The names of modules directly below a path, which `import` may bring in."""
    prefix = f"{path}." if path else ""
    known = (*_FILES, *_OWN, *_INNER, *_HOLDERS)
    return {each[len(prefix) :].partition(".")[0] for each in known if each.startswith(prefix) and each != path}


def _walk(root: Any, path: str) -> Any:
    """What a dotted name means in a namespace; None if one of its parts is missing."""
    for name in filter(None, path.split(".")):
        root = getattr(root, name, None)
    return root
