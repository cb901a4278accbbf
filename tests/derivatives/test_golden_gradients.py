"""Gradients equal those recorded from TensorFlow, None included."""

import numpy as np
import pytest

import penstock as tf

from ..golden_cases import GOLDEN, Case, call, cases, decode, outputs_of, placeholders, unlike


def gradients_of(case: Case) -> list[str]:
    """What differs from the recorded gradients of one case."""
    data = case.data
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        nodes: dict[str, object] = {}
        feeds = placeholders(data, nodes)
        for node in data["pre"]:
            nodes[node["name"]] = call(node["op"], node["kwargs"], nodes)
        _, outputs = outputs_of(call(case.op, data["kwargs"], nodes))
        weights = [tf.constant(decode(each)) for each in data["grad_ys"]]
        found = tf.gradients(outputs, [nodes[name] for name in data["wrt"]], grad_ys=weights)
        lines = []
        for name, gradient, want in zip(data["wrt"], found, data["expect"]["grads"], strict=True):
            if gradient is None or want is None:
                if (gradient is None) != (want is None):
                    lines.append(f"{name}: {gradient} instead of {want}")
                continue
            assert gradient.dtype is nodes[name].dtype  # type: ignore[attr-defined]  # a tensor
            value = session.run(tf.convert_to_tensor(gradient), feeds)
            if unlike(np.asarray(value), want):
                lines.append(f"{name}: {value} instead of {decode(want)}")
        return lines


@pytest.mark.parametrize("case", cases(GOLDEN, "gradients"), ids=lambda case: case.id)
def test_a_gradient_is_the_recorded_one(case: Case) -> None:
    assert gradients_of(case) == []
