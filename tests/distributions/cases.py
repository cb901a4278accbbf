"""Calls of `tf.distributions`, the same for TensorFlow and for Penstock: a name, then a function of the namespace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FAR = [-400.0, -59.0, -23.0, -11.0, -3.0, 0.0, 1.5, 7.0, 13.0, 25.0, 61.0, 401.0]
"""Where shares and what is left of them are too small for a float."""
LOGITS = [[0.5, -1.0, 2.0], [0.0, 0.25, -0.5]]
DISTRIBUTIONS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "normal": (lambda d: d.Normal(loc=[0.0, 1.5], scale=[[1.0], [2.5]]), [0.25, [[0.5, -1.0], [2.0, 3.0]]]),
    "uniform": (lambda d: d.Uniform([-1.0, 0.0], 2.0), [0.5, [[-0.5, -0.5], [2.0, 3.0]]]),
    "exponential": (lambda d: d.Exponential([0.5, 2.0]), [0.5, [[0.0, 3.0]]]),
    "laplace": (lambda d: d.Laplace([0.0, -1.0], 0.75), [0.5, [[-2.0, 3.0]]]),
    "normal far out": (lambda d: d.Normal(1.0, 2.0), [FAR]),
    "laplace far out": (lambda d: d.Laplace(1.0, 2.0), [FAR]),
    "exponential far out": (lambda d: d.Exponential(2.0), [[0.001, 20.0, 90.0]]),
    "gamma": (lambda d: d.Gamma([2.0, 3.5], [[1.0], [2.0]]), [0.5, [[0.1, 4.0]]]),
    "beta": (lambda d: d.Beta([2.0, 3.5], [1.5, 2.0]), [0.5, [0.1, 0.9]]),
    "bernoulli": (lambda d: d.Bernoulli(logits=[0.5, -2.0]), [1, [[0, 1], [1, 1]]]),
    "bernoulli of probs": (lambda d: d.Bernoulli(probs=[0.5, 0.125]), [0, [[0, 1]]]),
    "categorical": (lambda d: d.Categorical(logits=LOGITS), [1, [2, 0], [[0, 1], [2, 2], [1, 0]]]),
    "categorical of probs": (lambda d: d.Categorical(probs=[0.25, 0.5, 0.25]), [1, [2, 0]]),
    "student": (lambda d: d.StudentT([0.5, 1.5, 3.0], [0.0, 1.0, -1.0], [1.0, 2.0, 0.5]), [0.25, [-2.0, 1.0, 3.0]]),
    "dirichlet": (lambda d: d.Dirichlet([[1.5, 2.0, 3.0], [0.5, 2.0, 4.0]]), [[0.2, 0.3, 0.5], [[0.0, 0.5, 0.5]] * 2]),
    "one dirichlet": (lambda d: d.Dirichlet([1.5, 2.0, 3.0]), [[[0.2, 0.3, 0.5]]]),
    "counts": (lambda d: d.Multinomial([4.0, 2.0], logits=LOGITS), [[[1.0, 1.0, 2.0], [0.0, 2.0, 0.0]]]),
    "counts of probs": (lambda d: d.Multinomial(3.0, probs=[0.25, 0.5, 0.25]), [[1.0, 1.0, 1.0], [[0.0, 3.0, 0.0]]]),
    "counts of dirichlet": (lambda d: d.DirichletMultinomial(3.0, [[1.5, 2.0, 3.0]]), [[1.0, 1.0, 1.0]]),
}
VECTORS = ("one dirichlet", "dirichlet", "counts", "counts of probs", "counts of dirichlet")
FACTS = ("mean", "variance", "stddev", "mode", "entropy")
OTHERS: dict[str, Callable[[Any], Any]] = {
    "normal": lambda d: d.Normal(loc=[0.5, -1.0], scale=0.5),
    "bernoulli": lambda d: d.Bernoulli(probs=[0.25, 0.5]),
    "categorical": lambda d: d.Categorical(logits=[[1.0, 0.0, 0.5], [0.0, 2.0, 0.5]]),
    "gamma": lambda d: d.Gamma([1.0, 2.5], 0.5),
    "beta": lambda d: d.Beta([1.0, 2.5], [0.5, 3.0]),
    "dirichlet": lambda d: d.Dirichlet([1.0, 2.5, 2.0]),
}
LACKING = {
    ("uniform", "mode"), ("exponential", "mode"), ("exponential far out", "mode"), ("dirichlet", "mode"),
    *((name, fact) for name in VECTORS[2:] for fact in ("mode", "entropy")),
}  # fmt: skip
"""A uniform distribution, counts and batches of Dirichlet distributions have no mode there, counts no entropy; the mode
of an exponential one is nan there and 0 here."""


def tensors(namespace: Any, name: str) -> dict[str, Any]:
    """All that is compared of a distribution, by name."""
    d = namespace.distributions
    make, values = DISTRIBUTIONS[name]
    one = make(d)
    found: dict[str, Any] = {}
    for number, value in enumerate(values):
        found[f"prob {number}"], found[f"log_prob {number}"] = one.prob(value), one.log_prob(value)
        if name not in VECTORS and not name.startswith(("bernoulli", "categorical")):
            found[f"cdf {number}"], found[f"survival {number}"] = one.cdf(value), one.survival_function(value)
            fed = namespace.constant(value)
            logarithms = {"log_cdf": one.log_cdf(fed), "log_survival": one.log_survival_function(fed)}
            for key, logarithm in logarithms.items():
                found[f"{key} {number}"] = logarithm
                if name.endswith("far out"):
                    (found[f"gradient of {key} {number}"],) = namespace.gradients(logarithm, fed)
    for fact in FACTS:
        if not (name.startswith("categorical") and fact in FACTS[:3]) and (name, fact) not in LACKING:
            found[fact] = getattr(one, fact)()
    if name.startswith("normal"):
        found["quantile"] = one.quantile([[[1e-7]], [[0.25]], [[0.9]]])
    if name in VECTORS:
        found["covariance"] = one.covariance()
    if name != "counts":  # the rounds of its loop race there for the next numbers: two results in twelve runs
        found["sample"], found["samples"] = one.sample(seed=7), one.sample([2, 3], seed=11)
    if name in OTHERS:
        found["kl"] = d.kl_divergence(one, OTHERS[name](d))
    return found
