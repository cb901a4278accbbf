"""Samples, densities, entropies and divergences of `tf.distributions` are those that TensorFlow was recorded giving."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import penstock.compat.v1 as tf

from .cases import DISTRIBUTIONS, tensors

TF: Any = tf
D: Any = TF.distributions
RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text("utf-8"))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_distribution_gives_what_was_recorded(name: str) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tensors(TF, name))
    assert set(found) == set(RECORDED[name])
    for key, (dtype, values) in RECORDED[name].items():
        assert found[key].dtype.name == dtype and found[key].shape == np.shape(values), key
        assert np.allclose(found[key], values, rtol=2e-5, atol=2e-6), key


def test_shapes_are_known_as_far_as_they_are_given() -> None:
    with tf.Graph().as_default():
        rows = tf.placeholder(tf.float32, [None, 3])
        normal = D.Normal(rows, 1.0)
        assert normal.batch_shape.as_list() == [None, 3] and normal.event_shape.as_list() == []
        assert normal.sample(4).shape.as_list() == [4, None, 3] and normal.sample().shape.as_list() == [None, 3]
        assert normal.sample(tf.placeholder(tf.int32, [2])).shape.ndims in (None, 4)
        assert D.Categorical(rows).sample([2, 5]).shape.as_list() == [2, 5, None]
        assert D.Normal(0, 1).loc.dtype == tf.float32
        vectors = TF.contrib.distributions.MultivariateNormalDiag(rows, tf.ones([3]))
        assert vectors.batch_shape.as_list() == [None] and vectors.event_shape.as_list() == [3]
        assert vectors.sample(2).shape.as_list() == [2, None, 3]


def test_vectors_of_independent_numbers() -> None:
    generator = np.random.RandomState(2)
    loc, scale, x = generator.randn(2, 3), generator.rand(2, 3) + 0.5, generator.randn(2, 3)
    other_loc, other_scale = generator.randn(3), generator.rand(3) + 0.5
    with tf.Graph().as_default(), tf.Session() as session:
        p, q = D.Normal(loc, scale), D.Normal(other_loc, other_scale)
        make = TF.contrib.distributions.MultivariateNormalDiag
        vector, other = make(loc, scale), make(other_loc, other_scale)
        for mine, parts in (
            (vector.log_prob(x), p.log_prob(x)), (vector.entropy(), p.entropy()),
            (TF.contrib.distributions.kl_divergence(vector, other), D.kl_divergence(p, q)),
        ):  # fmt: skip
            got, wanted = session.run([mine, parts])
            assert np.allclose(got, wanted.sum(-1))
        drawn = session.run(make(loc, scale, scale_identity_multiplier=[1.0, 2.0]).sample(20000, seed=3))
        assert np.allclose(drawn.mean(0), loc, atol=0.1)
        assert np.allclose(drawn.std(0), scale * [[1.0], [2.0]], atol=0.1)


def test_gradients_flow_through_samples_and_densities() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        loc, scale = tf.constant([0.5, -1.0]), tf.constant([1.0, 2.0])
        normal = D.Normal(loc, scale)
        by_loc, by_scale, drawn = session.run([*tf.gradients(x := normal.sample(3, seed=5), [loc, scale]), x])
        assert by_loc.tolist() == [3.0, 3.0] and np.allclose(by_scale, ((drawn - [0.5, -1.0]) / [1.0, 2.0]).sum(0))
        got = session.run(tf.gradients(normal.log_prob([2.0, 0.0]), [loc, scale]))
        assert np.allclose(got, [[1.5, 0.25], [1.25, -0.375]])


def test_beta_is_between_0_and_1_with_its_mean() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = session.run(D.Beta(2.0, [2.0, 6.0]).sample(5000, seed=1))
    assert drawn.shape == (5000, 2) and drawn.min() > 0 and drawn.max() < 1
    assert np.allclose(drawn.mean(0), [0.5, 0.25], atol=0.02)


def test_what_a_distribution_lacks_is_told() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Must pass probs or logits, but not both"):
            D.Bernoulli()
        with pytest.raises(tf.errors.UnimplementedError, match="Categorical has no mean here"):
            D.Categorical([0.0, 1.0]).mean()
        with pytest.raises(tf.errors.UnimplementedError, match="only two distributions of one class"):
            D.kl_divergence(D.Normal(0.0, 1.0), D.Uniform(0.0, 1.0))
        with pytest.raises(tf.errors.UnimplementedError, match="Gamma has no kl_divergence"):
            D.kl_divergence(D.Gamma(1.0, 1.0), D.Gamma(1.0, 2.0))
        with pytest.raises(ValueError, match="is no distribution"):
            D.kl_divergence(1.0, D.Normal(0.0, 1.0))
        with pytest.raises(ValueError, match=r"loc is int32; it must be floats"):
            D.Normal(tf.constant([1, 2]), 1.0)
        with pytest.raises(ValueError, match="give loc or scale_diag"):
            TF.contrib.distributions.MultivariateNormalDiag()
        with pytest.raises(AttributeError, match="Dirichlet"):
            _ = D.Dirichlet
