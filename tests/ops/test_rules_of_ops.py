"""Rules of single ops that no wider test asks for: what may fail, how parts are joined, gradients, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penstock.compat import v1 as tf
from penstock.extend import WHOLE, Along
from penstock.graph.building.may_fail import why_it_may_fail
from penstock.ops.linalg.einsum import einsum_op


@pytest.mark.parametrize("call", [tf.nn.max_pool, tf.nn.max_pool3d])
def test_a_pool_of_known_sizes_cannot_fail_and_one_of_unknown_sizes_may(call: Any) -> None:
    spatial = 3 if call is tf.nn.max_pool3d else 2
    window = [1, *[2] * spatial, 1]
    with tf.Graph().as_default():
        known = call(tf.placeholder(tf.float32, [None, *[4] * spatial, 3]), window, window, "VALID")
        unknown = call(tf.placeholder(tf.float32, None), window, window, "VALID")
        assert why_it_may_fail(known.op) is None
        assert why_it_may_fail(unknown.op) is not None


def test_products_of_known_ranks_say_how_their_parts_are_joined() -> None:
    rule = einsum_op.distribution_rule
    assert rule is not None
    with tf.Graph().as_default():
        known = tf.einsum("...ij,jk->...ik", tf.placeholder("float32", ["n", 1, 3, 4]), tf.zeros([4, 2])).op
        unknown = tf.einsum("ij,jk->ik", tf.placeholder("float32", None), tf.zeros([4, 2])).op
        answers = [rule(op, (Along(0), WHOLE), "n") for op in (known, unknown)]
    assert getattr(answers[0], "results", None) == (Along(0),)
    assert not getattr(answers[1], "results", ())


@pytest.mark.parametrize("sizes", [[1, 0, 3, 1], [1, 3, 0, 1]])
def test_no_area_is_made_larger(sizes: list[int]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, [None] * 4)
        resized = tf.image.resize_area(images, [2, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="non-zero size"):
            session.run(resized, {images: np.zeros(sizes, "f4")})


@pytest.mark.parametrize(
    ("places", "values"), [(2, 5.0), ([1, 3], [5.0, 6.0]), ([1, 3], 5.0), ([[0], [2]], [5.0, 6.0])]
)
def test_gradients_of_places_of_every_rank(places: Any, values: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        numbers, rest = tf.constant(values), tf.constant(1.0)
        weights = np.array([1.0, 10.0, 100.0, 1000.0], "f4")
        dense = tf.sparse_to_dense(places, [4], numbers, rest)
        of_values, of_rest = session.run(tf.gradients(dense * weights, [numbers, rest]))
    chosen = weights[np.asarray(places).reshape(-1)]
    assert of_values.tolist() == (chosen.sum() if np.ndim(values) == 0 else chosen).tolist()
    assert of_rest == weights.sum() - chosen.sum()


def test_a_field_that_is_set_to_its_default_makes_its_message_present() -> None:
    message = tf.GraphDef()
    assert not message.HasField("versions")
    message.versions.producer = 0
    assert message.HasField("versions")
