"""Derivatives by central differences, and gradients beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import penstock as tf
from penstock.derivatives.gradient_paths import is_differentiable
from penstock.graph.model.nodes import Tensor

from ..helpers import EVERY
from ..op_samples import Call, Place

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Slope:
    """The derivative of a weighted sum of outputs with respect to one operand, and what `tf.gradients` gave."""

    x: Tensor
    numeric: Array
    symbolic: Array | None
    tolerance: float


def wide(array: Any) -> Array:
    """Floats as float64 and complex numbers as complex128: differences need the digits."""
    found = np.array(array)
    kind = tf.as_dtype(found.dtype)
    return found.astype(np.complex128 if kind.is_complex else np.float64) if is_differentiable(kind) else found


def places_of(call: Call) -> list[Place]:
    """The operands of a sample."""
    found: list[Place] = []
    for position, _, operand in call.op.operands:
        value = call.values[position]
        if value is not None:
            found += [(position, i) for i in range(len(value))] if operand.many else [(position, 0)]
    return found


def is_free(call: Call, place: Place) -> bool:
    """Whether an operand of a sample may vary, and is a float or complex number."""
    return place in call.free and is_differentiable(tf.as_dtype(call.array(place).dtype))


def slopes(
    outputs: Sequence[Tensor],
    xs: Sequence[Tensor],
    values: Mapping[Tensor, Array],
    seed: int = 0,
    most: int = EVERY,
) -> list[Slope]:
    """The slopes of a sum of `outputs`, weighted at random, with respect to each x, at `values`.

    Args:
        outputs: what is summed, as far as it has derivatives.
        xs: placeholders.
        values: what they and others are fed.
        seed: of the weights, and of the elements that are chosen.
        most: of so many elements of each x there is a number; the others are not numbers.
    """
    rng = np.random.default_rng(seed)
    with tf.Session(graph=xs[0].graph) as session:
        tensors = [t for t in outputs if is_differentiable(t.dtype)]
        base = [np.asarray(value) for value in session.run(tensors, dict(values))]
        finite = [abs(value.astype(np.complex128)) < 1e100 for value in base]  # also not the least float
        weights = [np.where(mask, _random(rng, value), 0).astype(value.dtype)
                   for mask, value in zip(finite, base, strict=True)]  # fmt: skip
        found = tf.gradients(tensors, list(xs), grad_ys=weights)
        is_exact = all(t.dtype in (tf.float64, tf.complex128) for t in tensors)
        step, tolerance = (1e-6, 2e-4) if is_exact else (2e-2, 5e-2)
        computed = iter(session.run([tf.convert_to_tensor(g) for g in found if g is not None], dict(values)))
        numbers = [None if g is None else next(computed) for g in found]

        all_finite = [is_exact and bool(mask.all()) for mask in finite]  # most are, and one call sums them
        fed = list(values)
        run = session.make_callable(tensors, fed)

        def total(at: Mapping[Tensor, Array]) -> float:
            results = run(*[at[tensor] for tensor in fed])
            terms = zip(weights, results, finite, all_finite, strict=True)
            return sum(
                float(np.vdot(w, r).real) if whole else float((np.conj(w) * np.where(mask, r, 0)).real.sum())
                for w, r, mask, whole in terms
            )

        for x, gradient in zip(xs, found, strict=True):
            assert gradient is None or gradient.dtype is x.dtype
            assert gradient is None or gradient.shape.is_compatible_with(x.shape)
        return [Slope(x, _by_differences(total, values, x, step, _some(rng, values[x], most)), number, tolerance)
                for x, number in zip(xs, numbers, strict=True)]  # fmt: skip


def _random(rng: np.random.Generator, like: Array) -> Array:
    real = rng.normal(size=like.shape)
    return np.asarray(real + 1j * rng.normal(size=like.shape) if like.dtype.kind == "c" else real).astype(like.dtype)


def _some(rng: np.random.Generator, array: Array, most: int) -> list[tuple[int, ...]]:
    """The places of at most so many elements, drawn at random, the first and the last one among them."""
    every = list(np.ndindex(*array.shape))
    if len(every) <= most:
        return every
    return [every[0], *[every[place] for place in rng.choice(len(every) - 2, most - 2, False) + 1], every[-1]]


def _by_differences(
    total: Any, values: Mapping[Tensor, Array], x: Tensor, step: float, places: Sequence[tuple[int, ...]]
) -> Array:
    base = values[x]
    result = np.full(base.shape, np.nan, base.dtype)
    for place in places:
        result[place] = 0
        for direction in (1, 1j) if base.dtype.kind == "c" else (1,):
            up, down = base.copy(), base.copy()
            up[place] += step * direction
            down[place] -= step * direction
            result[place] += (total({**values, x: up}) - total({**values, x: down})) / (2 * step) * direction
    return result
