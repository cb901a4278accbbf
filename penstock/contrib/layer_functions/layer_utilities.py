"""`tf.contrib.layers.python.layers.utils`: what programs take from there to write layers of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...control_flow.cond import cond
from ...errors import UseError, ValueRuleError
from ...graph.common.weak_table import WeakTable
from ...graph.model.default_graph import get_default_graph
from ...graph.model.nodes import Tensor
from ...interchange.protos.tensor_protos import constant_value as static_value

Collections = str | Iterable[str] | None
_ALIASES = WeakTable[Tensor, list[str]]()
"""The names by which `convert_collection_to_dict` finds tensors."""


def collect_named_outputs(collections: Collections, alias: str, outputs: Tensor) -> Tensor:
    """Adds `outputs` to collections, with a name to find it by; a trailing slash of the name is left out.

    >>> import penstock as tf
    >>> from penstock.contrib.layer_functions.layer_utilities import collect_named_outputs, convert_collection_to_dict
    >>> with tf.Graph().as_default():
    ...     out = collect_named_outputs("ends", "net/", tf.constant(1, name="one"))
    ...     print(dict(convert_collection_to_dict("ends")))
    {'net': <Tensor 'one:0' int32 ()>}

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.collect_named_outputs`.
    """
    if collections:
        _ALIASES[outputs] = [*(_ALIASES.get(outputs) or []), alias.removesuffix("/")]
        for key in [collections] if isinstance(collections, str) else collections:
            get_default_graph().add_to_collection(key, outputs)
    return outputs


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> dict[str, Tensor]:
    """The tensors of a collection by the names that they have there, or by those of their operations.

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.convert_collection_to_dict`.
    """
    graph = get_default_graph()
    found = {
        name: tensor for tensor in graph.get_collection(collection)
        for name in _ALIASES.get(tensor) or [tensor.op.name]
    }  # fmt: skip
    if clear_collection:
        graph.get_collection_ref(collection)[:] = []
    return found


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections of a variable: those of its name if they are a dictionary, else all.

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.get_variable_collections`.
    """
    return variables_collections.get(name) if isinstance(variables_collections, Mapping) else variables_collections


def constant_value(value_or_tensor_or_var: Any, dtype: Any = None) -> Any:
    """The value of a constant, or of a Python value; None if only a run knows it.

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.constant_value`.
    """
    if value_or_tensor_or_var is None:
        raise ValueRuleError("value_or_tensor_or_var cannot be None")
    if isinstance(value_or_tensor_or_var, Tensor):
        return static_value(value_or_tensor_or_var)
    return None if hasattr(value_or_tensor_or_var, "initializer") else value_or_tensor_or_var


def static_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """`fn1()` if a Python bool is True, else `fn2()`.

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.static_cond`.
    """
    if not callable(fn1) or not callable(fn2):
        raise UseError("static_cond: fn1 and fn2 must be functions without arguments")
    return fn1() if pred else fn2()


def smart_cond(pred: Any, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """`fn1()` or `fn2()` at once where `pred` is known, else `tf.cond`.

    >>> import penstock as tf
    >>> from penstock.contrib.layer_functions.layer_utilities import smart_cond
    >>> with tf.Graph().as_default():
    ...     smart_cond(tf.constant(True), lambda: "first", lambda: "second")
    'first'

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.smart_cond`.
    """
    known = constant_value(pred)
    return cond(pred, fn1, fn2, name=name) if known is None else static_cond(bool(known), fn1, fn2)


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """`n` ints above 0: a sequence of them, or one that stands for all.

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.n_positive_integers`.
    """
    sizes = tuple(value) if isinstance(value, Sequence) else (value,) * n
    if len(sizes) != n or any(not isinstance(each, int | np.integer) or each < 1 for each in sizes):
        raise ValueRuleError(f"{value!r} must be a positive int, or {n} of them")
    return tuple(int(each) for each in sizes)


def two_element_tuple(int_or_tuple: Any) -> tuple[int, ...]:
    """Two ints above 0: a pair, or an int that stands for both.

    Source: TensorFlow 1.x, `tf.contrib.layers.python.layers.utils.two_element_tuple`.
    """
    return n_positive_integers(2, int_or_tuple)
