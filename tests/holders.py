"""Ops that hold graphs, declared through `penstock.extend` as a user would: what branches and loops will be made of.

`call` runs a body once, `twice` runs it on its own results, `either` runs one of two. `count_up` is an op with an
effect: it counts its runs in `RUNS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

import penstock as tf
from penstock import extend
from penstock.graph.declare.effects import Effects
from penstock.graph.declare.signature import BOOL

Anything = Annotated[Sequence[extend.TensorLike], extend.Operand(None, extend.ANY, many=True)]
Function = Callable[..., Any]


def dtypes(body: extend.SubGraph) -> tuple[Any, ...]:
    return tuple(t.dtype for t in body.outputs)


@extend.op("TestCall", out=lambda operands, body: dtypes(body))
def call_op(  # type: ignore[empty-body]  # as all ops
    operands: Anything, body: extend.Body, name: str | None = None
) -> list[extend.Tensor]:
    """The results of `body` on `operands`."""


@call_op.shape
def _(operands: Sequence[tf.Tensor], body: extend.SubGraph) -> list[tf.TensorShape]:
    return [t.shape for t in body.outputs]


@call_op.fails
def _(operands: Sequence[tf.Tensor], body: extend.SubGraph) -> None:
    return None  # nothing but what is inside


@call_op.kernel
def _(xp: Any, operands: Sequence[Any], body: Function) -> list[Any]:
    found: list[Any] = body(*operands)
    return found


@extend.op("TestTwice", out=lambda operands, body: dtypes(body))
def twice_op(  # type: ignore[empty-body]  # as all ops
    operands: Anything, body: extend.Body, name: str | None = None
) -> list[extend.Tensor]:
    """The results of `body` on its own results on `operands`; captures stay what they are."""


@twice_op.shape
def _(operands: Sequence[tf.Tensor], body: extend.SubGraph) -> list[tf.TensorShape]:
    return [t.shape for t in body.outputs]


@twice_op.kernel
def _(xp: Any, operands: Sequence[Any], body: Function) -> list[Any]:
    once = body(*operands)
    found: list[Any] = body(*once, *operands[len(once) :])
    return found


@extend.op("TestEither", out=lambda pred, operands, yes, no: dtypes(yes))
def either_op(  # type: ignore[empty-body]  # as all ops
    pred: Annotated[extend.TensorLike, extend.Operand(None, BOOL)],
    operands: Anything,
    yes: extend.Body,
    no: extend.Body,
    name: str | None = None,
) -> list[extend.Tensor]:
    """The results of `yes` where `pred` is true, else those of `no`."""


@either_op.shape
def _(
    pred: tf.Tensor, operands: Sequence[tf.Tensor], yes: extend.SubGraph, no: extend.SubGraph
) -> list[tf.TensorShape]:
    pairs = zip(yes.outputs, no.outputs, strict=True)
    return [a.shape if a.shape.raw == b.shape.raw else extend.unknown_rank("it depends on a branch") for a, b in pairs]


@either_op.kernel
def _(xp: Any, pred: Any, operands: Sequence[Any], yes: Function, no: Function) -> list[Any]:
    found: list[Any] = (yes if pred else no)(*operands)
    return found


def _scope(name: str | None, default: str, operands: Sequence[Any]) -> Any:
    return tf.name_scope(name, default, list(operands))


def call(function: Function, operands: Sequence[tf.Tensor], name: str | None = None) -> list[tf.Tensor]:
    """The results of `function` on `operands`, computed by one node."""
    with _scope(name, "call", operands) as scope:
        return call_op(operands, extend.subgraph(function, operands), name=scope)


def twice(function: Function, operands: Sequence[tf.Tensor], name: str | None = None) -> list[tf.Tensor]:
    """The results of `function` on its own results, computed by one node."""
    with _scope(name, "twice", operands) as scope:
        return twice_op(operands, extend.subgraph(function, operands), name=scope)


def either(
    pred: tf.Tensor, yes: Function, no: Function, operands: Sequence[tf.Tensor] = (), name: str | None = None
) -> list[tf.Tensor]:
    """The results of one of two functions on `operands`, computed by one node."""
    with _scope(name, "either", [pred, *operands]) as scope:
        bodies = extend.subgraph(yes, operands, "yes"), extend.subgraph(no, operands, "no")
        return either_op(pred, operands, *bodies, name=scope)


RUNS: list[float] = []
"""The values that `count_up` has seen, in the order of its runs."""

COUNTING = Effects(reads=frozenset({"counter"}), writes=frozenset({"counter"}))


@extend.op("TestCountUp", effects=COUNTING)
def count_up(x: extend.T, name: str | None = None) -> extend.Tensor:  # type: ignore[empty-body]  # as all ops
    """`x`, noted in `RUNS`."""


@count_up.shape
def _(x: tf.Tensor) -> tf.TensorShape:
    return x.shape


@count_up.kernel
def _(xp: Any, x: Any) -> Any:
    RUNS.append(float(np.sum(x)))
    return x.copy()
