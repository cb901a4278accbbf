"""Gradients equal those recorded from TensorFlow, None and IndexedSlices included, at kinks and ties too."""

import numpy as np

import penstock as tf

from ..golden_cases import EXTRA, GOLDEN, Array, Case, Json, call, cases, decode, outputs_of, placeholders
from ..helpers import at_most, every_case, shares
from .golden_gradient_exceptions import BY_CASE, EXCEPTIONS

DIGITS = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-5, "complex64": 1e-5}
"""The difference, beside 1 and the number, that two orders of summation may have; 1e-12 for all others."""


def gradients_of(case: Case, static: str = "recorded") -> list[str]:
    """What differs from the recorded gradients of one case."""
    data = {**case.data, "placeholders": [_blurred(p, static) for p in case.data["placeholders"]]}
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        nodes: dict[str, object] = {}
        feeds = placeholders(data, nodes)
        for node in data["pre"]:
            nodes[node["name"]] = call(node["op"], node["kwargs"], nodes)
        _, outputs = outputs_of(call(case.op, data["kwargs"], nodes))
        pairs = [(y, tf.constant(decode(w))) for y, w in zip(outputs, data["grad_ys"], strict=True) if w is not None]
        xs = [nodes[name] for name in data["wrt"]]
        found = tf.gradients([y for y, _ in pairs], xs, grad_ys=[w for _, w in pairs])
        if data.get("order") == 2:
            firsts = [tf.convert_to_tensor(g) for g in found if g is not None]
            found = tf.gradients(firsts, xs, [tf.ones_like(g) for g in firsts])
        lines = []
        known = static == "recorded" and "slices" in data["expect"]
        slices = data["expect"].get("slices", [False] * len(found))
        results = {g: tf.convert_to_tensor(g) for g in found if g is not None}
        values = dict(zip(results, session.run(list(results.values()), feeds), strict=True))
        for name, gradient, want, is_slices in zip(data["wrt"], found, data["expect"]["grads"], slices, strict=True):
            if gradient is None or want is None:
                if (gradient is None) != (want is None):
                    lines.append(f"{name}: {gradient} instead of {want}")
                continue
            assert gradient.dtype is nodes[name].dtype  # type: ignore[attr-defined]  # a tensor
            if known and is_slices is not isinstance(gradient, tf.IndexedSlices):
                lines.append(f"{name}: {gradient}, which is {'no ' * is_slices}IndexedSlices")
            dense, value = results[gradient], values[gradient]
            if known and str(dense.shape) != str(nodes[name].shape):  # type: ignore[attr-defined]  # a tensor
                lines.append(f"{name}: the static shape is {dense.shape}")
            if not _near(np.asarray(value), want):
                lines.append(f"{name}: {value} instead of {decode(want)}")
        return lines


def _blurred(placeholder: Json, static: str) -> Json:
    shape = placeholder["shape"]
    if static == "ranks unknown" or shape is None:
        return {**placeholder, "shape": shape if static == "recorded" else None}
    return {**placeholder, "shape": [None] * len(shape)} if static == "sizes unknown" else placeholder


def _near(got: Array, want: Json) -> bool:
    wanted = decode(want)
    if got.dtype != wanted.dtype or got.shape != wanted.shape:
        return False
    digits = DIGITS.get(want["dtype"], 1e-12)
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    return bool(np.allclose(got.astype(wide), wanted.astype(wide), rtol=digits, atol=digits, equal_nan=True))


@every_case("case", cases(GOLDEN, "gradients"), parts=2)
def test_a_gradient_is_the_recorded_one(case: Case) -> None:
    assert gradients_of(case) == []


BY_OP: dict[str, list[Case]] = {}
for each in cases(EXTRA, "gradients"):
    BY_OP.setdefault(each.op, []).append(each)


def unexpected(case: Case) -> list[str]:
    """What differs and is no exception; an exception that does not differ."""
    found = gradients_of(case)
    if case.id in BY_CASE:
        return [] if found else [f"{case.id} is no exception any more"]
    return [f"{case.id}: {line}" for line in found]


@every_case("op", BY_OP, parts=2)
@shares(3)
def test_the_gradients_of_an_op_are_the_recorded_ones_at_kinks_and_ties_too(op: str, most: int) -> None:
    assert [line for case in at_most(BY_OP[op], most) for line in unexpected(case)] == []


@every_case("op", BY_OP, parts=2)
@shares(2)
def test_what_static_shapes_leave_out_changes_no_gradient(op: str, most: int) -> None:
    ways = ("sizes unknown", "ranks unknown")
    alike = at_most([case for case in BY_OP[op] if case.id not in BY_CASE], most)
    assert [line for number, case in enumerate(alike) for line in gradients_of(case, ways[number % 2])] == []


def test_every_exception_belongs_to_a_recorded_case_and_appears_once() -> None:
    listed = [case for exempt in EXCEPTIONS for case in exempt.cases]
    assert set(listed) <= {case.id for case in cases(EXTRA, "gradients")}
    assert len(listed) == len(set(listed))


def test_the_comparison_sees_a_wrong_gradient_and_a_missing_one() -> None:
    case = next(case for case in BY_OP["exp"] if case.expect["grads"][0]["values"])
    other = {**case.expect["grads"][0], "values": [7] * len(case.expect["grads"][0]["values"])}
    for grads in ([other], [None]):
        assert gradients_of(Case(case.id, case.op, {**case.data, "expect": {"grads": grads}})) != []
