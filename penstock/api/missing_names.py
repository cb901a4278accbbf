"""Hints for TensorFlow names that Penstock lacks.

`tf.Variable` raises the usual AttributeError; its message adds what takes the place of the name. Misspelled names are
left to Python, which suggests the nearest one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType

from ..graph.building.numpy_hints import INSTEAD
from ..graph.common.lazy_import import LATER, later_name, load
from ..graph.common.near_names import holding, nearest
from ..graph.common.tracebacks import hides_frames
from .public_names import lazy_module, lazy_name

_BY_HINT = {
    "write tf.gradients(ys, xs)": "GradientTape grad",
    "write tf.train.Saver": "Saver",
    "write tf.float32": "float",
    "write tf.float64": "double",
    "write tf.float16": "half",
    "write tf.int32": "int",
    "write tf.int64": "long",
    "write tf.string": "str",
    "run the graph first, then compute with NumPy; tf.constant(array) brings an array into the graph": "np numpy",
    "call the Python function itself: each call adds its nodes; tf.while_loop and tf.cond make graphs of functions": (
        "function"
    ),
    "this is a library on top of TensorFlow's arrays, and Penstock has only the arrays": (
        "keras estimator feature_column distribute sets"
    ),
    "write tf.unpack(value), or penstock.compat.v1.unstack(value, axis=...)": "unstack",
    "write tf.concat(axis, values)": "concat_v2 concatenate hstack",
    "write tf.matmul(a, b), which takes batches too": "dot matrix_multiply",
    "write tf.stack(values)": "vstack",
    "write tf.range(start, limit, delta)": "arange",
    "write tf.cast(t, dtype)": "astype",
    "write tf.reshape(t, [-1])": "flatten ravel",
    "write tf.floormod(x, y)": "floor_mod",
    "write tf.log(x) / tf.log(10.0)": "log10",
    "write tf.transpose(t, perm)": "swapaxes",
    "write tf.one_hot(ids, depth)": "to_categorical",
    "it is a class of tf.errors": "OpError InvalidArgumentError",
}
_BY_HINT_OF_NN = {
    "write tf.nn.max_pool2d": "max_pool_v2 max_pool_2d",
    "write tf.nn.conv2d_transpose, its name since TensorFlow 0.7": "deconv2d",
    "write tf.nn.conv3d_transpose": "deconv3d",
}
_BY_HINT_OF_INITIALIZERS = {
    "Penstock does not have it; its own initializers take the shape of a kernel too": (
        "convolutional_orthogonal_1d convolutional_orthogonal_2d convolutional_orthogonal_3d "
        "convolutional_delta_orthogonal"
    ),
    "write tf.glorot_uniform_initializer() or tf.contrib.layers.xavier_initializer(): Xavier is Glorot's first name": (
        "xavier xavier_uniform xavier_normal xavier_initializer"
    ),
}
_BY_HINT_OF_CONTRIB = {
    "of tf.contrib Penstock has crf, data, distributions, framework, image, layers, lookup, losses, metrics, opt, rnn, "
    "seq2seq, slim, training": "distribute estimator eager summary memory_stats quantize tpu",
}
_BY_HINT_OF_TRAIN = {
    "one program drives all workers, and it is the chief: write tf.train.ChiefSessionCreator": "WorkerSessionCreator",
    "write session.profile(fetches), or tf.RunMetadata in a class of tf.train.SessionRunHook": "ProfilerHook",
}
_BY_HINT_OF_LAYERS = {
    "write a function of tensors, or a class with a method __call__": "InputSpec",
}


def _by_name(by_hint: dict[str, str]) -> dict[str, str]:
    return {name: words for words, names in by_hint.items() for name in names.split()}


_TOP = ("penstock", "penstock.compat.v1")
_HINTS = _by_name(_BY_HINT)
_HINTS_OF_NN = _by_name(_BY_HINT_OF_NN)
_HINTS_OF_LAYERS = _by_name(_BY_HINT_OF_LAYERS)
_HINTS_OF_CONTRIB = _by_name(_BY_HINT_OF_CONTRIB)
_HINTS_OF_TRAIN = _by_name(_BY_HINT_OF_TRAIN)
_HINTS_OF_INITIALIZERS = _by_name(_BY_HINT_OF_INITIALIZERS)


def hints_of(module: str) -> Mapping[str, str]:
    """What there is to say of names that a module of public names lacks."""
    own = {
        "nn": _HINTS_OF_NN, "nn_v1": _HINTS_OF_NN, "initializers": _HINTS_OF_INITIALIZERS, "layers": _HINTS_OF_LAYERS,
        "contrib": _HINTS_OF_CONTRIB, "train": _HINTS_OF_TRAIN,
    }  # fmt: skip
    return own.get(module.rpartition(".")[2], _HINTS if module in _TOP else {})


def add_hints(module: str) -> None:
    """Give a module of public names hints for the names that it lacks.

    >>> import penstock as tf
    >>> try:
    ...     tf.function
    ... except AttributeError as error:
    ...     print(str(error)[:62])
    module 'penstock' has no attribute 'function': call the Python
    """
    is_top, known = module in _TOP, hints_of(module)
    below = "" if is_top else f"{_path_of(module)}."

    @hides_frames
    def missing(name: str) -> object:
        if name.startswith("_"):  # tools ask for `__wrapped__` and the like, and often; no hint is for them
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=None, obj=None)
        has_lazy = is_top or known is _HINTS_OF_NN
        if has_lazy and (lazy := lazy_module(module, name)) is not None:
            if "__getattr__" not in vars(lazy) or lazy.__name__ in LATER:
                add_hints(lazy.__name__)
            return lazy
        if has_lazy and (found := lazy_name(module, name)) is not None:
            return found
        if (found := later_name(module, name)) is not None:
            return found
        load("penstock.api.name_table")
        from .name_table import instead_of  # at an error only

        words = known.get(name) or instead_of(f"{below}{name}")
        if not words and is_top and name in INSTEAD:
            words = f"the nearest is {INSTEAD[name]}"
        if not words and not nearest(name, dir(names), 0.8) and (near := nearest(name, known, 0.8)):
            words = f"did you mean TensorFlow's {near}? Of that: {known[near]}"
        if not words and not nearest(name, dir(names), 0.8) and (longer := holding(name, dir(names))):
            words = f"there {'is' if len(longer) == 1 else 'are'} {', '.join(longer)}"
        text = f"module {module!r} has no attribute {name!r}{f': {words}' if words else ''}"
        # Without a name Python adds no nearest name of its own: for `math` that would be 'Watch'.
        raise AttributeError(text, name=None, obj=None) if words else AttributeError(text)

    names: ModuleType = sys.modules[module]
    # Set at run time: with a function in the module's text type checkers would accept every name.
    names.__dict__["__getattr__"] = missing


def _path_of(module: str) -> str:
    """What stands behind `tf.` in the name of a module: "nn" for `penstock.compat.nn_v1`."""
    path = module.removeprefix("penstock.").removeprefix("compat.")
    return _PATHS.get(path, path)


_PATHS = {"nn_v1": "nn", "recurrent.rnn_cell": "nn.rnn_cell", "dtype_names": "dtypes",
          "contrib.contrib_data": "contrib.data", "contrib.contrib_lookup": "contrib.lookup"}  # fmt: skip
