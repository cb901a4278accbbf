"""Calls of `tf.distributions`, the same for TensorFlow and for Penstock: a name, then a function of the namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LOGITS = [[0.5, -1.0, 2.0], [0.0, 0.25, -0.5]]
DISTRIBUTIONS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "normal": (lambda d: d.Normal(loc=[0.0, 1.5], scale=[[1.0], [2.5]]), [0.25, [[0.5, -1.0], [2.0, 3.0]]]),
    "uniform": (lambda d: d.Uniform([-1.0, 0.0], 2.0), [0.5, [[-0.5, -0.5], [2.0, 3.0]]]),
    "exponential": (lambda d: d.Exponential([0.5, 2.0]), [0.5, [[0.0, 3.0]]]),
    "laplace": (lambda d: d.Laplace([0.0, -1.0], 0.75), [0.5, [[-2.0, 3.0]]]),
    "gamma": (lambda d: d.Gamma([2.0, 3.5], [[1.0], [2.0]]), [0.5, [[0.1, 4.0]]]),
    "beta": (lambda d: d.Beta([2.0, 3.5], [1.5, 2.0]), [0.5, [0.1, 0.9]]),
    "bernoulli": (lambda d: d.Bernoulli(logits=[0.5, -2.0]), [1, [[0, 1], [1, 1]]]),
    "bernoulli of probs": (lambda d: d.Bernoulli(probs=[0.5, 0.125]), [0, [[0, 1]]]),
    "categorical": (lambda d: d.Categorical(logits=LOGITS), [1, [2, 0], [[0, 1], [2, 2], [1, 0]]]),
    "categorical of probs": (lambda d: d.Categorical(probs=[0.25, 0.5, 0.25]), [1, [2, 0]]),
}
FACTS = ("mean", "variance", "stddev", "mode", "entropy")
OTHERS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda d: d.Normal(loc=[0.5, -1.0], scale=0.5),
    "bernoulli": lambda d: d.Bernoulli(probs=[0.25, 0.5]),
    "categorical": lambda d: d.Categorical(logits=[[1.0, 0.0, 0.5], [0.0, 2.0, 0.5]]),
}
LACKING = (("uniform", "mode"), ("exponential", "mode"))
"""A uniform distribution has no mode there, and that of an exponential one is nan there and 0 here."""
SAMPLED = ("normal", "uniform", "exponential", "laplace", "bernoulli", "categorical", "categorical of probs", "gamma")
"""Those whose samples of a seed are TensorFlow's; `Beta` draws two gammas, whose seeds it hashes."""


def tensors(namespace: Any, name: str) -> dict[str, Any]:
    """All that is compared of a distribution, by name."""
    d = namespace.distributions
    make, values = DISTRIBUTIONS[name]
    one = make(d)
    found: dict[str, Any] = {}
    for number, value in enumerate(values):
        found[f"prob {number}"], found[f"log_prob {number}"] = one.prob(value), one.log_prob(value)
        if not name.startswith(("bernoulli", "categorical")):
            found[f"cdf {number}"], found[f"survival {number}"] = one.cdf(value), one.survival_function(value)
    for fact in FACTS:
        if not (name.startswith("categorical") and fact in FACTS[:3]) and (name, fact) not in LACKING:
            found[fact] = getattr(one, fact)()
    if name in SAMPLED:
        found["sample"], found["samples"] = one.sample(seed=7), one.sample([2, 3], seed=11)
    if name in OTHERS:
        found["kl"] = d.kl_divergence(one, OTHERS[name](d))
    return found
