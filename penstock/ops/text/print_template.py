"""`tf.print`: its arguments become the template of a `StringFormat` node, whose text a `PrintV2` node prints."""

from __future__ import annotations

import pprint
import re
import sys
from collections.abc import Mapping
from typing import Any

from ...errors import DTypeError, ValueRuleError
from ...graph.model.nodes import Operation, Tensor
from ...graph.model.sparse_tensor import SparseTensor
from ..declare.composite import all_or_nothing, reported_as_call
from .printing import print_v2, string_format

PUBLIC_NAMES = {"start": "print"}

_LOGS = {"info": "log(info)", "warn": "log(warning)", "warning": "log(warning)", "error": "log(error)"}
_LEVELS = {20: "log(info)", 30: "log(warning)", 40: "log(error)"}


@reported_as_call("PrintV2")
def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int | None = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> Operation:
    """An operation that prints `inputs` on a line when a run needs it.

    It runs if it is fetched, or if something that runs was made inside `tf.control_dependencies([it])`.

    Args:
        inputs: tensors, and Python values, which may hold tensors: lists, tuples and dicts. A string is printed as it
            is.
        output_stream: `sys.stderr` (the default), `sys.stdout`, `tf.logging.info`, `tf.logging.warning`,
            `tf.logging.error` or "file://" and a path, to whose end the text is added.
        summarize: how many elements at both ends of each dimension are printed; a negative number means all.
        sep: what stands between two inputs.
        end: what follows the last one.

    Returns:
        The operation; it has no output.

    Raises:
        TypeError: `summarize` is not an int, or `sep` or `end` no string.
        ValueError: there is no such stream, or tensors belong to two graphs.

    >>> import sys
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     shown = tf.print("x is", tf.range(10), {"step": 1}, output_stream=sys.stdout)
    ...     session.run(shown)
    x is [0 1 2 ... 7 8 9] {'step': 1}

    Source: TensorFlow 1.x, `tf.print`.
    """
    stream = _stream_called(output_stream)
    if not isinstance(sep, str):
        raise DTypeError(f"sep must be a str, not {type(sep).__name__}")
    tensors: list[Tensor] = []
    marked = [_marked(each, tensors) for each in inputs]

    def build() -> Operation:
        if len(tensors) == 1 and len(inputs) == 1 and tensors[0] is inputs[0] and _is_string_scalar(tensors[0]):
            text = tensors[0]
        else:
            text = _text_of(sep.join(each if isinstance(each, str) else pprint.pformat(each) for each in marked),
                            tensors, summarize, name)  # fmt: skip
        return print_v2(text, stream, end, name)

    return all_or_nothing(tensors, build)


def _is_string_scalar(tensor: Tensor) -> bool:
    return tensor.dtype.is_string and tensor.shape.ndims == 0


def _stream_called(stream: Any) -> str | bytes:
    if stream is None or stream in (sys.stderr, sys.__stderr__):
        return "stderr"
    if stream in (sys.stdout, sys.__stdout__):
        return "stdout"
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    found = _LEVELS.get(stream) if isinstance(stream, int) else _LOGS.get(getattr(stream, "__name__", ""))
    if found is None:
        raise ValueRuleError(f"output_stream is {stream!r:.80}; it must be sys.stdout, sys.stderr, tf.logging.info, "
                             "tf.logging.warning, tf.logging.error or 'file://' and a path")  # fmt: skip
    return found


# ---- the template -------------------------------------------------------------------------------

_OPEN, _CLOSE = "\ue000", "\ue001\ue001"
_FIRST = 0x100000
"""The first of 65,534 characters for private use, each of which stands for a tensor."""
_MARK = re.compile(f"{_OPEN}(.){_CLOSE}", re.DOTALL)


class _Mark:
    """What stands for a tensor in a structure. Its repr is as wide as TensorFlow's, so that lines end as there."""

    def __init__(self, index: int) -> None:
        self._index = index

    def __repr__(self) -> str:
        return f"{_OPEN}{chr(_FIRST + self._index)}{_CLOSE}"


class _Sparse:
    def __init__(self, parts: list[_Mark]) -> None:
        self._parts = parts

    def __repr__(self) -> str:
        indices, values, shape = self._parts
        return f"SparseTensor(indices={indices}, values={values}, shape={shape})"


def _marked(value: Any, tensors: list[Tensor]) -> Any:
    """`value` with a mark for each tensor, which is added to `tensors`."""
    if isinstance(value, SparseTensor):
        return _Sparse([_marked(part, tensors) for part in (value.indices, value.values, value.dense_shape)])
    if isinstance(value, Tensor):
        tensors.append(value)
        return _Mark(len(tensors) - 1)
    if isinstance(value, Mapping):
        return {key: _marked(each, tensors) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_marked(each, tensors) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _text_of(text: str, tensors: list[Tensor], summarize: int | None, name: str | None) -> Tensor:
    """The node for a text with marks."""
    plain = _MARK.sub("", text)
    placeholder = "{}"
    while placeholder in plain:
        placeholder = f"{{{len(placeholder)}{placeholder[1:]}"
    in_order = [tensors[ord(found[1]) - _FIRST] for found in _MARK.finditer(text)]
    template = _MARK.sub(lambda _: placeholder, text)
    return string_format(in_order, template, placeholder, summarize, None if name is None else f"{name}_format")
