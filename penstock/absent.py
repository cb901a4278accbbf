"""Hints for TensorFlow names that Penstock lacks.

`tf.Variable` raises the usual AttributeError; its message adds what takes the place of the name. Misspelled names are
left to Python, which suggests the nearest one.
"""

from __future__ import annotations

import sys
from types import ModuleType

_INSTEAD = {
    "variables are not there yet: keep the state in NumPy, feed it, and fetch what it becomes": (
        "Variable get_variable variable_scope assign assign_add global_variables_initializer initialize_all_variables "
        "trainable_variables"
    ),
    "gradients are not there yet: a graph computes what is written in it": "gradients GradientTape custom_gradient",
    "it trains variables by gradients and saves them, and neither is there yet; tf.save_graph keeps a graph": (
        "train Saver losses metrics"
    ),
    "control flow is not there yet: tf.where chooses between values, and a loop of Python builds node after node": (
        "cond case while_loop map_fn scan foldl foldr function"
    ),
    "no op draws random numbers, so that equal feeds give equal results: draw them with NumPy and feed them": (
        "random random_normal random_uniform truncated_normal random_shuffle multinomial set_random_seed"
    ),
    "its functions stand at the top, such as tf.relu and tf.reduce_sum; penstock.compat.v1.nn has those of tf.nn": (
        "nn math linalg strings"
    ),
    "this is a library on top of TensorFlow's arrays, and Penstock has the arrays only": (
        "keras layers contrib estimator data image io feature_column distribute lookup sets signal initializers"
    ),
    "it serves whole programs; Python's argparse and logging do the same": "app flags logging",
    "the graph has it as a method: tf.get_default_graph().add_to_collection(...) and get_collection(...)": (
        "add_to_collection add_to_collections get_collection get_collection_ref GraphKeys"
    ),
    "a run checks shapes that t.set_shape claims, and a tf.Watch stops at NaN; check what is fetched in Python": (
        "assert_equal assert_less assert_greater assert_rank assert_positive assert_non_negative assert_type debugging"
    ),
    "write it with indexing, t[begin:end:step]": "strided_slice",
    "write it with tf.matmul, tf.transpose and tf.reduce_sum": "einsum tensordot",
    "write tf.sqrt(tf.reduce_sum(tf.square(t)))": "norm global_norm",
    "tf.add joins strings element by element": "string_join",
    "import penstock.compat.v1 as tf for the names of tf.compat.v1": "compat",
    "settings of a session are tf.SessionConfig(...)": "ConfigProto GPUOptions OptimizerOptions",
    "session.trace(...) shows every value on the way, and RunOptions(watch=tf.Watch()) stops at the first NaN": (
        "Print print Assert py_func numpy_function check_numerics add_check_numerics_ops"
    ),
    "tf.save_graph(graph, path) and tf.load_graph(path) keep a graph": "saved_model import_graph_def",
    "graph.export('graph.html') draws the graph, and session.run(..., run_metadata=...) records a run": "summary",
}
_INSTEAD_OF_NN = {
    "write x + b": "bias_add",
    "write -tf.reduce_sum(labels * tf.nn.log_softmax(logits), 1)": (
        "softmax_cross_entropy_with_logits softmax_cross_entropy_with_logits_v2"
    ),
    "write -tf.gather_nd(tf.nn.log_softmax(logits), places), with a row and a class in each of the places": (
        "sparse_softmax_cross_entropy_with_logits"
    ),
    "write tf.nn.softplus(logits) - labels * logits": "sigmoid_cross_entropy_with_logits",
    "write tf.gather(params, ids)": "embedding_lookup",
    "write tf.reduce_sum(tf.square(t)) / 2": "l2_loss",
    "write tf.where(x > 0.0, x, alpha * x)": "leaky_relu",
    "write tf.where(x > 0.0, x, tf.expm1(x))": "elu",
    "no op draws random numbers; draw a mask with NumPy, feed it, and multiply by it": "dropout",
    "convolutions and pooling are not there; matmul is the one product": (
        "conv1d conv2d conv3d depthwise_conv2d separable_conv2d conv2d_transpose max_pool avg_pool pool"
    ),
    "write tf.reduce_mean(x, axes) and tf.reduce_mean(tf.square(x - mean), axes)": "moments",
    "recurrent cells need control flow, which is not there yet": (
        "dynamic_rnn static_rnn bidirectional_dynamic_rnn rnn_cell raw_rnn"
    ),
}


def _by_name(instead: dict[str, str]) -> dict[str, str]:
    return {name: words for words, names in instead.items() for name in names.split()}


_WORDS = _by_name(_INSTEAD)
_WORDS_OF_NN = _by_name(_INSTEAD_OF_NN)


def tell_what_is_absent(module: str) -> None:
    """Give a module of public names the words for those that it has not.

    >>> import penstock as tf
    >>> try:
    ...     tf.ConfigProto
    ... except AttributeError as error:
    ...     print(error)
    module 'penstock' has no attribute 'ConfigProto': settings of a session are tf.SessionConfig(...)
    """

    known = _WORDS_OF_NN if module.endswith(".nn") else _WORDS

    def absent(name: str) -> object:
        words = known.get(name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}{f': {words}' if words else ''}")

    names: ModuleType = sys.modules[module]
    # Not a function in the module's text: type checkers would then believe in every name.
    names.__dict__["__getattr__"] = absent
