"""Groups without reductions, or with reductions at their end, are nests too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import penstock as tf
from penstock.config import jit
from penstock.graph.shapes.dtypes import float32
from penstock.runtime.compiled.flat_nest import flat_nest, for_pattern, nest_of_program, parts_of, program_of
from penstock.runtime.compiled.promoted_group import PromotedGroup
from penstock.runtime.ir.fused_ir import Value
from penstock.runtime.ir.nest_verifier import verify_nest
from penstock.runtime.ir.scalar_ir import CannotLower, Literal, Scalar
from penstock.runtime.llvm import tier
from penstock.runtime.numpy.interpreter import Interpreter
from tests.runtime.nest.by_numpy import by_numpy

from ...fuzz.of_groups import same_bits
from ..nest.nests import body_of


def loss(x: Any, scale: Any) -> Any:
    """Two results for each element and two for each row."""
    y = tf.tanh(x * scale)
    z = tf.exp(y) - x
    return [y, z, tf.reduce_sum(z * z, 1), tf.reduce_max(z, 1)]


def counts(x: Any, scale: Any) -> Any:
    """Reductions whose order does not matter."""
    y = x * scale - scale
    return [y, tf.reduce_sum(y, 1), tf.reduce_min(y, 1)]


BUILDS: dict[str, tuple[Any, str]] = {
    "elements": (lambda x, s: tf.sqrt(x * x) - tf.maximum(x, s), "float32"),
    "half": (lambda x, s: tf.reduce_sum(x * s + x, 1), "float16"),
    "double": (loss, "float64"),
    "single": (loss, "float32"),
    "integers": (counts, "int32"),
    "complex": (lambda x, s: tf.reduce_sum(x * x + s, 1), "complex64"),
    "product": (lambda x, s: tf.reduce_prod(x * s, 1), "float32"),
    "truth": (lambda x, s: tf.reduce_any(tf.less(x * x, s), 1), "float32"),
}


@pytest.fixture
def compiled_mode() -> Iterator[None]:
    """Everything is compiled at its first use."""
    before = jit.mode
    jit.mode = "now"
    yield
    jit.mode = before


@pytest.mark.skipif(not tier.on(), reason="nothing is compiled here")
@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("shape", [(3, 70), (2, 40_001)])
def test_what_numpy_makes_of_a_flat_nest_has_the_bits_of_interpreted_and_compiled_groups(
    name: str, shape: tuple[int, int], compiled_mode: None
) -> None:
    build, dtype = BUILDS[name]
    rng = np.random.default_rng(5)
    given = [np.asarray(10 * rng.standard_normal(s)).astype(dtype) for s in (shape, (shape[0], 1))]
    if name == "product":
        given = [np.asarray(0.98 + 0.04 * rng.random(x.shape)).astype(dtype) for x in given]
    body = body_of(build, shape, (shape[0], 1), dtype=dtype)
    nest = for_pattern(flat_nest(body, parts_of(body)), (False, True))
    verify_nest(nest)
    found = by_numpy(nest, [given[0], given[1].reshape(-1)], *shape)
    want = Interpreter(body)(*given)
    group = PromotedGroup(body)
    compiled = group(*given)
    assert group.tier == "compiled", group.why
    for one, other, third in zip(found, want, compiled, strict=True):
        assert same_bits(other, third)
        assert same_bits(np.asarray(one).astype(other.dtype).reshape(other.shape), other)


def test_a_program_and_its_nest_say_the_same() -> None:
    body = body_of(loss, [4, 9], [4, 1])
    nest = flat_nest(body, parts_of(body))
    program = program_of(nest)
    again = nest_of_program(program, ["add", "maximum"])
    assert str(again) == str(nest)
    assert [store.axes for store in nest.stores] == ["ij", "ij", "i", "i"]


def test_what_is_the_same_for_a_row_is_not_reduced() -> None:
    body = body_of(lambda x: tf.reduce_sum(x * x, 1), [4, 9])
    nest = flat_nest(body, parts_of(body))
    with pytest.raises(CannotLower, match="the same for a whole row"):
        for_pattern(nest, (True,))
    constant = Scalar((float32,), (), (Literal(float32, np.float32(1).tobytes()),))
    with pytest.raises(CannotLower, match="it reduces a constant"):
        nest_of_program(constant, ["add"])
    assert str(nest_of_program(Scalar((float32,), (), (Value(0),)))).endswith("y0[i, j] = %0")
