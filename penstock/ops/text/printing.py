"""Printing in a run: Print, string_format, PrintV2, and `tf.print`, which is made of the last two.

A node that prints changes the outside world, so it runs exactly once in a run that needs it, and those that print run
in the order in which they were made.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from ...errors import DTypeError, ValueRuleError
from ...graph.common.lazy_import import load
from ...graph.declare.effects import WORLD_CHANGING
from ...graph.declare.op_declaration import Samples, op, sample
from ...graph.declare.signature import ANY, Attr, Operand, T, TensorLike, as_int
from ...graph.model.nodes import Operation, Tensor
from ...graph.shapes.dtypes import string
from ...graph.shapes.shape import TensorShape
from ..declare.failure_rules import never
from ..declare.shape_checks import require_one, shape_of_first
from ..declare.string_arguments import Strings, Text
from .value_text import both_ends, first_elements

PUBLIC_NAMES = {"start": "Print"}

_Several: TypeAlias = Annotated[Sequence[TensorLike], Operand(None, ANY, many=True)]


def _default_3(value: Any) -> int:
    return 3 if value is None else as_int(value)


def _no_limit(value: Any) -> int:
    return -1 if value is None else as_int(value)


Summarize: TypeAlias = Annotated[int | None, Attr(_default_3)]
"""How many elements are printed: 3 for None, all for -1."""
_FirstN: TypeAlias = Annotated[int | None, Attr(_no_limit)]


def _message(value: Any) -> bytes:
    if value is None:
        return b""
    if not isinstance(value, (str, bytes)):
        raise DTypeError(f"must be a str, not {type(value).__name__}")
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


@op(
    "Print",
    graphdef="T=input_ U=*data message/'' first_n/-1 summarize/3",
    effects=WORLD_CHANGING,
    host_only=True,
    user_code=True,
    views="input_",
    shape=shape_of_first,
    fails=never,
)
def Print(
    input_: T,
    data: _Several,
    message: Annotated[str | bytes | None, Attr(_message)] = None,
    first_n: _FirstN = None,
    summarize: Summarize = None,
    name: str | None = None,
) -> Tensor:
    """`input_` unchanged; each run that computes it prints `data` to the standard error.

    Args:
        input_: any dtype and shape.
        data: a list of tensors to print.
        message: what is printed before them.
        first_n: how often a session prints it; None (the default) or a negative number means always.
        summarize: how many elements of each tensor are printed; None (the default) means 3, a negative number all.

    Returns:
        A tensor with the shape and dtype of `input_`.

    Raises:
        TypeError: `data` is not a list, or another argument is of another type.

    >>> import contextlib, sys
    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     x = tf.constant([1.0, 2.0, 3.0, 4.0])
    ...     x = tf.Print(x, [x, tf.shape(x)], "x is ")
    ...     with contextlib.redirect_stderr(sys.stdout):
    ...         total = session.run(tf.reduce_sum(x))
    x is [1 2 3...][4]

    Source: TensorFlow 1.x, `tf.Print`.
    """


@Print.kernel
def Print_kernel(xp: Any, input_: Any, data: Any, message: bytes, first_n: int, summarize: int) -> Any:
    text = "".join([f"[{first_elements(each, summarize)}]" for each in data])
    _write(sys.stderr, f"{message.decode('utf-8', 'backslashreplace')}{text}\n")  # bind counts up to first_n
    return input_


def _write(stream: Any, text: str) -> None:
    """One call for the whole text, so that those of several threads do not mix."""
    if stream is not None:  # as in a program without a console
        stream.write(text)
        stream.flush()


@Print.gradient("g", takes_slices=True)
def Print_gradient(ops: Any, op: Operation, g: Any) -> list[Any]:
    return [g, *[None] * (len(op.inputs) - 1)]


@Print.samples
def Print_samples(rng: np.random.Generator) -> Samples:
    yield sample(rng.random((2, 3)).astype("f4"), [np.arange(4), np.array(b"a", object)], "first ")
    yield sample(np.zeros((0, 2), "i8"), [np.zeros((0, 2), "i8")], None, 1, -1)


# ---- tf.print -----------------------------------------------------------------------------------

_STREAMS = ("stdout", "stderr", "log(info)", "log(warning)", "log(error)")
_LEVELS = {"log(info)": 20, "log(warning)": 30, "log(error)": 40}


@op("StringFormat", graphdef="T=*inputs template placeholder summarize", out=string, host_only=True, fails=never)
def string_format(
    inputs: _Several, template: Text = "%s", placeholder: Text = "%s", summarize: Summarize = 3, name: str | None = None
) -> Tensor:
    """`template` with the elements of `inputs` as text in place of its placeholders.

    Args:
        inputs: a list of tensors.
        template: the text around them.
        placeholder: what in `template` stands for an input.
        summarize: how many elements at both ends of each dimension are written; None means 3, a negative number all.

    Returns:
        A scalar of dtype string.

    Raises:
        TypeError: `inputs` is not a list, or another argument is of another type.
        ValueError: there are more or fewer placeholders than inputs.

    >>> import penstock as tf
    >>> with tf.Session(graph=tf.Graph()) as session, session.graph.as_default():
    ...     print(session.run(string_format([[1, 2]], "x is %s")))
    b'x is [1 2]'

    Source: TensorFlow 1.x, `tf.strings.format`.
    """


@string_format.shape
def string_format_shape(inputs: Sequence[Tensor], template: bytes, placeholder: bytes, summarize: int) -> TensorShape:
    places = template.count(placeholder) if placeholder else 0
    if places != len(inputs):
        raise ValueRuleError(f"template has {places} of the placeholder {placeholder!r} for {len(inputs)} inputs; "
                             "each input needs one")  # fmt: skip
    return TensorShape([])


@string_format.kernel
def string_format_kernel(xp: Any, inputs: Any, template: bytes, placeholder: bytes, summarize: int) -> Any:
    texts = template.split(placeholder) if placeholder else [template]
    values = [both_ends(each, summarize).encode("utf-8", "surrogateescape") for each in inputs]
    return b"".join([part for pair in zip(texts, [*values, b""], strict=True) for part in pair])


@string_format.samples
def string_format_samples(rng: np.random.Generator) -> Samples:
    yield sample([rng.integers(0, 9, (2, 3)), np.array([b"a"], object)], "%s and %s")
    yield sample([np.zeros((0, 3), "f4"), np.arange(20.0)], "{} {}", "{}", 2)


@op("PrintV2", graphdef="output_stream end", out=(), effects=WORLD_CHANGING, host_only=True, user_code=True,
    ranks={"input": 0})  # fmt: skip
def print_v2(input: Strings, output_stream: Text = "stderr", end: Text = "\n", name: str | None = None) -> Operation:
    """An operation that prints a string: what `tf.print` makes.

    Args:
        input: a scalar of dtype string.
        output_stream: "stderr", "stdout", "log(info)", "log(warning)", "log(error)" or "file://" and a path.
        end: what follows the string.

    Returns:
        The operation; it has no output.

    Raises:
        TypeError: an argument is no string.
        ValueError: `input` is not a scalar, or there is no such stream.

    Source: TensorFlow 1.x, `raw_ops.PrintV2`.
    """


@print_v2.shape
def print_v2_shape(input: Tensor, output_stream: bytes, end: bytes) -> list[TensorShape]:
    stream = output_stream.decode("utf-8", "backslashreplace")
    if stream not in _STREAMS and not stream.startswith(_FILE):
        raise ValueRuleError(f"output_stream is {stream!r}; it must be sys.stdout, sys.stderr, tf.logging.info, "
                             "tf.logging.warning, tf.logging.error or 'file://' and a path")  # fmt: skip
    return []


_FILE = "file://"


@print_v2.kernel
def print_v2_kernel(xp: Any, input: Any, output_stream: bytes, end: bytes) -> tuple[()]:
    require_one(input, "input")
    stream = output_stream.decode("utf-8", "surrogateescape")
    line = bytes(input.item()) + end
    if stream.startswith(_FILE):
        with open(stream.removeprefix(_FILE), "ab") as file:
            file.write(line)
        return ()
    text = line.decode("utf-8", "backslashreplace")
    if stream in _LEVELS:
        load("logging")
        import logging  # loaded on demand

        logging.getLogger("penstock").log(_LEVELS[stream], "%s", text.removesuffix("\n"))
    else:
        _write(getattr(sys, stream), text)
    return ()


@print_v2.samples
def print_v2_samples(rng: np.random.Generator) -> Samples:
    yield sample(np.array(b"", object))
    yield sample(np.array(b"logged", object), "log(info)", "")
