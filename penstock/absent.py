"""What does a name of TensorFlow's say that Penstock has not?

`tf.Variable` is an AttributeError as it would be without this file; its message adds what takes its place. Names that
are only misspelled are left to Python, which suggests the nearest one.
"""

from __future__ import annotations

import sys
from types import ModuleType

_INSTEAD = {
    "variables are not there yet: keep the state in NumPy, feed it, and fetch what it becomes": (
        "Variable get_variable variable_scope assign assign_add global_variables_initializer initialize_all_variables "
        "trainable_variables"
    ),
    "gradients are not there yet: a graph computes what is written in it": (
        "gradients train GradientTape custom_gradient"
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
    "settings of a session are tf.SessionConfig(...)": "ConfigProto GPUOptions OptimizerOptions",
    "session.trace(...) shows every value on the way, and RunOptions(watch=tf.Watch()) stops at the first NaN": (
        "Print print Assert py_func numpy_function check_numerics add_check_numerics_ops"
    ),
    "tf.save_graph(graph, path) and tf.load_graph(path) keep a graph": "saved_model import_graph_def",
    "graph.export('graph.html') draws the graph, and session.run(..., run_metadata=...) records a run": "summary",
}
_WORDS = {name: words for words, names in _INSTEAD.items() for name in names.split()}


def tell_what_is_absent(module: str) -> None:
    """Give a module of public names the words for those that it has not.

    >>> import penstock as tf
    >>> try:
    ...     tf.ConfigProto
    ... except AttributeError as error:
    ...     print(error)
    module 'penstock' has no attribute 'ConfigProto': settings of a session are tf.SessionConfig(...)
    """

    def absent(name: str) -> object:
        words = _WORDS.get(name)
        raise AttributeError(f"module {module!r} has no attribute {name!r}{f': {words}' if words else ''}")

    names: ModuleType = sys.modules[module]
    # Not a function in the module's text: type checkers would then believe in every name.
    names.__dict__["__getattr__"] = absent
